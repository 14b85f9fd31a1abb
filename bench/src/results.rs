//! Results of one run.

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

/// Results of one run; a field without measurement is empty.
#[derive(Debug, Default)]
pub(crate) struct Results {
    pub(crate) machine: String,
    /// Load average at the beginning.
    pub(crate) busy: Option<f64>,
    /// The name of the corpus, its files and their bytes.
    pub(crate) corpus: (String, usize, usize),
    /// Whether Google's library is the reference.
    pub(crate) has_golden: bool,
    pub(crate) rounds: usize,
    pub(crate) peers: Vec<About>,
    /// Timed files and questions.
    pub(crate) timed: Set,
    /// Skipped or omitted parts, a sentence each.
    pub(crate) notes: Vec<String>,
    pub(crate) works: Vec<(Work, Vec<Measured>)>,
    pub(crate) growth: Vec<(Shape, Vec<Curve>)>,
    pub(crate) policies: Option<Policies>,
    pub(crate) held: Vec<Held>,
    pub(crate) peak: Option<Peak>,
    pub(crate) load: Option<Load>,
    /// Number of hostile inputs.
    pub(crate) cases: usize,
    pub(crate) worst: Vec<Worst>,
    pub(crate) tiers: Vec<Tier>,
    /// Verdicts per second.
    pub(crate) batch: Option<f64>,
    pub(crate) agreement: Vec<Agreement>,
}

/// Times of one store of the robots client.
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
    /// The times of all peers for a work.
    pub(crate) fn work(&self, work: Work) -> Option<&[Measured]> {
        self.works.iter().find(|(other, _)| *other == work).map(|(_, all)| &**all)
    }

    /// The length of a timed file, mean.
    pub(crate) fn mean_bytes(&self) -> f64 {
        share(self.timed.bytes(), self.timed.sites.len())
    }
}
