//! Number of verdicts of each peer that agree with Google's.
//!
//! Google's library is the reference if its answers for the corpus are available. Otherwise it is
//! dialect `google`, which agrees with that library in all comparisons.

use crate::Result;
use crate::corpus::Corpus;
use crate::peers::{self, Answers, Peer};
use crate::set::Set;
use crate::statistics::share;

/// Agreement of a peer.
#[derive(Clone, Debug)]
pub(crate) struct Agreement {
    pub(crate) peer: String,
    /// Number of questions.
    pub(crate) asked: usize,
    /// Questions without an answer: a refused file, a panic, a text that the peer does not accept
    /// as a URL.
    pub(crate) unanswered: usize,
    /// Number of different answers.
    pub(crate) wrong: usize,
    /// Number of different answers that allow a disallowed URL.
    pub(crate) wrongly_allowed: usize,
}

impl Agreement {
    /// The share of the questions with the reference answer.
    pub(crate) fn share(&self) -> f64 {
        share(self.asked - self.unanswered - self.wrong, self.asked)
    }
}

/// Runs all peers for each crawler with known answers. Verger is first, in dialect `google`.
pub(crate) fn of(
    corpus: &Corpus,
    all: &[Box<dyn Peer>],
    done: &dyn Fn(&str),
) -> Result<Vec<Agreement>> {
    let google = peers::google();
    // Parsed and compiled files give the same answers.
    let peers = all.iter().filter(|peer| !peer.about().is_ours || !peer.about().name.contains(','));
    let peers: Vec<&dyn Peer> =
        std::iter::once(&*google).chain(peers.map(|peer| &**peer)).collect();
    let mut found: Vec<Agreement> = peers.iter().map(|peer| Agreement::new(*peer)).collect();
    for (agent, right) in truths(corpus, &*google)? {
        let set = Set { agent, ..corpus.set.clone() };
        for (peer, agreement) in peers.iter().zip(&mut found) {
            for (right, answers) in right.iter().zip(peer.answers(&set)?) {
                agreement.count(right, &answers);
            }
            done(&agreement.peer);
        }
    }
    found[1..].sort_by(|a, b| b.share().total_cmp(&a.share()));
    Ok(found)
}

impl Agreement {
    fn new(peer: &dyn Peer) -> Self {
        let peer = peer.about().name.clone();
        Self { peer, asked: 0, unanswered: 0, wrong: 0, wrongly_allowed: 0 }
    }

    fn count(&mut self, right: &[bool], answers: &Answers) {
        self.asked += right.len();
        let Answers::Given(given) = answers else {
            self.unanswered += right.len();
            return;
        };
        for (right, given) in right.iter().zip(given) {
            match given {
                None => self.unanswered += 1,
                Some(given) if given != right => {
                    self.wrong += 1;
                    self.wrongly_allowed += usize::from(*given);
                }
                Some(_) => {}
            }
        }
    }
}

/// The reference answers for each crawler, by file.
fn truths(corpus: &Corpus, google: &dyn Peer) -> Result<Vec<(String, Vec<Vec<bool>>)>> {
    let Some(first) = corpus.golden.first() else {
        let answers = google.answers(&corpus.set)?;
        let right = answers.into_iter().map(|answers| match answers {
            Answers::Given(given) => given.into_iter().map(|answer| answer == Some(true)).collect(),
            Answers::Refused | Answers::Panicked => Vec::new(),
        });
        return Ok(vec![(corpus.set.agent.clone(), right.collect())]);
    };
    let agents = first.verdicts.iter().enumerate().map(|(number, (agent, _))| {
        let right = corpus.golden.iter().map(|answers| {
            answers.verdicts.get(number).map(|(_, right)| right.clone()).unwrap_or_default()
        });
        (agent.clone(), right.collect())
    });
    Ok(agents.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verdict_agrees_differs_or_is_missing() {
        let mut found =
            Agreement { peer: "a".into(), asked: 0, unanswered: 0, wrong: 0, wrongly_allowed: 0 };
        found.count(&[true, false, true], &Answers::Given(vec![Some(true), Some(true), None]));
        found.count(&[true], &Answers::Panicked);
        assert_eq!(
            (found.asked, found.unanswered, found.wrong, found.wrongly_allowed),
            (4, 2, 1, 1)
        );
        assert!((found.share() - 0.25).abs() < 1e-9);
    }
}
