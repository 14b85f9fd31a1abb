//! The folder with the files of a run, which only one run at a time can use.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::{env, io};

use tempfile::TempDir;

use crate::error::{Error, Result, shown};

/// Name of the manifest.
pub(crate) const MANIFEST: &str = "manifest.jsonl";

/// Name of the locked file.
const LOCK: &str = "lock";

/// A locked work folder. Only files of runs are ever removed from it.
#[derive(Debug)]
pub(crate) struct WorkFolder {
    pub(crate) path: PathBuf,
    /// Removes the folder, if nothing can continue the run.
    temporary: Option<TempDir>,
    /// The system unlocks it even after a kill.
    _lock: File,
}

impl WorkFolder {
    /// Creates a folder, or opens that of an interrupted run.
    pub(crate) fn open(path: PathBuf) -> Result<Self> {
        fs::create_dir_all(&path).map_err(|error| Error::io("write", &path, &error))?;
        require_own(&path)?;
        let lock = lock_of(&path)?;
        Ok(Self { path, temporary: None, _lock: lock })
    }

    /// Creates a new folder among the temporary files of the system. It is removed with the value.
    pub(crate) fn temporary() -> Result<Self> {
        let folder = tempfile::Builder::new().prefix("verger-bulk-").tempdir();
        let folder = folder.map_err(|error| Error::io("write", &env::temp_dir(), &error))?;
        let work = Self::open(folder.path().to_owned())?;
        Ok(Self { temporary: Some(folder), ..work })
    }

    /// Whether nothing can continue the run.
    pub(crate) fn is_temporary(&self) -> bool {
        self.temporary.is_some()
    }

    /// The path of a file.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Removes everything except the lock.
    pub(crate) fn clear(&self) -> Result<()> {
        remove_own(&self.path).map_err(|error| Error::io("remove", &self.path, &error))
    }

    /// Removes the folder, unless others have put files into it.
    pub(crate) fn remove(&self) -> Result<()> {
        self.clear()?;
        let failed = |error: io::Error| Error::io("remove", &self.path, &error);
        fs::remove_file(self.path.join(LOCK)).map_err(failed)?;
        match fs::remove_dir(&self.path) {
            Err(error) if error.kind() != io::ErrorKind::DirectoryNotEmpty => Err(failed(error)),
            _ => Ok(()),
        }
    }
}

/// Whether a run writes files with this name into its work folder.
fn is_own(name: &str) -> bool {
    let endings = [".done", ".tmp", ".skipped", ".tally"];
    // Some file systems have no files without names, so a kill leaves those of `tempfile`.
    let is_unnamed = name.starts_with(".tmp");
    let has_ending = endings.iter().any(|ending| name.ends_with(ending));
    name == MANIFEST || name == LOCK || has_ending || is_unnamed
}

/// Fails if a folder has files that no run has written: it is not a work folder.
fn require_own(work: &Path) -> Result<()> {
    let failed = |error: io::Error| Error::io("read", work, &error);
    for entry in fs::read_dir(work).map_err(failed)? {
        let name = entry.map_err(failed)?.file_name();
        if !name.to_str().is_some_and(is_own) {
            let error = format!(
                "expected an empty folder or that of an interrupted run, but found {} in {}",
                shown(Path::new(&name)),
                shown(work)
            );
            return Err(Error::new(error).with_hint("`--work` names another folder"));
        }
    }
    Ok(())
}

/// Removes everything except the lock. The manifest first: without it, the rest belongs to no run.
fn remove_own(work: &Path) -> io::Result<()> {
    match fs::remove_file(work.join(MANIFEST)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    for entry in fs::read_dir(work)? {
        let entry = entry?;
        if entry.file_name().to_str().is_some_and(|name| is_own(name) && name != LOCK) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// Locks a work folder.
fn lock_of(work: &Path) -> Result<File> {
    let path = work.join(LOCK);
    let failed = |error: io::Error| Error::io("write", &path, &error);
    let file = OpenOptions::new().create(true).truncate(false).write(true).open(&path);
    let file = file.map_err(failed)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => {
            let error = format!("another run is working in {}", shown(work));
            Err(Error::new(error)
                .with_hint("wait until it ends, or name another folder with `--work`"))
        }
        Err(TryLockError::Error(error)) => Err(failed(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_has_one_run_at_a_time_and_keeps_the_files_of_others() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("work");
        let open = || WorkFolder::open(path.clone());
        let work = open().unwrap();
        let error = open().unwrap_err();
        assert!(error.to_string().contains("another run is working"), "{error}");
        for name in ["thesis.txt", "check-000000.done", "once.skipped", ".tmpAbC123", MANIFEST] {
            fs::write(path.join(name), "years of work").unwrap();
        }
        work.remove().unwrap();
        drop(work);
        let left: Vec<_> =
            fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["thesis.txt"]);
        let error = open().unwrap_err();
        assert!(error.to_string().contains("but found `thesis.txt`"), "{error}");
        fs::remove_file(path.join("thesis.txt")).unwrap();
        open().unwrap().remove().unwrap();
        assert!(!path.exists());
    }

    #[test]
    fn nothing_remains_of_a_temporary_folder() {
        let work = WorkFolder::temporary().unwrap();
        let path = work.path.clone();
        fs::write(work.file("check-000000.done"), "").unwrap();
        drop(work);
        assert!(!path.exists());
    }
}
