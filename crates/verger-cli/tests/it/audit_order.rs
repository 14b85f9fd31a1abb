//! Audits of several logs, and of names and filters.

use std::process::Command;

use crate::audit::{CLOSED, OPEN, VISITS, dated, log};
use crate::common::{run, texts};

/// Runs the program on logs that are written to `0.log`, `1.log` and so on.
fn audit_of_logs(logs: &[&str], arguments: &[&str]) -> (Option<i32>, String, String) {
    let names = ["0.log", "1.log"];
    audit_of_files(&names.into_iter().zip(logs.iter().copied()).collect::<Vec<_>>(), arguments)
}

fn audit_of_files(files: &[(&str, &str)], arguments: &[&str]) -> (Option<i32>, String, String) {
    let (_history, history) =
        dated(&[("2026-08-01.txt", OPEN), ("2026-09-03T120000Z.txt", CLOSED)]);
    let (folder, _) = dated(files);
    let output = Command::new(env!("CARGO_BIN_EXE_verger"))
        .args(["audit", "--origin", "https://shop.example", "--offline", "--history", &history])
        .args(arguments)
        .args(files.iter().map(|(name, _)| folder.path().join(name)))
        .output()
        .expect("the program can be run");
    texts(&output)
}

#[test]
fn a_line_of_a_fetch_after_the_request_that_it_may_justify_is_an_error() {
    let visits = [(1, 1, "/robots.txt"), (1, 20, "/"), (2, 12, "/"), (3, 1, "/")];
    let buffered = log(&visits) + &log(&[(3, 13, "/private/a"), (3, 12, "/robots.txt")]);
    let found = "expected lines in order of time, but found a fetch of robots.txt, after";
    let again = log(&[(4, 11, "/robots.txt"), (4, 13, "/private/a")]);
    let late = log(&[(4, 12, "/robots.txt")]);
    let unread = log(&visits) + &log(&[(3, 13, "/private/a")]);
    let claimed = |hour| log(&[(3, hour, "/robots.txt")]).replace("20.171.206.10", "192.0.2.1");
    for (lines, flags, expected) in [
        // Several processes of nginx write their lines from buffers.
        (&buffered, &[][..], Some(2)),
        (&(again.clone() + &late), &[], Some(0)),
        (&(again.clone() + &late.replace(" 200 ", " 404 ")), &[], Some(2)),
        (&(again.clone() + &late.replace("GET", "POST").replace(" 200 ", " 404 ")), &[], Some(0)),
        (&(again.clone() + &late.replace("GPTBot/1.2", "ChatGPT-User/1.0")), &[], Some(0)),
        // By the name alone: it can make an accusation doubtful, but not if it got the same rules.
        (&(again + &late.replace("20.171.206.10", "192.0.2.1")), &[], Some(0)),
        (&(unread.clone() + &claimed(12)), &[], Some(2)),
        (&(unread.clone() + &claimed(13)), &[], Some(0)),
        (&(unread + &claimed(14)), &[], Some(0)),
        // Nobody is accused by a name alone.
        (&buffered.replace("GPTBot/1.2", "Bytespider"), &[], Some(0)),
        (
            &buffered.replace("GPTBot/1.2", "Bytespider"),
            &["--accept-unproved", "Bytespider"],
            Some(2),
        ),
    ] {
        let (status, out, errors) = audit_of_logs(&[lines], flags);
        let is_right = status == expected && errors.contains(found) == (expected == Some(2));
        assert!(is_right, "{status:?}, not {expected:?}, {flags:?}: {errors}\n{lines}");
        assert!(expected == Some(0) || out.is_empty() && errors.contains("`jq -sc"), "{errors}");
    }
}

#[test]
fn a_copy_of_a_log_is_an_error() {
    let first = log(&[(4, 0, "/robots.txt"), (4, 13, "/private/a")]);
    let (status, out, errors) = audit_of_logs(&[&first, &first], &[]);
    let expected = "1.log: another log begins with the same line\n\nhint: each log is given once";
    assert!(status == Some(2) && out.is_empty() && errors.contains(expected), "{errors}");
    // Two servers can have the same check of their health.
    assert!(errors.contains("; sort the lines of several servers by time first: by `sort`, or"));
}

#[cfg(unix)]
#[test]
fn a_log_that_can_be_read_only_once_is_an_error() {
    let (_folder, history) = dated(&[("2026-08-01.txt", OPEN)]);
    let output =
        run(&["audit", "/dev/null", "--origin", "https://shop.example", "--history", &history], "");
    let (status, _, errors) = texts(&output);
    assert!(status == Some(2) && errors.contains("`… | verger audit -`"), "{errors}");
}

#[test]
fn after_a_missing_log_nobody_is_accused_of_what_it_may_have_read() {
    let (fetch, visit) = (log(&[(4, 3, "/robots.txt")]), log(&[(4, 4, "/private/a")]));
    for (names, verdict) in [
        (["access.log.1", "access.log"], "disallowed_known"),
        (["access.log.2", "access.log"], "unknown"),
    ] {
        let files = [(names[0], &*fetch), (names[1], &visit)];
        let (status, out, errors) = audit_of_files(&files, &["--format", "json"]);
        let found: serde_json::Value = serde_json::from_str(&out).unwrap();
        assert!(status == Some(0) && found["verdicts"][verdict] == 1, "{names:?}: {out}");
        let is_warned = errors.contains("a log is missing between");
        assert_eq!(is_warned, verdict == "unknown", "{errors}");
    }
}

#[test]
fn warnings_are_in_the_report() {
    let visits = log(&VISITS);
    let old = visits.replace("/2026:", "/2024:");
    let (.., errors) = audit_of_logs(&[&old], &[]);
    let expected =
        "addresses are not checked, no copy of the list from near the time of the request: ";
    assert!(errors.contains(expected), "{errors}");
    for format in ["json", "html"] {
        let (status, out, _) = audit_of_logs(&[&old], &["--format", format]);
        assert!(status == Some(0) && out.contains(expected), "{format}: {out}");
        let (_, out, _) = audit_of_logs(&[&visits], &["--format", format]);
        assert!(!out.contains("arning"), "{format}: {out}");
    }
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
        // Browsers are no finding.
        (&["--fail-on", "not_a_crawler"], 2),
    ] {
        let (status, _, errors) = audit_of_logs(&[&visits], flags);
        assert_eq!(status, Some(expected), "{flags:?}: {errors}");
    }
    let foreign = visits.replace("20.171.206.10", "203.0.113.9");
    assert_eq!(audit_of_logs(&[&foreign], &["--fail-on", "impostor"]).0, Some(1));
}

#[test]
fn what_the_logs_lack_is_said() {
    let visits = log(&[(2, 4, "/private/a"), (4, 4, "/private/b")]);
    let missing = "  no request for /robots.txt is in the log: does your server leave them out?";
    let host = "because the log does not name the host; give one `--origin`";
    let fetch = log(&VISITS);
    let with = |old: &str, new: &str| fetch.replace(old, new);
    let decoded = VISITS.map(|(day, hour, path)| {
        format!(
            r#"{{"time":"2026-09-{day:02}T{hour:02}:00:00Z","remote_addr":"20.171.206.10","uri":"{path}","status":200,"http_user_agent":"GPTBot/1.2"}}"#
        )
    });
    for (log, flags, expected, other) in [
        (&decoded.join("\n"), &[][..], "1 request is for a path that the server", "in force"),
        (&with("206.10 ", "206.0 "), &[], "4 requests are from addresses that end", "impostor"),
        (
            &with("206.10 ", "206.10, 10.0.0.3 10.0.0.4 "),
            &[],
            "not proved: no proof that its operator publishes was found",
            "in force",
        ),
        (&with("20.171.206.10", "130.176.1.1"), &[], "`--trusted-proxy` and `--proxy", missing),
        (&with(" 35 ", " 999 "), &[], "2 requests are for robots.txt with a body", "in force"),
        (
            &with("GET /", "GET http://shop.example/"),
            &[],
            "4 requests are for a host, scheme or port that is no `--origin`",
            "in force",
        ),
        (
            &with("/robots.txt HTTP/1.1\" 200", "/robots.txt HTTP/1.1\" 403"),
            &[],
            "4 requests are for robots.txt with a status such as 403, or after that: most",
            "4 requests are after",
        ),
        (&visits, &[], missing, host),
        (&fetch, &["--origin", "https://other.example"], host, missing),
        (&fetch, &[], "1 crawler disobeyed", missing),
    ] {
        let (status, out, errors) = audit_of_logs(&[log], flags);
        assert_eq!(status, Some(0), "{errors}");
        assert!(out.contains(expected) && !out.contains(other), "{expected}: {out}");
    }
}

#[test]
fn a_field_of_the_proxy_that_no_line_has_is_a_warning() {
    let visits = log(&VISITS);
    let with_field = visits.replace("GPTBot/1.2\"", "GPTBot/1.2\" \"20.171.206.10\"");
    for (log, field, is_missing) in [
        (&visits, "X-Real-IP", true),
        (&with_field, "X-Real-IP", true),
        (&with_field, "x-forwarded-for", false),
    ] {
        let flags = ["--trusted-proxy", "10.0.0.0/8", "--proxy-header", field];
        let (status, _, errors) = audit_of_logs(&[log], &flags);
        assert_eq!(status, Some(0), "{errors}");
        let warning = format!("warning: no line has the field `{field}` of `--proxy-header`");
        assert_eq!(errors.contains(&warning), is_missing, "{errors}");
    }
}

#[test]
fn a_time_that_ends_before_it_begins_is_an_error() {
    let flags = ["--since", "2026-09-04T00:00:00Z", "--until", "2026-09-03T00:00:00Z"];
    let (status, out, errors) = audit_of_logs(&[&log(&VISITS)], &flags);
    assert!(status == Some(2) && out.is_empty(), "{out}");
    assert_eq!(errors, "error: expected `--since` before `--until`\n");
}

#[test]
fn lists_of_crawlers_that_are_not_asked_for_may_be_missing() {
    let visits = log(&VISITS).replacen("GPTBot/1.2", "ClaudeBot/1.0", 1);
    for (flags, is_warned) in
        [(&[][..], true), (&["--agent", "GPTBot"], false), (&["--agent", "claudebot"], true)]
    {
        let errors = audit_of_logs(&[&visits], flags).2;
        assert_eq!(errors.contains("no copy of the list"), is_warned, "{flags:?}: {errors}");
    }
}
