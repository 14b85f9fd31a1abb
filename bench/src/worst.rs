//! The worst inputs, only for Verger: peers do not document these properties.

use std::time::Duration;

use verger::Dialect;

use crate::hostile::{self, Cost};

/// The worst case of a kind of work.
#[derive(Clone, Debug)]
pub(crate) struct Worst {
    pub(crate) work: &'static str,
    /// Time for 500 KiB.
    pub(crate) time: Duration,
    pub(crate) case: String,
    pub(crate) dialect: &'static str,
}

/// A kind of work: its name and its figure.
type Kind = (&'static str, fn(&Cost) -> Duration);

const KINDS: [Kind; 5] = [
    ("parse", |cost| cost.parse),
    ("check of a parsed file", |cost| cost.check),
    ("check of a policy", |cost| cost.policy),
    ("one-shot", |cost| cost.one_shot),
    ("diagnostics and extensions", |cost| cost.extensions),
];

/// The number of inputs, and the worst of them for each kind of work.
pub(crate) fn of(is_quick: bool, done: &dyn Fn(&str)) -> (usize, Vec<Worst>) {
    let mut cases = hostile::families();
    if !is_quick {
        cases.extend(hostile::of_suite());
    }
    let mut worst: Vec<Worst> = Vec::new();
    for case in &cases {
        done(&case.name);
        for dialect in [Dialect::RFC9309, Dialect::GOOGLE] {
            let cost = hostile::measure(case, dialect);
            for (work, figure) in KINDS {
                let time = figure(&cost);
                let found = Worst { work, time, case: case.name.clone(), dialect: dialect.name };
                match worst.iter_mut().find(|worst| worst.work == work) {
                    Some(other) if other.time < time => *other = found,
                    Some(_) => {}
                    None => worst.push(found),
                }
            }
        }
    }
    (cases.len(), worst)
}
