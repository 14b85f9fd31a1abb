//! Caddy: maps with regular expressions, which are evaluated only when they are needed.
//!
//! Expressions are in backquotes, in which nothing is special; an expression has no backquote. The
//! only braces are those of `\x{…}`, and no placeholder begins with `\x`.

use core::fmt::Write as _;

use super::{Answer, Choices, Compiled, Output, Target, USUAL};
use crate::comparison::Comparison;
use crate::expression::{Engine, Syntax};
use crate::plan::Plan;

/// Go refuses targets with control characters.
const SYNTAX: Syntax = Syntax {
    engine: Engine::Go,
    head: "(?:[A-Za-z][A-Za-z0-9+.-]*://[^/?#\\n]*)?",
    separator: r"\n",
    ..USUAL
};

/// The raw target, and the path as the matcher `path_regexp` cleans it. An empty path is `.` there.
const SUBJECT: &str = "\"{http.request.orig_uri}\n/{http.regexp.verger.1}\"";

pub(super) fn write(plan: &Plan, choices: &Choices<'_>) -> Output {
    let refuse = match &choices.answer {
        Answer::Status(status) => format!("error @verger_refused {status}"),
        Answer::Redirect(url) => format!("redir @verger_refused {url} 302"),
        _ => "abort @verger_refused".to_owned(),
    };
    let directive = refuse.split(' ').next().unwrap_or_default();
    let compiled = Compiled::of(plan, &SYNTAX);
    let guide = format!(
        "Add to the global options, so that no `handle` or `route` answers before:\n    order \
         {directive} after map\nImport this file at the beginning of the Caddyfile, and add to each \
         site:\n    import verger"
    );
    let mut text = compiled.heading(Target::Caddy, choices, &guide);
    text.push_str("(verger) {\n\t@verger_path path_regexp verger (?s)^[/.]?(.*)$\n");
    let mut map = |subject: &str, name: &str, rows: &[(String, String)]| {
        let _ = writeln!(text, "\tmap @verger_path {subject} {{{name}}} {{");
        for (key, value) in rows {
            let _ = writeln!(text, "\t\t{key} {value}");
        }
        text.push_str("\t}\n");
    };
    let value = |list| match compiled.numbered(list, "{verger_rules_") {
        Some(rules) => rules + "}",
        None => "no".to_owned(),
    };
    let default = |value: &str| ("default".to_owned(), value.to_owned());
    let exempt = format!("`~{}`", SYNTAX.exempt());
    for (number, comparisons) in compiled.refusing() {
        let rows = |all: &[Comparison], allowed: &str| -> Vec<_> {
            let value = |allows| if allows { allowed.to_owned() } else { "refused".to_owned() };
            all.iter().map(|it| (format!("`~{}`", it.expression), value(it.allows))).collect()
        };
        let served = format!("verger_served_{number}");
        let mut all = rows(&comparisons.served, "no");
        all.push(default("no"));
        map(SUBJECT, &served, &all);
        let mut raw = vec![
            (exempt.clone(), "no".to_owned()),
            // Go refuses malformed escapes of a path only.
            (format!("`~{}`", SYNTAX.malformed()), "refused".to_owned()),
        ];
        raw.extend(rows(&comparisons.raw, "served"));
        raw.push(default("served"));
        let of_raw = format!("verger_raw_{number}");
        map(SUBJECT, &of_raw, &raw);
        let row = |key: &str, value: &str| (key.to_owned(), value.to_owned());
        let chain =
            [row("served", &format!("{{{served}}}")), row("refused", "refused"), default("no")];
        map(&format!("{{{of_raw}}}"), &format!("verger_rules_{number}"), &chain);
    }
    // Only the value of a row without an expression may be another map.
    let (mut named, mut lists) = (Vec::new(), Vec::new());
    for (number, class) in compiled.classes.iter().enumerate() {
        for names in &class.names {
            named.push((format!("`~(?i){names}`"), format!("class{number}")));
        }
        lists.push((format!("class{number}"), value(class.list)));
    }
    named.push(default("others"));
    lists.push(("others".to_owned(), value(plan.others())));
    lists.push(default("no"));
    map("{http.request.header.User-Agent}", "verger_named", &named);
    map("{verger_named}", "verger_refused", &lists);
    let _ = writeln!(text, "\t@verger_refused vars {{verger_refused}} refused\n\t{refuse}\n}}");
    compiled.output(text)
}
