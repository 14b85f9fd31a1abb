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
fn logs_must_be_in_order_of_time() {
    let first = log(&[(4, 0, "/robots.txt"), (4, 13, "/private/a")]);
    let fetch = log(&[(4, 12, "/robots.txt"), (4, 12, "/private/a")]);
    // The logs of two servers, one after the other.
    let joined = first.clone() + &fetch;
    let with = |target: &str| joined.replace("/robots.txt", target);
    assert_eq!(audit_of_logs(&[&with("/robots.txtx")], &[]).0, Some(0));
    // Of other methods, nobody learns rules: a client cannot make the audit fail by slow ones.
    let posted = joined.replace("GET /robots.txt", "POST /robots.txt");
    let (status, _, errors) = audit_of_logs(&[&posted], &[]);
    assert!(status == Some(0) && errors.is_empty(), "{errors}");
    // The end of the first log, and more.
    let first = log(&[(4, 0, "/robots.txt"), (4, 13, "/private/a"), (4, 14, "/private/b")]);
    let copy = log(&[(4, 13, "/private/a"), (4, 14, "/private/b"), (4, 15, "/private/c")]);
    let late = log(&[(4, 15, "/private/c")]);
    let line = |clock: &str, target: &str, seconds: &str| {
        format!(
            r#"{{"time":"2026-09-04T{clock}Z","request":"GET {target} HTTP/1.1","status":"200","request_time":"{seconds}"}}"#
        )
    };
    let json = [("13:30:00", "/"), ("13:00:00", "/robots.txt"), ("13:00:01", "/")];
    let json = json.map(|(clock, target)| line(clock, target, "0.1")).join("\n");
    for (logs, expected) in [
        (&[&*first, &fetch][..], "1.log: lines are not in order of time, among them a fetch"),
        (&[&joined], "a fetch of robots.txt; the latest time is 2026-09-04T13:00:00Z in line 2\n"),
        (&[&with("https://shop.example/robots.txt")], "0.log: lines are not in order"),
        (
            &[&first, &first],
            "1.log: another log begins with the same line\n\nhint: each log is given once",
        ),
        // Two servers can have the same check of their health.
        (&[&first, &first], "; sort the lines of several servers by time first: by `sort`, or"),
        (&[&first, &copy], "0.log: another log has some of its lines"),
        (&[&json], "`jq -sc 'sort_by(.FIELD)[]'` for JSON"),
    ] {
        let (status, out, errors) = audit_of_logs(logs, &[]);
        assert!(status == Some(2) && out.is_empty() && errors.contains(expected), "{errors}");
    }
    // Standard input is the last log, and may have lines of another one.
    let (_folder, folder) = dated(&[("a.log", &first), ("2026-08-01.txt", OPEN)]);
    let [name, history] = ["a.log", "2026-08-01.txt"].map(|name| format!("{folder}/{name}"));
    for (input, expected) in [(&copy, Some(2)), (&late, Some(0))] {
        let always = ["audit", &name, "-", "--origin", "https://shop.example", "--offline"];
        let output = run(&[&always[..], &["--history", &history]].concat(), input);
        assert_eq!(output.status.code(), expected, "{output:?}");
    }
    // The same request twice at a rotation, and requests that were slow, do not matter.
    let next = log(&[(4, 14, "/private/b"), (4, 15, "/private/b")]);
    assert_eq!(audit_of_logs(&[&first, &next], &[]).0, Some(0));
    let slow = log(&[(4, 12, "/private/b"), (4, 14, "/robots.txt")]);
    let (status, _, errors) = audit_of_logs(&[&first, &slow], &[]);
    assert!(status == Some(0) && errors.is_empty(), "{errors}");
    // Servers such as Apache log the beginning of a request at its end.
    let slow = log(&[(4, 0, "/robots.txt"), (4, 13, "/private/a"), (4, 12, "/robots.txt")]);
    let (status, _, errors) = audit_of_logs(&[&slow], &[]);
    assert!(status == Some(0) && errors.is_empty(), "{errors}");
    // Several processes of nginx write their lines from buffers.
    let visits = [(1, 1, "/robots.txt"), (1, 20, "/"), (2, 12, "/"), (3, 1, "/")];
    let buffered = log(&visits) + &log(&[(3, 13, "/private/a"), (3, 12, "/robots.txt")]);
    let found = "expected lines in order of time, but found a fetch of robots.txt, after";
    let again = log(&[(4, 11, "/robots.txt"), (4, 13, "/private/a")]);
    let late = log(&[(4, 12, "/robots.txt")]);
    for (lines, flags, expected) in [
        (&buffered, &[][..], Some(2)),
        (&(again.clone() + &late), &[], Some(0)),
        (&(again.clone() + &late.replace(" 200 ", " 404 ")), &[], Some(2)),
        (&(again + &late.replace("GPTBot/1.2", "ChatGPT-User/1.0")), &[], Some(0)),
        // Nobody is accused by a name alone.
        (&buffered.replace("GPTBot/1.2", "Bytespider"), &[], Some(0)),
        (
            &buffered.replace("GPTBot/1.2", "Bytespider"),
            &["--accept-unproved", "Bytespider"],
            Some(2),
        ),
    ] {
        let (status, _, errors) = audit_of_logs(&[lines], flags);
        let is_right = status == expected && errors.contains(found) == (expected == Some(2));
        assert!(is_right, "{status:?}, not {expected:?}, {flags:?}: {errors}\n{lines}");
    }
    let slow = [line("13:00:00", "/", "0.1"), line("13:30:00", "/robots.txt", "3600.5")].join("\n");
    let (status, _, errors) = audit_of_logs(&[&slow], &[]);
    assert!(status == Some(0) && errors.is_empty(), "{errors}");
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
    let fetch = log(&[(4, 3, "/robots.txt")]);
    let [soon, late] = [4, 5].map(|day| log(&[(day, 4, "/private/a")]));
    for (names, later, warning) in [
        (["access.log.1", "access.log"], &soon, None),
        (["access.log.2", "access.log"], &soon, Some("access.log.1\n")),
        (["access.log.1", "access.log"], &late, Some("no log covers the 25 hours before it")),
    ] {
        let files = [(names[0], &*fetch), (names[1], later)];
        let (status, out, errors) = audit_of_files(&files, &["--format", "json"]);
        let found: serde_json::Value = serde_json::from_str(&out).unwrap();
        let verdict = if warning.is_some() { "unknown" } else { "disallowed_known" };
        assert!(status == Some(0) && found["verdicts"][verdict] == 1, "{names:?}: {out}");
        assert_eq!(errors.lines().count(), usize::from(warning.is_some()), "{errors}");
        assert!(errors.contains(warning.unwrap_or_default()), "{errors}");
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
            "not proved: the log has no address",
            "no proof",
        ),
        (&with("20.171.206.10", "130.176.1.1"), &[], "`--trusted-proxy` and `--proxy", missing),
        (&with(" 35 ", " 999 "), &[], "2 requests are for robots.txt with a body", "in force"),
        (
            &with("GET /", "GET http://shop.example/"),
            &[],
            "4 requests are for `--origin` by another scheme",
            "a host that is no",
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
fn lists_of_crawlers_that_are_not_asked_for_may_be_missing() {
    let visits = log(&VISITS).replacen("GPTBot/1.2", "ClaudeBot/1.0", 1);
    for (flags, is_warned) in
        [(&[][..], true), (&["--agent", "GPTBot"], false), (&["--agent", "claudebot"], true)]
    {
        let errors = audit_of_logs(&[&visits], flags).2;
        assert_eq!(errors.contains("no copy of the list"), is_warned, "{flags:?}: {errors}");
    }
}

#[test]
fn a_time_that_ends_before_it_begins_and_a_field_that_is_not_read_are_errors() {
    for (flags, expected) in [
        (
            ["--since", "2026-09-04T00:00:00Z", "--until", "2026-09-03T00:00:00Z"],
            "error: expected `--since` before `--until`\n",
        ),
        (
            ["--trusted-proxy", "10.0.0.0/8", "--proxy-header", "X-Azure-ClientIP"],
            "error: expected `--proxy-header` to be one of x-forwarded-for, forwarded, x-real-ip, x-client-ip, \
             cf-connecting-ip, true-client-ip, fastly-client-ip, do-connecting-ip, fly-client-ip, x-azure-socketip, \
             x-envoy-external-address, cloudfront-viewer-address, but found `X-Azure-ClientIP`\n\n\
             hint: logs are read only for these fields\n",
        ),
    ] {
        let (status, out, errors) = audit_of_logs(&[&log(&VISITS)], &flags);
        assert!(status == Some(2) && out.is_empty(), "{out}");
        assert_eq!(errors, expected);
    }
}
