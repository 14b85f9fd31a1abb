//! The proof: the intermediate form answers as the engine does.

use std::collections::BTreeSet;

use verger::Robots;
use verger_analysis::{Analysis, Budget, Undecided};

use crate::glob::Form;
use crate::limits::TARGETS;
use crate::octets::is_unreserved;
use crate::plan::Plan;
use crate::request::Request;

/// The result of a comparison with the engine.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Proof {
    /// The number of answers that were compared.
    pub compared: usize,
    /// The first difference.
    pub disagreement: Option<Disagreement>,
    /// The reason why canonical targets may be missing, with the name of the crawler.
    pub undecided: Option<(String, Undecided)>,
}

/// A request that the engine and the intermediate form answer differently.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Disagreement {
    /// The crawler.
    pub crawler: String,
    /// The raw target.
    pub target: Vec<u8>,
    /// Whether the intermediate form refuses it.
    pub is_refused: bool,
}

impl Plan {
    /// Compares the answers of the intermediate form with those of the engine, for every list of
    /// rules: on the canonical targets of its rules, and on other spellings of these.
    ///
    /// The canonical targets show every difference that another order of the rules, or another effect
    /// of one, could make.
    ///
    /// # Complexity
    ///
    /// At most [`TARGETS`] targets in six spellings, each compared with all rules.
    pub fn prove(&self, robots: &Robots) -> Proof {
        let (mut proof, mut done) = (Proof::default(), BTreeSet::new());
        for crawler in &self.crawlers {
            if !done.insert(crawler.list) {
                continue;
            }
            let analysis = Analysis::new(robots, &crawler.rules);
            let mut found = analysis.canonical_targets(&mut Budget::default());
            if found.targets.len() > TARGETS {
                found.targets.truncate(TARGETS);
                found.incomplete = Some(Undecided::TooMuchWork);
            }
            if let Some(reason) = found.incomplete {
                proof.undecided.get_or_insert((crawler.name.clone(), reason));
            }
            let policy = robots.policy(&crawler.rules);
            let list = &self.lists[crawler.list];
            for target in found.targets.iter().flat_map(|target| spellings(target)) {
                let request = Request::of(&target);
                let is_allowed = |target: &[u8]| policy.check(target).is_allowed();
                let expected =
                    !(request.is_exempt() || is_allowed(&target) && is_allowed(&request.served));
                for form in [Form::Decoded, Form::Escaped] {
                    proof.compared += 1;
                    let is_refused = list.refuses(&request, form);
                    if is_refused != expected {
                        let crawler = crawler.name.clone();
                        proof.disagreement = Some(Disagreement { crawler, target, is_refused });
                        return proof;
                    }
                }
            }
        }
        proof
    }
}

/// A target, and others that a server serves in the same way or that mean the same.
pub(crate) fn spellings(target: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    let mut escaped = Vec::with_capacity(target.len());
    let mut digits = 0;
    for &octet in target {
        if digits == 0 && is_unreserved(octet) {
            escaped.extend(format!("%{octet:02x}").bytes());
        } else {
            escaped.push(octet.to_ascii_lowercase());
        }
        digits = if octet == b'%' { 2 } else { usize::saturating_sub(digits, 1) };
    }
    let after = |start: &[u8]| [start, target].concat();
    [target.to_vec(), escaped, after(b"/"), after(b"/."), after(b"/x/.."), after(b"/%2e%2f%2E.")]
        .into_iter()
}
