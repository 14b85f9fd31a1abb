//! Cloudflare: expressions of custom rules, one on each line.
//!
//! Regular expressions are raw strings, which only `"` ends; an expression has none.

use core::fmt::Write as _;

use super::{Choices, Compiled, EmitError, Output, Target, USUAL};
use crate::expression::{Engine, Syntax};
use crate::glob::Form;
use crate::limits::{CLOUDFLARE_BYTES, CLOUDFLARE_RULE};
use crate::plan::Plan;

/// The normalised path keeps its escapes.
const SYNTAX: Syntax =
    Syntax { engine: Engine::Go, form: Form::Escaped, longest: CLOUDFLARE_BYTES, ..USUAL };

const SUBJECT: &str = "concat(raw.http.request.uri, \" \", http.request.uri.path)";

/// Slashes and dot segments that the normalisation of URLs removes, or that only an origin removes.
const UNREADABLE: &str =
    r"^[^ ]* .*(?:/|%2[Ff])(?:(?:[.]|%2[Ee]){0,2}(?:/|%2[Ff])|(?:[.]|%2[Ee]){1,2}\z)";

pub(super) fn write(plan: &Plan, choices: &Choices<'_>) -> Result<Output, EmitError> {
    let compiled = Compiled::of(plan, &SYNTAX);
    if plan.others().is_some() {
        return Err(EmitError::Choice(
            "Cloudflare cannot express rules for all others: no rule has room for the names of all \
             crawlers; leave out `--star-for all`",
        ));
    }
    let is = |expression: &str| format!("{SUBJECT} matches r\"{expression}\"");
    let mut rules = Vec::new();
    for class in &compiled.classes {
        let Some(comparisons) = compiled.comparisons(class.list) else { continue };
        // The conditions of which one refuses: each with those that would allow before.
        let mut refusing = vec![is(&SYNTAX.malformed())];
        for all in [&comparisons.raw, &comparisons.served] {
            let mut allowing = String::new();
            for it in all {
                let condition = is(&it.expression);
                if it.allows {
                    let _ = write!(allowing, "not {condition} and ");
                } else {
                    refusing.push(format!("({allowing}{condition})"));
                }
            }
        }
        for names in &class.names {
            let start = format!(
                "http.user_agent matches r\"(?i){names}\" and ({} or not {} and (",
                is(UNREADABLE),
                is(&SYNTAX.exempt())
            );
            let mut rule = start.clone();
            for condition in &refusing {
                if rule.len() > start.len() && rule.len() + condition.len() + 5 > CLOUDFLARE_RULE {
                    rules.push(core::mem::replace(&mut rule, start.clone()) + "))");
                }
                if rule.len() > start.len() {
                    rule.push_str(" or ");
                }
                rule.push_str(condition);
            }
            rules.push(rule + "))");
        }
    }
    if rules.iter().any(|rule| rule.len() > CLOUDFLARE_RULE) {
        return Err(EmitError::Choice("Cloudflare: a rule has more than 4,096 characters"));
    }
    let guide = "Each line is the expression of a custom rule with the action Block. The operator `matches` \
                 needs a plan with regular expressions; leave the normalisation of URLs on";
    let text = compiled.heading(Target::Cloudflare, choices, guide) + &rules.join("\n") + "\n";
    Ok(compiled.output(text))
}
