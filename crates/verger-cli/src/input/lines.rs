//! A file or standard input, line by line.

use std::io::{self, BufRead as _, BufReader, Read};
use std::path::Path;

use super::{is_stdin, open_file, place};
use crate::error::Error;
use crate::limits::{INPUT_BYTES, LINE_BYTES};

/// The lines of a file, one at a time.
pub(crate) struct Lines {
    reader: BufReader<Box<dyn Read + Send>>,
    name: String,
    buffer: Vec<u8>,
    number: u64,
    read: u64,
    size: Option<u64>,
    limit: usize,
}

impl Lines {
    /// Opens a file, or standard input.
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        if is_stdin(path) {
            return Ok(Self::new(Box::new(io::stdin()), place(path), None));
        }
        let file = open_file(path)?;
        let size = file.metadata().ok().filter(std::fs::Metadata::is_file).map(|meta| meta.len());
        Ok(Self::new(Box::new(file), place(path), size))
    }

    /// The lines of a reader that may wait.
    #[cfg(test)]
    pub(crate) fn of(reader: Box<dyn Read + Send>, name: String) -> Self {
        Self::new(reader, name, None)
    }

    fn new(reader: Box<dyn Read + Send>, name: String, size: Option<u64>) -> Self {
        let reader = BufReader::with_capacity(INPUT_BYTES, reader);
        Self { reader, name, buffer: Vec::new(), number: 0, read: 0, size, limit: LINE_BYTES }
    }

    /// Reads the next line that is not blank, for [`line`](Self::line); `None` behind the last one.
    ///
    /// An error takes the place of a line that is too long; behind an error of reading there is nothing
    /// more.
    pub(crate) fn advance(&mut self) -> Option<Result<(), Error>> {
        loop {
            self.number += 1;
            self.buffer.clear();
            let limit = self.limit as u64 + 1;
            match self.reader.by_ref().take(limit).read_until(b'\n', &mut self.buffer) {
                Ok(0) => return None,
                Ok(length) => self.read += length as u64,
                Err(error) => {
                    self.reader = BufReader::new(Box::new(io::empty()));
                    return Some(Err(Error::reading("the line", &error)));
                }
            }
            if self.buffer.len() > self.limit && !self.buffer.ends_with(b"\n") {
                return Some(Err(self.skip_long_line()));
            }
            if !self.line().is_empty() {
                return Some(Ok(()));
            }
        }
    }

    /// The line that was read last, without its end, and without the byte order mark that some editors
    /// put before the first line. Nothing for a blank line.
    pub(crate) fn line(&self) -> &[u8] {
        let line = self.buffer.strip_suffix(b"\n").unwrap_or(&self.buffer);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let mark = if self.number == 1 { "\u{feff}" } else { "" };
        let line = line.strip_prefix(mark.as_bytes()).unwrap_or(line);
        if line.iter().all(u8::is_ascii_whitespace) { &[] } else { line }
    }

    fn skip_long_line(&mut self) -> Error {
        self.buffer = Vec::new();
        match self.reader.skip_until(b'\n') {
            Ok(skipped) => self.read += skipped as u64,
            Err(_) => self.reader = BufReader::new(Box::new(io::empty())),
        }
        let limit = self.limit;
        Error::new(format!("expected a line of at most {limit} bytes, but found a longer one"))
    }

    /// The file's name before a line number, escaped.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The number of the line that was read last, from 1.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// How much has been read of how many bytes; `None` where the end is not known.
    pub(crate) fn progress(&self) -> Option<(u64, u64)> {
        self.size.map(|size| (self.read, size))
    }

    /// Whether the next line may take its time: it is not here yet, and it does not come from a disk.
    pub(crate) fn may_wait(&self) -> bool {
        let is_here = |line: &[u8]| line.ends_with(b"\n") && !line.trim_ascii().is_empty();
        self.size.is_none()
            && !self.reader.buffer().split_inclusive(|byte| *byte == b'\n').any(is_here)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &'static [u8], limit: usize) -> Vec<(u64, Result<Vec<u8>, String>)> {
        let mut lines = Lines::new(Box::new(text), "x".into(), None);
        lines.limit = limit;
        let mut all = Vec::new();
        while let Some(read) = lines.advance() {
            let line = read.map(|()| lines.line().to_vec()).map_err(|error| error.to_string());
            all.push((lines.number(), line));
        }
        all
    }

    fn ok(number: u64, text: &[u8]) -> (u64, Result<Vec<u8>, String>) {
        (number, Ok(text.to_vec()))
    }

    #[test]
    fn lines_end_at_lf_and_crlf_and_blank_ones_only_count() {
        let text = b"\xef\xbb\xbfa\r\n\n \t\r\nb\xff\r\r\n\xef\xbb\xbfc";
        assert_eq!(lines(text, 10), [ok(1, b"a"), ok(4, b"b\xff\r"), ok(5, b"\xef\xbb\xbfc")]);
        assert_eq!(lines(b"", 10), []);
    }

    #[test]
    fn a_line_that_is_too_long_is_an_error_and_the_next_one_is_read() {
        let found = lines(b"abcd\nabc\nabcdefgh\nx\nabcd", 3);
        assert_eq!(found[1], ok(2, b"abc"));
        assert_eq!(found[3], ok(4, b"x"));
        assert!(found[0].1.is_err() && found[2].1.is_err() && found[4].1.is_err());
        assert_eq!(found.len(), 5);
    }

    #[test]
    fn a_blank_line_is_not_what_is_waited_for() {
        let mut lines = Lines::of(Box::new(&b"a\n \n\nb"[..]), "x".into());
        assert_eq!((lines.advance(), lines.may_wait()), (Some(Ok(())), true));
        let mut lines = Lines::of(Box::new(&b"a\n\nb\n"[..]), "x".into());
        assert_eq!((lines.advance(), lines.may_wait()), (Some(Ok(())), false));
    }

    #[test]
    fn behind_an_error_of_reading_there_is_nothing() {
        struct Broken;
        impl Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::from_raw_os_error(5))
            }
        }
        let mut lines = Lines::new(Box::new(b"a\nb".chain(Broken)), "x".into(), None);
        assert_eq!(lines.advance(), Some(Ok(())));
        let error = lines.advance().unwrap().unwrap_err();
        assert_eq!(error.to_string(), "could not read the line: Input/output error");
        assert_eq!((lines.number(), lines.advance()), (2, None));
    }
}
