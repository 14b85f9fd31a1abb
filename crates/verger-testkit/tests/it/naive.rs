//! The engine's `rfc9309` against the naive matcher, on generated cases; `VERGER_CASES` multiplies
//! them.

use std::path::Path;

use verger::{Crawler, Dialect, ProductToken, Robots};
use verger_naive::{Bug, NaiveAnswer, check, check_with};
use verger_testkit::agreement::to_naive_answer;
use verger_testkit::corpus::{CORPUS, corpus};
use verger_testkit::generate::{Case, Form, case, cases, is_thorough, one_in, url_for};
use verger_testkit::hostile;
use verger_testkit::parallel::map;
use verger_testkit::shared::{Lacking, say, skip_loudly};
use verger_testkit::shrink::shrink;
use verger_testkit::suite::{self, NamedCrawler, load};

const SEED: u64 = 9309;
const CASES: u64 = 20_000;

/// The engine's answer, in the type of the naive matcher.
fn engine(robots: &[u8], tokens: &[&str], url: &[u8]) -> NaiveAnswer {
    let crawler = Crawler::chain(tokens.iter().copied());
    let robots = Robots::parse(robots);
    let verdict = robots.check(&crawler, url);
    to_naive_answer(&verdict)
        .unwrap_or_else(|| panic!("the naive matcher has no word for {verdict}"))
}

fn once(robots: &[u8], tokens: &[&str], url: &[u8]) -> bool {
    Dialect::RFC9309.is_allowed(robots, &Crawler::chain(tokens.iter().copied()), url)
}

/// Whether the engine and the naive matcher differ.
fn differs(tokens: &[&str], robots: &[u8], url: &[u8]) -> bool {
    let expected = check(robots, tokens, url);
    engine(robots, tokens, url) != expected || once(robots, tokens, url) != expected.allowed
}

/// Fails if there are cases with differences; shows the first ones, reduced.
#[track_caller]
fn nothing_differs(cases: impl IntoIterator<Item = (u64, Case)>) {
    let shown = cases.into_iter().take(3).map(|(index, case)| {
        let tokens = case.tokens();
        let differs = |robots: &[u8], url: &[u8]| differs(&tokens, robots, url);
        let (robots, url) = shrink(&case.robots, &case.url, differs);
        format!(
            "case {index} of seed {SEED}\nrobots: \"{}\"\ntokens: {tokens:?}\nurl: \"{}\"\n\
             engine:   {:?}\none-shot: {}\nnaive:    {:?}",
            robots.escape_ascii(),
            url.escape_ascii(),
            engine(&robots, &tokens, &url),
            once(&robots, &tokens, &url),
            check(&robots, &tokens, &url),
        )
    });
    let shown: Vec<String> = shown.collect();
    assert!(shown.is_empty(), "{}", shown.join("\n\n"));
}

#[test]
fn engine_one_shot_and_naive_matcher_agree_on_generated_cases() {
    let found = map(0..cases(CASES), |index| {
        let case = case(SEED, index);
        let allowed = check(&case.robots, &case.tokens(), &case.url).allowed;
        (index, differs(&case.tokens(), &case.robots, &case.url), case.forms, allowed)
    });
    nothing_differs(found.iter().filter(|it| it.1).map(|it| (it.0, case(SEED, it.0))));
    let per_mille = |count: usize| count * 1_000 / found.len();
    let disallowed = per_mille(found.iter().filter(|it| !it.3).count());
    let count = |form: &Form| found.iter().filter(|it| it.2[*form as usize]).count();
    let (rarest, form) = Form::ALL.iter().map(|form| (count(form), form)).min().expect("forms");
    let (rarest, name) = (per_mille(rarest), form.name());
    say(&format!(
        "naive: {} generated cases, {disallowed} in 1,000 disallowed, {} forms, the rarest in \
         {rarest} ({name}): 0 differences",
        found.len(),
        Form::ALL.len(),
    ));
    assert!(disallowed >= 300, "{disallowed} in 1,000 disallowed");
    assert!(rarest >= 10, "{rarest} in 1,000: {name}");
}

/// The matcher is right by itself: it gives every answer of the suite in its dialect.
#[test]
fn naive_matcher_gives_the_answers_of_the_suite() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata");
    let cases = [load(&folder).unwrap(), hostile::suite()].map(|suite| suite.verdicts).concat();
    let mut answered = 0;
    let mut wrong = Vec::new();
    // The naive matcher compares every octet of a pattern with every octet of a URL.
    let most = if is_thorough() { 20_000_000 } else { 2_000_000 };
    let is_short = |case: &&suite::Case| case.robots.len() * case.url.len() < most;
    for case in cases.iter().filter(is_short) {
        let (Some(expected), NamedCrawler::Token(_) | NamedCrawler::Chain(_)) =
            (case.expect.get("rfc9309"), &case.crawler)
        else {
            continue;
        };
        let crawler = case.crawler.to_crawler();
        let tokens: Vec<&str> = crawler.tokens().iter().map(ProductToken::as_str).collect();
        let found = check(&case.robots, &tokens, &case.url);
        let reason =
            |name: &String| *name.replace('_', "") == format!("{:?}", found.reason).to_lowercase();
        let is_right = found.allowed == expected.allowed
            && expected.line.is_none_or(|line| line == found.line)
            && expected.reason.as_ref().is_none_or(reason);
        answered += 1;
        if !is_right {
            wrong.push(format!("{}: expected {expected:?}, but found {found:?}", case.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(answered > 1_500, "{answered}");
}

#[test]
fn every_deliberate_bug_is_detected() {
    for bug in Bug::ALL {
        let is_caught = (0..20_000).any(|index| {
            let Case { robots, tokens, url, .. } = case(SEED, index);
            let tokens: Vec<&str> = tokens.iter().map(String::as_str).collect();
            let with_bug = check_with(&robots, &tokens, &url, Some(bug));
            with_bug != engine(&robots, &tokens, &url)
        });
        assert!(is_caught, "not caught: {bug:?}");
    }
    say(&format!("naive: all {} deliberate bugs detected", Bug::ALL.len()));
}

/// A limit that cuts a file at any position: in keys, values, comments, line ends.
#[test]
fn engine_and_naive_matcher_agree_where_the_size_limit_cuts() {
    const LIMIT: usize = verger::limits::BODY_BYTES;
    let cut = (0..cases(50)).map(|index| {
        let mut case = case(SEED, index);
        // The limit falls into the second copy of the file, a few bytes further each time.
        let before = case.robots.len() + usize::try_from(index).expect("a small number") % 90 + 1;
        let padding = LIMIT.saturating_sub(before);
        case.robots = [&vec![b'#'; padding], &b"\n"[..], &case.robots, &case.robots].concat();
        (index, case)
    });
    nothing_differs(cut.filter(|(_, case)| differs(&case.tokens(), &case.robots, &case.url)));
}

/// Real files are longer than generated ones, and have other peculiarities.
#[test]
fn engine_and_naive_matcher_agree_on_real_files() {
    let Some(files) = corpus().expect("the archive is sound") else {
        let why = format!("../shared/{CORPUS} is not there");
        return skip_loudly("naive matcher on real files", Lacking::Data, &why);
    };
    // The naive matcher parses the file again for each question.
    let files =
        files.values().filter(|robots| robots.len() < 30_000).step_by(one_in(3)).enumerate();
    let questions = if is_thorough() { 6 } else { 2 };
    let found = map(files, |(at, robots)| {
        let cases = (0..questions).map(|question| {
            let index = questions * at as u64 + question;
            let url = url_for(robots, SEED, index);
            let tokens = vec![["Googlebot", "GPTBot", "fox"][at % 3].to_owned()];
            (index, Case { robots: robots.clone(), tokens, url, forms: [false; Form::ALL.len()] })
        });
        cases.filter(|(_, it)| differs(&it.tokens(), &it.robots, &it.url)).collect::<Vec<_>>()
    });
    let asked = questions * found.len() as u64;
    nothing_differs(found.into_iter().flatten());
    say(&format!("naive: {asked} answers about real files: 0 differences"));
}
