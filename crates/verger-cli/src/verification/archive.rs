//! The archived robots.txt: one file, or a directory of them.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use verger::Dialect;
use verger_fetch::record::Body;

use crate::error::Error;
use crate::input::{read_whole, shown};
use crate::limits::{ARCHIVE_FILES, ROBOTS_BYTES};
use crate::robots_file::RobotsFile;

/// The archived files, read for one answer after another.
#[derive(Debug)]
pub(crate) struct Archive {
    files: Files,
    /// What the last answer was about: most are about the same.
    last: Option<(Body, RobotsFile)>,
}

#[derive(Debug)]
enum Files {
    /// One for all answers.
    One(Body),
    /// Where those of a directory are, by the SHA-256 in lower case; and the last that was asked for.
    BySha256 { places: HashMap<String, PathBuf>, last: Option<Body> },
}

impl Archive {
    /// A file, or standard input.
    pub(crate) fn of_file(path: &Path) -> Result<Self, Error> {
        let body = Body::new(read_whole(path, ROBOTS_BYTES)?);
        Ok(Self { files: Files::One(body), last: None })
    }

    /// All files of a directory and of those inside, each read once to be hashed. `warn` is told what cannot
    /// be read. What is a link to a directory, and what is no file, is passed over.
    pub(crate) fn of_directory(path: &Path, mut warn: impl FnMut(Error)) -> Result<Self, Error> {
        let mut places = HashMap::new();
        let mut waiting = vec![path.to_owned()];
        let mut count = 0;
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
                        let name = shown(path);
                        return Err(Error::new(format!(
                            "expected at most {ARCHIVE_FILES} files in {name}, but found more"
                        )));
                    }
                    match read_whole(&found, ROBOTS_BYTES) {
                        Ok(bytes) => drop(places.insert(Body::new(bytes).sha256_hex(), found)),
                        Err(error) => warn(error),
                    }
                }
            }
        }
        Ok(Self { files: Files::BySha256 { places, last: None }, last: None })
    }

    /// The file that an answer with this hash is about; `None` where it is not there.
    pub(super) fn find(&mut self, sha256: Option<&str>) -> Option<Body> {
        match &mut self.files {
            Files::One(body) => Some(body.clone()),
            Files::BySha256 { places, last } => {
                let sha256 = sha256?.to_ascii_lowercase();
                let is_it = |body: &Body| body.sha256_hex() == sha256;
                let found = last.take().filter(is_it).or_else(|| {
                    // It may have been changed since.
                    let bytes = read_whole(places.get(&sha256)?, ROBOTS_BYTES).ok()?;
                    Some(Body::new(bytes)).filter(is_it)
                })?;
                Some(last.insert(found).clone())
            }
        }
    }

    /// The rules in a body.
    pub(super) fn read(&mut self, body: &Body, dialect: &Dialect) -> &RobotsFile {
        let last = self.last.take();
        let last = last.filter(|(of, file)| of == body && file.robots().dialect() == *dialect);
        let parse = || {
            // Nothing is said of its name.
            let file = RobotsFile::parse(String::new(), body.as_bytes(), dialect);
            (body.clone(), file)
        };
        &self.last.insert(last.unwrap_or_else(parse)).1
    }
}
