//! The archived robots.txt: one file, or a directory of them.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use verger::Dialect;
use verger_fetch::record::Body;

use crate::error::Error;
use crate::input::{read_whole, shown};
use crate::limits::{ARCHIVE_FILES, ROBOTS_BYTES};
use crate::robots_file::RobotsFile;

/// The archived files, read for one answer after another.
#[derive(Debug)]
pub(crate) struct Archive {
    /// The file for all answers, when there is only one.
    one: Option<Body>,
    /// The paths of the files of a directory, by the SHA-256 in lower case.
    places: HashMap<String, PathBuf>,
    /// The last file that was asked: most answers are about the same one.
    last: Option<(Body, bool, RobotsFile)>,
}

impl Archive {
    /// An archive of one file, or of standard input.
    pub(crate) fn of_file(path: &Path) -> Result<Self, Error> {
        let body = Body::new(read_whole(path, ROBOTS_BYTES)?);
        Ok(Self { one: Some(body), places: HashMap::new(), last: None })
    }

    /// An archive of all files of a directory and its subdirectories. Reads and hashes each file, and
    /// reports unreadable ones to `warn`. Skips links to directories and special files.
    pub(crate) fn of_directory(path: &Path, mut warn: impl FnMut(Error)) -> Result<Self, Error> {
        let (mut places, mut count) = (HashMap::new(), 0);
        let mut waiting = vec![path.to_owned()];
        while let Some(directory) = waiting.pop() {
            let failed = |error| Error::reading(&shown(&directory), &error);
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
        Ok(Self { one: None, places, last: None })
    }

    /// The file with this hash; `None` when it is not in the archive.
    pub(super) fn find(&self, sha256: Option<&str>) -> Option<Body> {
        if self.one.is_some() {
            return self.one.clone();
        }
        let sha256 = sha256?.to_ascii_lowercase();
        let is_it = |body: &Body| body.sha256_hex() == sha256;
        let last = self.last.as_ref().map(|(body, ..)| body.clone()).filter(is_it);
        last.or_else(|| {
            // The file can have changed since it was hashed.
            Some(Body::new(read_whole(self.places.get(&sha256)?, ROBOTS_BYTES).ok()?)).filter(is_it)
        })
    }

    /// The rules of a body, parsed unless they are those of the last answer.
    /// `is_cut`: the fetch cut it.
    pub(super) fn read(&mut self, body: &Body, dialect: &Dialect, is_cut: bool) -> &RobotsFile {
        let is_it = |(of, was_cut, file): &(Body, bool, RobotsFile)| {
            of == body && *was_cut == is_cut && file.robots().dialect() == *dialect
        };
        let last = self.last.take().filter(is_it);
        // The name is never shown.
        let parse = || {
            let bytes = body.as_bytes();
            let robots = if is_cut { dialect.parse_cut(bytes) } else { dialect.parse(bytes) };
            RobotsFile::of(String::new(), Arc::new(robots))
        };
        &self.last.insert(last.unwrap_or_else(|| (body.clone(), is_cut, parse()))).2
    }
}
