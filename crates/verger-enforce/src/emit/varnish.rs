//! Varnish: subroutines of VCL.
//!
//! Expressions are in long strings, which only `"}` ends; an expression has no quotation mark.

use core::fmt::Write as _;

use super::{Answer, Choices, Compiled, Output, Target, USUAL};
use crate::comparison::Comparison;
use crate::expression::Syntax;
use crate::glob::Form;
use crate::plan::{Plan, Unproved};

/// Varnish refuses targets with spaces. It decodes nothing, so the path keeps its escapes.
const SYNTAX: Syntax = Syntax { form: Form::Escaped, ..USUAL };

/// Sets the path as most backends read it: slashes merged, dot segments removed, whether they are
/// escaped or not. A segment with the `..` that removes it is matched like a pair of brackets.
const SUBJECT: &str = r#"	set req.http.X-Verger = regsub(req.url, "(?s)^[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*", "");
	set req.http.X-Verger = "/" + regsub(req.http.X-Verger, "(?s)[?#].*$", "");
	set req.http.X-Verger = regsuball(req.http.X-Verger, "(?:/|%2[Ff])+", "/");
	set req.http.X-Verger = regsuball(req.http.X-Verger, "/(?:(?:[.]|%2[Ee])/)+", "/");
	set req.http.X-Verger = regsub(req.http.X-Verger, "/(?:[.]|%2[Ee])$", "/");
	set req.http.X-Verger = regsub(req.http.X-Verger, "/(?:[.]|%2[Ee]){2}$", "/../");
	set req.http.X-Verger = regsuball(req.http.X-Verger, "(/(?!(?:[.]|%2[Ee]){2}/)[^/]++(?1)*+/(?:[.]|%2[Ee]){2})(?=/)", "");
	set req.http.X-Verger = regsub(req.http.X-Verger, "^(?:/(?:[.]|%2[Ee]){2})+(?=/)", "");
	set req.http.X-Verger = req.url + " " + req.http.X-Verger;
"#;

/// Dot segments that are left, because there were too many for the regular expression.
const UNREADABLE: &str = "^[^ ]* .*/(?:[.]|%2[Ee]){2}(?:/|$)";

pub(super) fn write(plan: &Plan, choices: &Choices<'_>) -> Output {
    let status = if let Answer::Status(status) = choices.answer { status } else { 403 };
    let refuse = format!("return (synth({status}));");
    let compiled = Compiled::of(plan, &SYNTAX);
    let guide = "Include this file before other subroutines, and add to the beginning of vcl_recv:\n    \
                 call verger;";
    let mut text = compiled.heading(Target::Varnish, choices, guide);
    let is = |expression: &str| format!("req.http.X-Verger ~ {{\"{expression}\"}}");
    for (number, comparisons) in compiled.refusing() {
        let _ = writeln!(
            text,
            "sub verger_rules_{number} {{\n\tif ({}) {{\n\t\t{refuse}\n\t}}",
            is(UNREADABLE)
        );
        for all in [&comparisons.raw, &comparisons.served] {
            let rows = all.iter().map(|Comparison { allows, expression, .. }| {
                let refuse = if *allows { "# Allowed" } else { &refuse };
                format!("if ({}) {{\n\t\t{refuse}\n\t}}", is(expression))
            });
            let _ = writeln!(text, "\t{}", rows.collect::<Vec<_>>().join(" else "));
        }
        text.push_str("}\n");
    }
    for (number, class) in compiled.classes.iter().enumerate() {
        let Some(addresses) = class.addresses else { continue };
        let _ = writeln!(text, "acl verger_from_{number} {{");
        for address in addresses {
            let _ = writeln!(text, "\t\"{}\"/{};", address.addr(), address.prefix_len());
        }
        text.push_str("}\n");
    }
    let call = |list| match compiled.numbered(list, "call verger_rules_") {
        Some(call) => call + ";",
        None => "# Allowed".to_owned(),
    };
    let names_of = |names: &mut dyn Iterator<Item = &String>| {
        let names = names.map(|it| format!("req.http.User-Agent ~ {{\"(?i){it}\"}}"));
        names.collect::<Vec<_>>().join(" || ")
    };
    // The path is computed only if rules are compared: long targets need much memory.
    let begin = match plan.others() {
        Some(_) => "\tif (true) {\n".to_owned(),
        None => format!(
            "\tif ({}) {{\n",
            names_of(&mut compiled.classes.iter().flat_map(|it| &it.names))
        ),
    };
    let _ = write!(
        text,
        "sub verger {{\n{begin}{SUBJECT}\tif ({}) {{\n\t\t# Always answered\n\t}}",
        is(&SYNTAX.exempt())
    );
    for (number, class) in compiled.classes.iter().enumerate() {
        let names = names_of(&mut class.names.iter());
        if class.addresses.is_some() {
            let other = match plan.unproved {
                Some(Unproved::Star) => call(plan.star),
                _ => refuse.clone(),
            };
            let _ = write!(
                text,
                " else if (client.ip !~ verger_from_{number} && ({names})) {{\n\t\t{other}\n\t}}"
            );
        }
        let _ = write!(text, " else if ({names}) {{\n\t\t{}\n\t}}", call(class.list));
    }
    if plan.others().is_some() {
        let _ = write!(text, " else {{\n\t\t{}\n\t}}", call(plan.others()));
    }
    text.push_str("\n\tunset req.http.X-Verger;\n\t}\n}\n");
    compiled.output(text)
}
