//! The data file: its form in TOML, and its checks.
//!
//! A file that breaks a rule of this module cannot be read. `tests/data.rs` checks further rules for
//! the bundled file.

use std::collections::BTreeMap;

use serde::Deserialize;
use verger::Crawler as Rules;

use crate::{Crawler, Date, FactSource, Field, Purpose, RobotsPolicy};

/// The form of the file. A change of keys or of their meaning increases it.
const VERSION: u32 = 1;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    version: u32,
    date: String,
    sources: BTreeMap<String, SourceRow>,
    crawlers: Vec<Row>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SourceRow {
    url: String,
    date: Option<String>,
    read: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Row {
    token: String,
    #[serde(default)]
    aliases: Vec<String>,
    #[serde(default)]
    products: Vec<String>,
    /// Absent: the token and the aliases.
    user_agents: Option<Vec<String>>,
    operator: Option<String>,
    purpose: String,
    robots: String,
    /// Absent: not documented.
    chain: Option<Vec<String>>,
    star: Option<bool>,
    #[serde(default)]
    reverse_dns: Vec<String>,
    #[serde(default)]
    ip_ranges: Vec<String>,
    signature_agent: Option<String>,
    retired: Option<String>,
    documentation: Option<String>,
    note: Option<String>,
    #[serde(default)]
    unconfirmed: Vec<String>,
    source: String,
    #[serde(default)]
    sources: BTreeMap<String, String>,
}

/// Reads the date and the crawlers of a data file.
///
/// # Errors
///
/// The text is not a data file of this version, or a crawler contradicts itself.
pub(crate) fn read(text: &str) -> Result<(Date, Vec<Crawler>), String> {
    let file: File = toml::from_str(text).map_err(|error| error.to_string())?;
    if file.version != VERSION {
        return Err(format!("expected version {VERSION}, but found {}", file.version));
    }
    let sources = file.sources.into_iter().map(|(key, row)| Ok((key, source(row)?)));
    let sources = sources.collect::<Result<_, String>>()?;
    let crawlers = file.crawlers.into_iter().map(|row| {
        let token = row.token.clone();
        crawler(row, &sources).map_err(|error| format!("{token}: {error}"))
    });
    Ok((date(&file.date)?, crawlers.collect::<Result<_, _>>()?))
}

fn source(row: SourceRow) -> Result<FactSource, String> {
    let published = row.date.as_deref().map(date).transpose()?;
    Ok(FactSource { url: row.url, published, read: date(&row.read)? })
}

fn crawler(row: Row, sources: &BTreeMap<String, FactSource>) -> Result<Crawler, String> {
    let source = |key: &str| sources.get(key).cloned().ok_or_else(|| expected("a source", key));
    let field = |name: &str| Field::named(name).ok_or_else(|| expected("a field", name));
    let names = || core::iter::once(&row.token).chain(&row.aliases).cloned().collect();
    if row.star.is_some() != row.chain.is_some() {
        return Err("expected `chain` and `star` together, but found one of them".to_owned());
    }
    let tokens = row.chain.clone().unwrap_or_else(|| vec![row.token.clone()]);
    let falls_back_to_star = row.star.unwrap_or(true);
    // One that ignores robots.txt keeps its token as its name.
    let rules = match &tokens[..] {
        [] => Rules::new(row.token.as_str()).without_robots(),
        tokens => Rules::chain(tokens.iter().map(String::as_str)),
    };
    let rules = if falls_back_to_star { rules } else { rules.without_star() };
    let crawler = Crawler {
        user_agents: row.user_agents.unwrap_or_else(names),
        purpose: Purpose::named(&row.purpose).ok_or_else(|| expected("a purpose", &row.purpose))?,
        robots: RobotsPolicy::named(&row.robots)
            .ok_or_else(|| expected("`yes`, `no` or `unstated`", &row.robots))?,
        has_documented_tokens: row.chain.is_some(),
        tokens,
        falls_back_to_star,
        rules,
        retired: row.retired.as_deref().map(date).transpose()?,
        unconfirmed: row.unconfirmed.iter().map(|name| field(name)).collect::<Result<_, _>>()?,
        source: source(&row.source)?,
        sources: (row.sources.iter())
            .map(|(name, key)| Ok((field(name)?, source(key)?)))
            .collect::<Result<_, String>>()?,
        token: row.token,
        aliases: row.aliases,
        products: row.products,
        operator: row.operator,
        reverse_dns: row.reverse_dns,
        ip_ranges: row.ip_ranges,
        signature_agent: row.signature_agent,
        documentation: row.documentation,
        note: row.note,
    };
    let stated = crawler.sources.iter().map(|(field, _)| field).chain(&crawler.unconfirmed);
    match stated.into_iter().find(|field| !crawler.has(**field)) {
        Some(field) => Err(format!("expected `{field}`, which has a source, but found none")),
        None => Ok(crawler),
    }
}

fn date(text: &str) -> Result<Date, String> {
    Date::read(text).ok_or_else(|| expected("a date such as 2026-11-23", text))
}

fn expected(what: &str, found: &str) -> String {
    format!("expected {what}, but found `{found}`")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Registry;

    /// A file with one crawler, which has these further lines.
    fn file(lines: &str) -> String {
        format!(
            "version = 1\ndate = \"2026-11-23\"\n[sources.a]\nurl = \"https://a.example/\"\n\
             read = \"2026-11-22\"\n[[crawlers]]\ntoken = \"ExampleBot\"\npurpose = \"search\"\n\
             robots = \"yes\"\nsource = \"a\"\n{lines}"
        )
    }

    #[test]
    fn absent_values_have_the_meaning_of_rfc_9309() {
        let registry = Registry::read(&file("aliases = [\"ExBot\"]")).unwrap();
        let crawler = registry.find("exbot").unwrap();
        assert_eq!(crawler.user_agents(), ["ExampleBot", "ExBot"]);
        assert_eq!(crawler.tokens(), ["ExampleBot"]);
        assert!(crawler.falls_back_to_star() && !crawler.has_documented_tokens());
        assert_eq!(crawler.source_of(Field::Chain), None);
        assert_eq!(crawler.source_of(Field::Purpose), Some(crawler.source()));
        assert_eq!(crawler.source().to_string(), "https://a.example/ (undated, read 2026-11-22)");
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let error = Registry::read(text).unwrap_err();
        assert!(error.contains(expected), "{error}");
    }

    #[test]
    fn mistakes_are_reported() {
        check(&file("").replace("= 1", "= 2"), "expected version 1, but found 2");
        check(&file("color = 1"), "unknown field `color`");
        check(&file("").replace("11-23", "11-31"), "expected a date such as 2026-11-23, but found");
        check(&file("").replace("\"yes\"", "\"maybe\""), "ExampleBot: expected `yes`, `no` or");
        check(&file("").replace("\"search\"", "\"find\""), "expected a purpose, but found `find`");
        check(&file("").replace("source = \"a\"", "source = \"b\""), "expected a source, but");
        check(&file("unconfirmed = [\"token\"]"), "expected a field, but found `token`");
        check(&file("unconfirmed = [\"chain\"]"), "expected `chain`, which has a source");
        check(
            &file("[crawlers.sources]\nretired = \"a\""),
            "expected `retired`, which has a source",
        );
        check(&file("chain = []"), "expected `chain` and `star` together");
        check(
            &file("aliases = [\"examplebot\"]"),
            "expected unique names, but found `examplebot` twice",
        );
    }
}
