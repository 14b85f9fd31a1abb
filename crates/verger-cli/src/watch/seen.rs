//! Observations of a robots.txt, and their memory.
//!
//! The last observation of a site is a file: one line of JSON, then the text. A new file replaces it as a
//! whole, so a killed process leaves the old or the new one.

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
use crate::input::shown;

/// The answer of a site.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Condition {
    pub(crate) outcome: Outcome,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) status: Option<u16>,
    /// The reason for an unreachable file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) failure: Option<String>,
    /// The URL after redirects.
    pub(crate) url: String,
    /// In lower case, without parameters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) media_type: Option<String>,
    /// Whether the file is longer than Verger reads.
    pub(crate) is_cut: bool,
    /// How the file of other requests differs, by their names: User-Agent headers and address families.
    #[serde(default)]
    pub(crate) others: BTreeMap<String, String>,
}

/// The kinds of answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Outcome {
    /// A file.
    Served,
    /// No file, so everything is allowed.
    Absent,
    /// No answer that says what is allowed.
    Unreachable,
}

impl Outcome {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Served => "served",
            Self::Absent => "absent",
            Self::Unreachable => "unreachable",
        }
    }
}

/// An observation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Seen {
    pub(crate) condition: Condition,
    /// The SHA-256 of the expected file, if it was compared with one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) expected: Option<String>,
    /// The last text that says what is allowed, empty if the file is absent; `None` if none was seen yet.
    #[serde(skip)]
    pub(crate) text: Option<Body>,
}

/// The remembered observation of a site.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Remembered {
    version: u8,
    origin: String,
    /// The number of changes that were reported before.
    pub(crate) number: u64,
    /// Seconds since 1970.
    pub(crate) at: u64,
    has_text: bool,
    #[serde(flatten)]
    pub(crate) seen: Seen,
}

impl Seen {
    /// The observation of a record that was just fetched; `Err` if this client failed.
    pub(crate) fn of(client: &RobotsClient, record: &OriginRecord) -> Result<Self, Failure> {
        if let Some(fault) =
            record.last().and_then(|it| it.failure.as_ref()).filter(|it| it.is_fault())
        {
            return Err(fault.clone());
        }
        let file = record.file_for(client.read_options());
        let last = record.last();
        let failure = last.and_then(|last| last.failure.as_ref());
        let (outcome, text) = match (failure, file) {
            (None, Some(file)) => (Outcome::Served, Some(file.body.clone())),
            // REP-ACCESS-23: too many redirects are an absent file, too.
            (
                Some(
                    Failure::Status(400..=499)
                    | Failure::RedirectLimit
                    | Failure::BrokenRedirect(_),
                ),
                _,
            ) if client.access(record).kind() == Kind::AllowAll => {
                (Outcome::Absent, Some(Body::default()))
            }
            _ => (Outcome::Unreachable, None),
        };
        let file = file.filter(|_| outcome == Outcome::Served);
        let media_type = file.and_then(|file| file.media_type.as_deref()).map(|value| {
            let essence = value.split(|byte| *byte == b';').next().unwrap_or_default();
            String::from_utf8_lossy(essence.trim_ascii()).to_ascii_lowercase()
        });
        let status = last.and_then(|last| last.status);
        let condition = Condition {
            outcome,
            // The file of 304 is that of 200.
            status: if outcome == Outcome::Served && status == Some(304) {
                Some(200)
            } else {
                status
            },
            failure: (outcome == Outcome::Unreachable)
                .then(|| failure.map_or_else(|| "no file".to_owned(), ToString::to_string)),
            url: last.map(|last| last.final_url.clone()).unwrap_or_default(),
            media_type,
            is_cut: file.is_some_and(|file| file.is_truncated()),
            others: BTreeMap::new(),
        };
        Ok(Self { condition, expected: None, text })
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
        let lock = File::create(folder.join("lock")).map_err(failed)?;
        if lock.try_lock().is_err() {
            let error = Error::new(format!("another process uses {}", shown(folder)));
            return Err(error.with_hint("`--state DIR` sets another folder"));
        }
        // New files of a killed process.
        for entry in fs::read_dir(folder).map_err(failed)?.flatten() {
            if entry.file_name().as_encoded_bytes().starts_with(NEW.as_bytes()) {
                fs::remove_file(entry.path()).map_err(failed)?;
            }
        }
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
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Error::io("read", &shown(&path), &error)),
        };
        let end = bytes.iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len());
        let last = serde_json::from_slice::<Remembered>(&bytes[..end]).ok();
        let last = last.filter(|it| it.version == VERSION && it.origin == origin.to_string());
        let Some(mut last) = last else {
            let error = Error::new(format!("{} is damaged", shown(&path)));
            return Err(
                error.with_hint("without the file, the next check begins with what is served")
            );
        };
        last.seen.text = last.has_text.then(|| Body::new(&bytes[end + 1..]));
        Ok(Some(last))
    }

    /// Remembers an observation.
    pub(crate) fn remember(
        &self,
        origin: &Origin,
        number: u64,
        at: u64,
        seen: Seen,
    ) -> Result<(), Error> {
        let (path, has_text) = (self.path(origin), seen.text.is_some());
        let last =
            Remembered { version: VERSION, origin: origin.to_string(), number, at, has_text, seen };
        let write = || -> io::Result<()> {
            let mut file = tempfile::Builder::new().prefix(NEW).tempfile_in(&self.folder)?;
            serde_json::to_writer(&mut file, &last)?;
            file.write_all(b"\n")?;
            file.write_all(last.seen.text.as_ref().map(Body::as_bytes).unwrap_or_default())?;
            file.as_file().sync_all()?;
            file.persist(&path)?;
            Ok(())
        };
        write().map_err(|error| Error::io("write", &shown(&path), &error))
    }
}

/// The beginning of the name of a file that is being written.
const NEW: &str = ".new";

/// The version of the form of the files.
const VERSION: u8 = 1;
