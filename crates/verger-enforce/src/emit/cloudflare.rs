//! Cloudflare: expressions of custom rules, one on each line.
//!
//! Regular expressions are raw strings, which only `"` ends; an expression has none.

use core::fmt::Write as _;

use super::{Choices, Compiled, EmitError, Output, Target, USUAL};
use crate::expression::{Engine, Syntax};
use crate::glob::Form;
use crate::limits::{CLOUDFLARE_BYTES, CLOUDFLARE_RULE};
use crate::plan::Plan;
use crate::rules::Unexpressible;

/// The normalised path keeps its escapes.
const SYNTAX: Syntax =
    Syntax { engine: Engine::Go, form: Form::Escaped, longest: CLOUDFLARE_BYTES, ..USUAL };

/// The end of a rule.
const END: &str = "))";

const SUBJECT: &str = "concat(raw.http.request.uri, \" \", http.request.uri.path)";

/// Slashes and dot segments that the normalisation of URLs removes, or that only an origin removes.
const UNREADABLE: &str =
    r"^[^ ]* .*(?:/|%2[Ff])(?:(?:[.]|%2[Ee]){0,2}(?:/|%2[Ff])|(?:[.]|%2[Ee]){1,2}\z)";

pub(super) fn write(plan: &Plan, choices: &Choices<'_>) -> Result<Output, EmitError> {
    let mut compiled = Compiled::of(plan, &SYNTAX);
    if plan.others().is_some() {
        return Err(EmitError::Choice(
            "Cloudflare cannot express rules for all others: no rule has room for the names of all \
             crawlers; leave out `--star-for all`",
        ));
    }
    let is = |expression: &str| format!("{SUBJECT} matches r\"{expression}\"");
    let (mut rules, mut missing) = (Vec::new(), Vec::new());
    for class in &compiled.classes {
        let Some(comparisons) = compiled.comparisons(class.list) else { continue };
        let start = |names: &String| {
            format!(
                "http.user_agent matches r\"(?i){names}\" and ({} or not {} and (",
                is(UNREADABLE),
                is(&SYNTAX.exempt())
            )
        };
        let starts: Vec<String> = class.names.iter().map(start).collect();
        let room = CLOUDFLARE_RULE - END.len() - starts.iter().map(String::len).max().unwrap_or(0);
        // The conditions of which one refuses: each with those that would allow before.
        let mut refusing = vec![is(&SYNTAX.malformed())];
        for all in [&comparisons.raw, &comparisons.served] {
            let mut allowing = String::new();
            for it in all {
                let condition = is(&it.expression);
                if it.allows && allowing.len() < room {
                    let _ = write!(allowing, "not {condition} and ");
                } else if !it.allows && "()".len() + allowing.len() + condition.len() <= room {
                    refusing.push(format!("({allowing}{condition})"));
                } else if !it.allows {
                    let reason = "with the rules that come before it, it is longer than a rule";
                    let of = |&line| Unexpressible { line, reason, is_looser: true };
                    missing.extend(it.lines.iter().map(of));
                }
            }
        }
        for start in starts {
            let mut rule = start.clone();
            for condition in &refusing {
                let length = rule.len() + " or ".len() + condition.len() + END.len();
                if rule.len() > start.len() && length > CLOUDFLARE_RULE {
                    rules.push(core::mem::replace(&mut rule, start.clone()) + END);
                }
                if rule.len() > start.len() {
                    rule.push_str(" or ");
                }
                rule.push_str(condition);
            }
            rules.push(rule + END);
        }
    }
    compiled.missing = missing;
    let guide = "Each line is the expression of a custom rule with the action Block. The operator `matches` \
                 needs a plan with regular expressions; leave the normalisation of URLs on";
    let rules = rules.into_iter().map(|rule| rule + "\n");
    let text = compiled.heading(Target::Cloudflare, choices, guide) + &rules.collect::<String>();
    Ok(compiled.output(text))
}
