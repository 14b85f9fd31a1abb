//! The naive model: for every request it reads the log again from its beginning.
//!
//! It was written from the semantics of the verdicts before the code of the crate was read, and shares
//! no code with it.

use verger_audit::Verdict;
use verger_naive::{NaiveAnswer, Reason};

use super::known::{InForce, Known, LIFETIME, MARGIN, is_refusal};
use super::world::{Claim, DAY, Event, Kind, Proof, Served, World, delay, is_against_training};

/// Number of fetches of one reader that a judgement can look back on.
const REMEMBERED: usize = 64;

/// The answer of the model for a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) verdict: Verdict,
    pub(super) is_unproved: bool,
    pub(super) is_too_fast: bool,
    pub(super) refused_robots_txt: bool,
    /// The version that forbids, by its index, and the line of its rule.
    pub(super) rule: Option<(usize, usize)>,
    /// When the crawler received the rule that it did not obey.
    pub(super) received: Option<i64>,
}

impl Answer {
    const fn plain(verdict: Verdict, is_unproved: bool) -> Self {
        Self {
            verdict,
            is_unproved,
            is_too_fast: false,
            refused_robots_txt: false,
            rule: None,
            received: None,
        }
    }
}

/// The answers for a log, and the number of pages that were fetched to train models although they must
/// not be.
pub(super) fn answers(world: &World) -> (Vec<Answer>, u64) {
    let (mut answers, mut preferences) = (Vec::new(), 0);
    for index in 0..world.events.len() {
        let (answer, text) = answer(world, index, &answers);
        let claim = world.claim(&world.events[index]);
        let is_training = claim.is_some_and(|claim| claim.is_training) && !answer.is_unproved;
        preferences += u64::from(is_training && text.is_some_and(is_against_training));
        answers.push(answer);
    }
    (answers, preferences)
}

/// The answer for one request, by those before it, and the text with the delay and preferences for its
/// crawler.
fn answer<'w>(world: &'w World, index: usize, earlier: &[Answer]) -> (Answer, Option<&'w str>) {
    let event = &world.events[index];
    let Some(claim) = world.claim(event) else {
        return (Answer::plain(Verdict::NotACrawler, false), None);
    };
    let plain = |verdict| Answer::plain(verdict, claim.proof != Proof::Verified);
    if claim.proof == Proof::Failed {
        return (plain(Verdict::Impostor), None);
    }
    let origin = world.origin(event);
    if let Kind::Fetch { .. } = event.kind {
        let refused_robots_txt = origin.is_some_and(|origin| is_refusal(world, origin, event));
        return (Answer { refused_robots_txt, ..plain(Verdict::RobotsTxt) }, None);
    }
    if claim.is_user_triggered {
        return (plain(Verdict::UserTriggered), None);
    }
    let Some(origin) = origin else { return (plain(Verdict::Unknown), None) };
    let before = world.events[..index].iter();
    let here: Vec<&Event> = before.filter(|other| world.origin(other) == Some(origin)).collect();
    let mut start = event.at;
    let (mut last, mut has_fetches) = (None, false);
    for other in here.iter().copied().chain([event]) {
        // After a month without anybody the log begins again.
        let is_next = last.is_some_and(|last: i64| (other.at - last).abs() < 30 * DAY);
        start = if is_next { start.min(other.at) } else { other.at };
        has_fetches = matches!(other.kind, Kind::Fetch { .. }) || is_next && has_fetches;
        last = Some(other.at);
    }
    let question = Question { world, origin, claim, event, start, has_fetches };
    let shared = fetches(world, &here, |other| other.reader == claim.reader);
    let (mut answer, mut text) = question.answer(&shared);
    if is_accusation(answer) {
        // What others read accuses nobody.
        let own = fetches(world, &here, |other| other.tokens[0] == claim.tokens[0]);
        let judged = question.answer(&own);
        if judged.0.verdict != Verdict::DisallowedUnread {
            (answer, text) = judged;
        }
    }
    let doubts = here.iter().filter(|other| {
        let is_fetch = matches!(other.kind, Kind::Fetch { is_get: true, .. });
        is_fetch && world.may_be_of(other, claim.reader)
    });
    if let (Some(doubt), true) = (doubts.map(|other| other.at).max(), is_accusation(answer)) {
        let is_later = answer.received.is_none_or(|received| received <= doubt);
        answer.is_unproved |= is_later && event.at < doubt + LIFETIME + MARGIN;
    }
    let is_too_fast = text.and_then(delay).is_some_and(|delay| {
        let times = question.times(&earlier[..index], answer.is_unproved);
        let ninth = times.len().checked_sub(9).map(|ninth| times[ninth]);
        let is_late = times.last().is_some_and(|last| event.at < *last);
        !is_late && ninth.is_some_and(|ninth| event.at - ninth < 9 * delay)
    });
    // REP-EXT-37: there is no preference for what must not be fetched.
    let is_forbidden = text.is_some_and(|text| !question.check(text, question.path()).allowed);
    let received = answer.received.filter(|_| answer.verdict == Verdict::DisallowedKnown);
    (Answer { is_too_fast, received, ..answer }, text.filter(|_| !is_forbidden))
}

fn is_accusation(answer: Answer) -> bool {
    matches!(answer.verdict, Verdict::DisallowedKnown | Verdict::DisallowedUnread)
}

/// The fetches of some crawlers, in order of time; equal times keep the order of the log.
fn fetches<'w>(
    world: &World,
    here: &[&'w Event],
    is_one: impl Fn(&Claim<'_>) -> bool,
) -> Vec<&'w Event> {
    let mut fetches: Vec<&Event> = Vec::new();
    for fetch in here.iter().copied() {
        let is_of = |claim: Claim<'_>| claim.proof != Proof::Failed && is_one(&claim);
        let is_fetch = matches!(fetch.kind, Kind::Fetch { is_get: true, .. });
        let is_its = is_fetch && world.claim(fetch).is_some_and(is_of);
        if is_its && fetch.at >= earliest_remembered(&fetches) {
            fetches.insert(fetches.partition_point(|earlier| earlier.at <= fetch.at), fetch);
        }
    }
    fetches
}

/// The time of the first fetch that is not forgotten.
fn earliest_remembered(fetches: &[&Event]) -> i64 {
    match fetches.len().checked_sub(REMEMBERED) {
        None | Some(0) => i64::MIN,
        Some(first) => fetches[first].at,
    }
}

struct Question<'w> {
    world: &'w World,
    origin: usize,
    claim: Claim<'w>,
    event: &'w Event,
    start: i64,
    /// Whether the log has a request for robots.txt by anybody.
    has_fetches: bool,
}

impl<'w> Question<'w> {
    /// The answer by some fetches, and the text in force, if it has a group for the crawler.
    fn answer(&self, fetches: &[&Event]) -> (Answer, Option<&'w str>) {
        let now = self.event.at;
        if now < earliest_remembered(fetches) {
            return (self.with(false)(Verdict::Unknown), None);
        }
        let fold = |fetches: &[&Event]| {
            let after = |known: Known, fetch: &&Event| known.after(self.world, self.origin, fetch);
            fetches.iter().fold(Known::NOTHING, after)
        };
        let count = fetches.partition_point(|fetch| fetch.at <= now);
        let known = fold(&fetches[..count]);
        let (mut answer, version) = self.by(known);
        answer.refused_robots_txt = known.is_refused;
        let oldest = fetches.len().saturating_sub(REMEMBERED);
        let is_planned = (oldest..count).any(|index| {
            let then = fetches[index].at;
            let before = if index == oldest { Known::NOTHING } else { fold(&fetches[..index]) };
            now - then < MARGIN && !self.was_forbidden(before, then)
        });
        if answer.verdict == Verdict::DisallowedKnown && is_planned {
            answer.verdict = Verdict::Grace;
        }
        let text = version.and_then(|version| self.text(version));
        (answer, text.filter(|text| self.check(text, "/").reason != Reason::NoGroup))
    }

    /// The answer by what a reader knows, and the version that decides.
    fn by(&self, known: Known) -> (Answer, Option<usize>) {
        let now = self.event.at;
        let by_fetches = self.with(!known.is_proved(now));
        let is_at_edge = self.world.is_at_edge;
        let answer = match known.at(self.claim.is_google, now) {
            InForce::Copy(Some(version), since)
                if !is_at_edge || self.agrees_since(since - LIFETIME).is_some() =>
            {
                let answer = if let Some(line) = self.line_against(version) {
                    if self.world.has_no_queries {
                        return (self.with(false)(Verdict::Unknown), None);
                    }
                    let (rule, received) = (Some((version, line)), Some(since));
                    Answer { rule, received, ..by_fetches(Verdict::DisallowedKnown) }
                } else if self.agrees_since(now) == Some(false) {
                    let rule = self.last_rule();
                    Answer { rule, ..by_fetches(Verdict::Grace) }
                } else {
                    by_fetches(Verdict::Allowed)
                };
                return (answer, Some(version).filter(|_| !is_at_edge));
            }
            InForce::Copy(_, since) => self.only_allowed_since(since),
            _ if is_at_edge => self.only_allowed_since(now),
            InForce::Everything => by_fetches(Verdict::Allowed),
            InForce::Nothing => by_fetches(Verdict::CouldNotRead),
            InForce::Neither if now < self.start + LIFETIME + MARGIN => {
                self.only_allowed_since(self.start)
            }
            InForce::Neither if !self.has_fetches => self.only_allowed_since(now),
            InForce::Neither => match self.agrees_since(now) {
                None => self.with(false)(Verdict::Unknown),
                Some(true) => self.with(false)(Verdict::Allowed),
                Some(false) => {
                    let rule = self.last_rule();
                    Answer { rule, ..self.with(false)(Verdict::DisallowedUnread) }
                }
            },
        };
        (answer, None)
    }

    /// Whether what a reader knew at a time forbade it; if that is not known, whether all files did
    /// that were served from a lifetime before it until now.
    fn was_forbidden(&self, known: Known, then: i64) -> bool {
        match known.exactly_at(self.claim.is_google, then) {
            InForce::Copy(Some(version), _) => {
                self.line_against(version).is_some() && !self.world.has_no_queries
            }
            InForce::Copy(None, _) | InForce::Neither => {
                self.agrees_since(then - LIFETIME) == Some(false)
            }
            _ => false,
        }
    }

    /// Whether all that was served from a time to the request allows it; absent where that is not known,
    /// or some of it allows it and some not.
    fn agrees_since(&self, time: i64) -> Option<bool> {
        let (from, to) = (time - MARGIN, self.event.at + MARGIN);
        let changes = self.world.sites[self.origin].iter().map(|version| version.from);
        let changes = changes.filter(|change| from < *change && *change <= to);
        let answers = std::iter::once(from).chain(changes).map(|time| {
            let (version, _) = self.served(time)?;
            let is_allowed = self.line_against(version).is_none();
            (is_allowed || !self.world.has_no_queries).then_some(is_allowed)
        });
        let answers: Vec<_> = answers.collect();
        answers[0].filter(|_| answers.iter().all(|answer| *answer == answers[0]))
    }

    /// The rule of the last version that can be served now.
    fn last_rule(&self) -> Option<(usize, usize)> {
        let (version, _) = self.served(self.event.at + MARGIN)?;
        Some((version, self.line_against(version)?))
    }

    /// Answers that rest on something without a proof, or not.
    fn with(&self, is_unproved: bool) -> impl Fn(Verdict) -> Answer {
        let is_unproved = is_unproved || self.claim.proof != Proof::Verified;
        move |verdict| Answer::plain(verdict, is_unproved)
    }

    fn only_allowed_since(&self, time: i64) -> Answer {
        let is_allowed = self.agrees_since(time - LIFETIME) == Some(true);
        self.with(false)(if is_allowed { Verdict::Allowed } else { Verdict::Unknown })
    }

    /// The file served at a time, if it is known.
    fn served(&self, time: i64) -> Option<(usize, &'w Served)> {
        self.world.served(self.origin, time)
    }

    fn line_against(&self, version: usize) -> Option<usize> {
        let NaiveAnswer { allowed, line, .. } = self.check(self.text(version)?, self.path());
        if allowed { None } else { line }
    }

    fn path(&self) -> &str {
        let Kind::Visit { path, .. } = self.event.kind else {
            unreachable!("only visits are asked")
        };
        self.world.logged(path)
    }

    fn check(&self, text: &str, path: &str) -> NaiveAnswer {
        verger_naive::check(text.as_bytes(), self.claim.tokens, path.as_bytes())
    }

    fn text(&self, version: usize) -> Option<&'w str> {
        match &self.world.sites[self.origin][version].served {
            Served::Text(text) => Some(text),
            Served::Absent => None,
        }
    }

    /// The times of earlier requests of the crawler that count for its speed. Clocks that go back
    /// leave requests out.
    fn times(&self, earlier: &[Answer], is_unproved: bool) -> Vec<i64> {
        let mut times: Vec<i64> = Vec::new();
        for (answer, event) in earlier.iter().zip(&self.world.events) {
            let is_judged = matches!(
                answer.verdict,
                Verdict::Unknown
                    | Verdict::Allowed
                    | Verdict::CouldNotRead
                    | Verdict::Grace
                    | Verdict::DisallowedUnread
                    | Verdict::DisallowedKnown
            );
            let is_of_crawler = is_judged
                && answer.is_unproved == is_unproved
                && self.world.origin(event) == Some(self.origin)
                && self.world.claim(event).is_some_and(|it| it.tokens[0] == self.claim.tokens[0]);
            if is_of_crawler && times.last().is_none_or(|last| *last <= event.at) {
                times.push(event.at);
            }
        }
        times
    }
}
