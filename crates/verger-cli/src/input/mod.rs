//! Files and standard input, read without trusting their size.

mod lines;

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use verger::{Dialect, Untrusted};

pub(crate) use self::lines::Lines;
use crate::error::Error;
use crate::limits::{HEAD_BYTES, ROBOTS_BYTES};
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
///
/// Standard input that is closed is an error: an empty file would allow everything.
pub(crate) fn read_robots(path: &Path, dialect: &Dialect) -> Result<Vec<u8>, Error> {
    if is_stdin(path) && is_stdin_closed() {
        let error =
            "expected a robots.txt at standard input, but found that it is closed, or `/dev/null`";
        return Err(Error::new(error).with_hint("an empty file can be given by its name"));
    }
    read_from(open(path)?, path, dialect)
}

/// Whether standard input was closed when the program began: then it is the null device, which the runtime
/// puts in its place.
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
    if found.is_dir() {
        return refused("a directory");
    }
    if found.is_file() {
        let file = open_at_once(path).map_err(|error| Error::reading(&name, &error))?;
        // Another one may have its name by now.
        if file.metadata().is_ok_and(|it| it.is_file()) {
            return read_from(Box::new(file), path, dialect);
        }
    }
    refused("a device, a pipe or a socket")
}

/// Opens a file without waiting for anybody, as opening a pipe does.
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
        "this option reads a file; without it, Verger fetches from the site; `curl -s {url} | {command}` reads what \
         another program has fetched"
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
    fn standard_input_and_files_have_names() {
        assert_eq!(shown(Path::new("-")), "standard input");
        assert_eq!(place(Path::new("-")), "<stdin>");
        assert_eq!(shown(Path::new("a\nb")), r"`a\nb`");
        assert_eq!(place(Path::new("a\x1b")), r"a\x1b");
    }
}
