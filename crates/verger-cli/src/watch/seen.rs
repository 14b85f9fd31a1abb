//! Observations of a robots.txt, and their memory.
//!
//! The last observation of a site is a file: the SHA-256 of the rest, a line of JSON, the text. A
//! new file replaces it as a whole, so a killed process leaves the old or the new one.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use verger::Origin;
use verger::access::Kind;
use verger_fetch::client::RobotsClient;
use verger_fetch::failure::Failure;
use verger_fetch::record::{Body, OriginRecord};

use crate::error::Error;
use crate::hints::failure_hint;
use crate::input::{read_regular, shown};
use crate::limits::ROBOTS_BYTES;
use crate::replace_file::{no_regular_file, remove_leftovers};

/// The last answer of a site that says what is allowed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Answer {
    /// Whether there is no file, so everything is allowed.
    pub(crate) is_absent: bool,
    pub(crate) status: Option<u16>,
    /// The reason that there is no file, if the status does not say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) failure: Option<String>,
    /// The URL after redirects.
    pub(crate) url: String,
    /// In lower case, without parameters.
    pub(crate) media_type: Option<String>,
    /// Whether the file is longer than Verger reads.
    pub(crate) is_cut: bool,
    /// How the file of other requests differs, by their names: User-Agent headers and address
    /// families.
    pub(crate) others: BTreeMap<String, String>,
    /// Empty if the file is absent.
    #[serde(skip)]
    pub(crate) text: Body,
}

/// No answer that says what is allowed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Outage {
    pub(crate) status: Option<u16>,
    pub(crate) failure: String,
}

/// An observation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Seen {
    /// The SHA-256 of the expected file, if it was compared with one.
    pub(crate) expected: Option<String>,
    /// Whether the last report said that the site differs from the expected file.
    #[serde(default)]
    pub(crate) is_unexpected: bool,
    /// In an outage, the answer before it; `None` if there was none yet.
    pub(crate) answer: Option<Answer>,
    pub(crate) outage: Option<Outage>,
}

/// The remembered observation of a site.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Remembered {
    origin: String,
    /// Time of the answer, in seconds since 1970; without one, of the outage.
    pub(crate) at: u64,
    #[serde(flatten)]
    pub(crate) seen: Seen,
}

/// The result of a fetch.
pub(crate) enum Fetched {
    Answer(Answer),
    Outage(Outage),
    /// A failure of this client, which says nothing about the site.
    Fault(Error),
}

impl Seen {
    /// The kind of the answer, in the words of the JSON contract.
    pub(crate) fn outcome(&self) -> &'static str {
        match (&self.outage, &self.answer) {
            (None, Some(answer)) if answer.is_absent => "absent",
            (None, Some(_)) => "served",
            _ => "unreachable",
        }
    }

    /// The last text that says what is allowed, without a line that the client cut (REP-AMB-22).
    pub(crate) fn text(&self) -> Option<&[u8]> {
        let answer = self.answer.as_ref()?;
        let text = answer.text.as_bytes();
        let is_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
        let cut = answer.is_cut.then(|| text.iter().rposition(is_end).map_or(0, |at| at + 1));
        Some(&text[..cut.unwrap_or(text.len())])
    }
}

impl Fetched {
    /// The result of a record that was just fetched.
    pub(crate) fn of(client: &RobotsClient, record: &OriginRecord) -> Self {
        let last = record.last();
        let failure = last.and_then(|last| last.failure.as_ref());
        let status = last.and_then(|last| last.status);
        let url = last.map(|last| last.final_url.clone()).unwrap_or_default();
        match (failure, record.file_for(client.read_options())) {
            (Some(fault), _) if fault.is_fault() => {
                let error = Error::new(format!("robots.txt was not fetched: {fault}"));
                Self::Fault(error.with_optional_hint(failure_hint(record)))
            }
            (None, Some(file)) => Self::Answer(Answer {
                // Another program with the same store can get a 304 at the same time: for the file
                // of 200.
                status: if status == Some(304) { Some(200) } else { status },
                url,
                media_type: file.media_type.as_deref().map(|value| {
                    let essence = value.split(|byte| *byte == b';').next().unwrap_or_default();
                    String::from_utf8_lossy(essence.trim_ascii()).to_ascii_lowercase()
                }),
                is_cut: file.is_truncated(),
                text: file.body.clone(),
                ..Answer::default()
            }),
            // REP-ACCESS-23: too many redirects are an absent file, too.
            (
                Some(
                    Failure::Status(400..=499)
                    | Failure::RedirectLimit
                    | Failure::BrokenRedirect(_),
                ),
                _,
            ) if client.access(record).kind() == Kind::AllowAll => {
                let failure = failure.filter(|it| !matches!(it, Failure::Status(_)));
                let failure = failure.map(ToString::to_string);
                Self::Answer(Answer { is_absent: true, status, failure, url, ..Answer::default() })
            }
            (failure, _) => Self::Outage(Outage {
                status,
                failure: failure.map_or_else(|| "no file".to_owned(), ToString::to_string),
            }),
        }
    }
}

/// The folder of remembered observations, locked by one process.
pub(crate) struct Memory {
    folder: PathBuf,
    _lock: File,
}

impl Memory {
    /// # Errors
    ///
    /// The folder cannot be made, or another process uses it.
    pub(crate) fn open(folder: &Path) -> Result<Self, Error> {
        let failed = |error: io::Error| Error::io("open", &shown(folder), &error);
        fs::create_dir_all(folder).map_err(failed)?;
        let lock = folder.join("lock");
        // Not through a link; opening a pipe would wait for a reader.
        if fs::symlink_metadata(&lock).is_ok_and(|it| !it.is_file()) {
            return Err(no_regular_file(&lock));
        }
        let lock = File::options().write(true).create(true).truncate(false).open(lock);
        let lock = lock.map_err(failed)?;
        if lock.try_lock().is_err() {
            let error = Error::new(format!("another process uses {}", shown(folder)));
            return Err(error.with_hint("`--state DIR` sets another folder"));
        }
        remove_leftovers(folder, NEW);
        Ok(Self { folder: folder.to_owned(), _lock: lock })
    }

    fn path(&self, origin: &Origin) -> PathBuf {
        let name = Body::new(origin.to_string()).sha256_hex();
        self.folder.join(format!("{}.seen", &name[..32]))
    }

    /// The last observation of a site; `None` without one.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or is damaged.
    pub(crate) fn last(&self, origin: &Origin) -> Result<Option<Remembered>, Error> {
        let path = self.path(origin);
        if fs::symlink_metadata(&path).is_err_and(|it| it.kind() == io::ErrorKind::NotFound) {
            return Ok(None);
        }
        let bytes = read_regular(&path, ROBOTS_BYTES)?;
        let read = || {
            let (hash, rest) = split_line(&bytes)?;
            let (json, text) = split_line(rest)?;
            let mut last: Remembered = serde_json::from_slice(json).ok()?;
            if let Some(answer) = &mut last.seen.answer {
                answer.text = Body::new(text);
            }
            let is_whole = Body::new(rest).sha256_hex().as_bytes() == hash;
            (is_whole && last.origin == origin.to_string()).then_some(last)
        };
        let Some(last) = read() else {
            let error = Error::new(format!("{} is damaged", shown(&path)));
            return Err(error.with_hint(
                "what is served now replaces it, so a change since the last check may not be reported; \
                 `verger watch --history` shows earlier files",
            ));
        };
        Ok(Some(last))
    }

    /// Remembers an observation.
    pub(crate) fn remember(&self, origin: &Origin, at: u64, seen: Seen) -> Result<(), Error> {
        let path = self.path(origin);
        let last = Remembered { origin: origin.to_string(), at, seen };
        let write = || -> io::Result<()> {
            let mut rest = serde_json::to_vec(&last)?;
            rest.push(b'\n');
            rest.extend_from_slice(last.seen.text().unwrap_or_default());
            let mut file = tempfile::Builder::new().prefix(NEW).tempfile_in(&self.folder)?;
            writeln!(file, "{}", Body::new(&*rest).sha256_hex())?;
            file.write_all(&rest)?;
            file.as_file().sync_all()?;
            file.persist(&path)?;
            Ok(())
        };
        write().map_err(|error| Error::io("write", &shown(&path), &error))
    }
}

/// The first line, and what follows it.
fn split_line(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = bytes.iter().position(|byte| *byte == b'\n')?;
    Some((&bytes[..end], &bytes[end + 1..]))
}

/// The beginning of the name of a file that is being written.
const NEW: &str = ".new";
