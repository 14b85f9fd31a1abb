//! `testdata/verger-testdata.json` is equal to the suite; `cargo xtask generate` writes it.

use std::fs;
use std::path::Path;
use std::process::Command;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use verger_testkit::shared::{Lacking, skip_loudly};
use verger_testkit::suite::{Case, Expected, NamedCrawler, load};

/// With the value `overwrite`, the test writes the file instead of comparing.
const VARIABLE: &str = "EXPORT";

#[test]
fn the_committed_file_is_the_suite() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata");
    let path = folder.join("verger-testdata.json");
    let exported = load(&folder).unwrap().to_json().unwrap();
    if std::env::var_os(VARIABLE).is_some_and(|value| value == "overwrite") {
        fs::write(&path, exported).unwrap();
        return;
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == exported, "out of date: run `cargo xtask generate`");
}

#[test]
fn a_reader_of_the_json_finds_every_case_for_one_crawler() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata");
    let suite = load(&folder).unwrap();
    let json: Value = serde_json::from_str(&suite.to_json().unwrap()).unwrap();
    let rows = json["verdicts"].as_array().unwrap();
    let cases: Vec<&Case> = suite
        .verdicts
        .iter()
        .filter(|case| matches!(case.crawler, NamedCrawler::Token(_)))
        .collect();
    assert!(cases.len() > 700);
    assert_eq!(rows.len(), cases.len());
    for (row, case) in rows.iter().zip(cases) {
        assert_eq!(row["name"], *case.name);
        assert_eq!(
            Some(&case.crawler),
            row["agent"].as_str().map(|token| NamedCrawler::Token(token.to_owned())).as_ref()
        );
        assert!(bytes(row, "robots").as_ref() == Some(&case.robots), "{}: robots", case.name);
        assert!(bytes(row, "url").as_ref() == Some(&case.url), "{}: url", case.name);
        assert_eq!(row["expect"].as_object().unwrap().len(), case.expect.len());
        for (dialect, expected) in &case.expect {
            assert_eq!(
                answer(&row["expect"][dialect]).as_ref(),
                Some(expected),
                "{}: {dialect}",
                case.name
            );
        }
    }
    assert!(json["crawl_delays"].as_array().is_some_and(|rows| rows.len() > 10));
    assert!(json["sitemaps"].as_array().is_some_and(|rows| rows.len() > 5));
}

#[test]
fn the_python_runner_runs_every_case() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata");
    let Ok(output) = Command::new("python3").arg(folder.join("run.py")).arg("urllib").output()
    else {
        return skip_loudly("testdata/run.py", Lacking::Tool, "there is no python3");
    };
    let text = String::from_utf8_lossy(&output.stdout);
    // Some cases fail in `urllib.robotparser`, hence the exit code.
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    let suite = load(&folder).unwrap();
    let asked = suite.verdicts.iter().filter(|case| {
        matches!(case.crawler, NamedCrawler::Token(_)) && case.expect.contains_key("rfc9309")
    });
    let asked = asked.count();
    let line = text.lines().find(|line| line.starts_with("allowed: ")).unwrap_or_default();
    assert!(line.contains(&format!(" of {asked} passed, ")), "{asked} cases, but found {text}");
    assert!(!line.starts_with("allowed: 0 "), "{text}");
    for (method, asked) in [("crawl_delay", 34), ("sitemaps", 13)] {
        let line = text.lines().find(|line| line.starts_with(&format!("{method}: ")));
        assert!(line.is_some_and(|line| line.contains(&format!(" of {asked} passed, "))), "{text}");
    }
}

/// Decodes a text as `testdata/README.md` describes.
fn bytes(row: &Value, key: &str) -> Option<Vec<u8>> {
    let plain = match &row[key] {
        Value::String(text) => text.clone().into_bytes(),
        _ => STANDARD.decode(row[&format!("{key}_b64")].as_str()?).ok()?,
    };
    if row["repeat"].is_null() {
        return Some(plain);
    }
    let repeat = &row["repeat"];
    let long = repeat["text"].as_str()?.repeat(usize::try_from(repeat["count"].as_u64()?).ok()?);
    Some(String::from_utf8(plain).ok()?.replace(repeat["mark"].as_str()?, &long).into_bytes())
}

fn answer(row: &Value) -> Option<Expected> {
    let line = row["line"].as_u64().and_then(|line| usize::try_from(line).ok());
    let reason = row["reason"].as_str().or(line.map(|_| "rule")).map(str::to_owned);
    Some(Expected { allowed: row["allowed"].as_bool()?, line: Some(line), reason })
}
