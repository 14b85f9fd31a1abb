//! The judgement of one request by robots.txt.

use std::time::Duration;

use verger::Crawler;
use verger::access::Timestamp;

use crate::knowledge::{InForce, Known, Text};
use crate::site::{Answer, Site, before};
use crate::verdict::Verdict;

/// A judgement.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Judgement {
    pub(crate) verdict: Verdict,
    /// Whether the fetches on which it rests are proved.
    pub(crate) is_proved: bool,
    /// The version and the line that decided.
    pub(crate) decided: Option<Decided>,
    /// The version that the crawler has, if it is in force.
    pub(crate) in_force: Option<usize>,
    /// The time at which the crawler received the version that decided.
    pub(crate) received: Option<Timestamp>,
    pub(crate) is_refused: bool,
    pub(crate) is_backwards: bool,
}

/// A version, and the line of its deciding rule.
pub(crate) type Decided = (usize, Option<usize>);

/// The question whether a crawler may request a target at a time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Question<'q> {
    /// Its index, and its rules.
    pub(crate) crawler: (usize, &'q Crawler),
    pub(crate) at: Timestamp,
    pub(crate) target: &'q [u8],
    /// The lifetime of a result in its access profile.
    pub(crate) lifetime: Duration,
    pub(crate) robots_at_edge: bool,
}

impl Judgement {
    pub(crate) const fn of(verdict: Verdict) -> Self {
        Self {
            verdict,
            is_proved: true,
            decided: None,
            in_force: None,
            received: None,
            is_refused: false,
            is_backwards: false,
        }
    }
}

impl Site {
    pub(crate) fn judge(&mut self, question: &Question<'_>, known: &Known) -> Judgement {
        let unknown = Judgement {
            is_refused: known.is_refused,
            is_backwards: known.is_backwards,
            ..Judgement::of(Verdict::Unknown)
        };
        if question.robots_at_edge && !matches!(known.in_force, InForce::Forgotten) {
            return self.judge_at_edge(question, known, unknown);
        }
        let rests_on_fetches = |verdict| Judgement {
            verdict,
            is_proved: known.is_proved && !known.is_kept_without_proof,
            ..unknown
        };
        let start = self.seen.map_or(question.at, |(start, _)| start);
        match known.in_force {
            InForce::Forgotten => unknown,
            InForce::Unseen | InForce::Expired
                if question.at < start.after(question.lifetime + self.error) =>
            {
                Judgement { verdict: self.judge_window(question, start), ..unknown }
            }
            InForce::Unseen | InForce::Expired => {
                let (verdict, decided) = self.judge_served(question);
                Judgement { verdict, decided, ..unknown }
            }
            InForce::Everything | InForce::Copy(Text::Empty, _) => {
                rests_on_fetches(Verdict::Allowed)
            }
            InForce::Nothing => rests_on_fetches(Verdict::CouldNotRead),
            InForce::Copy(Text::Unknown, since) => {
                Judgement { verdict: self.judge_window(question, since), ..unknown }
            }
            InForce::Copy(Text::Version(version), since) => {
                let in_force = Some(version);
                if let Answer::Forbids(line) = self.answer(version, question) {
                    let (decided, received) = (Some((version, line)), Some(since));
                    let known = rests_on_fetches(Verdict::DisallowedKnown);
                    return Judgement { decided, in_force, received, ..known };
                }
                match self.judge_served(question) {
                    (Verdict::DisallowedUnread, decided) => {
                        Judgement { decided, in_force, ..rests_on_fetches(Verdict::Grace) }
                    }
                    _ => Judgement { in_force, ..rests_on_fetches(Verdict::Allowed) },
                }
            }
        }
    }

    /// Whether what was in force before a fetch forbids it, too. If it is not known, all files must that
    /// were served in the lifetime before it.
    pub(crate) fn forbade(
        &mut self,
        question: &Question<'_>,
        (held, fetched): (InForce, Timestamp),
    ) -> bool {
        let versions = match held {
            InForce::Copy(Text::Version(version), _) => Some(version..version + 1),
            InForce::Everything | InForce::Nothing | InForce::Copy(Text::Empty, _) => None,
            _ => self.served(before(fetched, question.lifetime), question.at),
        };
        let mut forbids = |version| self.answer(version, question) != Answer::Allows;
        versions.is_some_and(|mut versions| versions.all(&mut forbids))
    }

    /// By the version that is served at this time; by all that may be, if they agree.
    fn judge_served(&mut self, question: &Question<'_>) -> (Verdict, Option<Decided>) {
        let mut judged = None;
        for version in self.served(question.at, question.at).into_iter().flatten() {
            let next = match self.answer(version, question) {
                Answer::Allows => (Verdict::Allowed, None),
                Answer::Forbids(line) => (Verdict::DisallowedUnread, Some((version, line))),
            };
            if judged.is_some_and(|(verdict, _)| verdict != next.0) {
                return (Verdict::Unknown, None);
            }
            judged = Some(next);
        }
        judged.unwrap_or((Verdict::Unknown, None))
    }

    /// Allowed, if all versions allow it that the crawler may have after a fetch at a time, or shortly
    /// before.
    fn judge_window(&mut self, question: &Question<'_>, fetched: Timestamp) -> Verdict {
        let versions = self.served(before(fetched, question.lifetime), question.at);
        let mut allows = |version| self.answer(version, question) == Answer::Allows;
        let is_allowed = versions.is_some_and(|mut versions| versions.all(&mut allows));
        if is_allowed { Verdict::Allowed } else { Verdict::Unknown }
    }

    /// Behind a cache that may have answered fetches of robots.txt: the crawler may have received each
    /// version since the fetch that the log has, or one that was already old then.
    fn judge_at_edge(
        &mut self,
        question: &Question<'_>,
        known: &Known,
        unknown: Judgement,
    ) -> Judgement {
        let Some((copy, since)) = known.copy else {
            return Judgement { verdict: self.judge_window(question, question.at), ..unknown };
        };
        let since_stored = before(since, question.lifetime);
        let Some(mut versions) = self.served(since_stored, question.at) else { return unknown };
        let own = self.answer(copy, question);
        let mut agrees =
            |it| (self.answer(it, question) == Answer::Allows) == (own == Answer::Allows);
        if !versions.all(&mut agrees) {
            return unknown;
        }
        let sure = Judgement { is_proved: known.is_proved, ..unknown };
        match own {
            Answer::Allows => Judgement { verdict: Verdict::Allowed, ..sure },
            Answer::Forbids(line) => Judgement {
                verdict: Verdict::DisallowedKnown,
                decided: Some((copy, line)),
                received: Some(since),
                ..sure
            },
        }
    }

    /// The answer of a version.
    fn answer(&mut self, version: usize, question: &Question<'_>) -> Answer {
        self.answer_of(version, question.crawler, question.target)
    }
}
