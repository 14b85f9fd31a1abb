//! Proof of safe fixes: a fix is safe only if no answer changes in any published dialect.

use crate::finding::Finding;
use crate::fix::{Fix, Safety, apply};
use crate::halving;
use crate::limits;
use crate::meaning::has_same_effect;

/// Marks those safe fixes as unsafe that could change an answer, each alone or together with the
/// others. Fixes that are left when the proofs are spent become unsafe too.
pub(crate) fn prove(text: &[u8], findings: &mut [Finding]) {
    let safe: Vec<usize> = (0..findings.len())
        .filter(|&at| findings[at].fix.as_ref().is_some_and(|fix| fix.safety == Safety::Safe))
        .collect();
    let mut proofs = limits::PROOFS_OF_FIXES;
    let accepted = halving::accept(safe.len(), &mut proofs, &mut |accepted| {
        let chosen = safe.iter().zip(accepted).filter(|(_, is_accepted)| **is_accepted);
        let fixes: Vec<&Fix> = chosen.filter_map(|(&at, _)| findings[at].fix.as_ref()).collect();
        has_same_effect(text, &apply(text, fixes).0)
    });
    for (at, _) in safe.into_iter().zip(accepted).filter(|(_, is_accepted)| !is_accepted) {
        if let Some(fix) = &mut findings[at].fix {
            fix.safety = Safety::Unsafe;
        }
    }
}
