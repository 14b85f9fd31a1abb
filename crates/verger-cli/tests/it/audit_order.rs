//! Audits of several logs, and of names and filters.

use std::process::Command;

use crate::audit::{CLOSED, OPEN, VISITS, dated, log};

/// Runs the program on logs that are written to files.
fn audit_of_logs(logs: &[&str], arguments: &[&str]) -> (Option<i32>, String, String) {
    let (_history, history) =
        dated(&[("2026-08-01.txt", OPEN), ("2026-09-03T120000Z.txt", CLOSED)]);
    let files: Vec<(String, &str)> =
        logs.iter().enumerate().map(|(at, log)| (format!("{at}.log"), *log)).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(name, log)| (&**name, *log)).collect();
    let (folder, _) = dated(&files);
    let output = Command::new(env!("CARGO_BIN_EXE_verger"))
        .args(["audit", "--origin", "https://shop.example", "--offline", "--history", &history])
        .args(arguments)
        .args(files.iter().map(|(name, _)| folder.path().join(name)))
        .output()
        .expect("the program can be run");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn logs_must_be_in_order_of_time() {
    let first = log(&[(4, 0, "/robots.txt"), (4, 13, "/private/a")]);
    let fetch = log(&[(4, 12, "/robots.txt")]);
    for (logs, expected) in [
        (&[&*first, &fetch][..], "1.log: the times of the logs overlap"),
        (&[&first, &first], "1.log: another log begins with the same line"),
    ] {
        let (status, out, errors) = audit_of_logs(logs, &[]);
        assert!(status == Some(2) && out.is_empty() && errors.contains(expected), "{errors}");
    }
    // Requests that were slow do not matter.
    let slow = log(&[(4, 12, "/private/b"), (4, 14, "/robots.txt")]);
    let (status, _, errors) = audit_of_logs(&[&first, &slow], &[]);
    assert!(status == Some(0) && errors.is_empty(), "{errors}");
    let (status, _, errors) = audit_of_logs(&[&(first + &fetch)], &[]);
    let expected = "0.log: 1 line with fetches of robots.txt earlier than lines before";
    assert!(status == Some(0) && errors.contains(expected), "{errors}");
}

#[test]
fn a_name_that_nothing_knows_acquits_nobody() {
    let visits = log(&VISITS);
    for flag in ["--agent", "--accept-unproved"] {
        let (status, out, errors) = audit_of_logs(&[&visits], &[flag, "GPTBott"]);
        assert!(status == Some(2) && out.is_empty(), "{out}");
        assert!(
            errors.contains("`GPTBott`") && errors.contains("did you mean `GPTBot`"),
            "{errors}"
        );
    }
}

#[test]
fn filters_of_the_report_do_not_change_the_exit_code() {
    let visits = log(&VISITS);
    for (flags, expected) in [
        (&["--fail-on", "disallowed_known", "--agent", "Googlebot"][..], 1),
        (&["--fail-on", "disallowed_known", "--verdict", "allowed"], 1),
        (&["--fail-on", "impostor"], 0),
        (&["--fail-on", "grace"], 0),
    ] {
        let (status, _, errors) = audit_of_logs(&[&visits], flags);
        assert_eq!(status, Some(expected), "{flags:?}: {errors}");
    }
    let foreign = visits.replace("20.171.206.10", "203.0.113.9");
    assert_eq!(audit_of_logs(&[&foreign], &["--fail-on", "impostor"]).0, Some(1));
}
