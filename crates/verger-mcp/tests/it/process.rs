//! The program as a process.

use std::io::Write as _;
use std::process::{Command, Output, Stdio};

fn run(arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_verger-mcp"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program can be run");
    let mut stdin = child.stdin.take().expect("a pipe");
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    child.wait_with_output().expect("the program ends")
}

const HELLO: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
"#;

#[test]
fn a_session_over_standard_input_ends_with_it() {
    let call = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"explain","arguments":{"url":"/a","robots":"User-agent: examplebot\nDisallow: /"}}}"#;
    let output = run(&["--agent", "ExampleBot"], &format!("{HELLO}{call}\n"));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains(r#""allowed":false"#) && text.contains(r#""id":2"#), "{text}");
    assert_eq!(text.lines().count(), 2, "{text}");
    assert_eq!((output.status.code(), &*output.stderr), (Some(0), &b""[..]));
}

#[test]
fn a_mistake_of_the_operator_is_an_error_with_its_argument() {
    for (arguments, message) in [
        (&["--agent", "ExampleBot", "--dialect", "x"][..], "--dialect"),
        (&["--agent", ""], "--agent"),
        (&["--agent", "Example Bot"], "--agent"),
        (&["--agent", "ExampleBot", "--user-agent", "a\nb"], "--user-agent"),
        (&["--agent", "ExampleBot", "--from", "a\nb"], "--from"),
        (&["--agent", "ExampleBot", "--max-bytes", "1"], "--max-bytes"),
        (&["--agent", "ExampleBot", "--allow-net", "x"], "--allow-net"),
        (&["--agent", "a", "--key", "/none", "--signature-agent", "https://b.example"], "--key"),
        #[cfg(unix)]
        (
            &["--agent", "a", "--key", "/etc/passwd", "--signature-agent", "https://b.example"],
            "only its owner can read",
        ),
        (&[], "--agent"),
    ] {
        let output = run(arguments, "");
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(text.contains("error: ") && text.contains(message), "{arguments:?}: {text}");
        assert_eq!((output.status.code(), &*output.stdout), (Some(2), &b""[..]), "{arguments:?}");
    }
}

#[test]
fn help_has_examples() {
    let output = run(&["--help"], "");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && text.contains("Examples:"), "{text}");
    assert!(text.contains("Usage: verger-mcp [OPTIONS] --agent <NAME>"), "{text}");
}
