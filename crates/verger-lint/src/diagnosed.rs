//! Findings for the diagnostics of the engine, also for those of other dialects.

use verger::diagnostic::{Diagnostic, DiagnosticKind};
use verger::parse::Encoding;
use verger::{Crawler, Dialect, Robots, Span};
use verger_analysis::unnamed_crawler;

use crate::check::{Check, Collector};
use crate::file::{EXAMPLE, File};
use crate::finding::Finding;
use crate::pattern;
use crate::rule::{Category, Rule};
use crate::rules::{CHECKS, RULES};
use crate::settings::Settings;
use crate::syntax::LineKind;

/// Adds the finding for a diagnostic.
pub(crate) fn diagnosed(
    file: &File<'_>,
    settings: &Settings,
    found: Diagnostic,
    to: &mut Collector<'_>,
) {
    use DiagnosticKind::{LooksLikeHtml, ManyNuls, Utf32};
    let Some((rule, detail)) = diagnostic_rule(settings, found) else { return };
    let is_noise = rule.category == Category::Syntax
        && file.is_foreign()
        && !matches!(found.kind, LooksLikeHtml | ManyNuls | Utf32);
    if !is_noise && rule.category != Category::Portability {
        to.add(rule, found.span, || {
            detail(file, found, Finding::new(rule, found.span, message(file, found)))
        });
    }
}

/// The message of a diagnostic, with the text that was found. The engine does not have it.
fn message(file: &File<'_>, found: Diagnostic) -> String {
    use DiagnosticKind::{InvalidValue, SitemapNotAbsolute};
    match found.kind {
        InvalidValue(_) | SitemapNotAbsolute if found.span.is_empty() => {
            format!("{found}, but found nothing")
        }
        InvalidValue(_) | SitemapNotAbsolute => {
            format!("{found}, but found {}", file.show(found.span))
        }
        _ => found.to_string(),
    }
}

/// Adds the findings for diagnostics of category portability in a dialect.
pub(crate) fn portability(
    file: &File<'_>,
    settings: &Settings,
    dialect: Dialect,
    to: &mut Collector<'_>,
) {
    let robots = dialect.parse(file.bytes);
    // A dialect that does not decode UTF-16 has another text, and so has one with a higher limit.
    let is_same_text = file.robots.encoding() == Encoding::Utf8;
    let length = if is_same_text { file.text().len() } else { 0 };
    let unnamed = unnamed_crawler(&[&file.robots, &robots]);
    robots.diagnose(|found| {
        let Some((rule, detail)) = diagnostic_rule(settings, found) else { return };
        if rule.category == Category::Portability && found.span.end <= length {
            to.add(rule, found.span, || {
                let message = match found.kind {
                    DiagnosticKind::ForeignKey => {
                        let key = file.show(found.span);
                        format!("dialect `{dialect}` does not know {key}; the line has no effect")
                    }
                    _ => format!("in dialect `{dialect}`, {}", message(file, found)),
                };
                let mut finding = Finding::new(rule, found.span, message);
                finding.url = different_url(file, &robots, &unnamed, found.span);
                detail(file, found, finding)
            });
        }
    });
}

/// A URL that the rule on a line matches, if this dialect gives another answer for it.
fn different_url(
    file: &File<'_>,
    robots: &Robots,
    unnamed: &Crawler,
    line: Span,
) -> Option<String> {
    let pattern = str::from_utf8(file.part(file.line(line)?.record?.value)).ok()?;
    let path = pattern::example(pattern);
    let mut above = file.lines_above(line).filter(|line| line.kind == LineKind::UserAgent);
    let name = above.next().and_then(|line| str::from_utf8(file.part(line.record?.value)).ok());
    let crawler = name.filter(|name| *name != "*").map_or_else(|| unnamed.clone(), Crawler::new);
    let url = format!("{EXAMPLE}{path}");
    let [here, there] = [&file.robots, robots].map(|it| it.check(&crawler, &url).is_allowed());
    (here != there).then(|| file.url(&path))
}

/// The rules about files that are too long, the most important first.
pub(crate) const BY_WEIGHT: [&str; 4] =
    ["counts-as-none", "truncated", "google-limit", "yandex-limit"];

/// Joins the findings that a file is too long: crawlers with different limits have one problem.
pub(crate) fn join_limits(findings: &mut Vec<Finding>) {
    let rank = |finding: &Finding| BY_WEIGHT.iter().position(|code| *code == finding.rule.code);
    let Some(main) = (0..findings.len())
        .filter(|&at| rank(&findings[at]).is_some())
        .min_by_key(|&at| rank(&findings[at]))
    else {
        return;
    };
    let main_span = findings[main].span;
    let main_code = findings[main].rule.code;
    let mut notes = Vec::new();
    findings.retain(|finding| {
        let is_other =
            rank(finding).is_some() && (finding.span, finding.rule.code) != (main_span, main_code);
        if is_other {
            notes.push(finding.message.clone());
        }
        !is_other
    });
    if let Some(main) = findings.iter_mut().find(|finding| finding.rule.code == main_code) {
        notes.splice(0..0, main.help.take());
        main.help = (!notes.is_empty()).then(|| notes.join("; "));
    }
}

/// The check of a diagnostic.
type Detail = fn(&File<'_>, Diagnostic, Finding) -> Option<Finding>;

/// The selected rule for a diagnostic, and its check.
fn diagnostic_rule(settings: &Settings, found: Diagnostic) -> Option<(&'static Rule, Detail)> {
    let mut rules = RULES.iter().zip(CHECKS);
    let (rule, check) = rules.find(|(rule, _)| rule.code == found.code())?;
    match check {
        Check::Diagnostic(detail) if settings.runs(rule) => Some((rule, *detail)),
        _ => None,
    }
}
