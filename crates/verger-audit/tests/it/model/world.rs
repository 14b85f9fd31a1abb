//! Random sites with their visitors.

use std::fmt;

use fastrand::Rng;

pub(super) const HOUR: i64 = 3_600;
pub(super) const DAY: i64 = 24 * HOUR;

/// 2026-01-10, 00:00 UTC.
const BEGINNING: i64 = 1_768_003_200;

/// Origins of the sites.
pub(super) const ORIGINS: [&str; 2] = ["https://shop.example", "https://blog.example"];

/// Lists of addresses by their URLs: the prefix of every other address is in none.
pub(super) const LISTS: [(&str, &str); 6] = [
    ("https://developers.google.com/static/crawling/ipranges/common-crawlers.json", "20.0.1.0/24"),
    ("https://openai.com/gptbot.json", "20.0.2.0/24"),
    ("https://openai.com/searchbot.json", "20.0.3.0/24"),
    ("https://openai.com/chatgpt-user.json", "20.0.4.0/24"),
    ("https://index.commoncrawl.org/ccbot.json", "20.0.5.0/24"),
    ("https://www.perplexity.com/perplexitybot.json", "20.0.6.0/24"),
];

/// A sender of requests.
#[derive(Debug)]
pub(super) struct Visitor {
    pub(super) header: &'static str,
    /// Its place in [`LISTS`].
    list: Option<usize>,
    /// Its product tokens, the first one also its name in reports; none for a browser.
    tokens: &'static [&'static str],
    reader: &'static str,
    is: Is,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Is {
    Crawler,
    Google,
    Training,
    UserTriggered,
    /// Known if a group of a file names it.
    Private,
}

const fn visitor(
    header: &'static str,
    list: Option<usize>,
    tokens: &'static [&'static str],
    reader: &'static str,
    is: Is,
) -> Visitor {
    Visitor { header, list, tokens, reader, is }
}

pub(super) const VISITORS: [Visitor; 13] = [
    visitor(
        "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
        Some(0),
        &["Googlebot"],
        "Google",
        Is::Google,
    ),
    visitor(
        "Googlebot-Image/1.0",
        Some(0),
        &["Googlebot-Image", "Googlebot"],
        "Google",
        Is::Google,
    ),
    visitor(
        "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)",
        Some(1),
        &["GPTBot"],
        "OpenAI",
        Is::Training,
    ),
    visitor("OAI-SearchBot/1.0", Some(2), &["OAI-SearchBot"], "OpenAI", Is::Crawler),
    visitor("ChatGPT-User/1.0", Some(3), &["ChatGPT-User"], "OpenAI", Is::UserTriggered),
    visitor(
        "CCBot/2.0 (https://commoncrawl.org/faq/)",
        Some(4),
        &["CCBot"],
        "Common Crawl",
        Is::Crawler,
    ),
    visitor("PerplexityBot/1.0", Some(5), &["PerplexityBot"], "Perplexity", Is::Crawler),
    visitor("meta-externalagent/1.1", None, &["meta-externalagent"], "Meta", Is::Training),
    // A tool that anyone can run.
    visitor("curl/8.5.0", None, &["curl"], "curl", Is::Private),
    visitor("ShopAuditBot/1.0", None, &["ShopAuditBot"], "ShopAuditBot", Is::Private),
    // Meta's by its first name; an address proves that it is OpenAI's, or that it is not.
    visitor(
        "meta-externalagent/1.1 GPTBot/1.2",
        Some(1),
        &["meta-externalagent"],
        "Meta",
        Is::Training,
    ),
    visitor(
        "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
        None,
        &[],
        "",
        Is::Private,
    ),
    // A program of an operator without a name.
    visitor("", Some(1), &[], "OpenAI", Is::Private),
];

/// The visitor with two names, and the one that addresses decide.
const TWO_NAMES: (usize, usize) = (10, 2);

/// The address of a visitor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Address {
    /// An address of its operator, if there is a list.
    Own,
    /// That of a proxy: it proves nothing.
    Hidden,
    /// An address of nobody.
    Foreign,
}

/// The sender of a request, by its header and address.
#[derive(Clone, Copy, Debug)]
pub(super) struct Claim<'w> {
    pub(super) reader: &'w str,
    pub(super) tokens: &'w [&'w str],
    pub(super) is_google: bool,
    pub(super) is_user_triggered: bool,
    pub(super) is_training: bool,
    pub(super) proof: Proof,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Proof {
    Verified,
    Failed,
    Missing,
}

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
}

/// One request.
#[derive(Clone, Debug)]
pub(super) struct Event {
    pub(super) at: i64,
    pub(super) visitor: usize,
    pub(super) address: Address,
    /// Index of the origin; a larger one is a host that the audit does not know.
    pub(super) host: usize,
    pub(super) kind: Kind,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Fetch { status: Option<u16>, is_get: bool, target: &'static str, bytes: Option<usize> },
    Visit { path: &'static str, is_absolute: bool },
}

/// A log with the files of its sites.
#[derive(Clone, Debug)]
pub(super) struct World {
    pub(super) sites: Vec<Vec<Version>>,
    /// Whether the log has hosts.
    pub(super) has_hosts: bool,
    pub(super) has_no_queries: bool,
    pub(super) is_at_edge: bool,
    pub(super) events: Vec<Event>,
}

const PATHS: [&str; 7] = ["/", "/a", "/a/x", "/b", "/c?d=1", "/public", "/a%2Fx"];

const RULES: [&str; 13] = [
    "Disallow: /a",
    "Disallow: /a",
    "Disallow: /b",
    "Disallow: /",
    "Disallow: /",
    "Disallow: /c?d",
    "Disallow:",
    "Allow: /a/x",
    "Allow: /*d",
    "Disallow: /*x$",
    "Allow: /",
    "Disallow: /public",
    "Disallow: /*?",
];

/// Names of groups; that for all is frequent.
const GROUPS: [&str; 12] = [
    "*",
    "*",
    "*",
    "Googlebot",
    "Googlebot-Image",
    "GPTBot",
    "OAI-SearchBot",
    "CCBot",
    "PerplexityBot",
    "meta-externalagent",
    "ShopAuditBot",
    "curl",
];

/// Statuses of fetches, frequent ones several times.
const STATUSES: [u16; 40] = [
    200, 200, 200, 200, 200, 200, 200, 200, 200, 200, 304, 304, 304, 206, 204, 203, 404, 404, 404,
    403, 410, 503, 503, 503, 503, 500, 502, 429, 429, 408, 444, 499, 202, 301, 301, 302, 308, 401,
    101, 600,
];

/// The first ones of them.
const SUCCESSES: usize = 14;

/// The line of a delay, before its seconds.
const DELAY: &str = "Crawl-delay: ";

/// Delays in seconds.
const DELAYS: [u16; 4] = [1, 10, 600, 7200];

const NO_TRAINING: &str = "Content-Usage: train-ai=n";

/// Seconds between requests.
const GAPS: [i64; 16] = [
    0,
    0,
    1,
    30,
    600,
    HOUR,
    3 * HOUR,
    6 * HOUR,
    12 * HOUR,
    DAY - 1,
    DAY,
    DAY + 1,
    2 * DAY,
    5 * DAY,
    -1,
    -90,
];

impl World {
    pub(super) fn new(seed: u64) -> Self {
        let mut random = Rng::with_seed(seed);
        let mut world = Self {
            sites: Vec::new(),
            has_hosts: random.u8(..4) > 0,
            has_no_queries: random.u8(..6) == 0,
            is_at_edge: random.u8(..4) == 0,
            events: Vec::new(),
        };
        let visitors: Vec<usize> =
            (0..random.usize(1..=3)).map(|_| random.usize(..VISITORS.len())).collect();
        let sites = if random.u8(..8) == 0 { 2 } else { 1 };
        world.add_events(&mut random, &visitors, sites);
        for _ in 0..sites {
            world.sites.push(versions(&mut random, &world.events));
        }
        world
    }

    fn add_events(&mut self, random: &mut Rng, visitors: &[usize], sites: usize) {
        let mut now = BEGINNING;
        // Half of the sites always serve their file.
        let statuses = if random.bool() { &STATUSES[..SUCCESSES] } else { &STATUSES[..] };
        for _ in 0..random.usize(2..60) {
            now = match self.events.len().checked_sub(1) {
                // The end of a lifetime.
                Some(last) if random.u8(..6) == 0 => {
                    let earlier = self.events[random.usize(..=last)].at;
                    now.max(earlier + DAY + random.i64(-1..=1))
                }
                _ if random.u8(..80) == 0 => now - random.i64(0..3 * DAY),
                _ => now + GAPS[random.usize(..GAPS.len())],
            };
            let visitor = visitors[random.usize(..visitors.len())];
            let address = match random.u8(..12) {
                0 => Address::Foreign,
                1 | 2 => Address::Hidden,
                _ => Address::Own,
            };
            let host = if random.u8(..24) == 0 { sites } else { random.usize(..sites) };
            let event = |at, kind| Event { at, visitor, address, host, kind };
            if statuses.len() > SUCCESSES && random.u8(..40) == 0 {
                let status = Some([503, 429, 408][random.usize(..3)]);
                let (fetches, gap) = outage(random);
                for _ in 0..fetches {
                    let target = "/robots.txt";
                    let kind = Kind::Fetch { status, is_get: true, target, bytes: None };
                    self.events.push(event(now, kind));
                    now += gap;
                }
                continue;
            }
            let kind = kind(random, statuses);
            self.events.push(event(now, kind));
        }
    }

    /// The file served at a time, with its index; `None` before the first one.
    pub(super) fn served(&self, origin: usize, time: i64) -> Option<(usize, &Served)> {
        let mut versions = self.sites[origin].iter().enumerate().rev();
        let (index, version) = versions.find(|(_, version)| version.from <= time)?;
        Some((index, &version.served))
    }

    /// The origin of a request.
    pub(super) fn origin(&self, event: &Event) -> Option<usize> {
        let is_absolute = matches!(event.kind, Kind::Visit { is_absolute: true, .. });
        match self.sites.len() {
            1 if !self.has_hosts && !is_absolute => Some(0),
            _ if !self.has_hosts && !is_absolute => None,
            sites => (event.host < sites).then_some(event.host),
        }
    }

    /// The crawler of a request, if it names one.
    pub(super) fn claim(&self, event: &Event) -> Option<Claim<'static>> {
        let named = &VISITORS[event.visitor];
        let proof = match (named.list, event.address) {
            (None, _) | (_, Address::Hidden) => Proof::Missing,
            (_, Address::Own) => Proof::Verified,
            (_, Address::Foreign) => Proof::Failed,
        };
        let of = |visitor: &'static Visitor| Claim {
            reader: visitor.reader,
            tokens: visitor.tokens,
            is_google: visitor.is == Is::Google,
            is_user_triggered: visitor.is == Is::UserTriggered,
            is_training: visitor.is == Is::Training,
            proof,
        };
        if event.visitor == TWO_NAMES.0 && event.address != Address::Hidden {
            return Some(of(&VISITORS[TWO_NAMES.1]));
        }
        if named.is == Is::Private {
            let name = named.tokens.first()?;
            let line = format!("User-agent: {name}\n");
            let names_it = |version: &Version| match &version.served {
                Served::Text(text) => text.contains(&line),
                Served::Absent => false,
            };
            if !self.sites.iter().flatten().any(names_it) {
                return None;
            }
        }
        Some(of(named))
    }

    /// A path as the log has it.
    pub(super) fn logged<'p>(&self, path: &'p str) -> &'p str {
        let end = path.find('?').filter(|_| self.has_no_queries);
        &path[..end.unwrap_or(path.len())]
    }

    /// Whether a request that is not certainly one of a reader may be one.
    pub(super) fn may_be_of(&self, event: &Event, reader: &str) -> bool {
        let named = &VISITORS[event.visitor];
        if let Some(claim) = self.claim(event) {
            return claim.proof == Proof::Failed && claim.reader == reader;
        }
        named.list.is_some() && event.address == Address::Own && named.reader == reader
    }

    /// The address of a request.
    pub(super) fn address(event: &Event) -> String {
        match (event.address, VISITORS[event.visitor].list) {
            (Address::Hidden, _) => "10.0.0.7".to_owned(),
            (Address::Own, Some(list)) => LISTS[list].1.replace("0/24", "7"),
            (Address::Own, None) | (Address::Foreign, _) => "20.9.9.9".to_owned(),
        }
    }
}

/// Number of failed fetches, and the seconds between them.
fn outage(random: &mut Rng) -> (usize, i64) {
    match random.u8(..40) {
        0 => (random.usize(719..724), HOUR),
        1..=10 => (random.usize(12..15), HOUR),
        11..=20 => (random.usize(29..34), DAY + random.i64(-2..=2) * HOUR),
        21 => (random.usize(60..70), 600),
        _ => (random.usize(2..6), 10 * 60),
    }
}

fn kind(random: &mut Rng, statuses: &[u16]) -> Kind {
    if random.u8(..10) < 3 {
        let status = statuses[random.usize(..statuses.len())];
        let target = if random.u8(..10) == 0 { "/robots.txt?now=1" } else { "/robots.txt" };
        Kind::Fetch {
            status: (random.u8(..30) > 0).then_some(status),
            is_get: random.u8(..20) > 0,
            target,
            bytes: match random.u8(..20) {
                0 => Some(0),
                1 => Some(random.usize(..5_000)),
                _ => None,
            },
        }
    } else {
        let path = PATHS[random.usize(..PATHS.len())];
        Kind::Visit { path, is_absolute: random.u8(..20) == 0 }
    }
}

/// The files of a site: some histories begin after the log, or have a gap.
fn versions(random: &mut Rng, events: &[Event]) -> Vec<Version> {
    let times_of_events: Vec<i64> = events.iter().map(|event| event.at).collect();
    let (from, to) = (times_of_events.iter().min(), times_of_events.iter().max());
    let (from, to) = from.zip(to).expect("a history has requests");
    let mut times: Vec<i64> = Vec::new();
    for _ in 0..random.usize(0..=9) {
        // Also in the second of a request, and soon after it.
        let near = times_of_events[random.usize(..times_of_events.len())];
        times.push(match random.u8(..3) {
            0 => near + random.i64(-1..=1),
            1 => near + random.i64(0..12 * HOUR),
            _ => random.i64(*from - 2 * DAY..=*to),
        });
    }
    if random.u8(..4) > 0 {
        times.push(*from - 3 * DAY);
    }
    times.sort_unstable();
    times.dedup();
    let version = |from| Version { from, served: served(random) };
    times.into_iter().map(version).collect()
}

fn served(random: &mut Rng) -> Served {
    if random.u8(..14) == 0 { Served::Absent } else { Served::Text(text(random)) }
}

/// A text; with a delay or a preference, which is then in all groups.
fn text(random: &mut Rng) -> String {
    let mut lines = Vec::new();
    let delay = DELAYS.get(random.usize(..2 * DELAYS.len()));
    let is_against_training = random.u8(..3) == 0;
    for _ in 0..random.usize(1..=3) {
        lines.push(format!("User-agent: {}", GROUPS[random.usize(..GROUPS.len())]));
        for _ in 0..random.usize(1..=3) {
            lines.push(RULES[random.usize(..RULES.len())].to_owned());
        }
        lines.extend(delay.map(|delay| format!("{DELAY}{delay}")));
        lines.extend(is_against_training.then(|| NO_TRAINING.to_owned()));
        lines.push(String::new());
    }
    lines.join("\n")
}

/// The delay that every group of a text has, in seconds.
pub(super) fn delay(text: &str) -> Option<i64> {
    let line = text.lines().find_map(|line| line.strip_prefix(DELAY))?;
    Some(line.parse().expect("a number"))
}

/// Whether every group of a text says that its pages must not train models.
pub(super) fn is_against_training(text: &str) -> bool {
    text.lines().any(|line| line == NO_TRAINING)
}

impl fmt::Display for Event {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let since = self.at - BEGINNING;
        let (name, address) = (VISITORS[self.visitor].header, self.address);
        let (hours, seconds) = (since.div_euclid(HOUR), since.rem_euclid(HOUR));
        write!(
            to,
            "{hours} h {seconds} s, host {}, {:?}, {name}, {address:?}",
            self.host, self.kind
        )
    }
}

impl fmt::Display for World {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { is_at_edge, has_hosts, has_no_queries, .. } = self;
        writeln!(to, "edge: {is_at_edge}, hosts: {has_hosts}, no queries: {has_no_queries}")?;
        for (site, version) in self
            .sites
            .iter()
            .enumerate()
            .flat_map(|(site, versions)| versions.iter().map(move |version| (site, version)))
        {
            let since = version.from - BEGINNING;
            let (hours, seconds) = (since.div_euclid(HOUR), since.rem_euclid(HOUR));
            writeln!(to, "site {site} from {hours} h {seconds} s: {:?}", version.served)?;
        }
        self.events.iter().try_for_each(|event| writeln!(to, "{event}"))
    }
}
