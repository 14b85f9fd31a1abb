//! Kinds and amounts of work.

use std::ops::Range;

use fastrand::Rng;

use crate::set::Set;

/// A kind of work that all peers do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Work {
    /// Bytes, crawler and URL to a verdict.
    OneShot,
    /// Bytes to groups and rules of every crawler.
    Parse,
    /// Bytes to the fastest form for one crawler.
    Compile,
    /// URL to verdict, file by file, every question several times.
    Hot,
    /// The same, with an extracted path.
    HotPath,
    /// URL to verdict, one question for each file, in random order.
    Cold,
}

impl Work {
    pub(crate) const ALL: [Self; 6] =
        [Self::OneShot, Self::Parse, Self::Compile, Self::Hot, Self::HotPath, Self::Cold];

    /// Name in tables and on the command line.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::OneShot => "one-shot",
            Self::Parse => "parse",
            Self::Compile => "compile",
            Self::Hot => "match-hot",
            Self::HotPath => "match-path",
            Self::Cold => "match-cold",
        }
    }

    /// Whether files are parsed before the first lap.
    pub(crate) const fn is_match(self) -> bool {
        matches!(self, Self::Hot | Self::HotPath | Self::Cold)
    }

    /// Number of operations in a lap: the figure is the lap's time divided by this.
    #[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
    pub(crate) fn units(self, set: &Set, plan: &Plan) -> f64 {
        match self {
            Self::OneShot | Self::Parse | Self::Compile => set.sites.len() as f64,
            Self::Hot | Self::HotPath => (set.questions() * plan.repeats) as f64,
            Self::Cold => plan.cold.questions.len() as f64,
        }
    }
}

/// Parameters of a lap; the same for all peers in one round.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plan {
    /// Number of the round; it selects the question of a one-shot answer.
    pub(crate) round: usize,
    /// Number of repetitions of each question before the next file.
    pub(crate) repeats: usize,
    pub(crate) cold: Cold,
}

/// Questions in random order, one for each file.
///
/// Their texts are contiguous in this order, so that only the policies are far apart in memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cold {
    pub(crate) text: String,
    /// Index of the file, index of its question, and range of the text.
    pub(crate) questions: Vec<(usize, usize, Range<usize>)>,
}

impl Cold {
    /// Another order and other questions for each round.
    pub(crate) fn new(set: &Set, round: usize) -> Self {
        let mut random = Rng::with_seed(round as u64);
        let mut order: Vec<usize> = (0..set.sites.len()).collect();
        random.shuffle(&mut order);
        let mut cold = Self::default();
        for site in order {
            let questions = &set.sites[site].questions;
            if questions.is_empty() {
                continue;
            }
            let question = round % questions.len();
            let start = cold.text.len();
            cold.text.push_str(&questions[question].url);
            cold.questions.push((site, question, start..cold.text.len()));
        }
        cold
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::set::Site;

    #[test]
    fn a_cold_round_asks_every_file_once() {
        let site = |number| {
            let urls =
                vec![format!("https://{number}.example/a"), format!("https://{number}.example/b")];
            Site::new(format!("{number}.example"), Vec::new(), urls)
        };
        let set = Set { agent: "a".into(), sites: (0..50).map(site).collect() };
        let cold = Cold::new(&set, 1);
        let mut asked: Vec<usize> = cold.questions.iter().map(|(site, ..)| *site).collect();
        assert_ne!(asked, (0..50).collect::<Vec<_>>());
        asked.sort_unstable();
        assert_eq!(asked, (0..50).collect::<Vec<_>>());
        let (site, question, at) = cold.questions[7].clone();
        assert_eq!(cold.text[at], set.sites[site].questions[question].url);
    }
}
