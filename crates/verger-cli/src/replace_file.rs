//! Writing a new text to its place. A file is replaced whole or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

use tempfile::{Builder, NamedTempFile};

use crate::console::Out;
use crate::error::Error;
use crate::input::shown;
use crate::robots_sources::RobotsSource;

/// Writes `new` in place of `old`: to a file if it differs, or to standard output.
pub(crate) fn write_back(
    source: &RobotsSource,
    old: &[u8],
    new: &[u8],
    out: &mut Out,
) -> Result<(), Error> {
    match source {
        RobotsSource::File(path) | RobotsSource::Found(path) if old != new => {
            replace_file(path, old, new)
        }
        RobotsSource::File(_) | RobotsSource::Found(_) | RobotsSource::Url(_) => Ok(()),
        RobotsSource::Stdin(_) => {
            let written = out.write_all(new);
            written.map_err(|error| Error::io("write", "standard output", &error))
        }
    }
}

/// Writes `new` in place of `old` to a file that has been read before.
///
/// A new file gets the text and replaces the old one, so nobody sees a half-written file. The file
/// that a symbolic link names is replaced, and permissions stay. A file that has changed meanwhile
/// is not replaced. If nothing changes, only the leftovers of killed processes are removed.
pub(crate) fn replace_file(path: &Path, old: &[u8], new: &[u8]) -> Result<(), Error> {
    let failed = |error: io::Error| Error::io("write", &shown(path), &error);
    // The target of symbolic links: the link itself stays.
    let target = fs::canonicalize(path).map_err(failed)?;
    // In the same folder, so that it can be renamed. It is removed unless it has been renamed.
    let folder = target.parent().unwrap_or(&target);
    remove_leftovers(folder, NEW);
    if old == new {
        return Ok(());
    }
    let found = fs::metadata(&target).map_err(failed)?;
    if !found.is_file() {
        return Err(no_regular_file(path));
    }
    // Renaming needs no permission to write the file itself, but users expect that it does.
    OpenOptions::new().write(true).open(&target).map_err(failed)?;
    let mut beside = locked_file(folder).map_err(failed)?;
    let written = beside.write_all(new).and_then(|()| {
        beside.as_file().set_permissions(found.permissions())?;
        beside.as_file().sync_all()
    });
    written.map_err(failed)?;
    if fs::read(&target).map_err(failed)? != old {
        let message = format!("{} changed while it was being read", shown(path));
        return Err(Error::new(message).with_hint("run the command again"));
    }
    beside.persist(&target).map(drop).map_err(|error| failed(error.error))
}

/// The error about a path that is a folder, a pipe or the like.
pub(crate) fn no_regular_file(path: &Path) -> Error {
    Error::new(format!("expected a regular file at {}, but found another kind", shown(path)))
}

/// Makes a new file in a folder, and locks it. Until then, another process can take it for a
/// leftover, and remove it.
fn locked_file(folder: &Path) -> io::Result<NamedTempFile> {
    loop {
        let file = Builder::new().prefix(NEW).tempfile_in(folder)?;
        file.as_file().lock()?;
        if file.path().exists() {
            return Ok(file);
        }
    }
}

/// Removes the new files of killed processes, by the beginning of their names. A running process
/// has locked its file.
pub(crate) fn remove_leftovers(folder: &Path, prefix: &str) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let is_new = entry.file_name().as_encoded_bytes().starts_with(prefix.as_bytes());
        // Opening a pipe would wait for a writer.
        let is_new = is_new && entry.file_type().is_ok_and(|it| it.is_file());
        // The lock is held until the file is removed: its process waits, and makes another one.
        if is_new
            && let Ok(file) = File::open(entry.path())
            && file.try_lock().is_ok()
        {
            // A file of another user stays.
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// The beginning of the name of a file that is being written.
const NEW: &str = ".robots.txt.verger-";

/// Makes a pipe for a test.
#[cfg(unix)]
#[cfg(test)]
pub(crate) fn make_pipe(path: &Path) {
    assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_changed_file_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("robots.txt");
        fs::write(&file, "b").unwrap();
        let error = replace_file(&file, b"a", b"c").unwrap_err();
        assert!(error.to_string().ends_with("changed while it was being read"), "{error}");
        assert_eq!(
            (fs::read(&file).unwrap(), names(folder.path())),
            (b"b".to_vec(), vec!["robots.txt".to_owned()])
        );
        assert!(replace_file(folder.path(), b"", b"c").is_err());
    }

    #[test]
    fn the_next_run_removes_the_new_file_of_a_killed_one() {
        let folder = tempfile::tempdir().unwrap();
        let [file, killed, running, other] =
            ["robots.txt", ".robots.txt.verger-a", ".robots.txt.verger-b", ".robots.txt.bak"]
                .map(|name| folder.path().join(name));
        for path in [&file, &killed, &running, &other] {
            fs::write(path, "b").unwrap();
        }
        let running = File::open(running).unwrap();
        running.lock().unwrap();
        replace_file(&file, b"b", b"c").unwrap();
        let expected = [".robots.txt.bak", ".robots.txt.verger-b", "robots.txt"];
        assert_eq!(names(folder.path()), expected);
        drop(running);
        replace_file(&file, b"c", b"c").unwrap();
        assert_eq!(names(folder.path()), [".robots.txt.bak", "robots.txt"]);
    }

    #[test]
    fn files_of_one_folder_are_replaced_at_the_same_time() {
        let folder = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for name in ["a", "b", "c", "d"] {
                let file = folder.path().join(name);
                scope.spawn(move || {
                    fs::write(&file, "0").unwrap();
                    for number in 1..50_u8 {
                        let [old, new] = [number - 1, number].map(|it| it.to_string());
                        replace_file(&file, old.as_bytes(), new.as_bytes()).unwrap();
                    }
                });
            }
        });
        assert_eq!(names(folder.path()), ["a", "b", "c", "d"]);
    }

    #[cfg(unix)]
    #[test]
    fn links_pipes_and_permissions_stay() {
        use std::os::unix::fs::{PermissionsExt as _, symlink};
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join(".robots.txt.verger-x");
        make_pipe(&pipe);
        let (file, link) = (folder.path().join("a"), folder.path().join("robots.txt"));
        fs::write(&file, "old").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        symlink("a", &link).unwrap();
        replace_file(&link, b"old", b"new").unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
        assert_eq!(names(folder.path()), [".robots.txt.verger-x", "a", "robots.txt"]);
    }
}
