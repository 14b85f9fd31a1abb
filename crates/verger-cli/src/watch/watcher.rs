//! Reports about sites, and the memory of them.

use std::collections::HashSet;
use std::io;
use std::time::Duration;

use verger::access::Timestamp;
use verger::{Dialect, Origin, quoted};
use verger_fetch::client::RobotsClient;
use verger_fetch::record::Body;
use verger_json::diff::DiffReport;

use super::change::{ChangeKeys, NO_ANSWER, compare_texts, difference, facts};
use super::seen::{Answer, Fetched, Memory, Outage, Remembered, Seen};
use crate::console::Messages;
use crate::error::{Error, ExitStatus};
use crate::limits::CONFIRM_AFTER;
use crate::robots_place::RobotsPlace;
use crate::sentence::time;

/// A watched site.
#[derive(Clone, Debug)]
pub(crate) struct Site {
    pub(crate) origin: Origin,
    pub(crate) interval: Duration,
    /// The place of the expected file; `None`: what the site served last time.
    pub(crate) expect: Option<RobotsPlace>,
}

/// The results of one check: the site's, and those of other requests by their names.
pub(crate) type Answers = (Fetched, Vec<(String, Fetched)>);

/// Fetches the robots.txt of a site with all clients, one after the other.
pub(crate) async fn fetch(
    main: RobotsClient,
    others: Vec<(String, RobotsClient)>,
    origin: &Origin,
) -> Answers {
    async fn fetched(client: &RobotsClient, origin: &Origin) -> Fetched {
        // A server can answer 304 after a change, by the time and the length of the file.
        match client.without_preconditions().refresh(origin).await {
            Ok(record) => Fetched::of(client, &record),
            Err(error) => Fetched::Fault(Error::new(error.to_string())),
        }
    }
    let mut answers = (fetched(&main, origin).await, Vec::new());
    for (name, client) in others {
        let other = fetched(&client, origin).await;
        answers.1.push((name, other));
    }
    answers
}

/// The index of a site, and the other request that failed.
type Doubt = (usize, Option<String>);

/// The state of a run.
pub(crate) struct Watcher<'a> {
    pub(crate) sites: &'a [Site],
    pub(crate) is_once: bool,
    /// `None`: each difference from the expected file is reported.
    pub(crate) memory: Option<Memory>,
    /// Failed fetches that the next one confirms.
    pub(crate) doubts: HashSet<Doubt>,
    /// Number of sites that were seen for the first time.
    pub(crate) first_seen: u64,
    pub(crate) status: ExitStatus,
}

impl Watcher<'_> {
    /// Reports the changes of a site, then remembers its observation. Returns the time to the next
    /// check; `None` after the only one.
    ///
    /// `report` must have written everything when it returns: what is remembered is not reported
    /// again.
    pub(crate) fn check(
        &mut self,
        index: usize,
        (main, others): Answers,
        now: Timestamp,
        messages: &mut Messages,
        report: &mut dyn FnMut(&ChangeKeys<'_>) -> io::Result<()>,
    ) -> io::Result<Option<Duration>> {
        let Site { origin, interval, expect } = &self.sites[index];
        let again = (!self.is_once).then_some(*interval);
        let fail = |messages: &mut Messages, status: &mut ExitStatus, error: &Error| {
            messages.error_at(&format!("{origin}: "), error);
            *status = ExitStatus::Error;
        };
        // Against a fixed file, a single run needs no memory: each difference is reported.
        let is_fixed = self.is_once && expect.is_some();
        let memory = self.memory.as_ref().filter(|_| !is_fixed);
        let last = memory.map_or(Ok(None), |memory| memory.last(origin)).unwrap_or_else(|error| {
            fail(messages, &mut self.status, &error);
            None
        });
        let known = last.as_ref().and_then(|last| last.seen.answer.as_ref());
        let (mut answer, mut outage, mut next) = (known.cloned(), None, *interval);
        let confirm_after = CONFIRM_AFTER.min(*interval);
        // Also while the site is unreachable.
        for (name, _) in others.iter().filter(|(_, it)| !matches!(it, Fetched::Outage(_))) {
            self.doubts.remove(&(index, Some(name.clone())));
        }
        match main {
            Fetched::Fault(fault) => {
                fail(messages, &mut self.status, &fault);
                return Ok(again);
            }
            Fetched::Outage(found) if self.is_once => {
                let message = format!("robots.txt is unreachable: {}", found.failure);
                fail(messages, &mut self.status, &Error::new(message));
                outage = Some(found);
            }
            Fetched::Outage(found) => {
                let is_new_failure = last.as_ref().is_none_or(|last| last.seen.outage.is_none());
                if must_confirm(&mut self.doubts, (index, None), is_new_failure) {
                    return Ok(Some(confirm_after));
                }
                outage = Some(found);
            }
            Fetched::Answer(mut found) => {
                self.doubts.remove(&(index, None));
                for (name, other) in others {
                    let known = known.and_then(|known| known.others.get(&name));
                    let is_new_failure = matches!(other, Fetched::Outage(_))
                        && !self.is_once
                        && known.is_none_or(|it| !it.starts_with(NO_ANSWER));
                    let doubt = (index, Some(name.clone()));
                    let is_doubtful = must_confirm(&mut self.doubts, doubt, is_new_failure);
                    let words = match other {
                        _ if is_doubtful => {
                            next = confirm_after;
                            known.cloned()
                        }
                        Fetched::Answer(other) if other.is_absent && !found.is_absent => {
                            Some(no_file(&other))
                        }
                        Fetched::Answer(other) => {
                            Some(difference(origin, found.text.as_bytes(), other.text.as_bytes()))
                        }
                        Fetched::Outage(other) => Some(format!("{NO_ANSWER}{}", other.failure)),
                        Fetched::Fault(fault) => {
                            messages
                                .warning(format_args!("{origin} as {}: {fault}", quoted(&name)));
                            known.cloned()
                        }
                    };
                    found.others.extend(words.map(|words| (name, words)));
                }
                answer = Some(found);
            }
        }
        let expected = expect.as_ref().map(|place| place.read(&Dialect::default()));
        let expected = match expected.transpose() {
            Ok(expected) => expected,
            Err(error) => {
                fail(messages, &mut self.status, &error);
                return Ok(again);
            }
        };
        let hash = expected.as_ref().map(|(_, text)| Body::new(&**text).sha256_hex());
        // Until the next report.
        let is_unexpected = last.as_ref().is_some_and(|last| last.seen.is_unexpected);
        let mut seen = Seen { expected: hash, is_unexpected, answer, outage };
        self.first_seen += u64::from(last.is_none() && expected.is_none() && seen.answer.is_some());
        // The time of the last answer tells equal changes apart; without a memory, that of the
        // check.
        let first = if memory.is_none() { now.seconds() } else { 0 };
        let times = [last.as_ref().map_or(first, |it| it.at), now.seconds()];
        let reported =
            report_change(origin, &seen, last.as_ref(), expected.as_ref(), times, report)?;
        let is_changed = reported.is_some();
        if let Some(is_expected) = reported {
            self.status = self.status.max(ExitStatus::Finding);
            seen.is_unexpected = !is_expected;
        }
        // In an outage, that of the answer before it.
        let at = last.as_ref().filter(|_| seen.outage.is_some()).map_or(now.seconds(), |it| it.at);
        let is_same = last.is_some_and(|last| last.seen == seen);
        if let Some(memory) = memory.filter(|_| is_changed || !is_same)
            && let Err(error) = memory.remember(origin, at, seen)
        {
            fail(messages, &mut self.status, &error);
        }
        Ok(again.map(|_| next))
    }
}

/// Reports a change, if there is one that matters, and returns whether the answer is as expected.
fn report_change(
    origin: &Origin,
    seen: &Seen,
    last: Option<&Remembered>,
    expected: Option<&(String, Vec<u8>)>,
    [before_at, now]: [u64; 2],
    report: &mut dyn FnMut(&ChangeKeys<'_>) -> io::Result<()>,
) -> io::Result<Option<bool>> {
    let url = origin.robots_url();
    let mut target = seen.clone();
    if let Some(answer) = &mut target.answer {
        answer.others.clear();
    }
    if let Some((_, text)) = expected {
        let stated = seen.answer.as_ref().and_then(|it| it.media_type.as_ref());
        target.outage = None;
        target.answer = Some(Answer {
            status: Some(200),
            url: url.clone(),
            media_type: stated.map(|_| "text/plain".to_owned()),
            text: Body::new(&**text),
            ..Answer::default()
        });
    }
    // Since the last observation, unless that was not compared with the expected file.
    let compared = last
        .map(|last| &last.seen)
        .filter(|last| seen.expected.is_none() || last.expected == seen.expected);
    let before = compared.unwrap_or(&target);
    let base = if expected.is_some() { &target } else { before };
    let facts_found = facts(before, seen);
    let text = seen.text().filter(|_| seen.outage.is_none());
    let [since, (old, new)] = [before, base].map(|it| it.text().zip(text).unwrap_or_default());
    let is_same =
        |diff: Option<&DiffReport<'_>>, lint: &[String]| diff.is_none() && lint.is_empty();
    let is_one_comparison = since == (old, new);
    let texts = [("", since.0), ("", since.1)];
    if facts_found.is_empty()
        && !is_one_comparison
        && compare_texts(origin, texts, |diff, lint| is_same(diff, &lint))
    {
        return Ok(None);
    }
    let from = last.map(|it| format!("the file of {}", time(it.at))).unwrap_or_default();
    let from = expected.map_or(from, |(name, _)| name.clone());
    let names = [name(base.answer.as_ref(), from), name(seen.answer.as_ref(), url)];
    compare_texts(origin, [(&*names[0], old), (&*names[1], new)], |diff, lint| {
        let is_same = is_same(diff, &lint);
        // A new expected file can be the served one.
        let was_expected = compared.is_some() || expected.is_none() || !seen.is_unexpected;
        if facts_found.is_empty() && is_one_comparison && is_same && was_expected {
            return Ok(None);
        }
        let is_expected = is_same && facts(&target, seen).is_empty();
        let id = [
            origin.to_string(),
            before_at.to_string(),
            last.map_or_else(String::new, |it| digest(&it.seen)),
            digest(seen),
        ];
        let (status, failure) = match (&seen.outage, &seen.answer) {
            (Some(Outage { status, failure }), _) => (*status, Some(&**failure)),
            (None, Some(answer)) => (answer.status, answer.failure.as_deref()),
            (None, None) => (None, None),
        };
        report(&ChangeKeys {
            id: Body::new(id.join("\n")).sha256_hex()[..16].to_owned(),
            origin: origin.to_string(),
            at: now,
            outcome: seen.outcome(),
            status,
            failure,
            as_expected: expected.map(|_| is_expected),
            facts: facts_found,
            lint,
            diff,
        })
        .map(|()| Some(expected.is_none() || is_expected))
    })
}

/// The name of the file of an answer, with that of a served one.
fn name(answer: Option<&Answer>, served: String) -> String {
    answer.filter(|it| it.is_absent).map_or(served, no_file)
}

/// The words for an answer without a file.
fn no_file(answer: &Answer) -> String {
    let status = || answer.status.map(|status| format!("status {status}"));
    let why = answer.failure.clone().or_else(status);
    why.map_or("no file".to_owned(), |why| format!("no file ({why})"))
}

/// Whether a failure is new, so that the next fetch must confirm it. A second one is confirmed.
fn must_confirm(doubts: &mut HashSet<Doubt>, doubt: Doubt, is_new_failure: bool) -> bool {
    !doubts.remove(&doubt) && is_new_failure && doubts.insert(doubt)
}

/// A text that is equal for equal observations, whatever the comments.
fn digest(seen: &Seen) -> String {
    // A serialisation of strings and numbers does not fail.
    let json = serde_json::to_string(seen).unwrap_or_default();
    let lines = seen.text().unwrap_or_default().split(|byte| matches!(byte, b'\n' | b'\r'));
    let values = lines.filter_map(|line| Some(line.split(|it| *it == b'#').next()?.trim_ascii()));
    let values: Vec<_> = values.filter(|it| !it.is_empty()).collect();
    format!("{json} {}", Body::new(values.join(&b'\n')).sha256_hex())
}
