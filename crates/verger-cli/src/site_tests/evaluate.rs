//! The evaluation of tests.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use toml::Spanned;
use verger::{Crawler, Dialect, Group, LineIndex, Origin, Robots};
use verger_analysis::{Analysis, Budget, PatternState};

use super::file::{Test, TestFile};
use super::{Remark, Status, TestResult};
use crate::args::{LiveArgs, UrlArgs};
use crate::console::Messages;
use crate::crawler::of_name_or_star;
use crate::error::Error;
use crate::limits::{FAILED_URLS, TESTS_WORK};
use crate::live::LiveClient;
use crate::robots_file::RobotsFile;
use crate::sentence::{all_of, brief, quoted};
use crate::site_urls::SiteUrls;

/// Everything that tests need.
pub(crate) struct Evaluation<'a> {
    /// The robots.txt.
    pub(crate) robots: &'a RobotsFile,
    /// Its site, if it was fetched.
    pub(crate) origin: Option<Origin>,
    /// The folder of the file of tests.
    pub(crate) folder: &'a Path,
    pub(crate) live: &'a LiveArgs,
    pub(crate) messages: &'a mut Messages,
    /// Header fields of URLs.
    pub(crate) headers: HashMap<String, Vec<(String, String)>>,
}

impl Evaluation<'_> {
    /// Runs all tests. A sitemap or page that cannot be read is an error of its test only.
    pub(crate) fn run(&mut self, file: &TestFile, text: &str) -> Vec<TestResult> {
        let lines = LineIndex::new(text.as_bytes());
        let mut budget = Budget::new(TESTS_WORK);
        let mut results = Vec::new();
        for test in &file.tests {
            for name in &test.crawlers {
                results.push(self.test(test, name, &lines, &mut budget));
            }
        }
        results
    }

    fn test(
        &mut self,
        test: &Test,
        name: &str,
        lines: &LineIndex,
        budget: &mut Budget,
    ) -> TestResult {
        let robots = self.robots.robots();
        let crawler = of_name_or_star(name, &[robots]);
        let mut analysis = Analysis::new(robots, &crawler);
        if let Some(origin) = &self.origin {
            analysis = analysis.with_origin(origin);
        }
        let line = |item: &Spanned<String>| lines.position(item.span().start).line;
        let mut failures = Vec::new();
        let mut errors = Vec::new();
        let mut skipped = Vec::new();
        let mut checks = 0;
        let mut expect = |item: &Spanned<String>, failure: Option<String>| {
            checks += 1;
            failures.extend(failure.map(|message| Remark { line: line(item), message }));
        };
        for (urls, is_allowed) in [(&test.allow, true), (&test.disallow, false)] {
            for url in urls {
                let verdict = robots.check(&crawler, url.get_ref().as_str());
                let failure = (verdict.is_allowed() != is_allowed)
                    .then(|| format!("{} is {verdict}", quoted(url.get_ref())));
                expect(url, failure);
            }
        }
        for (patterns, is_open) in [(&test.open, true), (&test.closed, false)] {
            for pattern in patterns {
                let pattern_bytes = pattern.get_ref().as_bytes();
                let state = analysis.pattern_state_within(pattern_bytes, budget);
                expect(pattern, pattern_failure(pattern.get_ref(), &state, is_open));
            }
        }
        for statement in &test.statements {
            let is_there = has_statement(robots, &crawler, statement.get_ref());
            let failure =
                (!is_there).then(|| statement_failure(robots, &crawler, statement.get_ref()));
            expect(statement, failure);
        }
        for sitemap in &test.sitemaps {
            match self.sitemap_failure(sitemap.get_ref(), &crawler) {
                Ok(failure) => expect(sitemap, failure),
                Err(error) => {
                    errors.push(Remark { line: line(sitemap), message: error.to_string() });
                }
            }
        }
        for (url, fields) in &test.headers {
            if self.origin.is_none() {
                let message = format!(
                    "the header fields of {} were not checked: the robots.txt is not that of a site",
                    quoted(url)
                );
                skipped.extend(fields.first().map(|it| Remark { line: line(it), message }));
                continue;
            }
            let found = match self.headers(url) {
                Ok(found) => found,
                Err(error) => {
                    let message = error.to_string();
                    errors.extend(fields.first().map(|it| Remark { line: line(it), message }));
                    continue;
                }
            };
            for field in fields {
                let wanted = field.get_ref();
                let failure =
                    (!has_field(found, wanted)).then(|| field_failure(url, found, wanted));
                expect(field, failure);
            }
        }
        let at = line(&test.name);
        let (test, crawler) = (test.name.get_ref().clone(), name.to_owned());
        let status = Status::of(&failures, &errors, &skipped);
        TestResult { name: test, crawler, line: at, status, checks, failures, errors, skipped }
    }

    /// The disallowed URLs of a sitemap.
    fn sitemap_failure(&mut self, name: &str, crawler: &Crawler) -> Result<Option<String>, Error> {
        let is_web = name.contains("://");
        let place: OsString = if is_web {
            name.into()
        } else {
            let path: PathBuf = self.folder.join(name);
            path.into_os_string()
        };
        let args = UrlArgs { sitemap: vec![place], ..UrlArgs::default() };
        let policy = self.robots.robots().policy(crawler).without_explanation();
        let mut disallowed = Vec::new();
        let mut number = 0_u64;
        SiteUrls::new(&args, self.live, self.origin.clone(), self.robots.robots()).read(
            self.messages,
            &mut |url| {
                if !policy.is_allowed(url) {
                    number += 1;
                    if disallowed.len() < FAILED_URLS {
                        disallowed.push(brief(url).to_string());
                    }
                }
            },
        )?;
        Ok((number > 0).then(|| {
            let shown: Vec<String> = disallowed.iter().map(|url| format!("`{url}`")).collect();
            let more = match number - shown.len() as u64 {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            format!("{} has disallowed URLs: {}{more}", quoted(name), shown.join(", "))
        }))
    }

    /// The header fields of the response of a URL. Each URL is fetched once.
    fn headers(&mut self, url: &str) -> Result<&[(String, String)], Error> {
        if !self.headers.contains_key(url) {
            let live = LiveClient::open(self.live, None, &Dialect::default())?;
            let page = live.page(url.as_bytes());
            live.close(self.messages);
            let page = page.map_err(|error| error.error)?;
            if page.status().is_none() {
                return Err(Error::new(format!("{}: {}", quoted(url), page.outcome())));
            }
            let fields = page.fields().map(|(name, value)| {
                (name.to_owned(), String::from_utf8_lossy(value).into_owned())
            });
            self.headers.insert(url.to_owned(), fields.collect());
        }
        Ok(self.headers.get(url).map(Vec::as_slice).unwrap_or_default())
    }
}

/// The failure of a pattern that must be open or closed.
fn pattern_failure(pattern: &str, state: &PatternState<'_>, is_open: bool) -> Option<String> {
    let wanted = if is_open { "open" } else { "closed" };
    let pattern = quoted(pattern);
    let example = match state {
        PatternState::Empty => return Some(format!("{pattern} matches no URL")),
        PatternState::Undecided(reason) => {
            return Some(format!(
                "could not prove that {pattern} is entirely {wanted}, because {reason}"
            ));
        }
        _ if is_open && state.is_open() || !is_open && state.is_closed() => return None,
        PatternState::Open { example } | PatternState::Closed { example } => example,
        PatternState::Mixed { open, closed } => {
            if is_open {
                closed
            } else {
                open
            }
        }
        _ => return Some(format!("could not prove that {pattern} is entirely {wanted}")),
    };
    let target = quoted(example.witness.shown_target());
    Some(format!("{pattern} is not entirely {wanted}: {target} is {}", example.verdict))
}

/// Whether a line applies to a crawler: of its groups, or of the whole file.
pub(super) fn has_statement(robots: &Robots, crawler: &Crawler, statement: &str) -> bool {
    let Some((key, value)) = statement.split_once(':') else { return false };
    let is_it = |found_key: &[u8], found: &[u8]| {
        found_key.trim_ascii().eq_ignore_ascii_case(key.trim().as_bytes())
            && words(found).eq(words(value.as_bytes()))
    };
    let of_file = robots.records().filter(|record| record.kind().is_for_file());
    of_file.chain(robots.records_for(crawler)).any(|record| is_it(record.key(), record.value()))
        || robots
            .groups_for(crawler)
            .flat_map(|group| group.rules().collect::<Vec<_>>())
            .any(|rule| is_it(rule.kind().key().as_bytes(), rule.pattern()))
}

/// The failure of a statement, with the values that the file has instead.
fn statement_failure(robots: &Robots, crawler: &Crawler, statement: &str) -> String {
    let key = statement.split_once(':').map_or(statement, |(key, _)| key).trim();
    let of_file = robots.records().filter(|record| record.kind().is_for_file());
    let records = of_file.chain(robots.records_for(crawler));
    let records = records.map(|record| (record.key().trim_ascii(), record.value()));
    let groups: Vec<_> = robots.groups_for(crawler).collect();
    let rules = groups.iter().flat_map(Group::rules);
    let rules = rules.map(|rule| (rule.kind().key().as_bytes(), rule.pattern()));
    let found =
        records.chain(rules).filter(|(found, _)| found.eq_ignore_ascii_case(key.as_bytes()));
    let found = found.map(|(key, value)| [key, b": ", value].concat());
    format!(
        "{} is not among the lines for this crawler; {}",
        quoted(statement),
        found_instead(found, key)
    )
}

/// The failure of a header field, with the values that the response has instead.
fn field_failure(url: &str, fields: &[(String, String)], wanted: &str) -> String {
    let name = wanted.split_once(':').map_or(wanted, |(name, _)| name).trim();
    let found = fields.iter().filter(|(found, _)| found.eq_ignore_ascii_case(name));
    let found = found.map(|(name, value)| format!("{name}: {value}").into_bytes());
    let instead = found_instead(found, name);
    format!("the response of {} has no field {}; {instead}", quoted(url), quoted(wanted))
}

/// The lines with the wanted key, as part of a sentence.
fn found_instead(lines: impl Iterator<Item = Vec<u8>>, key: &str) -> String {
    let lines: Vec<Vec<u8>> = lines.collect();
    let mut shown: Vec<String> = lines.iter().take(FAILED_URLS).map(quoted).collect();
    if let Some(more @ 1..) = lines.len().checked_sub(FAILED_URLS) {
        shown.push(format!("{more} more"));
    }
    match all_of(&shown) {
        Some(lines) => format!("found {lines}"),
        None => format!("found no {}", quoted(key)),
    }
}

/// Words of a value. White space between them does not count, also after commas.
fn words(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    value.split(|byte| byte.is_ascii_whitespace() || *byte == b',').filter(|word| !word.is_empty())
}

/// Whether header fields contain a field: its value, or all of its comma-separated items.
fn has_field(fields: &[(String, String)], wanted: &str) -> bool {
    let Some((name, value)) = wanted.split_once(':') else { return false };
    let items = |text: &str| -> Vec<String> {
        text.split(',').map(|item| item.trim().to_ascii_lowercase()).collect()
    };
    let found: Vec<String> = fields
        .iter()
        .filter(|(found, _)| found.eq_ignore_ascii_case(name.trim()))
        .flat_map(|(_, value)| items(value))
        .collect();
    items(value).iter().all(|item| found.contains(item))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_compared_by_words() {
        let robots = Robots::parse(
            "Sitemap: https://h/s.xml\nUser-agent: a\nCrawl-delay: 5\nContent-Signal: search=yes, ai-train=no\nDisallow: /x\n\nUser-agent: *\nAllow: /\n",
        );
        for (crawler, statement, expected) in [
            ("a", "crawl-delay:5", true),
            ("a", "Crawl-delay: 50", false),
            ("b", "Crawl-delay: 5", false),
            ("b", "sitemap: https://h/s.xml", true),
            ("a", "Content-Signal: search=yes,ai-train=no", true),
            ("a", "Content-Signal: search=yes", false),
            ("a", "Disallow: /x", true),
            ("b", "Disallow: /x", false),
        ] {
            let found = has_statement(&robots, &Crawler::new(crawler), statement);
            assert_eq!(found, expected, "{crawler} {statement}");
        }
    }

    #[test]
    fn fields_are_compared_by_items() {
        let fields = [("x-robots-tag", "noindex, NoAI"), ("X-Robots-Tag", "noarchive")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert!(has_field(&fields, "X-Robots-Tag: noarchive, noai"));
        assert!(!has_field(&fields, "X-Robots-Tag: nofollow"));
        assert!(!has_field(&fields, "Content-Usage: noai"));
    }

    #[test]
    fn failures_show_what_was_found() {
        let robots = Robots::parse(
            "Sitemap: https://h.example/s.xml\nUser-agent: *\nCrawl-delay: 5\nDisallow: /a\nDisallow: /b\n",
        );
        let failure = |statement| statement_failure(&robots, &Crawler::new("x"), statement);
        assert_eq!(
            failure("crawl-delay: 10"),
            "`crawl-delay: 10` is not among the lines for this crawler; found `Crawl-delay: 5`"
        );
        assert!(failure("Disallow: /c").ends_with("; found `Disallow: /a` and `Disallow: /b`"));
        assert!(failure("Host: h").ends_with("; found no `Host`"));
        let fields = [("x-robots-tag".to_owned(), "noindex".to_owned())];
        assert_eq!(
            field_failure("https://h/", &fields, "X-Robots-Tag: noai"),
            "the response of `https://h/` has no field `X-Robots-Tag: noai`; found `x-robots-tag: noindex`"
        );
        let failure = field_failure("https://h/", &fields, "Link: x");
        assert!(failure.ends_with("; found no `Link`"), "{failure}");
    }

    #[test]
    fn a_failed_pattern_has_a_witness() {
        let robots = Robots::parse("User-agent: *\nDisallow: /admin\nAllow: /admin/help\n");
        let analysis = Analysis::new(&robots, "x");
        let failure = |pattern: &str, is_open| {
            pattern_failure(pattern, &analysis.pattern_state(pattern), is_open)
        };
        assert_eq!(failure("/shop/", true), None);
        assert_eq!(failure("/admin/x", false), None);
        assert_eq!(
            failure("/admin", false).as_deref(),
            Some(
                "`/admin` is not entirely closed: `/admin/help` is allowed by `Allow: /admin/help` on line 3, in the group for `*` (line 1)"
            )
        );
        let open = failure("/", true).expect("not open");
        assert!(open.starts_with("`/` is not entirely open: `/admin` is disallowed by"), "{open}");
        assert_eq!(failure("/a$b$", true), None);
    }
}
