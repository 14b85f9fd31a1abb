//! Canonical targets: enough targets to tell a policy from every other list of the same patterns.

use std::collections::BTreeSet;

use crate::Analysis;
use crate::limits;
use crate::patterns::merge::Merges;
use crate::undecided::{Budget, Undecided};
use crate::urls::ORIGIN;
use crate::urls::targets::Urls;

/// The canonical targets of a policy.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct CanonicalTargets {
    /// Path and query, in the dialect's normal form; sorted, each once.
    pub targets: Vec<Vec<u8>>,
    /// The reason why some may be missing.
    pub incomplete: Option<Undecided>,
}

impl Analysis<'_> {
    /// The canonical targets of all patterns, and of all merges of an allowing and a disallowing
    /// one; and the shortest texts of all patterns.
    ///
    /// If another implementation compares the same patterns in any fixed order and gives the same
    /// answers for the canonical targets as the engine, it gives the same answers for all targets.
    ///
    /// # Complexity
    ///
    /// The pairs of patterns that can match the same targets.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::Robots;
    /// use verger_analysis::{Analysis, Budget};
    ///
    /// let robots = Robots::parse("User-agent: *\nDisallow: /a\nAllow: /*b\n");
    /// let found = Analysis::new(&robots, "x").canonical_targets(&mut Budget::default());
    /// let targets: Vec<_> = found.targets.iter().map(|it| String::from_utf8_lossy(it)).collect();
    /// assert_eq!(targets, ["/", "/a", "/az", "/azbz", "/b", "/robots.txt", "/z", "/zbz"]);
    /// ```
    pub fn canonical_targets(&self, budget: &mut Budget) -> CanonicalTargets {
        let Some(fresh) = self.order.symbols.fresh() else {
            let incomplete = Some(Undecided::NoFreshOctet);
            return CanonicalTargets { targets: Vec::new(), incomplete };
        };
        let (mut texts, mut urls) = (BTreeSet::new(), Urls::new(&self.targets));
        let incomplete = self.collect(fresh, &mut texts, budget).err();
        let targets = texts.iter().map(|text| urls.of(text)[ORIGIN.len()..].to_vec()).collect();
        CanonicalTargets { targets, incomplete }
    }

    fn collect(
        &self,
        fresh: u8,
        texts: &mut BTreeSet<Vec<u8>>,
        budget: &mut Budget,
    ) -> Result<(), Undecided> {
        let mut incomplete = Ok(());
        for atom in self.order.atoms() {
            budget.spend(atom.glob.shortest())?;
            texts.insert(atom.glob.canon(fresh));
            texts.insert(atom.glob.filled(fresh, |_| false));
        }
        for atom in self.order.atoms().iter().filter(|atom| atom.allows) {
            for other in self.order.compatible(&atom.glob, false) {
                let merges = match Merges::of(&atom.glob, &self.order.atom(other).glob, budget) {
                    Err(reason @ Undecided::TooManyMerges) => {
                        incomplete = Err(reason);
                        continue;
                    }
                    merges => merges?,
                };
                for merge in merges.as_slice() {
                    budget.spend(merge.shortest())?;
                    texts.insert(merge.canon(fresh));
                    if texts.len() > limits::CHANGES {
                        return Err(Undecided::TooManyChanges);
                    }
                }
            }
        }
        incomplete
    }
}
