//! Apache httpd: conditions of `mod_rewrite`. A rule that matches either refuses, or skips others.
//!
//! Arguments are in double quotes, in which only `\"` and `\\` are special, and `${` begins a
//! variable; an expression has none of these.

use core::fmt::Write as _;

use super::{Answer, Choices, Compiled, Output, Target, USUAL};
use crate::comparison::Comparisons;
use crate::expression::Syntax;
use crate::plan::{Plan, Unproved};

/// The request line has the raw target between two spaces, perhaps with scheme and host.
const SYNTAX: Syntax =
    Syntax { head: "[^ ]+ (?:[A-Za-z][A-Za-z0-9+.-]*://[^/?# ]*)?", tail: "[^ ]+ ", ..USUAL };

/// The request line, and the path after decoding, merging of slashes and removal of dots.
const SUBJECT: &str = "\"%{THE_REQUEST} %{REQUEST_URI}\"";

pub(super) fn write(plan: &Plan, choices: &Choices<'_>) -> Output {
    let refuse = match &choices.answer {
        Answer::Redirect(url) => format!("RewriteRule \"^\" \"{url}\" [R=302,L]"),
        Answer::Status(status) if *status != 403 => {
            format!("RewriteRule \"^\" \"-\" [R={status},L]")
        }
        _ => "RewriteRule \"^\" \"-\" [F]".to_owned(),
    };
    let compiled = Compiled::of(plan, &SYNTAX);
    let guide = "Include this file in each <VirtualHost>, before other rules of mod_rewrite, and leave \
                 AllowEncodedSlashes and MergeSlashes as they are by default.";
    let mut text = compiled.heading(Target::Apache, choices, guide);
    text.push_str("RewriteEngine On\n");
    let skip = |condition: &str, count: usize| {
        format!("RewriteCond {condition}\nRewriteRule \"^\" \"-\" [S={count}]\n")
    };
    let rules_of = |comparisons: &Comparisons| {
        let mut text = String::new();
        let lengths = [comparisons.raw.len(), comparisons.served.len()];
        for (part, all) in [&comparisons.raw, &comparisons.served].into_iter().enumerate() {
            for (at, it) in all.iter().enumerate() {
                let condition = format!("{SUBJECT} \"{}\"", it.expression);
                if it.allows {
                    text.push_str(&skip(&condition, lengths[part] - at - 1));
                } else {
                    let _ = writeln!(text, "RewriteCond {condition}\n{refuse}");
                }
            }
        }
        (text, lengths[0] + lengths[1])
    };
    // Each block: its text, and the number of its rules.
    let mut blocks: Vec<(String, usize)> = Vec::new();
    let of_list =
        |list: Option<usize>| compiled.comparisons(list).map_or_else(Default::default, rules_of);
    for class in &compiled.classes {
        // None of the expressions holds.
        let unnamed =
            class.names.iter().map(|it| format!("\"%{{HTTP_USER_AGENT}}\" \"!{it}\" [NC]"));
        let unnamed = unnamed.collect::<Vec<_>>().join("\nRewriteCond ");
        let (rules, count) = of_list(class.list);
        let Some(addresses) = class.addresses else {
            // After the rules of its class, no other applies.
            blocks.push((skip(&unnamed, count + 1) + &rules, count + 2));
            continue;
        };
        let listed: Vec<String> = addresses.iter().map(|it| format!("-R '{it}'")).collect();
        let proved = format!("expr \"{}\"", listed.join(" || "));
        let (other, others) = match plan.unproved {
            Some(Unproved::Star) => of_list(plan.star),
            _ => (format!("{refuse}\n"), 1),
        };
        let mut block = skip(&unnamed, others + count + 3);
        block += &skip(&proved, others + 1);
        block += &other;
        let _ = writeln!(block, "RewriteRule \"^\" \"-\" [S={count}]");
        block += &rules;
        blocks.push((block, others + count + 4));
    }
    if plan.others().is_some() {
        let (rules, count) = of_list(plan.others());
        blocks.push((rules, count + 1));
    }
    let mut after: usize = blocks.iter().map(|(_, count)| count).sum();
    // Apache asks again for its own redirects, with another path and the old request line: the
    // request itself has been judged.
    text.push_str("RewriteCond \"%{ENV:REDIRECT_STATUS}\" \"!^$\" [OR]\n");
    text.push_str(&skip("\"%{IS_SUBREQ}\" \"true\"", after + 1));
    text.push_str(&skip(&format!("{SUBJECT} \"{}\"", SYNTAX.exempt()), after));
    for (block, count) in blocks {
        after -= count;
        // After the block of a class, the others are skipped.
        let _ = writeln!(text, "\n{block}RewriteRule \"^\" \"-\" [S={after}]");
    }
    compiled.output(text)
}
