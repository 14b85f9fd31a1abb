//! Hostile files: every output has known directives only, or there is a clear error.

use verger::Robots;
use verger::access::Timestamp;
use verger_enforce::{EmitError, Options, Plan, Target};
use verger_identity::Lists;
use verger_testkit::corpus::corpus;
use verger_testkit::shared::{Lacking, skip_loudly};

pub(crate) use self::property::SEEDS;
use self::property::property;
use crate::servers::CHOICES;

// The property of the fuzz target.
#[path = "../../../../fuzz/src/enforce.rs"]
#[expect(unreachable_pub, reason = "it is public there")]
mod property;

#[test]
fn nothing_of_a_pattern_becomes_syntax() {
    for seed in SEEDS {
        property(seed.as_bytes());
    }
    let mut rng = fastrand::Rng::with_seed(41);
    for _ in 0..60 {
        let mut text = rng.choice(SEEDS).expect("seeds").as_bytes().to_vec();
        for _ in 0..rng.usize(1..8) {
            let at = rng.usize(0..text.len());
            let piece: &[u8] = match rng.u8(0..3) {
                0 => &[rng.u8(..)],
                1 => b"\nDisallow: /",
                _ => rng
                    .choice([&b"\""[..], b"'", b"`", b"\\", b"{", b"}", b"$", b";", b"*", b"%"])
                    .expect("some"),
            };
            text.splice(at..at, piece.iter().copied());
        }
        property(&text);
    }
}

#[test]
#[ignore = "thorough suite: a minute without optimisation"]
fn the_longest_real_file_is_written_or_refused() {
    let Some(corpus) = corpus().expect("a readable corpus") else {
        return skip_loudly("the longest file", Lacking::Data, "the corpus is missing");
    };
    let rules = |text: &&Vec<u8>| {
        let robots = Robots::parse(text);
        robots.groups_for("GPTBot").map(|group| group.rules().len()).sum::<usize>()
    };
    let text = corpus.values().max_by_key(rules).expect("files");
    let robots = Robots::parse(text);
    let options = Options { agents: vec!["GPTBot".into()], ..Options::default() };
    let plan = Plan::of(&robots, &options, Lists::bundled(), Timestamp::EPOCH).expect("rules");
    for target in Target::ALL {
        match plan.emit(target, &CHOICES) {
            Ok(output) => assert!(output.text.len() > 100_000, "{target:?}"),
            Err(EmitError::Choice(_)) => assert_eq!(target, Target::Anubis),
            Err(error) => panic!("{target:?}: {error}"),
        }
    }
}

#[test]
fn a_rule_that_cannot_be_expressed_is_an_error_with_its_line() {
    let robots = Robots::parse(
        "User-agent: *\nDisallow: /a\nDisallow: /*1*2\nAllow: /\u{e9}%FF\nDisallow: /%FE\n",
    );
    let plan =
        Plan::of(&robots, &Options::default(), Lists::bundled(), Timestamp::EPOCH).expect("rules");
    let strict = verger_enforce::Choices { approximate: false, ..CHOICES };
    let lines = |target| match plan.emit(target, &strict) {
        Err(EmitError::Rules(rules)) => {
            rules.iter().map(|it| (it.line, it.is_looser)).collect::<Vec<_>>()
        }
        other => panic!("{other:?}"),
    };
    assert_eq!(lines(Target::Nginx), [(3, true)]);
    assert_eq!(lines(Target::Caddy), [(3, true), (4, false), (5, true)]);
    let output = plan.emit(Target::Caddy, &CHOICES).expect("approximate");
    assert!(output.text.contains("# Line 4 is not complete, so this is stricter: Go's"));
}

#[test]
fn a_rule_that_is_too_long_for_cloudflare_is_named_and_left_out() {
    let plan = |pairs: usize| {
        let pair = |n: usize| {
            let path = format!("/section-{n:05}-{}", "x".repeat(48));
            format!("Disallow: {path}\nAllow: {path}y\n")
        };
        let rules: String = (0..pairs).map(pair).collect();
        let robots = Robots::parse(&format!("User-agent: GPTBot\n{rules}"));
        Plan::of(&robots, &Options::default(), Lists::bundled(), Timestamp::EPOCH).expect("a plan")
    };
    let strict = verger_enforce::Choices { approximate: false, ..CHOICES };
    let Err(EmitError::Rules(rules)) = plan(16).emit(Target::Cloudflare, &strict) else { panic!() };
    assert!(rules.iter().all(|it| it.is_looser && it.line % 2 == 0), "{rules:?}");
    // The memory for a hostile file is that of its rules, not of their square.
    for pairs in [16, 3_200] {
        let output = plan(pairs).emit(Target::Cloudflare, &CHOICES).expect("approximate").text;
        assert!(output.contains("is not complete, so this is looser: with the rules"), "{output}");
        assert!(output.lines().all(|line| line.len() <= 4_096));
    }
}

#[test]
fn a_single_rule_that_cannot_be_expressed_is_not_forgotten() {
    let robots = Robots::parse("User-agent: GPTBot\nDisallow: /*1*2\n");
    let plan =
        Plan::of(&robots, &Options::default(), Lists::bundled(), Timestamp::EPOCH).expect("a plan");
    let strict = verger_enforce::Choices { approximate: false, ..CHOICES };
    for target in Target::ALL {
        let Err(EmitError::Rules(rules)) = plan.emit(target, &strict) else { panic!("{target:?}") };
        assert_eq!((rules.len(), rules[0].line), (1, 2), "{target:?}");
    }
    // Without it, nothing is left to refuse to its crawler. The numbers of lists differ.
    let [approximate, open] = ["Disallow: /*1*2", "Allow: /"].map(|rule| {
        let text = format!("User-agent: GPTBot\n{rule}\nUser-agent: CCBot\nDisallow: /a\n");
        let robots = Robots::parse(&text);
        let plan = Plan::of(&robots, &Options::default(), Lists::bundled(), Timestamp::EPOCH);
        let plan = plan.expect("a plan");
        Target::ALL.map(|target| {
            let text = plan.emit(target, &CHOICES).expect("an output").text;
            text.replace(char::is_numeric, "")
        })
    });
    // As many lines refuse something.
    let words = ["deny", "[F]", "refused", "synth", "true :", "verger_rules_", " and ("];
    let refusing = |text: &String| {
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        lines.filter(|line| words.iter().any(|word| line.contains(word))).count()
    };
    assert_eq!(approximate.each_ref().map(refusing), open.each_ref().map(refusing));
}
