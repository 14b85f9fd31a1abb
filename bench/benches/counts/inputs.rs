//! What the hot paths are asked: texts and URLs made by a rule, the same on every machine.

use std::fmt::Write as _;

use verger::{Dialect, Policy, Robots};

/// Who asks.
pub(crate) const AGENT: &str = "GPTBot";

/// A URL that is in normal form already.
pub(crate) const CLEAN: &str =
    "https://shop.example/catalogue/furniture/chairs/oak-chair-4711.html?colour=brown&sort=price";

/// One that is not: an escape to decode, one to write in upper case, and letters to encode.
pub(crate) const ESCAPED: &str =
    "https://shop.example/catalogue/furniture/ch%61irs/%c3%a9tag%c3%a8re/über-4711.html?q=a b";

/// A robots.txt of ordinary size and shape: 4 KB, groups for several crawlers, comments, sitemaps.
pub(crate) fn ordinary() -> String {
    let mut text = String::from("# Welcome to the shop.\n");
    for (at, agent) in ["*", "Googlebot", "GPTBot", "bingbot", "AhrefsBot"].iter().enumerate() {
        line(&mut text, format_args!("\nUser-agent: {agent}"));
        for rule in 0..26 {
            match (at + rule) % 9 {
                0 => line(&mut text, format_args!("Disallow: /*?sort={rule}")),
                1 => line(&mut text, format_args!("Allow: /catalogue/{rule}/")),
                2 => line(&mut text, format_args!("Disallow: /catalogue/furniture/{rule}/*.pdf$")),
                3 => line(&mut text, format_args!("# part {rule}")),
                _ => line(&mut text, format_args!("Disallow: /private-{rule}/page/{at}")),
            }
        }
    }
    line(&mut text, format_args!("\nSitemap: https://shop.example/sitemap.xml"));
    text
}

/// So many rules of [`many`] fill 500 KiB, the rest of which dialect `rfc9309` would not read.
pub(crate) const FILLING: usize = 18_000;

/// So many rules for everybody, and so many in a hundred with a wildcard.
pub(crate) fn many(rules: usize, wildcards: usize) -> String {
    let mut text = String::from("User-agent: *\n");
    for rule in 0..rules {
        // Scattered, so that neighbours in the file are none in the tree.
        let number = rule * 7919 % 1_000_003;
        if rule % 100 >= wildcards {
            line(&mut text, format_args!("Disallow: /c{}/item-{number}/", number % 97));
        } else if rule % 4 == 0 {
            line(&mut text, format_args!("Disallow: /*word{number}x"));
        } else {
            line(&mut text, format_args!("Disallow: /c{}/w{number}/*.pdf$", number % 97));
        }
    }
    text
}

/// Three literal rules and three with wildcards, none of which matches [`CLEAN`] but the last.
pub(crate) const WILDCARDS: &str = "User-agent: *\nDisallow: /cart\nDisallow: /account\n\
    Allow: /help\nDisallow: /*/print$\nDisallow: /*?session=\nDisallow: /catalogue/*sort=price\n";

/// A policy of a text for [`AGENT`], from its bytes.
pub(crate) fn policy(text: &str) -> Policy {
    Dialect::RFC9309.policy(text, AGENT)
}

/// A policy without rules: a question to it only makes a target.
pub(crate) fn nothing() -> Policy {
    Robots::parse("").policy(AGENT)
}

fn line(text: &mut String, line: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{line}");
}

/// A file that has answered once: what a question allocates lies ready then, instead of being sought for a time that
/// depends on what was allocated before.
pub(crate) fn asked_before(robots: Robots) -> Robots {
    let _ = robots.check(AGENT, CLEAN);
    robots
}
