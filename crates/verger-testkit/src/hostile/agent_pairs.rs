//! Pairings of an agent and a robots text, with the answers.

use super::check::{ALLOWED, Answers, DISALLOWED, GOOGLE_ALLOWS, RFC9309_ALLOWS};
use super::claim::robots_answers;
use super::expect::Expect;
use super::{Entry, Layer};

/// A row: id, agent, and robots texts with a path and its answers.
type Row = (&'static str, &'static str, &'static [(&'static str, &'static str, Answers)]);

pub(super) fn entries() -> Vec<Entry> {
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

const FOO: &str = "User-agent: Foo\nDisallow: /\n";
const FOO_TWICE: &str = "User-agent: Foo\nDisallow: /x\n\nUser-agent: foo\nDisallow: /y\n";
const FOO_AND_STAR: &str = "User-agent: Foo\nDisallow: /x\n\nUser-agent: *\nDisallow: /y\n";
const FOO_SPREAD: &str = "User-agent: Foo\nDisallow: /x\n\nUser-agent: Bar\nDisallow: /z\n\n\
    User-agent: Foo\nDisallow: /y\n";
const STAR: &str = "User-agent: *\nDisallow: /\n";

const PAIRS: &[Row] = &[
    ("A100", "FooBot", &[(FOO, "/x", ALLOWED)]),
    ("A101", "Foo", &[("User-agent: FooBot\nDisallow: /\n", "/x", ALLOWED)]),
    ("A102", "foo", &[("User-agent: FOO\nDisallow: /\n", "/x", DISALLOWED)]),
    ("A103", "Foo-Bot", &[(FOO, "/x", ALLOWED)]),
    ("A104", "Foo", &[("User-agent: Foo-Bot\nDisallow: /\n", "/x", ALLOWED)]),
    ("A105", "Foo_Bot", &[(FOO, "/x", ALLOWED)]),
    // REP-AMB-13: the agent is read as a header, but Google's library does not interpret it.
    (
        "A106",
        "Foo/1",
        &[("User-agent: Foo/2\nDisallow: /\n", "/x", GOOGLE_ALLOWS), (FOO, "/x", GOOGLE_ALLOWS)],
    ),
    ("A107", "Foo", &[("User-agent: Foo/2\nDisallow: /\n", "/x", DISALLOWED)]),
    ("A108", "Foo", &[(FOO_TWICE, "/x", DISALLOWED), (FOO_TWICE, "/y", DISALLOWED)]),
    ("A109", "Foo", &[(FOO_AND_STAR, "/x", DISALLOWED), (FOO_AND_STAR, "/y", ALLOWED)]),
    ("A110", "Foo", &[("User-agent:  Foo \nDisallow: /\n", "/x", DISALLOWED)]),
    ("A111", "Foo", &[("User-agent: Foo # c\nDisallow: /\n", "/x", DISALLOWED)]),
    ("A112", "Foo", &[("User-agent: Foo*\nDisallow: /\n", "/x", DISALLOWED)]),
    ("A113", "*", &[(STAR, "/x", DISALLOWED), (FOO, "/x", ALLOWED)]),
    ("A114", "", &[(STAR, "/x", DISALLOWED), (FOO, "/x", ALLOWED)]),
    // REP-AGENT-5: for Google's library, the empty name of the line equals the empty agent.
    ("A115", "", &[("User-agent:\nDisallow: /\n", "/x", RFC9309_ALLOWS)]),
    // An agent is a literal token: fallback chains apply only to named crawlers.
    ("A116", "Googlebot-News", &[("User-agent: Googlebot\nDisallow: /\n", "/x", ALLOWED)]),
    ("A117", "AdsBot-Google", &[(STAR, "/x", DISALLOWED)]),
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
