//! Checks of one entry: its claims, and the general ones.

use std::fmt::Debug;

use verger_testkit::hostile::{Entry, Expect};

use crate::{agents, always, extensions, notices, pages, shown, urls, verdicts};

/// The problems of one entry.
#[derive(Debug, Default)]
pub(crate) struct Complaints(Vec<String>);

impl Complaints {
    /// Adds a complaint unless a condition is true.
    pub(crate) fn unless(&mut self, holds: bool, complaint: impl FnOnce() -> String) {
        if !holds {
            self.0.push(complaint());
        }
    }

    /// Adds a complaint unless two values are equal.
    #[expect(clippy::needless_pass_by_value, reason = "it reads like `assert_eq!`")]
    pub(crate) fn unless_equal<T: PartialEq + Debug>(&mut self, what: &str, found: T, expected: T) {
        self.unless(found == expected, || {
            format!("{what}: expected {}, but found {}", short(&expected), short(&found))
        });
    }

    pub(crate) fn all(&self) -> &[String] {
        &self.0
    }
}

/// The start of a value's debug output: some have megabytes.
fn short(value: &impl Debug) -> String {
    const SHOWN: usize = 300;
    let shown = format!("{value:?}");
    match shown.char_indices().nth(SHOWN) {
        None => shown,
        Some((end, _)) => format!("{}… ({} bytes)", &shown[..end], shown.len()),
    }
}

/// Checks an entry with these bytes.
pub(crate) fn judge(entry: &Entry, bytes: &[u8]) -> Complaints {
    let mut complaints = Complaints::default();
    always::holds(entry, bytes, &mut complaints);
    for claim in &entry.expect {
        judge_claim(claim, bytes, &mut complaints);
    }
    complaints
}

fn judge_claim(claim: &Expect, bytes: &[u8], complaints: &mut Complaints) {
    match claim {
        Expect::Verdict(check) => verdicts::answers(&check.question(bytes), complaints),
        &Expect::Line { path, line } => verdicts::line(bytes, path, line, complaints),
        &Expect::Groups(count) => verdicts::groups(bytes, count, complaints),
        &Expect::Truncated(is_truncated) => verdicts::truncated(bytes, is_truncated, complaints),
        &Expect::CrawlDelay(delay) => extensions::crawl_delay(bytes, delay, complaints),
        &Expect::RequestRate(rate) => extensions::request_rate(bytes, rate, complaints),
        Expect::Sitemaps(sitemaps) => extensions::sitemaps(bytes, sitemaps, complaints),
        &Expect::SitemapCount(count) => extensions::sitemap_count(bytes, count, complaints),
        &Expect::Noticed(notice) => notices::noticed(bytes, notice, complaints),
        Expect::Within(bound) => always::within(bound, bytes, complaints),
        Expect::Target(target) => urls::target(bytes, target, complaints),
        Expect::Class(class) => urls::class(bytes, class, complaints),
        &Expect::OutOfScope { origin } => urls::out_of_scope(bytes, origin, complaints),
        &Expect::ProductToken(is_token) => agents::product_token(bytes, is_token, complaints),
        Expect::AgentList(list) => agents::list(bytes, list, complaints),
        &Expect::HeaderSays { agent, holds, truncated } => {
            pages::header_says(bytes, agent, holds, truncated, complaints);
        }
        &Expect::HeaderKeeps(text) => pages::header_keeps(bytes, text, complaints),
        &Expect::PageSays { agent, holds, stop } => {
            pages::page_says(bytes, agent, holds, stop, complaints);
        }
        Expect::NoHeader => agents::no_header(bytes, complaints),
        Expect::Shown(rule) => shown::rule(bytes, rule, complaints),
        // Tests of the program; `always` has checked that the name and the URLs do not panic.
        Expect::FileName | Expect::Completion => shown::name(bytes, complaints),
        Expect::BrokenPipe | Expect::StdoutClosed => {}
    }
}

/// Whether a claim concerns only the program.
pub(crate) fn is_about_the_program(claim: &Expect) -> bool {
    use Expect::{BrokenPipe, Completion, FileName, StdoutClosed};
    matches!(claim, FileName | Completion | BrokenPipe | StdoutClosed)
}
