//! Reports about sites, and the memory of them.

use std::collections::HashSet;
use std::io;
use std::time::Duration;

use verger::access::Timestamp;
use verger::{Dialect, Origin};
use verger_fetch::client::RobotsClient;
use verger_fetch::record::Body;

use super::change::{ChangeKeys, NO_ANSWER, difference, facts, matters, new_findings, with_diff};
use super::seen::{Memory, Outcome, Remembered, Seen};
use crate::console::Messages;
use crate::error::{Error, ExitStatus};
use crate::input::{place, read_robots};
use crate::limits::CONFIRM_AFTER;
use crate::sentence::{brief, quoted, time};
use crate::source::{RobotsPlace, git};

/// A watched site.
#[derive(Clone, Debug)]
pub(crate) struct Site {
    pub(crate) origin: Origin,
    pub(crate) interval: Duration,
    /// The place of the expected file; `None`: what the site served last time.
    pub(crate) expect: Option<RobotsPlace>,
}

/// The observations of one check: the site's, and those of other requests by their names. A text is the
/// failure of this client.
pub(crate) struct Answers {
    pub(crate) main: Result<Seen, String>,
    pub(crate) others: Vec<(String, Result<Seen, String>)>,
}

impl Answers {
    /// Fetches the robots.txt of a site with all clients, one after the other.
    pub(crate) async fn fetch(
        main: RobotsClient,
        others: Vec<(String, RobotsClient)>,
        origin: &Origin,
    ) -> Self {
        async fn seen(client: &RobotsClient, origin: &Origin) -> Result<Seen, String> {
            let record = client.refresh(origin).await.map_err(|error| error.to_string())?;
            Seen::of(client, &record).map_err(|failure| failure.to_string())
        }
        let mut answers = Self { main: seen(&main, origin).await, others: Vec::new() };
        for (name, client) in others {
            let other = seen(&client, origin).await;
            answers.others.push((name, other));
        }
        answers
    }
}

/// The reason for the end of a run.
#[derive(Debug)]
pub(crate) enum Stop {
    /// The output failed.
    Output(io::Error),
    Error(Error),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

/// The state of a run.
pub(crate) struct Watcher<'a> {
    pub(crate) sites: &'a [Site],
    /// Further crawlers to compare for.
    pub(crate) agents: &'a [String],
    pub(crate) is_once: bool,
    /// `None`: each difference from the expected file is reported.
    pub(crate) memory: Option<Memory>,
    /// Sites with one failed fetch, which the next one confirms.
    pub(crate) doubts: HashSet<usize>,
    /// Number of sites that were seen for the first time.
    pub(crate) first_seen: u64,
    pub(crate) status: ExitStatus,
}

impl Watcher<'_> {
    /// Reports the changes of a site, then remembers its observation. Returns the time to the next check;
    /// `None` after the only one.
    ///
    /// `report` must have written everything when it returns: what is remembered is not reported again.
    pub(crate) fn check(
        &mut self,
        index: usize,
        answers: Answers,
        now: Timestamp,
        messages: &mut Messages,
        report: &mut dyn FnMut(&ChangeKeys<'_>) -> io::Result<()>,
    ) -> Result<Option<Duration>, Stop> {
        let Site { origin, interval, expect } = &self.sites[index];
        let again = (!self.is_once).then_some(*interval);
        let mut fail = |status: &mut ExitStatus, error: &Error| {
            messages.error_at(&format!("{origin}: "), error);
            *status = ExitStatus::Error;
        };
        let mut seen = match answers.main {
            Ok(seen) => seen,
            Err(fault) => {
                fail(&mut self.status, &Error::new(format!("robots.txt was not fetched: {fault}")));
                return Ok(again);
            }
        };
        // Against a fixed file, a single run needs no memory: each difference is reported.
        let is_fixed = self.is_once && expect.is_some();
        let memory = self.memory.as_ref().filter(|_| !is_fixed);
        let last = memory.map(|memory| memory.last(origin)).transpose();
        let last = last.map_or_else(
            |error| {
                fail(&mut self.status, &error);
                None
            },
            Option::flatten,
        );
        if seen.condition.outcome == Outcome::Unreachable {
            let was_unreachable =
                last.as_ref().is_some_and(|it| it.seen.condition.outcome == Outcome::Unreachable);
            if self.is_once {
                let reason = seen.condition.failure.as_deref().unwrap_or_default();
                let error = Error::new(format!("robots.txt is unreachable: {reason}"));
                fail(&mut self.status, &error);
            } else if !was_unreachable && self.doubts.insert(index) {
                return Ok(Some(CONFIRM_AFTER.min(*interval)));
            }
            seen.text = last.as_ref().and_then(|last| last.seen.text.clone());
        }
        self.doubts.remove(&index);
        let text = seen.text.clone().filter(|_| seen.condition.outcome != Outcome::Unreachable);
        for (name, other) in answers.others {
            let Some(text) = &text else { continue };
            let difference = match &other {
                Ok(Seen { text: Some(other), .. }) => {
                    difference(origin, text.as_bytes(), other.as_bytes())
                }
                Ok(other) => {
                    format!("{NO_ANSWER}{}", other.condition.failure.as_deref().unwrap_or_default())
                }
                Err(fault) => format!("{NO_ANSWER}{fault}"),
            };
            seen.condition.others.insert(name, difference);
        }
        let expected = match expect.as_ref().map(read).transpose() {
            Ok(expected) => expected,
            Err(error) => {
                fail(&mut self.status, &error);
                return Ok(again);
            }
        };
        seen.expected = expected.as_ref().map(|(_, text)| Body::new(&**text).sha256_hex());
        let mut number = last.as_ref().map_or(0, |it| it.number);
        let is_first = last.is_none() && expected.is_none() && seen.text.is_some();
        self.first_seen += u64::from(is_first);
        let changed = self.report(origin, &seen, last.as_ref(), expected.as_ref(), now, report);
        let is_changed = changed.map_err(Stop::Output)?;
        if is_changed {
            number += 1;
            self.status = self.status.max(ExitStatus::Finding);
        }
        let is_same = last.is_some_and(|last| last.seen == seen);
        if let Some(memory) = memory.filter(|_| is_changed || !is_same) {
            memory.remember(origin, number, now.seconds(), seen)?;
        }
        Ok(again)
    }

    /// Reports a change, if there is one that matters.
    fn report(
        &self,
        origin: &Origin,
        seen: &Seen,
        last: Option<&Remembered>,
        expected: Option<&(String, Vec<u8>)>,
        now: Timestamp,
        report: &mut dyn FnMut(&ChangeKeys<'_>) -> io::Result<()>,
    ) -> io::Result<bool> {
        let condition = &seen.condition;
        let mut facts = facts(last.map(|it| &it.seen.condition), condition);
        if last.is_none() && expected.is_none() {
            // Nothing to compare with but the other requests.
            facts.retain(|fact| fact.name.is_some());
        }
        let text = seen.text.as_ref().filter(|_| condition.outcome != Outcome::Unreachable);
        let text = text.map(Body::as_bytes);
        // Since the last observation, unless that was not compared with the expected file.
        let is_compared =
            |last: &&Remembered| seen.expected.is_none() || last.seen.expected == seen.expected;
        let old = match last.filter(is_compared) {
            Some(last) => last.seen.text.as_ref().map(Body::as_bytes),
            None => expected.map(|(_, text)| &**text),
        };
        let is_new = |old: &[u8], text: &[u8]| {
            let names = [("", old), ("", text)];
            old != text
                && (with_diff(origin, names, self.agents, matters)
                    || !new_findings(old, text).is_empty())
        };
        let is_text_changed = old.zip(text).is_some_and(|(old, text)| is_new(old, text));
        if facts.is_empty() && !is_text_changed {
            return Ok(false);
        }
        let url = origin.robots_url();
        let from = last.map(|it| format!("the file of {}", time(it.at))).unwrap_or_default();
        let base = match expected {
            Some((name, text)) => Some((&**name, &**text)),
            None => old.map(|old| (&*from, old)),
        };
        let id = [
            origin.to_string(),
            last.map_or(0, |it| it.number).to_string(),
            last.map_or_else(String::new, |it| digest(&it.seen)),
            digest(seen),
        ];
        let id = Body::new(id.join("\n")).sha256_hex();
        let mut change = ChangeKeys {
            id: &id[..16],
            origin: origin.to_string(),
            at: now.seconds(),
            outcome: condition.outcome.name(),
            status: condition.status,
            failure: condition.failure.as_deref(),
            as_expected: expected.map(|_| false),
            facts,
            lint: Vec::new(),
            diff: None,
        };
        let Some(((name, base), text)) = base.zip(text) else {
            return report(&change).map(|()| true);
        };
        change.lint = new_findings(base, text);
        with_diff(origin, [(name, base), (&url, text)], self.agents, |diff| {
            let is_same = !matters(diff);
            change.as_expected = expected.map(|_| is_same && change.lint.is_empty());
            let change = ChangeKeys { diff: Some(diff).filter(|_| !is_same), ..change };
            report(&change).map(|()| true)
        })
    }
}

/// The expected file: its name and its text.
fn read(expect: &RobotsPlace) -> Result<(String, Vec<u8>), Error> {
    match expect {
        RobotsPlace::File(path) => Ok((place(path), read_robots(path, &Dialect::default())?)),
        RobotsPlace::Git(object) => Ok((brief(&format!("git:{object}")).to_string(), git(object)?)),
        RobotsPlace::Site(url) => {
            Err(Error::new(format!("expected a file, but found the URL {}", quoted(url))))
        }
    }
}

/// A text that is equal for equal observations, whatever the comments.
fn digest(seen: &Seen) -> String {
    // A serialisation of strings and numbers does not fail.
    let condition = serde_json::to_string(&seen.condition).unwrap_or_default();
    let text = seen.text.as_ref().map(|text| {
        let lines = text.as_bytes().split(|byte| matches!(byte, b'\n' | b'\r'));
        let values =
            lines.filter_map(|line| Some(line.split(|it| *it == b'#').next()?.trim_ascii()));
        let values: Vec<_> = values.filter(|it| !it.is_empty()).collect();
        Body::new(values.join(&b'\n')).sha256_hex()
    });
    format!("{condition} {}", text.unwrap_or_default())
}
