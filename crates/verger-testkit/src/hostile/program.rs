//! Tests of the command line: runs it on an entry's input and checks all of its output.
//!
//! The caller supplies the function that runs the program ([`Invocation::run`] for a binary), so
//! the same claims test any build.

use std::ffi::{OsStr, OsString};

use super::entry::{Claim, OutputEntry, Shown, Sink};
use super::invocation::{Invocation, Reader, Written};
use super::output::unescaped;
use super::sinks::judge_text;
use super::{AGENT, ORIGIN};

/// The agent line of a `*` group.
const EVERYBODY: &[u8] = b"User-agent: *\n";

/// Checks the program's output for an entry. Returns the problem, in a sentence.
pub fn judge_output(
    entry: &OutputEntry,
    mut run: impl FnMut(&Invocation) -> Written,
) -> Option<String> {
    let bytes = &entry.bytes;
    let found = match &entry.claim {
        Claim::Shown(shown) => judge_shown(shown, bytes, &mut run),
        Claim::FileName => judge_file_name(bytes, &mut run),
        Claim::Completion => judge_completions(bytes, &mut run),
        Claim::BrokenPipe => judge_reader(bytes, Reader::OneByte, &mut run),
        Claim::StdoutClosed => judge_reader(bytes, Reader::Closed, &mut run),
    };
    found.err().map(|sentence| format!("{}: {sentence}", entry.id))
}

type Run<'r> = &'r mut dyn FnMut(&Invocation) -> Written;

fn judge_shown(shown: &Shown, robots: &[u8], run: Run<'_>) -> Result<(), String> {
    // The pattern, percent-encoded, is a path that it matches.
    let url = format!("{ORIGIN}{}", percent_encoded(shown.pattern));
    let check = ["check", "--robots", "-", "--agent", AGENT];
    let formats: &[&[&str]] = match shown.sink {
        Sink::Terminal => &[&[], &["--explain"]],
        Sink::Log => &[&[]],
        Sink::Json => &[&["--format", "json"], &["--format", "jsonl"]],
        Sink::Error => return judge_error(shown, run),
    };
    for format in formats {
        let arguments = check.iter().chain(*format).chain([&&*url]).map(OsString::from).collect();
        let written =
            run(&Invocation { arguments, input: robots.to_vec(), ..Invocation::default() });
        ended(&written, &[1])?;
        judge_text(shown, &written.stdout)?;
        inert("standard error", &written.stderr)?;
    }
    Ok(())
}

/// Uses the pattern as the name of a missing file: in an argument, and in a line of a batch.
fn judge_error(shown: &Shown, run: Run<'_>) -> Result<(), String> {
    // An argument cannot contain a NUL.
    if let Some(name) = os_text(shown.pattern).filter(|_| !shown.pattern.contains(&0)) {
        let mut arguments: Vec<OsString> =
            ["check", "--agent", AGENT, "--robots"].map(Into::into).into();
        arguments.push(name);
        arguments.push("/x".into());
        let written = run(&Invocation { arguments, ..Invocation::default() });
        ended(&written, &[2])?;
        judge_text(shown, &written.stderr)?;
        inert("standard output", &written.stdout)?;
    }
    let dialect = String::from_utf8_lossy(shown.pattern);
    let question =
        serde_json::json!({"robots": "", "agent": AGENT, "url": "/x", "dialect": dialect});
    let written = run(&Invocation {
        arguments: ["check", "--batch", "-"].map(Into::into).into(),
        input: question.to_string().into_bytes(),
        ..Invocation::default()
    });
    ended(&written, &[2])?;
    inert("standard output", &written.stdout)?;
    inert("standard error", &written.stderr)
}

/// The file exists under its name, or its name contains a directory that does not exist.
fn judge_file_name(name: &[u8], run: Run<'_>) -> Result<(), String> {
    let Some(name) = os_text(name) else {
        return Ok(());
    };
    let is_a_path = name.as_encoded_bytes().contains(&b'/');
    let file = (name.clone(), [EVERYBODY, b"Disallow: /\n"].concat());
    let mut robots = OsString::from("--robots=");
    robots.push(&name);
    let arguments = vec!["check".into(), "--agent".into(), AGENT.into(), robots, "/x".into()];
    let files = if is_a_path { Vec::new() } else { vec![file] };
    let written = run(&Invocation { arguments, files, ..Invocation::default() });
    // As an operand it is read, and the answer is one line; an unreadable file gives no answer.
    ended(&written, if is_a_path { &[2] } else { &[1] })?;
    inert("standard output", &written.stdout)?;
    inert("standard error", &written.stderr)?;
    let lines = String::from_utf8_lossy(&written.stdout).lines().count();
    if lines == usize::from(!is_a_path) {
        Ok(())
    } else {
        Err(format!("{lines} lines on standard output"))
    }
}

/// With a hostile file in the directory, each shell's script is unchanged and inert.
fn judge_completions(name: &[u8], run: Run<'_>) -> Result<(), String> {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let mut script = |files| {
            let arguments = ["completions", shell].map(Into::into).into();
            let written = run(&Invocation { arguments, files, ..Invocation::default() });
            ended(&written, &[0])?;
            inert("standard error", &written.stderr)?;
            Ok::<_, String>(written.stdout)
        };
        let plain = script(Vec::new())?;
        let files = os_text(name).map(|name| (name, Vec::new())).into_iter().collect();
        if plain.is_empty() || script(files)? != plain {
            return Err(format!("no script for {shell}, or a different one with the file present"));
        }
        inert("standard output", &plain)?;
    }
    Ok(())
}

/// Many URLs, and a reader that closes early: no panic and no messages.
fn judge_reader(urls: &[u8], reader: Reader, run: Run<'_>) -> Result<(), String> {
    let files = vec![(OsString::from("robots.txt"), [EVERYBODY, b"Allow: /\n"].concat())];
    let arguments = ["check", "--robots", "robots.txt", "--agent", AGENT, "--urls-from", "-"];
    let arguments = arguments.map(Into::into).into();
    let written = run(&Invocation { arguments, input: urls.to_vec(), files, reader });
    match reader {
        Reader::Complete => ended(&written, &[0])?,
        // No reader has all answers, so success would be wrong. A quiet end and an error are both
        // right.
        Reader::OneByte | Reader::Closed => ended(&written, &[0, 2])?,
    }
    inert("standard error", &written.stderr)?;
    if reader == Reader::OneByte && !written.stderr.is_empty() {
        return Err("the program reports a reader that closed early".into());
    }
    Ok(())
}

fn ended(written: &Written, expected: &[i32]) -> Result<(), String> {
    if written.status.is_some_and(|status| expected.contains(&status)) {
        return Ok(());
    }
    let message = String::from_utf8_lossy(&written.stderr).escape_debug().to_string();
    Err(format!("expected exit status {expected:?}, but found {:?}: {message}", written.status))
}

fn inert(stream: &str, output: &[u8]) -> Result<(), String> {
    unescaped(output).map_or(Ok(()), |place| Err(format!("a live byte is at {place} of {stream}")))
}

fn percent_encoded(path: &[u8]) -> String {
    let encode = |&byte: &u8| {
        // A reserved character and its escape are two targets (REP-MATCH-20).
        if byte.is_ascii_graphic() && !b"\"<>\\^{|}`*$%#".contains(&byte) {
            char::from(byte).to_string()
        } else {
            format!("%{byte:02X}")
        }
    };
    path.iter().map(encode).collect()
}

/// The bytes as an operating system string; `None` if the system accepts only text.
fn os_text(bytes: &[u8]) -> Option<OsString> {
    #[cfg(unix)]
    let text = Some(<OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(bytes));
    #[cfg(not(unix))]
    let text = std::str::from_utf8(bytes).ok().map(OsStr::new);
    text.map(OsStr::to_owned)
}

#[cfg(test)]
mod tests {
    use super::super::entries;
    use super::*;

    fn entry(id: &str) -> OutputEntry {
        let found = entries().into_iter().find(|entry| entry.id == id);
        found.expect("an entry")
    }

    fn writes(stdout: &str, stderr: &str, status: i32) -> Written {
        Written { stdout: stdout.into(), stderr: stderr.into(), status: Some(status) }
    }

    #[track_caller]
    fn check(id: &str, written: &Written, is_right: bool) {
        let mut runs = 0;
        let wrong = judge_output(&entry(id), |_| {
            runs += 1;
            written.clone()
        });
        assert_eq!(wrong.is_none(), is_right, "{wrong:?}");
        assert!(runs > 0);
    }

    #[test]
    fn escaped_patterns_pass_and_live_ones_do_not() {
        check("O001", &writes("disallow /\\x1b[2J\n", "", 1), true);
        check("O001", &writes("disallow /\x1b[2J\n", "", 1), false);
        check("O001", &writes("disallow /\\x1b[2J\n", "\u{9b}", 1), false);
        check("O001", &writes("disallow /\\x1b[2J\n", "", 101), false);
        check("O002", &writes("disallow /\\x1b[2J\nINFO\n", "", 1), false);
        check("O003", &writes(r#"[{"rule":{"pattern":"/\u001b[2J"}}]"#, "", 1), true);
        check("O004", &writes("", "no file `/\\x1b[2J`\n", 2), true);
    }

    #[test]
    fn entries_about_the_program_are_judged_by_output_and_status() {
        check("O162", &writes("complete -F verger\n", "", 0), true);
        check("O162", &writes("", "", 0), false);
        check("O162", &writes("echo \x1b[2J\n", "", 0), false);
        check("O163", &writes("disallow /x\n", "", 1), true);
        check("O163", &writes("", "unexpected argument", 2), false);
        check("O164", &writes("", "no such file\n", 2), true);
        check("O164", &writes("robots.txt\nallow http://h.example/\n", "", 2), false);
        check("O170", &writes("a", "", 0), true);
        check("O170", &writes("a", "", 2), true);
        check("O170", &writes("a", "broken pipe", 0), false);
        check("O171", &writes("", "could not write", 2), true);
        check("O171", &Written::default(), false);
    }
}
