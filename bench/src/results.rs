//! What one run has found.

use crate::agreement::Agreement;
use crate::growth::{Curve, Shape};
use crate::load::Load;
use crate::measure::Measured;
use crate::memory::{Held, Peak, Policies};
use crate::peers::About;
use crate::plan::Work;
use crate::set::Set;
use crate::statistics::share;
use crate::worst::Worst;

/// What one run has found; what was not asked for is empty.
#[derive(Debug, Default)]
pub(crate) struct Results {
    pub(crate) machine: String,
    /// Programs that wanted to run when it began.
    pub(crate) busy: Option<f64>,
    /// The name of the corpus, its files and their bytes.
    pub(crate) corpus: (String, usize, usize),
    /// Whether what is right is said by Google's library.
    pub(crate) has_golden: bool,
    pub(crate) rounds: usize,
    pub(crate) peers: Vec<About>,
    /// Files and questions that are timed.
    pub(crate) timed: Set,
    /// What was skipped or left out, a sentence each.
    pub(crate) told: Vec<String>,
    pub(crate) works: Vec<(Work, Vec<Measured>)>,
    pub(crate) growth: Vec<(Shape, Vec<Curve>)>,
    pub(crate) policies: Option<Policies>,
    pub(crate) held: Vec<Held>,
    pub(crate) peak: Option<Peak>,
    pub(crate) load: Option<Load>,
    /// Hostile inputs.
    pub(crate) cases: usize,
    pub(crate) worst: Vec<Worst>,
    pub(crate) tiers: Vec<Tier>,
    /// Verdicts in a second.
    pub(crate) batch: Option<f64>,
    pub(crate) agreement: Vec<Agreement>,
}

/// What one store of the robots client takes.
#[derive(Clone, Debug)]
pub(crate) struct Tier {
    pub(crate) name: &'static str,
    pub(crate) sites: usize,
    /// Nanoseconds to look a record up.
    pub(crate) record: f64,
    /// Nanoseconds from a URL to a decision with its evidence.
    pub(crate) decision: f64,
}

impl Results {
    /// Everybody's times for a work.
    pub(crate) fn work(&self, work: Work) -> Option<&[Measured]> {
        self.works.iter().find(|(other, _)| *other == work).map(|(_, all)| &**all)
    }

    /// The bytes of a file that is timed, the mean over all.
    pub(crate) fn mean_bytes(&self) -> f64 {
        share(self.timed.bytes(), self.timed.sites.len())
    }
}
