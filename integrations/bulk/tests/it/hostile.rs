//! Hostile rows and files: listed and counted, never "allowed", never the end of a run.

use std::fs;
use std::sync::Arc;

use crate::common::{read_table, run, write_table};
use arrow_array::{ArrayRef, BinaryArray, StringArray};
use serde_json::Value;
use verger::Robots;

#[test]
fn bad_rows_of_texts_are_listed_and_the_others_are_answered() {
    let folder = tempfile::tempdir().unwrap();
    let captures =
        b"{\"origin\":\"https://h.example\",\"robots\":\"User-agent: *\\nDisallow: /a\"}\n\
        not json\n[1]\n{\"origin\":7,\"robots\":\"x\"}\n{\"robots\":\"x\"}\n\xff\n\n{}\n";
    fs::write(folder.path().join("captures.jsonl"), captures).unwrap();
    run(&["policies", "captures.jsonl", "--agent", "x", "-o", "p.parquet"], folder.path(), 1);
    let listed = fs::read_to_string(folder.path().join("p.parquet.skipped.jsonl")).unwrap();
    let places: Vec<u64> = listed
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["at"].as_u64().unwrap())
        .collect();
    assert_eq!(places.len(), 5, "{listed}");

    let urls = b"https://h.example/a\n\n/a\nhttps://h.example/b\n\xff\nhttps://other.example/\nmailto:a@h.example\n  \nhttps://H.EXAMPLE:443/a\n";
    fs::write(folder.path().join("urls.txt"), urls).unwrap();
    run(&["check", "urls.txt", "--policies", "p.parquet", "-o", "o.parquet"], folder.path(), 1);
    let rows = read_table(&folder.path().join("o.parquet"), &["url", "allowed", "reason"]);
    let found: Vec<String> = rows
        .iter()
        .map(|row| row.iter().map(|it| it.as_deref().unwrap_or("-")).collect::<Vec<_>>().join(" "))
        .collect();
    assert_eq!(
        found,
        [
            "https://h.example/a false rule",
            "/a - no_origin",
            "https://h.example/b true no_rule_matches",
            "https://other.example/ - unknown_origin",
            "mailto:a@h.example - no_origin",
            "https://H.EXAMPLE:443/a false rule",
        ]
    );
}

#[test]
fn damaged_policies_and_nulls_are_never_allowed() {
    let folder = tempfile::tempdir().unwrap();
    let policy = Robots::parse("User-agent: *\nDisallow: /a\n").policy("x");
    let mut damaged = policy.as_bytes().to_vec();
    *damaged.last_mut().unwrap() ^= 1;
    let policies =
        BinaryArray::from_iter([Some(policy.as_bytes()), Some(&damaged), None, Some(b"")]);
    let origins = (0..4).map(|number| format!("https://h{number}.example"));
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("origin", Arc::new(StringArray::from_iter_values(origins))),
        ("agent", Arc::new(StringArray::from(vec!["x"; 4]))),
        ("policy", Arc::new(policies)),
    ];
    write_table(&folder.path().join("p.parquet"), columns, 10);
    let urls = StringArray::from(vec![
        Some("https://h0.example/b"),
        Some("https://h1.example/b"),
        Some("https://h2.example/b"),
        Some("https://h3.example/b"),
        None,
        Some("https://h1.example/robots.txt"),
    ]);
    write_table(&folder.path().join("u.parquet"), vec![("url", Arc::new(urls))], 10);
    run(&["check", "u.parquet", "--policies", "p.parquet", "-o", "o.parquet"], folder.path(), 0);
    let rows = read_table(&folder.path().join("o.parquet"), &["allowed", "reason"]);
    let found: Vec<(Option<&str>, &str)> =
        rows.iter().map(|row| (row[0].as_deref(), row[1].as_deref().unwrap())).collect();
    let damaged = (None, "damaged_policy");
    let expected = [
        (Some("true"), "no_rule_matches"),
        damaged,
        (None, "unknown_rules"),
        damaged,
        (None, "no_url"),
        damaged,
    ];
    assert_eq!(found, expected);
}

#[test]
fn errors_name_the_place_and_a_remedy() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("x.parquet"), "no Parquet").unwrap();
    fs::write(folder.path().join("x.jsonl"), "{}\n").unwrap();
    for (arguments, expected) in [
        (
            &["metrics", "absent.warc", "-o", "o.parquet"][..],
            "could not read `absent.warc`: No such file",
        ),
        (&["metrics", "x.parquet", "-o", "o.parquet"], "could not read `x.parquet` as Parquet"),
        (
            &["metrics", "x.jsonl", "-o", "o.pdf"],
            "expected an output that ends with `.parquet`, `.jsonl` or `/`",
        ),
        (&["metrics", "x.pdf", "-o", "o.parquet"], "expected a file that ends with `.warc`"),
        (
            &["policies", "x.jsonl", "--agent", "Google-Safety", "-o", "o.parquet"],
            "`Google-Safety` does not obey robots.txt, so it has no policy",
        ),
        (
            &["check", "x.jsonl", "--policies", "x.jsonl", "-o", "o.parquet"],
            "policies cannot be in `x.jsonl`",
        ),
        (
            &[
                "policies",
                "x.jsonl",
                "--crawler",
                "ChatGPT-User",
                "--agent",
                "a",
                "--agent",
                "a",
                "-o",
                "o.parquet",
            ],
            "is given twice",
        ),
    ] {
        let output = run(arguments, folder.path(), 2);
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(message.contains(expected), "{arguments:?}: {message}");
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn notes_and_the_report_have_the_tokens_and_the_caveats_of_crawlers() {
    let folder = tempfile::tempdir().unwrap();
    let captures = "{\"url\":\"https://h.example\",\"robots\":\"User-agent: *\\nDisallow: /\"}\n";
    std::fs::write(folder.path().join("c.jsonl"), captures).unwrap();
    let crawlers = [
        ("--agent", "Google-Extended"),
        ("--agent", "googlebot-image"),
        ("--agent", "GPTBot/1.2"),
        ("--agent", "ExampleBot"),
        ("--agent", "Gogglebot"),
        ("--token", "ChatGPT-User"),
    ];
    for command in ["policies", "changes"] {
        let mut arguments = vec![command, "c.jsonl", "-o", "o.parquet"];
        arguments.extend(crawlers.iter().flat_map(|(option, name)| [*option, *name]));
        let output = run(&arguments, folder.path(), 0);
        let control_token = "a control token: it crawls nothing itself, it says what the pages \
                             that other crawlers fetch may be used for";
        let message = String::from_utf8_lossy(&output.stderr);
        let notes: Vec<&str> = message.lines().filter(|line| !line.contains("seconds")).collect();
        let expected = [
            &format!("note: about `Google-Extended`: {control_token}"),
            "note: `googlebot-image` obeys groups for `Googlebot-Image`, then `Googlebot`",
            "note: `GPTBot/1.2` obeys groups for `GPTBot`",
            "note: no known crawler has the name `Gogglebot`; did you mean `Googlebot`?",
        ];
        assert_eq!(notes, expected, "{command}");
        let report = std::fs::read(folder.path().join("o.parquet.report.json")).unwrap();
        let report: serde_json::Value = serde_json::from_slice(&report).unwrap();
        let expected = serde_json::json!([
            {"agent": "Google-Extended", "tokens": ["Google-Extended"], "note": control_token},
            {"agent": "googlebot-image", "tokens": ["Googlebot-Image", "Googlebot"]},
            {"agent": "GPTBot/1.2", "tokens": ["GPTBot"]},
            {"agent": "ExampleBot", "tokens": ["ExampleBot"]},
            {"agent": "Gogglebot", "tokens": ["Gogglebot"]},
            {"token": "ChatGPT-User", "tokens": ["ChatGPT-User"]},
        ]);
        assert_eq!(report["crawlers"], expected, "{command}");
    }
}

#[test]
fn a_quote_that_nothing_closes_takes_bounded_memory_and_is_listed() {
    let folder = tempfile::tempdir().unwrap();
    let mut table = "url,x\nhttps://a.example/,1\n\"https://b.example/,2\n".to_owned();
    while table.len() < 9 * 1024 * 1024 {
        table.push_str("https://c.example/,3\n");
    }
    fs::write(folder.path().join("u.csv"), table).unwrap();
    fs::write(folder.path().join("c.jsonl"), "{\"url\":\"https://a.example\",\"robots\":\"\"}\n")
        .unwrap();
    run(&["policies", "c.jsonl", "--agent", "x", "-o", "p.parquet"], folder.path(), 0);
    run(&["check", "u.csv", "--policies", "p.parquet", "-o", "o.parquet"], folder.path(), 1);
    let found = read_table(&folder.path().join("o.parquet"), &["allowed"]);
    assert_eq!(found, [[Some("true".to_owned())]]);
    let listed = fs::read_to_string(folder.path().join("o.parquet.skipped.jsonl")).unwrap();
    assert!(listed.contains("expected at most 8388608 bytes in a row"), "{listed}");
}

#[test]
fn lists_name_relative_paths() {
    let folder = tempfile::tempdir().unwrap();
    for line in ["/etc/x.warc", "../x.warc", "a//x.warc", "https://h.example/x.warc"] {
        fs::write(folder.path().join("l.paths"), format!("\n{line}\n")).unwrap();
        let output = run(&["metrics", "l.paths", "-o", "o.jsonl"], folder.path(), 2);
        let message = String::from_utf8_lossy(&output.stderr);
        let expected =
            format!("expected a relative path in line 2 of `l.paths`, but found `{line}`");
        assert!(message.contains(&expected), "{message}");
    }
}
