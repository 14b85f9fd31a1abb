//! Robots texts that are expensive for a simple parser or matcher: series of stars, many rules,
//! many agents, many groups, long runs of white space, very many lines.

use super::check::{ALLOWED, DISALLOWED, GOOGLE_ALLOWS, RFC9309_ALLOWS};
use super::entry::{EVERYBODY, Entry, robots};
use super::expect::{Bound, Expect, Notice, answers, answers_as, url};
use super::recipe::{Recipe, each, repeat, text};

/// Length of the paths that are expensive to match.
const LONG: usize = 8192;

pub(super) fn entries() -> Vec<Entry> {
    let mut all = Vec::new();
    all.extend(STAR_RUNS.iter().map(|&(id, stars)| star_run(id, stars)));
    all.extend(STAR_A.iter().map(|&(id, times)| star_a_then_b(id, times)));
    all.extend(STAR_A_END.iter().map(|&(id, times)| star_a_then_end(id, times)));
    all.extend(rule_floods());
    all.extend(agent_floods());
    all.extend(space_and_line_floods());
    all
}

fn rule(pattern: impl Into<Recipe>) -> Recipe {
    text(EVERYBODY).then(b"Disallow: /").then(pattern).then(b"\n")
}

fn path(repeated: &'static [u8], times: usize) -> Recipe {
    text(b"/").then(repeat(repeated, times))
}

fn within(path: Recipe) -> Expect {
    Expect::Within(Bound::Check(url(path)))
}

/// Rows of id and number of stars.
const STAR_RUNS: &[(&str, usize)] =
    &[("R020", 26), ("R021", 1000), ("R022", 16_000), ("R023", 500_000)];

fn star_run(id: &'static str, stars: usize) -> Entry {
    // Google's library cuts the longest line inside the run, and a rule of stars matches
    // everything.
    let other = if stars > 16_663 { RFC9309_ALLOWS } else { ALLOWED };
    let expect =
        vec![answers(b"/a.js", DISALLOWED), answers(b"/a.txt", other), within(path(b"a", LONG))];
    robots(
        id,
        format!("{stars} stars in a row, then .js"),
        rule(repeat(b"*", stars).then(b".js")),
        expect,
    )
}

/// Rows of id and number of `*a`.
const STAR_A: &[(&str, usize)] =
    &[("R024", 10), ("R025", 25), ("R026", 1000), ("R027", 8000), ("R028", 250_000)];

fn star_a_then_b(id: &'static str, times: usize) -> Entry {
    // In the longest one Google's library reads 8 326 pairs and loses the final b.
    let hit = if times > 8300 { ALLOWED } else { DISALLOWED };
    let expect = vec![
        answers(path(b"a", LONG), ALLOWED),
        answers(path(b"a", LONG).then(b"b"), hit),
        within(path(b"a", LONG)),
    ];
    let what = format!("{times} times *a, then b: exponential for backtracking matchers");
    robots(id, what, rule(repeat(b"*a", times).then(b"b")), expect)
}

/// Rows of id and number of `*a`.
const STAR_A_END: &[(&str, usize)] = &[("R029", 25), ("R030", 500), ("R031", 8000)];

fn star_a_then_end(id: &'static str, times: usize) -> Entry {
    let expect = vec![
        answers(path(b"a", times), DISALLOWED),
        answers(path(b"a", LONG), DISALLOWED),
        answers(path(b"a", times - 1), ALLOWED),
        answers(path(b"a", LONG).then(b"b"), ALLOWED),
        within(path(b"a", LONG)),
    ];
    robots(id, format!("{times} times *a, then $"), rule(repeat(b"*a", times).then(b"$")), expect)
}

fn rule_floods() -> Vec<Entry> {
    let long_rules = each(31, |_| format!("Disallow: /{}b\n", "*a".repeat(8200)));
    let literals = each(250, |_| format!("Allow:*{}b\n", "a".repeat(2000)));
    // Rules that allow cannot change a verdict, so only the work is tested.
    let misses = |path: Recipe| vec![answers(path.clone(), ALLOWED), within(path)];
    vec![
        robots(
            "R032",
            "31 rules of 16 KB, each a run of *a",
            text(EVERYBODY).then(long_rules),
            vec![
                answers(path(b"a", LONG), ALLOWED),
                answers(path(b"a", 8200).then(b"b"), DISALLOWED),
                within(path(b"a", LONG)),
            ],
        ),
        robots(
            "R033",
            "56 000 rules *b against a path without b",
            text(EVERYBODY).then(repeat(b"Allow:*b\n", 56_000)),
            misses(path(b"a", LONG)),
        ),
        robots(
            "R034",
            "28 000 rules that match all but the last byte everywhere",
            text(EVERYBODY).then(repeat(b"Allow:*aaaaaaaaab\n", 28_000)),
            misses(path(b"a", LONG)),
        ),
        robots(
            "R035",
            "20 000 rules of three overlapping literals against abab",
            text(EVERYBODY).then(repeat(b"Allow:*ba*ab*aa\n", 20_000)),
            misses(path(b"ab", LONG / 2)),
        ),
        robots(
            "R036",
            "250 rules with a periodic literal of 2 000 bytes",
            text(EVERYBODY).then(literals),
            misses(path(b"a", LONG)),
        ),
    ]
}

fn agent_floods() -> Vec<Entry> {
    // Every name here differs from AGENT, unless the row says otherwise.
    let one_group =
        || vec![Expect::Groups(1), Expect::Truncated(false), answers_as(b"a1", b"/x", ALLOWED)];
    let agents_and_rules = |agents, rules| {
        each(agents, |i| format!("User-agent:a{i:x}\n"))
            .then(each(rules, |i| format!("Allow:/{i:x}\n")))
    };
    vec![
        robots(
            "R037",
            "14 000 agents and 21 000 rules in one group",
            agents_and_rules(14_000, 21_000),
            one_group(),
        ),
        robots(
            "R038",
            "3 000 agents and 4 000 rules in one group",
            agents_and_rules(3000, 4000),
            one_group(),
        ),
        robots(
            "R039",
            "15 000 groups for one agent, to be merged",
            repeat(b"User-agent: FooBot\nDisallow: /a\n\n", 15_000),
            vec![Expect::Groups(15_000), answers(b"/a", DISALLOWED), answers(b"/b", ALLOWED)],
        ),
        robots(
            "R040",
            "15 000 groups for as many agents; the size limit falls in the middle of one",
            each(15_000, |i| format!("User-agent: b{i}\nDisallow: /a{i}\n")),
            vec![
                Expect::Groups(14_438),
                Expect::Truncated(true),
                // Google's library reads these names as b: one agent only.
                answers_as(b"b77", b"/a77", GOOGLE_ALLOWS),
                answers_as(b"b77", b"/a78", ALLOWED),
                answers_as(b"b", b"/a78", RFC9309_ALLOWS),
                answers_as(b"b14999", b"/a14999", ALLOWED),
                answers(b"/a77", ALLOWED),
            ],
        ),
        robots(
            "R041",
            "30 000 agents in one group; its only rule lies beyond the size limit",
            each(30_000, |i| format!("User-agent: b{i}\n")).then(b"Disallow: /\n"),
            vec![
                Expect::Groups(1),
                Expect::Truncated(true),
                answers_as(b"b77", b"/x", ALLOWED),
                answers_as(b"b", b"/x", RFC9309_ALLOWS),
                answers(b"/x", ALLOWED),
            ],
        ),
        robots(
            "R042",
            "22 000 groups of one agent line and one rule, no blank line between",
            repeat(b"User-agent:a\nAllow:/\n", 22_000),
            vec![Expect::Groups(22_000), answers_as(b"a", b"/x", ALLOWED)],
        ),
    ]
}

fn space_and_line_floods() -> Vec<Entry> {
    vec![
        robots(
            "R202",
            "400 000 spaces before a value",
            text(EVERYBODY).then(b"Disallow:").then(repeat(b" ", 400_000)).then(b"/x\n"),
            // Google's library cuts the line before the value begins.
            vec![answers(b"/x", GOOGLE_ALLOWS), answers(b"/y", ALLOWED)],
        ),
        robots(
            "R203",
            "200 000 spaces inside a key",
            text(EVERYBODY).then(b"Disallow").then(repeat(b" ", 200_000)).then(b"x: /\n"),
            vec![Expect::Noticed(Notice::UnknownKey), answers(b"/x", ALLOWED)],
        ),
        robots(
            "R204",
            "200 000 spaces on each side of a hash",
            text(EVERYBODY)
                .then(repeat(b" ", 200_000))
                .then(b"#")
                .then(repeat(b" ", 200_000))
                .then(b"\n"),
            vec![Expect::Groups(1), answers(b"/x", ALLOWED)],
        ),
        robots(
            "R205",
            "30 000 rules before any agent, each with a comment glued to it",
            repeat(b"Disallow: /a#b\n", 30_000),
            vec![
                Expect::Groups(0),
                Expect::Noticed(Notice::RuleBeforeAgent),
                Expect::Within(Bound::Notices(1000)),
                answers(b"/a", ALLOWED),
            ],
        ),
        robots(
            "R206",
            "100 000 lines of junk",
            repeat(b"zzzz\n", 100_000),
            vec![Expect::Groups(0), Expect::Within(Bound::Notices(1000)), answers(b"/x", ALLOWED)],
        ),
        robots(
            "R207",
            "20 000 Sitemap lines, all different",
            each(20_000, |i| format!("Sitemap: http://h/{i}\n")),
            vec![Expect::Groups(0), Expect::SitemapCount(20_000), answers(b"/x", ALLOWED)],
        ),
    ]
}
