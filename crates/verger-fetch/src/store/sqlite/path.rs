//! The path of a store's file, and checks of its permissions: folders, owners, modes, files beside
//! it.

use std::ffi::OsString;
use std::fs::{self, DirBuilder, File, Metadata, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read as _};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use crate::limits::{DAMAGED_FILES, LEAST_FREE_BYTES, LOCK_CHECK};
use crate::store::error::shown;
use crate::store::{StoreError, StoreErrorKind};

/// The path of a store.
///
/// SQLite's locks on a file end when anything in the process closes that file. So this code opens
/// it only to create it, or if SQLite cannot read it.
#[derive(Clone, Debug)]
pub(super) struct StorePath {
    pub(super) path: PathBuf,
}

impl StorePath {
    /// Checks a path; creates its folder if wanted.
    pub(super) fn of(path: &Path, make_folder: bool) -> Result<Self, StoreError> {
        // `dir/` and `dir/.` have the name `dir`, but are paths of a folder.
        let text = path.as_os_str().as_encoded_bytes();
        let name = path.file_name().filter(|name| text.ends_with(name.as_encoded_bytes()));
        let Some(name) = name else {
            let message = format!("expected the path of a file, but found {}", shown(path));
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
        // A folder may be a link, for example of a cache on another disk; the file may not.
        let folder = match folder.canonicalize() {
            Err(error) if error.kind() == ErrorKind::NotFound => return Err(absent(path)),
            found => found.map_err(|error| doing("find the folder", folder, error))?,
        };
        let metadata =
            folder.metadata().map_err(|error| doing("look at the folder", &folder, error))?;
        if is_open_to_all(&metadata) {
            let message = format!(
                "expected a folder that is not world-writable, but found {}",
                shown(&folder)
            );
            return Err(StoreError::new(StoreErrorKind::Denied, message));
        }
        Ok(Self { path: folder.join(name) })
    }

    /// Locks the path until the guard is dropped: one process at a time creates or moves files.
    /// Reading and writing need no lock.
    pub(super) fn lock(&self, timeout: Duration) -> Result<Lock, StoreError> {
        let path = self.beside(".lock");
        let is_new = !check_file(&path)?;
        let open = || {
            let file = private().create(true).truncate(false).open(&path);
            file.map_err(|error| doing("open", &path, error))
        };
        let mut file = open()?;
        // Not a point in time: while this process is stopped, it does not wait.
        let mut waited = Duration::ZERO;
        loop {
            match file.try_lock() {
                // Others lock the file with this name.
                Ok(()) if file.metadata().ok().map(|it| identity_of(&it)) != identity(&path) => {
                    file = open()?;
                }
                Ok(()) => return Ok(Lock { _file: file, path, is_new }),
                Err(TryLockError::Error(error)) => return Err(doing("lock", &path, error)),
                Err(TryLockError::WouldBlock) if waited >= timeout => {
                    let message = format!("another process has locked {}", shown(&path));
                    return Err(StoreError::new(StoreErrorKind::Busy, message));
                }
                Err(TryLockError::WouldBlock) => {
                    thread::sleep(LOCK_CHECK);
                    waited += LOCK_CHECK;
                }
            }
        }
    }

    /// Checks that a store exists or may be created, before files are written beside it.
    pub(super) fn exists_or(&self, make: bool) -> Result<(), StoreError> {
        if check_file(&self.path)? || make { Ok(()) } else { Err(absent(&self.path)) }
    }

    /// Checks the existing file, or creates an empty one with permissions for its owner only.
    pub(super) fn prepare(&self, make: bool) -> Result<(), StoreError> {
        if check_file(&self.path)? {
            return Ok(());
        }
        if !make {
            return Err(absent(&self.path));
        }
        self.remove_log()?;
        let made = private().create_new(true).open(&self.path);
        made.map(drop).map_err(|error| doing("make", &self.path, error))
    }

    /// Whether a file that SQLite cannot read was a store: it has the mark, or only zeros, or is
    /// the beginning of a cut file.
    pub(super) fn was_store(&self) -> Result<bool, StoreError> {
        let mut head = Vec::new();
        File::open(&self.path)
            .and_then(|file| file.take(HEADER).read_to_end(&mut head))
            .map_err(|error| doing("read", &self.path, error))?;
        let is_cut = (head.len() as u64) < HEADER && MAGIC.starts_with(first(&head, MAGIC.len()));
        let is_marked = head.get(68..72) == Some(&super::schema::APPLICATION_ID.to_be_bytes());
        Ok(is_cut || is_marked || head.iter().all(|&byte| byte == 0))
    }

    /// Moves the file with its log away, because of a defect: `store.sqlite.damaged-1`.
    pub(super) fn set_aside(&self, defect: &str) -> Result<PathBuf, StoreError> {
        let free = (1..=DAMAGED_FILES)
            .map(|number| self.beside(&format!(".{defect}-{number}")))
            .find(|path| path.symlink_metadata().is_err());
        let Some(target) = free else {
            let message = format!(
                "{} is {defect}, and there are {DAMAGED_FILES} {defect} files beside it already",
                shown(&self.path)
            );
            return Err(StoreError::new(StoreErrorKind::Damaged, message));
        };
        self.change_files("set aside", &FILES, |from, ending| {
            fs::rename(from, appended(&target, ending))
        })?;
        Ok(target)
    }

    /// Identifies the file among others with the same name; `None` if there is none.
    pub(super) fn identity(&self) -> Option<Identity> {
        identity(&self.path)
    }

    /// Identifies the index of the log.
    pub(super) fn log(&self) -> Option<Identity> {
        identity(&self.beside("-shm"))
    }

    /// Removes the log of an earlier file with this name. Processes may still use that file, and
    /// SQLite would share the log with them: a process dies if another one truncates the index,
    /// which is mapped.
    pub(super) fn remove_log(&self) -> Result<(), StoreError> {
        self.change_files("remove", &FILES[1..], |path, _| fs::remove_file(path))
    }

    /// Whether the operating system permits this process to write the file.
    pub(super) fn may_write(&self) -> bool {
        #[cfg(unix)]
        return rustix::fs::access(&self.path, rustix::fs::Access::WRITE_OK).is_ok();
        #[cfg(not(unix))]
        return self.path.metadata().is_ok_and(|metadata| !metadata.permissions().readonly());
    }

    /// Whether nobody can change the store: the file, or the folder with SQLite's log, is
    /// read-only. Users with more rights could, but the file has one owner.
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

    /// The URI of the file as immutable, which SQLite then reads without a log. `None` if there is
    /// a log, which may contain the newest records.
    pub(super) fn immutable_uri(&self) -> Option<OsString> {
        let has_log = self.beside("-wal").metadata().is_ok_and(|log| log.len() > 0);
        let path = self.path.as_os_str();
        // A name that is not text can be opened only by its path.
        let path = path.to_str().filter(|_| cfg!(unix) && !has_log)?;
        let path = path.replace('%', "%25").replace('?', "%3f").replace('#', "%23");
        Some(format!("file:{path}?immutable=1").into())
    }

    /// Whether the disk has no space for a write.
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
        self.change_files("remove", &FILES, |path, _| fs::remove_file(path))
    }

    /// Changes the files with these endings, if they exist.
    fn change_files(
        &self,
        action: &str,
        endings: &[&str],
        change: impl Fn(&Path, &str) -> io::Result<()>,
    ) -> Result<(), StoreError> {
        for ending in endings {
            let path = self.beside(ending);
            match change(&path, ending) {
                Err(error) if error.kind() != ErrorKind::NotFound => {
                    return Err(doing(action, &path, error));
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

/// The lock of a path.
#[derive(Debug)]
pub(super) struct Lock {
    _file: File,
    path: PathBuf,
    is_new: bool,
}

impl Lock {
    /// Removes a new lock file beside a file that is not a store.
    pub(super) fn remove_new_file(self) {
        if self.is_new {
            // A remaining lock file is harmless.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Device and number of a file.
pub(super) type Identity = (u64, u64);

fn identity(path: &Path) -> Option<Identity> {
    path.symlink_metadata().ok().map(|metadata| identity_of(&metadata))
}

#[cfg(unix)]
fn identity_of(metadata: &Metadata) -> Identity {
    use std::os::unix::fs::MetadataExt as _;
    (metadata.dev(), metadata.ino())
}

/// An open file cannot be renamed on this system.
#[cfg(not(unix))]
fn identity_of(metadata: &Metadata) -> Identity {
    (u64::from(metadata.is_file()), 0)
}

/// Endings of a store, its log and the index of the log. The file itself is first: a log without
/// its file is never read.
const FILES: [&str; 3] = ["", "-wal", "-shm"];

const MAGIC: &[u8] = b"SQLite format 3\0";

/// Bytes of the header of a SQLite file.
const HEADER: u64 = 100;

/// Whether there is a file, if it may be used.
fn check_file(path: &Path) -> Result<bool, StoreError> {
    let metadata = match path.symlink_metadata() {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(doing("look at", path, error)),
    };
    if !metadata.is_file() {
        let message = format!("{} is not a regular file", shown(path));
        return Err(StoreError::new(StoreErrorKind::Denied, message));
    }
    if is_foreign(&metadata) {
        let message = format!("{} belongs to another user", shown(path));
        return Err(StoreError::new(StoreErrorKind::Denied, message));
    }
    Ok(true)
}

#[cfg(unix)]
fn is_foreign(metadata: &Metadata) -> bool {
    std::os::unix::fs::MetadataExt::uid(metadata) != rustix::process::geteuid().as_raw()
}

#[cfg(not(unix))]
const fn is_foreign(_: &Metadata) -> bool {
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

/// Options for a file that only its owner may read. SQLite gives its log the same mode.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

fn absent(path: &Path) -> StoreError {
    StoreError::new(StoreErrorKind::Absent, format!("there is no store at {}", shown(path)))
}

/// The error of the file system for an action on a file.
fn doing(action: &str, path: &Path, error: io::Error) -> StoreError {
    let kind = match error.kind() {
        ErrorKind::PermissionDenied => StoreErrorKind::Denied,
        ErrorKind::ReadOnlyFilesystem => StoreErrorKind::ReadOnly,
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
            StoreErrorKind::Full
        }
        ErrorKind::NotADirectory | ErrorKind::IsADirectory => StoreErrorKind::Unrecognised,
        _ => StoreErrorKind::Io,
    };
    StoreError::new(kind, format!("could not {action} {}", shown(path))).with_source(error)
}

fn appended(path: &Path, ending: &str) -> PathBuf {
    let mut path = OsString::from(path);
    path.push(ending);
    path.into()
}

fn first(bytes: &[u8], most: usize) -> &[u8] {
    bytes.get(..most).unwrap_or(bytes)
}
