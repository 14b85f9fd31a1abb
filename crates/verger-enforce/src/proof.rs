//! The proof: the intermediate form answers as the engine does.

use std::collections::BTreeSet;

use verger::{Policy, Robots};
use verger_analysis::{Analysis, Budget, Undecided};

use crate::glob::Form;
use crate::limits::{self, BROWSER_CASES, TARGETS};
use crate::octets::is_unreserved;
use crate::plan::Plan;
use crate::request::Request;

/// The result of a comparison with the engine.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Proof {
    /// The number of answers that were compared.
    pub compared: usize,
    /// The first difference: the crawler and the raw target.
    pub disagreement: Option<(String, Vec<u8>)>,
    /// The reason why canonical targets may be missing, with the name of the crawler.
    pub undecided: Option<(String, Undecided)>,
}

/// A request with the answer that it must get.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Case {
    /// The crawler; `None` for a browser.
    pub crawler: Option<String>,
    /// The number of crawlers with the same rules, with this one.
    pub alike: usize,
    /// The User-Agent header.
    pub header: String,
    /// The raw target: ASCII, without spaces.
    pub target: Vec<u8>,
    /// Whether it must be refused.
    pub is_refused: bool,
}

/// The header of a browser, which names no crawler.
const BROWSER: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

impl Plan {
    /// Requests that show whether a server refuses what it must, for one crawler of every list of
    /// rules: canonical targets, in several spellings for those that are refused. At most `most`
    /// for each, chosen evenly. Then some of them as a browser.
    pub fn cases(&self, robots: &Robots, most: usize) -> Vec<Case> {
        let (mut cases, mut done) = (Vec::new(), BTreeSet::new());
        for crawler in &self.crawlers {
            if !done.insert(crawler.list) {
                continue;
            }
            let analysis = Analysis::new(robots, &crawler.rules);
            let found = analysis.canonical_targets(&mut Budget::default()).targets;
            let policy = robots.policy(&crawler.rules);
            let header = format!("Mozilla/5.0 (compatible; {}/1.0)", crawler.words[0].text);
            let alike = self.crawlers.iter().filter(|it| it.list == crawler.list).count();
            let (mut targets, mut spelt) = (BTreeSet::new(), Vec::new());
            for target in found {
                if must_refuse(&policy, &target, &Request::of(&target)) {
                    spelt.extend(spellings(&target).skip(1));
                }
                targets.insert(target);
            }
            for all in [targets.into_iter().collect::<Vec<_>>(), spelt] {
                let step = (2 * all.len()).div_ceil(most.max(1)).max(1);
                for target in all.into_iter().step_by(step) {
                    let is_refused = must_refuse(&policy, &target, &Request::of(&target));
                    let (crawler, header) = (Some(crawler.name.clone()), header.clone());
                    cases.push(Case { crawler, alike, header, target, is_refused });
                }
            }
        }
        let refused = cases.iter().filter(|case| case.is_refused);
        let targets: Vec<_> = refused.take(BROWSER_CASES).map(|case| case.target.clone()).collect();
        cases.extend(targets.into_iter().map(|target| Case {
            crawler: None,
            alike: 0,
            header: BROWSER.to_owned(),
            is_refused: self.refuses(BROWSER, &target),
            target,
        }));
        cases
    }

    /// Compares the answers of the intermediate form with those of the engine, for every list of
    /// rules: on the canonical targets of its rules, and on other spellings of these; with many rules,
    /// of some of these.
    ///
    /// Lists with [rules that cannot be expressed](crate::Unexpressible) are left out.
    ///
    /// The canonical targets show every difference that another order of the rules, or another effect
    /// of one, could make.
    ///
    /// # Complexity
    ///
    /// At most [`TARGETS`] targets in six spellings, each compared with all rules.
    pub fn prove(&self, robots: &Robots) -> Proof {
        let mut proof = Proof::default();
        for (number, name, rules) in self.subjects() {
            let list = &self.lists[number];
            // A list without some rules is another policy: `emit` reports them.
            if !list.missing.is_empty() {
                continue;
            }
            let (analysis, policy) = (Analysis::new(robots, &*rules), robots.policy(&*rules));
            let mut found = analysis.canonical_targets(&mut Budget::default());
            if found.targets.len() > TARGETS {
                found.targets.truncate(TARGETS);
                found.incomplete = Some(Undecided::TooMuchWork);
            }
            if let Some(reason) = found.incomplete {
                proof.undecided.get_or_insert((name.to_owned(), reason));
            }
            // Other spellings of as many targets as the work allows.
            let spelt = limits::PROOF / list.effort();
            let step = found.targets.len().div_ceil(spelt.max(1)).max(1);
            let spellings = found.targets.iter().enumerate().flat_map(|(place, target)| {
                spellings(target).take(if place % step == 0 { usize::MAX } else { 1 })
            });
            for target in spellings {
                let request = Request::of(&target);
                let expected = must_refuse(&policy, &target, &request);
                for form in [Form::Decoded, Form::Escaped] {
                    proof.compared += 1;
                    if list.refuses(&request, form) != expected {
                        proof.disagreement = Some((name.to_owned(), target));
                        return proof;
                    }
                }
            }
        }
        proof
    }
}

/// Whether the engine disallows the raw target or the served one of a request.
fn must_refuse(policy: &Policy, target: &[u8], request: &Request) -> bool {
    let is_allowed = |target: &[u8]| policy.check(target).is_allowed();
    !(request.is_exempt() || is_allowed(target) && is_allowed(&request.served))
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
    [target.to_vec(), escaped, after(b"/"), after(b"/."), after(b"/x/.."), after(b"/x/%2e%2E")]
        .into_iter()
}
