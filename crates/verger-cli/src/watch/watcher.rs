//! Reports about sites, and the memory of them.

use std::collections::HashSet;
use std::io;
use std::time::Duration;

use verger::access::Timestamp;
use verger::{Dialect, Origin, quoted};
use verger_fetch::client::RobotsClient;
use verger_fetch::record::Body;
use verger_json::diff::DiffReport;

use super::change::{ChangeKeys, Fact, NO_ANSWER, compare_texts, difference, facts, no_file};
use super::seen::{Answer, Fetched, Memory, Seen};
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

/// The results of one check by the names of the requests, first the site's, which has none.
pub(crate) type Answers = Vec<(String, Result<Fetched, Error>)>;

/// Fetches the robots.txt of a site with all clients, one after the other.
pub(crate) async fn fetch(clients: Vec<(String, RobotsClient)>, origin: &Origin) -> Answers {
    let mut answers = Vec::new();
    for (name, client) in clients {
        // A server can answer 304 after a change, by the time and the length of the file.
        let fetched = client.without_preconditions().refresh(origin).await;
        let fetched = fetched.map_err(|error| Error::new(error.to_string()));
        answers.push((name, fetched.and_then(|record| Answer::of(&client, &record))));
    }
    answers
}

/// The state of a run.
pub(crate) struct Watcher<'a> {
    sites: &'a [Site],
    is_once: bool,
    /// `None`: each difference from the expected file is reported.
    memory: Option<Memory>,
    /// The requests that failed in the last check of each site.
    failed: Vec<HashSet<String>>,
    pub(crate) status: ExitStatus,
}

impl<'a> Watcher<'a> {
    pub(crate) fn new(sites: &'a [Site], is_once: bool, memory: Option<Memory>) -> Self {
        let failed = vec![HashSet::new(); sites.len()];
        Self { sites, is_once, memory, failed, status: ExitStatus::Success }
    }

    /// Reports the changes of a site, then remembers its observation. Returns the time to the next
    /// check; `None` after the only one.
    ///
    /// `report` must have written everything when it returns: what is remembered is not reported
    /// again.
    pub(crate) fn check(
        &mut self,
        index: usize,
        answers: Answers,
        now: Timestamp,
        messages: &mut Messages,
        report: &mut dyn FnMut(&ChangeKeys<'_>) -> io::Result<()>,
    ) -> io::Result<Option<Duration>> {
        let Site { origin, interval, expect } = &self.sites[index];
        let is_once = self.is_once;
        let again = (!is_once).then_some(*interval);
        let failed = answers.iter().filter(|(_, it)| matches!(it, Ok(Err(_))));
        let failed: HashSet<_> = failed.map(|(name, _)| name.clone()).collect();
        let is_new_failure = !failed.is_subset(&self.failed[index]);
        self.failed[index] = failed;
        if is_new_failure && !is_once {
            // The next check, soon, must confirm it.
            return Ok(Some(CONFIRM_AFTER.min(*interval)));
        }
        let fail = |messages: &mut Messages, status: &mut ExitStatus, error: &Error| {
            messages.error_at(&format!("{origin}: "), error);
            *status = ExitStatus::Error;
        };
        // Against a fixed file, a single run needs no memory: each difference is reported.
        let memory = self.memory.as_ref().filter(|_| !is_once || expect.is_none());
        let last = memory.map_or(Ok(None), |memory| memory.last(origin)).unwrap_or_else(|error| {
            fail(messages, &mut self.status, &error);
            None
        });
        let expected = expect.as_ref().map(|place| place.read(&Dialect::default())).transpose();
        let expected = match expected {
            Ok(expected) => expected,
            Err(error) => {
                fail(messages, &mut self.status, &error);
                return Ok(again);
            }
        };
        let known = last.as_ref().and_then(|last| last.answer.as_ref());
        let first = if memory.is_none() { now.seconds() } else { 0 };
        let mut seen = Seen {
            // It tells equal changes apart; without a memory, each check has a time of its own.
            at: last.as_ref().map_or(first, |last| last.at),
            expected: expected.as_ref().map(|(_, text)| Body::new(&**text).sha256_hex()),
            answer: known.cloned(),
            outage: None,
        };
        let mut answers = answers.into_iter();
        let Some((_, main)) = answers.next() else { return Ok(again) };
        match main {
            Err(fault) => {
                fail(messages, &mut self.status, &fault);
                return Ok(again);
            }
            Ok(Err(why)) => {
                if is_once {
                    let error = Error::new(format!("robots.txt is unreachable: {why}"));
                    fail(messages, &mut self.status, &error);
                }
                seen.outage = Some(why);
            }
            Ok(Ok(mut found)) => {
                for (name, other) in answers {
                    let words = match other {
                        Err(fault) => {
                            let who = quoted(&name);
                            messages.warning(format_args!("{origin} as {who}: {fault}"));
                            known.and_then(|known| known.others.get(&name)).cloned()
                        }
                        Ok(Err(why)) => Some(format!("{NO_ANSWER}{why}")),
                        Ok(Ok(other)) => Some(difference(origin, &found, &other)),
                    };
                    found.others.extend(words.map(|words| (name, words)));
                }
                seen.answer = Some(found);
            }
        }
        let expected = expected.as_ref().map(|(name, text)| (&**name, &**text));
        let reported = report_change(origin, &seen, last.as_ref(), expected, now, report)?;
        if reported {
            self.status = self.status.max(ExitStatus::Finding);
        }
        let is_new = reported || last.as_ref() != Some(&seen);
        if let Some(memory) = memory.filter(|_| is_new) {
            // In an outage, the time is that of the answer before it.
            if seen.outage.is_none() || last.is_none() {
                seen.at = now.seconds();
            }
            if let Err(error) = memory.remember(origin, &seen) {
                fail(messages, &mut self.status, &error);
            }
        }
        Ok(again)
    }
}

/// Reports a change, if there is one that matters, and returns whether there is.
fn report_change(
    origin: &Origin,
    seen: &Seen,
    last: Option<&Seen>,
    expected: Option<(&str, &[u8])>,
    now: Timestamp,
    report: &mut dyn FnMut(&ChangeKeys<'_>) -> io::Result<()>,
) -> io::Result<bool> {
    let url = origin.robots_url();
    // At first, the file that is served is expected for all requests.
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
            text: Body::new(text),
            ..Answer::default()
        });
    }
    // Since the last observation, unless that was not compared with the expected file.
    let compared = last.filter(|last| seen.expected.is_none() || last.expected == seen.expected);
    let before = compared.unwrap_or(&target);
    let base = if expected.is_some() { &target } else { before };
    let [since, texts] = [before, base].map(|old| {
        let pair = old.answer.as_ref().zip(seen.current());
        pair.map(|(old, new)| [old, new].map(|it| it.text.as_bytes())).unwrap_or_default()
    });
    let is_same = |facts: &[Fact], diff: Option<&DiffReport<'_>>, lint: &[String]| {
        facts.is_empty() && diff.is_none() && lint.is_empty()
    };
    let since = since.map(|text| ("", text));
    if compare_texts(origin, since, |diff, lint| is_same(&facts(before, seen), diff, &lint)) {
        return Ok(false);
    }
    let from = last.map(|it| format!("the file of {}", time(it.at))).unwrap_or_default();
    let from = expected.map_or(from, |(name, _)| name.to_owned());
    let names = [name(base.answer.as_ref(), from), name(seen.answer.as_ref(), url)];
    compare_texts(origin, [(&*names[0], texts[0]), (&*names[1], texts[1])], |diff, lint| {
        let facts = facts(base, seen);
        let failure = seen.answer.as_ref().and_then(|it| it.failure.as_ref());
        let mut change = ChangeKeys {
            id: String::new(),
            origin: origin.to_string(),
            at: seen.at,
            outcome: seen.outcome(),
            status: seen.current().and_then(|it| it.status),
            failure: seen.outage.as_ref().or(failure).map(String::as_str),
            as_expected: expected.map(|_| is_same(&facts, diff, &lint)),
            facts,
            lint,
            diff,
        };
        change.id = Body::new(serde_json::to_vec(&change)?).sha256_hex();
        change.id.truncate(16);
        change.at = now.seconds();
        report(&change).map(|()| true)
    })
}

/// The name of the file of an answer, with that of a served one.
fn name(answer: Option<&Answer>, served: String) -> String {
    let why = answer.and_then(|it| it.failure.as_deref());
    why.map_or(served, no_file)
}
