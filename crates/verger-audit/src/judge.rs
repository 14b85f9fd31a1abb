//! The judgement of one request by robots.txt.

use verger::access::Timestamp;

use crate::knowledge::{InForce, Knowledge};
use crate::site::{Answer, Question, Site};
use crate::tally::Decided;
use crate::target::before;
use crate::verdict::{Flags, Verdict};

/// A judgement.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Judgement {
    pub(crate) verdict: Verdict,
    /// Without `too_fast`, which is found later.
    pub(crate) flags: Flags,
    /// The version and the line that decided.
    pub(crate) decided: Option<Decided>,
    /// The version that the crawler has, if it is in force.
    pub(crate) in_force: Option<usize>,
    /// The time at which the version that decided was received, and the crawler that did it.
    pub(crate) received: Option<(Timestamp, usize)>,
    /// The time of a fetch that counts for all crawlers of the operator.
    pub(crate) fetched: Option<Timestamp>,
    /// The fetch for which alone it is not proved.
    pub(crate) doubted: Option<Timestamp>,
}

impl Judgement {
    pub(crate) fn of(verdict: Verdict) -> Self {
        Self { verdict, ..Self::default() }
    }
}

impl Site {
    /// Judges by the fetches of one reader.
    pub(crate) fn judge(
        &mut self,
        question: &Question<'_>,
        knowledge: Option<&Knowledge>,
    ) -> Judgement {
        let nothing = Knowledge::default();
        let knowledge = knowledge.unwrap_or(&nothing);
        let known = knowledge.at(question.at, question.profile, self.margin);
        let flags = Flags { unproved: false, ..known.flags };
        let unknown = Judgement { flags, ..Judgement::of(Verdict::Unknown) };
        let by_fetches = |verdict| Judgement { verdict, flags: known.flags, ..unknown };
        let start = self.seen.map_or(question.at, |seen| seen.start);
        let is_young = question.begun < start.after(question.lifetime() + self.margin);
        let judgement = match known.in_force {
            InForce::Forgotten => unknown,
            InForce::Copy(Some(version), since)
                if !question.robots_at_edge || self.all(question, since).is_some() =>
            {
                // A cache may have sent another version that agrees, with another delay.
                let in_force = Some(version).filter(|_| !question.robots_at_edge);
                match self.answer(version, question) {
                    Answer::Unclear => unknown,
                    // For most, the site has no rules then.
                    Answer::Forbids(_) if known.is_denied && !self.forbids(question) => unknown,
                    Answer::Forbids(line) => {
                        let (decided, received) = (Some((version, line)), Some((since, known.by)));
                        let known = by_fetches(Verdict::DisallowedKnown);
                        Judgement { decided, in_force, received, ..known }
                    }
                    Answer::Allows => match self.agreed(question, question.at) {
                        Some((served, Answer::Forbids(line))) => {
                            let decided = Some((served, line));
                            Judgement { decided, in_force, ..by_fetches(Verdict::Grace) }
                        }
                        _ => Judgement { in_force, ..by_fetches(Verdict::Allowed) },
                    },
                }
            }
            // What the crawler has is one of the versions of a time.
            InForce::Copy(_, since) => self.judge_all(question, since, unknown),
            _ if question.robots_at_edge => self.judge_all(question, question.at, unknown),
            InForce::Absent | InForce::Freshened(_) if is_young => {
                self.judge_all(question, start, unknown)
            }
            InForce::Absent | InForce::Freshened(_) if !self.logs_robots_txt => {
                self.judge_all(question, question.at, unknown)
            }
            InForce::Freshened(since) => {
                self.judge_unread(question, before(since, question.lifetime()), unknown)
            }
            InForce::Absent => self.judge_unread(question, question.begun, unknown),
            InForce::Everything => by_fetches(Verdict::Allowed),
            InForce::Nothing => by_fetches(Verdict::CouldNotRead),
        };
        if !judgement.verdict.is_accusation() {
            return judgement;
        }
        // A clock was wrong, or the log is not in order: a fetch may be in a later line.
        if judgement.flags.backwards || self.is_late(question.at) {
            return Judgement { in_force: judgement.in_force, ..unknown };
        }
        // It may have planned the request before it fetched the file, or begun it.
        let mut before = knowledge.before(question.at, question.begun, question.profile);
        let is_long = question.begun < question.at;
        if judgement.verdict == Verdict::DisallowedUnread {
            let begun = || knowledge.at(question.begun, question.profile, self.margin).in_force;
            let is_certain = !is_long || before.next().is_none() && begun() == known.in_force;
            return if is_certain { judgement } else { unknown };
        }
        if is_long && knowledge.has_forgotten_since(question.begun)
            || !before.all(|before| self.forbade(question, before))
        {
            return Judgement { verdict: Verdict::Grace, ..judgement };
        }
        judgement
    }

    /// Whether what was served at the time of the request forbids it.
    fn forbids(&mut self, question: &Question<'_>) -> bool {
        matches!(self.agreed(question, question.at), Some((_, Answer::Forbids(_))))
    }

    /// Without a copy, by all versions that were served from a time on.
    fn judge_unread(
        &mut self,
        question: &Question<'_>,
        from: Timestamp,
        unknown: Judgement,
    ) -> Judgement {
        match self.agreed(question, from) {
            Some((version, Answer::Forbids(line))) => {
                let (verdict, decided) = (Verdict::DisallowedUnread, Some((version, line)));
                Judgement { verdict, decided, ..unknown }
            }
            Some(_) => Judgement { verdict: Verdict::Allowed, ..unknown },
            None => unknown,
        }
    }

    /// Whether what was in force before a fetch forbids it, too.
    fn forbade(&mut self, question: &Question<'_>, (held, fetched): (InForce, Timestamp)) -> bool {
        let answer = match held {
            InForce::Copy(Some(version), _) => Some(self.answer(version, question)),
            InForce::Everything | InForce::Nothing => None,
            _ => self.all(question, fetched),
        };
        matches!(answer, Some(Answer::Forbids(_)))
    }

    /// Allowed, if all versions allow it that the crawler can have after a fetch.
    fn judge_all(
        &mut self,
        question: &Question<'_>,
        fetched: Timestamp,
        unknown: Judgement,
    ) -> Judgement {
        let is_allowed = self.all(question, fetched) == Some(Answer::Allows);
        Judgement {
            verdict: if is_allowed { Verdict::Allowed } else { Verdict::Unknown },
            ..unknown
        }
    }

    /// The answer of all versions that the crawler can have after a fetch, whose result may have been
    /// as old as a lifetime.
    fn all(&mut self, question: &Question<'_>, fetched: Timestamp) -> Option<Answer> {
        self.agreed(question, before(fetched, question.lifetime())).map(|(_, answer)| answer)
    }

    /// The answer of all versions that were served from a time to the request, with the one that was
    /// served at its time; `None` if they are not all known, or do not agree.
    fn agreed(&mut self, question: &Question<'_>, from: Timestamp) -> Option<(usize, Answer)> {
        let mut judged: Option<(usize, Answer)> = None;
        for version in self.served(from, question.at)? {
            let answer = self.answer(version, question);
            let is_other =
                |(_, it): (usize, Answer)| (it == Answer::Allows) != (answer == Answer::Allows);
            if answer == Answer::Unclear || judged.is_some_and(is_other) {
                return None;
            }
            // A report that names a later version could be refuted.
            if judged.is_none() || self.history.versions()[version].from <= question.at {
                judged = Some((version, answer));
            }
        }
        judged
    }
}
