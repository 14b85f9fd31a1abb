//! nginx: maps of the module `map`, which are evaluated only when they are needed.
//!
//! Parameters are in double quotes, in which a backslash is special only before `"`, `'`, `\`, `t`,
//! `r` and `n`; an expression has none of these.

use core::fmt::Write as _;

use super::{Answer, Choices, Compiled, Output, Target, USUAL};
use crate::comparison::Comparison;
use crate::expression::Syntax;
use crate::plan::{Plan, Unproved};

/// nginx refuses request lines with more than two spaces, so no raw target contains one.
const SYNTAX: Syntax = Syntax { head: "", ..USUAL };

/// Number of lists, with two variables each, from which nginx can warn about its table of
/// variables, whose buckets have room for one of them.
const MANY_LISTS: usize = 20;

/// The raw target, and the path after decoding, merging of slashes and removal of dots.
const SUBJECT: &str = "\"$request_uri $uri\"";

pub(super) fn write(plan: &Plan, choices: &Choices<'_>) -> Output {
    let compiled = Compiled::of(plan, &SYNTAX);
    let (answer, page) = match &choices.answer {
        // nginx asks again for a path, and would refuse it, too.
        Answer::Status(status) => (
            format!("return {status};"),
            format!(
                "\nand for a page of your own, which needs a named location:\n    \
                 error_page {status} @refused;\n    \
                 location @refused {{ root /var/www/errors; try_files /{status}.html ={status}; }}"
            ),
        ),
        Answer::Redirect(url) => (format!("return 302 \"{url}\";"), String::new()),
        _ => ("return 444;".to_owned(), String::new()),
    };
    let guide = format!(
        "Include this file in `http`, and add this to each `server`, before `location`:\n    \
         if ($verger_refused) {{ {answer} }}{page}"
    );
    let mut text = compiled.heading(Target::Nginx, choices, &guide);
    if compiled.lists.len() > MANY_LISTS {
        let size = (16 * compiled.lists.len()).next_power_of_two();
        let _ = writeln!(text, "variables_hash_max_size {size};\nvariables_hash_bucket_size 128;");
    }
    let mut map = |subject: &str, name: &str, rows: &[(String, String)]| {
        let _ = writeln!(text, "\nmap {subject} {name} {{");
        for (key, value) in rows {
            let _ = writeln!(text, "    {key} {value};");
        }
        text.push_str("}\n");
    };
    let row = |key: &str, value: &str| (key.to_owned(), value.to_owned());
    let value = |list| compiled.numbered(list, "$verger_rules_").unwrap_or_else(|| "0".to_owned());
    let mut named = vec![row("default", &value(plan.others()))];
    for (number, class) in (1..).zip(&compiled.classes) {
        let rules = match class.addresses {
            Some(_) => format!("$verger_proved_{number}"),
            None => value(class.list),
        };
        named.extend(class.names.iter().map(|names| row(&format!("\"~*{names}\""), &rules)));
    }
    map("$http_user_agent", "$verger_refused", &named);
    for (number, class) in (1..).zip(&compiled.classes) {
        if class.addresses.is_some() {
            let other = match plan.unproved {
                Some(Unproved::Star) => value(plan.star),
                _ => "$verger_unproved".to_owned(),
            };
            let rows = [row("default", &other), row("1", &value(class.list))];
            map(&format!("$verger_from_{number}"), &format!("$verger_proved_{number}"), &rows);
        }
    }
    let exempt = SYNTAX.exempt();
    let is_checked = compiled.classes.iter().any(|class| class.addresses.is_some());
    if is_checked && plan.unproved != Some(Unproved::Star) {
        map(
            SUBJECT,
            "$verger_unproved",
            &[row("default", "1"), (format!("\"~{exempt}\""), "0".to_owned())],
        );
    }
    let rows = |all: &[Comparison], allowed: &str| -> Vec<_> {
        let value = |allows| if allows { allowed.to_owned() } else { "1".to_owned() };
        all.iter().map(|it| (format!("\"~{}\"", it.expression), value(it.allows))).collect()
    };
    for (number, comparisons) in compiled.refusing() {
        let served = format!("$verger_served_{number}");
        let mut raw = vec![row("default", &served), (format!("\"~{exempt}\""), "0".to_owned())];
        raw.extend(rows(&comparisons.raw, &served));
        map(SUBJECT, &format!("$verger_rules_{number}"), &raw);
        let mut all =
            vec![row("default", "0"), (format!("\"~{}\"", SYNTAX.plain()), "0".to_owned())];
        all.extend(rows(&comparisons.served, "0"));
        map(SUBJECT, &served, &all);
    }
    let proxies = choices.proxies.0;
    for (number, class) in (1..).zip(&compiled.classes) {
        let Some(addresses) = class.addresses else { continue };
        let _ = writeln!(text, "\ngeo $verger_from_{number} {{");
        for proxy in proxies {
            let _ = writeln!(text, "    proxy {};", proxy.trunc());
        }
        if !proxies.is_empty() {
            text.push_str("    proxy_recursive;\n");
        }
        text.push_str("    default 0;\n");
        for address in addresses {
            let _ = writeln!(text, "    {address} 1;");
        }
        text.push_str("}\n");
    }
    compiled.output(text)
}
