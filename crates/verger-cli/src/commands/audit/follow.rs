//! A log that grows, with counters on a terminal.

use std::cell::RefCell;
use std::fmt::Write as _;
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::thread;
use std::time::Instant;

use verger_audit::{Counts, Verdict};

use crate::console::Board;
use crate::error::Error;
use crate::input::{is_stdin, shown};
use crate::limits::FOLLOW_PAUSE;

/// A log that is read on at its end. A log that was rotated is opened again by its name. The end of
/// standard input is an end.
pub(super) struct Following {
    path: PathBuf,
    /// `None`: standard input.
    file: Option<File>,
    /// The log after a rotation, until the one before has been read to its end.
    next: Option<File>,
    read: u64,
    /// Whether the last line so far has no end.
    is_in_line: bool,
    counters: Rc<RefCell<Counts>>,
    board: Board,
    shown_at: Instant,
}

impl Following {
    pub(super) fn open(path: &Path, counters: Rc<RefCell<Counts>>) -> Result<Self, Error> {
        let file = if is_stdin(path) { None } else { Some(File::open(path)) };
        let file = file.transpose().map_err(|error| Error::io("read", &shown(path), &error))?;
        let (path, board, shown_at) = (path.to_owned(), Board::stdout(), Instant::now());
        let (next, read, is_in_line) = (None, 0, false);
        Ok(Self { path, file, next, read, is_in_line, counters, board, shown_at })
    }

    fn show(&mut self) -> io::Result<()> {
        self.shown_at = Instant::now();
        let (counters, mut text) = (self.counters.borrow(), String::new());
        for verdict in Verdict::ALL {
            let _ = writeln!(text, "{:20} {:>12}", verdict.name(), counters.get(verdict));
        }
        self.board.show(&text)
    }

    /// Called at the end of the log. Opens the log again if another file has its name, or if it was
    /// cut; but first the one before is read once more, because the server may have written to it
    /// until now. Returns whether the next file is known, but not yet read.
    fn reopen(&mut self) -> io::Result<bool> {
        if let Some(next) = self.next.take() {
            (self.file, self.read) = (Some(next), 0);
            return Ok(false);
        }
        // Between the two steps of a rotation, there is none.
        let Ok(named) = File::open(&self.path) else { return Ok(false) };
        let Some(file) = &self.file else { return Ok(false) };
        let (new, old) = (named.metadata()?, file.metadata()?);
        if !is_same(&new, &old) || new.len() < self.read {
            self.next = Some(named);
        }
        Ok(self.next.is_some())
    }
}

impl Read for Following {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.shown_at.elapsed() >= FOLLOW_PAUSE {
            self.show()?;
        }
        loop {
            // A server that was stopped leaves a line without an end. The next log begins a new one.
            if self.read == 0 && self.is_in_line {
                self.is_in_line = false;
                return b"\n".as_slice().read(buffer);
            }
            let read = match &mut self.file {
                Some(file) => file.read(buffer)?,
                None => io::stdin().read(buffer)?,
            };
            if read > 0 {
                self.read += read as u64;
                self.is_in_line = buffer[..read].last().is_some_and(|byte| *byte != b'\n');
                return Ok(read);
            }
            self.show()?;
            if self.file.is_none() {
                return Ok(read);
            }
            thread::sleep(FOLLOW_PAUSE);
            if self.reopen()? {
                // Servers write to the old file for a moment.
                thread::sleep(FOLLOW_PAUSE);
            }
        }
    }
}

#[cfg(unix)]
fn is_same(new: &Metadata, old: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    (new.dev(), new.ino()) == (old.dev(), old.ino())
}

/// Without numbers of files, only a shorter file shows a rotation.
#[cfg(not(unix))]
fn is_same(_: &Metadata, _: &Metadata) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::io::Write as _;

    #[test]
    fn a_log_is_opened_again_after_a_rotation() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("access.log");
        fs::write(&path, "first\n").unwrap();
        let mut log = Following::open(&path, Rc::default()).unwrap();
        let mut buffer = [0; 100];
        let mut read = |log: &mut Following| {
            let length = log.file.as_mut().unwrap().read(&mut buffer).unwrap();
            log.read += length as u64;
            String::from_utf8_lossy(&buffer[..length]).into_owned()
        };
        assert_eq!(read(&mut log), "first\n");
        log.reopen().unwrap();
        assert_eq!(read(&mut log), "");
        let rotated = folder.path().join("access.log.1");
        fs::rename(&path, &rotated).unwrap();
        assert!(!log.reopen().unwrap());
        fs::write(&path, "second\n").unwrap();
        assert!(log.reopen().unwrap());
        // The server has not yet opened the new file.
        fs::OpenOptions::new().append(true).open(&rotated).unwrap().write_all(b"last\n").unwrap();
        assert_eq!(read(&mut log), "last\n");
        assert_eq!(read(&mut log), "");
        log.reopen().unwrap();
        assert_eq!(read(&mut log), "second\n");
        fs::write(&path, "3\n").unwrap();
        assert!(log.reopen().unwrap());
        log.reopen().unwrap();
        assert_eq!(read(&mut log), "3\n");
    }

    #[test]
    fn a_line_without_an_end_ends_at_a_rotation() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("access.log");
        for (first, next, expected) in [
            ("first, cut", "2\n", "first, cut\n2\n"),
            ("first, whole\n", "2\n", "first, whole\n2\n"),
        ] {
            fs::write(&path, first).unwrap();
            let mut log = Following::open(&path, Rc::default()).unwrap();
            let mut found = vec![0; expected.len()];
            log.read_exact(&mut found[..first.len()]).unwrap();
            fs::write(&path, next).unwrap();
            assert!(log.reopen().unwrap());
            log.reopen().unwrap();
            log.read_exact(&mut found[first.len()..]).unwrap();
            assert_eq!(String::from_utf8_lossy(&found), expected);
        }
    }
}
