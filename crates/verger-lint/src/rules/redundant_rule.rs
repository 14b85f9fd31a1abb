//! # redundant-rule
//!
//! A rule can be removed without a change: other rules, or the default, say the same.
//!
//! ## Why is this a problem?
//!
//! It is not an error. But a reader may believe that the rule has an effect, or change the other
//! rule and not this one.
//!
//! The finding is proved for all URLs, and for every crawler that obeys the rule. A rule that allows
//! everything where nothing else is said is not reported: authors write it on purpose.
//!
//! ## Example
//!
//! ```text
//! User-agent: *
//! Disallow: /cart
//! Disallow: /cart/old
//! ```
//!
//! Use instead:
//!
//! ```text
//! User-agent: *
//! Disallow: /cart
//! ```
//!
//! ## Fix
//!
//! Removes the line. Safe if it is proved that no answer changes in any published dialect, for any
//! crawler with one name or with fallbacks. Unsafe otherwise. Of two rules of which only one can be
//! removed, the second one becomes unsafe.
//!
//! ## References
//!
//! RFC 9309 section 2.2.2, REP-MATCH-10.

use std::collections::HashMap;

use verger_analysis::RedundantRule;

use crate::check::Findings;
use crate::fix::Safety;
use crate::pattern;
use crate::policies::{Policies, Policy};

pub(super) fn check(policies: &Policies<'_>, findings: &mut Findings<'_, '_>) {
    for (rule, policy, RedundantRule { because_of, by_default, .. }) in policies.proved(|policy| redundant_rules(policies, policy)) {
        if because_of.is_empty() && pattern::is_everything(rule.pattern()) {
            continue;
        }
        let others = because_of.iter().map(|rule| format!("`{rule}`"));
        let default = by_default.then(|| "the default".to_owned());
        let others: Vec<String> = others.chain(default).collect();
        let says = if others.len() == 1 { "says" } else { "say" };
        let message = format!("`{rule}` is redundant: {} {says} the same", others.join(" and "));
        let url = policy.example(rule.pattern(), &[rule]);
        let fix = policies.file.without_line(Safety::Safe, rule.span());
        findings.add(rule.span(), message, |mut finding| {
            for other in &because_of {
                finding = finding.label(other.span(), "decides the same without it");
            }
            finding.url = url.map(|path| policies.file.url(&path));
            finding.fix(fix)
        });
    }
}

/// The redundant rules of a policy by line.
fn redundant_rules<'f>(
    policies: &Policies<'f>,
    policy: &Policy<'f>,
) -> HashMap<usize, RedundantRule<'f>> {
    let redundant = policies.ask(|budget| policy.analysis.redundant_rules_within(budget)).found;
    redundant.into_iter().map(|redundant| (redundant.rule.position().line, redundant)).collect()
}
