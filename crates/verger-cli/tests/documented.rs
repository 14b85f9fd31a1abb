//! The examples of `docs/json.md` are true.

use std::io::Write as _;
use std::process::{Command, Stdio};

const PAGE: &str = include_str!("../../../docs/json.md");

/// The fenced blocks: what is said of each, and its text.
fn blocks() -> impl Iterator<Item = (&'static str, &'static str)> {
    let fences = PAGE.split("\n```").skip(1).step_by(2);
    fences.filter_map(|fence| fence.split_once('\n'))
}

fn verger(arguments: &[&str], input: &str) -> std::io::Result<String> {
    let mut child = Command::new(env!("CARGO_BIN_EXE_verger"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        writeln!(stdin, "{input}")?;
    }
    Ok(String::from_utf8_lossy(&child.wait_with_output()?.stdout).into_owned())
}

#[test]
fn what_is_asked_gets_the_answer_that_follows_it() {
    let blocks: Vec<_> = blocks().collect();
    assert_eq!(blocks.len(), 6);
    for pair in blocks.chunks(2) {
        let [(asked, input), (answered, output)] = pair else {
            panic!("expected a question and an answer, but found {pair:?}");
        };
        let arguments: &[&str] = match (*asked, *answered) {
            ("json question", "json answer") => &["check", "--batch", "-"],
            ("json question explain", "json answer") => &["check", "--batch", "-", "--explain"],
            ("text inspect", "json inspection") => &["inspect", "-", "--format", "json"],
            other => panic!("expected a question and its answer, but found {other:?}"),
        };
        assert_eq!(verger(arguments, input).unwrap().trim_end(), *output);
    }
}
