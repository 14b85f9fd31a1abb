//! Random sites with their visitors.

use std::fmt;

use fastrand::Rng;

use super::texts::{Served, Version, versions};

pub(super) const HOUR: i64 = 3_600;
pub(super) const DAY: i64 = 24 * HOUR;

/// 2026-01-10, 00:00 UTC.
const BEGINNING: i64 = 1_768_003_200;

/// Origins of the sites.
pub(super) const ORIGINS: [&str; 2] = ["https://shop.example", "https://blog.example"];

/// Lists of addresses by their URLs, with their operators: that at `i` has 20.0.`i`.0/24.
pub(super) const LISTS: [(&str, &str); 7] = [
    ("https://developers.google.com/static/crawling/ipranges/common-crawlers.json", "Google"),
    ("https://openai.com/gptbot.json", "OpenAI"),
    ("https://openai.com/searchbot.json", "OpenAI"),
    ("https://openai.com/chatgpt-user.json", "OpenAI"),
    ("https://index.commoncrawl.org/ccbot.json", "Common Crawl"),
    ("https://www.perplexity.com/perplexitybot.json", "Perplexity"),
    ("https://developer.amazon.com/amazonbot/ip-addresses/", "Amazon"),
];

/// A sender of requests.
#[derive(Debug)]
pub(super) struct Visitor {
    pub(super) header: &'static str,
    /// Its place in [`LISTS`].
    list: Option<usize>,
    /// Its product tokens, the first one also its name in reports; none for a browser.
    pub(super) tokens: &'static [&'static str],
    pub(super) operator: &'static str,
    pub(super) is: Is,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Is {
    Crawler,
    Google,
    Amazon,
    Yandex,
    Training,
    UserTriggered,
    /// Known if a group of a file names it.
    Private,
}

const fn visitor(
    header: &'static str,
    list: Option<usize>,
    tokens: &'static [&'static str],
    operator: &'static str,
    is: Is,
) -> Visitor {
    Visitor { header, list, tokens, operator, is }
}

pub(super) const VISITORS: [Visitor; 17] = [
    visitor("x (compatible; Googlebot/2.1)", Some(0), &["Googlebot"], "Google", Is::Google),
    visitor("Googlebot-Image/1", Some(0), &["Googlebot-Image", "Googlebot"], "Google", Is::Google),
    visitor("GoogleOther-Image/1.0", Some(0), UNCONFIRMED, "Google", Is::Google),
    visitor("x (x; GPTBot/1.2; +https://x.x)", Some(1), &["GPTBot"], "OpenAI", Is::Training),
    visitor("OAI-SearchBot/1.0", Some(2), &["OAI-SearchBot"], "OpenAI", Is::Crawler),
    visitor("ChatGPT-User/1.0", Some(3), &["ChatGPT-User"], "OpenAI", Is::UserTriggered),
    visitor("CCBot/2.0 (https://x.x/)", Some(4), &["CCBot"], "Common Crawl", Is::Crawler),
    visitor("PerplexityBot/1.0", Some(5), &["PerplexityBot"], "Perplexity", Is::Crawler),
    visitor("Amazonbot/0.1", Some(6), &["Amazonbot"], "Amazon", Is::Amazon),
    visitor("YandexBot/3.0", None, &["YandexBot", "Yandex"], "Yandex", Is::Yandex),
    visitor("meta-externalagent/1.1", None, &["meta-externalagent"], "Meta", Is::Training),
    // A tool that anyone can run, also at an operator.
    visitor("curl/8.5.0", Some(4), &["curl"], "curl", Is::Private),
    visitor("ShopAuditBot/1.0", None, &["ShopAuditBot"], "ShopAuditBot", Is::Private),
    // Meta's by its first name; an address proves that it is OpenAI's, or that it is not.
    visitor("meta-externalagent GPTBot", Some(1), &["meta-externalagent"], "Meta", Is::Training),
    visitor("Mozilla/5.0 (X11) Firefox/140.0", Some(0), &[], "", Is::Private),
    // Without a header.
    visitor("", Some(1), &[], "", Is::Private),
    visitor("", Some(6), &[], "", Is::Private),
];

/// The names of a crawler of which no source confirms that it obeys groups for the second one.
pub(super) const UNCONFIRMED: &[&str] = &["GoogleOther-Image", "GoogleOther"];

/// The first visitors, which are crawlers in most logs.
pub(super) const CRAWLERS: usize = 14;

/// The visitor with two names, and the one that addresses decide.
const TWO_NAMES: (usize, usize) = (13, 3);

/// The address of a visitor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Address {
    /// An address of its operator, if there is a list.
    Own,
    /// That of a proxy: it proves nothing.
    Hidden,
    /// An address of nobody.
    Foreign,
    /// The beginning of its own address, which proves nothing.
    Cut,
}

/// The sender of a request, by its header and address.
#[derive(Clone, Copy)]
pub(super) struct Claim {
    pub(super) by: &'static Visitor,
    pub(super) proof: Proof,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Proof {
    Verified,
    Failed,
    Missing,
}

/// One request.
#[derive(Clone, Copy, Debug)]
pub(super) struct Event {
    /// Whether lines are missing before it.
    pub(super) is_after_gap: bool,
    pub(super) at: i64,
    pub(super) has_time: bool,
    pub(super) is_local: bool,
    pub(super) visitor: usize,
    pub(super) address: Address,
    /// Index of the origin; a larger one is a host that the audit does not know.
    pub(super) host: usize,
    pub(super) kind: Kind,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Fetch { status: Option<u16>, method: &'static str, target: &'static str, body: Body },
    Visit { path: &'static str, is_absolute: bool, status: u16, bytes: Option<u64> },
}

/// The bytes of the body of a robots.txt in the log.
#[derive(Clone, Copy, Debug)]
pub(super) enum Body {
    Missing,
    Empty,
    Short,
    Half,
    /// As many as a coding may need.
    Longest,
    TooLong,
}

/// A log with the files of its sites.
#[derive(Clone, Debug)]
pub(super) struct World {
    pub(super) sites: Vec<Vec<Version>>,
    /// Whether the log has hosts.
    pub(super) has_hosts: bool,
    pub(super) is_at_edge: bool,
    /// Whether the log lacks queries.
    pub(super) is_without_query: bool,
    pub(super) lifetime: Option<i64>,
    pub(super) events: Vec<Event>,
}

const PATHS: [&str; 9] =
    ["/", "/a", "/a/x", "/b", "/c?d=1", "/c", "/public", "/a%2Fx", "/.well-known/x"];

/// Statuses of fetches, frequent ones several times.
const STATUSES: [u16; 40] = [
    200, 200, 200, 200, 200, 200, 200, 200, 200, 200, 304, 304, 304, 206, 204, 203, 404, 404, 404,
    403, 410, 503, 503, 503, 503, 500, 502, 429, 429, 408, 444, 499, 202, 301, 301, 302, 308, 401,
    101, 600,
];

/// The first ones of them.
const SUCCESSES: usize = 14;

/// Methods of fetches.
const METHODS: &[&str] = &["GET", ""];

/// Seconds between requests.
const GAPS: [i64; 23] = [
    0, 0, 1, 5, 30, 58, 59, 60, 61, 600, 3_600, 10_800, 21_600, 21_600, 43_200, 43_200, 80_000,
    86_399, 86_400, 172_800, -1, -7, -90,
];

/// Those of a log with many requests in a short time.
const SHORT_GAPS: [i64; 8] = [0, 1, 1, 7, 29, 31, 59, -1];

impl World {
    pub(super) fn new(seed: u64) -> Self {
        let mut random = Rng::with_seed(seed);
        let lifetimes = [Some(2 * HOUR), Some(HOUR), Some(7 * DAY), None, None, None, None, None];
        let mut world = Self {
            sites: Vec::new(),
            has_hosts: random.u8(..4) > 0,
            is_at_edge: random.u8(..4) == 0,
            is_without_query: random.u8(..6) == 0,
            lifetime: lifetimes[random.usize(..lifetimes.len())],
            events: Vec::new(),
        };
        let visitors = if random.u8(..3) == 0 { VISITORS.len() } else { CRAWLERS };
        let visitors: Vec<usize> =
            (0..random.usize(1..=4)).map(|_| random.usize(..VISITORS.len()) % visitors).collect();
        let sites = if random.u8(..8) == 0 { 2 } else { 1 };
        world.add_events(&mut random, &visitors, sites);
        for _ in 0..sites {
            world.sites.push(versions(&mut random, &world.events));
        }
        world
    }

    fn add_events(&mut self, random: &mut Rng, visitors: &[usize], sites: usize) {
        let mut now = BEGINNING;
        let lifetime = self.lifetime.unwrap_or(DAY);
        // Half of the sites always serve their file.
        let statuses = if random.bool() { &STATUSES[..SUCCESSES] } else { &STATUSES[..] };
        let gaps = if random.u8(..4) == 0 { &SHORT_GAPS[..] } else { &GAPS[..] };
        let (has_local_times, has_bodies) = (random.u8(..5) == 0, random.u8(..3) == 0);
        for _ in 0..random.usize(2..60) {
            now = match self.events.len().checked_sub(1) {
                // The end of a lifetime, of a margin, or of a silence.
                Some(last) if random.u8(..6) == 0 => {
                    let earlier = self.events[random.usize(..=last)].at;
                    let ends = [0, lifetime, lifetime, lifetime, lifetime + 60, DAY, 30 * DAY];
                    let kinds = if random.u8(..4) == 0 { ends.len() } else { 4 };
                    let end = ends[random.usize(..kinds)];
                    now.max(earlier + end + random.i64(-1..=1))
                }
                _ if random.u8(..80) == 0 => now - random.i64(0..3 * DAY),
                _ if random.u16(..400) == 0 => now - DAY + random.i64(-1..=1),
                _ => now + gaps[random.usize(..gaps.len())],
            };
            let visitor = visitors[random.usize(..visitors.len())];
            let address = match random.u8(..12) {
                0 => Address::Foreign,
                1 => Address::Hidden,
                2 => Address::Cut,
                _ => Address::Own,
            };
            let host = if random.u8(..24) == 0 { sites } else { random.usize(..sites) };
            let mut event = Event {
                is_after_gap: false,
                at: now,
                has_time: true,
                is_local: false,
                visitor,
                address,
                host,
                kind: kind(random, statuses, has_bodies),
            };
            if statuses.len() > SUCCESSES && random.u8(..40) == 0 {
                let status = Some([503, 429, 408][random.usize(..3)]);
                let (fetches, gap) = outage(random);
                let (method, target, body) = ("GET", "/robots.txt", Body::Missing);
                event.kind = Kind::Fetch { status, method, target, body };
                for _ in 0..fetches {
                    self.events.push(Event { at: now, ..event });
                    now += gap;
                }
                continue;
            }
            event.is_after_gap = random.u8(..80) == 0;
            event.has_time = random.u8(..80) > 0;
            event.is_local = has_local_times && random.u8(..3) == 0;
            self.events.push(event);
        }
    }

    /// The index of the version served at a time.
    pub(super) fn served(&self, site: usize, time: i64) -> Option<usize> {
        let is_unknown = |version: &Version| match version.served {
            Served::Unknown(end) => (version.from..end).contains(&time),
            _ => false,
        };
        if self.sites[site].iter().any(is_unknown) {
            return None;
        }
        self.versions(site).iter().rposition(|version| version.from <= time)
    }

    /// The text of a version, if it is a file.
    pub(super) fn text(&self, site: usize, version: usize) -> Option<&str> {
        match &self.versions(site).get(version)?.served {
            Served::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The versions of a site, without times of which nothing is known.
    fn versions(&self, site: usize) -> Vec<&Version> {
        let is_version = |version: &&Version| !matches!(version.served, Served::Unknown(_));
        self.sites[site].iter().filter(is_version).collect()
    }

    /// The origin of a request.
    pub(super) fn origin(&self, event: &Event) -> Option<usize> {
        let is_absolute = matches!(event.kind, Kind::Visit { is_absolute: true, .. });
        if self.has_hosts || is_absolute {
            (event.host < self.sites.len()).then_some(event.host)
        } else {
            (self.sites.len() == 1).then_some(0)
        }
    }

    /// Whether a request is for `/robots.txt`, as far as the log shows without a query, by one of
    /// these methods.
    pub(super) fn is_for_rules(&self, event: &Event, methods: &[&str]) -> bool {
        let Kind::Fetch { method, target, .. } = event.kind else { return false };
        let path = target.split('?').next().filter(|_| self.is_without_query);
        methods.contains(&method) && path.unwrap_or(target) == "/robots.txt"
    }

    /// With a query, or in another spelling, it is a fetch if it brought something.
    pub(super) fn is_fetch(&self, event: &Event) -> bool {
        let Kind::Fetch { status, method, .. } = event.kind else { return false };
        let has_answer = matches!(status, Some(200..=299 | 304));
        self.is_for_rules(event, METHODS) || METHODS.contains(&method) && has_answer
    }

    /// The status of a fetch; `None` if nobody knows what was fetched.
    pub(super) fn fetch_status(&self, event: &Event) -> Option<u16> {
        event.status().filter(|_| self.is_for_rules(event, METHODS))
    }

    /// The crawler of a request, if it names one.
    pub(super) fn claim(&self, event: &Event) -> Option<Claim> {
        let named = &VISITORS[event.visitor];
        let proof = match (named.list, event.address) {
            (None, _) | (_, Address::Hidden | Address::Cut) => Proof::Missing,
            _ if named.is == Is::Private => Proof::Missing,
            _ if !event.has_time || event.at - (BEGINNING - 9 * DAY) > 400 * DAY => Proof::Missing,
            (_, Address::Own) => Proof::Verified,
            (_, Address::Foreign) => Proof::Failed,
        };
        let is_other = event.visitor == TWO_NAMES.0 && proof != Proof::Missing;
        let by = if is_other { &VISITORS[TWO_NAMES.1] } else { named };
        let line = format!("User-agent: {}\n", by.tokens.first()?);
        let names_it = |version: &Version| match &version.served {
            Served::Text(text) => text.contains(&line),
            _ => false,
        };
        let is_known = by.is != Is::Private || self.sites.iter().flatten().any(names_it);
        is_known.then_some(Claim { by, proof })
    }

    /// The operator in whose list the address of a request is.
    pub(super) fn operator_of_address(event: &Event) -> Option<&'static str> {
        let is_listed = matches!(event.address, Address::Own | Address::Cut);
        let list = VISITORS[event.visitor].list.filter(|_| is_listed)?;
        Some(LISTS[list].1)
    }

    /// The address of a request.
    pub(super) fn address(event: &Event) -> String {
        let end = if event.address == Address::Cut { 0 } else { 7 };
        match (event.address, VISITORS[event.visitor].list) {
            (Address::Hidden, _) => "10.0.0.7".to_owned(),
            (Address::Own | Address::Cut, Some(list)) => format!("20.0.{list}.{end}"),
            (Address::Own | Address::Cut, None) | (Address::Foreign, _) => format!("20.9.9.{end}"),
        }
    }
}

impl Event {
    pub(super) fn status(&self) -> Option<u16> {
        match self.kind {
            Kind::Fetch { status, .. } => status,
            Kind::Visit { status, .. } => Some(status),
        }
    }

    /// The path and query of a request.
    pub(super) fn target(&self) -> &'static str {
        match self.kind {
            Kind::Fetch { target, .. } => target,
            Kind::Visit { path, .. } => path,
        }
    }
}

/// Number of failed fetches, and the seconds between them.
fn outage(random: &mut Rng) -> (usize, i64) {
    match random.u8(..40) {
        0 if random.u8(..8) == 0 => (random.usize(719..724), HOUR),
        0..=10 => (random.usize(12..15), HOUR),
        11..=20 => (random.usize(29..34), DAY + random.i64(-2..=2) * HOUR),
        21 => (random.usize(60..70), 600),
        _ => (random.usize(2..6), 10 * 60),
    }
}

fn kind(random: &mut Rng, statuses: &[u16], has_bodies: bool) -> Kind {
    if random.u8(..10) < 3 {
        let status = statuses[random.usize(..statuses.len())];
        let (half, longest) = (Body::Half, Body::Longest);
        let bodies = [Body::Short, half, half, longest, longest, Body::Empty, Body::TooLong];
        let has_body = has_bodies && random.u8(..4) > 0;
        Kind::Fetch {
            status: (random.u8(..30) > 0).then_some(status),
            method: ["HEAD", "", "GET"][random.usize(..30).min(2)],
            target: match random.u8(..20) {
                0 => "/robots.txt?now=1",
                1 => "//robots%2Etxt",
                _ => "/robots.txt",
            },
            body: if has_body { bodies[random.usize(..bodies.len())] } else { Body::Missing },
        }
    } else {
        let path = PATHS[random.usize(..PATHS.len())];
        // Ten minutes on a modem, and about one.
        let bytes = [7_000 * 600, 7_000 * 60 - 1, 7_000 * 60][random.usize(..3)];
        let bytes = (random.u8(..8) == 0).then_some(bytes);
        let status = [504, 499, 302, 404, 500, 0, 200][random.usize(..40).min(6)];
        Kind::Visit { path, is_absolute: random.u8(..20) == 0, status, bytes }
    }
}

impl fmt::Display for Event {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{}, {:?}: {self:?}", time(self.at), VISITORS[self.visitor].header)
    }
}

/// A time since the beginning.
fn time(at: i64) -> String {
    let since = at - BEGINNING;
    format!("{} h {} s", since.div_euclid(HOUR), since.rem_euclid(HOUR))
}

impl fmt::Display for World {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(to, "{:?}", Self { sites: Vec::new(), events: Vec::new(), ..self.clone() })?;
        for (site, versions) in self.sites.iter().enumerate() {
            for version in versions {
                writeln!(to, "site {site} from {}: {:?}", time(version.from), version.served)?;
            }
        }
        self.events.iter().try_for_each(|event| writeln!(to, "{event}"))
    }
}
