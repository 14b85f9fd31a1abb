//! Versions of files in a repository, read by the program `git`.

use std::io::{self, Read as _};
use std::path::Path;
use std::process::{Command, Stdio};

use verger::Untrusted;
use verger::limits::QUOTED_CHARS;

/// Runs the program `git` with these arguments in a folder, and returns its output. The current
/// folder has an empty path.
///
/// # Errors
///
/// A sentence with escaped foreign text. `Other`: git failed; the sentence is the first line of its
/// message. `FileTooLarge`: its output has more bytes than `most`. The program is missing, or did
/// not run.
pub fn git(folder: &Path, arguments: &[&str], most: u64) -> io::Result<Vec<u8>> {
    let no_git = |error: io::Error| {
        io::Error::new(error.kind(), format!("could not run the program `git`: {error}"))
    };
    let mut git = Command::new("git");
    // Its messages are not translated.
    git.env("LC_ALL", "C");
    git.args(["--no-pager", "--literal-pathspecs", "-C"]).arg(folder).args(arguments);
    git.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut git = git.spawn().map_err(no_git)?;
    let mut bytes = Vec::new();
    if let Some(stdout) = git.stdout.take() {
        stdout.take(most.saturating_add(1)).read_to_end(&mut bytes).map_err(no_git)?;
    }
    // `stdout` is closed, so git ends even if it has more to write. Its messages are short.
    let output = git.wait_with_output().map_err(no_git)?;
    if bytes.len() as u64 > most {
        let error = format!("expected at most {most} bytes, but found more");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, error));
    }
    if !output.status.success() {
        let cause = output.stderr.split(|&byte| byte == b'\n').next().unwrap_or_default();
        return Err(io::Error::other(Untrusted::new(cause).limited_to(QUOTED_CHARS).to_string()));
    }
    Ok(bytes)
}

/// Reads the file `REVISION:PATH`; see [`git`]. Without `./` at its beginning, `PATH` is relative
/// to the root of the repository.
///
/// # Errors
///
/// Those of [`git`]; there is no such file.
pub fn git_file(folder: &Path, object: &str, most: u64) -> io::Result<Vec<u8>> {
    git(folder, &["cat-file", "blob", "--end-of-options", object], most)
}
