//! The proof: the intermediate form answers as the engine does.

use std::collections::{BTreeMap, BTreeSet};

use verger::{Crawler, Policy, Robots};
use verger_analysis::{Analysis, Budget, Undecided};

use crate::glob::Form;
use crate::limits::{self, FEW_CASES, SHARED_CASES, TARGETS};
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
    /// The name of the crawler, or [`BROWSER`](Self::BROWSER).
    pub crawler: String,
    /// The name of the first crawler with the same rules, or [`BROWSER`](Self::BROWSER).
    pub class: String,
    /// The User-Agent header. It ends with the word `verger-proof`, which shows in logs that no
    /// crawler sent the request.
    pub header: String,
    /// The raw target: ASCII, without spaces.
    pub target: Vec<u8>,
    /// Whether it must be refused.
    pub is_refused: bool,
    /// Whether it is for a path that is never refused: robots.txt, or a well-known one.
    pub is_exempt: bool,
}

/// The requests of a proof.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Cases {
    /// Each with its answer.
    pub requests: Vec<Case>,
    /// By class: how many targets of its rules are asked for, of how many.
    pub targets: BTreeMap<String, (usize, usize)>,
}

impl Case {
    /// The name of a browser.
    pub const BROWSER: &str = "a browser";
}

/// The header of a browser, which names no crawler.
const BROWSER: &str =
    "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0 verger-proof";

impl Plan {
    /// Requests that show whether a server refuses what it must, and nothing else: canonical
    /// targets of every list of rules, in several spellings for those that are refused, at most
    /// `most` for each: one for each rule first, the other spellings last. The first crawler with
    /// these rules sends all of them, and some of those of all lists, which a browser sends, too.
    /// Every other crawler sends a few of these.
    pub fn cases(&self, robots: &Robots, most: usize) -> Cases {
        let classes = self.crawlers.chunk_by(|a, b| a.list == b.list);
        let classes = classes.chain(self.free.chunk_by(|_, _| true));
        let mut found = Cases::default();
        let classes: Vec<_> = classes
            .map(|all| {
                let policy = robots.policy(&all[0].rules);
                let (targets, number) = targets(robots, &all[0].rules, &policy, most);
                found.targets.insert(all[0].name.clone(), (targets.len(), number));
                (all, policy, targets)
            })
            .collect();
        let every: BTreeSet<_> = classes.iter().flat_map(|(.., targets)| targets).collect();
        let shared: Vec<_> = evenly(every.into_iter().cloned().collect(), SHARED_CASES).collect();
        let cases = &mut found.requests;
        for (all, policy, targets) in &classes {
            let asked = targets.iter().chain(&shared).collect::<BTreeSet<_>>();
            for (place, crawler) in all.iter().enumerate() {
                let few = if place == 0 { usize::MAX } else { FEW_CASES };
                let name = &crawler.words[0].text;
                let header = format!("Mozilla/5.0 (compatible; {name}/1.0) verger-proof");
                cases.extend(evenly(asked.iter().collect(), few).map(|&target| {
                    let request = Request::of(target);
                    Case {
                        crawler: crawler.name.clone(),
                        class: all[0].name.clone(),
                        header: header.clone(),
                        target: target.clone(),
                        is_refused: must_refuse(policy, target, &request),
                        is_exempt: request.is_exempt(),
                    }
                }));
            }
        }
        cases.extend(shared.into_iter().map(|target| self.case_of_browser(target)));
        found
    }

    /// The request of a browser for a target.
    pub fn case_of_browser(&self, target: Vec<u8>) -> Case {
        Case {
            crawler: Case::BROWSER.to_owned(),
            class: Case::BROWSER.to_owned(),
            header: BROWSER.to_owned(),
            is_refused: self.refuses(BROWSER, &target),
            is_exempt: Request::of(&target).is_exempt(),
            target,
        }
    }

    /// Compares the answers of the intermediate form with those of the engine, for every list of
    /// rules: on the canonical targets of its rules, and on other spellings of these; with many
    /// rules, of some of these.
    ///
    /// Lists with [rules that cannot be expressed](crate::Unexpressible) are left out.
    ///
    /// The canonical targets show every difference that another order of the rules, or another
    /// effect of one, could make.
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

/// The targets of [`Plan::cases`] for a list of rules, and the number of all.
fn targets(
    robots: &Robots,
    rules: &Crawler,
    policy: &Policy,
    most: usize,
) -> (BTreeSet<Vec<u8>>, usize) {
    let found = Analysis::new(robots, rules).canonical_targets(&mut Budget::default()).targets;
    let refused = found.iter().filter(|it| must_refuse(policy, it, &Request::of(it)));
    let refused: Vec<_> = refused.cloned().collect();
    let mut lines = BTreeSet::new();
    let (first, others) = found.into_iter().partition(|it| lines.insert(policy.check(it).line()));
    // By their kind, so that an even choice has all kinds.
    let of_kind = |kind| refused.iter().filter_map(move |target| spellings(target).nth(kind));
    let spelt = (1..spellings(b"/").count()).flat_map(of_kind).collect();
    let (mut chosen, mut seen) = (BTreeSet::new(), BTreeSet::new());
    let tiers: [Vec<Vec<u8>>; 3] = [first, others, spelt];
    for mut tier in tiers {
        tier.retain(|target| seen.insert(target.clone()));
        let left = most.max(1) - chosen.len();
        chosen.extend(evenly(tier, left));
    }
    (chosen, seen.len())
}

/// At most this number of items, evenly.
fn evenly<T>(all: Vec<T>, most: usize) -> impl Iterator<Item = T> {
    let (picked, number) = (most.min(all.len()), all.len());
    let all = all.into_iter().enumerate();
    all.filter(move |(place, _)| place * picked % number < picked).map(|(_, item)| item)
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
