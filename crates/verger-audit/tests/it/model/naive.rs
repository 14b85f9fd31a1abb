//! The naive model: for every request it reads the log again from its beginning.
//!
//! It was written from the semantics of the verdicts before the code of the crate was read, and shares
//! no code with it.

use verger_audit::Verdict;
use verger_naive::{NaiveAnswer, Reason};

use super::known::{File, InForce, Known, LIFETIME, Last, is_refusal};
use super::world::{Claim, DAY, Event, Kind, Proof, Served, World, delay, is_against_training};

/// Number of fetches of one reader that a judgement can look back on.
const REMEMBERED: usize = 64;

/// Seconds after a fetch in which requests may still have been planned before it.
const MARGIN: i64 = 60;

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
    let mut last = None;
    for time in here.iter().map(|other| other.at).chain([event.at]) {
        // After a month without anybody the log begins again.
        let is_next = last.is_some_and(|last: i64| (time - last).abs() < 30 * DAY);
        start = if is_next { start.min(time) } else { time };
        last = Some(time);
    }
    let all = fetches(world, &here, |other| other.reader == claim.reader);
    if event.at < earliest_remembered(&all) {
        return (plain(Verdict::Unknown), None);
    }
    let fold = |fetches: &[&Event]| {
        let after = |known: Known, fetch: &&Event| known.after(world, origin, fetch);
        fetches.iter().fold(Known::NOTHING, after)
    };
    let until_now = |fetches: &[&Event]| fetches.partition_point(|fetch| fetch.at <= event.at);
    let known = fold(&all[..until_now(&all)]);
    let question = Question { world, origin, claim, event, start };
    let mut answer = Answer { refused_robots_txt: known.is_refused, ..question.answer(known) };
    let is_forbidden = answer.verdict == Verdict::DisallowedKnown;
    if answer.verdict == Verdict::DisallowedKnown && !world.is_at_edge {
        let oldest = all.len().saturating_sub(REMEMBERED);
        let is_planned = (oldest..until_now(&all)).any(|index| {
            let then = all[index].at;
            let before = if index == oldest { Known::NOTHING } else { fold(&all[..index]) };
            event.at - then < MARGIN && !question.was_forbidden(before, then)
        });
        let own = fetches(world, &here, |other| other.tokens[0] == claim.tokens[0]);
        let own_known = fold(&own[..until_now(&own)]);
        let has_own = event.at >= earliest_remembered(&own)
            && !matches!(own_known.at(claim.is_google, event.at), InForce::Neither);
        if is_planned || has_own && !question.was_forbidden(own_known, event.at) {
            answer = Answer { verdict: Verdict::Grace, received: None, ..answer };
        }
    }
    let doubts = here.iter().filter(|other| {
        let is_fetch = matches!(other.kind, Kind::Fetch { is_get: true, .. });
        let is_impostor =
            |it: Claim<'_>| it.proof == Proof::Failed && it.tokens[0] == claim.tokens[0];
        is_fetch && world.claim(other).is_some_and(is_impostor)
    });
    if let (Some(doubt), Verdict::DisallowedKnown | Verdict::DisallowedUnread) =
        (doubts.map(|other| other.at).max(), answer.verdict)
    {
        let is_later = answer.received.is_none_or(|received| received <= doubt);
        answer.is_unproved |= is_later && event.at < doubt + LIFETIME;
    }
    let text = question.text_in_force(known);
    let is_too_fast = text.and_then(delay).is_some_and(|delay| {
        let times = question.times(&earlier[..index], answer.is_unproved);
        let ninth = times.len().checked_sub(9).map(|ninth| times[ninth]);
        let is_late = times.last().is_some_and(|last| event.at < *last);
        !is_late && ninth.is_some_and(|ninth| event.at - ninth < 9 * delay)
    });
    // REP-EXT-37: there is no preference for what must not be fetched.
    (Answer { is_too_fast, ..answer }, text.filter(|_| !is_forbidden))
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
}

impl<'w> Question<'w> {
    fn answer(&self, known: Known) -> Answer {
        if self.world.is_at_edge { self.at_edge(known) } else { self.at_origin(known) }
    }

    fn at_origin(&self, known: Known) -> Answer {
        let now = self.event.at;
        // Where the file is old, only the last fetch keeps it, which failed.
        let is_kept = known.outage.is_none()
            && matches!(known.last, Last::Copy { confirmed, .. } if confirmed + LIFETIME <= now)
            && known.failed_early.is_some_and(|(_, is_proved)| !is_proved);
        let by_fetches = self.with(!known.is_proved || is_kept);
        match (known.at(self.claim.is_google, now), known.last) {
            (InForce::Copy, Last::Copy { file: File::Version(version), confirmed, .. }) => {
                let served = self.served(now);
                if let Some(line) = self.line_against(version) {
                    let rule = Some((version, line));
                    let received = Some(confirmed);
                    Answer { rule, received, ..by_fetches(Verdict::DisallowedKnown) }
                } else if let Some(rule) = self.rule_against(served) {
                    Answer { rule: Some(rule), ..by_fetches(Verdict::Grace) }
                } else {
                    by_fetches(Verdict::Allowed)
                }
            }
            (InForce::Copy, Last::Copy { file: File::Unknown, brought, .. }) => {
                self.only_allowed_since(brought - LIFETIME)
            }
            (InForce::Copy | InForce::Everything, _) => by_fetches(Verdict::Allowed),
            (InForce::Nothing, _) => by_fetches(Verdict::CouldNotRead),
            (InForce::Neither, _) if now < self.start + LIFETIME => {
                self.only_allowed_since(now.min(self.start) - LIFETIME)
            }
            (InForce::Neither, _) => {
                let served = self.served(now);
                let by_the_file_of_now = self.with(false);
                match (served, self.rule_against(served)) {
                    (None, _) => by_the_file_of_now(Verdict::Unknown),
                    (Some(_), None) => by_the_file_of_now(Verdict::Allowed),
                    (Some(_), rule) => {
                        Answer { rule, ..by_the_file_of_now(Verdict::DisallowedUnread) }
                    }
                }
            }
        }
    }

    /// The same where a CDN may have answered further fetches.
    fn at_edge(&self, known: Known) -> Answer {
        let Last::Copy { file: File::Version(version), confirmed, .. } = known.last else {
            return self.only_allowed_since(self.event.at - LIFETIME);
        };
        let by_fetches = self.with(!known.is_proved);
        let line = self.line_against(version);
        let mut answers = vec![Some(line.is_none())];
        answers.extend(self.answers_since(confirmed - LIFETIME));
        match (line, answers.iter().all(|answer| *answer == answers[0])) {
            (Some(line), true) => Answer {
                rule: Some((version, line)),
                received: Some(confirmed),
                ..by_fetches(Verdict::DisallowedKnown)
            },
            (None, true) => by_fetches(Verdict::Allowed),
            (_, false) => self.with(false)(Verdict::Unknown),
        }
    }

    /// Whether what a reader knew at a time forbade it; if that is not known, whether all files did
    /// that were served from a lifetime before it until now.
    fn was_forbidden(&self, known: Known, then: i64) -> bool {
        match (known.at(self.claim.is_google, then), known.last) {
            (InForce::Copy, Last::Copy { file: File::Version(version), .. }) => {
                self.line_against(version).is_some()
            }
            (InForce::Copy, Last::Copy { file: File::Unknown, .. }) | (InForce::Neither, _) => {
                self.answers_since(then - LIFETIME).iter().all(|answer| *answer == Some(false))
            }
            _ => false,
        }
    }

    /// Answers that rest on something without a proof, or not.
    fn with(&self, is_unproved: bool) -> impl Fn(Verdict) -> Answer {
        let is_unproved = is_unproved || self.claim.proof != Proof::Verified;
        move |verdict| Answer::plain(verdict, is_unproved)
    }

    fn only_allowed_since(&self, time: i64) -> Answer {
        let is_allowed = self.answers_since(time).iter().all(|answer| *answer == Some(true));
        self.with(false)(if is_allowed { Verdict::Allowed } else { Verdict::Unknown })
    }

    /// Whether every file served from a time to the request allows it; absent where that is unknown.
    fn answers_since(&self, time: i64) -> Vec<Option<bool>> {
        let changes = self.world.sites[self.origin].iter().map(|version| version.from);
        let changes = changes.filter(|from| time < *from && *from <= self.event.at);
        let times = std::iter::once(time).chain(changes);
        let answer = |served| self.rule_against(Some(served)).is_none();
        times.map(|time| self.served(time).map(answer)).collect()
    }

    /// The file served at a time, if it is known.
    fn served(&self, time: i64) -> Option<(usize, &'w Served)> {
        self.world.served(self.origin, time)
    }

    /// The version that forbids the request, and the line of its rule.
    fn rule_against(&self, served: Option<(usize, &Served)>) -> Option<(usize, usize)> {
        let (version, _) = served?;
        self.line_against(version).map(|line| (version, line))
    }

    fn line_against(&self, version: usize) -> Option<usize> {
        let Kind::Visit { path, .. } = self.event.kind else {
            unreachable!("only visits are asked")
        };
        let NaiveAnswer { allowed, line, .. } = self.check(self.text(version)?, path);
        if allowed { None } else { line }
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

    /// The text in force, if it has a group for the crawler, and a CDN cannot have served another one.
    fn text_in_force(&self, known: Known) -> Option<&'w str> {
        let is_in_force = match known.at(self.claim.is_google, self.event.at) {
            InForce::Copy => !self.world.is_at_edge,
            _ => false,
        };
        match known.last {
            Last::Copy { file: File::Version(version), .. } if is_in_force => {
                let text = self.text(version);
                text.filter(|text| self.check(text, "/").reason != Reason::NoGroup)
            }
            _ => None,
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
