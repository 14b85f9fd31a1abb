//! General properties of every input in every dialect.

use std::str;

use allocation_counter::measure;
use verger::{AsCrawler, Crawler, Dialect, Origin, ProductToken, Robots, limits};
use verger_testkit::generate::is_thorough;
use verger_testkit::hostile::{AGENT, Kind, MEMORY_PLUS, MEMORY_TIMES, ORIGIN, unescaped};

use super::{Complaints, pages};

/// Maximum number of formatted items of a kind: some files have a hundred thousand rules.
const SHOWN: usize = 100;

/// Length of a text that is slow to read in a debug build, in bytes. The default suite reads it in
/// one dialect, and in two for the answers.
const LARGE: usize = 200_000;

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
    let asked = Asked { text: bytes, robots: &robots, crawler: AGENT };
    // One question to a text of hundreds of thousands of lines is enough.
    let paths: &[&str] = if bytes.len() > LARGE {
        &["/a%2fb%C3%A9*$?q#f"]
    } else {
        &["/", "/x", "/robots.txt", "/a%2fb%C3%A9*$?q#f"]
    };
    for path in paths {
        asked.check(format!("{ORIGIN}{path}").as_bytes(), complaints);
    }
    one_event_for_each_line(&robots, complaints);
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
    Asked { text: TEXT, robots: &robots, crawler: AGENT }.check(url, complaints);
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
    Asked { text: &text, robots: &robots, crawler: agent }.check(b"/x", complaints);
    let crawlers = [Crawler::new(agent), Crawler::union([agent, AGENT]).without_star()];
    for crawler in &crawlers {
        Asked { text: &text, robots: &robots, crawler }.check(b"/x", complaints);
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
}

impl<C: AsCrawler + ?Sized> Asked<'_, C> {
    /// Checks by three interfaces that must agree.
    fn check(&self, url: &[u8], complaints: &mut Complaints) {
        let Self { text, robots, crawler } = *self;
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
        inert(&format!("{verdict} {verdict:?}"), complaints);

        let mut allowed = None;
        let once = measure(|| allowed = Some(dialect.is_allowed(text, crawler, url)));
        within_memory("the one-shot", dialect, once.bytes_max, counting, complaints);
        complaints.unless(allowed == Some(verdict.is_allowed()), || {
            format!("{dialect}: the one-shot says {allowed:?}, check says {verdict}")
        });
    }
}

/// The stored diagnostics do not exceed the limit, and all are counted.
fn notices_are_counted(robots: &Robots, complaints: &mut Complaints) {
    let mut all = 0_usize;
    robots.diagnose(|_| all += 1);
    let found = robots.diagnostics();
    complaints.unless_equal("notices in all", found.total, all);
    complaints.unless_equal("stored diagnostics", found.list.len(), all.min(limits::DIAGNOSTICS));
}

/// The parser reports one event for each line, and lines end only where they should.
fn one_event_for_each_line(robots: &Robots, complaints: &mut Complaints) {
    let start = robots.events().next().map_or(robots.text().len(), |event| event.line().start);
    let text = &robots.text()[start..];
    let ends = text.iter().enumerate().filter(|&(at, &byte)| match byte {
        b'\n' => at == 0 || text[at - 1] != b'\r',
        byte => byte == b'\r',
    });
    let is_open = text.last().is_some_and(|byte| !matches!(byte, b'\n' | b'\r'));
    let lines = ends.count() + usize::from(is_open);
    let events = robots.events().count();
    complaints.unless_equal(&format!("{}: events", robots.dialect()), events, lines);
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
