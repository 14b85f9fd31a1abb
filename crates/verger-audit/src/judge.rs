//! The judgement of one request by robots.txt.

use std::sync::Arc;

use verger::access::Timestamp;
use verger_identity::Identity;

use crate::history::Version;
use crate::knowledge::{InForce, Knowledge};
use crate::log::before;
use crate::site::{Answer, MARGIN, Question, Site};
use crate::tally::Decided;
use crate::verdict::{Flags, Verdict};

/// The verdict about a request, and the facts on which it rests.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Judged<'a> {
    /// The verdict.
    pub verdict: Verdict,
    /// Further facts about the request.
    pub flags: Flags,
    /// The token of the crawler; `None` if it is not one. A token that only a group has is foreign
    /// text.
    pub crawler: Option<&'a str>,
    /// The identity of the sender; `None` if it is no crawler.
    pub identity: Option<Arc<Identity<'a>>>,
    /// The index of the origin.
    pub origin: Option<usize>,
    /// The version whose rule decided, with its index in the history; `None` if nothing forbids the
    /// URL or nothing is known.
    pub version: Option<(usize, &'a Version)>,
    /// The line of the deciding rule.
    pub line: Option<usize>,
    /// The time of a fetch of robots.txt that counts for all crawlers of the operator: its end.
    pub fetched: Option<Timestamp>,
    /// The time at which the file that decided was received or renewed.
    pub received: Option<Timestamp>,
    /// The crawler that fetched it then: another one of the operator if the crawler never asked
    /// itself.
    pub fetched_by: Option<&'a str>,
    /// Whether it is a fetch of robots.txt whose time is before that of a request which was accused
    /// without it: the lines are not in order.
    pub contradicts: bool,
    /// Whether it may be evidence: proved, or [accepted](crate::Options::accept_unproved).
    pub is_accepted: bool,
    /// Whether it is within the time that is counted ([`since`](crate::Options::since),
    /// [`until`](crate::Options::until)).
    pub is_counted: bool,
}

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
    /// The time from which on the crawler knows the limits of its pace; `None` if there are none,
    /// or it has not received them itself.
    pub(crate) paced_from: Option<Timestamp>,
    /// Whether it is a fetch before an accused request of an earlier line.
    pub(crate) contradicts: bool,
    /// Whether a fetch got a body that cannot be the file.
    pub(crate) has_other_body: bool,
}

impl Judgement {
    pub(crate) fn of(verdict: Verdict) -> Self {
        Self { verdict, ..Self::default() }
    }
}

impl Site {
    /// Judges by the fetches of one reader. The numbers are those of the rules in docs/audit.md.
    pub(crate) fn judge(
        &mut self,
        question: &Question<'_>,
        knowledge: Option<&Knowledge>,
    ) -> Judgement {
        let nothing = Knowledge::default();
        let knowledge = knowledge.unwrap_or(&nothing);
        let mut known = knowledge.at(question.at, question.reading);
        known.in_force = self.since_silence(known.in_force);
        let flags = Flags { unproved: false, ..known.flags };
        let unknown = Judgement { flags, ..Judgement::of(Verdict::Unknown) };
        let by_fetches = |verdict| Judgement { flags: known.flags, ..Judgement::of(verdict) };
        let start = self.seen.map_or(question.at, |seen| seen.start);
        let lifetime = question.lifetime();
        let is_young = question.begun < start.after(lifetime + self.margin);
        let judgement = match known.in_force {
            InForce::Forgotten => unknown, // 4
            // 21, 22, 24
            InForce::Copy(Some(version), since)
                if !question.robots_at_edge
                    || self.agreed(question, before(since, lifetime)).is_some() =>
            {
                // For most, the site has no rules then.
                let is_denied = known.held.is_denied && !self.forbids(question, question.at);
                let judgement = match self.answer(version, question) {
                    Answer::Unclear => unknown, // 27
                    Answer::Forbids(_) if is_denied => unknown,
                    Answer::Forbids(line) => {
                        let (decided, received) =
                            (Some((version, line)), Some((since, known.held.by)));
                        Judgement { decided, received, ..by_fetches(Verdict::DisallowedKnown) }
                    }
                    Answer::Allows => match self.agreed(question, question.at) {
                        Some((served, Answer::Forbids(line))) => {
                            let decided = Some((served, line));
                            Judgement { decided, ..by_fetches(Verdict::Grace) }
                        }
                        _ => by_fetches(Verdict::Allowed),
                    },
                };
                // A cache may have sent another version that agrees, with another delay.
                let in_force = Some(version).filter(|_| !question.robots_at_edge);
                Judgement { in_force, ..judgement }
            }
            // 20, 24: what the crawler has is one of the versions of a time.
            InForce::Copy(_, since) => self.by_all(question, since, unknown),
            _ if question.robots_at_edge => self.by_all(question, question.at, unknown), // 23
            InForce::Absent if is_young => self.by_all(question, start, unknown),        // 15
            // 16
            InForce::Absent if !self.logs_robots_txt => self.by_all(question, question.at, unknown),
            // 17
            InForce::Absent => match self.agreed(question, question.begun) {
                Some((version, Answer::Forbids(line))) => {
                    let (verdict, decided) = (Verdict::DisallowedUnread, Some((version, line)));
                    Judgement { verdict, decided, ..unknown }
                }
                Some(_) => Judgement { verdict: Verdict::Allowed, ..unknown },
                None => unknown,
            },
            InForce::AllAllowed => by_fetches(Verdict::Allowed), // 18
            InForce::AllForbidden => by_fetches(Verdict::CouldNotRead), // 19
        };
        if !judgement.verdict.is_accusation() {
            return judgement;
        }
        // 28: a clock was wrong, or the log is not in order. A fetch may be in a later line.
        if judgement.flags.backwards || self.is_late(question.at) {
            return Judgement { in_force: judgement.in_force, ..unknown };
        }
        // 25: it may have planned the request before it fetched the file, or begun it.
        let mut before = knowledge.before(question.at, question.begun, question.reading);
        if judgement.verdict == Verdict::DisallowedUnread {
            let begun = || knowledge.at(question.begun, question.reading).in_force;
            let is_certain = question.begun == question.at
                || before.next().is_none() && self.since_silence(begun()) == known.in_force;
            return if is_certain { judgement } else { unknown };
        }
        if before.all(|before| self.forbade(question, before)) {
            return judgement;
        }
        Judgement { verdict: Verdict::Grace, ..judgement }
    }

    /// The time from which on a crawler knows the pace that a version asks for, by its own fetches
    /// (32).
    pub(crate) fn paced_from(
        &mut self,
        version: Option<usize>,
        question: &Question<'_>,
        knowledge: Option<&Knowledge>,
    ) -> Option<Timestamp> {
        self.compile(version?, question.crawler)?.limits.first()?;
        let held = knowledge?.at(question.at, question.reading).in_force;
        match self.since_silence(held) {
            InForce::Copy(own, since) if own == version => Some(since.after(MARGIN)),
            _ => None,
        }
    }

    /// The text of a copy from before a silence is unknown: a newer fetch may be in lost lines (5).
    fn since_silence(&self, held: InForce) -> InForce {
        match held {
            InForce::Copy(Some(_), since) if self.seen.is_some_and(|it| since < it.start) => {
                InForce::Copy(None, since)
            }
            held => held,
        }
    }

    /// Whether all that was served from a time to the request forbids it.
    pub(crate) fn forbids(&mut self, question: &Question<'_>, from: Timestamp) -> bool {
        matches!(self.agreed(question, from), Some((_, Answer::Forbids(_))))
    }

    /// Whether what was in force before a fetch forbids it, too.
    fn forbade(&mut self, question: &Question<'_>, (held, fetched): (InForce, Timestamp)) -> bool {
        match self.since_silence(held) {
            InForce::Copy(Some(version), _) => {
                matches!(self.answer(version, question), Answer::Forbids(_))
            }
            InForce::Copy(None, since) => {
                self.forbids(question, before(since, question.lifetime()))
            }
            InForce::Absent => self.forbids(question, before(fetched, question.lifetime())),
            InForce::Forgotten | InForce::AllAllowed | InForce::AllForbidden => false,
        }
    }

    /// Judges by all versions that a crawler can have had at a time, and from then on.
    fn by_all(&mut self, question: &Question<'_>, at: Timestamp, unknown: Judgement) -> Judgement {
        match self.agreed(question, before(at, question.lifetime())) {
            Some((_, Answer::Allows)) => Judgement { verdict: Verdict::Allowed, ..unknown },
            _ => unknown,
        }
    }

    /// The answer of all versions that were served from a time to the request, with the one that
    /// was served at its time; `None` if they are not all known, or do not agree.
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
