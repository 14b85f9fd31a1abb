//! Random pairs of small policies, in every published dialect; `VERGER_CASES` multiplies them.

use std::collections::BTreeMap;

use verger::{Dialect, Robots, Rule, RuleKind, Verdict};
use verger_analysis::{Analysis, Comparison, Direction, Example, PatternState, Witness, compare};
use verger_testkit::automaton::{self, Answers, Decider, PolicyAnswers, SmallCase, small_case};
use verger_testkit::generate::cases;
use verger_testkit::parallel::on_all_processors;
use verger_testkit::shared::say;
use verger_testkit::shrink::shrink;

const SEED: u64 = 15;
const CASES: u64 = 5_000;
pub(crate) const CRAWLER: &str = "ExampleBot";

/// The rules of a file, as the engine parses it.
pub(crate) fn rules(robots: &Robots) -> Vec<automaton::Rule> {
    let groups = robots.groups_for(CRAWLER);
    let rules = groups.flat_map(|group| group.rules());
    rules.map(|rule| (rule.kind() == RuleKind::Allow, rule.pattern().to_vec())).collect()
}

fn index(analysis: &Analysis<'_>, rule: Rule<'_>) -> usize {
    analysis.rules().iter().position(|other| *other == rule).expect("a rule of the analysis")
}

pub(crate) fn decider(analysis: &Analysis<'_>, verdict: &Verdict<'_>) -> Decider {
    match verdict.rule() {
        Some(rule) => Decider::Rule(index(analysis, rule), verdict.is_allowed()),
        None if verdict.reason() == verger::Reason::RobotsTxtItself => Decider::RobotsTxt,
        None => Decider::NoRule,
    }
}

/// The length of a witness, after a check of what it claims.
fn length(witness: &Witness, analysis: &Analysis<'_>, verdict: &Verdict<'_>) -> usize {
    assert!(witness.is_shortest(), "{witness} may be too long");
    assert_eq!(witness.url(), format!("https://example.com{}", witness.target()));
    let explanation = analysis.robots().explain(CRAWLER, witness.url());
    assert_eq!(explanation.verdict.rule(), verdict.rule(), "{witness}");
    assert_eq!(explanation.verdict.is_allowed(), verdict.is_allowed(), "{witness}");
    if let Some(target) = explanation.target {
        assert_eq!(target.len(), witness.length(), "{witness}");
    }
    witness.length()
}

/// The answers of the analysis.
fn found(before: &Robots, after: &Robots, pattern: &[u8]) -> Answers {
    let [before, after] = [before, after].map(|robots| Analysis::new(robots, CRAWLER));
    let changes = match compare(&before, &after) {
        Comparison::Equal => BTreeMap::new(),
        Comparison::Different(differences) => {
            assert_eq!(differences.incomplete, None);
            let changes = differences.changes.iter().map(|change| {
                let verdicts = (change.verdict_before(), change.verdict_after());
                assert_eq!(change.rule_before(), verdicts.0.rule());
                assert_eq!(change.rule_after(), verdicts.1.rule());
                assert_eq!(change.direction() == Direction::Opened, verdicts.1.is_allowed());
                let first = length(change.witness(), &before, &verdicts.0);
                assert_eq!(first, length(change.witness(), &after, &verdicts.1));
                ((decider(&before, &verdicts.0), decider(&after, &verdicts.1)), first)
            });
            changes.collect()
        }
        other => panic!("{other:?}"),
    };
    Answers {
        changes,
        before: policy_answers(&before, pattern),
        after: policy_answers(&after, pattern),
    }
}

fn policy_answers(analysis: &Analysis<'_>, pattern: &[u8]) -> PolicyAnswers {
    let (dead, redundant) = (analysis.dead_rules(), analysis.redundant_rules());
    assert!(dead.undecided.is_empty() && redundant.undecided.is_empty());
    let state = analysis.pattern_state(pattern);
    let everything = analysis.pattern_state("/");
    assert_eq!(analysis.allows_all(), everything.is_open());
    assert_eq!(analysis.blocks_all(), everything.is_closed());
    PolicyAnswers {
        dead: dead.found.iter().map(|dead| index(analysis, dead.rule)).collect(),
        redundant: redundant.found.iter().map(|found| index(analysis, found.rule)).collect(),
        has_targets: !matches!(state, PatternState::Empty),
        pattern: lengths(analysis, &state),
        everything: lengths(analysis, &everything),
    }
}

/// The lengths of the allowed and the disallowed example.
fn lengths(analysis: &Analysis<'_>, state: &PatternState<'_>) -> (Option<usize>, Option<usize>) {
    let length = |example: &Example<'_>| {
        let counts = decider(analysis, &example.verdict) != Decider::RobotsTxt;
        let length = length(&example.witness, analysis, &example.verdict);
        counts.then_some(length)
    };
    match state {
        PatternState::Open { example } => (length(example), None),
        PatternState::Closed { example } => (None, length(example)),
        PatternState::Mixed { open, closed } => (length(open), length(closed)),
        PatternState::Empty => (None, None),
        other => panic!("{other:?}"),
    }
}

/// The answers of the automaton, and of the analysis; `None` if the policies are too large.
fn both(
    [one, other]: [Dialect; 2],
    before: &[u8],
    after: &[u8],
    pattern: &[u8],
) -> Option<[Answers; 2]> {
    let (before, after) = (one.parse(before), other.parse(after));
    let expected = automaton::answers((&one, &rules(&before)), (&other, &rules(&after)), pattern)?;
    Some([expected, found(&before, &after, pattern)])
}

/// The answers, and the difference between analysis and automaton, reduced.
fn outcome(case: &SmallCase) -> Option<(Answers, Option<String>)> {
    let SmallCase { dialect, other_dialect, before, after, pattern } = case;
    let dialects = [*dialect, *other_dialect];
    let [expected, found] = both(dialects, before, after, pattern)?;
    if found == expected {
        return Some((expected, None));
    }
    let differs = |before: &[u8], after: &[u8]| {
        both(dialects, before, after, pattern).is_some_and(|[expected, found]| expected != found)
    };
    let (before, after) = shrink(before, after, differs);
    let [expected, found] = both(dialects, &before, &after, pattern)?;
    let difference = format!(
        "{dialect}, {other_dialect}\nbefore:   \"{}\"\nafter:    \"{}\"\npattern:  \"{}\"\n\
         found:    {found:?}\nexpected: {expected:?}",
        before.escape_ascii(),
        after.escape_ascii(),
        pattern.escape_ascii(),
    );
    Some((expected, Some(difference)))
}

#[test]
fn analysis_and_automaton_agree() {
    let results = on_all_processors(|worker, workers| {
        let (mut counts, mut failures) = (Counts::default(), Vec::new());
        for index in (0..cases(CASES)).skip(worker).step_by(workers) {
            let outcome = outcome(&small_case(SEED, index));
            counts.add(outcome.as_ref().map(|(answers, _)| answers));
            if let Some((_, Some(failure))) = outcome {
                failures.push(format!("case {index} of seed {SEED}: {failure}"));
                if failures.len() == 3 {
                    break;
                }
            }
        }
        (counts, failures)
    });
    let mut total = Counts::default();
    let mut failures = Vec::new();
    for (counts, found) in results {
        total.merge(&counts);
        failures.extend(found);
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
    say(&format!(
        "analysis: {} pairs of policies, {} too large, {} equal, {} changes, {} dead and {} redundant \
         rules: 0 differences",
        total.cases, total.too_large, total.equal, total.changes, total.dead, total.redundant,
    ));
    // The cases are of all kinds.
    assert!(total.too_large * 100 < total.cases);
    for count in [total.equal, total.changes, total.dead, total.redundant] {
        assert!(count * 10 > total.cases, "{total:?}");
    }
}

/// The variety of the cases.
#[derive(Debug, Default)]
struct Counts {
    cases: usize,
    too_large: usize,
    equal: usize,
    changes: usize,
    dead: usize,
    redundant: usize,
}

impl Counts {
    fn add(&mut self, answers: Option<&Answers>) {
        self.cases += 1;
        let Some(answers) = answers else {
            self.too_large += 1;
            return;
        };
        self.equal += usize::from(answers.changes.is_empty());
        self.changes += answers.changes.len();
        self.dead += answers.before.dead.len() + answers.after.dead.len();
        self.redundant += answers.before.redundant.len() + answers.after.redundant.len();
    }

    fn merge(&mut self, other: &Self) {
        self.cases += other.cases;
        self.too_large += other.too_large;
        self.equal += other.equal;
        self.changes += other.changes;
        self.dead += other.dead;
        self.redundant += other.redundant;
    }
}
