//! Requests with their expected answers, by the engine and an independent model of the served path.

use verger::{Crawler, Reason, Robots};
use verger_analysis::Analysis;

/// Pieces of random targets.
const PIECES: &[&str] = &[
    "/", "//", "/./", "/../", "/%2e%2E/", "%2F", "%2f", "a", "%61", "b", "E", "2", "20", "%20",
    "%25", "%", "%2", "?", "?x=", "&", "=", "%3F", "%3f", "%3a", ":", ";", ".", "..", ".html",
    "%C3%A9", "\u{e9}", "%c3", "*", "$", "+", "-", "~", "%7e", "[", "%5B", "'", "!", "%00", "%0a",
    "|",
];

/// Targets for a file: its patterns in other spellings, and random ones.
pub(crate) fn targets(
    robots: &Robots,
    canonical: &[Vec<u8>],
    count: usize,
    rng: &mut fastrand::Rng,
) -> Vec<Vec<u8>> {
    let patterns: Vec<Vec<u8>> = robots
        .groups()
        .flat_map(|group| group.rules().map(|rule| rule.pattern().to_vec()).collect::<Vec<_>>())
        .chain(canonical.iter().cloned())
        .collect();
    let mut targets: Vec<Vec<u8>> = canonical.iter().take(count / 2).cloned().collect();
    while targets.len() < count {
        let mut target = b"/".to_vec();
        if let Some(pattern) = rng.choice(&patterns) {
            target = spelt(pattern, rng);
        }
        for _ in 0..rng.usize(0..3) {
            let at = rng.usize(0..=target.len());
            let piece = rng.choice(PIECES).expect("pieces").as_bytes();
            target.splice(at..at, piece.iter().copied());
        }
        target.retain(|&octet| octet > b' ' && octet != 0x7f && octet != b'#');
        if target.first() != Some(&b'/') {
            target.insert(0, b'/');
        }
        target.truncate(1_000);
        targets.push(target);
    }
    targets
}

/// A text of a pattern: stars replaced, letters escaped now and then.
fn spelt(pattern: &[u8], rng: &mut fastrand::Rng) -> Vec<u8> {
    let escapes = rng.u8(0..4) == 0;
    let mut text = Vec::new();
    for &octet in pattern {
        match octet {
            b'*' => text.extend(rng.choice(PIECES).expect("pieces").bytes()),
            b'$' if rng.bool() => {}
            _ if escapes && octet.is_ascii_alphanumeric() && rng.u8(0..3) == 0 => {
                text.extend(format!("%{octet:02x}").bytes());
            }
            _ => text.push(octet),
        }
    }
    text
}

/// Differences between servers.
#[derive(Clone, Copy)]
pub(crate) struct Served {
    /// Whether `/a/.` is served as `/a/`, otherwise as `/a`.
    pub(crate) keeps_slash: bool,
    /// Whether its rules refuse malformed escapes in paths, and in queries.
    pub(crate) refuses_malformed: [bool; 2],
}

pub(crate) const USUAL: Served = Served { keeps_slash: true, refuses_malformed: [false; 2] };

/// The path that a server serves, decoded: octets, then segments, by a model of its own.
pub(crate) fn served_path(path: &[u8], server: Served) -> Vec<u8> {
    let mut octets = Vec::new();
    let mut at = 0;
    while at < path.len() {
        let hex = path.get(at + 1..at + 3).and_then(|hex| str::from_utf8(hex).ok());
        let value = hex
            .filter(|hex| !hex.starts_with('+'))
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match value {
            Some(value) if path[at] == b'%' => {
                octets.push(value);
                at += 3;
            }
            _ => {
                octets.push(path[at]);
                at += 1;
            }
        }
    }
    let mut kept: Vec<&[u8]> = Vec::new();
    let all: Vec<&[u8]> = octets.split(|&octet| octet == b'/').collect();
    for (number, segment) in all.iter().enumerate() {
        let is_last = number + 1 == all.len();
        match *segment {
            b"" | b"." => {}
            b".." => {
                kept.pop();
            }
            other => kept.push(other),
        }
        if is_last && (segment.is_empty() || server.keeps_slash && matches!(*segment, b"." | b".."))
        {
            kept.push(b"");
        }
    }
    if kept.is_empty() {
        kept.push(b"");
    }
    kept.iter().flat_map(|segment| [&b"/"[..], segment].concat()).collect()
}

/// Whether a request must be refused.
pub(crate) fn must_refuse(
    robots: &Robots,
    crawler: &Crawler,
    target: &[u8],
    server: Served,
) -> bool {
    let mark = target.iter().position(|&octet| octet == b'?').unwrap_or(target.len());
    let (path, query) = target.split_at(mark);
    let served = served_path(path, server);
    let is_malformed = |text: &[u8]| {
        let mut parts = text.split(|&octet| octet == b'%').skip(1);
        let is_escape =
            |part: &[u8]| part.iter().take_while(|it| it.is_ascii_hexdigit()).count() > 1;
        parts.any(|part| !is_escape(part))
    };
    let [in_path, in_query] = server.refuses_malformed;
    let has_rules = !Analysis::new(robots, crawler).allows_all();
    if in_path && is_malformed(path) && has_rules {
        return true;
    }
    // In any spelling, as the engine reads it.
    let open = Robots::parse("User-agent: *\nDisallow: /\nAllow: /.well-known/\n");
    let is_robots_txt = open.check("x", path).reason() == Reason::RobotsTxtItself;
    let is_well_known = open.is_allowed("x", path) && served.starts_with(b"/.well-known/");
    if is_robots_txt || is_well_known {
        return false;
    }
    if in_query && is_malformed(query) && has_rules {
        return true;
    }
    let mut url = Vec::new();
    for octet in served {
        if octet.is_ascii_graphic() && !b"%?#\"<>\\^{|}`*$".contains(&octet) {
            url.push(octet);
        } else {
            url.extend(format!("%{octet:02X}").bytes());
        }
    }
    url.extend(query);
    !robots.is_allowed(crawler, target) || !robots.is_allowed(crawler, &url)
}

#[test]
fn the_model_of_the_served_path_reads_dots_and_slashes() {
    for (path, expected) in [
        ("/a", "/a"),
        ("/", "/"),
        ("//x/../b/.", "/b/"),
        ("/%2e%2e/%70", "/p"),
        ("/a%2f..", "/"),
        ("/%zz", "/%zz"),
    ] {
        assert_eq!(served_path(path.as_bytes(), USUAL), expected.as_bytes(), "{path}");
    }
}
