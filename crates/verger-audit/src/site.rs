//! One origin: its history, and the compiled policies of its files.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::time::Duration;

use verger::access::Timestamp;
use verger::extension::{Preference, RecordKind};
use verger::{Crawler, Origin, Policy};

use crate::history::History;
use crate::knowledge::Reading;
use crate::limits::{
    COMPRESSION, FRAMING_BYTES, FRAMING_SHARE, HEADER_BYTES, LENGTHS, MARGIN_SECONDS, OLD_SECONDS,
    POLICIES, SILENT_SECONDS, WAITING_SECONDS, ZONE_SECONDS,
};
use crate::log::{Request, before};
use crate::rate::{Limit, limits_of};
use crate::readings::Readings;
use crate::report::HistoryReport;

/// How much exact times of the log may differ from those of the history.
pub(crate) const MARGIN: Duration = Duration::from_secs(MARGIN_SECONDS);

/// The same of local times.
pub(crate) const LOCAL_MARGIN: Duration = Duration::from_secs(MARGIN_SECONDS + ZONE_SECONDS);

/// An origin.
#[derive(Debug)]
pub(crate) struct Site {
    pub(crate) origin: Origin,
    pub(crate) history: History,
    /// The parsed files of the history; `None`: there was no file.
    files: Vec<Option<Readings>>,
    /// By version and crawler.
    compiled: HashMap<(usize, usize), Compiled>,
    /// The times of the first and the latest request since the log began, or began again.
    pub(crate) seen: Option<Seen>,
    /// Whether one of them got robots.txt: many servers leave these requests out of the log.
    pub(crate) logs_robots_txt: bool,
    /// How much times of the log may differ from those of the history.
    pub(crate) margin: Duration,
    /// By version, the lengths of compressed bodies, each with the User-Agent header of its client;
    /// `None`: it had several.
    lengths: HashMap<usize, HashMap<u64, Option<Vec<u8>>>>,
}

/// A file, compiled for one crawler.
#[derive(Debug)]
pub(crate) struct Compiled {
    pub(crate) policy: Policy,
    pub(crate) limits: Vec<Limit>,
    /// The policies of [other readings](Readings::others).
    others: Vec<Policy>,
    /// Whether its group goes on across another record, so that its rules may be meant for others.
    is_joined: bool,
    /// Whether the file has preferences for the use of content.
    has_preferences: bool,
}

/// The question whether a crawler may request a target at a time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Question<'q> {
    /// Its index, and its rules.
    pub(crate) crawler: (usize, &'q Crawler),
    pub(crate) reading: Reading<'q>,
    pub(crate) at: Timestamp,
    /// The earliest time at which the request can have begun.
    pub(crate) begun: Timestamp,
    pub(crate) target: &'q [u8],
    /// Whether the client may have asked for another target.
    pub(crate) is_target_unclear: bool,
    pub(crate) robots_at_edge: bool,
}

impl Question<'_> {
    pub(crate) const fn lifetime(&self) -> Duration {
        self.reading.profile.default_lifetime
    }
}

/// Whether a version forbids a URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    Allows,
    /// With the line of the rule, if a rule decided.
    Forbids(Option<usize>),
    /// It seems to forbid it, but its rules or the target are not clear.
    Unclear,
}

/// Times of the lines of a log since its beginning.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen {
    pub(crate) start: Timestamp,
    last: Timestamp,
    latest: Timestamp,
}

impl Site {
    pub(crate) fn new(origin: Origin, history: History) -> Self {
        let texts = history.versions().iter().map(|version| version.text.as_deref());
        let files = texts.map(|text| Some(Readings::of(text?, &origin))).collect();
        Self {
            origin,
            history,
            files,
            compiled: HashMap::new(),
            seen: None,
            logs_robots_txt: false,
            margin: MARGIN,
            lengths: HashMap::new(),
        }
    }

    /// The origin with its history, for the report.
    pub(crate) fn report(self) -> HistoryReport {
        let is_single = self.history.is_single();
        HistoryReport { origin: self.origin, versions: self.history.versions, is_single }
    }

    /// The names in groups of all versions, in lower case, without `*`.
    pub(crate) fn names(&self) -> HashSet<String> {
        let groups = self.files.iter().flatten().flat_map(|it| it.robots.groups());
        let agents = groups.flat_map(|group| group.agents().collect::<Vec<_>>());
        let names = agents.filter(|agent| !agent.is_star() && !agent.name().is_empty());
        names.map(|agent| String::from_utf8_lossy(agent.name()).to_ascii_lowercase()).collect()
    }

    /// Notes the next request of the log, and whether it got robots.txt (rules 5, 16).
    pub(crate) fn see(&mut self, at: Timestamp, is_robots_txt: bool) {
        let gap = |last: Timestamp| at.since(last).max(last.since(at)).as_secs();
        let before = self.seen.filter(|seen| gap(seen.last) < SILENT_SECONDS);
        let (start, latest) = before.map_or((at, at), |it| (it.start.min(at), it.latest.max(at)));
        self.seen = Some(Seen { start, last: at, latest });
        self.logs_robots_txt = is_robots_txt || before.is_some() && self.logs_robots_txt;
    }

    /// The end of a fetch with this time. A server that logs beginnings writes the line at the end,
    /// so this is not before those of the lines above it.
    pub(crate) fn end_of(&self, at: Timestamp) -> Timestamp {
        let latest = self.seen.map(|seen| seen.latest).filter(|_| self.is_late(at));
        latest.unwrap_or(at)
    }

    /// Whether a line before has a time that is later by more than the margin.
    pub(crate) fn is_late(&self, at: Timestamp) -> bool {
        self.seen.is_some_and(|seen| seen.latest > at.after(MARGIN))
    }

    /// The earliest time at which a request can have begun (rule 25).
    pub(crate) fn begun(&self, request: &Request<'_>, at: Timestamp) -> Timestamp {
        let jump = if self.margin > MARGIN { WAITING_SECONDS } else { 0 };
        before(request.begun(at), Duration::from_secs(jump))
    }

    /// The versions that may have been served from one time of the log to another; `None` if they
    /// are not all known.
    pub(crate) fn served(&self, from: Timestamp, to: Timestamp) -> Option<Range<usize>> {
        self.history.between(before(from, self.margin), to.after(self.margin))
    }

    /// Whether a copy from before the log is that of the first version (rule 8): it is old, and the
    /// history has no other until a time.
    pub(crate) fn is_only(&self, at: Timestamp) -> bool {
        self.history.versions().first().is_some_and(|first| {
            at.since(first.from).as_secs() >= OLD_SECONDS
                && self.history.between(first.from, at.after(self.margin)) == Some(0..1)
        })
    }

    /// Notes a fetch of anybody with this end. Returns the only version that was served to it, and
    /// whether the bytes of the body can be its file (rule 7).
    pub(crate) fn receive(
        &mut self,
        request: &Request<'_>,
        at: Timestamp,
    ) -> Option<(usize, bool)> {
        let versions = self.served(request.at?, at).filter(|versions| versions.len() == 1)?;
        let version = versions.start;
        let is_file = request.fetch_status() == Some(200);
        let is_it = request.body_bytes.filter(|_| is_file).is_none_or(|bytes| {
            self.can_have(version, bytes, request)
                && (bytes >= self.length(version) || self.is_compressed(version, bytes, request))
        });
        Some((version, is_it))
    }

    /// Notes a body that is shorter than the file. Returns whether others got as many bytes, too:
    /// otherwise it may have been cut, or be a page for this client.
    fn is_compressed(&mut self, version: usize, bytes: u64, request: &Request<'_>) -> bool {
        let agent = request.user_agent.as_deref().unwrap_or_default();
        let agent = &agent[..agent.len().min(HEADER_BYTES)];
        let lengths = self.lengths.entry(version).or_default();
        if lengths.len() < LENGTHS {
            lengths.entry(bytes).or_insert_with(|| Some(agent.into()));
        }
        let Some(only) = lengths.get_mut(&bytes) else { return false };
        if only.as_deref() != Some(agent) {
            *only = None;
        }
        only.is_none()
    }

    fn length(&self, version: usize) -> u64 {
        self.history.versions()[version].text.as_ref().map_or(0, |text| text.len() as u64)
    }

    /// Whether a body of this length can be the file of a version, perhaps compressed.
    fn can_have(&self, version: usize, bytes: u64, request: &Request<'_>) -> bool {
        let length = self.length(version);
        let most = length + length / FRAMING_SHARE + FRAMING_BYTES + request.header_bytes;
        let lengths = self.history.versions().iter().filter_map(|it| it.text.as_ref());
        let is_other = lengths.map(|text| text.len() as u64).any(|it| it == bytes);
        let is_possible = (length.div_ceil(COMPRESSION)..=most).contains(&bytes);
        is_possible && (bytes == length || !is_other)
    }

    /// The answer of a version about a target. A version without a file allows everything.
    pub(crate) fn answer(&mut self, version: usize, question: &Question<'_>) -> Answer {
        let Some(compiled) = self.compile(version, question.crawler) else { return Answer::Allows };
        let target = question.target;
        let verdict = compiled.policy.check(target);
        if verdict.is_allowed() {
            return Answer::Allows;
        }
        // Rule 27.
        let is_unclear = compiled.is_joined
            || question.is_target_unclear
            || compiled.others.iter().any(|it| it.check(target).is_allowed());
        let line = verdict.line();
        let is_exempt = |file: &Readings| file.is_exempt(target);
        if is_unclear || self.files[version].as_ref().is_some_and(is_exempt) {
            Answer::Unclear
        } else {
            Answer::Forbids(line)
        }
    }

    /// The file of a version, compiled for a crawler; `None` if there was no file.
    pub(crate) fn compile(
        &mut self,
        version: usize,
        (id, rules): (usize, &Crawler),
    ) -> Option<&Compiled> {
        let file = self.files[version].as_ref()?;
        let robots = &file.robots;
        if self.compiled.len() >= POLICIES && !self.compiled.contains_key(&(version, id)) {
            self.compiled.clear();
        }
        let states = |kind| matches!(kind, RecordKind::ContentSignal | RecordKind::ContentUsage);
        let text = self.history.versions()[version].text.as_deref().unwrap_or_default();
        let compile = || Compiled {
            policy: robots.policy(rules),
            others: file.others(text, rules),
            limits: limits_of(robots, file.strict(text), rules),
            is_joined: robots.groups_for(rules).any(|group| group.joined_by().is_some()),
            has_preferences: robots.records().any(|record| states(record.kind())),
        };
        Some(self.compiled.entry((version, id)).or_insert_with(compile))
    }

    /// Whether a version allows a page, but asks that it is not used to train models.
    pub(crate) fn forbids_training(
        &mut self,
        version: usize,
        (id, rules): (usize, &Crawler),
        target: &[u8],
    ) -> bool {
        let compiled = self.compile(version, (id, rules)).filter(|it| it.has_preferences);
        if !compiled.is_some_and(|it| it.policy.check(target).is_allowed()) {
            return false;
        }
        let Some(Readings { robots, .. }) = &self.files[version] else { return false };
        let usage = robots.content_usage(rules, target);
        let usage = usage.map_or(Preference::Unknown, |usage| usage.preference("train-ai"));
        [usage, robots.content_signals(rules, target).ai_train].contains(&Preference::Disallowed)
    }
}
