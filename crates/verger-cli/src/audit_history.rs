//! A robots.txt over time, for `verger audit`: from git, a folder, a store, saved decisions or one
//! file.
//!
//! The commits of git and the files of a folder say from when on a text was served. A store and
//! decisions say only when it was seen: between two files, nothing is known. Nothing is known either
//! about a time for which a source is not exact: between a commit and its deployment, or on a day
//! without a time.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs::{self, DirEntry, File};
use std::io::{self, Read as _};
use std::ops::Range;
use std::path::Path;
use std::time::Duration;

use serde_json::Value;
use verger::Origin;
use verger::access::Timestamp;
use verger_audit::{History, Version};
use verger_fetch::store::Store as _;

use crate::args::Audit;
use crate::console::Messages;
use crate::error::Error;
use crate::input::{Lines, is_stdin, place, read_regular, read_whole_robots, shown};
use crate::limits::{HISTORY_BYTES, HISTORY_VERSIONS, ROBOTS_BYTES};
use crate::sentence::{brief, counted, quoted};
use crate::source::{git as read_blob, no_git, run_git};
use crate::store::OpenStore;
use crate::url_check::origin_of;
use crate::verification::Archive;

/// The robots.txt files over time, by the arguments.
pub(crate) struct Histories<'a>(pub(crate) &'a Audit);

impl Histories<'_> {
    /// Reads the history of each site.
    ///
    /// # Errors
    ///
    /// A place cannot be read or has no file, or a site has no history.
    pub(crate) fn read(&self, messages: &mut Messages) -> Result<Vec<(Origin, History)>, Error> {
        let origins = self.0.origin.iter().map(|text| origin_of(text.as_encoded_bytes()));
        let origins = origins.map(|origin| Ok((origin?, Found::default())));
        let mut all = origins.collect::<Result<Vec<_>, Error>>()?;
        for spec in &self.0.history {
            let (site, spec) = site_of(spec)?;
            let is_unknown = |site: &&Origin| all.iter().all(|(origin, _)| origin != *site);
            if let Some(site) = site.as_ref().filter(is_unknown) {
                let message = format!("`--history` names {site}, which is no `--origin`");
                return Err(Error::new(message));
            }
            for (origin, history) in &mut all {
                if site.as_ref().is_none_or(|site| site == origin) {
                    history.place += 1;
                    self.add(&spec, origin, history, messages)?;
                }
            }
        }
        let finish = |(origin, found): (Origin, Found)| {
            let history = found.finish(&origin)?;
            Ok((origin, history))
        };
        all.into_iter().map(finish).collect()
    }

    /// Adds the versions of one place to the history of one site.
    fn add(
        &self,
        spec: &OsStr,
        origin: &Origin,
        history: &mut Found,
        messages: &mut Messages,
    ) -> Result<(), Error> {
        let path = Path::new(spec);
        if let Some(object) = spec.to_str().and_then(|spec| spec.strip_prefix("git:")) {
            return git(object, self.0.deploy_delay, history, messages);
        }
        if path.is_dir() {
            return folder(path, history, messages);
        }
        match beginning(path)?.as_slice() {
            start if start.starts_with(b"SQLite format 3\0") => {
                add_seen(store(path, origin, messages)?, history);
            }
            start if start.starts_with(b"{") || start.starts_with(b"[") => {
                add_seen(self.decisions(path, origin, messages)?, history);
            }
            _ => {
                let (text, name) = (read_whole_robots(path)?, place(path));
                if history.count() == 0 {
                    history.history = History::single(text, name);
                } else {
                    history.add(Timestamp::EPOCH, Some(text), name);
                }
            }
        }
        Ok(())
    }

    /// The files that saved decisions are based on.
    fn decisions(
        &self,
        path: &Path,
        origin: &Origin,
        messages: &mut Messages,
    ) -> Result<Vec<Seen>, Error> {
        let Some(archive) = &self.0.archive else {
            let error =
                Error::new(format!("missing `--archive DIR` for the decisions {}", shown(path)));
            return Err(error.with_hint("decisions name the files by their SHA-256"));
        };
        let archive = Archive::of_directory(archive, |error| messages.warning(error))?;
        let mut seen = BTreeMap::new();
        let mut lines = Lines::open(path)?;
        while let Some(read) = lines.advance() {
            read?;
            let Ok(answer) = serde_json::from_slice::<Value>(lines.line()) else {
                let message = format!("{}:{}: expected JSON", lines.name(), lines.number());
                return Err(
                    Error::new(message).with_hint("`verger check --format jsonl` writes it")
                );
            };
            let decision = &answer["decision"];
            let at = |key: &str| decision[key].as_u64().map(Timestamp::from_seconds);
            let url = decision["checked_url"].as_str().and_then(|url| Origin::of(url).ok()?);
            let (Some(from), Some(hash)) = (at("fetched_at"), decision["sha256"].as_str()) else {
                continue;
            };
            if url.as_ref() == Some(origin) && decision["access"] == "rules" {
                seen.insert(from, hash.to_owned());
            }
        }
        let seen = seen.into_iter().map(|(from, hash)| {
            let text = archive.find(&Value::from(hash))?.as_bytes().to_vec();
            Ok(Seen { from, until: from, text, name: format!("decision of {from}") })
        });
        seen.collect()
    }
}

/// A file that was seen from one time to another.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Seen {
    from: Timestamp,
    until: Timestamp,
    text: Vec<u8>,
    name: String,
}

/// What the places of one site have.
#[derive(Default)]
struct Found {
    /// A single file for all times, and the gaps.
    history: History,
    /// Each with the number of its place. At equal times, the last one counts.
    versions: Vec<(u32, Version)>,
    /// The number of the present place.
    place: u32,
}

impl Found {
    fn add(&mut self, from: Timestamp, text: Option<Vec<u8>>, name: String) {
        let version = Version { from, text: text.map(Into::into), name };
        self.versions.push((self.place, version));
    }

    /// Says that nothing is known about a time, if it is not empty.
    fn add_gap(&mut self, gap: Range<Timestamp>) {
        if gap.start < gap.end {
            self.history.add_gap(gap);
        }
    }

    fn count(&self) -> usize {
        self.history.versions().len() + self.versions.len()
    }

    fn finish(mut self, origin: &Origin) -> Result<History, Error> {
        let count = self.count();
        if count == 0 {
            return Err(Error::new(format!("no robots.txt of {origin} was found")));
        }
        if count > HISTORY_VERSIONS {
            let most = format!("expected at most {HISTORY_VERSIONS} versions of a robots.txt");
            return Err(Error::new(format!("{most}, but found {count}")));
        }
        // A commit that renames a file removes it in one place, and adds it in another.
        let files = self.versions.iter().filter(|(_, version)| version.text.is_some());
        let files: BTreeSet<_> = files.map(|(place, version)| (version.from, *place)).collect();
        let is_renamed = |place: u32, version: &Version| {
            let mut same_time = files.range((version.from, 0)..=(version.from, u32::MAX));
            version.text.is_none() && same_time.any(|(_, other)| *other != place)
        };
        for (place, version) in self.versions {
            if !is_renamed(place, &version) {
                self.history.add(version);
            }
        }
        Ok(self.history)
    }
}

/// `ORIGIN=SPEC`, or a place for all sites.
fn site_of(spec: &OsStr) -> Result<(Option<Origin>, std::ffi::OsString), Error> {
    let parts = spec.to_str().and_then(|text| text.split_once('='));
    match parts.filter(|(site, _)| site.contains("://")) {
        Some((site, rest)) => Ok((Some(origin_of(site.as_bytes())?), rest.into())),
        None => Ok((None, spec.to_owned())),
    }
}

/// The first bytes of a file; none of standard input, which can be read once only.
fn beginning(path: &Path) -> Result<Vec<u8>, Error> {
    let mut start = Vec::new();
    if !is_stdin(path) {
        let file = File::open(path).and_then(|file| file.take(16).read_to_end(&mut start));
        file.map_err(|error| Error::io("read", &shown(path), &error))?;
    }
    Ok(start)
}

/// The files of a folder, by the times in their names.
fn folder(path: &Path, history: &mut Found, messages: &mut Messages) -> Result<(), Error> {
    let failed = |error: io::Error| Error::io("read", &shown(path), &error);
    let (mut files, mut other, mut seen) = (Vec::new(), None, Vec::new());
    let entries = fs::read_dir(path).map_err(failed)?.collect::<Result<Vec<_>, _>>();
    let mut names: Vec<_> = entries.map_err(failed)?.iter().map(DirEntry::file_name).collect();
    names.sort();
    for name in names {
        if name.as_encoded_bytes().starts_with(b".") {
            continue;
        }
        let Some((from, unknown)) = name.to_str().and_then(time_of_name) else {
            other.get_or_insert_with(|| quoted(name.as_encoded_bytes()));
            continue;
        };
        let file = path.join(&name);
        // A version that is left out can lead to a wrong accusation, and so can a backup that is read.
        if !name.as_encoded_bytes().ends_with(b".txt") {
            let message =
                format!("expected a name that ends with `.txt`, but found {}", shown(&file));
            return Err(Error::new(message).with_hint("move backups and drafts to another folder"));
        }
        let text = read_regular(&file, ROBOTS_BYTES)?;
        let is_seen = name.as_encoded_bytes().ends_with(SEEN.as_bytes());
        let name = brief(name.as_encoded_bytes()).to_string();
        files.push((Seen { from, until: from, text, name }, is_seen));
        history.add_gap(unknown);
    }
    let is_empty = files.is_empty();
    files.sort();
    for pair in files.windows(2) {
        let [(first, first_is_seen), (second, second_is_seen)] = pair else { continue };
        // Two files that were seen in the same second only make this second unknown.
        let is_seen = *first_is_seen && *second_is_seen;
        if first.from == second.from && first.text != second.text && !is_seen {
            let names = format!("{} and {}", quoted(&first.name), quoted(&second.name));
            let message = format!("{names} differ, but have the same time in {}", shown(path));
            return Err(Error::new(message).with_hint("one can be removed, or get its own time"));
        }
    }
    for (file, is_seen) in files {
        if is_seen {
            seen.push(file);
        } else {
            history.add(file.from, Some(file.text), file.name);
        }
    }
    add_seen(seen, history);
    match other {
        Some(other) if is_empty => {
            let name = shown(path);
            let expected = "expected files whose names begin with a date";
            let error = Error::new(format!("{expected} in {name}, but found {other}"));
            Err(error.with_hint("such as `2026-03-01.txt` or `2026-03-01T123000Z.txt`"))
        }
        Some(other) => {
            let why = "not read, because its name begins with no date";
            messages.warning(format_args!("{}: {why}: {other}", place(path)));
            Ok(())
        }
        None => Ok(()),
    }
}

/// The time at the beginning of a name in UTC, a date or a date and a time, with or without separators;
/// and the times at which the file may or may not have been served already. They are none only with `Z`
/// after the seconds: other names can be in any time zone, and a date is any time of its day.
pub(crate) fn time_of_name(name: &str) -> Option<(Timestamp, Range<Timestamp>)> {
    let (digits, rest) = digits_of_time(name);
    let precision = match digits.len() {
        8 => DAY,
        12 => 60,
        14 => 0,
        _ => return None,
    };
    let digits = format!("{digits:0<14}");
    let (date, time) = digits.split_at(8);
    let text = format!(
        "{}-{}-{}T{}:{}:{}Z",
        &date[..4],
        &date[4..6],
        &date[6..],
        &time[..2],
        &time[2..4],
        &time[4..]
    );
    let from = verger_identity::Request::time(&text).ok()?;
    let zone = if rest.starts_with('Z') && precision < DAY { 0 } else { MOST_ZONE };
    let start = from.seconds().saturating_sub(zone);
    let end = from.seconds() + precision + zone;
    Some((from, Timestamp::from_seconds(start)..Timestamp::from_seconds(end)))
}

/// The digits of the time at the beginning of a name, without separators, and the rest of the name.
pub(crate) fn digits_of_time(name: &str) -> (String, &str) {
    let is_part = |c: char| c.is_ascii_digit() || "-:T_ ".contains(c);
    let (head, rest) = name.split_at(name.find(|c| !is_part(c)).unwrap_or(name.len()));
    (head.chars().filter(char::is_ascii_digit).collect(), rest)
}

/// The end of the name of a file that was seen at a time, as `verger bulk policies --files` writes it.
const SEEN: &str = "-seen.txt";

/// Seconds of a day.
const DAY: u64 = 24 * 60 * 60;

/// The largest difference between a local time and UTC, in seconds.
const MOST_ZONE: u64 = 14 * 60 * 60;

/// The most seconds between two sightings of the same file for which it counts as served in between.
/// A crawler may use a file as long, so a store that is refreshed like one sees it daily.
const MOST_UNSEEN: u64 = DAY;

/// The files that a store remembers.
fn store(path: &Path, origin: &Origin, messages: &mut Messages) -> Result<Vec<Seen>, Error> {
    let store = OpenStore::at(Some(path), messages)?;
    let mut seen = Vec::new();
    for key in store.keys(origin)? {
        for version in store.ask(|store| store.versions(&key))?.unwrap_or_default() {
            let body = store.ask(|store| store.version(&key, &version.sha256))?.flatten();
            let (from, until) = (version.from, version.until);
            let name = format!("fetch of {from}");
            let text = body.map(|body| body.as_bytes().to_vec());
            seen.extend(text.map(|text| Seen { from, until, text, name }));
        }
    }
    store.close(messages);
    Ok(seen)
}

/// Adds files that were seen. Nothing is known about the time between two files, and after the last.
fn add_seen(mut seen: Vec<Seen>, history: &mut Found) {
    seen.sort();
    let mut seen = seen.into_iter().peekable();
    while let Some(Seen { from, mut until, text, name }) = seen.next() {
        let is_near = |next: &Seen, until: Timestamp| {
            next.from.seconds().saturating_sub(until.seconds()) <= MOST_UNSEEN
        };
        while let Some(same) = seen.next_if(|next| next.text == text && is_near(next, until)) {
            until = until.max(same.until);
        }
        history.add(from, Some(text), name);
        let after = |until: Timestamp| Timestamp::from_seconds(until.seconds().saturating_add(1));
        let next = seen.peek().map_or(Timestamp::from_seconds(u64::MAX), |next| next.from);
        history.add_gap(after(until)..next);
        if let Some(other) = seen.peek().filter(|other| other.from <= until) {
            // It was served in between, so the file was not served all the time.
            history.add_gap(from..after(until.max(other.until)));
        }
    }
}

/// The commits of a file: `FILE` of the current branch, or `BRANCH:FILE`. The time of a version is
/// that of its commit on this branch, and it was deployed at most `delay` later.
fn git(
    object: &str,
    delay: Duration,
    history: &mut Found,
    messages: &mut Messages,
) -> Result<(), Error> {
    let name = quoted(&format!("git:{object}"));
    let (branch, path) = object.split_once(':').unwrap_or(("HEAD", object));
    // An option of git, or no single line of its input.
    if branch.starts_with('-') || branch.is_empty() || path.is_empty() || object.contains('\n') {
        let error =
            Error::new(format!("expected `git:FILE` or `git:BRANCH:FILE`, but found {name}"));
        return Err(error);
    }
    let commits = commits(branch, path, &name)?;
    if commits.is_empty() {
        let error = Error::new(format!("no commit has {name}"));
        return Err(error.with_hint("FILE is relative to the current folder"));
    }
    let (mut bytes, mut last) = (0, 0);
    for (number, commit) in commits.iter().enumerate() {
        last = last.max(commit.time);
        // `./`: relative to the current folder, as in `git log`.
        let text = (!commit.has_removed).then(|| read_blob(&format!("{}:./{path}", commit.hash)));
        let (text, mut unknown) = (text.transpose(), last.saturating_add(delay.as_secs()));
        if let Err(error) = &text {
            // A folder has this name, or a partial clone lacks the file.
            messages.warning(error);
            unknown = commits.get(number + 1).map_or(u64::MAX, |next| next.time.max(unknown));
        }
        let text = text.unwrap_or_default();
        bytes += text.as_ref().map_or(0, |text| text.len() as u64);
        if bytes > HISTORY_BYTES {
            let most = format!("expected at most {HISTORY_BYTES} bytes in all versions of");
            return Err(Error::new(format!("{most} {name}, but found more")));
        }
        let at = Timestamp::from_seconds;
        let short = commit.hash.get(..12).unwrap_or(&commit.hash);
        history.add(at(last), text, format!("commit {short}"));
        history.add_gap(at(last)..at(unknown));
    }
    let gaps = contradictions(&commits.iter().map(|commit| commit.time).collect::<Vec<_>>());
    if let Some(first) = gaps.first() {
        let why = "the times of commits contradict their order, so nothing is known about the time";
        messages.warning(format_args!("{name}: {why} from {} on", first.start));
    }
    for gap in gaps {
        history.add_gap(gap);
    }
    say_where(branch, &name, commits.len(), messages)
}

/// A commit that changed a file.
struct Commit {
    hash: String,
    /// Seconds since 1970.
    time: u64,
    /// Whether it left no file of this name.
    has_removed: bool,
}

/// The commits that changed a file, oldest first.
fn commits(branch: &str, path: &str, name: &str) -> Result<Vec<Commit>, Error> {
    // Of a merged branch, the merge counts: then the file came to this branch.
    let log = ["log", "--first-parent", "-m", "--raw", "--no-renames", "--no-show-signature"];
    let what = ["--format=%H %ct", "--end-of-options", branch, "--", path];
    let output = run_git(&[&log[..], &what].concat()).output();
    let output = output.map_err(no_git)?;
    if !output.status.success() {
        let cause = brief(output.stderr.split(|&byte| byte == b'\n').next().unwrap_or_default());
        return Err(Error::new(format!("could not read {name}: {cause}")));
    }
    let mut commits: Vec<Commit> = Vec::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        // `:MODE MODE HASH HASH STATUS PATH`: what it was, and what the commit made of it.
        if let Some(change) = line.strip_prefix(':') {
            match change.split(' ').nth(1) {
                Some(SYMLINK) => {
                    let error = Error::new(format!("{name} is a symbolic link"));
                    return Err(error.with_hint("name the file to which it points"));
                }
                mode => {
                    if let Some(commit) = commits.last_mut() {
                        commit.has_removed &= mode == Some("000000");
                    }
                }
            }
        } else if let Some((hash, time)) = line.split_once(' ') {
            let (hash, time) = (hash.to_owned(), time.parse().unwrap_or_default());
            commits.push(Commit { hash, time, has_removed: true });
        }
    }
    commits.reverse();
    commits.truncate(HISTORY_VERSIONS + 1);
    Ok(commits)
}

/// The mode of a symbolic link in git.
const SYMLINK: &str = "120000";

/// The times, from the oldest commit to the newest, that contradict this order: one of two clocks was
/// wrong. So nothing is known from the commit before both until the next one that is later than both.
fn contradictions(times: &[u64]) -> Vec<Range<Timestamp>> {
    let (mut gaps, mut last) = (Vec::new(), 0);
    for (at, &time) in times.iter().enumerate() {
        if time < last {
            let later = times[..at].iter().position(|it| *it > time).unwrap_or_default();
            let start = later.checked_sub(1).map_or(0, |before| times[before]);
            let end = times[at..].iter().find(|it| **it > last).copied().unwrap_or(u64::MAX);
            gaps.push(Timestamp::from_seconds(start)..Timestamp::from_seconds(end));
        }
        last = last.max(time);
    }
    gaps
}

/// Says which branch was read if it was not named, and warns of a history without its beginning.
fn say_where(
    branch: &str,
    name: &str,
    commits: usize,
    messages: &mut Messages,
) -> Result<(), Error> {
    let output = run_git(&["rev-parse", "--is-shallow-repository", "--abbrev-ref", "HEAD"]);
    let output = { output }.output().map_err(no_git)?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let (is_shallow, current) = text.trim_end().split_once('\n').unwrap_or_default();
    if branch == "HEAD" {
        let (commits, current) = (counted(commits as u64, "commit"), quoted(current));
        messages.note(format_args!("{name}: {commits} of the branch {current} of this folder"));
    }
    if is_shallow == "true" {
        messages.warning(format_args!("{name}: the repository is shallow, so its past is missing"));
        messages.hint("`git fetch --unshallow` fetches all commits".to_owned());
    }
    Ok(())
}

#[cfg(test)]
mod tests;
