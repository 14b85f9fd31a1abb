//! The examples of `docs/json.md` are true.

use std::io::Write as _;
use std::process::{Command, Stdio};

const PAGE: &str = include_str!("../../../docs/json.md");

/// The fenced blocks of JSON: what is said of each, and its text.
fn blocks() -> impl Iterator<Item = (&'static str, &'static str)> {
    let fences = PAGE.split("\n```").skip(1).step_by(2);
    fences.filter_map(|fence| fence.split_once('\n'))
}

fn ask(arguments: &[&str], questions: &str) -> std::io::Result<String> {
    let mut child = Command::new(env!("CARGO_BIN_EXE_verger"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        writeln!(stdin, "{questions}")?;
    }
    Ok(String::from_utf8_lossy(&child.wait_with_output()?.stdout).into_owned())
}

#[test]
fn questions_get_the_answers_that_follow_them() {
    let blocks: Vec<_> = blocks().collect();
    assert_eq!(blocks.len(), 6);
    for pair in blocks.chunks(2) {
        let [(asked, questions), ("json answer", answers)] = pair else {
            panic!("expected a question and an answer, but found {pair:?}");
        };
        let arguments: &[&str] = match *asked {
            "json question" => &["check", "--batch", "-"],
            "json question explain" => &["check", "--batch", "-", "--explain"],
            "html question" => &["page", "--html", "-", "--agent", "Googlebot", "--format", "json"],
            other => panic!("expected a question, but found {other}"),
        };
        assert_eq!(ask(arguments, questions).unwrap().trim_end(), *answers);
    }
}
