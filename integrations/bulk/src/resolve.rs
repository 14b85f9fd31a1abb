//! From captures to versions: redirects and revisit records are followed inside the input.
//!
//! # Flow
//!
//! 1. `read`: each unit of input is read once. Its captures are divided into partitions by the
//!    origin of their URL.
//! 2. `resolve-0`: each capture of a robots.txt becomes a version of its origin. If it is a redirect
//!    or a revisit record, it becomes a request to the partition of the other URL.
//! 3. `resolve-1` and so on: each request finds a capture of its URL, which answers it or leads to
//!    the next request. The profile limits the redirects, so there are few rounds.

use std::collections::HashMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use verger::access::{Outcome, Profile};

use crate::capture::{Capture, CaptureReader, Content, Final, Original, scope};
use crate::error::Result;
use crate::history::{Unknown, Version};
use crate::input::Unit;
use crate::job::{Counts, Job, Skip, Task};
use crate::limits::{REDIRECT_WINDOW, REVISIT_ROUNDS};
use crate::origin::partition;
use crate::shuffle::{ShuffleReader, ShuffleWriter};

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
    /// The capture to which a revisit record refers.
    Original(String, Original),
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
            let needed = |number: usize| {
                let captures = bytes_of(&captures, number)?;
                let requests = requests
                    .as_deref()
                    .map_or(Ok(0), |it| bytes_of(it, self.partitions + number))?;
                Ok(captures + requests)
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
        let mut out = ShuffleWriter::new(&path, self.partitions)?;
        let unit = &self.units[task.number];
        self.reader.read(unit, task, |task, capture| {
            let name =
                if capture.origin().is_some() { "captures.robots_txt" } else { "captures.other" };
            task.count(name, 1);
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
        let mut found: Vec<Capture> = Vec::new();
        let Some(requests) = requests else {
            // Captures are not compared with each other yet, so none needs to stay in memory.
            for file in captures {
                ShuffleReader::open(file)?.read(number, |capture: Capture| {
                    let Some(origin) = capture.origin() else { return Ok(()) };
                    let Capture { time, sequence, status, .. } = capture;
                    let end = Final::unknown();
                    let version = Version {
                        origin,
                        time,
                        sequence,
                        status,
                        redirects: 0,
                        end,
                        unknown: None,
                    };
                    self.follow(version, capture.content, task, &mut out)
                })?;
            }
            return out.finish();
        };
        for file in captures {
            ShuffleReader::open(file)?.read(number, |capture| {
                found.push(capture);
                Ok(())
            })?;
        }
        found.sort_by(|a, b| (&a.url, a.time, a.sequence).cmp(&(&b.url, b.time, b.sequence)));
        let mut by_url: HashMap<&str, &[Capture]> = HashMap::new();
        for group in found.chunk_by(|a, b| a.url == b.url) {
            by_url.insert(&group[0].url, group);
        }
        for file in requests {
            ShuffleReader::open(file)?.read(self.partitions + number, |request: Request| {
                let Request { mut version, target } = request;
                let (url, missing) = match &target {
                    Target::Redirect(url) => (url, Unknown::RedirectTargetMissing),
                    Target::Original(url, _) => (url, Unknown::OriginalMissing),
                };
                let group = by_url.get(url.as_str()).copied().unwrap_or_default();
                let Some(capture) = find(group, &target, version.time).filter(|_| !is_last) else {
                    self.list_missing(&version, missing, url, task)?;
                    version.unknown = Some(missing);
                    return self.end(&version, &mut out);
                };
                version.status = match target {
                    Target::Redirect(_) => capture.status,
                    // The server answered 304, but the archive has the file.
                    Target::Original(..) => capture.status.or(version.status),
                };
                self.follow(version, capture.content.clone(), task, &mut out)
            })?;
        }
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
            Unknown::RedirectTargetMissing | Unknown::Truncated => "the redirect target",
        };
        let message = format!("{name} of {} is not in the input: {url}", version.origin);
        let input = self.units.get(version.sequence.0 as usize).map(Unit::name).unwrap_or_default();
        let at = version.sequence.1;
        task.skip(&Skip { input: &input, at, kind: missing.name(), message: &message })
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
                version.unknown = end.outcome.is_none().then_some(Unknown::Truncated);
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
                if broken.is_some() {
                    version.end = Final { outcome: broken, ..Final::unknown() };
                    return self.end(&version, out);
                }
                Target::Redirect(next)
            }
            Content::Revisit { url, original } => Target::Original(url, original),
        };
        let (Target::Redirect(url) | Target::Original(url, _)) = &target;
        let to = self.partitions + partition(&scope(url), self.partitions);
        task.count("requests", 1);
        out.add(to, &Request { version, target })
    }

    fn end(&self, version: &Version, out: &mut ShuffleWriter<'_>) -> Result<()> {
        out.add(partition(&version.origin, self.partitions), version)
    }
}

/// The bytes of a partition in all files.
pub(crate) fn bytes_of(files: &[PathBuf], partition: usize) -> Result<u64> {
    files.iter().map(|file| Ok(ShuffleReader::open(file)?.bytes(partition))).sum()
}

/// The capture that answers a request, among the captures of its URL in the order of time.
fn find<'c>(captures: &'c [Capture], target: &Target, time: i64) -> Option<&'c Capture> {
    let distance = |capture: &&Capture| capture.time.abs_diff(time);
    // Only a file can be revisited: the status of another response is in its own record.
    let is_file = |capture: &&Capture| {
        let is_success = matches!(capture.status, Some(200..=299));
        is_success && matches!(capture.content, Content::Final(_))
    };
    match target {
        Target::Redirect(_) => {
            let near =
                |capture: &&Capture| capture.time.abs_diff(time) <= REDIRECT_WINDOW.unsigned_abs();
            captures.iter().filter(near).min_by_key(distance)
        }
        Target::Original(_, Original::Digest(digest)) => {
            let is_same = |capture: &&Capture| capture.digest.as_ref() == Some(digest);
            captures.iter().filter(is_file).filter(is_same).min_by_key(distance)
        }
        Target::Original(_, Original::Time(of)) => {
            captures.iter().filter(is_file).rfind(|capture| capture.time == *of)
        }
        Target::Original(_, Original::Last) => {
            captures.iter().filter(is_file).rfind(|capture| capture.time <= time)
        }
    }
}
