//! Runs of the program.

use std::ffi::OsStr;
use std::io::Write as _;
use std::process::{Command, Output, Stdio};

/// Runs the program with this standard input.
pub(crate) fn run<A: AsRef<OsStr>>(arguments: &[A], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_verger"))
        .args(arguments)
        .env_remove("CLICOLOR_FORCE")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program can be run");
    let mut stdin = child.stdin.take().expect("a pipe");
    // A program that refuses its arguments does not read.
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    child.wait_with_output().expect("the program ends")
}

/// The status and the texts of a run.
pub(crate) fn texts(output: &Output) -> (Option<i32>, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}
