//! `verger cache` on a store that the library has written.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;

use verger::Origin;
use verger::access::{Outcome, Profile, Timestamp};
use verger_fetch::record::{
    Attempt, BackOff, Body, File, OriginRecord, ReadOptions, Redirect, Response, Validators,
};
use verger_fetch::store::{SqliteOptions, SqliteStore, Store as _};

/// Stores a record with all fields, and a record of an outage.
fn fill(path: &Path) {
    let origin = |host| Origin::from_parts("https", host, None).unwrap();
    let record = |host, response: Response, file| {
        let mut attempt = Attempt::new(response);
        attempt.file = file;
        let options = ReadOptions::new(Profile::RFC9309);
        OriginRecord::new(options.key(&origin(host)))
            .after(None, &options, attempt, 0)
            .shared
            .unwrap()
    };
    let now = Timestamp::from_seconds(1_763_700_000);
    let shop = File {
        redirects: vec![Redirect { url: "https://shop.example/robots.txt".into(), status: 301 }],
        final_url: "https://shop.example/r.txt".into(),
        validators: Validators { etag: Some(b"\"1\x1b\"".into()), last_modified: None },
        media_type: Some(b"text/plain".into()),
        cut_at: Some(512_000),
        ..File::new(&origin("shop.example"), b"User-agent: *\r\nDisallow: /\xe9\x1b[2J\n", now)
    };
    let response = Response::new(now, Outcome::Success, shop.final_url.clone());
    let response = Response { status: Some(200), redirects: shop.redirects.clone(), ..response };
    let later = Timestamp::from_seconds(1_763_700_060);
    let down = Response::new(later, Outcome::Network, "https://down.example/robots.txt");
    let records =
        [record("shop.example", response, Some(shop)), record("down.example", down, None)];
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
        let store = SqliteStore::open(path, SqliteOptions::default()).await.unwrap();
        for record in records {
            store.put(Arc::new(record)).await.unwrap();
        }
        store.close().await;
    });
}

#[track_caller]
fn check(path: &Path, arguments: &[&str], status: i32, stdout: &str, stderr: &str) {
    let arguments = ["cache"].iter().chain(arguments).chain(&["--store"]).map(OsStr::new);
    let output = crate::common::run(&arguments.chain([path.as_os_str()]).collect::<Vec<_>>(), "");
    let message = String::from_utf8(output.stderr).unwrap();
    let message =
        message.replace(&path.canonicalize().unwrap_or(path.into()).display().to_string(), "STORE");
    assert_eq!(String::from_utf8(output.stdout).unwrap(), stdout);
    assert_eq!(message.replace(&path.display().to_string(), "STORE"), stderr);
    assert_eq!(output.status.code(), Some(status));
}

#[test]
fn records_are_listed_shown_and_removed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.sqlite");
    fill(&path);
    let list = "https://down.example  unreachable  no answer  2025-11-21T04:41:00Z  0 bytes  rfc9309\n\
                https://shop.example  rules  200  2025-11-21T04:40:00Z  32 bytes  rfc9309\n";
    check(&path, &["list"], 0, list, "");
    let list = concat!(
        "[\n",
        r#"{"origin":"https://down.example","access_profile":"rfc9309","access":"unreachable","tried_at":1763700060,"bytes":0},"#,
        "\n",
        r#"{"origin":"https://shop.example","access_profile":"rfc9309","access":"rules","status":200,"tried_at":1763700000,"fetched_at":1763700000,"fresh_until":1763786400,"bytes":32}"#,
        "\n]\n"
    );
    check(&path, &["list", "--format", "json"], 0, list, "");
    let show = r#"origin: https://shop.example
access: rules, by access profile rfc9309
status: 200
tried: 2025-11-21T04:40:00Z
fetched: 2025-11-21T04:40:00Z
fresh until: 2025-11-22T04:40:00Z
next try: 2025-11-22T04:40:00Z
redirect: 301 https://shop.example/robots.txt
from: https://shop.example/r.txt
etag: `"1\x1b"`
media type: `text/plain`
note: cut at the size limit
body: 32 bytes, SHA-256 HASH

User-agent: *
Disallow: /\xe9\x1b[2J
"#;
    let hash = Body::new(b"User-agent: *\r\nDisallow: /\xe9\x1b[2J\n".to_vec()).sha256_hex();
    check(&path, &["show", "https://shop.example/any?x"], 0, &show.replace("HASH", &hash), "");
    let show = r#"{"origin":"https://shop.example","status":200,"hops":[{"status":301,"url":"https://shop.example/robots.txt"}],"final_url":"https://shop.example/r.txt","tried_at":1763700000,"fetched_at":1763700000,"fresh_until":1763786400,"downgraded":false,"truncated":true,"html":false,"bytes":32,"sha256":"HASH","access":"rules","access_profile":"rfc9309","next_try":1763786400,"etag":"\"1\u001b\"","media_type":"text/plain","body":"User-agent: *\u000d\u000aDisallow: /�\u001b[2J\u000a","body_b64":"VXNlci1hZ2VudDogKg0KRGlzYWxsb3c6IC/pG1sySgo="}
"#;
    let json = ["show", "https://shop.example", "--format", "json"];
    check(&path, &json, 0, &show.replace("HASH", &hash), "");
    let none = "error: `http://shop.example`: no record of this origin is stored\n";
    check(&path, &["show", "http://shop.example"], 2, "", none);
    check(&path, &["clear", "https://shop.example"], 0, "1 record removed\n", "");
    check(&path, &["clear", "https://shop.example"], 0, "0 records removed\n", "");
    check(&path, &["clear", "--all", "--format", "json"], 0, "{\"removed\":1}\n", "");
    check(&path, &["list"], 0, "", "");
}

#[test]
fn all_records_of_an_origin_are_shown_and_removed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.sqlite");
    let origin = Origin::from_parts("https", "shop.example", None).unwrap();
    let near = Origin::from_parts("https", "shop.example", Some(8443)).unwrap();
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
        let store = SqliteStore::open(&path, SqliteOptions::default()).await.unwrap();
        for profile in [Profile::RFC9309, Profile::GOOGLE] {
            let options = ReadOptions::new(profile).with_identity("ExampleBot");
            for origin in [&origin, &near] {
                store.put(Arc::new(OriginRecord::new(options.key(origin)))).await.unwrap();
            }
        }
        store.close().await;
    });
    let asks = ["cache", "show", "https://shop.example", "--store"].map(OsStr::new);
    let output = crate::common::run(&[&asks, &[path.as_os_str()][..]].concat(), "");
    let text = String::from_utf8(output.stdout).unwrap();
    let readers: Vec<_> = text.lines().filter(|line| line.starts_with("access: ")).collect();
    let expected = ["google", "rfc9309"]
        .map(|profile| format!("access: unknown, by access profile {profile}, as ExampleBot"));
    assert_eq!(readers, expected, "{text}");
    check(&path, &["clear", "https://shop.example"], 0, "2 records removed\n", "");
    check(&path, &["clear", "--all"], 0, "2 records removed\n", "");
}

#[test]
fn absent_store_is_empty_and_is_not_created() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.sqlite");
    let message = "warning: there is no store at `STORE`\n";
    check(&path, &["list"], 0, "", message);
    check(&path, &["list", "--format", "json"], 0, "[]\n", message);
    check(&path, &["clear", "--all"], 0, "0 records removed\n", message);
    assert!(!path.exists());
}

#[test]
fn nothing_is_removed_without_an_origin_or_a_flag() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.sqlite");
    fill(&path);
    let message = "error: missing an origin or `--all`\n\nhint: `verger cache clear \
                https://shop.example` removes one site, `verger cache clear --all` everything\n";
    check(&path, &["clear"], 2, "", message);
    check(&path, &["clear", "--all"], 0, "2 records removed\n", "");
}

#[test]
fn invalid_stores_and_origins_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("robots.txt");
    std::fs::write(&path, "User-agent: *\nDisallow: /\n".repeat(9)).unwrap();
    let message = "error: `STORE` is not a store\n";
    check(&path, &["list"], 2, "", message);
    let message = "error: bad URL `mailto:a`: URLs of this scheme have no robots.txt\n";
    check(&path, &["show", "mailto:a"], 2, "", message);
    let message = "error: bad URL `shop.example`: missing a scheme such as `https://`\n\n\
                hint: `shop.example`: did you mean `https://shop.example`?\n";
    check(&path, &["clear", "shop.example"], 2, "", message);
    let message = "error: bad URL `foo`: missing a scheme such as `https://`\n";
    check(&path, &["clear", "foo"], 2, "", message);
}

#[test]
fn damaged_record_is_listed_as_damaged() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.sqlite");
    fill(&path);
    let mut bytes = std::fs::read(&path).unwrap();
    let at = bytes.windows(9).position(|window| window == b"Disallow:").unwrap();
    bytes[at] ^= 1;
    std::fs::write(&path, bytes).unwrap();
    let list = "https://down.example  unreachable  no answer  2025-11-21T04:41:00Z  0 bytes  rfc9309\n\
                https://shop.example  expected a whole record, but found a damaged one  rfc9309\n";
    check(&path, &["list"], 2, list, "");
}

#[test]
fn damaged_store_is_set_aside_with_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.sqlite");
    fill(&path);
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[100..].fill(0xa5);
    std::fs::write(&path, bytes).unwrap();
    let message = "warning: the store `STORE` was damaged; it was set aside as `STORE.damaged-1`\n";
    check(&path, &["list"], 2, "", message);
    // The new store is empty.
    check(&path, &["list"], 0, "", "");
}

#[test]
fn the_end_of_a_back_off_is_shown() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.sqlite");
    fill(&path);
    let origin = Origin::from_parts("https", "down.example", None).unwrap();
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
        let store = SqliteStore::open(&path, SqliteOptions::default()).await.unwrap();
        let until = Timestamp::from_seconds(1_763_700_120);
        store.set_back_off(&origin, Some(BackOff { until, refusals: 2 })).await.unwrap();
        store.close().await;
    });
    let show = |format: &[&str]| {
        let asks = [&["cache", "show", "https://down.example"], format, &["--store"]].concat();
        let asks = asks.iter().map(OsStr::new).chain([path.as_os_str()]);
        let output = crate::common::run(&asks.collect::<Vec<_>>(), "");
        assert_eq!(output.status.code(), Some(0));
        String::from_utf8(output.stdout).unwrap()
    };
    let line = "pages: none requested until 2025-11-21T04:42:00Z, after 2 pages with 429, 503 or no \
                response\n";
    let text = show(&[]);
    assert!(text.contains(line), "{text}");
    let json: serde_json::Value = serde_json::from_str(&show(&["--format", "json"])).unwrap();
    let expected = serde_json::json!({"until": 1_763_700_120, "refusals": 2});
    assert_eq!(json["back_off"], expected);
}

#[test]
fn an_invalid_store_leaves_no_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes.txt");
    std::fs::write(&path, "User-agent: *\n".repeat(100)).unwrap();
    for asks in [["cache", "list"], ["cache", "clear"]] {
        let all = (asks[1] == "clear").then_some("--all");
        let asks = asks.into_iter().chain(all).chain(["--store"]).map(OsStr::new);
        let output = crate::common::run(&asks.chain([path.as_os_str()]).collect::<Vec<_>>(), "");
        assert_eq!(output.status.code(), Some(2));
    }
    let absent = folder.path().join("absent.sqlite");
    let asks = ["cache", "list", "--store"].map(OsStr::new).into_iter().chain([absent.as_os_str()]);
    crate::common::run(&asks.collect::<Vec<_>>(), "");
    let names: Vec<_> =
        std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["notes.txt"]);
}
