//! Files and standard input, read without trusting their size.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use verger::{Dialect, Untrusted};

use crate::error::Error;
use crate::limits::{HEAD_BYTES, INPUT_BYTES, LINE_BYTES, ROBOTS_BYTES};
use crate::quote::quoted;

/// Whether a file name stands for standard input: `-`, or what systems call it. All of them read from
/// the one stream, which is empty the second time.
pub(crate) fn is_stdin(path: &Path) -> bool {
    let devices = ["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"];
    path.as_os_str() == "-" || devices.iter().any(|device| path == Path::new(device))
}

/// An error where more than one of these is standard input.
pub(crate) fn read_stdin_once<'p>(
    paths: impl IntoIterator<Item = &'p PathBuf>,
) -> Result<(), Error> {
    match paths.into_iter().filter(|path| is_stdin(path)).count() {
        0 | 1 => Ok(()),
        many => Err(Error::new(format!(
            "expected standard input once, because it can be read only once, but found it {many} times"
        ))),
    }
}

/// A file's name in a sentence, escaped.
pub(crate) fn shown(path: &Path) -> String {
    if is_stdin(path) { "standard input".to_owned() } else { quoted(bytes_of(path)) }
}

/// A file's name before a line number, escaped, in the form that editors find.
pub(crate) fn place(path: &Path) -> String {
    if is_stdin(path) { "<stdin>".to_owned() } else { Untrusted::new(bytes_of(path)).to_string() }
}

/// A robots.txt: as much of it as the dialect could have a use for, and enough to see that there is
/// more.
pub(crate) fn read_robots(path: &Path, dialect: &Dialect) -> Result<Vec<u8>, Error> {
    read_from(open(path)?, path, dialect)
}

/// The same of a regular file and of nothing else: a stream that has been read to its end would be taken
/// for an empty robots.txt, which allows everything, and one that nobody writes to would be waited for.
pub(crate) fn read_regular_robots(path: &Path, dialect: &Dialect) -> Result<Vec<u8>, Error> {
    let name = quoted(bytes_of(path));
    let refused = |what: &str| {
        Err(Error::new(format!(
            "expected the name of a regular file, but found {name}, which is {what}"
        )))
    };
    if is_stdin(path) {
        return refused("standard input");
    }
    // Before it is opened, because opening some of them waits or has an effect.
    let found = std::fs::metadata(path).map_err(|error| Error::reading(&name, &error))?;
    match found.file_type() {
        kind if kind.is_file() => read_from(Box::new(open_file(path)?), path, dialect),
        kind if kind.is_dir() => refused("a directory"),
        _ => refused("a device, a pipe or a socket"),
    }
}

fn read_from(reader: Box<dyn Read>, path: &Path, dialect: &Dialect) -> Result<Vec<u8>, Error> {
    let (limit, is_ours) = match dialect.byte_limit {
        // The limit is one of text in UTF-8, of which UTF-16 takes at most two bytes for one, and a mark.
        Some(limit) if dialect.utf16 => (2 * limit + 4, false),
        Some(limit) => (limit + 1, false),
        None => (ROBOTS_BYTES, true),
    };
    let mut bytes = Vec::new();
    let read = reader.take(limit as u64 + 1).read_to_end(&mut bytes);
    read.map_err(|error| Error::reading(&shown(path), &error))?;
    if is_ours && bytes.len() > limit {
        let name = shown(path);
        let message = format!("expected at most {limit} bytes in {name}, but found more");
        return Err(Error::new(message));
    }
    Ok(bytes)
}

/// A response head. One that is longer than any server sends is an error.
pub(crate) fn read_head(path: &Path) -> Result<Vec<u8>, Error> {
    read_whole(path, HEAD_BYTES)
}

/// A file to its last byte. One that has more than so many is an error.
pub(crate) fn read_whole(path: &Path, limit: usize) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    let read = open(path)?.take(limit as u64 + 1).read_to_end(&mut bytes);
    read.map_err(|error| Error::reading(&shown(path), &error))?;
    if bytes.len() > limit {
        let name = shown(path);
        let message = format!("expected at most {limit} bytes in {name}, but found more");
        return Err(Error::new(message));
    }
    Ok(bytes)
}

/// An error of reading a file whose name is a URL gets a hint: nothing is fetched. `command` is the one
/// that reads standard input instead.
pub(crate) fn hint_at_fetching(error: Error, path: &Path, command: &str) -> Error {
    let name = path.to_string_lossy();
    let scheme = name.split_once("://").map(|(scheme, _)| scheme.to_ascii_lowercase());
    if !matches!(scheme.as_deref(), Some("http" | "https")) {
        return error;
    }
    // What a shell would take for something else is not offered for pasting.
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b":/.-_~%+@,[]".contains(&byte);
    let url = if name.bytes().all(is_plain) { &*name } else { "URL" };
    error.with_hint(format!(
        "a file is read and not fetched: `curl -s {url} | {command}` reads what another program fetched"
    ))
}

/// Opens a file, or standard input.
pub(crate) fn open(path: &Path) -> Result<Box<dyn Read>, Error> {
    if is_stdin(path) {
        return Ok(Box::new(io::stdin()));
    }
    Ok(Box::new(open_file(path)?))
}

fn open_file(path: &Path) -> Result<File, Error> {
    let failed = |error| Error::reading(&shown(path), &error);
    let file = File::open(path).map_err(failed)?;
    // Opening a directory works on some systems; what reading it then says, nobody understands.
    if file.metadata().map_err(failed)?.is_dir() {
        let name = shown(path);
        return Err(Error::new(format!("expected a file at {name}, but found a directory")));
    }
    Ok(file)
}

fn bytes_of(path: &Path) -> &[u8] {
    path.as_os_str().as_encoded_bytes()
}

/// The lines of a file, one at a time.
pub(crate) struct Lines {
    reader: BufReader<Box<dyn Read>>,
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

    fn new(reader: Box<dyn Read>, name: String, size: Option<u64>) -> Self {
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
        self.size.is_none() && !self.reader.buffer().contains(&b'\n')
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

    #[test]
    fn standard_input_has_several_names() {
        for name in ["-", "/dev/stdin", "/dev//stdin", "/dev/./fd/0", "/proc/self/fd/0"] {
            assert!(is_stdin(Path::new(name)), "{name}");
        }
        for name in ["./-", "-/", "stdin", "/dev/fd/1", "dev/stdin", "/dev/stdin/x"] {
            assert!(!is_stdin(Path::new(name)), "{name}");
        }
    }

    #[test]
    fn standard_input_and_files_have_names() {
        assert_eq!(shown(Path::new("-")), "standard input");
        assert_eq!(place(Path::new("-")), "<stdin>");
        assert_eq!(shown(Path::new("a\nb")), r"`a\nb`");
        assert_eq!(place(Path::new("a\x1b")), r"a\x1b");
    }
}
