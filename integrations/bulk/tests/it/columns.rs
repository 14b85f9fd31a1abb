//! The columns that `check --columns` chooses.

use std::fs;
use std::sync::Arc;

use crate::common::{read_table, run, write_table};
use arrow_array::StringArray;
use serde_json::Value;

/// All columns, in the order of the help.
const ALL: [&str; 11] = [
    "input",
    "row",
    "url",
    "time",
    "agent",
    "allowed",
    "reason",
    "kind",
    "pattern",
    "line",
    "valid_from",
];

#[test]
fn chosen_columns_have_the_same_values_in_any_order() {
    let folder = tempfile::tempdir().unwrap();
    let captures = "{\"url\":\"https://h.example\",\"time\":\"2025-01-01\",\
        \"robots\":\"User-agent: *\\nDisallow: /a\\n\\nUser-agent: y\\nAllow: /a\"}\n";
    fs::write(folder.path().join("c.jsonl"), captures).unwrap();
    let policies = ["policies", "c.jsonl", "--agent", "x", "--agent", "y", "-o", "p.parquet"];
    run(&policies, folder.path(), 0);
    let urls = ["https://h.example/a", "https://h.example/b", "/a", "https://other.example/a"];
    let column = |text: &str| StringArray::from(vec![text; 3]);
    let table = vec![
        ("url", Arc::new(StringArray::from_iter_values(&urls[..3])) as _),
        ("when", Arc::new(column("2025-02-01")) as _),
    ];
    write_table(&folder.path().join("u1.parquet"), table, 2);
    let lines = format!("url,when\n{},2025-02-01\nshort\n{},2024-02-01\n", urls[3], urls[0]);
    fs::write(folder.path().join("u2.csv"), lines).unwrap();
    let lines = format!("{{\"url\":\"{}\",\"when\":\"2025-02-01\"}}\n\n{{}}\n", urls[1]);
    fs::write(folder.path().join("u3.jsonl"), lines).unwrap();
    let check = |columns: &str| {
        let arguments = ["check", "u1.parquet", "u2.csv", "u3.jsonl", "--policies", "p.parquet"];
        let rest = ["--time-column", "when", "--columns", columns, "-o", "o.jsonl"];
        run(&[&arguments[..], &rest].concat(), folder.path(), 1);
        fs::read_to_string(folder.path().join("o.jsonl")).unwrap()
    };
    let whole = check(&ALL.join(","));
    let rows: Vec<Value> = whole.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let shown = |row: &Value| {
        let value = |name: &&str| match &row[name] {
            Value::String(text) => text.clone(),
            Value::Null => "-".to_owned(),
            other => other.to_string(),
        };
        ALL.iter().map(value).collect::<Vec<_>>().join(" ")
    };
    let found: Vec<String> = rows.iter().map(shown).collect();
    let (seen, valid) = ("2025-02-01T00:00:00Z", "2025-01-01T00:00:00Z");
    let expected = [
        format!("u1.parquet 0 {} {seen} x false rule disallow /a 2 {valid}", urls[0]),
        format!("u1.parquet 0 {} {seen} y true rule allow /a 5 {valid}", urls[0]),
        format!("u1.parquet 1 {} {seen} x true no_rule_matches - - - {valid}", urls[1]),
        format!("u1.parquet 1 {} {seen} y true no_rule_matches - - - {valid}", urls[1]),
        format!("u1.parquet 2 {} {seen} x - no_origin - - - -", urls[2]),
        format!("u1.parquet 2 {} {seen} y - no_origin - - - -", urls[2]),
        format!("u2.csv 0 {} {seen} x - unknown_origin - - - -", urls[3]),
        format!("u2.csv 0 {} {seen} y - unknown_origin - - - -", urls[3]),
        format!("u2.csv 2 {} 2024-02-01T00:00:00Z x - before_first_capture - - - -", urls[0]),
        format!("u2.csv 2 {} 2024-02-01T00:00:00Z y - before_first_capture - - - -", urls[0]),
        format!("u3.jsonl 0 {} {seen} x true no_rule_matches - - - {valid}", urls[1]),
        format!("u3.jsonl 0 {} {seen} y true no_rule_matches - - - {valid}", urls[1]),
        "u3.jsonl 51 - - x - no_url - - - -".to_owned(),
        "u3.jsonl 51 - - y - no_url - - - -".to_owned(),
    ];
    assert_eq!(found, expected);
    for chosen in [&["allowed"][..], &["row", "allowed"], &["line", "agent", "input"], &["kind"]] {
        let part = |row: &Value| {
            let values: Vec<_> =
                chosen.iter().map(|name| format!("\"{name}\":{}", row[name])).collect();
            format!("{{{}}}\n", values.join(","))
        };
        assert_eq!(check(&chosen.join(",")), rows.iter().map(part).collect::<String>());
    }
    // The columns of `--explain` that are chosen keep their place.
    let arguments = ["check", "u2.csv", "--policies", "p.parquet", "--explain", "-o", "o.jsonl"];
    run(&[&arguments[..], &["--columns", "line,row"]].concat(), folder.path(), 1);
    let text = fs::read_to_string(folder.path().join("o.jsonl")).unwrap();
    let first = "{\"line\":null,\"row\":0,\"kind\":null,\"pattern\":null,\"valid_from\":null}\n";
    assert!(text.starts_with(first), "{text}");
}

#[test]
fn rows_of_many_crawlers_are_whole_also_if_they_are_long() {
    let folder = tempfile::tempdir().unwrap();
    let captures = "{\"url\":\"https://h.example\",\"robots\":\"User-agent: t7\\nDisallow: /a\"}\n";
    fs::write(folder.path().join("c.jsonl"), captures).unwrap();
    let tokens: Vec<String> = (0..600).map(|number| format!("--token=t{number}")).collect();
    let mut policies = vec!["policies", "c.jsonl", "-o", "p.parquet"];
    policies.extend(tokens.iter().map(String::as_str));
    run(&policies, folder.path(), 0);
    // A batch of answers ends within a row: by the number of answers, and by the bytes of a column.
    for (rows, length) in [(30, 1), (2, 20_000)] {
        let lines = (0..rows).map(|row| format!("https://h.example/a{row},{}", "x".repeat(length)));
        let table = format!("url,text\n{}", lines.collect::<Vec<_>>().join("\n"));
        fs::write(folder.path().join("u.csv"), table).unwrap();
        let check = ["check", "u.csv", "--policies", "p.parquet", "--keep", "text"];
        run(&[&check[..], &["-o", "o.parquet"]].concat(), folder.path(), 0);
        let names = ["text", "url", "agent", "allowed"];
        let found = read_table(&folder.path().join("o.parquet"), &names);
        assert_eq!(found.len(), rows * 600);
        for (at, row) in found.iter().enumerate() {
            let (url, agent) = (format!("https://h.example/a{}", at / 600), at % 600);
            let allowed = if agent == 7 { "false" } else { "true" };
            let expected =
                [&url, &format!("t{agent}"), allowed].map(|it: &str| Some(it.to_owned()));
            assert_eq!((&row[1..], row[0].as_ref().unwrap().len()), (&expected[..], length));
        }
    }
}

#[test]
fn kept_columns_with_names_of_own_ones_can_have_any_type() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("c.jsonl"), "{\"url\":\"https://h.example\",\"robots\":\"\"}\n")
        .unwrap();
    run(&["policies", "c.jsonl", "--agent", "x", "-o", "p.parquet"], folder.path(), 0);
    let names = ["input", "row", "time", "kind", "pattern", "line", "valid_from"];
    let cells = names.map(|name| format!(",{name}?"));
    let table = format!("url,{}\nhttps://h.example/{}\n", names.join(","), cells.concat());
    fs::write(folder.path().join("u.csv"), table).unwrap();
    let kept = names.iter().flat_map(|name| ["--keep", name]);
    let check = ["check", "u.csv", "--policies", "p.parquet", "-o", "o.parquet"];
    run(&check.into_iter().chain(kept).collect::<Vec<_>>(), folder.path(), 0);
}

#[test]
fn columns_that_are_missing_or_repeated_are_an_error() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("c.jsonl"), "{\"url\":\"https://h.example\",\"robots\":\"\"}\n")
        .unwrap();
    run(&["policies", "c.jsonl", "--agent", "x", "-o", "p.parquet"], folder.path(), 0);
    fs::write(folder.path().join("u.csv"), "url,row\nhttps://h.example/,7\n").unwrap();
    // A column of JSON Lines can be null or missing in some lines.
    let lines = "not json\n{\"url\":\"https://h.example/\"}\n{\"row\":null,\"x\":0}\n";
    fs::write(folder.path().join("u.jsonl"), lines).unwrap();
    let check = |input: &str, more: &[&str], status: i32| {
        let check = ["check", input, "--policies", "p.parquet", "-o", "o.parquet"];
        let output = run(&[&check[..], more].concat(), folder.path(), status);
        String::from_utf8(output.stderr).unwrap()
    };
    let missing = |name: &str| format!("`u.jsonl` has no column `{name}`\n\nhint: its columns are");
    for (input, more, expected) in [
        ("u.csv", &["--columns", "time"][..], "expected `--time-column` with the column `time`"),
        ("u.csv", &["--columns", "url,allowed,url"], "column `url` is given twice in `--columns`"),
        ("u.csv", &["--columns", "row", "--keep", "row"], "two columns `row`"),
        ("u.csv", &["--columns", "URL"], "invalid value 'URL'"),
        ("u.jsonl", &["--url-column", "link"], &missing("link")),
        ("u.jsonl", &["--time-column", "fetchtime"], &missing("fetchtime")),
        ("u.jsonl", &["--keep", "x", "--keep", "id"], &missing("id")),
        ("u.jsonl", &["--keep", "id", "--memory", "1"], "`url`, `row`, `x`"),
    ] {
        let message = check(input, more, 2);
        assert!(message.contains(expected), "{message}");
        fs::remove_dir_all(folder.path().join("o.parquet.work")).unwrap_or_default();
    }
    check("u.jsonl", &["--keep", "row", "--columns", "url"], 1);
}

#[test]
fn a_check_notes_that_short_policies_have_no_patterns() {
    let folder = tempfile::tempdir().unwrap();
    let captures = "{\"url\":\"https://h.example\",\"robots\":\"User-agent: *\\nDisallow: /a\"}\n";
    fs::write(folder.path().join("c.jsonl"), captures).unwrap();
    fs::write(folder.path().join("u.txt"), "https://h.example/a\nhttps://h.example/b\n").unwrap();
    let notes = |short: &[&str], columns: &[&str]| {
        let policies = ["policies", "c.jsonl", "--agent", "x", "-o", "p.parquet"];
        run(&[&policies[..], short].concat(), folder.path(), 0);
        let check = ["check", "u.txt", "--policies", "p.parquet", "-o", "o.jsonl"];
        let output = run(&[&check[..], columns].concat(), folder.path(), 0);
        String::from_utf8(output.stderr).unwrap()
    };
    let note = "note: rows without `pattern` because of `policies --short`: 1\n";
    assert!(notes(&["--short"], &["--explain"]).contains(note));
    assert!(!notes(&["--short"], &["--columns", "line"]).contains(note));
    assert!(!notes(&[], &["--explain"]).contains(note));
}
