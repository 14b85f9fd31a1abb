//! The texts that a crawler has received, and the one in force: rules 4 to 14.

use super::texts::{Served, Version};
use super::world::{Body, DAY, Event, HOUR, Is, Kind, Proof, VISITORS, World};

/// Fetches that are remembered.
const FETCHES: usize = 64;

/// Seconds of silence at which a log begins again.
const SILENCE: i64 = DAY;

/// Ways of reading one line of the log, with all that is known of the lines before it.
#[derive(Clone, Copy)]
pub(super) struct Line<'w> {
    pub(super) world: &'w World,
    pub(super) index: usize,
    pub(super) site: usize,
}

/// Which lines count.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Since {
    Ever,
    Gap,
    /// The log begins at a gap, and after a silence.
    Beginning,
}

/// A fetch of robots.txt.
#[derive(Clone, Copy)]
pub(super) struct Fetch {
    /// Its line.
    pub(super) index: usize,
    pub(super) at: i64,
    pub(super) status: Option<u16>,
    pub(super) is_proved: bool,
}

/// The result in force at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Force {
    Nothing,
    Allowed,
    Forbidden,
    /// A copy with a text that is not known.
    Unclear {
        since: i64,
    },
    /// A copy of a version.
    Copy {
        since: i64,
        version: usize,
    },
}

/// All that the fetches before a moment have shown.
#[derive(Default)]
pub(super) struct Known {
    /// When it was received or renewed, and its version if that is known.
    pub(super) copy: Option<(i64, Option<usize>)>,
    /// Whether a status since may be a permission.
    is_doubtful: bool,
    /// Whether a status since refused the file.
    pub(super) is_denied: bool,
    /// When the last result came, and whether it was a file.
    result: Option<(i64, bool)>,
    /// Failed fetches since, and whether they are proved.
    failures: Vec<(i64, bool)>,
    /// Whether the fetches of the result are proved.
    has_proof: bool,
}

impl<'w> Line<'w> {
    pub(super) fn event(&self) -> &'w Event {
        &self.world.events[self.index]
    }

    /// The lines of the site, with this one.
    fn lines(&self, since: Since) -> Vec<(usize, &'w Event)> {
        let mut lines: Vec<(usize, &Event)> = Vec::new();
        for (index, event) in self.world.events[..=self.index].iter().enumerate() {
            let is_robots_txt = matches!(event.kind, Kind::Fetch { .. });
            let is_gap = event.is_after_gap || is_robots_txt && !event.has_time;
            if is_gap && since != Since::Ever {
                lines.clear();
            }
            if self.world.origin(event) != Some(self.site) || !event.has_time {
                continue;
            }
            let is_silent = |(_, last): &(usize, &Event)| (event.at - last.at).abs() >= SILENCE;
            if since == Since::Beginning && lines.last().is_some_and(is_silent) {
                lines.clear();
            }
            lines.push((index, event));
        }
        lines
    }

    pub(super) fn beginning(&self) -> i64 {
        let lines = self.lines(Since::Beginning).into_iter();
        lines.map(|(_, event)| event.at).min().expect("the line itself")
    }

    /// Whether the log shows that somebody got robots.txt.
    pub(super) fn has_requests_for_robots_txt(&self) -> bool {
        let is_it = |event: &Event| matches!(self.world.fetch_status(event), Some(200 | 304));
        self.lines(Since::Beginning).iter().any(|(_, event)| is_it(event))
    }

    /// Whether an earlier line is later by more than a minute.
    pub(super) fn is_late(&self) -> bool {
        let at = self.event().at;
        self.lines(Since::Beginning).iter().any(|(_, event)| event.at > at + 60)
    }

    /// The earliest beginning of a request whose time may be that of its end.
    pub(super) fn begun(&self) -> i64 {
        let bytes = body_bytes(self.world, self.event()).unwrap_or(0);
        let has_waited = matches!(self.event().status(), Some(0 | 408 | 499..=599));
        let hours = i64::from(has_waited) + i64::from(self.has_local_times());
        self.event().at - i64::try_from(bytes).expect("a few") / 7_000 - hours * HOUR
    }

    /// The end of a fetch: not before the lines above it.
    fn end(&self) -> i64 {
        let lines = self.lines(Since::Beginning).into_iter();
        let latest = lines.map(|(_, event)| event.at).max().expect("the line itself");
        if self.is_late() { latest } else { self.event().at }
    }

    /// The times of responses to HEAD in earlier lines that can have made a copy fresh again.
    pub(super) fn heads(&self, is_by: impl Fn(&Event) -> bool) -> Vec<i64> {
        let is_head = |event: &Event| {
            self.world.is_for_rules(event, &["HEAD"]) && matches!(event.status(), Some(200 | 304))
        };
        let lines = self.lines(Since::Gap).into_iter().filter(|(index, _)| *index < self.index);
        lines.filter(|(_, it)| is_head(it) && is_by(it)).map(|(_, event)| event.at).collect()
    }

    pub(super) fn has_local_times(&self) -> bool {
        self.lines(Since::Ever).iter().any(|(_, event)| event.is_local)
    }

    pub(super) fn margin(&self) -> i64 {
        60 + if self.has_local_times() { 14 * HOUR } else { 0 }
    }

    /// Fetches in earlier lines by senders that `is_by` accepts, in order of the log.
    pub(super) fn fetches(&self, since: Since, is_by: impl Fn(&Event) -> bool) -> Vec<Fetch> {
        let mut fetches = Vec::new();
        for (index, event) in self.lines(since) {
            if index < self.index && self.world.is_fetch(event) && is_by(event) {
                let status = self.world.fetch_status(event);
                let claim = self.world.claim(event);
                let is_proved = claim.is_some_and(|claim| claim.proof == Proof::Verified);
                let at = Line { index, ..*self }.end();
                fetches.push(Fetch { index, at, status, is_proved });
            }
        }
        fetches
    }

    /// All versions that were served from a time to another one, with the margin on both sides;
    /// `None` if a part of them is not known.
    pub(super) fn served(&self, from: i64, to: i64) -> Option<Vec<usize>> {
        let (from, to) = (from - self.margin(), to + self.margin());
        let site = &self.world.sites[self.site];
        // What is served changes only at these moments.
        let ends = site.iter().filter_map(|version| match version.served {
            Served::Unknown(end) => Some(end),
            _ => None,
        });
        let changes = site.iter().map(|version| version.from).chain(ends);
        let mut moments: Vec<i64> = changes.filter(|at| (from..=to).contains(at)).collect();
        moments.push(from);
        let at = |at| self.world.served(self.site, at);
        let mut versions = moments.into_iter().map(at).collect::<Option<Vec<usize>>>()?;
        versions.sort_unstable();
        versions.dedup();
        Some(versions)
    }

    /// The only version that was served at the time of the line, if it is a file.
    pub(super) fn only(&self) -> Option<usize> {
        let served = self.served(self.event().at, self.end())?;
        let [version] = served[..] else { return None };
        self.world.text(self.site, version).map(|_| version)
    }

    /// Whether the site never served another version until the line, for a month or more.
    fn has_one_version(&self) -> bool {
        let (site, end) = (&self.world.sites[self.site], self.end() + self.margin());
        let is_known = |version: &&Version| !matches!(version.served, Served::Unknown(_));
        let first = site.iter().find(is_known).map_or(0, |version| version.from);
        let counts = |version: &&Version| match version.served {
            Served::Unknown(until) => until > first,
            _ => true,
        };
        first + 30 * DAY <= self.end()
            && site.iter().filter(|version| version.from <= end).filter(counts).count() == 1
    }

    /// The version that a crawler received with this line.
    fn received(&self) -> Option<usize> {
        let version = self.possible()?;
        let length = self.length(version);
        let Some(bytes) = body_bytes(self.world, self.event()) else { return Some(version) };
        // A shorter body is the file if somebody else got one of this length.
        let header = |line: &Line<'_>| VISITORS[line.event().visitor].header;
        let mut earlier = self.lines(Since::Ever).into_iter().filter(|(index, event)| {
            *index < self.index && self.world.fetch_status(event) == Some(200)
        });
        let is_elsewhere = earlier.any(|(index, event)| {
            let line = Line { index, ..*self };
            body_bytes(self.world, event) == Some(bytes)
                && line.possible() == Some(version)
                && header(&line) != header(self)
        });
        (bytes >= length || is_elsewhere).then_some(version)
    }

    /// Rule 29: whether the body can be the only version that was served, if there is only one.
    pub(super) fn can_be_file(&self) -> bool {
        self.only().is_none() || self.received().is_some()
    }

    fn length(&self, version: usize) -> u64 {
        self.world.text(self.site, version).expect("a file").len() as u64
    }

    /// The version that the body of this line can be.
    fn possible(&self) -> Option<usize> {
        let version = self.only()?;
        let length = self.length(version);
        let versions = 0..self.world.sites[self.site].len();
        let is_other = |bytes| {
            let text = |it| self.world.text(self.site, it).map(|text| text.len() as u64);
            versions.clone().any(|it| text(it) == Some(bytes))
        };
        let fits = |bytes: u64| {
            let is_possible = bytes * 32 >= length && bytes <= length + length / 64 + 64;
            is_possible && (bytes == length || !is_other(bytes))
        };
        body_bytes(self.world, self.event()).is_none_or(fits).then_some(version)
    }
}

impl Known {
    /// By fetches in their order; `line` is any line of the site.
    pub(super) fn new(line: Line<'_>, fetches: &[Fetch], lifetime: i64, is: Is) -> Self {
        let mut known = Self::default();
        for fetch in fetches {
            known.add(Line { index: fetch.index, ..line }, fetch, lifetime, is);
        }
        known
    }

    fn add(&mut self, line: Line<'_>, fetch: &Fetch, lifetime: i64, is: Is) {
        let at = fetch.at;
        let (version, is_renewed) = match fetch.status {
            Some(304) => match self.copy {
                Some((_, Some(version))) if line.only() == Some(version) => (Some(version), true),
                Some(_) => (None, false),
                None => (line.only().filter(|_| line.has_one_version()), false),
            },
            Some(200) => (line.received(), false),
            None | Some(201 | 203..=299 | 300..=399) => (None, false),
            Some(429) if is == Is::Yandex => {
                let has_proof = fetch.is_proved;
                *self = Self { result: Some((at, false)), has_proof, ..Self::default() };
                return;
            }
            Some(400..=407 | 409..=428 | 430..=443 | 445..=498) if is != Is::Amazon => {
                let has_proof = fetch.is_proved;
                *self = Self { result: Some((at, false)), has_proof, ..Self::default() };
                return;
            }
            status => {
                self.is_doubtful |= matches!(status, Some(202 | 408 | 429));
                let is_outage = matches!(status, Some(408 | 429 | 444 | 499));
                self.is_denied |= matches!(status, Some(400..=499)) && !is_outage;
                self.result = self.result.filter(|(_, is_file)| *is_file);
                self.failures.push((at, fetch.is_proved));
                return;
            }
        };
        // Of failures while the file was fresh, only the last fetch counts, and this is a later
        // one.
        self.has_proof = fetch.is_proved && (!is_renewed || self.has_proof_with_outage(lifetime));
        self.copy = Some((at, version));
        (self.is_doubtful, self.is_denied) = (false, false);
        self.result = Some((at, true));
        self.failures.clear();
    }

    /// The end of the lifetime of the result.
    fn end(&self, lifetime: i64) -> i64 {
        self.result.map_or(i64::MIN, |(at, _)| at + lifetime)
    }

    /// Whether the fetches of the result, and the failed ones after its lifetime, are proved.
    fn has_proof_with_outage(&self, lifetime: i64) -> bool {
        let end = self.end(lifetime);
        self.has_proof && self.failures.iter().all(|(at, is_proved)| *at < end || *is_proved)
    }

    /// Rule 30: whether the fetches on which the answer at a time rests are proved.
    pub(super) fn is_proved(&self, at: i64, lifetime: i64) -> bool {
        let end = self.end(lifetime);
        let last = self.failures.last().is_none_or(|(_, is_proved)| *is_proved);
        if at < end {
            self.has_proof
        } else if self.copy.is_some() {
            last && self.has_proof_with_outage(lifetime)
        } else if self.failures.is_empty() {
            self.has_proof
        } else {
            last
        }
    }

    /// The answer at a time after all fetches.
    pub(super) fn in_force(&self, at: i64, lifetime: i64, margin: i64, is: Is) -> Force {
        let copy =
            |(since, version): (i64, Option<usize>)| match version.filter(|_| !self.is_doubtful) {
                Some(version) => Force::Copy { since, version },
                None => Force::Unclear { since },
            };
        let end = self.end(lifetime);
        if at < end {
            let file = self.copy.filter(|_| self.result.is_some_and(|(_, is_file)| is_file));
            return file.map_or(Force::Allowed, copy);
        }
        // Rule 11: of the failures while a file was fresh, only the last fetch counts.
        let mut times = self.failures.iter().map(|(failed, _)| *failed);
        let mut failures: Vec<i64> = times.clone().filter(|failed| *failed >= end).collect();
        let is_young = |failed: &i64| at - *failed < lifetime;
        if failures.is_empty() && times.next_back().as_ref().is_some_and(is_young) {
            failures.push(end);
        }
        let lapsed = self.failures.last().map_or(end, |(failed, _)| end.max(failed + lifetime));
        let (Some(first), Some(last)) = (failures.first(), failures.last()) else {
            return match self.result {
                Some((since, _)) if at < lapsed + margin => Force::Unclear { since },
                _ => Force::Nothing,
            };
        };
        let is_recent = at < last + lifetime;
        let permitted = match at {
            _ if is_recent => Force::Allowed,
            _ if at < last + lifetime + margin => {
                Force::Unclear { since: self.copy.map_or(*last, |(since, _)| since) }
            }
            _ => Force::Nothing,
        };
        if self.copy.is_some() && at >= first + 30 * DAY {
            return Force::Allowed;
        }
        // Amazonbot keeps a copy for 30 days.
        let is_old = |since: i64| is == Is::Amazon && last - since >= 30 * DAY;
        if let Some((since, version)) = self.copy.filter(|(since, _)| !is_old(*since)) {
            return match is {
                Is::Yandex => permitted,
                _ => copy((since, version.filter(|_| is_recent))),
            };
        }
        let (counted_gap, patience) = match is {
            Is::Google => (HOUR, 12 * HOUR),
            Is::Amazon | Is::Yandex => (DAY, 0),
            _ => (DAY, 30 * DAY),
        };
        let counted: i64 =
            failures.windows(2).map(|two| (two[1] - two[0]).clamp(0, counted_gap)).sum();
        if counted >= patience { permitted } else { Force::Forbidden }
    }
}

/// Fetches in order of time, up to a time, and how many of them were forgotten; `None` if the ones
/// that it needs were.
pub(super) fn remembered(fetches: &[Fetch], at: i64) -> Option<(Vec<Fetch>, usize)> {
    let (mut forgotten, mut remembered) = (Vec::new(), Vec::<Fetch>::new());
    for fetch in fetches {
        remembered.push(*fetch);
        remembered.sort_by_key(|fetch| fetch.at);
        if remembered.len() > FETCHES {
            let earliest = remembered.remove(0);
            if forgotten.last().is_none_or(|last: &Fetch| last.at <= earliest.at) {
                forgotten.push(earliest);
            }
        }
    }
    if !forgotten.is_empty() && at < remembered[0].at {
        return None;
    }
    let count = forgotten.len();
    forgotten.extend(remembered.into_iter().filter(|fetch| fetch.at <= at));
    Some((forgotten, count))
}

/// The bytes of the body in the log.
pub(super) fn body_bytes(world: &World, event: &Event) -> Option<u64> {
    let body = match event.kind {
        Kind::Fetch { body, .. } => body,
        Kind::Visit { bytes, .. } => return bytes,
    };
    let site = world.origin(event);
    let served = site.and_then(|site| Some((site, world.served(site, event.at)?)));
    let text = served.and_then(|(site, version)| world.text(site, version));
    let length = text.map_or(0, str::len) as u64;
    let longest = length + length / 64 + 64;
    match body {
        Body::Missing => None,
        Body::Empty => Some(0),
        Body::Short => Some(length.div_ceil(32)),
        Body::Half => Some(length.div_ceil(2)),
        Body::Longest => Some(longest),
        Body::TooLong => Some(longest + 1),
    }
}
