//! A robots.txt from a file, a site, or a revision of a repository.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use verger::{Dialect, Origin, quoted};
use verger_json::NamedCrawler;
use verger_lint::{git, git_file};

use crate::args::LiveArgs;
use crate::console::Messages;
use crate::error::Error;
use crate::hints::failure_hint;
use crate::input::{is_stdin, place, read_robots, shown};
use crate::limits::{GIT_LIST_BYTES, ROBOTS_BYTES, SUGGESTIONS};
use crate::live::{LiveClient, header_warning};
use crate::record_report::copy_warning;
use crate::robots_file::RobotsFile;
use crate::sentence::{brief, joined};
use crate::url_check::{has_port, hint_for, is_url, origin_of};

/// The place of a robots.txt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RobotsPlace {
    /// A file, or standard input.
    File(PathBuf),
    /// The site of a URL.
    Site(Vec<u8>),
    /// A file in a revision; see [`git_object`].
    Git(String),
}

impl RobotsPlace {
    /// The place with a name. An existing file is preferred.
    pub(crate) fn new(name: &OsStr) -> Self {
        let path = Path::new(name);
        if is_url(path) {
            return Self::Site(name.as_encoded_bytes().to_vec());
        }
        match name.to_string_lossy().strip_prefix("git:") {
            Some(object) if !path.exists() => Self::Git(object.to_owned()),
            _ => Self::File(path.to_owned()),
        }
    }

    /// The origin of a site.
    pub(crate) fn origin(&self) -> Option<Origin> {
        match self {
            Self::Site(url) => origin_of(url).ok(),
            Self::File(_) | Self::Git(_) => None,
        }
    }

    /// Reads and parses the robots.txt.
    pub(crate) fn load(
        &self,
        dialect: &Dialect,
        crawler: Option<&NamedCrawler>,
        live: &LiveArgs,
        messages: &mut Messages,
    ) -> Result<RobotsFile, Error> {
        if let Self::Site(url) = self {
            return fetch(url, dialect, crawler, live, messages);
        }
        let (name, bytes) = self.read(dialect)?;
        Ok(RobotsFile::parse(name, &bytes, dialect))
    }

    /// Reads a file: its name, and at most the bytes that a dialect reads. A site is an error.
    pub(crate) fn read(&self, dialect: &Dialect) -> Result<(String, Vec<u8>), Error> {
        match self {
            Self::File(path) => {
                let bytes = read_robots(path, dialect).map_err(|error| {
                    let name = path.as_os_str().as_encoded_bytes();
                    let is_site = has_port(name) && !path.exists();
                    if is_site { error.with_optional_hint(hint_for(name)) } else { error }
                })?;
                Ok((place(path), bytes))
            }
            Self::Git(object) => {
                Ok((brief(&format!("git:{object}")).to_string(), read_git(object)?))
            }
            Self::Site(url) => {
                Err(Error::new(format!("expected a file, but found the URL {}", quoted(url))))
            }
        }
    }
}

/// Fails if there are arguments for fetching, but nothing is fetched.
pub(crate) fn refuse_live_args(live: &LiveArgs, found: &OsStr) -> Result<(), Error> {
    let Some(flag) = live.first_given() else { return Ok(()) };
    let path = Path::new(found);
    let name = shown(path);
    let error = Error::new(format!("expected a URL with `{flag}`, but found {name}"));
    let is_file = is_stdin(path) || path.exists();
    Err(error.with_optional_hint(hint_for(found.as_encoded_bytes()).filter(|_| !is_file)))
}

/// The robots.txt of a site, through the store.
fn fetch(
    url: &[u8],
    dialect: &Dialect,
    crawler: Option<&NamedCrawler>,
    args: &LiveArgs,
    messages: &mut Messages,
) -> Result<RobotsFile, Error> {
    let origin = origin_of(url)?;
    let live = LiveClient::open(args, crawler, dialect)?;
    let record = live.record(&origin);
    let copy = record.as_ref().ok().and_then(|record| copy_warning(&live.client, record));
    let options = live.client.read_options().clone();
    live.close(messages);
    if let Some(warning) = crawler.and_then(|crawler| header_warning(args, crawler)) {
        messages.warning(warning);
    }
    let record = record?;
    let name = origin.robots_url();
    let Some(file) = record.file_for(&options) else {
        let failure = record.last().and_then(|last| last.failure.as_ref());
        let why =
            failure.map_or_else(|| "the site has no robots.txt".to_owned(), ToString::to_string);
        let error = Error::new(format!("could not read {}: {why}", quoted(&name)));
        return Err(error.with_optional_hint(failure_hint(&record)));
    };
    if let Some(warning) = copy {
        messages.warning(warning);
    }
    Ok(RobotsFile::of(name, Arc::new(file.parse(dialect))))
}

/// `REVISION:PATH` as git reads it. `FILE` alone is that of the current folder, in HEAD.
pub(crate) fn git_object(name: &str) -> String {
    if name.contains(':') { name.to_owned() } else { format!("HEAD:./{name}") }
}

/// The contents of a file in a revision.
pub(crate) fn read_git(object: &str) -> Result<Vec<u8>, Error> {
    let full = git_object(object);
    git_file(Path::new(""), &full, ROBOTS_BYTES as u64).map_err(|cause| {
        let name = quoted(&format!("git:{object}"));
        let is_of_git = cause.kind() == io::ErrorKind::Other;
        let hint = || {
            let known = full.split_once(':').and_then(|(revision, _)| robots_in(revision));
            let known = known.map(|it| format!("; this revision has {it}"));
            let known = known.unwrap_or_else(|| ", such as `git:HEAD:robots.txt`".to_owned());
            format!(
                "in `git:REVISION:PATH`, PATH begins at the root of the repository, or with `./` in \
                 the current folder{known}"
            )
        };
        let error = Error::new(format!("could not read {name}: {cause}"));
        error.with_optional_hint(is_of_git.then(hint))
    })
}

/// Some files `robots.txt` of a revision, quoted; `None` without one, or if the list is too long.
fn robots_in(revision: &str) -> Option<String> {
    let list = ["ls-tree", "-r", "-z", "--full-tree", "--name-only", "--end-of-options", revision];
    let paths = git(Path::new(""), &list, GIT_LIST_BYTES).ok()?;
    let is_robots = |path: &&[u8]| *path == b"robots.txt" || path.ends_with(b"/robots.txt");
    let robots = paths.split(|byte| *byte == 0).filter(is_robots).take(SUGGESTIONS);
    joined(&robots.map(quoted).collect::<Vec<_>>(), "and")
}

/// `ORIGIN=SPEC`, or a place for all sites.
pub(crate) fn site_of(spec: &OsStr) -> Result<(Option<Origin>, OsString), Error> {
    let parts = spec.to_str().and_then(|text| text.split_once('='));
    match parts.filter(|(site, _)| site.contains("://")) {
        Some((site, rest)) => Ok((Some(origin_of(site.as_bytes())?), rest.into())),
        None => Ok((None, spec.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_files_sites_or_revisions() {
        use RobotsPlace::{File, Git, Site};
        let place = |name: &str| RobotsPlace::new(OsStr::new(name));
        assert_eq!(place("-"), File("-".into()));
        assert_eq!(place("robots.txt"), File("robots.txt".into()));
        assert_eq!(place("HTTPS://h.example/x"), Site(b"HTTPS://h.example/x".to_vec()));
        assert_eq!(place("git:HEAD~1:a/robots.txt"), Git("HEAD~1:a/robots.txt".into()));
        assert_eq!(place("git:robots.txt"), Git("robots.txt".into()));
        assert_eq!(place("h.example:80"), File("h.example:80".into()));
    }

    #[test]
    fn options_of_git_are_refused() {
        let error = read_git("--textconv:x").expect_err("an option");
        assert!(error.to_string().contains("`git:--textconv:x`: fatal: "), "{error}");
    }
}
