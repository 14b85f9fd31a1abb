//! Comparison of all peers: in every round each does the same work once, in turn.
//!
//! # Flow
//!
//! [`compare`] runs one uncounted lap of each peer, to estimate the time of a lap. A slow peer
//! answers each question once instead of ten times, and in fewer rounds. Then the rounds follow,
//! beginning with another peer each time. The result is the median, and for ratios the median of
//! the ratios in each round: a disturbance of the machine affects neighbours equally.

use std::time::Duration;

use crate::Result;
use crate::peers::{Lap, Peer, Stage};
use crate::plan::{Cold, Plan, Work};
use crate::set::Set;
use crate::statistics::{median, percentile, ratio};

/// Number of repetitions of each question for a hot file.
const REPEATS: usize = 10;

/// Minimum number of rounds of a peer.
const FEWEST: usize = 3;

/// Maximum time of a peer for one work.
const PATIENCE: Duration = Duration::from_secs(8);

/// With a longer lap, a peer answers each hot question only once.
const LONG_LAP: Duration = Duration::from_secs(1);

/// Times of a peer for a work.
#[derive(Clone, Debug)]
pub(crate) struct Measured {
    pub(crate) name: String,
    pub(crate) is_ours: bool,
    /// Nanoseconds for one file or one question, by round.
    pub(crate) rounds: Vec<f64>,
    /// Nanoseconds for one question, by file, the median over rounds; empty if files were not
    /// timed.
    pub(crate) sites: Vec<f64>,
}

impl Measured {
    /// Nanoseconds for one file or one question, median.
    pub(crate) fn time(&self) -> f64 {
        median(&self.rounds)
    }

    /// Nanoseconds for one question, 99th percentile of all files.
    pub(crate) fn p99(&self) -> f64 {
        percentile(&self.sites, 0.99)
    }

    /// The ratio of this time to another.
    pub(crate) fn times(&self, other: &Self) -> f64 {
        ratio(&self.rounds, &other.rounds)
    }
}

/// The times of all peers for one work: those of Verger first, then the fastest first.
pub(crate) fn compare(
    work: Work,
    set: &Set,
    peers: &[&dyn Peer],
    rounds: usize,
    done: &dyn Fn(&str),
) -> Result<Vec<Measured>> {
    let peers: Vec<&&dyn Peer> = peers.iter().filter(|peer| peer.can(work)).collect();
    let mut stages: Vec<Box<dyn Stage + '_>> =
        peers.iter().map(|peer| peer.stage(set, work)).collect::<Result<_>>()?;
    let mut runners: Vec<Runner> = Vec::new();
    for (peer, stage) in peers.iter().zip(&mut stages) {
        runners.push(Runner::new(**peer, stage.start(), work, set, rounds)?);
        done(&peer.about().name);
    }
    for round in 0..rounds {
        let mut plan = Plan { round, repeats: 1, cold: Cold::default() };
        if work == Work::Cold {
            plan.cold = Cold::new(set, round);
        }
        let count = runners.len().max(1);
        for turn in 0..count {
            if let Some(runner) = runners.get_mut((turn + round) % count) {
                runner.run(work, set, &mut plan)?;
            }
        }
        done("");
    }
    let mut measured: Vec<Measured> = runners.into_iter().map(|runner| runner.end(set)).collect();
    measured.sort_by(|a, b| b.is_ours.cmp(&a.is_ours).then(a.time().total_cmp(&b.time())));
    Ok(measured)
}

/// A peer during the rounds.
struct Runner<'s> {
    measured: Measured,
    lap: Box<dyn Lap + 's>,
    /// Number of its rounds.
    rounds: usize,
    repeats: usize,
    /// Times of each file, round by round.
    sites: Vec<Vec<Duration>>,
}

impl<'s> Runner<'s> {
    /// Runs one uncounted lap.
    fn new(
        peer: &dyn Peer,
        mut lap: Box<dyn Lap + 's>,
        work: Work,
        set: &Set,
        rounds: usize,
    ) -> Result<Self> {
        let mut plan = Plan { round: 0, repeats: 1, cold: Cold::default() };
        if work == Work::Cold {
            plan.cold = Cold::new(set, usize::MAX);
        }
        let one = lap.lap(&plan, None)?;
        let is_hot = matches!(work, Work::Hot | Work::HotPath);
        let all = one * u32::try_from(REPEATS).unwrap_or(u32::MAX);
        let (repeats, lap_time) = if is_hot && all < LONG_LAP { (REPEATS, all) } else { (1, one) };
        let patience = PATIENCE.as_secs_f64() / lap_time.as_secs_f64().max(1e-9);
        let fewest = FEWEST.min(rounds);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a number of rounds, bounded next"
        )]
        let rounds = (patience as usize).clamp(fewest, rounds);
        let about = peer.about();
        let measured = Measured {
            name: about.name.clone(),
            is_ours: about.is_ours,
            rounds: Vec::new(),
            sites: Vec::new(),
        };
        Ok(Self { measured, lap, rounds, repeats, sites: Vec::new() })
    }

    fn run(&mut self, work: Work, set: &Set, plan: &mut Plan) -> Result {
        if self.measured.rounds.len() == self.rounds {
            return Ok(());
        }
        plan.repeats = self.repeats;
        let mut each = Vec::new();
        let wants_each = work == Work::Hot;
        let time = self.lap.lap(plan, wants_each.then_some(&mut each))?;
        self.measured.rounds.push(nanos(time) / work.units(set, plan));
        if wants_each {
            self.sites.push(each);
        }
        Ok(())
    }

    #[expect(clippy::cast_precision_loss, reason = "hundreds")]
    fn end(mut self, set: &Set) -> Measured {
        let count = self.sites.iter().map(Vec::len).min().unwrap_or(0);
        let site = |number: usize| {
            let questions = (set.sites[number].questions.len() * self.repeats) as f64;
            let times: Vec<f64> =
                self.sites.iter().map(|round| nanos(round[number]) / questions).collect();
            median(&times)
        };
        self.measured.sites = (0..count).map(site).collect();
        self.measured
    }
}

#[expect(clippy::cast_precision_loss, reason = "minutes at most")]
fn nanos(time: Duration) -> f64 {
    time.as_nanos() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::peers;
    use crate::set::Site;

    #[test]
    fn every_capable_peer_takes_part_in_every_round() {
        let url = "https://a.example/x".to_owned();
        let site = Site::new("a.example", b"user-agent: *\ndisallow: /x\n".to_vec(), vec![url]);
        let set = Set { agent: "a".into(), sites: vec![site] };
        let peers = peers::libraries();
        let peers: Vec<&dyn Peer> = peers.iter().map(|peer| &**peer).collect();
        for work in Work::ALL {
            let all = compare(work, &set, &peers, 4, &|_| {}).unwrap();
            assert!(all.len() >= 3, "{work:?}: {all:?}");
            assert!(all[0].is_ours && all[0].rounds.len() == 4);
            assert_eq!(all[0].sites.len(), usize::from(work == Work::Hot));
        }
    }
}
