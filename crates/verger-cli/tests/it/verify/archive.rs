//! `verger verify --archive`: each decision is verified against the file with its hash.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Output;

use serde_json::{Value, json};

use crate::common;
use crate::verify::decisions::{NOTHING, ROBOTS, answer, changed, outage};

fn verify(archive: &Path, decisions: &[Value], format: &str) -> Output {
    let lines: Vec<String> = decisions.iter().map(ToString::to_string).collect();
    let arguments = ["verify", "-", "--format", format, "--archive"].map(OsStr::new);
    common::run(&[&arguments[..], &[archive.as_os_str()]].concat(), &lines.join("\n"))
}

/// An archive of several files, in directories by site.
fn archive() -> tempfile::TempDir {
    let archive = tempfile::tempdir().unwrap();
    for (site, robots) in [("shop.example", ROBOTS), ("other.example", ""), ("third.example", "x")]
    {
        let directory = archive.path().join(site);
        std::fs::create_dir(&directory).unwrap();
        std::fs::write(directory.join("robots.txt"), robots).unwrap();
    }
    archive
}

#[test]
fn each_decision_is_verified_against_the_file_with_its_hash() {
    let archive = archive();
    let wrong = changed(answer(), "/rule/line", 3.into());
    let output = verify(archive.path(), &[answer(), outage(), wrong], "text");
    let place = "https://u:p@shop.example/a/../cart#top";
    let expected = format!(
        "holds  <stdin>:1  {place}\n\
         holds  <stdin>:2  {place}  the answer does not depend on the file\n\
         fails  <stdin>:3  {place}  rule.line: claimed 3, but found 2\n"
    );
    assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn a_decision_without_its_file_cannot_be_verified_and_does_not_fail() {
    let archive = archive();
    let other = changed(answer(), "/decision/sha256", NOTHING.replace('e', "0").into());
    let nameless = changed(answer(), "/decision/sha256", Value::Null);
    let output = verify(archive.path(), &[other.clone(), nameless, answer()], "jsonl");
    let text = String::from_utf8(output.stdout).unwrap();
    let found: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for (at, found) in found[..2].iter().enumerate() {
        // Without the user and the password of the answer's URL.
        let url = json!("https://shop.example/a/../cart#top");
        assert_eq!((&found["error"]["line"], &found["url"]), (&json!(at + 1), &url));
        assert!(found["error"]["message"].as_str().unwrap().starts_with("not verifiable: "));
        assert_eq!(found.get("holds"), None);
    }
    assert_eq!(found[2]["holds"], true);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn an_archive_is_a_directory_and_excludes_a_file() {
    let output = verify(Path::new("none-such"), &[answer()], "text");
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(message, "error: could not read `none-such`: No such file or directory\n");
    assert_eq!(output.status.code(), Some(2));
    let both = ["verify", "-", "--robots", "x", "--archive", "y"];
    for arguments in [&both[..], &both[..2]] {
        assert_eq!(common::run(arguments, "").status.code(), Some(2));
    }
}
