//! Random files of sites.

use fastrand::Rng;

use super::world::{CRAWLERS, DAY, Event, HOUR, VISITORS};

/// A robots.txt from a time on.
#[derive(Clone, Debug)]
pub(super) struct Version {
    pub(super) from: i64,
    pub(super) served: Served,
}

#[derive(Clone, Debug)]
pub(super) enum Served {
    Text(String),
    /// The site had no robots.txt.
    Absent,
    /// Until a time, it is not known what was served. This is no version.
    Unknown(i64),
}

/// Disallowed and allowed paths.
const RULES: [&str; 14] = [
    "-/a", "-/a", "-/b", "-/", "-/", "-/c?d", "-", "+/a/x", "-/*x$", "+/", "-/public", "-/*?",
    "+/c?d", "+/*x",
];

/// A key that parsers may read as `Disallow`.
const MISTAKE: &str = "Disalow";

/// A crawler whose pages Googlebot fetches.
pub(super) const NEWS: &str = "Googlebot-News";

/// The beginning of a line that names a sitemap.
pub(super) const SITEMAP: &str = "Sitemap: ";

/// Lines about rates, with their documents and seconds.
const RATES: [(&str, i64, i64); 7] = [
    ("Crawl-delay: 1", 1, 1),
    ("Crawl-delay: 10", 1, 10),
    ("Crawl-delay: 600", 1, 600),
    ("Crawl-delay: 7200", 1, 7200),
    ("Request-rate: 1/10m", 1, 600),
    ("Request-rate: 5/1h", 5, HOUR),
    ("Max-Crawl-Rate: 12/h", 12, HOUR),
];

const NO_TRAINING: &str = "Content-Usage: train-ai=n";

/// The files of a site: some histories begin after the log, or have a gap.
pub(super) fn versions(random: &mut Rng, events: &[Event]) -> Vec<Version> {
    let from = events.iter().map(|event| event.at).min().expect("an event");
    let to = events.iter().map(|event| event.at).max().expect("an event");
    let mut times: Vec<i64> = Vec::new();
    for _ in 0..random.usize(0..=6) {
        // Also in the second of a request, and soon after it.
        let near = events[random.usize(..events.len())].at;
        times.push(match random.u8(..4) {
            0 => near + random.i64(-1..=1),
            1 => near + [-61, -60, -59, 59, 60, 61][random.usize(..6)],
            2 => near + random.i64(0..6 * HOUR),
            _ => random.i64(from - 2 * DAY..=to),
        });
    }
    times.extend((random.u8(..4) > 0).then(|| from - [3, 30, 40][random.usize(..3)] * DAY));
    times.sort_unstable();
    times.dedup();
    let version = |from| Version { from, served: served(random, from) };
    times.into_iter().map(version).collect()
}

fn served(random: &mut Rng, from: i64) -> Served {
    match random.u8(..28) {
        0 | 1 => Served::Absent,
        2 => Served::Text(String::new()),
        3 => Served::Unknown(from + random.i64(1..2 * DAY)),
        _ => Served::Text(text(random)),
    }
}

/// A text; with a rate or a preference, which is then in all groups.
fn text(random: &mut Rng) -> String {
    let mut lines = Vec::new();
    let rate = RATES.get(random.usize(..2 * RATES.len()));
    let is_against_training = random.u8(..3) == 0;
    let host = ["https://shop.example", ""].get(random.usize(..16));
    lines.extend(host.map(|host| format!("{SITEMAP}{host}/a/x")));
    for _ in 0..random.usize(1..=3) {
        let tokens = VISITORS[random.usize(..CRAWLERS)].tokens;
        let names = [tokens[random.usize(..tokens.len())], "*"];
        let name = names[usize::from(random.u8(..4) == 0)];
        let name = if random.u8(..16) == 0 { NEWS } else { name };
        lines.push(format!("User-agent: {name}"));
        for _ in 0..random.usize(0..=3) {
            let rule = RULES[random.usize(..RULES.len())];
            let key = match rule.starts_with('+') {
                true => "Allow",
                false if random.u8(..40) == 0 => MISTAKE,
                false => "Disallow",
            };
            lines.push(format!("{key}: {}", &rule[1..]));
        }
        lines.extend(rate.map(|(line, ..)| (*line).to_owned()));
        lines.extend(is_against_training.then(|| NO_TRAINING.to_owned()));
        lines.push(String::new());
    }
    lines.join("\n")
}

/// Documents and seconds of the rate that every group of a text has.
pub(super) fn rate(text: &str) -> Option<(i64, i64)> {
    let has = |rate: &&(&str, i64, i64)| text.lines().any(|line| line == rate.0);
    RATES.iter().find(has).map(|(_, documents, seconds)| (*documents, *seconds))
}

/// Whether every group of a text says that its pages must not train models.
pub(super) fn is_against_training(text: &str) -> bool {
    text.lines().any(|line| line == NO_TRAINING)
}

/// A text as a parser reads it that knows no mistakes.
pub(super) fn without_mistakes(text: &str) -> String {
    text.split_inclusive('\n').filter(|line| !line.starts_with(MISTAKE)).collect()
}

/// A text whose groups end with a rule, as blank lines end them for some crawlers.
pub(super) fn with_closed_groups(text: &str) -> String {
    text.replace("\n\n", "\nAllow: /no-page\n\n")
}
