//! Where a store's file stands, and whether it may be used: folders, owners, modes, names beside it.

use std::ffi::OsString;
use std::fs::{self, DirBuilder, File, Metadata, OpenOptions, TryLockError};
use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use crate::limits::{DAMAGED_FILES, LEAST_FREE_BYTES, LOCK_CHECK};
use crate::store::error::shown;
use crate::store::{StoreError, StoreErrorKind};

/// The place of a store.
///
/// SQLite's locks on a file end when anything in the process closes that file, so nothing here opens it
/// but for a new one and for one that SQLite cannot read.
#[derive(Clone, Debug)]
pub(super) struct Place {
    path: PathBuf,
}

impl Place {
    /// The place that a path names; its folder is made when wanted.
    pub(super) fn of(path: &Path, make_folder: bool) -> Result<Self, StoreError> {
        let Some(name) = path.file_name() else {
            let message = format!("expected the path of a file, but found `{}`", shown(path));
            return Err(StoreError::new(StoreErrorKind::Unrecognised, message));
        };
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        if make_folder {
            let mut builder = DirBuilder::new();
            builder.recursive(true);
            #[cfg(unix)]
            std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
            builder.create(folder).map_err(|error| doing("make the folder", folder, error))?;
        }
        // A folder may be a link, as when a cache was moved to another disk; the file may not.
        let folder = match folder.canonicalize() {
            Err(error) if error.kind() == ErrorKind::NotFound => return Err(absent(path)),
            found => found.map_err(|error| doing("find the folder", folder, error))?,
        };
        let metadata =
            folder.metadata().map_err(|error| doing("look at the folder", &folder, error))?;
        if is_open_to_all(&metadata) {
            let message = format!(
                "expected a folder that not everybody can change, but found `{}`",
                shown(&folder)
            );
            return Err(StoreError::new(StoreErrorKind::Denied, message));
        }
        Ok(Self { path: folder.join(name) })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Holds the place until the guard is dropped: files are made and set aside by one process at a
    /// time. Nobody needs it to read and write.
    pub(super) fn lock(&self, patience: Duration) -> Result<Lock, StoreError> {
        let path = self.beside(".lock");
        let is_new = !check_file(&path)?;
        let mut options = private();
        let file = options.create(true).truncate(false).open(&path);
        let file = file.map_err(|error| doing("open", &path, error))?;
        let start = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Lock { _file: file, path, is_new }),
                Err(TryLockError::Error(error)) => return Err(doing("lock", &path, error)),
                Err(TryLockError::WouldBlock) if start.elapsed() >= patience => {
                    let message = format!("another process holds `{}`", shown(&path));
                    return Err(StoreError::new(StoreErrorKind::Busy, message));
                }
                Err(TryLockError::WouldBlock) => thread::sleep(LOCK_CHECK),
            }
        }
    }

    /// Whether there is anything to be opened, before anything is written beside it.
    pub(super) fn exists_or(&self, make: bool) -> Result<(), StoreError> {
        if check_file(&self.path)? || make { Ok(()) } else { Err(absent(&self.path)) }
    }

    /// Checks the file that is there, or makes an empty one for its owner alone.
    pub(super) fn prepare(&self, make: bool) -> Result<(), StoreError> {
        if check_file(&self.path)? {
            return Ok(());
        }
        if !make {
            return Err(absent(&self.path));
        }
        let made = private().create_new(true).open(&self.path);
        made.map(drop).map_err(|error| doing("make", &self.path, error))
    }

    /// Whether a file that SQLite cannot read once was a store: its mark is there, or nothing but
    /// zeros, or the beginning of a file that was cut.
    pub(super) fn was_store(&self) -> Result<bool, StoreError> {
        let mut head = Vec::new();
        File::open(&self.path)
            .and_then(|file| file.take(HEADER).read_to_end(&mut head))
            .map_err(|error| doing("read", &self.path, error))?;
        let is_cut = (head.len() as u64) < HEADER && MAGIC.starts_with(first(&head, MAGIC.len()));
        let is_marked = head.get(68..72) == Some(&super::schema::APPLICATION_ID.to_be_bytes());
        Ok(is_cut || is_marked || head.iter().all(|&byte| byte == 0))
    }

    /// Takes the file out of the way, with its log: `store.sqlite.damaged-1`.
    pub(super) fn set_aside(&self) -> Result<PathBuf, StoreError> {
        let free = (1..=DAMAGED_FILES)
            .map(|number| self.beside(&format!(".damaged-{number}")))
            .find(|path| path.symlink_metadata().is_err());
        let Some(target) = free else {
            let message = format!(
                "`{}` is damaged, and {DAMAGED_FILES} damaged files stand beside it already",
                shown(&self.path)
            );
            return Err(StoreError::new(StoreErrorKind::Damaged, message));
        };
        // The file itself first: a log without its file is never read.
        for ending in ["", "-wal", "-shm"] {
            let (from, to) = (self.beside(ending), appended(&target, ending));
            match fs::rename(&from, to) {
                Err(error) if error.kind() != ErrorKind::NotFound => {
                    return Err(doing("set aside", &from, error));
                }
                _ => {}
            }
        }
        Ok(target)
    }

    /// What tells the file from any other that could take its name; `None` when there is none.
    pub(super) fn identity(&self) -> Option<Identity> {
        let metadata = self.path.symlink_metadata().ok()?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt as _;
            Some((metadata.dev(), metadata.ino()))
        }
        // A file that is open cannot be renamed there.
        #[cfg(not(unix))]
        Some((u64::from(metadata.is_file()), 0))
    }

    /// Whether the operating system lets this process write to the file.
    pub(super) fn may_write(&self) -> bool {
        #[cfg(unix)]
        return rustix::fs::access(&self.path, rustix::fs::Access::WRITE_OK).is_ok();
        #[cfg(not(unix))]
        return self.path.metadata().is_ok_and(|metadata| !metadata.permissions().readonly());
    }

    /// Whether nobody can change the store: not the file, or not the folder, where SQLite's log would be.
    /// Others with more rights could; they do not, as the file has one owner.
    pub(super) fn is_read_only(&self) -> bool {
        #[cfg(unix)]
        let may_add = {
            let folder = self.path.parent().unwrap_or(Path::new("/"));
            rustix::fs::access(folder, rustix::fs::Access::WRITE_OK).is_ok()
        };
        #[cfg(not(unix))]
        let may_add = true;
        self.path.is_file() && !(self.may_write() && may_add)
    }

    /// The file as one that does not change, which SQLite then reads without a log. `None` if there is a
    /// log, which may hold the newest records: without it the file may be no whole store.
    pub(super) fn immutable_uri(&self) -> Option<OsString> {
        let has_log = self.beside("-wal").metadata().is_ok_and(|log| log.len() > 0);
        let path = self.path.as_os_str();
        // A name that is no text can be opened by its path alone.
        let path = path.to_str().filter(|_| cfg!(unix) && !has_log)?;
        let path = path.replace('%', "%25").replace('?', "%3f").replace('#', "%23");
        Some(format!("file:{path}?immutable=1").into())
    }

    /// Whether the disk has no room for a write.
    pub(super) fn is_full(&self) -> bool {
        #[cfg(unix)]
        {
            let folder = self.path.parent().unwrap_or(Path::new("/"));
            rustix::fs::statvfs(folder)
                .is_ok_and(|disk| disk.f_bavail.saturating_mul(disk.f_frsize) < LEAST_FREE_BYTES)
        }
        #[cfg(not(unix))]
        false
    }

    /// Removes the file with its log.
    pub(super) fn remove(&self) -> Result<(), StoreError> {
        // The file itself first: a log without its file is never read.
        for ending in ["", "-wal", "-shm"] {
            let path = self.beside(ending);
            match fs::remove_file(&path) {
                Err(error) if error.kind() != ErrorKind::NotFound => {
                    return Err(doing("remove", &path, error));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn beside(&self, ending: &str) -> PathBuf {
        appended(&self.path, ending)
    }
}

/// The hold on a place.
#[derive(Debug)]
pub(super) struct Lock {
    _file: File,
    path: PathBuf,
    is_new: bool,
}

impl Lock {
    /// Nothing is left beside what turned out to be no store. What stood there before stays.
    pub(super) fn take_back(self) {
        if self.is_new {
            // If it cannot be removed it does no harm.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Device and number of a file.
pub(super) type Identity = (u64, u64);

const MAGIC: &[u8] = b"SQLite format 3\0";

/// Bytes of the header of a SQLite file.
const HEADER: u64 = 100;

/// Whether there is a file that may be used.
fn check_file(path: &Path) -> Result<bool, StoreError> {
    let metadata = match path.symlink_metadata() {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(doing("look at", path, error)),
    };
    if !metadata.is_file() {
        let message = format!("expected a file, but found something else at `{}`", shown(path));
        return Err(StoreError::new(StoreErrorKind::Denied, message));
    }
    if is_somebody_elses(&metadata) {
        let message = format!("expected a file of one's own, but `{}` is not", shown(path));
        return Err(StoreError::new(StoreErrorKind::Denied, message));
    }
    Ok(true)
}

#[cfg(unix)]
fn is_somebody_elses(metadata: &Metadata) -> bool {
    std::os::unix::fs::MetadataExt::uid(metadata) != rustix::process::geteuid().as_raw()
}

#[cfg(not(unix))]
const fn is_somebody_elses(_: &Metadata) -> bool {
    false
}

/// In a folder with the sticky bit, files can be replaced by their owners only.
#[cfg(unix)]
fn is_open_to_all(metadata: &Metadata) -> bool {
    let mode = std::os::unix::fs::MetadataExt::mode(metadata);
    mode & 0o002 != 0 && mode & 0o1000 == 0
}

#[cfg(not(unix))]
const fn is_open_to_all(_: &Metadata) -> bool {
    false
}

/// For a file that its owner alone may read. SQLite gives its log the mode of the file.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

fn absent(path: &Path) -> StoreError {
    StoreError::new(StoreErrorKind::Absent, format!("there is no store at `{}`", shown(path)))
}

fn doing(what: &str, path: &Path, error: std::io::Error) -> StoreError {
    StoreError::of_file(what, path, error)
}

fn appended(path: &Path, ending: &str) -> PathBuf {
    let mut path = OsString::from(path);
    path.push(ending);
    path.into()
}

fn first(bytes: &[u8], most: usize) -> &[u8] {
    bytes.get(..most).unwrap_or(bytes)
}
