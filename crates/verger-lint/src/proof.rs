//! Proof of safe fixes: a fix is safe only if no answer changes in any published dialect.

use std::collections::HashSet;

use crate::bisection;
use crate::careful_fixes::{BY_ANSWERS, REDUNDANT};
use crate::finding::Finding;
use crate::fix::{Safety, apply};
use crate::limits;
use crate::meaning::{Effort, has_same_answers, has_same_effect};

/// Marks those safe fixes as unsafe that could change an answer, each alone or together with the
/// others. Fixes that are left when the proofs are spent become unsafe too, and so do those at the
/// positions `careful`.
///
/// Fixes that need an analysis come last, so that the others do not depend on them. The careful
/// ones of them come after all others, which are applied without them. Of two rules that say the
/// same, one is needed: without a proof, the fix of a redundant rule is dropped.
///
/// Nothing is proved after `goes_on` returns false.
pub(crate) fn prove(
    text: &[u8],
    findings: &mut [Finding],
    careful: &[usize],
    goes_on: &dyn Fn() -> bool,
) {
    for &at in careful {
        if let Finding { rule, fix: Some(fix), .. } = &mut findings[at]
            && !BY_ANSWERS.contains(&rule.code)
        {
            fix.safety = Safety::Unsafe;
        }
    }
    let is_safe =
        |finding: &Finding| finding.fix.as_ref().is_some_and(|fix| fix.safety == Safety::Safe);
    let safe = (0..findings.len()).filter(|&at| is_safe(&findings[at]));
    let (by_answers, by_structure): (Vec<_>, Vec<_>) =
        safe.partition(|&at| BY_ANSWERS.contains(&findings[at].rule.code));
    let (by_answers, doubtful): (Vec<_>, Vec<_>) =
        by_answers.into_iter().partition(|at| careful.binary_search(at).is_err());
    let first = accepted(text, findings, &[], &by_structure, &mut has_same_effect, goes_on);
    let mut effort = Effort::default();
    let mut has_same = |left: &[u8], right: &[u8]| has_same_answers(left, right, &mut effort);
    let safe = accepted(text, findings, &first, &by_answers, &mut has_same, goes_on);
    let proved = accepted(text, findings, &safe, &doubtful, &mut has_same, goes_on);
    let [safe, proved] = [safe, proved].map(|list| list.into_iter().collect::<HashSet<_>>());
    for at in by_structure.into_iter().chain(by_answers).chain(doubtful) {
        let Finding { rule, fix, .. } = &mut findings[at];
        if rule.code == REDUNDANT && !proved.contains(&at) {
            *fix = None;
        } else if let Some(fix) = fix.as_mut().filter(|_| !safe.contains(&at)) {
            fix.safety = Safety::Unsafe;
        }
    }
}

/// The findings whose fixes are accepted: earlier ones, and those of the candidates with which the
/// text stays the same.
fn accepted(
    text: &[u8],
    findings: &[Finding],
    earlier: &[usize],
    candidates: &[usize],
    is_same: &mut dyn FnMut(&[u8], &[u8]) -> bool,
    goes_on: &dyn Fn() -> bool,
) -> Vec<usize> {
    let with = |accepted: &[bool]| -> Vec<usize> {
        let chosen = candidates.iter().zip(accepted).filter(|(_, is_accepted)| **is_accepted);
        earlier.iter().copied().chain(chosen.map(|(&at, _)| at)).collect()
    };
    let mut proofs = limits::PROOFS_OF_FIXES;
    let accepted = bisection::accept(candidates.len(), &mut |accepted| {
        proofs = proofs.checked_sub(1).filter(|_| goes_on())?;
        let fixes = with(accepted).into_iter().filter_map(|at| findings[at].fix.as_ref());
        Some(is_same(text, &apply(text, fixes.map(|fix| (fix, Vec::new()))).0))
    });
    with(&accepted)
}
