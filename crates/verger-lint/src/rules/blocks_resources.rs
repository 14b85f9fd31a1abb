//! # blocks-resources
//!
//! A rule disallows style sheets or scripts, although pages are allowed.
//!
//! ## Why is this a problem?
//!
//! Search engines render pages as browsers do. Without style sheets and scripts they may see an
//! empty or broken page.
//!
//! The rule checks Googlebot, Bingbot, and crawlers that no group names. It reports patterns that
//! end with `*.css`, `*.js` or `*.axd` (ASP.NET), or with a folder for such files: `css`, `js`, or
//! those of WordPress, Next.js, Nuxt, Magento, Drupal, TYPO3, Adobe Experience Manager and of
//! common builds (`/assets/`, `/build/`, `/dist/`, `/static/`). It does not report them if the file
//! allows the style sheets and scripts again, some of them by name, such as `/static/css/`, or both
//! kinds in a folder. All lines of a group have one finding.
//!
//! ## Example
//!
//! ```text
//! User-agent: *
//! Disallow: /wp-includes/
//! ```
//!
//! Use instead:
//!
//! ```text
//! User-agent: *
//! Disallow: /wp-includes/
//! Allow: /wp-includes/*.css
//! Allow: /wp-includes/*.js
//! ```
//!
//! ## References
//!
//! Google's pages on crawling and rendering (GDOC).

use std::collections::HashSet;

use verger::{Crawler, Group, Rule, RuleKind};

use super::prelude::*;
use crate::pattern::example;

pub(super) fn check(file: &File<'_>, findings: &mut Findings<'_, '_>) {
    let robots = &file.robots;
    let (mut known, mut compared) = (HashSet::new(), HashSet::new());
    let [google, unnamed] = file.crawlers();
    for (crawler, name) in [google, (Crawler::new("Bingbot"), "Bingbot"), unnamed] {
        let groups: Vec<_> = robots.groups_for(&crawler).collect();
        if !compared.insert(groups.iter().map(Group::index).collect::<Vec<_>>()) {
            continue;
        }
        let rules = groups.iter().flat_map(Group::rules);
        let (rules, allows): (Vec<_>, Vec<_>) =
            rules.partition(|rule| rule.kind() == RuleKind::Disallow);
        let is_named = |folder: &&str| rules.iter().any(|rule| rule.pattern() == folder.as_bytes());
        let [folders, signs] =
            [&DRUPAL, &DRUPAL_SIGNS].map(|names| names.iter().filter(|it| is_named(it)).count());
        let is_drupal = folders == DRUPAL.len() || folders == 2 && signs > 0;
        let with_paths = |rule| (rule, resources(Rule::pattern(rule), is_drupal));
        let mut rules = rules.iter().map(with_paths).peekable();
        while rules.next_if(|(_, paths)| paths.is_empty()).is_some() {}
        if rules.peek().is_none() {
            continue;
        }
        let policy = robots.policy(&crawler).without_explanation();
        if !policy.is_allowed("/") {
            continue;
        }
        let mut patterns: Vec<&[u8]> = allows.iter().map(Rule::pattern).collect();
        patterns.sort_unstable();
        let opened = [
            names_resources,
            |it: &[u8]| ends_with(it, b".css"),
            |it: &[u8]| ends_with(it, b".js"),
        ]
        .map(|is_opened| patterns.iter().filter(|it| is_opened(it)).collect::<Vec<_>>());
        let is_opened = |folder: &[u8]| {
            let [by_name, css, js] = opened.each_ref().map(|opened| {
                let next = opened.get(opened.partition_point(|it| **it < folder));
                next.is_some_and(|it| it.starts_with(folder))
            });
            by_name || css && js
        };
        for (rule, paths) in rules {
            let blocked = paths.into_iter().filter(|(path, _)| !policy.is_allowed(path));
            let (paths, lines): (Vec<String>, Vec<String>) = blocked.unzip();
            let Some(path) = paths.first() else { continue };
            let folder = rule.pattern().strip_suffix(b"*").unwrap_or(rule.pattern());
            if !is_opened(folder) && known.insert(rule.span()) {
                let shown = show_rule(rule);
                let message = format!("{shown} blocks style sheets or scripts for {name}");
                let help = format!("add {}", lines.join(" and "));
                findings.add(rule.span(), message, |it| it.url(file.url(path)).help(help));
            }
        }
    }
}

/// Whether a pattern names a folder or file of style sheets or scripts. Wildcards such as those of
/// `/app/*.css` are not enough: scripts may be blocked there.
fn names_resources(pattern: &[u8]) -> bool {
    let Ok(text) = str::from_utf8(pattern) else { return false };
    let text = text.trim_end_matches(['*', '$']);
    let is_resource = |part: &str| ["css", "js"].iter().any(|it| part.eq_ignore_ascii_case(it));
    !text.contains('*') && text.split(['/', '.']).any(is_resource)
}

/// Whether a pattern ends with this extension.
fn ends_with(pattern: &[u8], extension: &[u8]) -> bool {
    pattern.strip_suffix(b"$").unwrap_or(pattern).ends_with(extension)
}

/// Folders at the root that hold style sheets and scripts in common systems.
const FOLDERS: [&str; 10] = [
    "/_next",
    "/_nuxt",
    "/assets",
    "/build",
    "/dist",
    "/etc.clientlibs",
    "/pub/static",
    "/skin",
    "/static",
    "/typo3temp",
];

/// Ends of patterns for style sheets and scripts; ASP.NET's are `*.axd`.
const FILES: [&str; 5] = [".axd", ".css", ".js", "scriptresource.axd", "webresource.axd"];

/// Folders of Drupal. Other systems have one or two of them.
const DRUPAL: [&str; 3] = ["/misc/", "/modules/", "/themes/"];

/// Other names in files of Drupal.
const DRUPAL_SIGNS: [&str; 3] = ["/CHANGELOG.txt", "/includes/", "/profiles/"];

/// Examples of style sheets and scripts that a pattern matches, if its end names them; each with
/// the line that opens all of a folder again.
fn resources(pattern: &[u8], is_drupal: bool) -> Vec<(String, String)> {
    let Ok(pattern) = str::from_utf8(pattern) else { return Vec::new() };
    let path = || example(pattern);
    let end = pattern.trim_end_matches(['*', '$', '?']).to_ascii_lowercase();
    let folder = end.trim_end_matches('/');
    let name = folder.rsplit('/').next().unwrap_or_default();
    // A single script may be blocked for a reason.
    if FILES.contains(&name.trim_start_matches('*')) {
        return vec![(path(), "an `Allow` for each file that pages need".to_owned())];
    }
    let mut nested = ["wp-content/plugins", "wp-content/themes", "_next/static"].into_iter();
    let is_nested = nested.any(|it| folder.strip_suffix(it).is_some_and(|it| it.ends_with('/')));
    let files: &[&str] = match name {
        "css" | "stylesheets" => &["a.css"],
        "js" | "javascript" | "javascripts" => &["a.js"],
        "wp-includes" | "wp-content" => &["a.css", "a.js"],
        // Other folders in it have no such files.
        _ if folder == "/typo3conf" => &["ext/a.css", "ext/a.js"],
        _ if folder == "/sites/default/files" => &["css/a.css", "js/a.js"],
        _ if is_drupal && folder == "/sites" => &["default/files/a.css", "default/files/a.js"],
        _ if is_drupal && DRUPAL.contains(&&*end) || FOLDERS.contains(&folder) || is_nested => {
            &["a.css", "a.js"]
        }
        _ => &[],
    };
    let slash = if end.ends_with('/') || pattern.ends_with('*') { "" } else { "/" };
    let with_line = |file: &&str| {
        let extension = file.rsplit('.').next().unwrap_or_default();
        let line = format!("Allow: {}{slash}*.{extension}", pattern.trim_end_matches('*'));
        (format!("{}{slash}{file}", path()), show(line.as_bytes()))
    };
    files.iter().map(with_line).collect()
}
