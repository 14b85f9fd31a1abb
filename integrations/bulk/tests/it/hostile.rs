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
    fs::write(folder.path().join("text.jsonl"), "{\"url\":\"h.example\",\"text\":\"\"}\n").unwrap();
    fs::write(folder.path().join("x.csv"), "").unwrap();
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
        (&["metrics", "x.csv", "-o", "o.parquet"], "error: `x.csv` is empty\n"),
        (
            &["policies", "text.jsonl", "--agent", "x", "-o", "o.jsonl"],
            "`text.jsonl` has no column `robots` or `body` or `content` or `status` or",
        ),
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
    let list = folder.path().join("o.parquet.skipped.jsonl");
    let listed = fs::read_to_string(&list).unwrap();
    assert!(listed.contains("expected at most 8388608 bytes in a row"), "{listed}");
    // In a short file, the row ends with the file.
    let first = "https://a.example/";
    for (table, urls, skipped) in [
        (format!("{first},\"1\""), 1, None),
        (format!("{first},\"1\n\"\n"), 1, None),
        (format!("{first},\"\"\"\"\r\n\r\n"), 1, None),
        (format!("{first},1\"\n"), 1, None),
        (format!("{first},\"1\"\""), 0, Some(0)),
        (format!("{first},1\n\"https://b.example/,2\nhttps://c.example/,3\n"), 1, Some(1)),
        (format!("{first},1\n{first},\""), 1, Some(1)),
        (format!("{first},1\n{first},\"\u{fffd}"), 1, Some(1)),
        (String::new(), 0, None),
    ] {
        // A character in place of a byte that is not UTF-8.
        let bytes = format!("url,x\n{table}").into_bytes();
        let bytes = bytes.into_iter().filter(|byte| !matches!(byte, 0xbf | 0xbd));
        fs::write(folder.path().join("u.csv"), bytes.collect::<Vec<_>>()).unwrap();
        let check = ["check", "u.csv", "--policies", "p.parquet", "-o", "o.parquet"];
        run(&check, folder.path(), i32::from(skipped.is_some()));
        assert_eq!(read_table(&folder.path().join("o.parquet"), &["url"]).len(), urls, "{table}");
        let listed = fs::read_to_string(&list).unwrap_or_default();
        let expected = skipped.map_or(String::new(), |at| {
            let kind = "\"kind\":\"broken_file\",\"message\":\"a quote is not closed\"";
            format!("{{\"input\":\"u.csv\",\"at\":{at},{kind}}}\n")
        });
        assert_eq!(listed, expected, "{table}");
    }
}

#[test]
fn lists_name_relative_paths_of_inputs() {
    let folder = tempfile::tempdir().unwrap();
    let metrics = |list: &str, status: i32| {
        fs::write(folder.path().join("l.paths"), list).unwrap();
        let output = run(&["metrics", "l.paths", "-o", "o.jsonl"], folder.path(), status);
        String::from_utf8(output.stderr).unwrap()
    };
    for line in ["/etc/x.warc", "../x.warc", "a//x.warc", "https://h.example/x.warc"] {
        let message = metrics(&format!("\n{line}\n"), 2);
        let expected =
            format!("expected a relative path in line 2 of `l.paths`, but found `{line}`");
        assert!(message.contains(&expected), "{message}");
    }
    fs::create_dir(folder.path().join("folder")).unwrap();
    let line = "{\"url\":\"https://h.example\",\"robots\":\"\"}\n";
    fs::write(folder.path().join("c.jsonl"), line).unwrap();
    for (name, expected) in [
        ("x.warc.wet.gz", "but found `x.warc.wet.gz`, in line 2 of `l.paths`"),
        ("u.txt", "captures of robots.txt cannot be in `u.txt`, in line 2 of `l.paths`"),
        ("folder", "expected a file that ends with"),
        ("l.paths", "captures of robots.txt cannot be in `l.paths`, in line 2 of `l.paths`"),
    ] {
        let message = metrics(&format!("c.jsonl\n{name}\n"), 2);
        assert!(message.contains(expected), "{message}");
    }
    assert!(metrics("\n", 2).contains("error: `l.paths` has no paths\n"));
    let message = metrics("\u{feff}c.jsonl\r\nc.jsonl\r\n", 0);
    let twice = "warning: inputs that are given twice are read twice: ";
    assert!(message.contains(&format!("{twice}1, such as `c.jsonl`\n")), "{message}");
    let output = run(&["metrics", "c.jsonl", ".", "-o", "o.jsonl"], folder.path(), 0);
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(message.contains(&format!("{twice}1, such as `./c.jsonl`\n")), "{message}");
}

#[test]
fn compressed_files_without_bytes_are_listed() {
    let folder = tempfile::tempdir().unwrap();
    for (name, status) in [
        ("x.warc.gz", 1),
        ("x.arc.gz", 1),
        ("x.warc.zst", 1),
        ("x.jsonl.gz", 1),
        ("x.csv.zst", 1),
        ("x.cdxj.gz", 1),
        ("x.warc", 0),
        ("x.jsonl", 0),
    ] {
        fs::write(folder.path().join(name), "").unwrap();
        run(&["metrics", name, "-o", "o.jsonl"], folder.path(), status);
        let listed = fs::read_to_string(folder.path().join("o.jsonl.skipped.jsonl"));
        assert_eq!(listed.is_ok_and(|it| it.contains("the file is empty")), status == 1, "{name}");
    }
}

#[test]
fn rows_of_an_index_name_the_part_that_is_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let (archive, start, length) = ("\"a.warc\"", "\"0\"", "\"9\"");
    let name = "the relative name of a WARC or ARC file";
    let rows = [
        ("null", start, length, format!("missing {name}")),
        ("\"../a.warc\"", start, length, format!("expected {name}, but found `../a.warc`")),
        ("\"a.zip\"", start, length, format!("expected {name}, but found `a.zip`")),
        (archive, "null", length, "missing an offset in bytes".to_owned()),
        (archive, "\"-1\"", length, "expected an offset in bytes, but found `-1`".to_owned()),
        (archive, "1.5", length, "expected an offset in bytes, but found `1.5`".to_owned()),
        (archive, start, "null", "missing a length from 1 to 4194304 bytes".to_owned()),
        (
            archive,
            start,
            "0",
            "expected a length from 1 to 4194304 bytes, but found `0`".to_owned(),
        ),
        (archive, start, "5000000", "4194304 bytes, but found `5000000`".to_owned()),
    ];
    let line = |(archive, start, length, _): &(&str, &str, &str, String)| {
        let place = format!("\"filename\":{archive},\"offset\":{start},\"length\":{length}");
        format!("k 1 {{\"url\":\"https://h.example/robots.txt\",{place}}}\n")
    };
    fs::write(folder.path().join("i.cdxj"), rows.each_ref().map(line).concat()).unwrap();
    run(&["metrics", "i.cdxj", "-o", "o.jsonl"], folder.path(), 1);
    let listed = fs::read_to_string(folder.path().join("o.jsonl.skipped.jsonl")).unwrap();
    let listed: Vec<&str> = listed.lines().collect();
    assert_eq!(listed.len(), rows.len());
    for (line, (.., expected)) in listed.iter().zip(&rows) {
        assert!(line.contains(expected), "{line}: {expected}");
    }
}

#[test]
fn a_full_disk_has_a_place_and_a_hint_that_helps() {
    let folder = tempfile::tempdir().unwrap();
    let line = |at| format!("{{\"url\":\"https://h{}.example\",\"robots\":\"\"}}\n", at * 7919);
    fs::write(folder.path().join("c.jsonl"), (0..5_000).map(line).collect::<String>()).unwrap();
    // A limit of the size of files, which is no signal.
    let limited = "trap '' XFSZ; ulimit -f 8";
    for (before, output, place, hint) in [
        (limited, "o.parquet", "`o.parquet.work/metrics-000000.tmp`", true),
        (limited, "o.jsonl", "`o.jsonl.work/metrics-000000.tmp`", true),
        ("exec >/dev/full", "-", "`standard output`", false),
    ] {
        let program = env!("CARGO_BIN_EXE_verger-bulk");
        let command = format!("{before}; exec {program} metrics c.jsonl -o {output}");
        let mut shell = std::process::Command::new("sh");
        let found = shell.args(["-c", &command]).current_dir(folder.path()).output().unwrap();
        let message = String::from_utf8_lossy(&found.stderr);
        assert!(message.contains(&format!("error: could not write {place}: ")), "{message}");
        assert_eq!(message.contains("`--work` places it elsewhere"), hint, "{message}");
        assert_eq!(found.status.code(), Some(2));
    }
}
