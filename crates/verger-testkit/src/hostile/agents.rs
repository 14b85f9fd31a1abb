//! Agents: words, punctuation, control bytes, look-alike letters, megabytes, and long lists.
//!
//! Every agent is checked against a `*` group, which applies to it, and against a group whose line
//! contains the agent's bytes.

use super::check::{ALLOWED, Answers, DISALLOWED, GOOGLE_ALLOWS, RFC9309_ALLOWS};
use super::entry::{Entry, Layer};
use super::expect::{AgentList, Expect, robots_answers};
use super::recipe::{Recipe, each, repeat, text};

pub(super) fn entries() -> Vec<Entry> {
    let mut all = Vec::new();
    all.extend(WORDS.iter().map(|&(id, agent)| word(id, agent)));
    all.extend(OTHERS.iter().map(|&(id, agent, own)| other(id, agent, own)));
    all.extend(CONTROLS.iter().map(|&(id, what, tail, own, as_foo)| {
        let more = vec![robots_answers(FOO, "/x", as_foo)];
        foo(id, what, tail, own, more)
    }));
    all.extend(
        LOOK_ALIKES
            .iter()
            .map(|&(id, what, tail, names)| foo(id, what, tail, GOOGLE_ALLOWS, unlike(names))),
    );
    all.extend(LENGTHS.iter().map(|&(id, letters, own)| {
        let what = format!("an agent of {letters} letters");
        entry(id, what, repeat(b"a", letters), true, own, Vec::new())
    }));
    all.extend(LISTS.iter().map(|&(id, count, robots)| list(id, count, robots)));
    all
}

fn entry(
    id: &'static str,
    what: String,
    agent: Recipe,
    is_token: bool,
    own: Answers,
    more: Vec<Expect>,
) -> Entry {
    let own_name = text(b"User-agent: ").then(agent.clone()).then(b"\nDisallow: /\n");
    let mut expect = vec![
        Expect::ProductToken(is_token),
        robots_answers(b"User-agent: *\nDisallow: /\n", "/x", DISALLOWED),
        robots_answers(own_name, "/x", own),
    ];
    expect.extend(more);
    Entry::new(Layer::Agent, id, what, agent, expect)
}

fn word(id: &'static str, agent: &'static str) -> Entry {
    entry(id, format!("agent {agent}, a product token"), agent.into(), true, DISALLOWED, Vec::new())
}

fn other(id: &'static str, agent: &'static str, own: Answers) -> Entry {
    entry(id, format!("agent {agent:?}, no product token"), agent.into(), false, own, Vec::new())
}

/// Returns the entry for `Foo` followed by bytes.
fn foo(
    id: &'static str,
    what: &str,
    tail: &'static [u8],
    own: Answers,
    more: Vec<Expect>,
) -> Entry {
    let more = [vec![Expect::NoHeader], more].concat();
    entry(id, format!("agent Foo and {what}"), text(b"Foo").then(tail), false, own, more)
}

/// Returns the expectations for an agent that is neither `Foo` nor any of `names`.
fn unlike(names: &[&'static str]) -> Vec<Expect> {
    let groups = names.iter().map(|&name| {
        let group = text(b"User-agent: ").then(name).then(b"\nDisallow: /\n");
        robots_answers(group, "/x", ALLOWED)
    });
    [robots_answers(FOO, "/x", ALLOWED)].into_iter().chain(groups).collect()
}

fn list(id: &'static str, count: usize, robots: &'static str) -> Entry {
    let agents = each(count, |i| if i == 0 { "bot0".into() } else { format!("\nbot{i}") });
    let list = AgentList {
        count,
        over_limit: count > 16,
        robots: robots.into(),
        // Google's library reads the name of the group as bot, which is not in the list.
        allowed: GOOGLE_ALLOWS,
    };
    let expect = vec![Expect::AgentList(list)];
    Entry::new(Layer::Agent, id, format!("a list of {count} agents"), agents, expect)
}

/// Rows of id and agent: only letters, `-` and `_`; some have a meaning elsewhere.
const WORDS: &[(&str, &str)] = &[
    ("A006", "-"),
    ("A007", "_"),
    ("A008", "--"),
    ("A009", "__"),
    ("A010", "a-b"),
    ("A011", "a_b"),
    ("A012", "A"),
    ("A013", "googlebot"),
    ("A014", "GoogleBot"),
    ("A015", "Googlebot-Image"),
    ("A031", "bot"),
    ("A032", "BOT"),
    ("A033", "b"),
    ("A034", "robots"),
    ("A035", "User-agent"),
    ("A036", "Disallow"),
    ("A037", "Sitemap"),
    ("A038", "__proto__"),
    ("A039", "constructor"),
    ("A040", "hasOwnProperty"),
    ("A041", "toString"),
    ("A042", "null"),
    ("A043", "undefined"),
    ("A044", "None"),
    ("A045", "nan"),
    ("A046", "true"),
];

/// Rows of id, agent, and its answers from a group with the same bytes. The default dialect cuts
/// the line's value at white space and at `/`, `,`, `;`, `(`, `*` (REP-AMB-11). It looks for the
/// words of an agent that contains one of these (REP-AMB-13). Google's library does not interpret
/// the agent.
const OTHERS: &[(&str, &str, Answers)] = &[
    // To Google's library the empty name of the line equals the empty agent.
    ("A001", "", RFC9309_ALLOWS),
    ("A002", "*", DISALLOWED),
    ("A003", "**", ALLOWED),
    ("A004", "a*", GOOGLE_ALLOWS),
    ("A005", "*a", ALLOWED),
    ("A016", "Googlebot/2.1", GOOGLE_ALLOWS),
    ("A017", "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", ALLOWED),
    ("A018", "Foo Bar", GOOGLE_ALLOWS),
    ("A019", r"Foo\tBar", GOOGLE_ALLOWS),
    ("A020", "Foo/", GOOGLE_ALLOWS),
    ("A021", "/Foo", ALLOWED),
    ("A022", "Foo;Bar", GOOGLE_ALLOWS),
    ("A023", "Foo,Bar", GOOGLE_ALLOWS),
    ("A024", "Foo:Bar", GOOGLE_ALLOWS),
    ("A025", "Foo#Bar", GOOGLE_ALLOWS),
    ("A026", "(Foo)", ALLOWED),
    ("A027", "Foo.Bar", GOOGLE_ALLOWS),
    ("A028", "1", GOOGLE_ALLOWS),
    ("A029", "123bot", GOOGLE_ALLOWS),
    ("A030", "a1", GOOGLE_ALLOWS),
    ("A047", "0", GOOGLE_ALLOWS),
    ("A048", "-1", GOOGLE_ALLOWS),
    ("A049", "..", GOOGLE_ALLOWS),
    ("A050", "../x", GOOGLE_ALLOWS),
    ("A051", "%46oo", GOOGLE_ALLOWS),
    ("A052", "&lt;", GOOGLE_ALLOWS),
    ("A053", "=cmd", GOOGLE_ALLOWS),
    ("A054", "+1", GOOGLE_ALLOWS),
    ("A055", "@x", GOOGLE_ALLOWS),
    ("A056", "'; DROP TABLE", GOOGLE_ALLOWS),
    ("A057", "${jndi:ldap://x}", ALLOWED),
    ("A058", "{{7*7}}", GOOGLE_ALLOWS),
    ("A059", "$(id)", GOOGLE_ALLOWS),
    ("A060", "`id`", GOOGLE_ALLOWS),
    ("A061", "|id", GOOGLE_ALLOWS),
    ("A062", r"\", GOOGLE_ALLOWS),
    ("A063", r"\u0041", GOOGLE_ALLOWS),
    ("A064", "\"", GOOGLE_ALLOWS),
    ("A065", "<script>", GOOGLE_ALLOWS),
    ("A066", "[", GOOGLE_ALLOWS),
    ("A067", "(a+)+$", ALLOWED),
    ("A068", ".*", ALLOWED),
    ("A069", "?", GOOGLE_ALLOWS),
    ("A070", "^", GOOGLE_ALLOWS),
    ("A071", "$", GOOGLE_ALLOWS),
];

const FOO: &[u8] = b"User-agent: Foo\nDisallow: /\n";

/// Rows of id, name and bytes after `Foo`, the answers from a group with the same bytes, and those
/// from a group for `Foo`. A line end and NUL separate words (REP-AMB-13).
const CONTROLS: &[(&str, &str, &[u8], Answers, Answers)] = &[
    ("A072", "NUL", b"\0", GOOGLE_ALLOWS, GOOGLE_ALLOWS),
    ("A073", "a header of its own", b"\r\nX-Inj: 1", GOOGLE_ALLOWS, GOOGLE_ALLOWS),
    ("A074", "LF", b"\n", GOOGLE_ALLOWS, GOOGLE_ALLOWS),
    ("A075", "an escape sequence", b"\x1b[31m", GOOGLE_ALLOWS, ALLOWED),
    ("A076", "DEL", b"\x7f", GOOGLE_ALLOWS, ALLOWED),
    ("A077", "a byte that UTF-8 never has", b"\xff", GOOGLE_ALLOWS, ALLOWED),
    ("A086", "an encoded surrogate", b"\xed\xa0\x80", GOOGLE_ALLOWS, ALLOWED),
];

/// Rows of id, name and bytes after `Foo`, and names that incorrect case folding would make equal.
const LOOK_ALIKES: &[(&str, &str, &[u8], &[&str])] = &[
    ("A078", "e with an accent", b"\xc3\xa9", &["Fooe", "FOO\u{c9}"]),
    ("A079", "capital I with a dot", b"\xc4\xb0", &["Fooi", "Fooi\u{307}"]),
    ("A080", "the Kelvin sign", b"\xe2\x84\xaa", &["Fook", "FooK"]),
    ("A081", "long s", b"\xc5\xbf", &["Foos", "FooS"]),
    ("A082", "a right-to-left override", b"\xe2\x80\xae", &["ooF"]),
    ("A083", "a zero-width space", b"\xe2\x80\x8b", &[]),
    ("A084", "a robot's face", b"\xf0\x9f\xa4\x96", &[]),
    ("A085", "a full-width F", b"\xef\xbc\xa6", &["Foof", "FooF", "Foo\u{ff46}"]),
];

/// Rows of id, number of letters, and answers from a group of this name. Google's library cuts the
/// line of the longer ones, and the size limit of the default dialect drops that of the longest.
const LENGTHS: &[(&str, usize, Answers)] = &[
    ("A087", 64, DISALLOWED),
    ("A088", 255, DISALLOWED),
    ("A089", 256, DISALLOWED),
    ("A090", 1000, DISALLOWED),
    ("A091", 8192, DISALLOWED),
    ("A092", 65_536, GOOGLE_ALLOWS),
    ("A093", 1_000_000, ALLOWED),
    ("A094", 10_000_000, ALLOWED),
];

/// Rows of id, number of agents, and a robots text for the last of them.
const LISTS: &[(&str, usize, &str)] = &[
    ("A095", 1, "User-agent: bot0\nDisallow: /\n"),
    ("A096", 10, "User-agent: bot9\nDisallow: /\n"),
    ("A097", 100, "User-agent: bot99\nDisallow: /\n"),
    ("A098", 1000, "User-agent: bot999\nDisallow: /\n"),
    ("A099", 10_000, "User-agent: bot9999\nDisallow: /\n"),
];

/// A row: id, agent, and robots texts with a path and its answers.
type Row = (&'static str, &'static str, &'static [(&'static str, &'static str, Answers)]);

pub(super) fn pairs() -> Vec<Entry> {
    PAIRS.iter().map(|&row| pairing(row)).collect()
}

fn pairing((id, agent, questions): Row) -> Entry {
    let mut expect: Vec<Expect> = questions
        .iter()
        .map(|&(robots, path, allowed)| robots_answers(robots, path, allowed))
        .collect();
    let grammar = |byte: u8| byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'_');
    expect.push(Expect::ProductToken(!agent.is_empty() && agent.bytes().all(grammar)));
    let robots = questions.first().map_or("", |&(robots, ..)| robots);
    let what = format!("agent {agent:?} and {robots:?}");
    Entry::new(Layer::Agent, id, what, agent.into(), expect)
}

const FOO_GROUP: &str = "User-agent: Foo\nDisallow: /\n";
const FOO_TWICE: &str = "User-agent: Foo\nDisallow: /x\n\nUser-agent: foo\nDisallow: /y\n";
const FOO_AND_STAR: &str = "User-agent: Foo\nDisallow: /x\n\nUser-agent: *\nDisallow: /y\n";
const FOO_SPREAD: &str = "User-agent: Foo\nDisallow: /x\n\nUser-agent: Bar\nDisallow: /z\n\n\
    User-agent: Foo\nDisallow: /y\n";
const STAR_GROUP: &str = "User-agent: *\nDisallow: /\n";

const PAIRS: &[Row] = &[
    ("A100", "FooBot", &[(FOO_GROUP, "/x", ALLOWED)]),
    ("A101", "Foo", &[("User-agent: FooBot\nDisallow: /\n", "/x", ALLOWED)]),
    ("A102", "foo", &[("User-agent: FOO\nDisallow: /\n", "/x", DISALLOWED)]),
    ("A103", "Foo-Bot", &[(FOO_GROUP, "/x", ALLOWED)]),
    ("A104", "Foo", &[("User-agent: Foo-Bot\nDisallow: /\n", "/x", ALLOWED)]),
    ("A105", "Foo_Bot", &[(FOO_GROUP, "/x", ALLOWED)]),
    // REP-AMB-13: the agent is read as a header, but Google's library does not interpret it.
    (
        "A106",
        "Foo/1",
        &[
            ("User-agent: Foo/2\nDisallow: /\n", "/x", GOOGLE_ALLOWS),
            (FOO_GROUP, "/x", GOOGLE_ALLOWS),
        ],
    ),
    ("A107", "Foo", &[("User-agent: Foo/2\nDisallow: /\n", "/x", DISALLOWED)]),
    ("A108", "Foo", &[(FOO_TWICE, "/x", DISALLOWED), (FOO_TWICE, "/y", DISALLOWED)]),
    ("A109", "Foo", &[(FOO_AND_STAR, "/x", DISALLOWED), (FOO_AND_STAR, "/y", ALLOWED)]),
    ("A110", "Foo", &[("User-agent:  Foo \nDisallow: /\n", "/x", DISALLOWED)]),
    ("A111", "Foo", &[("User-agent: Foo # c\nDisallow: /\n", "/x", DISALLOWED)]),
    ("A112", "Foo", &[("User-agent: Foo*\nDisallow: /\n", "/x", DISALLOWED)]),
    ("A113", "*", &[(STAR_GROUP, "/x", DISALLOWED), (FOO_GROUP, "/x", ALLOWED)]),
    ("A114", "", &[(STAR_GROUP, "/x", DISALLOWED), (FOO_GROUP, "/x", ALLOWED)]),
    // REP-AGENT-5: for Google's library, the empty name of the line equals the empty agent.
    ("A115", "", &[("User-agent:\nDisallow: /\n", "/x", RFC9309_ALLOWS)]),
    // An agent is a literal token: fallback chains apply only to named crawlers.
    ("A116", "Googlebot-News", &[("User-agent: Googlebot\nDisallow: /\n", "/x", ALLOWED)]),
    ("A117", "AdsBot-Google", &[(STAR_GROUP, "/x", DISALLOWED)]),
    ("A118", "bing", &[("User-agent: bingbot\nDisallow: /\n", "/x", ALLOWED)]),
    ("A119", "bingbot", &[("User-agent: bing\nDisallow: /\n", "/x", ALLOWED)]),
    (
        "A120",
        "Foo",
        &[
            (FOO_SPREAD, "/x", DISALLOWED),
            (FOO_SPREAD, "/y", DISALLOWED),
            (FOO_SPREAD, "/z", ALLOWED),
        ],
    ),
    // REP-AGENT-13: a group without rules still replaces the `*` group.
    ("A121", "Foo", &[("User-agent: *\nDisallow: /\n\nUser-agent: Foo\n", "/x", ALLOWED)]),
    (
        "A122",
        "Foo",
        // REP-AMB-4: Crawl-delay does not end a list of agents, so in the second text Foo belongs
        // to the group below.
        &[
            ("User-agent: *\nDisallow: /\n\nUser-agent: Foo\nCrawl-delay: 5\n", "/x", ALLOWED),
            ("User-agent: Foo\nCrawl-delay: 5\n\nUser-agent: *\nDisallow: /\n", "/x", DISALLOWED),
        ],
    ),
    // REP-AMB-12: only the first name of a list counts.
    (
        "A123",
        "Foo",
        &[
            ("User-agent: Foo,Bar\nDisallow: /\n", "/x", DISALLOWED),
            ("User-agent: Bar,Foo\nDisallow: /\n", "/x", ALLOWED),
        ],
    ),
    ("A124", "Foo", &[("User-agent: Foo Bar\nDisallow: /\n", "/x", DISALLOWED)]),
];
