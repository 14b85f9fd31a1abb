//! `verger check`.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, mpsc};
use std::time::Duration;

use serde_json::Value;

use crate::live::site::{
    DISALLOW_X, MEMORY, NEAR, answer, check, json, ok, run_silent, serve, site, verger,
};

#[test]
fn a_file_is_fetched_once_and_stored() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("cache").join("store.sqlite");
    let (site, requests) = site(&[ok(DISALLOW_X)]);
    let (x, y) = (format!("http://{site}/x"), format!("http://{site}/y"));

    let (text, code) = check(&store, &[NEAR[0], NEAR[1], &x]);
    assert!(text.starts_with(&format!("disallow  {x}  by `Disallow: /x` on line 2")), "{text}");
    assert!(text.contains("(status 200, ") && !text.contains("from the store"), "{text}");
    assert_eq!(code, Some(1));
    // The store was closed, so its log is empty.
    let mut kept = store.parent().unwrap().read_dir().unwrap().map(|it| it.unwrap().file_name());
    assert!(kept.all(|name| !name.to_string_lossy().ends_with("-wal")));

    let (text, code) = check(&store, &[NEAR[0], NEAR[1], &y]);
    assert!(text.contains("(status 200, ") && text.ends_with(", from the store)\n"), "{text}");
    assert_eq!(code, Some(0));

    let (lines, code) = check(&store, &["--offline", "--format", "jsonl", &x]);
    let answer = &json(&lines)[0];
    let decision = &answer["decision"];
    assert_eq!(answer["allowed"], false);
    assert_eq!((&decision["version"], &decision["status"]), (&2.into(), &200.into()));
    assert_eq!((&decision["source"], &decision["bytes"]), (&"store".into(), &27.into()));
    assert_eq!(decision["tokens"], serde_json::json!(["ExampleBot"]));
    assert!(decision["next_try"].is_u64(), "{decision}");
    assert_eq!(decision["next_try"], decision["fresh_until"]);
    assert_eq!(code, Some(1));
    assert_eq!(requests.load(Ordering::SeqCst), 1);
}

/// Two sites. The first one answers after the second one got a request.
fn sites_that_wait() -> (SocketAddr, SocketAddr) {
    let (asked, was_asked) = mpsc::channel();
    let was_asked = Mutex::new(was_asked);
    let (first, _) = serve(move |_| {
        was_asked.lock().unwrap().recv().unwrap();
        ok(DISALLOW_X)
    });
    let (second, _) = serve(move |_| {
        asked.send(()).unwrap();
        ok("")
    });
    (first, second)
}

#[test]
fn sites_of_a_list_are_fetched_at_once_and_answered_in_order() {
    let (first, second) = sites_that_wait();
    let urls = format!("http://{first}/x\n\nno url\nhttp://{second}/\nhttp://{first}/y\n");
    let arguments = ["check", "--agent", "ExampleBot", "--urls-from", "-", "--format", "jsonl"];
    let output = verger(Path::new(MEMORY), &[&arguments[..], &NEAR].concat(), &urls);
    let answers = json(&String::from_utf8(output.stdout).unwrap());
    let got: Vec<_> = answers.iter().map(|answer| (&answer["url"], &answer["reason"])).collect();
    let url = |text: String| Value::from(text);
    let expected = [
        (url(format!("http://{first}/x")), "rule".into()),
        (url("no url".into()), Value::Null),
        (url(format!("http://{second}/")), "no_group".into()),
        (url(format!("http://{first}/y")), "no_rule_matches".into()),
    ];
    assert_eq!(got, expected.each_ref().map(|(url, reason)| (url, reason)));
    assert_eq!(answers[1]["error"]["line"], 3);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_batch_fetches_the_robots_txt_of_lines_without_one() {
    let (first, second) = sites_that_wait();
    let batch = format!(
        "{}\n{}\n{}\n{}\n",
        serde_json::json!({
            "id": 1, "agents": ["a", "b"], "union": true,
            "urls": [format!("http://{first}/x"), "/path", format!("http://{second}/x")],
        }),
        serde_json::json!({"id": 2, "agent": "a", "robots": DISALLOW_X, "url": "/x"}),
        r#"{"id":3,"agent":"a""#,
        serde_json::json!({
            "id": 4, "crawler": "AdsBot-Google", "dialect": "google", "url": format!("http://{first}/x"),
        }),
    );
    let arguments = ["check", "--batch", "-", NEAR[0], NEAR[1]];
    let output = verger(Path::new(MEMORY), &arguments, &batch);
    let answers = json(&String::from_utf8(output.stdout).unwrap());
    let got: Vec<_> = answers
        .iter()
        .map(|answer| (answer["id"].as_u64(), answer["reason"].as_str().unwrap_or("error")))
        .collect();
    assert_eq!(
        got,
        [
            (Some(1), "rule"),
            (Some(1), "error"),
            (Some(1), "no_group"),
            (Some(2), "rule"),
            (Some(3), "error"),
            // This crawler ignores groups for `*`.
            (Some(4), "no_group"),
        ]
    );
    assert_eq!(answers[0]["decision"]["tokens"], serde_json::json!(["a", "b"]));
    assert_eq!(answers[3].get("decision"), None);
    assert_eq!(answers[5]["decision"]["ignores_star"], true);
    assert_eq!(
        String::from_utf8(output.stderr).unwrap(),
        "error: 2 of 4 lines could not be answered\n"
    );
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_large_pending_line_delays_requests_for_later_lines() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("batch.jsonl");
    // More answers than the buffer holds, so the next line is answered in its turn.
    let stars = format!("User-agent: *\nDisallow: /{}", "*".repeat(10_000));
    let first_line = serde_json::json!({"robots": stars, "agent": "a", "urls": vec!["/"; 500]});
    for (urls, is_asked_ahead, patience) in [(1, true, 30), (60_000, false, 1)] {
        let (asks, asked) = mpsc::channel();
        let (second, _) = serve(move |_| {
            let _ = asks.send(());
            ok(DISALLOW_X)
        });
        let (tells, message) = mpsc::channel();
        let (first, _) = serve(move |_| {
            tells.send(asked.recv_timeout(Duration::from_secs(patience)).is_ok()).unwrap();
            ok(DISALLOW_X)
        });
        let lines = [
            first_line.clone(),
            serde_json::json!({"agent": "a", "url": format!("http://{first}/y")}),
            serde_json::json!({"robots": DISALLOW_X, "agent": "a", "urls": vec!["/y"; urls]}),
            serde_json::json!({"agent": "a", "url": format!("http://{second}/y")}),
        ];
        std::fs::write(&path, lines.map(|line| line.to_string() + "\n").concat()).unwrap();
        let arguments = ["check", "--batch", path.to_str().unwrap(), NEAR[0], NEAR[1]];
        let (text, code) = run_silent(Path::new(MEMORY), &arguments, "");
        assert_eq!((text.lines().count(), code), (500 + 1 + urls + 1, Some(1)));
        assert_eq!(message.recv().unwrap(), is_asked_ahead, "{urls} URLs");
    }
}

#[test]
fn a_file_older_than_the_maximum_age_is_fetched_again() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store.sqlite");
    let (site, requests) = site(&[ok(DISALLOW_X)]);
    let url = format!("http://{site}/x");
    for (max_age, expected) in [("3600", 1), ("3600", 1), ("0", 2)] {
        check(&store, &[NEAR[0], NEAR[1], "--max-age", max_age, &url]);
        assert_eq!(requests.load(Ordering::SeqCst), expected, "{max_age}");
    }
}

#[test]
fn a_password_in_a_url_is_not_repeated() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store.sqlite");
    let (site, _) = site(&[ok(DISALLOW_X)]);
    let robots = folder.path().join("robots.txt");
    std::fs::write(&robots, DISALLOW_X).unwrap();
    let robots = robots.to_str().unwrap();
    let url = format!("http://user:secret@{site}/x");
    for format in ["text", "jsonl"] {
        for arguments in [
            &["check", "--agent", "a", "--format", format, "--explain", NEAR[0], NEAR[1], &url][..],
            &["check", "--agent", "a", "--format", format, "--robots", robots, &url],
            &["check", "--agent", "a", "--format", format, "http://user:secret@"],
            &["check", "--agent", "a", "--format", format, "ttp://user:secret@h/x"],
            &["page", "--agent", "a", "--format", format, NEAR[0], NEAR[1], &url],
        ] {
            let arguments: Vec<&str> = match (format, arguments[0]) {
                ("jsonl", "page") => {
                    arguments.iter().map(|&it| if it == "jsonl" { "json" } else { it }).collect()
                }
                _ => arguments.to_vec(),
            };
            let output = verger(&store, &arguments, "");
            let [out, messages] =
                [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
            assert!(!out.is_empty() || !messages.is_empty(), "{arguments:?}");
            let shown = format!("{out}{messages}");
            assert!(!shown.contains("secret") && !shown.contains("user"), "{arguments:?}: {shown}");
        }
    }
}

#[test]
fn one_run_asks_each_origin_once_whatever_the_maximum_age() {
    let (site, requests) = site(&[ok(DISALLOW_X)]);
    let (failing, tries) = self::site(&[answer("503 Unavailable", "", "")]);
    let urls =
        (0..500).flat_map(|number| [site, failing].map(|at| format!("http://{at}/{number}\n")));
    let list: String = [format!("http://{site}/robots.txt\n")].into_iter().chain(urls).collect();
    let arguments = ["check", "--agent", "a", "--max-age", "0", NEAR[0], NEAR[1]];
    let arguments = [&arguments[..], &["--urls-from", "-"]].concat();
    let (text, code) = run_silent(Path::new(MEMORY), &arguments, &list);
    assert_eq!((text.lines().count(), code), (1_001, Some(1)));
    assert_eq!(requests.load(Ordering::SeqCst), 1);
    assert_eq!(tries.load(Ordering::SeqCst), 1);
}

#[test]
fn a_truncated_file_is_reported_once_to_people() {
    let long = format!("{DISALLOW_X}{}", "#".repeat(512_000));
    let (long, _) = site(&[ok(&long)]);
    let (short, _) = site(&[ok(DISALLOW_X)]);
    let urls =
        [format!("http://{long}/x"), format!("http://{short}/x"), format!("http://{long}/y")];
    let urls = urls.each_ref().map(|url| &**url);
    let run = |format: &str| {
        let arguments = ["check", "--agent", "ExampleBot", "--format", format];
        let output = verger(Path::new(MEMORY), &[&arguments[..], &NEAR, &urls].concat(), "");
        (String::from_utf8(output.stderr).unwrap(), output.status.code())
    };
    let message = format!(
        "warning: `http://{long}/robots.txt` is longer than 512000 bytes: the rest was not read\n"
    );
    assert_eq!(run("text"), (message, Some(1)));
    // JSON has `decision.truncated`.
    assert_eq!(run("jsonl"), (String::new(), Some(1)));
}

#[test]
fn a_locked_store_is_an_error_after_the_timeout() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store.sqlite");
    let held = std::fs::File::create(folder.path().join("store.sqlite.lock")).unwrap();
    held.lock().unwrap();
    let asks = ["check", "--agent", "a", "--timeout", "1", "https://shop.example/"];
    let output = verger(&store, &asks, "");
    let message = "error: could not open the store within 1 s\n\nhint: another process may have locked it; \
                `--store memory` uses no store on disk\n";
    assert_eq!(String::from_utf8(output.stderr).unwrap(), message);
    assert_eq!(output.status.code(), Some(2));
}
