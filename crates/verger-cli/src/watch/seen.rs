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

/// An answer of a site that says what is allowed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Answer {
    pub(crate) status: Option<u16>,
    /// The reason that there is no file, so everything is allowed.
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
    /// Empty without a file.
    #[serde(skip)]
    pub(crate) text: Body,
}

/// The observation of a site that is remembered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Seen {
    /// Time of the answer, in seconds since 1970; without one, of the outage.
    pub(crate) at: u64,
    /// The SHA-256 of the expected file, if it was compared with one.
    pub(crate) expected: Option<String>,
    /// The last answer that says what is allowed; `None` if there was none yet.
    pub(crate) answer: Option<Answer>,
    /// The reason that there is none since then.
    pub(crate) outage: Option<String>,
}

/// A fetched answer, or the reason that nothing says what is allowed.
pub(crate) type Fetched = Result<Answer, String>;

impl Seen {
    /// The answer, unless there is none any more.
    pub(crate) fn current(&self) -> Option<&Answer> {
        self.answer.as_ref().filter(|_| self.outage.is_none())
    }

    /// The meaning of the answer, in the words of the JSON contract.
    pub(crate) fn outcome(&self) -> &'static str {
        match self.current() {
            None => "unreachable",
            Some(answer) if answer.failure.is_some() => "absent",
            Some(_) => "served",
        }
    }
}

impl Answer {
    /// The answer of a record that was just fetched.
    ///
    /// # Errors
    ///
    /// A failure of this client, which says nothing about the site.
    pub(crate) fn of(client: &RobotsClient, record: &OriginRecord) -> Result<Fetched, Error> {
        let last = record.last();
        let failure = last.and_then(|last| last.failure.as_ref());
        if let Some(fault) = failure.filter(|it| it.is_fault()) {
            let error = Error::new(format!("robots.txt was not fetched: {fault}"));
            return Err(error.with_optional_hint(failure_hint(record)));
        }
        let mut answer = Self {
            status: last.and_then(|last| last.status),
            url: last.map(|last| last.final_url.clone()).unwrap_or_default(),
            ..Self::default()
        };
        // REP-ACCESS-23: too many redirects are an absent file, too.
        let is_absent = matches!(
            failure,
            Some(Failure::Status(400..=499) | Failure::RedirectLimit | Failure::BrokenRedirect(_))
        ) && client.access(record).kind() == Kind::AllowAll;
        let file = record.file_for(client.read_options()).filter(|_| failure.is_none());
        if let Some(file) = file {
            // Another program with the same store can get a 304 at the same time: for the file
            // of 200.
            answer.status = answer.status.map(|it| if it == 304 { 200 } else { it });
            answer.media_type = file.media_type.as_deref().map(|value| {
                let essence = value.split(|byte| *byte == b';').next().unwrap_or_default();
                String::from_utf8_lossy(essence.trim_ascii()).to_ascii_lowercase()
            });
            answer.is_cut = file.is_truncated();
            answer.text = Body::new(file.for_readers());
        } else {
            let reason = failure.map_or("no file".to_owned(), ToString::to_string);
            if !is_absent {
                return Ok(Err(reason));
            }
            answer.failure = Some(reason);
        }
        Ok(Ok(answer))
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
    pub(crate) fn last(&self, origin: &Origin) -> Result<Option<Seen>, Error> {
        let path = self.path(origin);
        if fs::symlink_metadata(&path).is_err_and(|it| it.kind() == io::ErrorKind::NotFound) {
            return Ok(None);
        }
        let bytes = read_regular(&path, ROBOTS_BYTES)?;
        let read = || {
            let mut parts = bytes.splitn(3, |byte| *byte == b'\n');
            let (hash, json, text) = (parts.next()?, parts.next()?, parts.next()?);
            let mut last: Seen = serde_json::from_slice(json).ok()?;
            if let Some(answer) = &mut last.answer {
                answer.text = Body::new(text);
            }
            let is_whole = Body::new(&bytes[hash.len() + 1..]).sha256_hex().as_bytes() == hash;
            is_whole.then_some(last)
        };
        read().map(Some).ok_or_else(|| {
            Error::new(format!("{} is damaged", shown(&path))).with_hint(
                "what is served now replaces it, so a change since the last check may not be reported; \
                 `verger watch --history` shows earlier files",
            )
        })
    }

    /// Remembers an observation.
    pub(crate) fn remember(&self, origin: &Origin, seen: &Seen) -> Result<(), Error> {
        let path = self.path(origin);
        let write = || -> io::Result<()> {
            let json = serde_json::to_vec(seen)?;
            let text = seen.answer.as_ref().map(|answer| answer.text.as_bytes());
            let rest = [&json, &b"\n"[..], text.unwrap_or_default()].concat();
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

/// The beginning of the name of a file that is being written.
const NEW: &str = ".new";
