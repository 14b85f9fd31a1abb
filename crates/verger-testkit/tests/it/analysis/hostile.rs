//! Policies whose analysis is expensive: the work is bounded, and nothing panics.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use verger::{Dialect, Robots};
use verger_analysis::limits::WORK;
use verger_analysis::{Analysis, Budget, Findings, PatternState, compare, compare_files};
use verger_testkit::shared::say;

/// A policy with these rules.
fn policy(rules: impl IntoIterator<Item = String>) -> Robots {
    let mut text = "User-agent: *\n".to_owned();
    for rule in rules {
        writeln!(text, "{rule}").expect("a string");
    }
    // Without a size limit.
    Dialect::GOOGLE.parse(&text)
}

/// All questions about two policies; the number of undecided ones. None takes more than its work.
fn ask(name: &str, before: &Robots, after: &Robots) -> usize {
    let mut undecided = 0;
    let (mut most, mut slowest) = (0, Duration::ZERO);
    let mut timed = |question: &mut dyn FnMut(&mut Budget) -> bool| {
        let (start, mut budget) = (Instant::now(), Budget::default());
        undecided += usize::from(question(&mut budget));
        slowest = slowest.max(start.elapsed());
        most = most.max(WORK - budget.left());
    };
    let [before, after] = [before, after].map(|robots| Analysis::new(robots, "ExampleBot"));
    for analysis in [&before, &after] {
        timed(&mut |budget| has_rest(&analysis.dead_rules(budget)));
        timed(&mut |budget| has_rest(&analysis.redundant_rules(budget)));
        timed(&mut |budget| {
            let state = analysis.pattern_state("/*a*b", budget);
            matches!(state, PatternState::Undecided(_))
        });
    }
    for (before, after) in [(&before, &before), (&before, &after), (&after, &before)] {
        timed(&mut |budget| compare(before, after, budget).incomplete.is_some());
    }
    say(&format!(
        "analysis: {name}: at most {most} units in {slowest:.1?}, {undecided} of 9 undecided"
    ));
    undecided
}

fn has_rest<T>(findings: &Findings<'_, T>) -> bool {
    !findings.undecided.is_empty()
}

/// A rule that allows or disallows in turn.
fn rule(number: usize, pattern: &str) -> String {
    format!("{}: {pattern}", ["Allow", "Disallow"][number % 2])
}

/// The states of a product automaton grow exponentially with the number of rules.
#[test]
fn twelve_rules_that_explode_automata_take_little_time() {
    let letters = |at: usize| {
        (
            char::from(b'a' + u8::try_from(at).expect("few")),
            char::from(b'A' + u8::try_from(at).expect("few")),
        )
    };
    let patterns = |star: &str| -> Vec<String> {
        (0..12)
            .map(|at| {
                let (small, large) = letters(at);
                format!("/{star}{small}*{large}")
            })
            .collect()
    };
    let allowing: Vec<String> = patterns("*").iter().map(|it| format!("Allow: {it}")).collect();
    // The same meaning with other lengths, so that no rule is common to both.
    let padded: Vec<String> = patterns("**").iter().map(|it| format!("Allow: {it}")).collect();
    let all = ["Disallow: /".to_owned()];
    let before = policy(allowing.iter().chain(&all).cloned());
    let after = policy(padded.iter().chain(&all).cloned());
    let [before, after] = [&before, &after].map(|robots| Analysis::new(robots, "ExampleBot"));
    let mut budget = Budget::default();
    assert!(compare(&before, &after, &mut budget).is_equal());
    assert!(before.redundant_rules(&mut budget).found.is_empty());
    assert!(before.dead_rules(&mut budget).found.is_empty());
    // Alternating answers with decreasing lengths.
    let mixed = (0..12).map(|at| {
        let (small, large) = letters(at);
        rule(at, &format!("/{}{small}*{large}", "*".repeat(12 - at)))
    });
    let mixed = policy(mixed);
    let other = policy((0..12).map(|at| {
        let (small, large) = letters(at);
        rule(at, &format!("/*{}{small}*{large}", "*".repeat(12 - at)))
    }));
    let [mixed, other] = [&mixed, &other].map(|robots| Analysis::new(robots, "ExampleBot"));
    assert!(compare(&mixed, &other, &mut budget).is_equal());
    assert!(!compare(&mixed, &before, &mut budget).changes.is_empty());
    let work = WORK - budget.left();
    say(&format!("analysis: the family of automata, n = 12: {work} units"));
    assert!(work < 1_000_000, "{work}");
}

/// A pair whose merges are too many is known from their number: it takes the product of the
/// lengths.
#[test]
fn hundreds_of_rules_of_forty_stars_take_little_work() {
    let policy = |seed: usize| {
        policy((0..300).map(move |number| {
            let letters =
                (0..40).map(|at| format!("*{}", letter(at * at * (number + seed) + seed)));
            rule(number, &format!("/{}", letters.collect::<String>()))
        }))
    };
    let (before, after) = (policy(1), policy(301));
    let [one, other] = [&before, &after].map(|robots| Analysis::new(robots, "ExampleBot"));
    let mut budget = Budget::default();
    assert!(compare(&one, &other, &mut budget).incomplete.is_some());
    let work = WORK - budget.left();
    say(&format!("analysis: 300 rules of 40 stars in each file: {work} units"));
    assert!(work < WORK / 10, "{work}");
    let files = compare_files(&before, &after, &["ExampleBot", "OtherBot"], &mut Budget::default());
    assert!(files.differences[0].comparison.incomplete.is_some());
}

/// A letter for a number.
fn letter(number: usize) -> char {
    char::from(b'a' + u8::try_from(number % 24).expect("a letter"))
}

#[test]
fn overlapping_rules() {
    let policy = |seed: usize| {
        policy((0..2_000).map(move |number| {
            let part = number * 7 + seed;
            let [one, two, three, four] = [1, 24, 576, 13_824].map(|by| letter(part / by));
            rule(number, &format!("/*{one}{two}*{three}{four}"))
        }))
    };
    ask("2,000 overlapping rules", &policy(0), &policy(3));
}

#[test]
fn many_stars() {
    let policy = |seed: usize| {
        policy((0..30).map(move |number| {
            let letters = (0..4_000).map(|at| format!("*{}", letter(at * (number + seed + 1))));
            rule(number, &format!("/{}", letters.collect::<String>()))
        }))
    };
    ask("30 rules of 4,000 stars", &policy(0), &policy(1));
}

#[test]
fn repeated_letters() {
    let policy = |seed: usize| {
        policy(
            (0..200).map(|number| rule(number, &format!("/{}", "*a".repeat(number % 20 + seed)))),
        )
    };
    ask("200 rules of repeated letters", &policy(3), &policy(5));
}

#[test]
fn literals_that_nearly_occur() {
    let policy = |seed: usize| {
        policy((0..8).map(|number| {
            let (one, other) = ("a".repeat(8_000 + number + seed), "a".repeat(7_000));
            rule(number, &format!("/*{one}b*{other}"))
        }))
    };
    ask("8 rules of literals that nearly occur", &policy(0), &policy(1));
}

#[test]
fn one_long_rule() {
    let policy = |text: &str| policy([format!("Disallow: /{}", text.repeat(50_000))]);
    ask("one rule of 50,000 stars", &policy("*a"), &policy("*ab"));
}

#[test]
fn many_prefixes() {
    let policy = |seed: usize| {
        policy((0..40_000).map(|number| rule(number, &format!("/{}", number * 3 + seed))))
    };
    assert_eq!(ask("40,000 prefixes", &policy(0), &policy(1)), 0);
}

#[test]
fn no_octet_is_left() {
    let octets = (0x21..0x7f_u8).filter(|octet| !b"\"#*<>".contains(octet)).map(char::from);
    let policy = policy([format!("Disallow: /{}/", octets.collect::<String>())]);
    assert_eq!(ask("a rule with every octet", &policy, &policy), 9);
}
