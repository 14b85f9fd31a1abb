//! The data files: their forms, `crawlers.toml` and `names.csv`, and their checks.
//!
//! A file that breaks a rule of this module cannot be read. `tests/data.rs` checks further rules
//! for the bundled file.

use std::collections::BTreeMap;

use serde::Deserialize;
use verger::Crawler as Rules;
use verger::access::Profile;

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

#[derive(Default, Deserialize)]
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
    access_profile: Option<String>,
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

/// The first line of `names.csv`.
const COLUMNS: &str = "name,operator,purpose,page,source,retired";

/// Reads the date and the crawlers of `crawlers.toml`, and those of `names.csv`, which uses its
/// sources.
///
/// # Errors
///
/// The text is not a data file of this version, or a crawler contradicts itself.
pub(crate) fn read(text: &str, names: &str) -> Result<(Date, Vec<Crawler>, Vec<Crawler>), String> {
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
    let mut lines = names.lines();
    let heading = lines.next().unwrap_or_default();
    if heading != COLUMNS {
        return Err(expected(&format!("`{COLUMNS}`"), heading));
    }
    let further =
        lines.map(|line| named(line, &sources).map_err(|error| format!("{line}: {error}")));
    let crawlers = crawlers.collect::<Result<_, _>>()?;
    Ok((date(&file.date)?, crawlers, further.collect::<Result<_, _>>()?))
}

/// A line of `names.csv`. No value contains a comma.
fn named(line: &str, sources: &BTreeMap<String, FactSource>) -> Result<Crawler, String> {
    let columns: Vec<&str> = line.split(',').collect();
    let [token, operator, purpose, page, source, retired] = columns[..] else {
        return Err(expected(&format!("`{COLUMNS}`"), line));
    };
    let (retired, end) = retired.split_once(' ').unzip();
    let end = end.map(|source| (Field::Retired.name().to_owned(), source.to_owned()));
    let row = Row {
        token: token.to_owned(),
        operator: (!operator.is_empty()).then(|| operator.to_owned()),
        purpose: purpose.to_owned(),
        robots: RobotsPolicy::Unstated.name().to_owned(),
        retired: retired.map(str::to_owned),
        documentation: Some(page.to_owned()),
        source: source.to_owned(),
        sources: end.into_iter().collect(),
        ..Row::default()
    };
    Ok(Crawler { is_name_only: true, ..crawler(row, sources)? })
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
        access_profile: row
            .access_profile
            .map(|name| Profile::named(&name).ok_or_else(|| expected("an access profile", &name)))
            .transpose()?,
        rules,
        is_name_only: false,
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

    fn read_file(text: &str) -> Result<Registry, String> {
        Registry::read(text, COLUMNS)
    }

    #[test]
    fn a_name_has_an_operator_a_purpose_a_page_and_perhaps_an_end() {
        let names = format!(
            "{COLUMNS}\nanybot,,other,https://b.example/,a,\nOldBot,Old,seo,https://c.example/,a,2020-05 a"
        );
        let registry = Registry::read(&file(""), &names).unwrap();
        let [any, old] = registry.further_crawlers() else { panic!("{registry:?}") };
        assert_eq!((any.token(), any.operator(), any.retired()), ("anybot", None, None));
        assert_eq!((old.operator(), old.purpose()), (Some("Old"), Purpose::Seo));
        assert_eq!(old.documentation(), Some("https://c.example/"));
        assert_eq!(old.retired().map(|date| date.to_string()).as_deref(), Some("2020-05"));
        assert_eq!(old.source_of(Field::Retired), Some(old.source()));
        assert!(old.is_name_only() && !registry.crawlers()[0].is_name_only());
        assert!(registry.find("OldBot").is_none() && registry.find("ExampleBot").is_some());
        for (line, expected) in [
            ("x,y", "expected `name,operator,"),
            ("ExampleBot,,other,https://b.example/,a,", "expected unique names"),
            ("x,,other,https://b.example/,b,", "expected a source, but found `b`"),
            ("x,,other,https://b.example/,a,2020 b", "expected a source, but found `b`"),
            ("x,,other,https://b.example/,a,may a", "expected a date"),
            ("x,,tools,https://b.example/,a,", "expected a purpose, but found `tools`"),
        ] {
            let error = Registry::read(&file(""), &format!("{COLUMNS}\n{line}")).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
        let error = Registry::read(&file(""), "name,page").unwrap_err();
        assert!(error.contains("but found `name,page`"), "{error}");
    }

    #[test]
    fn absent_values_have_the_meaning_of_rfc_9309() {
        let registry = read_file(&file("aliases = [\"ExBot\"]")).unwrap();
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
        let error = read_file(text).unwrap_err();
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
