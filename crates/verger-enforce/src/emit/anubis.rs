//! Anubis: one rule of a policy, with an expression in CEL.
//!
//! Expressions are raw strings, which only `"` ends, in a block of YAML, in which nothing is
//! special but the end of a line; an expression has neither.

use core::fmt::Write as _;

use super::{Choices, Compiled, EmitError, Output, Target, USUAL};
use crate::comparison::Comparisons;
use crate::expression::{Engine, Syntax};
use crate::limits::{CEL_BYTES, CEL_LINES};
use crate::plan::Plan;

/// Anubis has the decoded path, and the query as a map only.
const SYNTAX: Syntax =
    Syntax { engine: Engine::Go, head: "", separator: r"\n", has_raw: false, ..USUAL };

const SUBJECT: &str = r#"((size(query) > 0 ? "?" : "") + "\n" + path)"#;

/// Slashes and dot segments that Go's router removes before.
const UNREADABLE: &str = r"//|/[.]{1,2}(?:/|\z)";

pub(super) fn write(plan: &Plan, choices: &Choices<'_>) -> Result<Output, EmitError> {
    let compiled = Compiled::of(plan, &SYNTAX);
    let guide = "Import this file as the first of `bots`, and set the status of DENY in `status_codes` to \
                 403. Anubis sees the decoded path only: what differs in the raw target alone is not \
                 refused";
    let mut text = compiled.heading(Target::Anubis, choices, guide);
    let always = "path == \"/robots.txt\" || path.startsWith(\"/.well-known/\") ? false :\n";
    let rules_of = |comparisons: &Comparisons| {
        let rows = comparisons.served.iter().map(|it| {
            format!("      {SUBJECT}.matches(r\"{}\") ? {} :\n", it.expression, !it.allows)
        });
        let rows = rows.collect::<String>();
        format!("      path.matches(r\"{UNREADABLE}\") ? true :\n      {always}{rows}      false")
    };
    let of_list = |list: Option<usize>| {
        compiled.comparisons(list).map_or_else(|| "      false".to_owned(), rules_of)
    };
    let mut expression = String::new();
    for class in &compiled.classes {
        let names = class.names.iter().map(|it| format!("userAgent.matches(r\"(?i){it}\")"));
        let names = names.collect::<Vec<_>>().join(" || ");
        let rules = of_list(class.list);
        let _ = writeln!(expression, "    {names} ? (\n{rules}\n    ) :");
    }
    let _ = writeln!(expression, "    (\n{}\n    )", of_list(plan.others()));
    if expression.len() > CEL_BYTES || expression.lines().count() > CEL_LINES {
        return Err(EmitError::Choice("Anubis: more rules than an expression of CEL can have"));
    }
    let _ = write!(text, "- name: verger\n  action: DENY\n  expression: |\n{expression}");
    Ok(compiled.output(text))
}
