//! One run of the program: its input, the reader of its output, its output.

use std::ffi::OsString;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::{fs, thread};

/// One run of the program `verger`.
#[derive(Clone, Debug, Default)]
pub struct Invocation {
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// Its standard input.
    pub input: Vec<u8>,
    /// Files in its working directory, by name.
    pub files: Vec<(OsString, Vec<u8>)>,
    /// The reader of its standard output.
    pub reader: Reader,
}

/// The reader of the program's standard output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reader {
    /// Reads to the end.
    #[default]
    Complete,
    /// Reads one byte, then closes the pipe.
    OneByte,
    /// None: standard output is closed from the start.
    Closed,
}

/// Output and exit status of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Standard output, as far as it was read.
    pub stdout: Vec<u8>,
    /// Standard error.
    pub stderr: Vec<u8>,
    /// The exit status; `None` if a signal ended the program.
    pub status: Option<i32>,
}

impl Invocation {
    /// Runs a program in a temporary directory.
    ///
    /// # Errors
    ///
    /// If the directory, its files or the process cannot be created.
    pub fn run(&self, program: &Path) -> io::Result<Written> {
        let directory = Directory::new()?;
        for (name, content) in &self.files {
            fs::write(directory.0.join(name), content)?;
        }
        let mut command = match self.reader {
            Reader::Complete | Reader::OneByte => Command::new(program),
            Reader::Closed => {
                // Only a shell can start a process with a stream closed.
                let mut shell = Command::new("sh");
                shell.args(["-c", r#"exec "$0" "$@" >&-"#]).arg(program);
                shell
            }
        };
        let mut child = command
            .args(&self.arguments)
            .current_dir(&directory.0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let (stdin, stdout, stderr) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let mut written = Written::default();
        let reading = thread::scope(|scope| {
            scope.spawn(|| {
                // A program need not read its input to the end.
                stdin.map(|mut stdin| stdin.write_all(&self.input).ok())
            });
            let errors = scope.spawn(|| read(stderr, u64::MAX));
            let most = if self.reader == Reader::OneByte { 1 } else { u64::MAX };
            written.stdout = read(stdout, most)?;
            written.stderr = errors.join().map_err(|_| io::Error::other("reader panicked"))??;
            Ok(())
        });
        written.status = child.wait()?.code();
        reading.map(|()| written)
    }
}

/// Reads a limited number of bytes from a stream, then closes it.
fn read(stream: Option<impl io::Read>, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if let Some(stream) = stream {
        stream.take(most).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

/// A temporary directory, removed when dropped.
struct Directory(PathBuf);

impl Directory {
    fn new() -> io::Result<Self> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("verger-hostile-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir(&path)?;
        Ok(Self(path))
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        // A remaining directory is harmless.
        drop(fs::remove_dir_all(&self.0));
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_binary_is_run_with_files_input_and_every_reader() {
        let program = Path::new("/bin/sh");
        let run = |script: &str, reader| {
            let invocation = Invocation {
                arguments: ["-c", script].map(Into::into).into(),
                input: b"in".to_vec(),
                files: vec![("name".into(), b"file".to_vec())],
                reader,
            };
            invocation.run(program).expect("a shell")
        };
        assert_eq!(
            run("cat name -; echo e >&2; exit 3", Reader::Complete),
            Written { stdout: b"filein".into(), stderr: b"e\n".into(), status: Some(3) }
        );
        assert_eq!(run("echo ab", Reader::OneByte).stdout, b"a");
        let closed = run("echo a || exit 7", Reader::Closed);
        assert_eq!((closed.stdout.as_slice(), closed.status), (&b""[..], Some(7)));
    }
}
