//! Lines of a list or log.

use std::fmt;
use std::io::{self, BufRead as _, BufReader, ErrorKind, Read};

use memchr::memchr;

use crate::gzip::Plain;
use crate::limits::{DECOMPRESSED_BYTES, LINE_BYTES, READ_BYTES};

/// An error of a reader.
pub fn could_not_read(error: &io::Error) -> String {
    format!("could not read: {error}")
}

/// An error with its line, counted from 1.
pub fn at_line(line: u64, message: impl fmt::Display) -> String {
    format!("{message} (line {line})")
}

/// The lines of data that may be compressed with gzip.
///
/// ```
/// use verger_audit::lines::Lines;
///
/// let mut lines = Lines::new(&b"a\n\n b\r\n"[..]).unwrap();
/// let mut found = Vec::new();
/// while lines.advance().unwrap() {
///     found.push((lines.number(), lines.text().to_vec()));
/// }
/// assert_eq!(found, [(1, b"a".to_vec()), (3, b"b".to_vec())]);
/// ```
#[derive(Debug)]
pub struct Lines<R: Read> {
    reader: BufReader<Plain<R>>,
    line: Vec<u8>,
    number: u64,
    is_too_long: bool,
    is_truncated: bool,
}

impl<R: Read> Lines<R> {
    /// The lines of a reader.
    ///
    /// # Errors
    ///
    /// The reader fails.
    pub fn new(reader: R) -> io::Result<Self> {
        let plain = Plain::new(reader, DECOMPRESSED_BYTES)?;
        let (reader, line) = (BufReader::with_capacity(READ_BYTES, plain), Vec::new());
        Ok(Self { reader, line, number: 0, is_too_long: false, is_truncated: false })
    }

    /// Goes to the next line that is not blank. Returns whether there is one.
    ///
    /// # Errors
    ///
    /// The reader fails.
    pub fn advance(&mut self) -> io::Result<bool> {
        while !self.is_truncated && self.read()? {
            self.number += 1;
            if self.is_too_long || !self.text().is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Its number, from 1.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// The line without its end, a byte order mark and white space at both ends; the beginning of
    /// one that is too long.
    pub fn text(&self) -> &[u8] {
        let text = &self.line[..];
        let text = if self.number == 1 {
            text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text)
        } else {
            text
        };
        text.trim_ascii()
    }

    /// Whether the line has more than [`LINE_BYTES`].
    pub fn is_too_long(&self) -> bool {
        self.is_too_long
    }

    /// Whether the line has an end: the last one may be cut.
    pub fn is_ended(&self) -> bool {
        self.is_too_long || self.line.ends_with(b"\n")
    }

    /// Whether the compressed data is cut off, or other bytes follow it, which were not read. A
    /// last line that is cut is not read either.
    pub fn is_truncated(&self) -> bool {
        self.is_truncated
    }

    /// Reads a line. Returns whether there is one.
    fn read(&mut self) -> io::Result<bool> {
        self.line.clear();
        let mut read = self.read_part();
        self.is_too_long = self.line.len() > LINE_BYTES && !self.line.ends_with(b"\n");
        if self.is_too_long {
            read = self.reader.skip_until(b'\n');
        }
        match read {
            Err(error)
                if matches!(error.kind(), ErrorKind::UnexpectedEof | ErrorKind::InvalidData) =>
            {
                self.is_truncated = true;
                Ok(self.is_too_long)
            }
            read => read.map(|_| !self.line.is_empty()),
        }
    }

    /// Reads a line, or the first bytes of one that is too long. Returns their number.
    /// `BufRead::read_until` searches more slowly than `memchr`.
    fn read_part(&mut self) -> io::Result<usize> {
        loop {
            let available = match self.reader.fill_buf() {
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                available => available?,
            };
            let available = &available[..available.len().min(LINE_BYTES + 1 - self.line.len())];
            let end = memchr(b'\n', available);
            let used = end.map_or(available.len(), |end| end + 1);
            self.line.extend_from_slice(&available[..used]);
            self.reader.consume(used);
            if end.is_some() || used == 0 {
                return Ok(self.line.len());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gzip::compressed;

    fn read(data: &[u8]) -> (Vec<(u64, usize)>, Lines<&[u8]>) {
        let mut lines = Lines::new(data).expect("lines");
        let mut found = Vec::new();
        while lines.advance().expect("a line") {
            found.push((lines.number(), if lines.is_too_long() { 0 } else { lines.text().len() }));
        }
        (found, lines)
    }

    #[test]
    fn blank_lines_are_counted_but_skipped() {
        let (found, _) = read(b"\xef\xbb\xbfa\r\n \n\nb\n\xef\xbb\xbfc");
        assert_eq!(found, [(1, 1), (4, 1), (5, 4)]);
    }

    #[test]
    fn a_long_line_is_one_and_the_next_is_read() {
        let long = [&vec![b'a'; 3 * LINE_BYTES][..], b"\nb\n", &vec![b'a'; LINE_BYTES]].concat();
        assert_eq!(read(&long).0, [(1, 0), (2, 1), (3, LINE_BYTES)]);
        assert_eq!(read(&long[LINE_BYTES * 2 - 1..]).0[0], (1, 0));
        assert_eq!(read(&long[LINE_BYTES * 2..]).0[0], (1, LINE_BYTES));
    }

    #[test]
    fn whole_lines_of_cut_data_are_read() {
        let text: Vec<u8> =
            (0..20_000).flat_map(|at| format!("line {at}\n").into_bytes()).collect();
        let data = compressed(&text);
        for length in [data.len() - 1, data.len() - 8, data.len() / 2, 12] {
            let (found, lines) = read(&data[..length]);
            assert!(lines.is_truncated() && found.len() <= 20_000, "{length}");
            let whole = |(at, (number, bytes)): (usize, &(u64, usize))| {
                *number == at as u64 + 1 && *bytes == format!("line {at}").len()
            };
            assert!(found.iter().enumerate().all(whole), "{length}");
            assert_eq!(found.len() > 1000, length > 1000, "{length}");
        }
        assert!(!read(&data).1.is_truncated());
    }
}
