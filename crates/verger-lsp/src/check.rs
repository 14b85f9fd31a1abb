//! The answer for one URL, with its reasons.

use std::fmt::Write as _;

use verger::{Dialect, Robots, without_credentials};
use verger_analysis::OTHERS;
use verger_json::diff::crawler_of;

use crate::compare::{quoted, rule_and_line};
use crate::limits::LISTED;

/// Checks a URL for a crawler; without one, for one that no group names.
///
/// # Errors
///
/// The text is neither a URL nor a path.
pub(crate) fn check(robots: &Robots, url: &str, crawler: Option<&str>) -> Result<String, String> {
    let (url, name) = (url.trim(), crawler.map_or(OTHERS, str::trim));
    let shown = quoted(&without_credentials(url.as_bytes()));
    if !Dialect::RFC9309.reads_url(url) {
        let expected = "expected a URL with scheme and host, or a path that begins with `/`";
        return Err(format!("bad URL {shown}: {expected}"));
    }
    let explanation = robots.explain(&crawler_of(name, &[robots]), url);
    let verdict = &explanation.verdict;
    let mut out = format!("{shown} for {}: {verdict}", quoted(name));
    let others = explanation.contenders.iter().filter(|it| Some(it.rule) != verdict.rule());
    for contender in others.clone().take(LISTED) {
        let (rule, standing) = (rule_and_line(contender.rule), contender.standing.name());
        let _ = write!(out, "\nalso matches: {rule} ({standing})");
    }
    let further = others.count().saturating_sub(LISTED);
    if further > 0 {
        let _ = write!(out, "\nfurther rules that match: {further}");
    }
    Ok(out)
}
