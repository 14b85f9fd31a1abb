//! Lines of a robots.txt and header fields, compared with expected ones.

use std::collections::HashSet;

use verger::extension::{Record, RecordKind};
use verger::{Crawler, Group, Robots};

use super::quoted;
use crate::limits::LISTED;

/// A header field of a response.
pub(crate) type Field = (String, Vec<u8>);

/// The records that count for a crawler: valid ones of its groups, then of the file. Of delays and
/// hosts only the first counts, and a licence of the file only without one of the groups.
///
/// ```
/// use verger::{Crawler, Robots};
/// use verger_json::site_tests::counting_records;
///
/// let robots = Robots::parse("User-agent: *\nCrawl-delay: soon\nCrawl-delay: 5\nCrawl-delay: 9\n");
/// let records = counting_records(&robots, &Crawler::new("ExampleBot"));
/// assert!(records.iter().map(|record| record.value()).eq([b"5"]));
/// ```
pub fn counting_records<'r>(robots: &'r Robots, crawler: &Crawler) -> Vec<Record<'r>> {
    let mut records: Vec<_> = robots.records_for(crawler).collect();
    let is_license = |it: &Record<'_>| it.kind() == RecordKind::License && it.extension().is_ok();
    // REP-EXT-40.
    let has_own = records.iter().any(is_license);
    let is_of_file = |it: &Record<'_>| {
        it.kind().is_for_file() || !has_own && is_license(it) && it.is_before_agents()
    };
    records.extend(robots.records().filter(is_of_file));
    let mut decided = HashSet::new();
    records.retain(|it| {
        let kind = it.kind();
        it.extension().is_ok() && (!kind.only_first_counts() || decided.insert(kind))
    });
    records
}

/// The lines that count for a crawler: records, and rules of its groups.
pub(crate) struct AppliedLines<'r> {
    /// Keys and values.
    lines: Vec<(&'r [u8], &'r [u8])>,
}

impl<'r> AppliedLines<'r> {
    pub(crate) fn of(robots: &'r Robots, crawler: &Crawler) -> Self {
        let records = counting_records(robots, crawler).into_iter();
        let records = records.map(|record| (record.key().trim_ascii(), record.value()));
        let groups: Vec<Group<'r>> = robots.groups_for(crawler).collect();
        let rules = groups.iter().flat_map(Group::rules);
        let rules = rules.map(|rule| (rule.kind().key().as_bytes(), rule.pattern()));
        Self { lines: records.chain(rules).collect() }
    }

    /// Whether an expected line is among them.
    pub(crate) fn has(&self, statement: &str) -> bool {
        let Some((key, value)) = statement.split_once(':') else { return false };
        let key = key.trim().as_bytes();
        self.lines.iter().any(|(found, found_value)| {
            found.eq_ignore_ascii_case(key) && words(found_value).eq(words(value.as_bytes()))
        })
    }

    /// The failure of an expected line, with the values that the file has instead.
    pub(crate) fn failure(&self, statement: &str) -> String {
        let key = statement.split_once(':').map_or(statement, |(key, _)| key).trim();
        let found = self.lines.iter().filter(|(it, _)| it.eq_ignore_ascii_case(key.as_bytes()));
        let found = found.map(|(key, value)| [*key, b": ", *value].concat());
        format!(
            "{} is not among the lines that count for this crawler; {}",
            quoted(statement),
            found_instead(found, key)
        )
    }
}

/// The failure of a header field, with the values that the response has instead.
pub(crate) fn field_failure(url: &str, fields: &[Field], wanted: &str) -> String {
    let name = wanted.split_once(':').map_or(wanted, |(name, _)| name).trim();
    let found = fields.iter().filter(|(found, _)| found.eq_ignore_ascii_case(name));
    let found = found.map(|(name, value)| [name.as_bytes(), b": ", value].concat());
    let instead = found_instead(found, name);
    format!("the response of {} has no field {}; {instead}", quoted(url), quoted(wanted))
}

/// The lines with the wanted key, as part of a sentence.
fn found_instead(lines: impl Iterator<Item = Vec<u8>>, key: &str) -> String {
    let lines: Vec<Vec<u8>> = lines.collect();
    let mut shown: Vec<String> = lines.iter().take(LISTED).map(quoted).collect();
    if let Some(more @ 1..) = lines.len().checked_sub(LISTED) {
        shown.push(format!("{more} more"));
    }
    match shown.split_last() {
        None => format!("found no {}", quoted(key)),
        Some((last, [])) => format!("found {last}"),
        Some((last, first)) => format!("found {} and {last}", first.join(", ")),
    }
}

/// Words of a value. White space between them does not count, also after commas.
fn words(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    value.split(|byte| byte.is_ascii_whitespace() || *byte == b',').filter(|word| !word.is_empty())
}

/// Whether header fields contain a field: its value, or all of its comma-separated items.
pub(crate) fn has_field(fields: &[Field], wanted: &str) -> bool {
    let Some((name, value)) = wanted.split_once(':') else { return false };
    let items = |text: &[u8]| -> Vec<Vec<u8>> {
        text.split(|byte| *byte == b',')
            .map(|item| item.trim_ascii().to_ascii_lowercase())
            .collect()
    };
    let found: Vec<Vec<u8>> = fields
        .iter()
        .filter(|(found, _)| found.eq_ignore_ascii_case(name.trim()))
        .flat_map(|(_, value)| items(value))
        .collect();
    items(value.as_bytes()).iter().all(|item| found.contains(item))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_compared_by_words() {
        let robots = Robots::parse(
            "License: https://h/l\nSitemap: https://h/s.xml\nUser-agent: a\nCrawl-delay: x\nCrawl-delay: 5\nCrawl-delay: 9\nLicense: https://h/a\nContent-Signal: search=yes, ai-train=no\nDisallow: /x\n\nUser-agent: *\nAllow: /\n",
        );
        for (crawler, statement, expected) in [
            ("a", "crawl-delay:5", true),
            ("a", "Crawl-delay: 50", false),
            // It does not state a delay, or is not the first one.
            ("a", "Crawl-delay: x", false),
            ("a", "Crawl-delay: 9", false),
            ("a", "License: https://h/a", true),
            ("a", "License: https://h/l", false),
            ("b", "License: https://h/l", true),
            ("b", "Crawl-delay: 5", false),
            ("b", "sitemap: https://h/s.xml", true),
            ("a", "Content-Signal: search=yes,ai-train=no", true),
            ("a", "Content-Signal: search=yes", false),
            ("a", "Disallow: /x", true),
            ("b", "Disallow: /x", false),
        ] {
            let found = AppliedLines::of(&robots, &Crawler::new(crawler)).has(statement);
            assert_eq!(found, expected, "{crawler} {statement}");
        }
    }

    #[test]
    fn fields_are_compared_by_items() {
        let fields = [("x-robots-tag", "noindex, NoAI"), ("X-Robots-Tag", "noarchive")]
            .map(|(name, value)| (name.to_owned(), value.as_bytes().to_vec()));
        assert!(has_field(&fields, "X-Robots-Tag: noarchive, noai"));
        assert!(!has_field(&fields, "X-Robots-Tag: nofollow"));
        assert!(!has_field(&fields, "Content-Usage: noai"));
    }

    #[test]
    fn failures_show_what_was_found() {
        let robots = Robots::parse(
            "Sitemap: https://h.example/s.xml\nUser-agent: *\nCrawl-delay: 5\nDisallow: /a\nDisallow: /b\n",
        );
        let lines = AppliedLines::of(&robots, &Crawler::new("x"));
        let failure = |statement| lines.failure(statement);
        assert_eq!(
            failure("crawl-delay: 10"),
            "`crawl-delay: 10` is not among the lines that count for this crawler; found `Crawl-delay: 5`"
        );
        assert!(failure("Disallow: /c").ends_with("; found `Disallow: /a` and `Disallow: /b`"));
        assert!(failure("Host: h").ends_with("; found no `Host`"));
        let fields = [("x-robots-tag".to_owned(), b"noindex".to_vec())];
        assert_eq!(
            field_failure("https://h/", &fields, "X-Robots-Tag: noai"),
            "the response of `https://h/` has no field `X-Robots-Tag: noai`; found `x-robots-tag: noindex`"
        );
        let failure = field_failure("https://h/", &fields, "Link: x");
        assert!(failure.ends_with("; found no `Link`"), "{failure}");
    }
}
