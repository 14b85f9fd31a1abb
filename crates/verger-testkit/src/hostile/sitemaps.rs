//! Sitemap lines and their values: a text, and a URL only if the text is an absolute http or https
//! URL. Also lines that are repeated, with unusual keys, and in every position of a file. Nothing here
//! is ever fetched.

use super::check::{ALLOWED, DISALLOWED};
use super::entry::{Entry, LIMIT, Layer};
use super::expect::{Expect, Notice, SitemapLine, SitemapUrl, Sitemaps, answers, answers_as};
use super::recipe::{Recipe, repeat, text};

use SitemapUrl::{Absent, AsWritten, NoHost, TooLong};

/// The unchanged value is offered; a WHATWG parser changes it to this.
const fn becomes(parsed: &'static str) -> SitemapUrl {
    SitemapUrl::Becomes { parsed, offered: true }
}

/// A WHATWG parser changes the value to this; without such a parser, no URL is offered.
const fn withheld(parsed: &'static str) -> SitemapUrl {
    SitemapUrl::Becomes { parsed, offered: false }
}

pub(super) fn entries() -> Vec<Entry> {
    let mut all: Vec<Entry> =
        NO_URL.iter().map(|&(id, value)| one(id, value, value, Absent)).collect();
    all.extend(URLS.iter().map(|&(id, value, url)| one(id, value, value, url)));
    all.extend(COMMENTED.iter().map(|&(id, value, kept)| one(id, value, kept, AsWritten)));
    all.extend(patterned());
    all.extend(LENGTHS.iter().map(|&(id, letters, url)| long(id, letters, url)));
    all.extend(nul());
    all
}

/// Returns a list of one line.
pub(super) fn listed(raw: impl Into<Recipe>, url: SitemapUrl) -> Vec<SitemapLine> {
    vec![SitemapLine { raw: raw.into(), url }]
}

/// Returns the entry for one line with the same value in both dialects.
fn one(id: &'static str, value: &'static [u8], kept: &'static [u8], url: SitemapUrl) -> Entry {
    let what = format!("Sitemap: {}", value.escape_ascii());
    line(id, what, value.into(), listed(kept, url), listed(kept, url))
}

fn line(
    id: &'static str,
    what: String,
    value: Recipe,
    rfc9309: Vec<SitemapLine>,
    google: Vec<SitemapLine>,
) -> Entry {
    let recipe = text(b"Sitemap: ").then(value).then(b"\n");
    let expect = vec![Expect::Groups(0), Expect::Sitemaps(Sitemaps { rfc9309, google })];
    Entry::new(Layer::Sitemap, id, what, recipe, expect)
}

/// Rows of id and value that is not an absolute http or https URL.
const NO_URL: &[(&str, &[u8])] = &[
    ("S001", b""),
    ("S002", b"/"),
    ("S003", b"/sitemap.xml"),
    ("S004", b"sitemap.xml"),
    ("S005", b"//h/s.xml"),
    ("S006", b"http:"),
    ("S007", b"http://"),
    ("S008", b"http:///"),
    ("S020", b"http://[::1"),
    ("S026", b"file:///etc/passwd"),
    ("S027", b"ftp://h/s.xml"),
    ("S028", b"javascript:alert(1)"),
    ("S029", b"data:text/xml,<a/>"),
    ("S030", b"gopher://h"),
    ("S031", b"ws://h"),
    ("S032", b"mailto:a@b"),
    ("S033", b"about:blank"),
    ("S038", b"http://h:99999/s"),
    ("S043", b"<http://h/s.xml>"),
    ("S044", b"\"http://h/s.xml\""),
    ("S045", b"'http://h/s.xml'"),
    ("S046", b"[http://h/s.xml]"),
    ("S047", b"(http://h/s.xml)"),
    ("S050", b"=HYPERLINK(\"http://evil\")"),
    ("S051", b"+1+1"),
    ("S052", b"@SUM(1)"),
    ("S053", b"-2"),
    ("S054", b"\x1b]8;;http://evil\x07x"),
    ("S055", b"\x1b[2J"),
    ("S058", b"\xff\xfe"),
    ("S059", b"\xef\xbb\xbfhttp://h/s"),
    ("S062", b"http://\xe2\x80\xae/s"),
    ("S066", b"://h"),
    ("S067", b"h.example/s.xml"),
    ("S068", b"www.h.example/s.xml"),
    ("S069", b"Sitemap: http://h/s"),
    ("S070", b"http//h/s"),
    ("S071", b"htp://h/s"),
    ("S073", b"https//h"),
];

/// Rows of id, value and URL. Addresses, userinfo and unusual ports make no difference here; the
/// guard checks them when a URL is fetched.
const URLS: &[(&str, &[u8], SitemapUrl)] = &[
    ("S009", b"http://h", becomes("http://h/")),
    ("S010", b"http://h/s.xml", AsWritten),
    ("S011", b"HTTP://H/S.XML", becomes("http://h/S.XML")),
    ("S013", b"http://h/s.xml http://h/t.xml", withheld("http://h/s.xml%20http://h/t.xml")),
    ("S014", b"http://h/s.xml,http://h/t.xml", AsWritten),
    ("S017", b"http://h/a b.xml", withheld("http://h/a%20b.xml")),
    ("S018", b"http://h/\xc3\xa9.xml", becomes("http://h/%C3%A9.xml")),
    ("S019", b"http://h/%zz", AsWritten),
    ("S021", b"http://[::1]/s", AsWritten),
    ("S022", b"http://127.0.0.1/s", AsWritten),
    ("S023", b"http://169.254.169.254/latest/meta-data/", AsWritten),
    ("S024", b"http://localhost/s", AsWritten),
    ("S025", b"http://10.0.0.1/s", AsWritten),
    ("S034", b"http://u:p@h/s", AsWritten),
    ("S035", b"http://h@evil/s", AsWritten),
    ("S036", b"http://h\\@evil/s", withheld("http://h/@evil/s")),
    ("S037", b"http://h:0/s", AsWritten),
    ("S039", b"http://h:80/s", becomes("http://h/s")),
    ("S040", b"http://other.example/s.xml", AsWritten),
    ("S048", b"http://h/<script>", becomes("http://h/%3Cscript%3E")),
    ("S049", b"http://h/\"onload=1", becomes("http://h/%22onload=1")),
    ("S060", b"http://xn--/s", NoHost),
    ("S061", b"http://exa\xc2\xadmple/s", becomes("http://example/s")),
    ("S063", b"http://1.2.3.4.5/s", NoHost),
    ("S064", b"http://0x7f.1/s", becomes("http://127.0.0.1/s")),
    ("S065", b"http://2130706433/s", becomes("http://127.0.0.1/s")),
    ("S072", b"https:/h/s", withheld("https://h/s")),
    ("S074", b"http:\\\\h\\s", withheld("http://h/s")),
];

/// Rows of id, value, and the value without its comment: a hash needs no space before it.
const COMMENTED: &[(&str, &[u8], &[u8])] = &[
    ("S012", b"https://h/s.xml#f", b"https://h/s.xml"),
    ("S015", b"http://h/s.xml # c", b"http://h/s.xml"),
    ("S016", b"http://h/s#c", b"http://h/s"),
];

fn patterned() -> Vec<Entry> {
    let row = |id, what: &str, value: Recipe, url| {
        line(
            id,
            format!("Sitemap: {what}"),
            value.clone(),
            listed(value.clone(), url),
            listed(value, url),
        )
    };
    let dots = text(b"http://h/").then(repeat(b"../", 50));
    let query = text(b"http://h/?").then(repeat(b"a=", 500));
    vec![
        row("S041", "a path that climbs fifty times", dots, becomes("http://h/")),
        row("S042", "a query of 1 000 bytes", query, AsWritten),
    ]
}

/// Rows of id, letters of the path, URL.
const LENGTHS: &[(&str, usize, SitemapUrl)] = &[
    ("S075", 2048, AsWritten),
    ("S076", 8192, TooLong),
    ("S077", 65_536, TooLong),
    ("S078", 500_000, TooLong),
];

fn long(id: &'static str, letters: usize, url: SitemapUrl) -> Entry {
    // Google's library reads 16 663 bytes of a line: the key, the origin, and this many letters.
    let google_letters = letters.min(16_663 - "Sitemap: http://h/".len());
    let value = |letters| text(b"http://h/").then(repeat(b"a", letters));
    line(
        id,
        format!("Sitemap: a path of {letters} letters"),
        value(letters),
        listed(value(letters), url),
        listed(value(google_letters), url),
    )
}

fn nul() -> Vec<Entry> {
    // REP-AMB-21: Google's library ends the line at NUL; the default dialect removes NULs at its
    // end.
    vec![
        line("S056", "Sitemap: NUL".into(), b"\0".into(), listed(b"", Absent), listed(b"", Absent)),
        line(
            "S057",
            "Sitemap: NUL at the end of a URL".into(),
            b"http://h/\0".into(),
            listed(b"http://h/", AsWritten),
            listed(b"http://h/", AsWritten),
        ),
    ]
}

pub(super) fn several() -> Vec<Entry> {
    let mut all = Vec::new();
    all.extend(REPEATED.iter().map(|&(id, times)| {
        let line = repeat(b"Sitemap: http://h/s.xml\n", times);
        let expect = vec![both(|| listed(b"http://h/s.xml", AsWritten))];
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
    let url = if value == URL { AsWritten } else { Absent };
    value.map_or_else(Vec::new, |value| listed(value, url))
}

fn places() -> Vec<Entry> {
    // The sitemap belongs to the file. Its line neither ends nor begins a group (REP-SYNTAX-40):
    // `/x` is always for FooBot.
    let found = || both(|| listed(b"http://h/s.xml", AsWritten));
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
                    google: listed(b"http://h/s.xml", AsWritten),
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
