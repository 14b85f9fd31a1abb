//! The answers of all peers, before timing.
//!
//! # Flow
//!
//! Each peer answers all questions once. A file that any peer refuses, or at which any peer panics,
//! and a text that any peer refuses as a URL, is omitted for all, so that all do the same work.
//! [`Survey::notes`] lists the peers and numbers. A peer that refuses many files would leave too
//! few for the others: it is omitted itself ([`MOST_LEFT_OUT`]).

use crate::Result;
use crate::peers::{Answers, Peer};
use crate::set::{Question, Set, Site};
use crate::statistics::share;

/// Maximum share of files that a peer may exclude for all.
const MOST_LEFT_OUT: f64 = 0.05;

/// Files and questions that a peer refuses.
#[derive(Clone, Debug)]
pub(crate) struct Refusals {
    pub(crate) peer: String,
    pub(crate) refused: usize,
    pub(crate) panicked: usize,
    /// Number of refused questions about accepted files.
    pub(crate) questions: usize,
    /// Whether it is therefore excluded.
    pub(crate) is_out: bool,
}

/// The common work.
#[derive(Debug)]
pub(crate) struct Survey {
    /// The timed files and questions.
    pub(crate) set: Set,
    /// Peers with refusals.
    pub(crate) refusals: Vec<Refusals>,
    /// Number of files that all peers accept, but without a URL that all accept.
    unasked: usize,
}

impl Survey {
    /// Collects the answers of all peers.
    pub(crate) fn of(set: &Set, peers: &[Box<dyn Peer>], done: &dyn Fn(&str)) -> Result<Self> {
        let mut keeps: Vec<(bool, Vec<bool>)> = set
            .sites
            .iter()
            .map(|site| (true, site.questions.iter().map(Question::is_web_url).collect()))
            .collect();
        let mut refusals = Vec::new();
        for peer in peers {
            let answers = peer.answers(set)?;
            let refusal = Refusals::of(&peer.about().name, &answers);
            if !refusal.is_out {
                for (keep, answers) in keeps.iter_mut().zip(&answers) {
                    leave_out(keep, answers);
                }
            }
            if refusal.refused + refusal.panicked + refusal.questions > 0 {
                refusals.push(refusal);
            }
            done(&peer.about().name);
        }
        let is_unasked =
            |(keep, questions): &(bool, Vec<bool>)| *keep && !questions.contains(&true);
        let unasked = keeps.iter().filter(|keep| is_unasked(keep)).count();
        Ok(Self { set: remaining(set, &keeps), refusals, unasked })
    }

    /// Whether a peer takes part.
    pub(crate) fn takes_part(&self, peer: &dyn Peer) -> bool {
        !self.refusals.iter().any(|refusal| refusal.is_out && refusal.peer == peer.about().name)
    }

    /// The omissions and their peers, a sentence each.
    pub(crate) fn notes(&self) -> Vec<String> {
        let mut notes: Vec<String> = self.refusals.iter().map(Refusals::note).collect();
        if self.unasked > 0 {
            notes.push(format!("files without a remaining question: {}", self.unasked));
        }
        notes
    }
}

impl Refusals {
    fn of(peer: &str, answers: &[Answers]) -> Self {
        let count = |wanted: &Answers| answers.iter().filter(|one| *one == wanted).count();
        let (refused, panicked) = (count(&Answers::Refused), count(&Answers::Panicked));
        let questions = answers.iter().map(|answers| match answers {
            Answers::Given(given) => given.iter().filter(|answer| answer.is_none()).count(),
            Answers::Refused | Answers::Panicked => 0,
        });
        Self {
            peer: peer.to_owned(),
            refused,
            panicked,
            questions: questions.sum(),
            is_out: share(refused + panicked, answers.len()) > MOST_LEFT_OUT,
        }
    }

    fn note(&self) -> String {
        let parts = [
            (self.refused, "files refused"),
            (self.panicked, "panics"),
            (self.questions, "URLs refused"),
        ];
        let parts: Vec<String> = parts
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| format!("{what}: {count}"))
            .collect();
        let out = if self.is_out { "; it is not timed for that" } else { "" };
        format!("{}: {}{out}", self.peer, parts.join(", "))
    }
}

fn leave_out((site, questions): &mut (bool, Vec<bool>), answers: &Answers) {
    match answers {
        Answers::Given(given) => {
            for (keep, answer) in questions.iter_mut().zip(given) {
                *keep &= answer.is_some();
            }
        }
        Answers::Refused | Answers::Panicked => *site = false,
    }
}

fn remaining(set: &Set, keeps: &[(bool, Vec<bool>)]) -> Set {
    let sites = set.sites.iter().zip(keeps).filter_map(|(site, (keep, questions))| {
        let questions = site.questions.iter().zip(questions).filter(|(_, keep)| **keep);
        let questions: Vec<_> = questions.map(|(question, _)| question.clone()).collect();
        let (name, bytes) = (site.name.clone(), site.bytes.clone());
        (*keep && !questions.is_empty()).then_some(Site { name, bytes, questions })
    });
    Set { agent: set.agent.clone(), sites: sites.collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_of_one_are_omitted_for_all() {
        let urls = ["https://a.example/1", "https://a.example/2", "no URL"].map(str::to_owned);
        let site = |name: &str| Site::new(name, Vec::new(), urls.to_vec());
        let set = Set { agent: "a".into(), sites: vec![site("one"), site("two"), site("three")] };
        let mut keeps = vec![(true, vec![true, true, false]); 3];
        leave_out(&mut keeps[0], &Answers::Given(vec![Some(true), None, Some(true)]));
        leave_out(&mut keeps[1], &Answers::Panicked);
        let left = remaining(&set, &keeps);
        let left: Vec<_> =
            left.sites.iter().map(|site| (&*site.name, site.questions.len())).collect();
        assert_eq!(left, [("one", 1), ("three", 2)]);
    }

    #[test]
    fn a_peer_that_refuses_many_files_is_omitted() {
        let mut answers = vec![Answers::Given(vec![Some(true)]); 90];
        answers.extend(vec![Answers::Refused; 10]);
        let refusal = Refusals::of("a", &answers);
        assert!(refusal.is_out);
        assert_eq!(refusal.note(), "a: files refused: 10; it is not timed for that");
    }
}
