//! Perl's WWW::RobotRules as an oracle: a small Perl program, connected by pipes.

use std::io::{self, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

use crate::generate::{Session, Step};

/// Whether Perl and its module WWW::RobotRules are installed.
pub fn is_installed() -> bool {
    let status = Command::new("perl")
        .args(["-MWWW::RobotRules", "-e", "1"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    status.is_ok_and(|status| status.success())
}

/// Runs sessions in Perl. Returns, for each, the answers to its questions: 1, 0 or −1.
///
/// # Errors
///
/// If Perl cannot be started, exits early, or answers in another format.
pub fn answers(sessions: &[Session]) -> io::Result<Vec<Vec<i8>>> {
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/perl/robot_rules.pl");
    let mut perl =
        Command::new("perl").arg(program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let mut input = perl.stdin.take().ok_or_else(|| io::Error::other("expected a pipe"))?;
    // Written on another thread, so that neither side waits for the other with a full pipe.
    let (written, output) = thread::scope(|scope| {
        let writer = scope.spawn(move || input.write_all(&commands(sessions)));
        let output = perl.wait_with_output();
        (writer.join(), output)
    });
    let output = output?;
    if !output.status.success() {
        return Err(io::Error::other(format!("expected Perl to succeed, but: {}", output.status)));
    }
    written.map_err(|_| io::Error::other("expected to write to Perl"))??;
    let text = String::from_utf8_lossy(&output.stdout);
    let mut lines = text.lines();
    let mut answer = || match lines.next() {
        Some("1") => Ok(1),
        Some("0") => Ok(0),
        Some("-1") => Ok(-1),
        other => Err(io::Error::other(format!("expected an answer of Perl, but found {other:?}"))),
    };
    let questions = |session: &Session| {
        session.steps.iter().filter(|step| matches!(step, Step::Ask { .. })).count()
    };
    sessions.iter().map(|session| (0..questions(session)).map(|_| answer()).collect()).collect()
}

/// Sessions as commands of the Perl program.
fn commands(sessions: &[Session]) -> Vec<u8> {
    let mut out = Vec::new();
    for session in sessions {
        command(&mut out, 'N', &[session.name.as_bytes()]);
        for step in &session.steps {
            match step {
                Step::Rename(name) => command(&mut out, 'R', &[name.as_bytes()]),
                Step::Ask { now, url } => {
                    command(&mut out, 'T', &[now.to_string().as_bytes()]);
                    command(&mut out, 'A', &[url.as_bytes()]);
                }
                Step::Parse { now, url, text, fresh_until } => {
                    let until = fresh_until.map(|time| time.to_string()).unwrap_or_default();
                    command(&mut out, 'T', &[now.to_string().as_bytes()]);
                    command(&mut out, 'P', &[url.as_bytes(), text, until.as_bytes()]);
                }
            }
        }
    }
    out
}

fn command(out: &mut Vec<u8>, letter: char, arguments: &[&[u8]]) {
    let lengths: Vec<String> =
        arguments.iter().map(|argument| argument.len().to_string()).collect();
    out.extend(format!("{letter} {}\n", lengths.join(" ")).bytes());
    out.extend(arguments.concat());
}
