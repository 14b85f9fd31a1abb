//! The archived robots.txt files, and the comparison of length and hash with the archived file.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;
use verger::Dialect;
use verger_fetch::limits::BODY;
use verger_fetch::record::Body;

use super::{Finding, SavedDecision};
use crate::error::Error;
use crate::input::{read_whole, shown};
use crate::limits::{ARCHIVE_FILES, ROBOTS_BYTES};
use crate::robots_file::RobotsFile;
use crate::sentence::quoted;

/// The archived files.
#[derive(Debug)]
pub(crate) struct Archive {
    /// The file for all answers, if there is only one.
    single: Option<Body>,
    /// The paths of the files of a directory, by the SHA-256 in lower case.
    places: HashMap<String, PathBuf>,
    /// The last file: most answers are about the same one.
    last: Option<(Body, bool, RobotsFile)>,
}

impl Archive {
    /// An archive of one file, or of standard input.
    pub(crate) fn of_file(path: &Path) -> Result<Self, Error> {
        let body = Body::new(read_whole(path, ROBOTS_BYTES)?);
        Ok(Self { single: Some(body), places: HashMap::new(), last: None })
    }

    /// An archive of all files of a directory and its subdirectories. Reads and hashes each file,
    /// and reports unreadable ones to `warn`. Skips links to directories and special files.
    pub(crate) fn of_directory(path: &Path, mut warn: impl FnMut(Error)) -> Result<Self, Error> {
        let (mut places, mut count) = (HashMap::new(), 0);
        let mut waiting = vec![path.to_owned()];
        while let Some(directory) = waiting.pop() {
            let failed = |error| Error::io("read", &shown(&directory), &error);
            let entries = match fs::read_dir(&directory).map_err(failed) {
                Ok(entries) => entries,
                Err(error) if directory == path => return Err(error),
                Err(error) => {
                    warn(error);
                    continue;
                }
            };
            for entry in entries {
                let entry = entry.map_err(failed)?;
                let found = entry.path();
                if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    waiting.push(found);
                } else if fs::metadata(&found).is_ok_and(|it| it.is_file()) {
                    count += 1;
                    if count > ARCHIVE_FILES {
                        let most = format!("{ARCHIVE_FILES} files in {}", shown(path));
                        return Err(Error::new(format!("expected at most {most}, but found more")));
                    }
                    match read_whole(&found, ROBOTS_BYTES) {
                        Ok(bytes) => drop(places.insert(Body::new(bytes).sha256_hex(), found)),
                        Err(error) => warn(error),
                    }
                }
            }
        }
        Ok(Self { single: None, places, last: None })
    }

    /// The file with this hash; `None` if it is not in the archive.
    fn find(&self, sha256: Option<&str>) -> Option<Body> {
        if self.single.is_some() {
            return self.single.clone();
        }
        let sha256 = sha256?.to_ascii_lowercase();
        let is_it = |body: &Body| body.sha256_hex() == sha256;
        let last = self.last.as_ref().map(|(body, ..)| body.clone()).filter(is_it);
        last.or_else(|| {
            // The file can have changed since it was hashed.
            Some(Body::new(read_whole(self.places.get(&sha256)?, ROBOTS_BYTES).ok()?)).filter(is_it)
        })
    }

    /// The parsed rules of a body. Reuses those of the last answer. `is_cut`: whether the fetch cut
    /// the body.
    pub(super) fn read(&mut self, body: &Body, dialect: &Dialect, is_cut: bool) -> &RobotsFile {
        let is_it = |(of, was_cut, file): &(Body, bool, RobotsFile)| {
            of == body && *was_cut == is_cut && file.robots().dialect() == *dialect
        };
        let last = self.last.take().filter(is_it);
        // The name is not shown.
        let parse = || {
            let bytes = body.as_bytes();
            let robots = if is_cut { dialect.parse_cut(bytes) } else { dialect.parse(bytes) };
            RobotsFile::of(String::new(), Arc::new(robots))
        };
        &self.last.insert(last.unwrap_or_else(|| (body.clone(), is_cut, parse()))).2
    }

    /// Compares `bytes` and `sha256` with the archived file. Returns the bytes to check again: the
    /// whole file, or its beginning if the fetch cut it; none if the answer has no file.
    ///
    /// # Errors
    ///
    /// The file is not in the archive.
    pub(super) fn check(
        &self,
        saved: &SavedDecision,
        findings: &mut Vec<Finding>,
    ) -> Result<Body, Error> {
        let decision = &saved.decision;
        let (bytes, sha256) = (decision.bytes, decision.sha256.as_deref());
        let has_file = decision.access == "rules" || bytes.is_some_and(|bytes| bytes > 0);
        let mut body = Body::default();
        if has_file {
            body = self.find(sha256).ok_or_else(|| {
                let hash = sha256.map_or_else(|| "none".to_owned(), quoted);
                let message = format!("expected a file with SHA-256 {hash}, but found none");
                Error::new(format!("not verifiable: {message}"))
            })?;
        } else if bytes.is_none() && sha256.is_none() {
            return Ok(body);
        }
        if has_file && decision.truncated {
            let length = bytes.and_then(|bytes| usize::try_from(bytes).ok()).unwrap_or_default();
            if length < BODY.least {
                let why = format!("no body is cut before {} bytes", BODY.least);
                findings.push(Finding::impossible("decision.truncated", true.into(), why));
            } else if let Some(beginning) = body.as_bytes().get(..length) {
                body = Body::new(beginning);
            }
        }
        let (claimed, found) = (Value::from(bytes), Value::from(body.as_bytes().len()));
        if claimed != found {
            findings.push(Finding::differs("decision.bytes", claimed, found));
        }
        let found = body.sha256_hex();
        if !sha256.is_some_and(|sha256| sha256.eq_ignore_ascii_case(&found)) {
            findings.push(Finding::differs("decision.sha256", sha256.into(), found.into()));
        }
        Ok(body)
    }
}
