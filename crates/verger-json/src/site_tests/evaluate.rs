//! The evaluation of tests.

use std::collections::HashMap;

use toml::Spanned;
use verger::{Crawler, Origin, Policy, Robots};
use verger_analysis::{Analysis, Budget, OTHERS, PatternState};
use verger_registry::{Crawler as Known, Registry};

use super::file::{Test, TestFile};
use super::quoted;
use super::report::{Remark, Status, TestReport, TestResult};
use super::statement::{AppliedLines, Field, field_failure, has_field};
use crate::diff::crawler_of;
use crate::limits::{LISTED, RUN_WORK};

/// Access to a site, for tests of its sitemaps and responses. Messages of errors are part of the
/// result.
pub trait Site {
    /// Passes each URL of a sitemap, and of the sitemaps of an index, to a function. The name is a
    /// URL, or that of a file. A sitemap without a URL is an error, too.
    ///
    /// # Errors
    ///
    /// A sentence: the sitemap could not be read, or has no URL.
    fn sitemap(&mut self, name: &str, each: &mut dyn FnMut(&[u8])) -> Result<(), String>;

    /// The header fields of the response of a URL. It is asked once for each URL, and only if the
    /// robots.txt is that of a site.
    ///
    /// # Errors
    ///
    /// A sentence: there was no response.
    fn header_fields(&mut self, url: &str) -> Result<Vec<(String, Vec<u8>)>, String>;
}

/// A site without sitemaps and responses: tests that need them have an error.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "it has nothing")]
pub struct Offline;

impl Site for Offline {
    fn sitemap(&mut self, name: &str, _: &mut dyn FnMut(&[u8])) -> Result<(), String> {
        Err(format!("could not read {}: sitemaps are not read here", quoted(name)))
    }

    fn header_fields(&mut self, url: &str) -> Result<Vec<(String, Vec<u8>)>, String> {
        Err(format!("could not read {}: nothing is fetched here", quoted(url)))
    }
}

impl TestFile {
    /// Runs all tests on a robots.txt. `origin` is its site, if it is known to be that of a site.
    ///
    /// A sitemap or response that cannot be read is an error of its test only. Each test reads its
    /// sitemaps once for all of its crawlers.
    pub fn run(&self, robots: &Robots, origin: Option<&Origin>, site: &mut dyn Site) -> TestReport {
        let budget = Budget::new(RUN_WORK);
        let mut run = Run { file: self, robots, origin, site, fields: HashMap::new(), budget };
        TestReport { tests: self.tests.iter().flat_map(|test| run.test(test)).collect() }
    }
}

/// A run of all tests.
struct Run<'a> {
    file: &'a TestFile,
    robots: &'a Robots,
    origin: Option<&'a Origin>,
    site: &'a mut dyn Site,
    /// Header fields of URLs, or the reason why there are none.
    fields: HashMap<String, Result<Vec<Field>, String>>,
    /// For the proofs of all tests.
    budget: Budget,
}

/// For each crawler, the failure of a sitemap; or the reason why it was not read.
type SitemapFailures = Result<Vec<Option<String>>, String>;

impl Run<'_> {
    /// The results of a test, one for each crawler.
    fn test(&mut self, test: &Test) -> Vec<TestResult> {
        let tokens = &self.file.tokens;
        let names: Vec<&str> = test.crawlers.get_ref().iter().map(|it| &**it.get_ref()).collect();
        let crawler = |name: &&str| match *name {
            name if tokens.iter().any(|it| it.eq_ignore_ascii_case(name)) => Crawler::new(name),
            name => crawler_of(name, &[self.robots]),
        };
        let crawlers: Vec<Crawler> = names.iter().map(crawler).collect();
        let sitemaps =
            test.sitemaps.iter().map(|it| self.sitemap_failures(it.get_ref(), &crawlers));
        let sitemaps: Vec<SitemapFailures> = sitemaps.collect();
        let each = names.iter().zip(&crawlers).enumerate();
        each.map(|(at, (name, crawler))| self.result(test, name, crawler, at, &sitemaps)).collect()
    }

    /// The result for the crawler at this position.
    fn result(
        &mut self,
        test: &Test,
        name: &str,
        crawler: &Crawler,
        at: usize,
        sitemaps: &[SitemapFailures],
    ) -> TestResult {
        let (robots, file) = (self.robots, self.file);
        let line = |item: &Spanned<String>| file.lines.position(item.span().start).line;
        let (mut failures, mut errors, mut skipped) = (Vec::new(), Vec::new(), Vec::new());
        let mut checks = 0;
        let mut expect = |item: &Spanned<String>, failure: Option<String>| {
            checks += 1;
            failures.extend(failure.map(|message| Remark { line: line(item), message }));
        };
        for (urls, is_allowed) in [(&test.allow, true), (&test.disallow, false)] {
            for url in urls {
                let verdict = robots.check(crawler, url.get_ref().as_str());
                let failure = (verdict.is_allowed() != is_allowed)
                    .then(|| format!("{} is {verdict}", quoted(url.get_ref())));
                expect(url, failure);
            }
        }
        if !test.open.is_empty() || !test.closed.is_empty() {
            let mut analysis = Analysis::new(robots, crawler);
            if let Some(origin) = self.origin {
                analysis = analysis.with_origin(origin);
            }
            for (patterns, is_open) in [(&test.open, true), (&test.closed, false)] {
                for pattern in patterns {
                    let text = pattern.get_ref();
                    let state = analysis.pattern_state(text, &mut self.budget);
                    expect(pattern, pattern_failure(text, &state, is_open));
                }
            }
        }
        if !test.statements.is_empty() {
            let applied = AppliedLines::of(robots, crawler);
            for statement in &test.statements {
                let text = statement.get_ref();
                expect(statement, (!applied.has(text)).then(|| applied.failure(text)));
            }
        }
        for (sitemap, found) in test.sitemaps.iter().zip(sitemaps) {
            match found {
                Ok(found) => expect(sitemap, found[at].clone()),
                Err(message) => {
                    errors.push(Remark { line: line(sitemap), message: message.clone() });
                }
            }
        }
        for (url, wanted) in &test.headers {
            let Some(first) = wanted.first() else { continue };
            if self.origin.is_none() {
                let message = format!(
                    "the header fields of {} were not checked: the robots.txt is not that of a site",
                    quoted(url)
                );
                skipped.push(Remark { line: line(first), message });
                continue;
            }
            let site = &mut *self.site;
            let fields = self.fields.entry(url.clone()).or_insert_with(|| site.header_fields(url));
            match fields {
                Ok(fields) => {
                    for field in wanted {
                        let is_there = has_field(fields, field.get_ref());
                        let failure = || field_failure(url, fields, field.get_ref());
                        expect(field, (!is_there).then(failure));
                    }
                }
                Err(message) => {
                    errors.push(Remark { line: line(first), message: message.clone() });
                }
            }
        }
        let tokens = match name {
            OTHERS => Vec::new(),
            _ => crawler.tokens().iter().map(ToString::to_string).collect(),
        };
        let known = Registry::bundled().resolve(name, true).known;
        TestResult {
            name: test.name.get_ref().clone(),
            crawler: name.to_owned(),
            note: known.filter(|known| known.tokens() == tokens).and_then(Known::caveat),
            tokens,
            line: line(&test.name),
            status: Status::of(&failures, &errors, &skipped),
            checks,
            failures,
            errors,
            skipped,
        }
    }

    /// The disallowed URLs of a sitemap, for each crawler.
    fn sitemap_failures(&mut self, name: &str, crawlers: &[Crawler]) -> SitemapFailures {
        let policy = |crawler| self.robots.policy(crawler).without_explanation();
        let policies: Vec<Policy> = crawlers.iter().map(policy).collect();
        let mut disallowed = vec![(0_usize, Vec::new()); policies.len()];
        self.site.sitemap(name, &mut |url| {
            for (policy, (number, first)) in policies.iter().zip(&mut disallowed) {
                if !policy.is_allowed(url) {
                    *number += 1;
                    if first.len() < LISTED {
                        first.push(quoted(url));
                    }
                }
            }
        })?;
        let failure = |(number, first): (usize, Vec<String>)| {
            let more = match number - first.len() {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let urls = first.join(", ");
            (number > 0).then(|| format!("{} has disallowed URLs: {urls}{more}", quoted(name)))
        };
        Ok(disallowed.into_iter().map(failure).collect())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_pattern_has_a_witness() {
        let robots = Robots::parse("User-agent: *\nDisallow: /admin\nAllow: /admin/help\n");
        let analysis = Analysis::new(&robots, "x");
        let failure = |pattern: &str, is_open| {
            pattern_failure(
                pattern,
                &analysis.pattern_state(pattern, &mut Budget::default()),
                is_open,
            )
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

    #[test]
    fn passwords_of_urls_are_not_repeated() {
        let text = "[[test]]\nname = 'x'\ncrawlers = ['a']\ndisallow = ['https://u:s3cret@h/a']\n\
                    sitemaps = ['https://u:s3cret@h/s']\nheaders = { 'https://u:s3cret@h/' = ['a: b'] }\n";
        let file = TestFile::parse(text, &|_| Ok(())).expect("a file of tests");
        let report = file.run(&Robots::parse(""), None, &mut Offline);
        let result = &report.tests[0];
        assert!(result.failures[0].message.starts_with("`https://h/a` is allowed"), "{report:?}");
        let remarks = [&result.failures, &result.errors, &result.skipped].map(Vec::len);
        assert_eq!(remarks, [1, 1, 1]);
        assert!(!format!("{report:?}").contains("s3cret"), "{report:?}");
    }

    /// A site that counts how often it is asked.
    #[derive(Default)]
    struct Counted {
        sitemaps: usize,
        responses: usize,
    }

    impl Site for Counted {
        fn sitemap(&mut self, name: &str, each: &mut dyn FnMut(&[u8])) -> Result<(), String> {
            self.sitemaps += 1;
            if name == "broken" {
                return Err("it is broken".to_owned());
            }
            (0..20).for_each(|number| each(format!("/a/{number}").as_bytes()));
            Ok(())
        }

        fn header_fields(&mut self, _: &str) -> Result<Vec<Field>, String> {
            self.responses += 1;
            Ok(vec![("X-Robots-Tag".to_owned(), b"noai".to_vec())])
        }
    }

    #[test]
    fn sitemaps_and_responses_are_read_once_for_all_crawlers() {
        let text = "[[test]]\nname = 'x'\ncrawlers = ['a', 'b', '*']\nsitemaps = ['s', 'broken']\n\
                    headers = { 'https://h/' = ['X-Robots-Tag: noai', 'Link: x'] }\n";
        let file = TestFile::parse(text, &|_| Ok(())).expect("a file of tests");
        let robots = Robots::parse("User-agent: a\nDisallow: /a\n");
        let origin: Origin = "https://h".parse().expect("an origin");
        let mut site = Counted::default();
        let report = file.run(&robots, Some(&origin), &mut site);
        assert_eq!((site.sitemaps, site.responses), (2, 1));
        let messages: Vec<usize> = report.tests.iter().map(|test| test.failures.len()).collect();
        assert_eq!(messages, [2, 1, 1]);
        let failure = &report.tests[0].failures[0].message;
        assert!(failure.starts_with("`s` has disallowed URLs: `/a/0`, "), "{failure}");
        assert!(failure.ends_with(" and 10 more"), "{failure}");
        assert!(report.tests.iter().all(|test| test.errors[0].message == "it is broken"));
        let without = file.run(&robots, None, &mut site);
        assert_eq!(without.tests[1].status, Status::Error);
        assert_eq!((without.tests[1].skipped.len(), site.responses), (1, 1));
    }
}
