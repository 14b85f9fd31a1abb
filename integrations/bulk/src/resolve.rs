//! From captures to versions: redirects and revisit records are followed inside the input.
//!
//! # Flow
//!
//! 1. `read`: each unit of input is read once. Its captures are divided into partitions by the
//!    origin of their URL. The URLs of files are divided by the ids of their records.
//! 2. `resolve-0`: each capture of a robots.txt becomes a version of its origin. If it is a
//!    redirect or a revisit record, it becomes a request to the partition of the other URL.
//! 3. `resolve-1` and so on: each request finds a capture of its URL, which answers it or leads to
//!    the next request. If the URL has none, but the original is named by its record id, the next
//!    request goes to the partition of the id, which knows its URL. The profile limits the
//!    redirects, so there are few rounds.
//!
//! Only requests and short descriptions of captures are in memory, never their files.

use std::collections::HashMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use verger::access::{Outcome, Profile};

use crate::capture::{Capture, CaptureReader, Content, Final, Original, Place, Unknown, scope};
use crate::error::Result;
use crate::format::Format;
use crate::history::Version;
use crate::input::Unit;
use crate::job::{Counts, Job, Skip, Task};
use crate::limits::{REDIRECT_WINDOW, REVISIT_ROUNDS};
use crate::origin::partition;
use crate::shuffle::{ShuffleReader, ShuffleWriter, read_all};
use crate::warc::{Digest, RecordId};

/// The stages from input to versions.
#[derive(Debug)]
pub(crate) struct Resolver<'a> {
    pub(crate) job: &'a Job,
    pub(crate) units: &'a [Unit],
    pub(crate) partitions: usize,
    pub(crate) reader: &'a CaptureReader,
    pub(crate) profile: &'a Profile,
}

/// The files with versions by partition, the files of all stages, and the counts.
#[derive(Debug)]
pub(crate) struct Resolved {
    pub(crate) versions: Vec<PathBuf>,
    pub(crate) files: Vec<PathBuf>,
    pub(crate) counts: Counts,
}

/// A capture that another one must answer.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Request {
    version: Version,
    target: Target,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
enum Target {
    /// The capture of a URL near the time of the version.
    Redirect(String),
    /// The capture of a URL to which a revisit record refers.
    Original {
        url: String,
        original: Original,
        /// Whether the URL is that of the record id.
        is_by_id: bool,
    },
    /// The capture with the id of a revisit record, after no capture of this URL was the original.
    Id { url: String, id: RecordId, original: Original },
}

impl Target {
    fn url(&self) -> &str {
        let (Self::Redirect(url) | Self::Original { url, .. } | Self::Id { url, .. }) = self;
        url
    }

    /// The next place for a search by record id.
    fn next(&self, is_found: bool, urls: &HashMap<RecordId, String>) -> Option<Self> {
        match self {
            Self::Original { url, original, is_by_id: false } if !is_found => {
                let (url, original) = (url.clone(), original.clone());
                Some(Self::Id { url, id: original.id?, original })
            }
            Self::Id { url, id, original } => {
                let known = urls.get(id).filter(|known| *known != url)?;
                let (url, original) = (known.clone(), original.clone());
                Some(Self::Original { url, original, is_by_id: true })
            }
            _ => None,
        }
    }
}

/// Everything about a capture that decides whether it answers a request.
struct Candidate {
    time: i64,
    place: Place,
    status: Option<u16>,
    has_file: bool,
    id: Option<RecordId>,
    digest: Option<Digest>,
}

impl Resolver<'_> {
    pub(crate) fn run(&self) -> Result<Resolved> {
        let Self { job, units, .. } = self;
        let (captures, mut counts) =
            job.stage("read", units.len(), |_| Ok(0), |task| self.read(task))?;
        let mut files = captures.clone();
        let mut versions = Vec::new();
        let mut requests: Option<Vec<PathBuf>> = None;
        let rounds = usize::from(self.profile.redirects) + 1 + REVISIT_ROUNDS;
        for round in 0..=rounds {
            // Each request has about one candidate.
            let needed = |number: usize| match &requests {
                Some(requests) => Ok(2 * bytes_of(requests, self.partitions + number)?),
                None => Ok(0),
            };
            let is_last = round == rounds;
            let (written, found) =
                job.stage(&format!("resolve-{round}"), self.partitions, needed, |task| {
                    self.resolve(task, &captures, requests.as_deref(), is_last)
                })?;
            files.extend(written.iter().cloned());
            versions.extend(written.iter().cloned());
            let open = found.get("requests").copied().unwrap_or_default();
            for (name, count) in found.into_iter().filter(|(name, _)| name != "requests") {
                *counts.entry(name).or_default() += count;
            }
            if open == 0 {
                break;
            }
            requests = Some(written);
        }
        Ok(Resolved { versions, files, counts })
    }

    fn read(&self, task: &mut Task<'_>) -> Result<()> {
        let path = task.path.clone();
        let mut out = ShuffleWriter::new(&path, 2 * self.partitions)?;
        let unit = &self.units[task.number];
        self.reader.read(unit, task, |task, capture| {
            let name =
                if capture.origin().is_some() { "captures.robots_txt" } else { "captures.other" };
            task.count(name, 1);
            if let Some(id) = capture.id.filter(|_| capture.has_file()) {
                let to = self.partitions + id.partition(self.partitions);
                out.add(to, &(id, &capture.url))?;
            }
            out.add(partition(&scope(&capture.url), self.partitions), &capture)
        })?;
        out.finish()
    }

    fn resolve(
        &self,
        task: &mut Task<'_>,
        captures: &[PathBuf],
        requests: Option<&[PathBuf]>,
        is_last: bool,
    ) -> Result<()> {
        let path = task.path.clone();
        let mut out = ShuffleWriter::new(&path, 2 * self.partitions)?;
        let number = task.number;
        let Some(requests) = requests else {
            read_all(captures, number, |capture: Capture| {
                let Some(origin) = capture.origin() else { return Ok(()) };
                let Capture { time, place, status, .. } = capture;
                let end = Final::unknown(Unknown::Truncated);
                let version = Version { origin, time, place, status, redirects: 0, end };
                self.follow(version, capture.content, task, &mut out)
            })?;
            return out.finish();
        };
        let mut all: Vec<Request> = Vec::new();
        read_all(requests, self.partitions + number, |request| {
            all.push(request);
            Ok(())
        })?;
        if all.is_empty() {
            return out.finish();
        }
        let candidates = candidates(captures, number, &all)?;
        let urls = urls_of_ids(captures, self.partitions + number, &all)?;
        let mut answered: HashMap<Place, Vec<Version>> = HashMap::new();
        for Request { mut version, target } in all {
            let group = candidates.get(target.url()).map(Vec::as_slice).unwrap_or_default();
            let found = find(group, &target, version.time).filter(|_| !is_last);
            let next = target.next(found.is_some(), &urls).filter(|_| !is_last);
            if let Some(next) = next {
                self.request(version, next, task, &mut out)?;
            } else if let Some(capture) = found {
                version.status = match target {
                    Target::Redirect(_) => capture.status,
                    // The server answered 304, but the archive has the file.
                    _ => capture.status.or(version.status),
                };
                answered.entry(capture.place).or_default().push(version);
            } else {
                let missing = match target {
                    Target::Redirect(_) => Unknown::RedirectTargetMissing,
                    _ => Unknown::OriginalMissing,
                };
                self.list_missing(&version, missing, target.url(), task)?;
                version.end = Final::unknown(missing);
                self.end(&version, &mut out)?;
            }
        }
        drop(candidates);
        read_all(captures, number, |capture: Capture| {
            for version in answered.remove(&capture.place).into_iter().flatten() {
                self.follow(version, capture.content.clone(), task, &mut out)?;
            }
            Ok(())
        })?;
        out.finish()
    }

    /// Lists a version whose redirect or revisit record leads out of the input.
    fn list_missing(
        &self,
        version: &Version,
        missing: Unknown,
        url: &str,
        task: &mut Task<'_>,
    ) -> Result<()> {
        let name = match missing {
            Unknown::OriginalMissing => "the original",
            _ => "the redirect target",
        };
        let message = format!("{name} of {} is not in the input: {url}", version.origin);
        let Place { unit, number, at } = version.place;
        let unit = self.units.get(unit as usize);
        let input = unit.map(Unit::name).unwrap_or_default();
        let skip = Skip::new(&input, at, missing.name(), &message);
        let has_records = |it: &Unit| {
            matches!(it.format, Format::Warc | Format::Arc | Format::Wacz | Format::Index)
        };
        task.skip(&if unit.is_some_and(has_records) { skip.of_record(number) } else { skip })
    }

    /// Goes on from a capture: to the end of the fetch, or to the next request.
    fn follow(
        &self,
        mut version: Version,
        content: Content,
        task: &mut Task<'_>,
        out: &mut ShuffleWriter<'_>,
    ) -> Result<()> {
        let target = match content {
            Content::Final(end) => {
                version.end = end;
                return self.end(&version, out);
            }
            Content::Redirect { next, is_downgrade } => {
                version.redirects = version.redirects.saturating_add(1);
                let broken = if version.redirects > self.profile.redirects {
                    Some(Outcome::RedirectLimit)
                } else {
                    (is_downgrade && !self.profile.follow_downgrades)
                        .then_some(Outcome::BrokenRedirect)
                };
                if let Some(broken) = broken {
                    version.end = Final { outcome: Ok(broken), ..version.end };
                    return self.end(&version, out);
                }
                Target::Redirect(next)
            }
            Content::Revisit { url, original } => {
                Target::Original { url, original, is_by_id: false }
            }
        };
        self.request(version, target, task, out)
    }

    fn request(
        &self,
        version: Version,
        target: Target,
        task: &mut Task<'_>,
        out: &mut ShuffleWriter<'_>,
    ) -> Result<()> {
        let to = match &target {
            Target::Id { id, .. } => id.partition(self.partitions),
            _ => partition(&scope(target.url()), self.partitions),
        };
        task.count("requests", 1);
        out.add(self.partitions + to, &Request { version, target })
    }

    fn end(&self, version: &Version, out: &mut ShuffleWriter<'_>) -> Result<()> {
        out.add(partition(&version.origin, self.partitions), version)
    }
}

/// The captures of the requested URLs, each list in the order of time.
fn candidates(
    captures: &[PathBuf],
    partition: usize,
    requests: &[Request],
) -> Result<HashMap<String, Vec<Candidate>>> {
    let mut found: HashMap<String, Vec<Candidate>> =
        requests.iter().map(|it| (it.target.url().to_owned(), Vec::new())).collect();
    read_all(captures, partition, |capture: Capture| {
        if let Some(group) = found.get_mut(&capture.url) {
            let has_file = capture.has_file();
            let Capture { time, place, status, id, digest, .. } = capture;
            group.push(Candidate { time, place, status, has_file, id, digest });
        }
        Ok(())
    })?;
    for group in found.values_mut() {
        group.sort_by_key(|capture| (capture.time, capture.place));
    }
    Ok(found)
}

/// The URLs of the requested record ids.
fn urls_of_ids(
    captures: &[PathBuf],
    partition: usize,
    requests: &[Request],
) -> Result<HashMap<RecordId, String>> {
    let id_of = |request: &Request| match &request.target {
        Target::Id { id, .. } => Some((*id, String::new())),
        _ => None,
    };
    let mut urls: HashMap<RecordId, String> = requests.iter().filter_map(id_of).collect();
    if !urls.is_empty() {
        read_all(captures, partition, |(id, url)| {
            if let Some(known) = urls.get_mut(&id) {
                *known = url;
            }
            Ok(())
        })?;
    }
    urls.retain(|_, url| !url.is_empty());
    Ok(urls)
}

/// The bytes in memory of the records of a partition in all files.
pub(crate) fn bytes_of(files: &[PathBuf], partition: usize) -> Result<u64> {
    files.iter().map(|file| Ok(ShuffleReader::open(file)?.bytes(partition))).sum()
}

/// The capture that answers a request, among the captures of its URL in the order of time.
fn find<'c>(captures: &'c [Candidate], target: &Target, time: i64) -> Option<&'c Candidate> {
    let distance = |capture: &&Candidate| capture.time.abs_diff(time);
    let original = match target {
        Target::Redirect(_) => {
            let window = REDIRECT_WINDOW.unsigned_abs();
            let near = |capture: &&Candidate| capture.time.abs_diff(time) <= window;
            return captures.iter().filter(near).min_by_key(distance);
        }
        Target::Original { original, .. } => original,
        Target::Id { .. } => return None,
    };
    // Only a file can be revisited: the status of another response is in its own record.
    let files = || captures.iter().filter(|capture| capture.has_file);
    // A capture with another digest is not the original, whatever else the record says.
    let fits = |capture: &&Candidate| {
        original.digest.is_none() || capture.digest.is_none() || capture.digest == original.digest
    };
    let by_id = || files().filter(fits).find(|it| it.id.is_some() && it.id == original.id);
    let by_digest = || {
        let same = |it: &&Candidate| it.digest.is_some() && it.digest == original.digest;
        files().filter(same).min_by_key(distance)
    };
    let by_time = || {
        let of = original.time?;
        let same = || files().filter(fits).filter(|it| is_same_time(it.time, of));
        same().rfind(|it| it.time == of).or_else(|| same().next_back())
    };
    let last_before = || files().rfind(|it| original.is_unmodified && it.time <= time);
    by_id().or_else(by_digest).or_else(by_time).or_else(last_before)
}

/// Whether two times are equal, one perhaps without its fraction of a second.
fn is_same_time(one: i64, other: i64) -> bool {
    const SECOND: i64 = 1_000_000;
    let is_whole = one.rem_euclid(SECOND) == 0 || other.rem_euclid(SECOND) == 0;
    one == other || is_whole && one.div_euclid(SECOND) == other.div_euclid(SECOND)
}
