//! Files and standard input, with limits on their size.

use std::env;
use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader, Read};
use std::path::{Path, PathBuf};

use verger::{Dialect, Untrusted, quoted};

use crate::console::Progress;
use crate::error::Error;
use crate::limits::{INPUT_BYTES, LINE_BYTES, PROGRESS_LINES, ROBOTS_BYTES};
use crate::url_check::is_url;

/// Whether a file name is standard input: `-`, or a name of the operating system. All of them read
/// the same stream, which is empty the second time.
pub(crate) fn is_stdin(path: &Path) -> bool {
    let devices = ["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"];
    path.as_os_str() == "-" || devices.iter().any(|device| path == Path::new(device))
}

/// Fails if more than one of these paths is standard input.
pub(crate) fn read_stdin_once<P: AsRef<Path>>(
    paths: impl IntoIterator<Item = P>,
) -> Result<(), Error> {
    match paths.into_iter().filter(|path| is_stdin(path.as_ref())).count() {
        0 | 1 => Ok(()),
        many => Err(Error::new(format!(
            "standard input can be read only once, but is given {many} times"
        ))),
    }
}

/// The name of a file for a sentence, escaped.
pub(crate) fn shown(path: &Path) -> String {
    if is_stdin(path) { "standard input".to_owned() } else { quoted(bytes_of(path)) }
}

/// The name of a file before a line number, escaped, in the form that editors recognise.
pub(crate) fn place(path: &Path) -> String {
    if is_stdin(path) { "<stdin>".to_owned() } else { Untrusted::new(bytes_of(path)).to_string() }
}

/// A path for services, which look for it in the repository: relative to the `GITHUB_WORKSPACE` of
/// GitHub Actions, or else to the current folder. Unchanged if the file is below neither.
pub(crate) fn below(path: &Path) -> PathBuf {
    let workspace = env::var_os("GITHUB_WORKSPACE").map(PathBuf::from);
    let mut roots = workspace.into_iter().chain(env::current_dir()).filter(|_| !is_stdin(path));
    let found = roots.find_map(|root| relative(path, &root));
    found.unwrap_or_else(|| path.strip_prefix(".").unwrap_or(path).to_owned())
}

/// A path relative to a folder, if the file is below it. The file can be a symbolic link.
fn relative(path: &Path, root: &Path) -> Option<PathBuf> {
    let folder = path.parent().filter(|it| *it != Path::new("")).unwrap_or(Path::new("."));
    let file = fs::canonicalize(folder).ok()?.join(path.file_name()?);
    Some(file.strip_prefix(fs::canonicalize(root).ok()?).ok()?.to_owned())
}

/// Reads a robots.txt, up to a little more than the limit of the dialect.
///
/// Closed standard input is an error, because an empty file allows everything.
pub(crate) fn read_robots(path: &Path, dialect: &Dialect) -> Result<Vec<u8>, Error> {
    read_from(open_robots(path)?, path, dialect)
}

/// Reads a robots.txt as [`read_robots`], but without the limit of a dialect.
pub(crate) fn read_whole_robots(path: &Path) -> Result<Vec<u8>, Error> {
    read_limited(open_robots(path)?, path, ROBOTS_BYTES)
}

fn open_robots(path: &Path) -> Result<Box<dyn Read>, Error> {
    if is_stdin(path) && is_stdin_closed() {
        let error = "expected a robots.txt at standard input, but it is closed or `/dev/null`";
        return Err(Error::new(error).with_hint("to use an empty file, give its name"));
    }
    open(path)
}

/// Whether standard input was closed when the program started. Rust's runtime replaces it by the
/// null device.
fn is_stdin_closed() -> bool {
    #[cfg(unix)]
    {
        use std::os::fd::AsFd as _;
        use std::os::unix::fs::MetadataExt as _;
        let device = |file: io::Result<File>| Some(file.ok()?.metadata().ok()?.rdev());
        let stdin = device(io::stdin().as_fd().try_clone_to_owned().map(File::from));
        stdin.is_some() && stdin == device(File::open("/dev/null"))
    }
    #[cfg(not(unix))]
    false
}

/// Reads a robots.txt as [`read_robots`], from regular files only. A stream that is already at its
/// end would be an empty robots.txt, which allows everything; a pipe without a writer would block.
pub(crate) fn read_regular_robots(path: &Path, dialect: &Dialect) -> Result<Vec<u8>, Error> {
    read_from(open_regular(path)?, path, dialect)
}

/// Reads a whole regular file. A file longer than `limit` bytes is an error.
pub(crate) fn read_regular(path: &Path, limit: usize) -> Result<Vec<u8>, Error> {
    read_limited(open_regular(path)?, path, limit)
}

fn open_regular(path: &Path) -> Result<Box<dyn Read>, Error> {
    let name = quoted(bytes_of(path));
    let refused = |what: &str| {
        Err(Error::new(format!(
            "expected the name of a regular file, but found {name}, which is {what}"
        )))
    };
    if is_stdin(path) {
        return refused("standard input");
    }
    // Before opening, which blocks or has an effect for some special files.
    let found = match fs::metadata(path) {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound && path.is_symlink() => {
            return refused("a symbolic link to a missing file");
        }
        Err(error) => return Err(Error::io("read", &name, &error)),
    };
    if found.is_dir() {
        return refused("a directory");
    }
    if found.is_file() {
        let file = open_at_once(path).map_err(|error| Error::io("read", &name, &error))?;
        // The file can have been replaced meanwhile.
        if file.metadata().is_ok_and(|it| it.is_file()) {
            return Ok(Box::new(file));
        }
    }
    refused("a device, a pipe or a socket")
}

/// Opens a file without blocking, as opening a pipe would.
fn open_at_once(path: &Path) -> io::Result<File> {
    #[cfg(unix)]
    {
        use rustix::fs::{Mode, OFlags, open};
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
        Ok(File::from(open(path, flags, Mode::empty())?))
    }
    #[cfg(not(unix))]
    File::open(path)
}

fn read_from(reader: Box<dyn Read>, path: &Path, dialect: &Dialect) -> Result<Vec<u8>, Error> {
    match dialect.byte_limit {
        // The limit is in bytes of UTF-8. UTF-16 takes at most two bytes for each, and a byte order
        // mark.
        Some(limit) if dialect.utf16 => read_up_to(reader, path, 2 * limit + 5),
        Some(limit) => read_up_to(reader, path, limit + 2),
        None => read_limited(reader, path, ROBOTS_BYTES),
    }
}

fn read_up_to(reader: Box<dyn Read>, path: &Path, bytes: usize) -> Result<Vec<u8>, Error> {
    let mut read = Vec::new();
    let done = reader.take(bytes as u64).read_to_end(&mut read);
    done.map_err(|error| Error::io("read", &shown(path), &error))?;
    Ok(read)
}

fn read_limited(reader: Box<dyn Read>, path: &Path, limit: usize) -> Result<Vec<u8>, Error> {
    let bytes = read_up_to(reader, path, limit + 1)?;
    if bytes.len() > limit {
        let name = shown(path);
        let message = format!("expected at most {limit} bytes in {name}, but found more");
        return Err(Error::new(message));
    }
    Ok(bytes)
}

/// Reads a whole file. A file longer than `limit` bytes is an error.
pub(crate) fn read_whole(path: &Path, limit: usize) -> Result<Vec<u8>, Error> {
    read_limited(open(path)?, path, limit)
}

/// Adds a hint if the name of an unreadable file is a URL: the option fetches nothing. `command` is
/// the command that reads standard input instead.
pub(crate) fn hint_at_fetching(error: Error, path: &Path, command: &str) -> Error {
    if !is_url(path) {
        return error;
    }
    let name = path.to_string_lossy();
    // A URL with special characters of the shell is not shown for pasting.
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b":/.-_~%+@,[]".contains(&byte);
    let url = if name.bytes().all(is_plain) { &*name } else { "URL" };
    error.with_hint(format!(
        "this option reads a file; without it, Verger fetches from the site; `curl -s {url} | {command}` reads what \
         another program has fetched"
    ))
}

/// Opens a file, or standard input.
pub(crate) fn open(path: &Path) -> Result<Box<dyn Read>, Error> {
    Ok(open_with_size(path)?.0)
}

/// Opens a file, or standard input. A regular file has a size.
fn open_with_size(path: &Path) -> Result<(Box<dyn Read + Send>, Option<u64>), Error> {
    if is_stdin(path) {
        return Ok((Box::new(io::stdin()), None));
    }
    let failed = |error| Error::io("read", &shown(path), &error);
    let file = File::open(path).map_err(failed)?;
    let found = file.metadata().map_err(failed)?;
    // Some systems open directories, and the error of reading them is hard to understand.
    if found.is_dir() {
        let name = shown(path);
        return Err(Error::new(format!("expected a file at {name}, but found a directory")));
    }
    Ok((Box::new(file), found.is_file().then_some(found.len())))
}

/// A file or standard input whose reading is shown as a progress bar: by the bytes of the file,
/// also if it is compressed.
pub(crate) struct Watched<'p> {
    reader: Box<dyn Read + Send>,
    read: u64,
    size: Option<u64>,
    progress: &'p mut Progress,
}

impl<'p> Watched<'p> {
    /// Opens a file, or standard input.
    pub(crate) fn open(path: &Path, progress: &'p mut Progress) -> Result<Self, Error> {
        let (reader, size) = open_with_size(path)?;
        Ok(Self { reader, read: 0, size, progress })
    }
}

impl Read for Watched<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(buffer)?;
        self.read += read as u64;
        self.progress.show(self.size.map(|size| (self.read, size)));
        Ok(read)
    }
}

pub(crate) fn bytes_of(path: &Path) -> &[u8] {
    path.as_os_str().as_encoded_bytes()
}

/// The lines of a file or of standard input.
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
        let (reader, size) = open_with_size(path)?;
        Ok(Self::new(reader, place(path), size))
    }

    /// Lines of a reader. Without a size, it can block.
    pub(crate) fn new(reader: Box<dyn Read + Send>, name: String, size: Option<u64>) -> Self {
        let reader = BufReader::with_capacity(INPUT_BYTES, reader);
        Self { reader, name, buffer: Vec::new(), number: 0, read: 0, size, limit: LINE_BYTES }
    }

    /// Reads the next line that is not blank, for [`line`](Self::line); `None` after the last one.
    ///
    /// A line that is too long is an error, and the next call continues after it. A failed read is
    /// an error, and the last one.
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
                    return Some(Err(Error::io("read", "the line", &error)));
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

    /// The last line, without its line end, and without the byte order mark that some editors write
    /// at the beginning of a file. Empty for a blank line.
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

    /// The name of the file for messages, escaped.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The number of the last line, from 1.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Bytes that were read, and bytes in total; `None` if the total is unknown.
    pub(crate) fn progress(&self) -> Option<(u64, u64)> {
        self.size.map(|size| (self.read, size))
    }

    /// Shows the position in a progress bar.
    pub(crate) fn show_in(&self, progress: &mut Progress) {
        if self.number.is_multiple_of(PROGRESS_LINES) {
            progress.show(self.progress());
        }
    }

    /// Whether reading the next line can block: it is not in the buffer, and the input is not a
    /// file.
    pub(crate) fn may_wait(&self) -> bool {
        let is_complete = |line: &[u8]| line.ends_with(b"\n") && !line.trim_ascii().is_empty();
        self.size.is_none()
            && !self.reader.buffer().split_inclusive(|byte| *byte == b'\n').any(is_complete)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn names_of_files_are_escaped() {
        assert_eq!(shown(Path::new("-")), "standard input");
        assert_eq!(place(Path::new("-")), "<stdin>");
        assert_eq!(shown(Path::new("a\nb")), r"`a\nb`");
        assert_eq!(place(Path::new("a\x1b")), r"a\x1b");
    }

    #[test]
    fn paths_are_relative_to_a_folder_above_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::create_dir_all(root.join("site/tests")).unwrap();
        for (path, from, expected) in [
            ("site/robots.txt", "", Some("site/robots.txt")),
            ("site/tests/../robots.txt", "", Some("site/robots.txt")),
            ("site/./robots.txt", "site", Some("robots.txt")),
            ("robots.txt", "site", None),
            ("missing/robots.txt", "", None),
            ("robots.txt", "missing", None),
            ("..", "", None),
        ] {
            let found = relative(&root.join(path), &root.join(from));
            assert_eq!(found.as_deref(), expected.map(Path::new), "{path} from {from}");
        }
        // Beside the manifest, where tests run.
        let here = env::current_dir().unwrap();
        assert_eq!(relative(Path::new("robots.txt"), &here), Some("robots.txt".into()));
        assert_eq!(relative(Path::new("src/robots.txt"), &here), Some("src/robots.txt".into()));
    }

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
    fn lines_end_at_lf_and_crlf_and_blank_ones_are_counted_but_skipped() {
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
    fn a_blank_line_in_the_buffer_does_not_count_as_a_next_line() {
        let mut lines = Lines::new(Box::new(&b"a\n \n\nb"[..]), "x".into(), None);
        assert_eq!((lines.advance(), lines.may_wait()), (Some(Ok(())), true));
        let mut lines = Lines::new(Box::new(&b"a\n\nb\n"[..]), "x".into(), None);
        assert_eq!((lines.advance(), lines.may_wait()), (Some(Ok(())), false));
    }

    #[test]
    fn a_failed_read_ends_the_lines() {
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
