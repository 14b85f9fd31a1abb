//! Input that could end a run, use up its memory, or get an "allowed" that nobody gave.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;

use crate::common::{bulk, read_table, run, write_table};
use arrow_array::{ArrayRef, BinaryArray, Int64Array, StringArray};
use verger::Robots;

/// Columns of rows, with a dash for null.
fn rows(path: &Path, columns: &[&str]) -> Vec<String> {
    let text = |row: &Vec<Option<String>>| {
        row.iter().map(|it| it.as_deref().unwrap_or("-")).collect::<Vec<_>>().join(" ")
    };
    read_table(path, columns).iter().map(text).collect()
}

#[test]
fn failed_fetches_in_tables_of_text_open_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let table = "origin,status,robots\n\
        https://a.example,,\n\
        https://b.example,503.0,busy\n\
        https://c.example,503 Busy,busy\n\
        https://d.example,200,\n\
        https://e.example,404.0,\n\
        https://f.example,200,User-agent: *\n\
        short,row\n\
        https://g.example,0,busy\n\
        https://h.example,x,busy\n";
    fs::write(folder.path().join("c.csv"), format!("\u{feff}{}", table.replace('\n', "\r\n")))
        .unwrap();
    run(&["policies", "c.csv", "--agent", "x", "-o", "p.parquet"], folder.path(), 1);
    assert_eq!(
        rows(&folder.path().join("p.parquet"), &["origin", "status", "access", "reason"]),
        [
            "https://a.example - disallow_all unreachable",
            "https://b.example 503 disallow_all unreachable",
            "https://d.example 200 unknown truncated",
            "https://e.example 404 allow_all unavailable",
            "https://f.example 200 rules -",
            "https://g.example - disallow_all unreachable",
        ]
    );
    let listed = fs::read_to_string(folder.path().join("p.parquet.skipped.jsonl")).unwrap();
    let mut places: Vec<_> = listed.lines().map(|line| line.split(',').nth(1).unwrap()).collect();
    places.sort_unstable();
    assert_eq!(places, ["\"at\":2", "\"at\":6", "\"at\":8"], "{listed}");
}

#[test]
fn policies_without_readable_times_are_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let policy = Robots::parse("User-agent: *\nAllow: /\n").policy("x");
    let policies: ArrayRef = Arc::new(BinaryArray::from_vec(vec![policy.as_bytes()]));
    let text = |value: &str| Arc::new(StringArray::from(vec![value])) as ArrayRef;
    fs::write(folder.path().join("u.txt"), "https://h.example/\n").unwrap();
    for (times, is_readable) in [
        (text("yesterday"), false),
        (text("2025-01-01"), true),
        (Arc::new(Int64Array::from(vec![1_700_000_000_000])) as ArrayRef, false),
        (Arc::new(Int64Array::from(vec![None])), true),
    ] {
        let columns = vec![
            ("origin", text("https://h.example")),
            ("agent", text("x")),
            ("policy", Arc::clone(&policies)),
            ("valid_until", times),
        ];
        write_table(&folder.path().join("p.parquet"), columns, 10);
        let arguments =
            ["check", "u.txt", "--policies", "p.parquet", "-o", "o.parquet", "--restart"];
        let output = run(&arguments, folder.path(), if is_readable { 0 } else { 2 });
        let message = String::from_utf8_lossy(&output.stderr);
        let expected = "expected a time in column `valid_until` of `p.parquet`, row 0";
        assert_eq!(message.contains(expected), !is_readable, "{message}");
    }
}

#[test]
fn milliseconds_are_not_checked_with_the_latest_rules() {
    let folder = tempfile::tempdir().unwrap();
    let line = "{\"url\":\"https://h.example\",\"time\":\"2023-01-01\",\"robots\":\"\"}\n";
    fs::write(folder.path().join("c.jsonl"), line).unwrap();
    run(&["policies", "c.jsonl", "--agent", "x", "-o", "p.parquet"], folder.path(), 0);
    let urls = "{\"url\":\"https://h.example/\",\"t\":1700000000000}\n\
        {\"url\":\"https://h.example/\",\"t\":1700000000}\n\
        {\"url\":\"https://h.example/\",\"t\":1600000000}\n";
    fs::write(folder.path().join("u.jsonl"), format!("\u{feff}{urls}")).unwrap();
    let arguments =
        ["check", "u.jsonl", "--policies", "p.parquet", "--time-column", "t", "-o", "o.parquet"];
    run(&arguments, folder.path(), 0);
    assert_eq!(
        rows(&folder.path().join("o.parquet"), &["allowed", "reason"]),
        ["- no_time", "true no_group", "- before_first_capture"]
    );
}

#[test]
fn tables_without_rows_and_damaged_ones_end_no_run() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("c.jsonl"), "{\"url\":\"https://h.example\",\"robots\":\"\"}\n").unwrap();
    run(&["policies", "c.jsonl", "--agent", "x", "-o", "p.parquet"], folder.path(), 0);
    let urls = |count: usize| {
        let urls = (0..count).map(|number| format!("https://h.example/{}", number * 7919));
        vec![("url", Arc::new(StringArray::from_iter_values(urls)) as ArrayRef)]
    };
    fs::create_dir(path("in")).unwrap();
    write_table(&path("in/empty.parquet"), urls(0), 10);
    run(&["check", "in", "--policies", "p.parquet", "-o", "o.parquet"], folder.path(), 0);
    assert_eq!(rows(&path("o.parquet"), &["allowed"]).len(), 0);

    write_table(&path("in/damaged.parquet"), urls(20_000), 10_000);
    let mut bytes = fs::read(path("in/damaged.parquet")).unwrap();
    // The first page of the first row group.
    bytes[4..40].fill(0xff);
    fs::write(path("in/damaged.parquet"), bytes).unwrap();
    run(&["check", "in", "--policies", "p.parquet", "-o", "o.parquet"], folder.path(), 1);
    assert_eq!(rows(&path("o.parquet"), &["allowed"]), vec!["true"; 10_000]);
    let listed = fs::read_to_string(path("o.parquet.skipped.jsonl")).unwrap();
    assert!(listed.contains("broken_file") && listed.lines().count() == 1, "{listed}");
    // Rules that are not readable could be the latest ones.
    let mut bytes = fs::read(path("p.parquet")).unwrap();
    bytes[4..30].fill(0xff);
    fs::write(path("p.parquet"), bytes).unwrap();
    run(&["check", "in", "--policies", "p.parquet", "-o", "o.parquet"], folder.path(), 2);
}

#[test]
fn long_patterns_and_texts_are_written_in_small_batches() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let pattern = format!("/*{}", "a".repeat(400_000));
    let robots = format!("User-agent: *\\nDisallow: {pattern}\\nDisallow: /b\\n");
    let line = format!("{{\"url\":\"https://h.example\",\"robots\":\"{robots}\"}}\n");
    fs::write(path("c.jsonl"), line.repeat(60)).unwrap();
    run(&["policies", "c.jsonl", "--agent", "x", "-o", "p.parquet"], folder.path(), 0);
    let url = format!("https://h.example/{}\n", "a".repeat(400_000));
    fs::write(path("u.txt"), url.repeat(40) + &"https://h.example/b\n".repeat(9_000)).unwrap();
    let arguments =
        ["check", "u.txt", "--policies", "p.parquet", "--columns", "allowed,line,pattern"];
    run(&[&arguments[..], &["-o", "o.parquet"]].concat(), folder.path(), 0);
    let found = rows(&path("o.parquet"), &["allowed", "line"]);
    assert_eq!(found[..40], vec!["false 2"; 40]);
    assert_eq!(found[40..], vec!["false 3"; 9_000]);
    // The same through partitions.
    let arguments = [&arguments[..], &["--memory", "1", "-o", "q.parquet"]].concat();
    run(&arguments, folder.path(), 0);
    assert_eq!(rows(&path("q.parquet"), &["allowed", "line"]), found);
}

#[test]
fn long_urls_of_many_crawlers_are_written_in_parts() {
    let folder = tempfile::tempdir().unwrap();
    let robots = "User-agent: c3\\nDisallow: /\\n".to_owned() + &"# comment\\n".repeat(20_000);
    let line = format!("{{\"url\":\"https://h.example\",\"robots\":\"{robots}\"}}\n");
    fs::write(folder.path().join("c.jsonl"), line).unwrap();
    let names: Vec<String> = (0..30).map(|number| format!("c{number}")).collect();
    let tokens = names.iter().flat_map(|name| ["--token", name]);
    let arguments = ["policies", "c.jsonl", "-o", "p.parquet"].into_iter().chain(tokens);
    run(&arguments.collect::<Vec<_>>(), folder.path(), 0);
    let urls = format!("https://h.example/{}\nhttps://h.example/b\n\n/x\n", "a".repeat(3_000_000));
    fs::write(folder.path().join("u.txt"), urls.clone() + &urls).unwrap();
    let arguments = ["check", "u.txt", "--policies", "p.parquet", "--columns"];
    let output = ["url,agent,allowed,row", "-o", "o.parquet"];
    run(&[&arguments[..], &output].concat(), folder.path(), 0);
    let mut expected = Vec::new();
    for at in [0, 3_000_019, 3_000_040, 3_000_043, 6_000_062, 6_000_083] {
        for name in &names {
            let allowed = if at % 3_000_043 > 3_000_020 {
                "-"
            } else if name == "c3" {
                "false"
            } else {
                "true"
            };
            expected.push(format!("{name} {allowed} {at}"));
        }
    }
    let path = folder.path().join("o.parquet");
    assert_eq!(rows(&path, &["agent", "allowed", "row"]), expected);
    let urls = read_table(&path, &["url"]);
    assert!(urls[..30].iter().all(|url| url[0].as_ref().is_some_and(|url| url.len() == 3_000_018)));
}

#[test]
fn a_line_longer_than_several_tasks_is_one_row() {
    let folder = tempfile::tempdir().unwrap();
    let long = format!("{{\"url\":\"{}\"}}\n", "a".repeat(140 * 1024 * 1024));
    let line = "{\"url\":\"https://h.example\",\"robots\":\"\"}\n";
    fs::write(folder.path().join("c.jsonl"), format!("{line}{long}{line}")).unwrap();
    run(&["metrics", "c.jsonl", "-o", "o.parquet"], folder.path(), 1);
    assert_eq!(rows(&folder.path().join("o.parquet"), &["origin"]), ["https://h.example"; 2]);
    let listed = fs::read_to_string(folder.path().join("o.parquet.skipped.jsonl")).unwrap();
    assert_eq!(listed.lines().count(), 1, "{listed}");
}

#[test]
fn kept_times_of_every_unit_are_written_as_json() {
    let folder = tempfile::tempdir().unwrap();
    let line = "{\"url\":\"https://h.example\",\"robots\":\"\"}\n";
    fs::write(folder.path().join("c.jsonl"), line).unwrap();
    run(&["policies", "c.jsonl", "--agent", "x", "-o", "p.parquet"], folder.path(), 0);
    let time = arrow_array::TimestampMillisecondArray::from(vec![1_700_000_000_000]);
    for zone in ["UTC", "Europe/Berlin"] {
        let columns: Vec<(&str, ArrayRef)> = vec![
            ("url", Arc::new(StringArray::from(vec!["https://h.example/"]))),
            ("t", Arc::new(time.clone().with_timezone(zone))),
        ];
        write_table(&folder.path().join("u.parquet"), columns, 10);
        let arguments = ["check", "u.parquet", "--policies", "p.parquet", "--keep", "t"];
        run(&[&arguments[..], &["-o", "o.jsonl", "--restart"]].concat(), folder.path(), 0);
        let text = fs::read_to_string(folder.path().join("o.jsonl")).unwrap();
        assert!(text.starts_with("{\"t\":\"2023-11-14T22:13:20"), "{text}");
    }
}

#[test]
fn many_partitions_need_few_open_files() {
    let folder = tempfile::tempdir().unwrap();
    let (mut captures, mut urls) = (String::new(), String::new());
    for number in 0..900 {
        let rules = (0..60).fold(String::new(), |mut text, rule| {
            let _ = write!(
                text,
                "Disallow: /{number}/{rule}?parameter=of-a-long-pattern-of-this-rule\\n"
            );
            text
        });
        let line = format!("\"https://h{number}.example\",\"robots\":\"User-agent: *\\n{rules}\"");
        let _ = writeln!(captures, "{{\"url\":{line}}}");
        let _ = writeln!(
            urls,
            "https://h{number}.example/{number}/7?parameter=of-a-long-pattern-of-this-rule"
        );
    }
    fs::write(folder.path().join("c.jsonl"), captures).unwrap();
    fs::write(folder.path().join("u.txt"), urls).unwrap();
    run(
        &["policies", "c.jsonl", "--agent", "x", "--compression", "none", "-o", "p.parquet"],
        folder.path(),
        0,
    );
    // More threads make more partitions; the system permits fewer files than partitions, but three
    // for each thread.
    let program = env!("CARGO_BIN_EXE_verger-bulk");
    let command = format!(
        "ulimit -n 128; exec {program} check u.txt --policies p.parquet --memory 1 --threads 32 -o o.parquet"
    );
    let mut shell = std::process::Command::new("sh");
    let output = shell.args(["-c", &command]).current_dir(folder.path()).output().unwrap();
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{message}");
    assert!(message.contains("partitions"), "{message}");
    assert_eq!(rows(&folder.path().join("o.parquet"), &["allowed"]), vec!["false"; 900]);
}

#[test]
fn a_closed_output_leaves_no_message_and_no_files() {
    let folder = tempfile::tempdir().unwrap();
    let line = "{\"url\":\"https://h.example/robots.txt\",\"robots\":\"\"}\n";
    fs::write(folder.path().join("c.jsonl"), line.repeat(5_000)).unwrap();
    let temporary = folder.path().join("tmp");
    fs::create_dir(&temporary).unwrap();
    let mut command = bulk(&["metrics", "c.jsonl", "-o", "-"], folder.path());
    command.env("TMPDIR", &temporary).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(fs::read_dir(&temporary).unwrap().count(), 0);
}

#[test]
fn inputs_and_foreign_folders_are_never_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let line = "{\"url\":\"https://h.example/robots.txt\",\"robots\":\"\"}\n";
    fs::write(folder.path().join("c.jsonl"), line).unwrap();
    run(&["metrics", "c.jsonl", "-o", "c.jsonl"], folder.path(), 2);
    fs::create_dir(folder.path().join("home")).unwrap();
    fs::write(folder.path().join("home/letter.txt"), "Dear reader").unwrap();
    for restart in [&[][..], &["--restart"]] {
        let arguments = ["metrics", "c.jsonl", "-o", "o.parquet", "--work", "home"];
        run(&[&arguments[..], restart].concat(), folder.path(), 2);
    }
    assert_eq!(fs::read_to_string(folder.path().join("c.jsonl")).unwrap(), line);
    assert_eq!(fs::read_to_string(folder.path().join("home/letter.txt")).unwrap(), "Dear reader");
}

/// A WARC record of robots.txt of one site.
fn record(kind: &str, day: u8, head: &str, http: &str) -> String {
    format!(
        "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: https://h.example/robots.txt\r\n\
        WARC-Date: 2025-01-{day:02}T00:00:00Z\r\n{head}Content-Length: {}\r\n\r\n{http}\r\n\r\n",
        http.len()
    )
}

#[test]
fn revisits_refer_to_files_with_their_own_status() {
    let folder = tempfile::tempdir().unwrap();
    let empty = "WARC-Payload-Digest: sha1:EMPTY\r\n";
    let same = "WARC-Profile: http://netpreserve.org/warc/1.0/revisit/identical-payload-digest\r\n\
        WARC-Payload-Digest: sha1:EMPTY\r\n";
    let unmodified = |date: &str| {
        let profile = "http://netpreserve.org/warc/1.0/revisit/server-not-modified";
        let date = if date.is_empty() {
            String::new()
        } else {
            format!("WARC-Refers-To-Date: {date}\r\n")
        };
        format!("WARC-Profile: {profile}\r\n{date}")
    };
    let closed = "HTTP/1.1 200 OK\r\n\r\nUser-agent: *\nDisallow: /\n";
    let not_modified = "HTTP/1.1 304 Not Modified\r\n\r\n";
    let records = [
        record("response", 1, empty, "HTTP/1.1 200 OK\r\n\r\n"),
        // An error page without a text has the digest of the empty file.
        record("revisit", 2, same, "HTTP/1.1 503 Busy\r\n\r\n"),
        record("response", 3, "", closed),
        record("response", 4, "", "HTTP/1.1 404 Not Found\r\n\r\n"),
        // Not modified since the file, not since the error.
        record("revisit", 5, &unmodified(""), not_modified),
        record("revisit", 6, &unmodified("2025-01-01T00:00:00Z"), not_modified),
        record("revisit", 7, &unmodified("2024-12-01T00:00:00Z"), not_modified),
        record("revisit", 8, same, "HTTP/1.1 200 OK\r\n\r\n"),
        // A coded body whose end is missing.
        record(
            "response",
            9,
            "",
            "HTTP/1.1 200 OK\r\nContent-Encoding: br\r\nContent-Length: 9\r\n\r\n\u{b}",
        ),
    ];
    fs::write(folder.path().join("a.warc"), records.concat()).unwrap();
    run(&["policies", "a.warc", "--agent", "x", "-o", "p.parquet"], folder.path(), 1);
    let found = rows(&folder.path().join("p.parquet"), &["access", "reason", "bytes"]);
    assert_eq!(
        found,
        [
            "rules - 0",
            "rules during_outage 0",
            "rules - 26",
            "allow_all unavailable -",
            "rules - 26",
            "rules - 0",
            "unknown original_missing -",
            "rules - 0",
            "unknown truncated -",
        ]
    );
}

#[test]
fn the_first_run_of_the_documentation_gives_its_answers() {
    let page = include_str!("../../../../docs/bulk.md");
    let block = |language: &str, with: &str| {
        let start = format!("```{language}\n");
        let mut blocks = page.split(&start).skip(1).filter_map(|rest| rest.split("```").next());
        blocks.find(|block| block.contains(with)).expect("a block of the page")
    };
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("captures.jsonl"), block("json", "shop.example")).unwrap();
    let urls = "url,fetch_time\nhttps://shop.example/cart,2025-03-01\n\
        https://shop.example/x,2025-07-01\nhttps://news.example/,2025-03-01\n\
        https://shop.example/,2024-01-01\n";
    fs::write(folder.path().join("urls.csv"), urls).unwrap();
    for line in block("sh", "captures.jsonl").lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        assert_eq!(words[..2], ["verger", "bulk"]);
        run(&words[2..], folder.path(), 0);
    }
    assert_eq!(
        rows(&folder.path().join("verdicts.parquet"), &["url", "allowed", "reason"]),
        [
            "https://shop.example/cart false rule",
            "https://shop.example/x false rule",
            "https://news.example/ true unavailable",
            "https://shop.example/ - before_first_capture",
        ]
    );
}

#[test]
fn metric_packs_have_a_row_for_each_capture() {
    let folder = tempfile::tempdir().unwrap();
    let captures = "{\"url\":\"https://a.example\",\"robots\":\"User-agent: *\\nDisallow: /\\n\"}\n\
        {\"url\":\"https://b.example\",\"status\":503}\n";
    fs::write(folder.path().join("c.jsonl"), captures).unwrap();
    for pack in ["consent", "crawlers", "statements"] {
        for output in ["o.parquet", "o.jsonl"] {
            run(&["metrics", "c.jsonl", "--pack", pack, "-o", output], folder.path(), 0);
        }
        let text = fs::read_to_string(folder.path().join("o.jsonl")).unwrap();
        assert_eq!(text.lines().count(), 2, "{pack}");
        assert_eq!(rows(&folder.path().join("o.parquet"), &["origin", "status"]).len(), 2);
    }
    let text = fs::read_to_string(folder.path().join("o.jsonl")).unwrap();
    assert!(text.contains("counts"), "{text}");
    run(&["metrics", "c.jsonl", "--pack", "other", "-o", "o.jsonl"], folder.path(), 2);
}

#[test]
fn tables_of_packs_have_groups_of_ranks() {
    let folder = tempfile::tempdir().unwrap();
    let gptbot = "User-agent: GPTBot\nDisallow: /\n";
    let site = |number: u32, rank: &str, robots: &str| {
        let robots = serde_json::to_string(robots).unwrap();
        format!("{{\"url\":\"https://h{number}.example\",\"rank\":{rank},\"robots\":{robots}}}\n")
    };
    let sites = [
        site(0, "1", gptbot),
        site(1, "1000.0", ""),
        site(2, "1001", gptbot),
        site(3, "\"70000\"", gptbot),
        site(4, "5000000", gptbot),
        site(5, "null", ""),
        site(6, "\"first\"", ""),
        "{\"url\":\"https://h7.example\",\"rank\":2,\"status\":503}\n".to_owned(),
    ];
    fs::write(folder.path().join("a.jsonl"), sites[..4].concat()).unwrap();
    fs::write(folder.path().join("b.jsonl"), sites[4..].concat()).unwrap();
    let table = |arguments: &[&str], ending: &str| {
        let output = format!("o.{ending}");
        run(
            &[&["metrics"][..], arguments, &["--tables", "-o", &output]].concat(),
            folder.path(),
            0,
        );
        folder.path().join(format!("{output}.tables"))
    };
    let inputs = ["a.jsonl", "b.jsonl", "--pack", "crawlers"];
    let tables = table(&inputs, "parquet");
    let columns = ["ranks", "crawler", "sites", "closed", "pct_closed"];
    let mut found = rows(&tables.join("closed_by_crawler.parquet"), &columns);
    found.retain(|row| row.contains("GPTBot"));
    assert_eq!(
        found,
        [
            "all GPTBot 7 4 0.5714285714285714",
            "top_1000 GPTBot 2 1 0.5",
            "top_10000 GPTBot 3 2 0.6666666666666666",
            "top_100000 GPTBot 4 3 0.75",
            "top_1000000 GPTBot 4 3 0.75",
            "rest GPTBot 3 1 0.3333333333333333",
        ]
    );
    let bytes = |tables: &Path| {
        let mut files: Vec<_> =
            fs::read_dir(tables).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        files.iter().map(|file| (file.clone(), fs::read(file).unwrap())).collect::<Vec<_>>()
    };
    let expected = bytes(&tables);
    assert_eq!(expected.len(), 2);
    for threads in ["1", "2"] {
        fs::remove_dir_all(&tables).unwrap();
        let again = table(&[&inputs[..], &["--threads", threads]].concat(), "parquet");
        assert!(bytes(&again) == expected, "{threads}");
    }
    // Those of another pack do not remain.
    let again = table(&["a.jsonl", "--pack", "consent"], "parquet");
    let names: Vec<_> = bytes(&again).into_iter().map(|(path, _)| path).collect();
    assert_eq!(names, [again.join("consent.parquet")]);
    // The tables of an earlier run are no input, and a table can be empty.
    let text = "{\"url\":\"https://h.example\",\"robots\":\"\"}\n";
    fs::create_dir(folder.path().join("in")).unwrap();
    fs::write(folder.path().join("in/x.jsonl"), text).unwrap();
    for _ in 0..2 {
        let arguments = ["metrics", "in", "--pack", "statements", "--tables", "-o", "in/o.parquet"];
        run(&arguments, folder.path(), 0);
    }
    let tables = table(&["in/x.jsonl", "--pack", "consent"], "jsonl");
    let consent = fs::read_to_string(tables.join("consent.jsonl")).unwrap();
    let ranks = |line: &str| line.contains("\"ranks\":\"all\"");
    assert!(consent.lines().count() == 2 && consent.lines().all(ranks), "{consent}");
    let empty = folder.path().join("in/o.parquet.tables/statements.parquet");
    assert_eq!(rows(&empty, &["ranks", "statement"]), [""; 0]);
    for arguments in
        [&["--tables", "-o", "o.jsonl"][..], &["--pack", "consent", "--tables", "-o", "-"]]
    {
        run(&[&["metrics", "a.jsonl"][..], arguments].concat(), folder.path(), 2);
    }
}
