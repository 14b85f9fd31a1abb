//! `verger verify`, of decisions about sites.

use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::site::{DISALLOW_X, NEAR, answer, check, ok, site, verger};

/// Whatever the server does, what is said of it holds against what it served.
#[test]
fn live_decisions_hold() {
    let (target, _) = site(&[ok(DISALLOW_X)]);
    let moved = format!("Location: http://{target}/r.txt\r\n");
    let long = format!("{DISALLOW_X}{}", "# comment\n".repeat(60_000));
    let cases: [(&[String], &str, usize, &str); 10] = [
        (&[ok(DISALLOW_X)], DISALLOW_X, 1, "rules"),
        (
            &[ok("User-agent: *\nCrawl-delay: 1.5\n")],
            "User-agent: *\nCrawl-delay: 1.5\n",
            1,
            "rules",
        ),
        (&[answer("302 Found", &moved, "")], DISALLOW_X, 1, "rules"),
        (&[answer("404 Not Found", "", "no")], "anything", 1, "allow_all"),
        (&[answer("302 Found", "Location: ?x\r\n", "")], "anything", 1, "allow_all"),
        (&[answer("302 Found", "", "")], "anything", 1, "disallow_all"),
        (&[answer("503 Unavailable", "", "")], "anything", 1, "disallow_all"),
        (&[ok(DISALLOW_X), answer("503 Unavailable", "", "")], DISALLOW_X, 2, "rules"),
        (&[ok(DISALLOW_X), answer("410 Gone", "", "")], "anything", 2, "allow_all"),
        (&[ok(&long)], &long, 1, "rules"),
    ];
    let folder = tempfile::tempdir().unwrap();
    let archive = folder.path().join("archived.txt");
    for (at, (answers, archived, fetches, access)) in cases.iter().enumerate() {
        let store = folder.path().join(format!("{at}.sqlite"));
        std::fs::write(&archive, archived).unwrap();
        let (site, _) = site(answers);
        let url = format!("http://{site}/a/../x#y");
        let dialect = ["rfc9309", "google"][at % 2];
        for _ in 0..*fetches {
            verger(&store, &["fetch", NEAR[0], NEAR[1], &url], "");
        }
        let rest =
            ["--dialect", dialect, "--explain", "--format", "json", &url, "mailto:a@shop.example"];
        let (decisions, _) = check(&store, &[&NEAR, &rest[..]].concat());
        let decided: Value = serde_json::from_str(&decisions).unwrap();
        assert_eq!(decided[0]["decision"]["access"], *access, "{decisions}");
        let mut verify = Command::new(env!("CARGO_BIN_EXE_verger"))
            .args(["verify", "-", "--robots"])
            .arg(&archive)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        verify.stdin.take().unwrap().write_all(decisions.as_bytes()).unwrap();
        let output = verify.wait_with_output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(0), "{text}\n{decisions}");
        assert_eq!(text.lines().filter(|line| line.starts_with("holds  ")).count(), 2, "{text}");
    }
}
