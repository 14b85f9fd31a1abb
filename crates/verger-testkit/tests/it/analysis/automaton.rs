//! Random pairs of small policies, in every published dialect; `VERGER_CASES` multiplies them.

use verger::{Robots, Rule, RuleKind, Verdict};
use verger_analysis::{Analysis, Budget, Direction, Example, PatternState, Witness, compare};
use verger_testkit::automaton::{
    self, Decider, PolicyAnswers, ProductAnswers, SmallCase, small_case,
};
use verger_testkit::generate::cases;
use verger_testkit::parallel::map;
use verger_testkit::shared::say;
use verger_testkit::shrink::shrink;

const SEED: u64 = 15;
const CASES: u64 = 2_000;
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

/// The cost of a witness, after a check of what it claims.
fn cost(witness: &Witness, analysis: &Analysis<'_>, verdict: &Verdict<'_>) -> usize {
    assert!(witness.is_shortest(), "{witness} may be too long");
    assert_eq!(witness.url(), format!("https://example.com{}", witness.target()));
    let explanation = analysis.robots().explain(CRAWLER, witness.url());
    assert_eq!(explanation.verdict.rule(), verdict.rule(), "{witness}");
    assert_eq!(explanation.verdict.is_allowed(), verdict.is_allowed(), "{witness}");
    if let Some(target) = explanation.target {
        assert_eq!(target.len(), witness.length(), "{witness}");
    }
    let target = witness.target().as_bytes();
    automaton::cost(target) + witness.length() - target.len()
}

/// The answers of the analysis.
fn found(before: &Robots, after: &Robots, pattern: &[u8]) -> ProductAnswers {
    let [before, after] = [before, after].map(|robots| Analysis::new(robots, CRAWLER));
    let compared = compare(&before, &after, &mut Budget::default());
    assert_eq!(compared.incomplete, None);
    let changes = compared.changes.iter().map(|change| {
        let verdicts = (change.verdict_before(), change.verdict_after());
        assert_eq!(change.rule_before(), verdicts.0.rule());
        assert_eq!(change.rule_after(), verdicts.1.rule());
        assert_eq!(change.direction() == Direction::Opened, verdicts.1.is_allowed());
        let first = cost(change.witness(), &before, &verdicts.0);
        assert_eq!(first, cost(change.witness(), &after, &verdicts.1));
        ((decider(&before, &verdicts.0), decider(&after, &verdicts.1)), first)
    });
    ProductAnswers {
        changes: changes.collect(),
        before: policy_answers(&before, pattern),
        after: policy_answers(&after, pattern),
    }
}

fn policy_answers(analysis: &Analysis<'_>, pattern: &[u8]) -> PolicyAnswers {
    let budget = &mut Budget::default();
    let (dead, redundant) = (analysis.dead_rules(budget), analysis.redundant_rules(budget));
    assert!(dead.undecided.is_empty() && redundant.undecided.is_empty());
    let state = analysis.pattern_state(pattern, budget);
    let everything = analysis.pattern_state("/", budget);
    assert_eq!(analysis.allows_all(), everything.is_open());
    assert_eq!(analysis.blocks_all(), everything.is_closed());
    PolicyAnswers {
        dead: dead.found.iter().map(|dead| index(analysis, dead.rule)).collect(),
        redundant: redundant.found.iter().map(|found| index(analysis, found.rule)).collect(),
        has_targets: !matches!(state, PatternState::Empty),
        pattern: costs(analysis, &state),
        everything: costs(analysis, &everything),
    }
}

/// The costs of the allowed and the disallowed example.
fn costs(analysis: &Analysis<'_>, state: &PatternState<'_>) -> (Option<usize>, Option<usize>) {
    let cost = |example: &Example<'_>| {
        let counts = decider(analysis, &example.verdict) != Decider::RobotsTxt;
        let cost = cost(&example.witness, analysis, &example.verdict);
        counts.then_some(cost)
    };
    match state {
        PatternState::Open { example } => (cost(example), None),
        PatternState::Closed { example } => (None, cost(example)),
        PatternState::Mixed { open, closed } => (cost(open), cost(closed)),
        PatternState::Empty => (None, None),
        other => panic!("{other:?}"),
    }
}

/// The answers of the automaton, and of the analysis, for these texts of a case; `None` if the
/// policies are too large.
fn both(case: &SmallCase, before: &[u8], after: &[u8]) -> Option<[ProductAnswers; 2]> {
    let SmallCase { dialect: one, other_dialect: other, pattern, .. } = case;
    let (before, after) = (one.parse(before), other.parse(after));
    let expected = automaton::answers((one, &rules(&before)), (other, &rules(&after)), pattern)?;
    Some([expected, found(&before, &after, pattern)])
}

fn differ(case: &SmallCase, before: &[u8], after: &[u8]) -> bool {
    both(case, before, after).is_some_and(|[expected, found]| expected != found)
}

/// The difference between analysis and automaton, reduced.
fn difference(case: &SmallCase) -> String {
    let (before, after) = shrink(&case.before, &case.after, |one, two| differ(case, one, two));
    format!(
        "{}, {}\nbefore:   \"{}\"\nafter:    \"{}\"\npattern:  \"{}\"\nexpected and found: {:?}",
        case.dialect,
        case.other_dialect,
        before.escape_ascii(),
        after.escape_ascii(),
        case.pattern.escape_ascii(),
        both(case, &before, &after),
    )
}

#[test]
fn analysis_and_automaton_agree() {
    // What differs, and the variety of the cases.
    let outcomes = map(0..cases(CASES), |index| {
        let case = small_case(SEED, index);
        let Some([expected, found]) = both(&case, &case.before, &case.after) else {
            return (None, [1, 0, 0, 0, 0]);
        };
        let ProductAnswers { changes, before, after } = &expected;
        let counts = [
            0,
            usize::from(changes.is_empty()),
            changes.len(),
            before.dead.len() + after.dead.len(),
            before.redundant.len() + after.redundant.len(),
        ];
        ((expected != found).then_some(index), counts)
    });
    let wrong = outcomes.iter().filter_map(|it| it.0).take(3);
    let shown =
        |index| format!("case {index} of seed {SEED}: {}", difference(&small_case(SEED, index)));
    let failures: Vec<String> = wrong.map(shown).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
    let all = outcomes.len();
    let [too_large, equal, changes, dead, redundant] =
        [0, 1, 2, 3, 4].map(|at| outcomes.iter().map(|it| it.1[at]).sum::<usize>());
    say(&format!(
        "analysis: {all} pairs of policies, {too_large} too large, {equal} equal, {changes} changes, \
         {dead} dead and {redundant} redundant rules: 0 differences"
    ));
    // The cases are of all kinds.
    assert!(too_large * 100 < all);
    for count in [equal, changes, dead, redundant] {
        assert!(count * 10 > all, "{count}");
    }
}
