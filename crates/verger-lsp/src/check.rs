//! The answer for one URL, with its reasons.

use std::fmt::Write as _;

use verger::{Dialect, Robots, without_credentials};
use verger_analysis::OTHERS;

use crate::compare::{crawler_of, quoted};
use crate::limits::LISTED;
use crate::text::Text;

/// Checks a URL for a crawler, `*` for one that no group names.
///
/// # Errors
///
/// The text is neither a URL nor a path.
pub(crate) fn check(text: &Text, url: &str, crawler: &str) -> Result<String, String> {
    let url = url.trim();
    let shown = quoted(&without_credentials(url.as_bytes()));
    if !Dialect::RFC9309.reads_url(url) {
        return Err(format!(
            "bad URL {shown}: expected a URL with scheme and host, or a path that begins with `/`"
        ));
    }
    let robots = Robots::parse(text.as_str());
    let name = if crawler.trim().is_empty() { OTHERS } else { crawler.trim() };
    let explanation = robots.explain(&crawler_of(name, &[&robots]), url);
    let verdict = &explanation.verdict;
    let mut out = format!("{shown} for {}: {verdict}", quoted(name));
    let others = explanation.contenders.iter().filter(|it| Some(it.rule) != verdict.rule());
    let others: Vec<_> = others.collect();
    for contender in others.iter().take(LISTED) {
        let (rule, standing) = (contender.rule, contender.standing.name());
        let record = [rule.kind().key().as_bytes(), b": ", rule.pattern()].concat();
        let (record, line) = (quoted(&record), rule.position().line);
        let _ = write!(out, "\nalso matches: {record} on line {line} ({standing})");
    }
    if others.len() > LISTED {
        let _ = write!(out, "\nfurther rules that match: {}", others.len() - LISTED);
    }
    Ok(out)
}
