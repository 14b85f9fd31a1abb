//! Sitemap lines among others: repeated, with unusual keys, and in every position of a file.

use super::check::{ALLOWED, DISALLOWED};
use super::claim::{answers, answers_as};
use super::expect::{Expect, Notice, SitemapLine, SitemapUrl, Sitemaps};
use super::recipe::{Recipe, repeat, text};
use super::sitemaps::listed;
use super::{Entry, LIMIT, Layer};

pub(super) fn entries() -> Vec<Entry> {
    let mut all = Vec::new();
    all.extend(REPEATED.iter().map(|&(id, times)| {
        let line = repeat(b"Sitemap: http://h/s.xml\n", times);
        let expect = vec![both(|| listed(b"http://h/s.xml", SitemapUrl::AsWritten))];
        entry(id, format!("{times} equal lines give one sitemap"), line, expect)
    }));
    all.extend(KEYS.iter().map(|&(id, line, rfc9309, google)| {
        let sitemaps = Sitemaps { rfc9309: value(rfc9309), google: value(google) };
        let what = format!("line `{}`", line.escape_ascii());
        entry(id, what, text(line).then(b"\n"), vec![Expect::Sitemaps(sitemaps)])
    }));
    all.extend(places());
    all
}

fn entry(id: &'static str, what: impl Into<String>, recipe: Recipe, expect: Vec<Expect>) -> Entry {
    Entry::new(Layer::Sitemap, id, what, recipe, expect)
}

fn both(lines: fn() -> Vec<SitemapLine>) -> Expect {
    Expect::Sitemaps(Sitemaps { rfc9309: lines(), google: lines() })
}

/// Rows of id and number of lines.
const REPEATED: &[(&str, usize)] = &[("S079", 2), ("S080", 100), ("S081", 1000), ("S082", 20_000)];

/// A URL that is listed unchanged.
const URL: Option<&str> = Some("http://h/s");

/// A row: id, line, and its value in `rfc9309` and in `google`.
type Key = (&'static str, &'static [u8], Option<&'static str>, Option<&'static str>);

/// Both dialects accept the misspelling. Only `google` compares keys by prefix (REP-AMB-40), and so
/// finds a key before the colon of a URL.
const KEYS: &[Key] = &[
    ("S083", b"Sitemap", None, None),
    ("S084", b"Sitemap:", Some(""), Some("")),
    ("S085", b"Sitemap :http://h/s", URL, URL),
    ("S086", b"sitemap: http://h/s", URL, URL),
    ("S087", b"SITEMAP: http://h/s", URL, URL),
    ("S088", b"Site-map: http://h/s", URL, URL),
    ("S089", b"site map: http://h/s", None, None),
    ("S090", b"Sitemaps: http://h/s", None, URL),
    ("S091", b"Sitemap=http://h/s", None, Some("//h/s")),
    ("S092", b"Sitemap http://h/s", None, Some("//h/s")),
    ("S093", b"\tSitemap: http://h/s", URL, URL),
    ("S094", b"Sitemap:\thttp://h/s", URL, URL),
    ("S095", b"Sitemap: http://h/s\r", URL, URL),
    ("S096", b"Sitemap: http://h/s\x0b", URL, URL),
];

fn value(value: Option<&'static str>) -> Vec<SitemapLine> {
    let url = if value == URL { SitemapUrl::AsWritten } else { SitemapUrl::Absent };
    value.map_or_else(Vec::new, |value| listed(value, url))
}

fn places() -> Vec<Entry> {
    // The sitemap belongs to the file. Its line neither ends nor begins a group (REP-SYNTAX-40):
    // `/x` is always for FooBot.
    let found = || both(|| listed(b"http://h/s.xml", SitemapUrl::AsWritten));
    let group = |rest: Vec<Expect>| {
        let mut expect = vec![answers(b"/x", DISALLOWED), answers(b"/z", ALLOWED)];
        expect.extend(rest);
        expect
    };
    vec![
        entry(
            "S097",
            "before any group",
            b"Sitemap: http://h/s.xml\nUser-agent: FooBot\nDisallow: /x\n".into(),
            group(vec![found()]),
        ),
        entry(
            "S098",
            "between two rules of a group",
            b"User-agent: FooBot\nDisallow: /x\nSitemap: http://h/s.xml\nDisallow: /y\n".into(),
            group(vec![found(), answers(b"/y", DISALLOWED)]),
        ),
        entry(
            "S099",
            "between two agents of a group",
            b"User-agent: FooBot\nSitemap: http://h/s.xml\n\
              User-agent: BarBot\nDisallow: /x\n"
                .into(),
            group(vec![found(), Expect::Groups(1), answers_as("BarBot", b"/x", DISALLOWED)]),
        ),
        entry(
            "S100",
            "after the last rule of a group, another group below",
            b"User-agent: FooBot\nDisallow: /x\nSitemap: http://h/s.xml\n\
              User-agent: BarBot\nDisallow: /y\n"
                .into(),
            group(vec![found(), Expect::Groups(2), answers(b"/y", ALLOWED)]),
        ),
        entry(
            "S101",
            "on the last line, without line end",
            b"User-agent: FooBot\nDisallow: /x\nSitemap: http://h/s.xml".into(),
            group(vec![found()]),
        ),
        entry(
            "S102",
            "inside a comment",
            b"User-agent: FooBot\nDisallow: /x # Sitemap: http://h/s.xml\n\
              #Sitemap: http://h/s.xml\n"
                .into(),
            group(vec![both(Vec::new)]),
        ),
        entry(
            "S103",
            "beyond the size limit",
            text(b"User-agent: FooBot\nDisallow: /x\n")
                .then(repeat(b"#", LIMIT))
                .then(b"\nSitemap: http://h/s.xml\n"),
            group(vec![
                Expect::Truncated(true),
                Expect::Sitemaps(Sitemaps {
                    rfc9309: Vec::new(),
                    google: listed(b"http://h/s.xml", SitemapUrl::AsWritten),
                }),
            ]),
        ),
        entry(
            "S104",
            "in a page: the clean line counts, the one inside an element does not",
            b"<!DOCTYPE html>\n<p>Sitemap: http://h/t.xml</p>\nSitemap: http://h/s.xml\n</html>\n"
                .into(),
            vec![
                found(),
                Expect::Groups(0),
                Expect::Noticed(Notice::Html),
                answers(b"/x", ALLOWED),
            ],
        ),
        entry(
            "S105",
            "first in a file that begins with a byte order mark",
            b"\xef\xbb\xbfSitemap: http://h/s.xml\nUser-agent: FooBot\nDisallow: /x\n".into(),
            group(vec![found()]),
        ),
    ]
}
