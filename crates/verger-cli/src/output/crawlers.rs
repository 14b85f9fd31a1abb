//! Known crawlers as text.

use std::io::{self, Write};

use verger::quoted;
use verger_registry::{Crawler, FactSource, Field, RobotsPolicy};

/// Writes a table with a line for each crawler.
pub(crate) fn write_crawlers(out: &mut impl Write, crawlers: &[&Crawler]) -> io::Result<()> {
    let width = |heading: &str, text: fn(&Crawler) -> &str| {
        let widths = crawlers.iter().map(|crawler| text(crawler).len());
        widths.chain([heading.len()]).max().unwrap_or_default()
    };
    let token = width("token", Crawler::token);
    let purpose = width("purpose", |crawler| crawler.purpose().name());
    let robots = width("robots.txt", |crawler| crawler.robots_policy().name());
    if !crawlers.is_empty() {
        writeln!(
            out,
            "{:token$}  {:purpose$}  {:robots$}  operator",
            "token", "purpose", "robots.txt"
        )?;
    }
    for crawler in crawlers {
        let operator = crawler.operator().unwrap_or("-");
        let policy = if crawler.is_name_only() { "-" } else { crawler.robots_policy().name() };
        let name = crawler.token();
        write!(out, "{name:token$}  {:purpose$}  {policy:robots$}  {operator}", crawler.purpose())?;
        match crawler.retired() {
            Some(date) => writeln!(out, ", retired since {date}")?,
            None => writeln!(out)?,
        }
    }
    Ok(())
}

/// Writes all that is known about a crawler.
pub(crate) fn write_crawler(out: &mut impl Write, crawler: &Crawler) -> io::Result<()> {
    writeln!(out, "{}", crawler.token())?;
    let mut line = |label: &str, text: &str| writeln!(out, "  {label:14} {text}");
    if let Some(date) = crawler.retired() {
        line("retired", &format!("since {date}"))?;
    }
    if !crawler.aliases().is_empty() {
        line("also named", &crawler.aliases().join(", "))?;
    }
    line("operator", crawler.operator().unwrap_or("unknown, or anyone"))?;
    line("purpose", crawler.purpose().name())?;
    if !crawler.is_name_only() {
        line("robots.txt", statement(crawler.robots_policy()))?;
        line("groups", &groups(crawler))?;
        if crawler.source_of(Field::AccessProfile).is_some() {
            line("access profile", crawler.access_profile().name)?;
        }
    }
    let user_agents = crawler.user_agents().join(", ");
    line("User-Agent", if user_agents.is_empty() { "none" } else { &user_agents })?;
    if !crawler.reverse_dns().is_empty() {
        line("reverse DNS", &crawler.reverse_dns().join(", "))?;
    }
    for url in crawler.ip_ranges() {
        line("addresses", url)?;
    }
    if let Some(origin) = crawler.signature_agent() {
        line("signatures", &format!("Signature-Agent {origin}"))?;
    }
    if let Some(url) = crawler.documentation() {
        line("documentation", url)?;
    }
    if let Some(note) = crawler.note() {
        line("note", note)?;
    }
    let unconfirmed = names(|field| crawler.is_unconfirmed(field));
    if !unconfirmed.is_empty() {
        line("unconfirmed", &unconfirmed)?;
    }
    for (source, fields) in sources(crawler) {
        line("source", &format!("{source}: {fields}"))?;
    }
    Ok(())
}

const fn statement(policy: RobotsPolicy) -> &'static str {
    match policy {
        RobotsPolicy::Obeys => "its operator says that it obeys robots.txt",
        RobotsPolicy::Ignores => "its operator says that it may ignore robots.txt",
        _ => "no statement of its operator is known",
    }
}

/// The groups that it obeys, in order.
fn groups(crawler: &Crawler) -> String {
    if crawler.tokens().is_empty() {
        return "none".to_owned();
    }
    let star = crawler.falls_back_to_star().then(|| "*".to_owned());
    let tokens: Vec<String> =
        crawler.tokens().iter().cloned().chain(star).map(|it| quoted(&it)).collect();
    let origin = if crawler.has_documented_tokens() { "" } else { " (by RFC 9309)" };
    format!("{}{origin}", tokens.join(", otherwise "))
}

/// Each source with the fields that have it, in the order of the fields.
fn sources(crawler: &Crawler) -> Vec<(&FactSource, String)> {
    let mut found: Vec<&FactSource> = Vec::new();
    for source in Field::ALL.iter().copied().filter_map(|field| crawler.source_of(field)) {
        if !found.contains(&source) {
            found.push(source);
        }
    }
    let fields = |source| names(|field| crawler.source_of(field) == Some(source));
    found.into_iter().map(|source| (source, fields(source))).collect()
}

fn names(is_wanted: impl Fn(Field) -> bool) -> String {
    let wanted = Field::ALL.iter().copied().filter(|field| is_wanted(*field));
    wanted.map(Field::name).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use verger_registry::Registry;

    #[test]
    fn every_crawler_can_be_shown() {
        let registry = Registry::bundled();
        for crawler in registry.crawlers().iter().chain(registry.further_crawlers()) {
            let mut out = Vec::new();
            write_crawler(&mut out, crawler).unwrap();
            let text = String::from_utf8(out).unwrap();
            assert!(text.starts_with(crawler.token()), "{text}");
            assert!(
                text.contains("\n  source ") && text.contains(crawler.source().url()),
                "{text}"
            );
        }
    }
}
