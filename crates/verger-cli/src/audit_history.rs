//! A robots.txt over time, for `verger audit`: from git, a folder, a store, saved decisions or one
//! file.
//!
//! The commits of git and the files of a folder say from when on a text was served. A store and
//! decisions say only when it was seen: between two files, nothing is known. Nothing is known
//! either about a time for which a source is not exact: between a commit and its deployment, or on
//! a day without a time.

mod git;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::fs::{self, DirEntry, File};
use std::io::{self, Read as _};
use std::ops::Range;
use std::path::Path;

use serde_json::Value;
use verger::access::Timestamp;
use verger::{Origin, quoted};
use verger_audit::limits::ZONE_SECONDS;
use verger_audit::log::read_time;
use verger_audit::{History, Version};
use verger_fetch::store::Store as _;

use crate::args::Audit;
use crate::console::Messages;
use crate::error::Error;
use crate::input::{Lines, is_stdin, place, read_regular, read_whole_robots, shown};
use crate::limits::{HISTORY_VERSIONS, ROBOTS_BYTES};
use crate::robots_place::site_of;
use crate::sentence::brief;
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
        let site = |url: &OsString| Ok((origin_of(url.as_encoded_bytes())?, Found::default()));
        let mut all = self.0.origin.iter().map(site).collect::<Result<Vec<_>, Error>>()?;
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
        all.into_iter()
            .map(|(origin, found)| Ok((origin.clone(), found.finish(&origin)?)))
            .collect()
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
            return git::read(object, self.0.deploy_delay, history, messages);
        }
        if path.is_dir() {
            return folder(path, history);
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
                history.add(Timestamp::EPOCH, Some(text), name);
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
        let mut seen = BTreeSet::new();
        let mut lines = Lines::open(path)?;
        while let Some(read) = lines.advance() {
            read?;
            let Ok(answer) = serde_json::from_slice::<Value>(lines.line()) else {
                let message = format!("{}:{}: expected JSON", lines.name(), lines.number());
                return Err(Error::new(message));
            };
            let decision = &answer["decision"];
            let at = |key: &str| decision[key].as_u64().map(Timestamp::from_seconds);
            let url = decision["checked_url"].as_str().and_then(|url| Origin::of(url).ok()?);
            // A response without a file, such as a 404, separates the files before and after it.
            let hash = decision["sha256"].as_str().filter(|_| decision["access"] == "rules");
            let is_known = hash.is_some() || decision["access"] == "allow_all";
            let from = at("fetched_at").filter(|_| is_known && url.as_ref() == Some(origin));
            seen.extend(from.map(|from| (from, hash.map(str::to_owned))));
        }
        let seen = seen.into_iter().map(|(from, hash)| {
            let text = hash.map(|hash| archive.find(&Value::from(hash))).transpose()?;
            let text = text.map(|text| text.as_bytes().to_vec());
            let (name, is_again) = (format!("decision of {from}"), false);
            Ok(Seen { from, until: from, text, name, is_again })
        });
        seen.collect()
    }
}

/// A file that was seen from one time to another.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Seen {
    pub(crate) from: Timestamp,
    pub(crate) until: Timestamp,
    /// `None`: there was no file.
    pub(crate) text: Option<Vec<u8>>,
    name: String,
    /// Whether its source saw something else since the file before it, also if that was the same
    /// file.
    is_again: bool,
}

/// The versions of all places of one site.
#[derive(Default)]
struct Found {
    /// Each with the number of its place. At equal times, the last one counts.
    versions: BTreeMap<Timestamp, (u32, Version)>,
    /// Times about which nothing is known; they may be empty.
    gaps: Vec<Range<Timestamp>>,
    /// The number of the present place.
    place: u32,
}

impl Found {
    fn add(&mut self, from: Timestamp, text: Option<Vec<u8>>, name: String) {
        // A commit that renames a file removes it in one place, and adds it in another.
        let is_other = |(place, _): &(u32, Version)| *place != self.place;
        if text.is_some() || !self.versions.get(&from).is_some_and(is_other) {
            let version = Version { from, text: text.map(Into::into), name };
            self.versions.insert(from, (self.place, version));
        }
    }

    fn finish(self, origin: &Origin) -> Result<History, Error> {
        let count = self.versions.len();
        if count == 0 {
            return Err(Error::new(format!("no robots.txt of {origin} was found")));
        }
        expect_few(count)?;
        let mut history = History::new();
        self.versions.into_values().for_each(|(_, version)| history.add(version));
        let gaps = self.gaps.into_iter().filter(|gap| !gap.is_empty());
        gaps.for_each(|gap| history.add_gap(gap));
        Ok(history)
    }
}

/// An error if there are more than [`HISTORY_VERSIONS`].
fn expect_few(count: usize) -> Result<(), Error> {
    if count <= HISTORY_VERSIONS {
        return Ok(());
    }
    let most = format!("expected at most {HISTORY_VERSIONS} versions of a robots.txt");
    Err(Error::new(format!("{most}, but found {count}")))
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
fn folder(path: &Path, history: &mut Found) -> Result<(), Error> {
    let failed = |error: io::Error| Error::io("read", &shown(path), &error);
    let (mut times, mut seen) = (BTreeMap::new(), Vec::new());
    let entries = fs::read_dir(path).map_err(failed)?.collect::<Result<Vec<_>, _>>();
    let mut names: Vec<_> = entries.map_err(failed)?.iter().map(DirEntry::file_name).collect();
    names.sort();
    for name in names {
        if name.as_encoded_bytes().starts_with(b".") {
            continue;
        }
        let file = path.join(&name);
        // A version that is left out can lead to a wrong accusation, and so can a backup that is
        // read.
        let is_text = file.extension().is_some_and(|it| it == "txt");
        let time = name.to_str().filter(|_| is_text).and_then(time_of_name);
        let Some((from, unknown)) = time else {
            let expected = "expected a name that begins with a date and ends with `.txt`";
            let error = Error::new(format!("{expected}, but found {}", shown(&file)));
            return Err(error.with_hint(NAMES));
        };
        let text = Some(read_regular(&file, ROBOTS_BYTES)?);
        let is_seen = name.as_encoded_bytes().ends_with(SEEN.as_bytes());
        let name = brief(name.as_encoded_bytes()).to_string();
        if let Some(other) = times.insert(from, name.clone()) {
            let (names, place) = ([quoted(&other), quoted(&name)].join(" and "), shown(path));
            let error = Error::new(format!("{names} have the same time in {place}"));
            return Err(error.with_hint("one can be removed, or get its own time"));
        }
        if is_seen {
            seen.push(Seen { from, until: from, text, name, is_again: false });
        } else {
            history.add(from, text, name);
        }
        history.gaps.push(unknown);
    }
    add_seen(seen, history);
    Ok(())
}

/// The time at the beginning of a name in UTC, a date or a date and a time, with or without
/// separators; and the times at which the file may or may not have been served already. They are
/// none only with `Z` after the seconds: other names can be in any time zone, and a date is any
/// time of its day.
pub(crate) fn time_of_name(name: &str) -> Option<(Timestamp, Range<Timestamp>)> {
    let (digits, rest) = digits_of_time(name);
    let precision = match digits.len() {
        8 => DAY,
        12 => 60,
        14 => 0,
        _ => return None,
    };
    let digits = format!("{digits:0<14}");
    let [year, month, day, hour, minute, second] =
        [0..4, 4..6, 6..8, 8..10, 10..12, 12..14].map(|range| &digits[range]);
    let from = read_time(format!("{year}-{month}-{day}T{hour}:{minute}:{second}Z").as_bytes())?;
    let zone = if rest.starts_with('Z') && precision < DAY { 0 } else { ZONE_SECONDS };
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

/// Names of files in a folder, as a hint.
const NAMES: &str =
    "such as `2026-03-01.txt` or `2026-03-01T123000Z.txt`; move other files to another folder";

/// The end of the name of a file that was seen at a time, as `verger bulk policies --files` writes
/// it.
const SEEN: &str = "-seen.txt";

/// Seconds of a day.
const DAY: u64 = 24 * 60 * 60;

/// The most seconds between two sightings of the same file for which it counts as served in
/// between. A crawler may use a file as long, so a store that is refreshed like one sees it daily.
const MOST_UNSEEN: u64 = DAY;

/// The files that a store remembers.
pub(crate) fn store(
    path: &Path,
    origin: &Origin,
    messages: &mut Messages,
) -> Result<Vec<Seen>, Error> {
    let store = OpenStore::at(Some(path), messages)?;
    let mut seen = Vec::new();
    for key in store.keys(origin)? {
        let versions = store.ask(|store| store.versions(&key))?.unwrap_or_default();
        for (at, version) in versions.iter().enumerate() {
            let body = store.ask(|store| store.version(&key, &version.sha256))?.flatten();
            let (from, until) = (version.from, version.until);
            let (name, is_again) = (format!("fetch of {from}"), at > 0);
            let text = body.map(|body| Some(body.as_bytes().to_vec()));
            seen.extend(text.map(|text| Seen { from, until, text, name, is_again }));
        }
    }
    store.close(messages);
    Ok(seen)
}

/// Adds files that were seen. Nothing is known about the time between two files, and after the
/// last.
fn add_seen(mut seen: Vec<Seen>, history: &mut Found) {
    seen.sort();
    let mut seen = seen.into_iter().peekable();
    while let Some(Seen { from, mut until, text, name, .. }) = seen.next() {
        let is_near = |next: &Seen, until: Timestamp| {
            let unseen = next.from.seconds().saturating_sub(until.seconds());
            !next.is_again && unseen <= MOST_UNSEEN
        };
        while let Some(same) = seen.next_if(|next| next.text == text && is_near(next, until)) {
            until = until.max(same.until);
        }
        history.add(from, text, name);
        let after = |until: Timestamp| Timestamp::from_seconds(until.seconds().saturating_add(1));
        let next = seen.peek().map_or(Timestamp::from_seconds(u64::MAX), |next| next.from);
        history.gaps.push(after(until)..next);
        if let Some(other) = seen.peek().filter(|other| other.from <= until) {
            // It was served in between, so the file was not served all the time.
            history.gaps.push(from..after(until.max(other.until)));
        }
    }
}

#[cfg(test)]
mod tests;
