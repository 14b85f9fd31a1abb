//! The differences between two policies, as pairs of deciders.
//!
//! # Flow
//!
//! If two policies differ on a target, it is decided by a pattern of the one and by a pattern of
//! the other with the opposite answer. The target matches a merge of the two; a rule that beats one
//! of them on the canonical text of the merge beats it on the target too. So the canonical texts of
//! all merges of such pairs are checked.
//!
//! Most pairs are excluded before: the rule that decides the canonical text of a pattern in the
//! other policy covers all targets of the pattern, so worse rules decide none of them there.

use std::collections::{BTreeMap, BTreeSet};

use crate::limits;
use crate::patterns::decision_list::{Decider, Order};
use crate::patterns::fresh_letter::{Symbols, readable};
use crate::patterns::glob::Glob;
use crate::patterns::merge::Merges;
use crate::undecided::{Budget, Undecided};
use crate::urls::policy_check::PolicyCheck;
use crate::urls::targets::{Targets, Urls};
use crate::urls::witness::{Cost, FoundText, cost, shortest};

/// A policy for a comparison.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Side<'a> {
    pub(crate) order: &'a Order,
    pub(crate) policy: &'a PolicyCheck,
}

/// The deciders before and after.
pub(crate) type Pair = (Decider, Decider);

/// The differences between two policies: for each pair of deciders with opposite answers, the
/// shortest target that they decide.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    pub(crate) found: BTreeMap<Pair, FoundText>,
    /// The reason why others may be missing.
    pub(crate) incomplete: Option<Undecided>,
}

impl Changes {
    /// Compares two policies.
    pub(crate) fn between(
        before: Side<'_>,
        after: Side<'_>,
        targets: &Targets,
        budget: &mut Budget,
    ) -> Self {
        let symbols = before.order.symbols.clone().and(&after.order.symbols);
        let mut changes = Self::default();
        let Some(fresh) = symbols.fresh() else {
            changes.incomplete = Some(Undecided::NoFreshOctet);
            return changes;
        };
        let mut search = ChangeSearch {
            before,
            after,
            targets,
            fresh,
            urls: Urls::new(targets),
            budget,
            changes,
            not_shortest: BTreeSet::new(),
        };
        if let Err(undecided) = search.run() {
            search.changes.incomplete = Some(undecided);
        }
        search.finish()
    }
}

/// A search for differences.
struct ChangeSearch<'a> {
    before: Side<'a>,
    after: Side<'a>,
    targets: &'a Targets,
    fresh: u8,
    urls: Urls<'a>,
    budget: &'a mut Budget,
    changes: Changes,
    /// Differences for which a search for a shorter target was given up, or for any target.
    not_shortest: BTreeSet<Pair>,
}

impl ChangeSearch<'_> {
    fn run(&mut self) -> Result<(), Undecided> {
        let (before, after) = (self.before.order, self.after.order);
        let before_bounds = self.bounds(before, |pair| pair, after)?;
        let after_bounds = self.bounds(after, |(before, after)| (after, before), before)?;
        for (rank, (atom, bound)) in (0..).zip(before.atoms().iter().zip(before_bounds)) {
            let Some(bound) = bound else { continue };
            for other in after.compatible(&atom.glob, !atom.allows) {
                self.budget.spend(1)?;
                let is_excluded = after_bounds[other as usize].is_none_or(|bound| rank > bound);
                if other > bound || is_excluded {
                    continue;
                }
                let next = after.atom(other);
                let merges = match Merges::of(&atom.glob, &next.glob, self.budget) {
                    Err(reason @ Undecided::TooManyMerges) => {
                        self.changes.incomplete = Some(reason);
                        continue;
                    }
                    merges => merges?,
                };
                for merge in merges.as_slice() {
                    self.check(merge, (atom.decider, next.decider))?;
                }
            }
        }
        Ok(())
    }

    /// For each atom of a policy, the last rank in the other policy that can decide a target of the
    /// atom; `None` for an atom that never decides. `order` puts the decider of the own policy
    /// first.
    fn bounds(
        &mut self,
        own: &Order,
        order: impl Fn(Pair) -> Pair,
        other: &Order,
    ) -> Result<Vec<Option<u32>>, Undecided> {
        let bound = |atom: &crate::patterns::decision_list::Atom| {
            let text = atom.glob.canon(self.fresh);
            let (winner, there) = order(self.deciders(&text)?);
            Ok((winner == atom.decider).then(|| other.last_rank(there)))
        };
        own.atoms().iter().map(bound).collect()
    }

    /// The deciders of a text.
    fn deciders(&mut self, text: &[u8]) -> Result<Pair, Undecided> {
        let url = self.urls.of(text);
        let before = self.before.policy.decider(url, self.budget)?;
        Ok((before, self.after.policy.decider(url, self.budget)?))
    }

    /// Looks for a target of a merge that these deciders decide.
    fn check(&mut self, merge: &Glob, pair: Pair) -> Result<(), Undecided> {
        let canon = merge.canon(self.fresh);
        let least = cost(&canon, self.targets.shortest(merge));
        let known = self.changes.found.get(&pair);
        if known.is_some_and(|known| self.cost(known) <= least) {
            return Ok(());
        }
        if self.deciders(&canon)? != pair {
            return Ok(());
        }
        if self.targets.admits(&canon) {
            return self.insert(merge, pair);
        }
        let Some(variants) = self.targets.variants(merge) else {
            self.not_shortest.insert(pair);
            return Ok(());
        };
        for variant in &variants {
            let canon = variant.canon(self.fresh);
            if self.targets.admits(&canon) && self.deciders(&canon)? == pair {
                self.insert(variant, pair)?;
            }
        }
        Ok(())
    }

    fn cost(&self, found: &FoundText) -> Cost {
        found.cost(self.targets.length(&found.text))
    }

    /// Adds one of the cheapest targets of a pattern. The canonical text is a target, and these
    /// deciders decide it.
    fn insert(&mut self, glob: &Glob, pair: Pair) -> Result<(), Undecided> {
        let found = self.shortened(glob, pair);
        let found =
            found.unwrap_or_else(|_| FoundText { text: glob.canon(self.fresh), shortest: false });
        if !found.shortest {
            self.not_shortest.insert(pair);
        }
        if self.changes.found.get(&pair).is_none_or(|known| self.cost(&found) < self.cost(known)) {
            if self.changes.found.len() >= limits::CHANGES {
                return Err(Undecided::TooManyChanges);
            }
            self.changes.found.insert(pair, found);
        }
        Ok(())
    }

    /// One of the shortest targets of a pattern whose canonical text is a target.
    fn shortened(&mut self, glob: &Glob, pair: Pair) -> Result<FoundText, Undecided> {
        let (targets, fresh) = (self.targets, self.fresh);
        let found = shortest(glob, fresh, |text| Ok(self.deciders(text)? == pair))?;
        if targets.admits(&found.text) {
            return Ok(found);
        }
        let found =
            shortest(glob, fresh, |text| Ok(self.deciders(text)? == pair && targets.admits(text)))?;
        Ok(FoundText { shortest: false, ..found })
    }

    /// The changes, with readable texts.
    fn finish(mut self) -> Changes {
        let mut changes = core::mem::take(&mut self.changes);
        let (targets, is_complete) = (self.targets, changes.incomplete.is_none());
        if is_complete && self.not_shortest.iter().any(|pair| !changes.found.contains_key(pair)) {
            changes.incomplete = Some(Undecided::OutsideUrls);
        }
        for (&pair, found) in &mut changes.found {
            found.shortest &= is_complete && !self.not_shortest.contains(&pair);
            let text = core::mem::take(&mut found.text);
            found.text = readable(text, self.fresh, |text| {
                targets.admits(text) && self.deciders(text).is_ok_and(|deciders| deciders == pair)
            });
        }
        changes
    }
}

/// The symbols of both policies and a further pattern.
pub(crate) fn symbols_with(order: &Order, globs: &[Glob]) -> Symbols {
    order.symbols.clone().and(&Symbols::of(globs))
}
