//! A robots.txt over time, for `verger audit`: from git, a folder, a store, saved decisions or one
//! file.
//!
//! The commits of git and the files of a folder say from when on a text was served. A store and
//! decisions say only when it was seen: between two files, nothing is known.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;
use verger::Origin;
use verger::access::Timestamp;
use verger_audit::{History, Version};
use verger_fetch::store::Store as _;

use crate::console::Messages;
use crate::error::Error;
use crate::input::{Lines, is_stdin, place, read_regular, read_whole_robots, shown};
use crate::limits::{HISTORY_BYTES, HISTORY_VERSIONS, ROBOTS_BYTES};
use crate::sentence::{brief, quoted};
use crate::store::OpenStore;
use crate::url_check::origin_of;
use crate::verification::Archive;

/// The places of robots.txt files over time.
pub(crate) struct Histories<'a> {
    /// The sites.
    pub(crate) origins: Vec<Origin>,
    /// The values of `--history`.
    pub(crate) specs: &'a [std::ffi::OsString],
    /// The folder of `--archive`.
    pub(crate) archive: Option<&'a Path>,
}

impl Histories<'_> {
    /// Reads the history of each site.
    ///
    /// # Errors
    ///
    /// A place cannot be read or has no file, or a site has no history.
    pub(crate) fn read(&self, messages: &mut Messages) -> Result<Vec<(Origin, History)>, Error> {
        let mut all: Vec<_> =
            self.origins.iter().map(|origin| (origin.clone(), History::new())).collect();
        for spec in self.specs {
            let (site, spec) = site_of(spec)?;
            if let Some(site) = site.as_ref().filter(|site| !self.origins.contains(site)) {
                let message = format!("`--history` names {site}, which is no `--origin`");
                return Err(Error::new(message));
            }
            for (origin, history) in &mut all {
                if site.as_ref().is_none_or(|site| site == origin) {
                    self.add(&spec, origin, history, messages)?;
                }
            }
        }
        for (origin, history) in &all {
            let count = history.versions().len();
            if count == 0 {
                return Err(Error::new(format!("no robots.txt of {origin} was found")));
            }
            if count > HISTORY_VERSIONS {
                let most = format!("expected at most {HISTORY_VERSIONS} versions of a robots.txt");
                return Err(Error::new(format!("{most}, but found {count}")));
            }
        }
        Ok(all)
    }

    /// Adds the versions of one place to the history of one site.
    fn add(
        &self,
        spec: &OsStr,
        origin: &Origin,
        history: &mut History,
        messages: &mut Messages,
    ) -> Result<(), Error> {
        let path = Path::new(spec);
        if let Some(object) = spec.to_str().and_then(|spec| spec.strip_prefix("git:")) {
            return git(object, history);
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
                if history.versions().is_empty() {
                    *history = History::single(text, name);
                } else {
                    history.add(version(Timestamp::EPOCH, Some(text), name));
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
        let Some(archive) = self.archive else {
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

fn version(from: Timestamp, text: Option<Vec<u8>>, name: String) -> Version {
    Version { from, text: text.map(Into::into), name }
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
fn folder(path: &Path, history: &mut History, messages: &mut Messages) -> Result<(), Error> {
    let failed = |error: io::Error| Error::io("read", &shown(path), &error);
    let (mut is_empty, mut other) = (true, None);
    for entry in fs::read_dir(path).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name();
        if name.as_encoded_bytes().starts_with(b".") {
            continue;
        }
        let Some(from) = name.to_str().and_then(time_of_name) else {
            other.get_or_insert_with(|| quoted(name.as_encoded_bytes()));
            continue;
        };
        let text = read_regular(&entry.path(), ROBOTS_BYTES)?;
        let name = brief(name.as_encoded_bytes()).to_string();
        history.add(version(from, Some(text), name));
        is_empty = false;
    }
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

/// The time at the beginning of a name, in UTC: a date, which means its midnight, or a date and a time,
/// with or without separators.
fn time_of_name(name: &str) -> Option<Timestamp> {
    let mut rest = name.as_bytes();
    let mut number = |separators: &[u8], digits: usize| -> Option<String> {
        let skipped = rest.first().filter(|first| separators.contains(first));
        let text = &rest[usize::from(skipped.is_some())..];
        let found = text.get(..digits).filter(|it| it.iter().all(u8::is_ascii_digit))?;
        rest = &text[digits..];
        Some(String::from_utf8_lossy(found).into_owned())
    };
    let (year, month, day) = (number(b"", 4)?, number(b"-", 2)?, number(b"-", 2)?);
    let mut time = ["00"; 3].map(str::to_owned);
    if let Some(hour) = number(b"T_- ", 2) {
        time = [hour, number(b":-", 2)?, number(b":-", 2).unwrap_or_else(|| "00".to_owned())];
    }
    let [hour, minute, second] = time;
    let is_longer = rest.first().is_some_and(u8::is_ascii_digit);
    let text = format!("{year}-{month}-{day}T{hour}:{minute}:{second}Z");
    verger_identity::Request::time(&text).ok().filter(|_| !is_longer)
}

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
fn add_seen(mut seen: Vec<Seen>, history: &mut History) {
    seen.sort();
    let mut seen = seen.into_iter().peekable();
    while let Some(Seen { from, mut until, text, name }) = seen.next() {
        while let Some(same) = seen.next_if(|next| next.text == text) {
            until = until.max(same.until);
        }
        history.add(version(from, Some(text), name));
        let after = Timestamp::from_seconds(until.seconds().saturating_add(1));
        let next = seen.peek().map_or(Timestamp::from_seconds(u64::MAX), |next| next.from);
        if after < next {
            history.add_gap(after..next);
        }
    }
}

/// The commits of a file: `FILE` of the current branch, or `BRANCH:FILE`. The time of a version is
/// that of its commit on this branch.
fn git(object: &str, history: &mut History) -> Result<(), Error> {
    let name = quoted(&format!("git:{object}"));
    let (branch, path) = object.split_once(':').unwrap_or(("HEAD", object));
    // An option of git, or no single line of its input.
    if branch.starts_with('-') || branch.is_empty() || path.is_empty() || object.contains('\n') {
        let error =
            Error::new(format!("expected `git:FILE` or `git:BRANCH:FILE`, but found {name}"));
        return Err(error);
    }
    let run = |arguments: &[&str]| {
        let mut git = Command::new("git");
        git.args(["--no-pager", "--literal-pathspecs"]).args(arguments);
        git.stdout(Stdio::piped()).stderr(Stdio::piped());
        git
    };
    let failed = |error: io::Error| {
        let error = Error::io("run", "`git`", &error);
        error.with_hint(format!("the program `git` is needed to read {name}"))
    };
    // Of a merged branch, the merge counts: then the file came to this branch.
    let format = "--format=%H %ct";
    let log = [
        "log",
        "--first-parent",
        "--no-show-signature",
        format,
        "--end-of-options",
        branch,
        "--",
        path,
    ];
    let output = run(&log).stdin(Stdio::null()).output().map_err(failed)?;
    if !output.status.success() {
        let cause = brief(output.stderr.split(|&byte| byte == b'\n').next().unwrap_or_default());
        return Err(Error::new(format!("could not read {name}: {cause}")));
    }
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let commits = text.lines().rev().filter_map(|line| line.split_once(' '));
    let commits: Vec<(&str, &str)> = commits.take(HISTORY_VERSIONS + 1).collect();
    if commits.is_empty() {
        let error = Error::new(format!("no commit has {name}"));
        return Err(error.with_hint("FILE is relative to the current folder"));
    }
    let mut child = run(&["cat-file", "--batch"]).stdin(Stdio::piped()).spawn().map_err(failed)?;
    let (Some(mut asked), Some(blobs)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(Error::new("could not talk to `git`"));
    };
    let (mut blobs, mut bytes, mut last) = (BufReader::new(blobs), 0, 0);
    for (commit, time) in commits {
        // `./`: relative to the current folder, as in `git log`.
        writeln!(asked, "{commit}:./{path}").and_then(|()| asked.flush()).map_err(failed)?;
        let mut head = String::new();
        blobs.read_line(&mut head).map_err(failed)?;
        let mut words = head.trim_end().rsplit(' ');
        let size = words.next().and_then(|size| size.parse::<u64>().ok());
        let text = match size.filter(|_| words.next() == Some("blob")) {
            // The commit removed it.
            None => None,
            Some(size) => {
                bytes += size;
                if bytes > HISTORY_BYTES {
                    let most = format!("expected at most {HISTORY_BYTES} bytes in all versions of");
                    return Err(Error::new(format!("{most} {name}, but found more")));
                }
                let mut text = Vec::new();
                blobs.by_ref().take(size).read_to_end(&mut text).map_err(failed)?;
                blobs.read_until(b'\n', &mut Vec::new()).map_err(failed)?;
                Some(text)
            }
        };
        // A rewritten commit can be older than its parent; the order of the branch counts.
        last = time.parse::<u64>().unwrap_or_default().max(last);
        let short = commit.get(..12).unwrap_or(commit);
        let (from, name) = (Timestamp::from_seconds(last), format!("commit {short}"));
        history.add(version(from, text, name));
    }
    drop(asked);
    child.wait().map_err(failed)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_begin_with_a_date_and_perhaps_a_time() {
        for (name, expected) in [
            ("2026-03-01.txt", Some("2026-03-01T00:00:00Z")),
            ("20260301.txt", Some("2026-03-01T00:00:00Z")),
            ("2026-03-01", Some("2026-03-01T00:00:00Z")),
            ("2026-03-01-robots.txt", Some("2026-03-01T00:00:00Z")),
            ("2026-03-01T12:30:59Z.txt", Some("2026-03-01T12:30:59Z")),
            ("2026-03-01T123059Z-robots.txt", Some("2026-03-01T12:30:59Z")),
            ("20260301123059.txt", Some("2026-03-01T12:30:59Z")),
            ("2026-03-01_12-30.txt", Some("2026-03-01T12:30:00Z")),
            ("2026-02-30.txt", None),
            ("2026-03-01T25:00.txt", None),
            ("202603011.txt", None),
            ("robots-2026-03-01.txt", None),
            ("", None),
        ] {
            let found = time_of_name(name).map(|time| time.to_string());
            assert_eq!(found.as_deref(), expected, "{name}");
        }
    }

    #[test]
    fn between_two_files_that_were_seen_nothing_is_known() {
        let at = Timestamp::from_seconds;
        let seen = |from, until, text: &str| {
            let (from, until, name) = (at(from), at(until), text.to_owned());
            Seen { from, until, text: text.into(), name }
        };
        let mut history = History::new();
        let files = [seen(50, 60, "b"), seen(10, 20, "a"), seen(25, 30, "a"), seen(61, 61, "c")];
        add_seen(files.into(), &mut history);
        for (time, expected) in [
            (9, None),
            (10, Some("a")),
            (22, Some("a")),
            (30, Some("a")),
            (31, None),
            (49, None),
            (50, Some("b")),
            (61, Some("c")),
            (62, None),
        ] {
            assert_eq!(history.at(at(time)).map(|it| &*it.name), expected, "{time}");
        }
        assert!(history.between(at(20), at(50)).is_none());
        assert_eq!(history.between(at(50), at(61)).map(<[_]>::len), Some(2));
    }

    #[test]
    fn a_history_can_name_its_site() {
        let site = |spec: &str| {
            let (site, rest) = site_of(OsStr::new(spec)).unwrap();
            (site.map(|site| site.to_string()), rest.into_string().unwrap())
        };
        let shop = Some("https://shop.example".to_owned());
        assert_eq!(site("https://shop.example=git:robots.txt"), (shop, "git:robots.txt".into()));
        assert_eq!(site("a=b.txt"), (None, "a=b.txt".into()));
    }
}
