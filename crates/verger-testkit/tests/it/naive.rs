//! The engine's `rfc9309` against the naive matcher, on generated cases; `VERGER_CASES` multiplies them.

#![expect(clippy::print_stdout, reason = "the table of forms is for the reader")]

use verger::{Crawler, Dialect, Robots};
use verger_naive::{Answer, Bug, check, check_with};
use verger_testkit::agreement::to_naive_answer;
use verger_testkit::corpus::{CORPUS, corpus};
use verger_testkit::generate::{Case, Form, FormSet, Tally, case, cases, is_thorough, url_for};
use verger_testkit::parallel::on_all_processors;
use verger_testkit::shared::{Lacking, say, skip_loudly};
use verger_testkit::shrink::shrink;

const SEED: u64 = 9309;
const CASES: u64 = 20_000;

/// The engine's answer, in the type of the naive matcher.
fn engine(robots: &[u8], tokens: &[&str], url: &[u8]) -> Answer {
    let crawler = Crawler::chain(tokens.iter().copied());
    let robots = Robots::parse(robots);
    let verdict = robots.check(&crawler, url);
    to_naive_answer(&verdict)
        .unwrap_or_else(|| panic!("the naive matcher has no word for {verdict}"))
}

fn once(robots: &[u8], tokens: &[&str], url: &[u8]) -> bool {
    Dialect::RFC9309.is_allowed(robots, &Crawler::chain(tokens.iter().copied()), url)
}

/// A difference between the engine and the naive matcher, reduced.
fn difference(case: &Case) -> Option<String> {
    let tokens = case.tokens();
    let differs = |robots: &[u8], url: &[u8]| {
        let expected = check(robots, &tokens, url);
        engine(robots, &tokens, url) != expected || once(robots, &tokens, url) != expected.allowed
    };
    if !differs(&case.robots, &case.url) {
        return None;
    }
    let (robots, url) = shrink(&case.robots, &case.url, differs);
    Some(format!(
        "robots: \"{}\"\ntokens: {tokens:?}\nurl: \"{}\"\nengine:   {:?}\none-shot: {}\nnaive:    {:?}",
        robots.escape_ascii(),
        url.escape_ascii(),
        engine(&robots, &tokens, &url),
        once(&robots, &tokens, &url),
        check(&robots, &tokens, &url),
    ))
}

/// The tally and the first differences of one processor.
fn compare(worker: usize, workers: usize) -> (Tally, Vec<String>) {
    let mut tally = Tally::default();
    let mut differences = Vec::new();
    for index in (0..cases(CASES)).skip(worker).step_by(workers) {
        let case = case(SEED, index);
        tally.add(&case.forms, check(&case.robots, &case.tokens(), &case.url).allowed);
        if let Some(difference) = difference(&case) {
            differences.push(format!("case {index} of seed {SEED}\n{difference}"));
            if differences.len() == 3 {
                break;
            }
        }
    }
    (tally, differences)
}

#[test]
fn engine_one_shot_and_naive_matcher_agree_on_generated_cases() {
    let mut tally = Tally::default();
    let mut differences = Vec::new();
    for (part, found) in on_all_processors(compare) {
        tally.merge(&part);
        differences.extend(found);
    }
    println!("{tally}");
    assert!(differences.is_empty(), "{}", differences.join("\n\n"));
    let rarest = tally.rarest();
    say(&format!(
        "naive: {} generated cases, {:.1} % disallowed, {} forms, the rarest in {:.2} % ({}): \
         0 differences",
        tally.cases(),
        tally.disallowed(),
        Form::ALL.len(),
        tally.share(rarest),
        rarest.name(),
    ));
    assert!(tally.disallowed() >= 30.0, "{:.1} % disallowed", tally.disallowed());
    assert!(tally.share(rarest) >= 1.0, "{:.2} % hold: {}", tally.share(rarest), rarest.name());
}

#[test]
fn every_deliberate_bug_is_detected() {
    for bug in Bug::ALL {
        let caught = (0..20_000).find(|&index| {
            let Case { robots, tokens, url, .. } = case(SEED, index);
            let tokens: Vec<&str> = tokens.iter().map(String::as_str).collect();
            let with_bug = check_with(&robots, &tokens, &url, Some(bug));
            with_bug != engine(&robots, &tokens, &url)
        });
        let index = caught.unwrap_or_else(|| panic!("not caught: {}", bug.describe()));
        println!("caught after {:4} cases: {}", index + 1, bug.describe());
    }
    say(&format!("naive: all {} deliberate bugs detected", Bug::ALL.len()));
}

/// A limit that cuts a file at any position: in keys, values, comments, line ends.
#[test]
fn engine_and_naive_matcher_agree_where_the_size_limit_cuts() {
    const LIMIT: usize = verger::limits::BODY_BYTES;
    for index in 0..cases(50) {
        let mut case = case(SEED, index);
        // The limit falls into the second copy of the file, a few bytes further each time.
        let before = case.robots.len() + usize::try_from(index).expect("a small number") % 90 + 1;
        let padding = LIMIT.saturating_sub(before);
        let mut robots = vec![b'#'; padding];
        robots.push(b'\n');
        robots.extend_from_slice(&case.robots);
        robots.extend_from_slice(&case.robots);
        case.robots = robots;
        if let Some(difference) = difference(&case) {
            panic!("case {index} of seed {SEED}, padded\n{difference}");
        }
    }
}

/// Real files are longer than generated ones, and have other peculiarities.
#[test]
fn engine_and_naive_matcher_agree_on_real_files() {
    let Some(files) = corpus().expect("the archive is sound") else {
        let why = format!("../shared/{CORPUS} is not there");
        return skip_loudly("naive matcher on real files", Lacking::Data, &why);
    };
    // The naive matcher parses the file again for each question.
    let files: Vec<&Vec<u8>> = files.values().filter(|robots| robots.len() < 30_000).collect();
    let questions = if is_thorough() { 6 } else { 2 };
    let differences = on_all_processors(|worker, workers| {
        let mut differences = Vec::new();
        for (at, robots) in files.iter().enumerate().skip(worker).step_by(workers) {
            for question in 0..questions {
                let index = questions * at as u64 + question;
                let url = url_for(robots, SEED, index);
                let token = ["Googlebot", "GPTBot", "fox"][at % 3].to_owned();
                let case = Case {
                    robots: (*robots).clone(),
                    tokens: vec![token],
                    url,
                    forms: FormSet::EMPTY,
                };
                differences.extend(difference(&case));
            }
        }
        differences
    });
    let differences = differences.concat();
    assert!(differences.is_empty(), "{}", differences[..differences.len().min(5)].join("\n\n"));
    say(&format!(
        "naive: {} answers about real files: 0 differences",
        questions * files.len() as u64
    ));
}
