//! Header lines for crawlers: every form of a value, agents, dates, and many of each.

use super::check::AGENT;
use super::entry::{Entry, Layer};
use super::expect::Expect;
use super::recipe::{Piece, Recipe, repeat, text};

pub(super) fn entries() -> Vec<Entry> {
    let mut all: Vec<Entry> = VALUES
        .iter()
        .map(|&(id, value, holds)| entry(id, value, vec![says(AGENT, holds)]))
        .collect();
    all.extend(AGENTS.iter().map(|&(id, value, claims)| {
        entry(id, value, claims.iter().map(|&(agent, holds)| says(agent, holds)).collect())
    }));
    all.extend(UNKNOWN.iter().map(|&(id, value)| {
        entry(id, value, vec![says(AGENT, "all"), Expect::HeaderKeeps(value.trim_ascii())])
    }));
    all.extend(many());
    all
}

fn says(agent: &'static str, holds: &'static str) -> Expect {
    Expect::HeaderSays { agent, holds, truncated: false }
}

fn entry(id: &'static str, value: &'static [u8], expect: Vec<Expect>) -> Entry {
    let what = format!("X-Robots-Tag: {}", value.escape_ascii());
    Entry::new(Layer::Meta, id, what, line(value.into()), expect)
}

fn line(value: Recipe) -> Recipe {
    text(b"X-Robots-Tag: ").then(value).then(b"\r\n")
}

/// Rows of id, value, and the directives for all crawlers.
const VALUES: &[(&str, &[u8], &str)] = &[
    ("M001", b"", "all"),
    ("M002", b"noindex", "noindex"),
    ("M003", b"NOINDEX", "noindex"),
    ("M004", b" noindex ", "noindex"),
    ("M005", b"noindex,nofollow", "noindex, nofollow"),
    ("M008", b"none", "noindex, nofollow"),
    ("M009", b"all", "all"),
    ("M010", b"none,all", "noindex, nofollow"),
    ("M011", b"index,noindex", "noindex"),
    ("M012", b"noindex,index", "noindex"),
    ("M013", b"noindex,noindex", "noindex"),
    ("M014", b",,,", "all"),
    ("M015", b"noindex,", "noindex"),
    ("M016", b"nosnippet", "nosnippet"),
    ("M017", b"max-snippet:0", "nosnippet"),
    ("M018", b"max-snippet:-1", "all"),
    ("M020", b"max-snippet:99999999999999999999", "max-snippet:4294967295"),
    ("M024", b"max-image-preview:large", "max-image-preview:large"),
    ("M026", b"max-video-preview:-1", "all"),
    ("M028", b"notranslate", "notranslate"),
    ("M029", b"noimageindex", "noimageindex"),
    ("M030", b"indexifembedded", "all"),
    ("M031", b"noarchive", "noarchive"),
    ("M032", b"nocache", "nocache"),
    ("M033", b"noai", "noai"),
    ("M034", b"noimageai", "noimageai"),
    (
        "M035",
        b"unavailable_after: 25 Jun 2010 15:00:00 PST",
        "unavailable_after:2010-06-25T23:00:00Z",
    ),
    ("M036", b"unavailable_after: 2010-06-25T15:00:00Z", "unavailable_after:2010-06-25T15:00:00Z"),
    (
        "M037",
        b"unavailable_after: Friday, 25-Jun-10 15:00:00 GMT",
        "unavailable_after:2010-06-25T15:00:00Z",
    ),
    ("M038", b"unavailable_after: 9999-12-31", "unavailable_after:9999-12-31T00:00:00Z"),
    (
        "M041",
        b"unavailable_after: 2010-06-25, noindex",
        "noindex, unavailable_after:2010-06-25T00:00:00Z",
    ),
];

/// Unknown items, preserved as text: wrong separators, invalid values, other characters.
const UNKNOWN: &[(&str, &[u8])] = &[
    ("M006", b"noindex;nofollow"),
    ("M007", b"noindex nofollow"),
    ("M019", b"max-snippet:-2"),
    ("M021", b"max-snippet:abc"),
    ("M022", b"max-snippet:"),
    ("M023", b"max-snippet"),
    ("M025", b"max-image-preview:huge"),
    ("M027", b"max-video-preview:1e9"),
    ("M039", b"unavailable_after: junk"),
    ("M040", b"unavailable_after:"),
    ("M042", b"unavailable_after: 31 Feb 2024 00:00:00 GMT"),
    ("M043", b"unavailable_after: 25 Jun 2010 25:61:61 GMT"),
    ("M055", b"noindex\x00"),
    ("M056", b"noindex\x0b"),
    ("M057", b"\xff\xfe"),
    ("M058", b"no\xc2\xadindex"),
    ("M059", b"n\xc3\xb6index"),
    ("M060", b"NO\xc4\xb0NDEX"),
    ("M061", b"\x1b[31mnoindex"),
    ("M062", b"<script>"),
    ("M063", b"=cmd"),
    ("M064", b"\"noindex\""),
    ("M065", b"noindex#c"),
    ("M066", b"noindex=true"),
    ("M068", b"!noindex"),
    ("M069", b"-noindex"),
];

/// A row: id, value, and the directives for some agents.
type Row = (&'static str, &'static [u8], &'static [(&'static str, &'static str)]);

/// REP-PAGE-11, REP-PAGE-12: the text before a colon is an agent, unless it is a directive that
/// takes a value.
const AGENTS: &[Row] = &[
    ("M044", b"googlebot: noindex", &[("Googlebot", "noindex"), (AGENT, "all")]),
    ("M045", b"googlebot:noindex", &[("googlebot", "noindex"), (AGENT, "all")]),
    (
        "M046",
        b"googlebot: noindex, otherbot: nofollow",
        &[("googlebot", "noindex"), ("otherbot", "nofollow"), (AGENT, "all")],
    ),
    (
        "M047",
        b"googlebot: unavailable_after: 2010-06-25",
        &[("googlebot", "unavailable_after:2010-06-25T00:00:00Z"), (AGENT, "all")],
    ),
    ("M048", b"Googlebot : noindex", &[("googlebot", "noindex"), (AGENT, "all")]),
    ("M049", b"*: noindex", &[(AGENT, "noindex")]),
    ("M050", b": noindex", &[(AGENT, "noindex")]),
    ("M051", b"http://x: noindex", &[(AGENT, "all"), ("http", "all"), ("//x", "noindex")]),
    ("M052", b"bot/1.0: noindex", &[(AGENT, "all"), ("bot/1.0", "noindex")]),
    ("M053", b"a b: noindex", &[(AGENT, "all"), ("a b", "noindex"), ("b", "all")]),
    (
        "M054",
        b"max-snippet: 5, googlebot: max-snippet: 7",
        &[("googlebot", "max-snippet:5"), (AGENT, "max-snippet:5")],
    ),
    ("M067", b"noindex:", &[(AGENT, "all")]),
];

fn many() -> Vec<Entry> {
    let new = |id, what: &str, recipe, expect| Entry::new(Layer::Meta, id, what, recipe, expect);
    let agents = Piece::Each(20_000, |index| format!("a{index}: noindex, "));
    vec![
        new(
            "M070",
            "1000 lines",
            repeat(b"X-Robots-Tag: noindex\r\n", 1000),
            vec![says(AGENT, "noindex")],
        ),
        new(
            "M071",
            "one line of 60 KB of commas",
            line(repeat(b",", 60_000)),
            vec![says(AGENT, "all")],
        ),
        new(
            "M072",
            "one line with 20 000 agents, more than the limit",
            line(agents.into()),
            vec![
                Expect::HeaderSays { agent: "a0", holds: "noindex", truncated: true },
                Expect::HeaderSays { agent: "a999", holds: "noindex", truncated: true },
                Expect::HeaderSays { agent: AGENT, holds: "all", truncated: true },
            ],
        ),
        new(
            "M073",
            "a line for all crawlers and one for an agent add up",
            text(b"X-Robots-Tag: nofollow\r\nX-Robots-Tag: googlebot: noindex\r\n"),
            vec![says("googlebot", "noindex, nofollow"), says(AGENT, "nofollow")],
        ),
    ]
}
