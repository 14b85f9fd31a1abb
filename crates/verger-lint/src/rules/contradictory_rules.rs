//! # contradictory-rules
//!
//! A group allows and disallows the same pattern.
//!
//! ## Why is this a problem?
//!
//! Only one of the rules can have an effect. By RFC 9309 it is the `Allow`; where the first match
//! decides, it is the upper one.
//!
//! ## Example
//!
//! ```text
//! User-agent: *
//! Disallow: /cart
//! Allow: /cart
//! ```
//!
//! Use instead:
//!
//! ```text
//! User-agent: *
//! Disallow: /cart
//! ```
//!
//! ## References
//!
//! RFC 9309 section 2.2.2, REP-AMB-35.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::prelude::*;
use crate::pattern::normalised;

pub(super) fn check(file: &File<'_>, findings: &mut Findings<'_, '_>) {
    for group in file.robots.groups() {
        let mut known = HashMap::new();
        for rule in file.twins(group) {
            match known.entry(normalised(rule.pattern())) {
                Entry::Vacant(entry) => {
                    entry.insert(Some(rule));
                }
                Entry::Occupied(mut entry) => {
                    // Once for each pattern.
                    let other = |first: &mut verger::Rule<'_>| first.kind() != rule.kind();
                    let Some(first) = entry.get_mut().take_if(other) else { continue };
                    let (shown, by) = (show_rule(&rule), show_rule(&first));
                    let message = format!("{shown} contradicts {by}; the `Allow` decides");
                    findings.add(rule.span(), message, |finding| {
                        finding.label(first.span(), "the other rule")
                    });
                }
            }
        }
    }
}
