//! One file in two dialects with different normal forms, against the automaton over URLs.

use std::collections::BTreeMap;

use url::Url;
use verger::Dialect;
use verger_analysis::{Analysis, Budget, Undecided, compare};
use verger_testkit::automaton::{Decider, SmallCase, changes_between_dialects, cost, small_case};
use verger_testkit::generate::cases;
use verger_testkit::parallel::map;
use verger_testkit::shared::say;
use verger_testkit::shrink::shrink;

use crate::analysis::automaton::{CRAWLER, decider, rules};

const SEED: u64 = 1_515;
const CASES: u64 = 350;

/// The changes, with the costs of their witnesses, and whether these are proved to be shortest;
/// the reason if they are incomplete.
type Changes = (BTreeMap<(Decider, Decider), (usize, bool)>, Option<Undecided>);

fn found(before: (Dialect, &[u8]), after: (Dialect, &[u8])) -> Changes {
    let [before, after] = [before, after].map(|(dialect, text)| dialect.parse(text));
    let [before, after] = [&before, &after].map(|robots| Analysis::new(robots, CRAWLER));
    let compared = compare(&before, &after, &mut Budget::default());
    let changes = compared.changes.iter().map(|change| {
        let witness = change.witness();
        let sent = Url::parse(witness.url()).expect("a witness is a URL");
        assert_eq!(sent.as_str(), witness.url(), "a client would send something else");
        assert_eq!(witness.length(), witness.target().len());
        let verdicts = (change.verdict_before(), change.verdict_after());
        assert_eq!(change.rule_before(), verdicts.0.rule());
        assert_eq!(change.rule_after(), verdicts.1.rule());
        let deciders = (decider(&before, &verdicts.0), decider(&after, &verdicts.1));
        (deciders, (cost(witness.target().as_bytes()), witness.is_shortest()))
    });
    (changes.collect(), compared.incomplete)
}

/// A difference between analysis and automaton; `None` also if the policies are too large.
fn difference(before: (Dialect, &[u8]), after: (Dialect, &[u8])) -> Option<String> {
    let rules = [before, after].map(|(dialect, text)| rules(&dialect.parse(text)));
    let expected = changes_between_dialects((&before.0, &rules[0]), (&after.0, &rules[1]))?;
    let (found, incomplete) = found(before, after);
    let is_missing = incomplete.is_none() && expected.keys().any(|pair| !found.contains_key(pair));
    let is_wrong = found.iter().any(|(pair, &(cost, shortest))| match expected.get(pair) {
        Some(&expected) => cost < expected || shortest && cost != expected,
        None => true,
    });
    (is_missing || is_wrong)
        .then(|| format!("found:    {found:?} {incomplete:?}\nexpected: {expected:?}"))
}

/// The two dialects of a case, with different normal forms.
fn dialects(case: &SmallCase, index: u64) -> [Dialect; 2] {
    let others = Dialect::PUBLISHED;
    let others: Vec<&Dialect> =
        others.iter().filter(|other| other.normal_form != case.dialect.normal_form).collect();
    let at = usize::try_from(index / 9).expect("a small number") % others.len();
    [case.dialect, *others[at]]
}

/// The two dialects and texts of a case.
fn sides(index: u64) -> [(Dialect, Vec<u8>); 2] {
    let case = small_case(SEED, index);
    let [one, other] = dialects(&case, index);
    // Every third time two different files.
    let after = if index.is_multiple_of(3) { case.after } else { case.before.clone() };
    [(one, case.before), (other, after)]
}

#[test]
fn dialects_are_compared_as_by_the_automaton() {
    let outcomes = map(0..cases(CASES), |index| {
        let [(one, before), (other, after)] = &sides(index);
        let differs = difference((*one, before), (*other, after)).is_some();
        let (found, incomplete) = found((*one, before), (*other, after));
        let counts = [
            usize::from(found.is_empty() && incomplete.is_none()),
            found.len(),
            usize::from(incomplete.is_some()),
            found.values().filter(|(_, shortest)| !shortest).count(),
        ];
        (differs.then_some(index), counts)
    });
    let shown = |index| {
        let [(one, before), (other, after)] = sides(index);
        let difference = |before: &[u8], after: &[u8]| difference((one, before), (other, after));
        let differs = |before: &[u8], after: &[u8]| difference(before, after).is_some();
        let (before, after) = shrink(&before, &after, differs);
        format!(
            "case {index} of seed {SEED}\n{one}: \"{}\"\n{other}: \"{}\"\n{}",
            before.escape_ascii(),
            after.escape_ascii(),
            difference(&before, &after).unwrap_or_default(),
        )
    };
    let wrong = outcomes.iter().filter_map(|it| it.0).take(3);
    let failures: Vec<String> = wrong.map(shown).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
    let all = outcomes.len();
    let [equal, changes, incomplete, unproved] =
        [0, 1, 2, 3].map(|at| outcomes.iter().map(|it| it.1[at]).sum::<usize>());
    say(&format!(
        "analysis: {all} files in two dialects, {equal} equal, {changes} changes, {unproved} witnesses \
         perhaps not shortest, {incomplete} incomplete: 0 differences"
    ));
    assert!(equal * 10 > all && changes * 2 > all && unproved * 100 < changes);
    assert_eq!(incomplete, 0);
}
