//! The intermediate form answers as the engine does.

use verger::access::Timestamp;
use verger::{Crawler, Robots};
use verger_enforce::{Options, Plan, PlanError};
use verger_testkit::corpus::corpus;
use verger_testkit::generate::cases;
use verger_testkit::shared::{Lacking, skip_loudly};

use crate::cases::{USUAL, must_refuse, targets};

pub(crate) fn plan(robots: &Robots) -> Result<Plan, PlanError> {
    let options =
        Options { agents: vec!["GPTBot".into(), "Googlebot-Image".into()], ..Options::default() };
    Plan::of(robots, &options, Timestamp::EPOCH)
}

/// Checks the proof and random targets. Returns the number of compared targets.
#[track_caller]
fn check(text: &[u8], rng: &mut fastrand::Rng) -> usize {
    let robots = Robots::parse(text);
    let Ok(plan) = plan(&robots) else { return 0 };
    let proof = plan.prove(&robots);
    let shown = String::from_utf8_lossy(text);
    assert_eq!(proof.disagreement, None, "{shown}");
    let mut compared = proof.compared;
    for (header, crawler) in [
        ("GPTBot/1.0", Crawler::new("GPTBot")),
        ("Googlebot-Image/1.0", Crawler::chain(["Googlebot-Image", "Googlebot"])),
    ] {
        for target in targets(&robots, &[], 60, rng) {
            let expected = must_refuse(&robots, &crawler, &target, USUAL);
            let found = plan.refuses(header, &target);
            assert_eq!(found, expected, "{header} {} {shown}", target.escape_ascii());
            compared += 1;
        }
    }
    compared
}

#[test]
fn small_files_are_answered_as_by_the_engine() {
    let mut rng = fastrand::Rng::with_seed(38);
    let pieces = [
        "/", "*", "$", "a", "b", "%61", "E", "2", "20", "%20", "%2F", "%2f", "?", "%3F", "//",
        "/../", ".", "%25", "%", "\u{e9}", "%C3%A9", "x=", ":", "%3A", "~",
    ];
    let mut compared = 0;
    for _ in 0..cases(800) {
        let mut text = "User-agent: GPTBot\n".to_owned();
        for _ in 0..rng.usize(1..6) {
            text += if rng.bool() { "Allow: " } else { "Disallow: " };
            text += if rng.u8(0..5) == 0 { "*" } else { "/" };
            for _ in 0..rng.usize(0..5) {
                text += rng.choice(&pieces).expect("pieces");
            }
            text += "\n";
        }
        compared += check(text.as_bytes(), &mut rng);
    }
    assert!(compared > 30_000, "{compared}");
}

#[test]
fn real_files_are_answered_as_by_the_engine() {
    let Some(corpus) = corpus().expect("a readable corpus") else {
        return skip_loudly("real files", Lacking::Data, "the corpus is missing");
    };
    let mut rng = fastrand::Rng::with_seed(39);
    let compared: usize = corpus.values().step_by(80).map(|text| check(text, &mut rng)).sum();
    assert!(compared > 10_000, "{compared}");
}

#[test]
fn a_library_that_the_file_names_is_refused_and_a_name_without_end_is_none() {
    let long = "x".repeat(4_000);
    let text = format!("User-agent: Scrapy\nDisallow: /\n\nUser-agent: {long}\nDisallow: /y\n");
    let plan = Plan::of(&Robots::parse(&text), &Options::default(), Timestamp::EPOCH);
    let plan = plan.expect("a plan");
    assert!(plan.refuses("Scrapy/2.11 (+https://scrapy.org)", b"/y"));
    assert!(!plan.refuses("Mozilla/5.0 (X11; Linux x86_64; rv:140.0)", b"/y"));
    assert!(!plan.refuses(&format!("{long}/1.0"), b"/y"));
}
