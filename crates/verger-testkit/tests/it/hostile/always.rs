//! General properties of every input in every dialect.

use std::str;

use allocation_counter::measure;
use verger::diagnostic::Diagnostic;
use verger::parse::Encoding;
use verger::{AsCrawler, Crawler, Dialect, Origin, ProductToken, Robots, limits};
use verger_testkit::generate::is_thorough;
use verger_testkit::hostile::{AGENT, Kind, MEMORY_PLUS, MEMORY_TIMES, ORIGIN, unescaped};

use super::{Complaints, pages};

/// Maximum number of formatted items of a kind: some files have a hundred thousand rules.
const SHOWN: usize = 100;

/// A literal of a shorter line fits in the engine's buffer of 512 bytes in any normal form.
const LONG_LINE: usize = 512 / 3;

/// Length of a text that is slow to read in a debug build, in bytes. The default suite reads it in
/// one dialect, and in two for the answers.
const LARGE: usize = 1_000_000;

/// No panic, limited memory, one answer, inert text: for an input of a kind.
pub(super) fn holds(kind: Kind, bytes: &[u8], complaints: &mut Complaints) {
    if kind == Kind::Page {
        pages::holds(bytes, complaints);
        return;
    }
    for dialect in Dialect::PUBLISHED {
        if bytes.len() > LARGE && dialect != Dialect::RFC9309 && !is_thorough() {
            continue;
        }
        match kind {
            Kind::Robots => robots_text(dialect, bytes, complaints),
            Kind::Url => url(dialect, bytes, complaints),
            _ => agent(dialect, bytes, complaints),
        }
    }
}

fn robots_text(dialect: Dialect, bytes: &[u8], complaints: &mut Complaints) {
    let robots = parse(dialect, bytes, complaints);
    let asked = Asked { text: bytes, robots: &robots, crawler: AGENT, tokens: 1 };
    // One question to a text of two million lines is enough.
    let paths: &[&str] = if bytes.len() > LARGE {
        &["/a%2fb%C3%A9*$?q#f"]
    } else {
        &["/", "/x", "/robots.txt", "/a%2fb%C3%A9*$?q#f"]
    };
    for path in paths {
        asked.check(format!("{ORIGIN}{path}").as_bytes(), complaints);
    }
    notices_are_counted(&robots, complaints);
    for record in robots.records() {
        // No panic; the claims test its result.
        drop(record.extension());
    }
    everything_shown_is_inert(&robots, complaints);
}

fn url(dialect: Dialect, url: &[u8], complaints: &mut Complaints) {
    const TEXT: &[u8] = b"User-agent: *\nDisallow: /*a%61*b$\nAllow: //\nAllow: /*/index.html\n";
    let robots = parse(dialect, TEXT, complaints);
    Asked { text: TEXT, robots: &robots, crawler: AGENT, tokens: 1 }.check(url, complaints);
    if let Ok(text) = str::from_utf8(url) {
        if let Ok(Some(origin)) = Origin::of(text) {
            inert(&format!("{origin} {origin:?} {}", origin.robots_url()), complaints);
            complaints.unless(origin.covers(text), || "not covered by its own origin".into());
        }
        drop(Origin::of_robots_url(text));
    }
}

fn agent(dialect: Dialect, agent: &[u8], complaints: &mut Complaints) {
    let Ok(agent) = str::from_utf8(agent) else {
        return;
    };
    let text = [b"User-agent: *\nUser-agent: ", agent.as_bytes(), b"\nDisallow: /\n"].concat();
    let robots = parse(dialect, &text, complaints);
    // REP-AMB-13: each word of a header is a token.
    let words = Crawler::from_user_agent(agent).ok().filter(|_| dialect.reads_headers);
    let tokens = words.map_or(1, |words| words.tokens().len());
    Asked { text: &text, robots: &robots, crawler: agent, tokens }.check(b"/x", complaints);
    let tokens = tokens + 1;
    let crawlers = [Crawler::new(agent), Crawler::union([agent, AGENT]).without_star()];
    for crawler in &crawlers {
        Asked { text: &text, robots: &robots, crawler, tokens }.check(b"/x", complaints);
    }
    let token = ProductToken::new(agent);
    inert(&format!("{token} {token:?}"), complaints);
    if let Err(error) = Crawler::from_user_agent(agent) {
        inert(&error.to_string(), complaints);
    }
}

/// Parses a text, and checks the memory of the result.
fn parse(dialect: Dialect, bytes: &[u8], complaints: &mut Complaints) -> Robots {
    let mut robots = None;
    let memory = measure(|| robots = Some(dialect.parse(bytes)));
    let counting = bytes.len().min(dialect.byte_limit.unwrap_or(usize::MAX));
    within_memory("parse", dialect, memory.bytes_max, counting, complaints);
    robots.unwrap_or_else(|| dialect.parse(b""))
}

fn within_memory(
    what: &str,
    dialect: Dialect,
    peak: u64,
    counting: usize,
    complaints: &mut Complaints,
) {
    let bound = MEMORY_TIMES * counting + MEMORY_PLUS;
    complaints.unless(usize::try_from(peak).is_ok_and(|peak| peak <= bound), || {
        format!("{dialect}: {what} took {peak} bytes for {counting}, more than {bound}")
    });
}

/// A parsed text and a crawler.
struct Asked<'a, C: ?Sized> {
    text: &'a [u8],
    robots: &'a Robots,
    crawler: &'a C,
    /// Number of the crawler's tokens.
    tokens: usize,
}

impl<C: AsCrawler + ?Sized> Asked<'_, C> {
    /// Checks by three interfaces that must agree.
    fn check(&self, url: &[u8], complaints: &mut Complaints) {
        let Self { text, robots, crawler, tokens } = *self;
        let dialect = robots.dialect();
        let mut verdict = None;
        let memory = measure(|| verdict = Some(robots.check(crawler, url)));
        // The allocations allow for the target in normal form, and for the groups found.
        let counting = text.len() + url.len();
        within_memory("check", dialect, memory.bytes_max, counting, complaints);
        let Some(verdict) = verdict else { return };

        let explained = robots.explain(crawler, url).verdict;
        complaints.unless(
            explained.is_allowed() == verdict.is_allowed()
                && explained.reason() == verdict.reason()
                && explained.rule() == verdict.rule(),
            || format!("{dialect}: explain says {explained}, check says {verdict}"),
        );
        inert(&format!("{verdict} {verdict:?} {}", verdict.reason()), complaints);

        let mut allowed = None;
        let once = measure(|| allowed = Some(dialect.is_allowed(text, crawler, url)));
        complaints.unless(allowed == Some(verdict.is_allowed()), || {
            format!("{dialect}: the one-shot says {allowed:?}, check says {verdict}")
        });
        let is_utf16 = matches!(robots.encoding(), Encoding::Utf16Le | Encoding::Utf16Be);
        // The normal form may have three octets for each octet of a URL or a literal.
        let may_be_long = url.len() * 3 > limits::TARGET_BYTES
            || text.split(|&octet| octet == b'\n').any(|line| line.len() > LONG_LINE);
        let may_allocate =
            dialect.utf16 && is_utf16 || tokens > limits::ONE_SHOT_TOKENS || may_be_long;
        complaints.unless(once.count_total == 0 || may_allocate, || {
            format!("{dialect}: the one-shot allocated {} times", once.count_total)
        });
    }
}

/// The stored diagnostics do not exceed the limit, and all are counted.
fn notices_are_counted(robots: &Robots, complaints: &mut Complaints) {
    let mut all = 0_usize;
    robots.diagnose(&mut |_: Diagnostic| all += 1);
    let found = robots.diagnostics();
    complaints.unless_equal("notices in all", found.total, all);
    complaints.unless_equal("stored diagnostics", found.list.len(), all.min(limits::DIAGNOSTICS));
}

/// No byte of the file appears unescaped in displayed text.
fn everything_shown_is_inert(robots: &Robots, complaints: &mut Complaints) {
    inert(&format!("{robots:?}"), complaints);
    for group in robots.groups().take(SHOWN) {
        inert(&format!("{group} {group:?}"), complaints);
        for agent in group.agents().take(SHOWN) {
            inert(&format!("{agent} {agent:?}"), complaints);
        }
        for rule in group.rules().take(SHOWN) {
            inert(&format!("{rule} {rule:?}"), complaints);
        }
    }
    for record in robots.records().take(SHOWN) {
        inert(&format!("{record} {record:?}"), complaints);
    }
    for found in robots.diagnostics().list.iter().take(SHOWN) {
        inert(&format!("{} {} {found} {found:?}", found.severity(), found.code()), complaints);
    }
}

pub(super) fn inert(shown: &str, complaints: &mut Complaints) {
    let live = unescaped(shown.as_bytes());
    complaints.unless(live.is_none() && !shown.contains('\n'), || {
        format!("a live byte is shown in {}", shown.escape_debug())
    });
}
