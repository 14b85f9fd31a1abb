//! The rules in force at a time, against a naive model; threads, memory and interruptions.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use crate::common::{bulk, read_table, run, write_table};
use arrow_array::{ArrayRef, Int64Array, StringArray, UInt16Array};
use verger::Robots;

const ORIGINS: u64 = 50;
const VERSIONS: u64 = 20;
/// Rows, and rows of a group.
const URLS: (u64, usize) = (10_000, 700);
const AGENTS: [&str; 2] = ["GPTBot", "other"];

/// Pseudorandom numbers, the same in every run.
struct Numbers(u64);

impl Numbers {
    fn index(&mut self, limit: usize) -> usize {
        usize::try_from(self.below(limit as u64)).expect("below a usize")
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

/// A capture: origin, time, status, text.
type Version = (u64, i64, u16, String);

fn versions(numbers: &mut Numbers) -> Vec<Version> {
    let mut all = Vec::new();
    for origin in 0..ORIGINS {
        let mut times: Vec<i64> =
            (0..VERSIONS).map(|_| 1_000 + numbers.below(1_000_000).cast_signed()).collect();
        times.sort_unstable();
        times.dedup();
        for time in times {
            let status = [200, 200, 200, 200, 404, 403, 500][numbers.index(7)];
            let mut text = String::new();
            for agent in ["*", "GPTBot"] {
                let _ = writeln!(text, "User-agent: {agent}");
                for _ in 0..numbers.below(4) {
                    let kind = ["Allow", "Disallow"][numbers.index(2)];
                    let _ = writeln!(text, "{kind}: /{}", numbers.below(5));
                }
            }
            all.push((origin, time, status, text));
        }
    }
    all
}

/// The naive model: the last capture before; without one, a null. Successes give the rules, other
/// 4xx allow; 5xx use the last rules, and disallow without any.
fn model(versions: &[Version], origin: u64, time: i64, agent: &str, url: &str) -> Option<bool> {
    let mut answer = None;
    let mut copy: Option<&str> = None;
    for (of, at, status, text) in versions {
        if *of != origin || *at > time {
            continue;
        }
        answer = Some(match status {
            200 => {
                copy = Some(text);
                Robots::parse(text).is_allowed(agent, url)
            }
            400..=499 => {
                copy = None;
                true
            }
            _ => copy.is_some_and(|text| Robots::parse(text).is_allowed(agent, url)),
        });
    }
    answer
}

/// Writes captures in a random order, and a number of timed URLs in row groups.
fn prepare(
    folder: &Path,
    numbers: &mut Numbers,
    (count, group): (u64, usize),
) -> (Vec<Version>, Vec<(u64, i64, String)>) {
    let versions = versions(numbers);
    let mut shuffled = versions.clone();
    for at in (1..shuffled.len()).rev() {
        shuffled.swap(at, numbers.index(at + 1));
    }
    let origin = |number: u64| format!("https://h{number}.example");
    let columns: Vec<(&str, ArrayRef)> = vec![
        (
            "url",
            Arc::new(StringArray::from_iter_values(
                shuffled.iter().map(|it| format!("{}/robots.txt", origin(it.0))),
            )),
        ),
        ("time", Arc::new(Int64Array::from_iter_values(shuffled.iter().map(|it| it.1)))),
        ("status", Arc::new(UInt16Array::from_iter_values(shuffled.iter().map(|it| it.2)))),
        ("robots", Arc::new(StringArray::from_iter_values(shuffled.iter().map(|it| &it.3)))),
    ];
    write_table(&folder.join("captures.parquet"), columns, 100);
    let urls: Vec<(u64, i64, String)> = (0..count)
        .map(|_| {
            // Some origins have no captures.
            let of = numbers.below(ORIGINS + 2);
            let time = numbers.below(1_100_000).cast_signed();
            (of, time, format!("{}/{}/x", origin(of), numbers.below(6)))
        })
        .collect();
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("url", Arc::new(StringArray::from_iter_values(urls.iter().map(|it| &it.2)))),
        ("seen", Arc::new(Int64Array::from_iter_values(urls.iter().map(|it| it.1)))),
        (
            "document",
            Arc::new(Int64Array::from_iter_values(0..i64::try_from(urls.len()).expect("few URLs"))),
        ),
    ];
    write_table(&folder.join("urls.parquet"), columns, group);
    (versions, urls)
}

const POLICIES: [&str; 8] = [
    "policies",
    "captures.parquet",
    "--agent",
    "GPTBot",
    "--agent",
    "other",
    "-o",
    "policies.parquet",
];

const CHECK: [&str; 11] = [
    "check",
    "urls.parquet",
    "--policies",
    "policies.parquet",
    "--time-column",
    "seen",
    "--keep",
    "document",
    "--explain",
    "-o",
    "out.parquet",
];

#[test]
fn the_rules_of_each_time_are_those_of_a_naive_model() {
    let folder = tempfile::tempdir().unwrap();
    let (versions, urls) = prepare(folder.path(), &mut Numbers(7), URLS);
    run(&POLICIES, folder.path(), 0);
    run(&CHECK, folder.path(), 0);
    let out = folder.path().join("out.parquet");
    let rows = read_table(&out, &["document", "url", "agent", "allowed", "reason"]);
    assert_eq!(rows.len(), urls.len() * AGENTS.len());
    let mut seen = std::collections::BTreeMap::new();
    for (at, row) in rows.iter().enumerate() {
        let (origin, time, url) = &urls[at / AGENTS.len()];
        let agent = AGENTS[at % AGENTS.len()];
        assert_eq!(row[0], Some((at / AGENTS.len()).to_string()));
        assert_eq!((row[1].as_ref(), row[2].as_deref()), (Some(url), Some(agent)));
        let expected = model(&versions, *origin, *time, agent, url);
        assert_eq!(row[3], expected.map(|it| it.to_string()), "{url} {time} {agent} {:?}", row[4]);
        *seen.entry(row[4].clone().unwrap()).or_insert(0) += 1;
    }
    for reason in [
        "rule",
        "no_rule_matches",
        "unavailable",
        "unreachable",
        "unknown_origin",
        "before_first_capture",
    ] {
        assert!(seen.contains_key(reason), "{seen:?}");
    }
}

#[test]
fn threads_memory_and_forms_of_output_change_nothing() {
    let folder = tempfile::tempdir().unwrap();
    prepare(folder.path(), &mut Numbers(8), URLS);
    run(&[&POLICIES[..], &["--threads", "1"]].concat(), folder.path(), 0);
    let policies = fs::read(folder.path().join("policies.parquet")).unwrap();
    run(&[&POLICIES[..], &["--threads", "9"]].concat(), folder.path(), 0);
    assert!(policies == fs::read(folder.path().join("policies.parquet")).unwrap());

    let check = |more: &[&str]| {
        let output = run(&[&CHECK[..], more].concat(), folder.path(), 0);
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        (fs::read(folder.path().join("out.parquet")).unwrap(), message)
    };
    let (expected, _) = check(&["--threads", "1"]);
    assert!(expected == check(&["--threads", "7"]).0);
    // A window ends after 131,072 rows for two crawlers.
    prepare(folder.path(), &mut Numbers(8), (140_000, 200_000));
    let (expected, _) = check(&["--threads", "2"]);
    // Larger than the budget of one MiB.
    let mut large = String::new();
    for number in 0..40_000 {
        let _ = writeln!(large, "Disallow: /{number}/{}", number * 7_919);
    }
    let columns: Vec<(&str, ArrayRef)> = vec![
        (
            "origin",
            Arc::new(StringArray::from_iter_values((0..8).map(|it| format!("large{it}.example")))),
        ),
        (
            "robots",
            Arc::new(StringArray::from_iter_values(
                (0..8).map(|it| format!("User-agent: *\nAllow: /{it}\n{large}")),
            )),
        ),
    ];
    write_table(&folder.path().join("large.parquet"), columns, 1);
    let arguments = [
        "policies",
        "large.parquet",
        "--agent",
        "GPTBot",
        "--agent",
        "other",
        "-o",
        "more.parquet",
    ];
    run(&arguments, folder.path(), 0);
    let (whole, message) = check(&["--policies", "more.parquet"]);
    assert!(!message.contains("partitions"), "{message}");
    let (parts, message) =
        check(&["--policies", "more.parquet", "--memory", "1", "--threads", "3"]);
    assert!(message.contains("partitions"), "{message}");
    assert!(parts == whole && parts == expected);

    // A folder of parts, and JSON Lines, have the same rows.
    prepare(folder.path(), &mut Numbers(8), URLS);
    check(&["--threads", "2"]);
    let mut arguments = CHECK.to_vec();
    arguments[10] = "parts/";
    run(&arguments, folder.path(), 0);
    let mut rows = Vec::new();
    let mut parts: Vec<_> =
        fs::read_dir(folder.path().join("parts")).unwrap().map(|it| it.unwrap().path()).collect();
    parts.sort();
    assert!(parts.len() > 10);
    for part in parts {
        rows.extend(read_table(&part, &["document", "agent", "allowed"]));
    }
    assert_eq!(
        rows,
        read_table(&folder.path().join("out.parquet"), &["document", "agent", "allowed"])
    );
    arguments[10] = "-";
    let lines = run(&arguments, folder.path(), 0).stdout;
    assert_eq!(lines.split(|&byte| byte == b'\n').count(), rows.len() + 1);
}

#[test]
fn a_killed_run_continues_to_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    prepare(folder.path(), &mut Numbers(9), URLS);
    let expected = |arguments: &[&str], output: &str| {
        run(arguments, folder.path(), 0);
        let files = [output.to_owned(), format!("{output}.report.json")];
        files.map(|file| fs::read(folder.path().join(file)).unwrap())
    };
    let whole = [expected(&POLICIES, "policies.parquet"), expected(&CHECK, "out.parquet")];
    let mut interrupted = 0;
    for (arguments, output, whole) in
        [(&POLICIES[..], "policies.parquet", &whole[0]), (&CHECK[..], "out.parquet", &whole[1])]
    {
        // From the first milliseconds to about the end.
        for round in 1..12 {
            let mut kills = 0;
            loop {
                let begun = Instant::now();
                let mut child = bulk(arguments, folder.path())
                    .args(["--threads", "2"])
                    .stderr(std::process::Stdio::piped())
                    .stdout(std::process::Stdio::null())
                    .spawn()
                    .unwrap();
                let limit = Duration::from_millis(4 * round * (kills + 1));
                while begun.elapsed() < limit && child.try_wait().unwrap().is_none() {
                    thread::sleep(Duration::from_millis(1));
                }
                if child.try_wait().unwrap().is_some() {
                    let output = child.wait_with_output().unwrap();
                    let message = String::from_utf8_lossy(&output.stderr);
                    assert!(output.status.success(), "{message}");
                    break;
                }
                child.kill().unwrap();
                child.wait().unwrap();
                interrupted += u32::from(folder.path().join(format!("{output}.work")).exists());
                kills += 1;
                assert!(kills < 1_000, "it makes no progress");
            }
            let files = [output.to_owned(), format!("{output}.report.json")];
            let found = files.map(|file| fs::read(folder.path().join(file)).unwrap());
            assert!(found == *whole, "{output} {round}");
            assert!(!folder.path().join(format!("{output}.work")).exists());
        }
    }
    assert!(interrupted > 20, "{interrupted}");
}

#[test]
fn old_rules_expire_and_other_arguments_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let captures = "{\"url\":\"h.example\",\"time\":\"2025-01-01\",\"robots\":\"User-agent: *\\nDisallow: /a\"}\n";
    fs::write(folder.path().join("captures.jsonl"), captures).unwrap();
    let urls = "url,when\nhttps://h.example/b,2025-01-02\nhttps://h.example/b,2025-03-01\n";
    fs::write(folder.path().join("urls.csv"), urls).unwrap();
    run(&["policies", "captures.jsonl", "--agent", "x", "-o", "p.parquet"], folder.path(), 0);
    let check = [
        "check",
        "urls.csv",
        "--policies",
        "p.parquet",
        "--time-column",
        "when",
        "--max-age",
        "30d",
        "-o",
        "o.parquet",
    ];
    run(&check, folder.path(), 0);
    let rows = read_table(&folder.path().join("o.parquet"), &["allowed", "reason"]);
    let text = |it: &str| Some(it.to_owned());
    assert_eq!(rows, [[text("true"), text("no_rule_matches")], [None, text("expired")]]);
}

#[test]
fn captured_files_are_named_by_origin_and_time() {
    let folder = tempfile::tempdir().expect("a folder");
    let capture = |day: &str, status: u16, robots: &str| {
        let (day, part) = day.split_at(1);
        let time = format!("2026-03-0{day}T12:30:00{part}Z");
        let url = "https://h.example:8443/robots.txt";
        serde_json::json!({ "url": url, "time": time, "status": status, "robots": robots })
    };
    let captures = [
        capture("1.9", 200, "a"),
        capture("1.1", 200, "earlier"),
        capture("2", 200, "a"),
        capture("3", 503, ""),
        capture("4", 404, "x"),
    ];
    let table = captures.map(|it| it.to_string() + "\n").concat();
    fs::write(folder.path().join("c.jsonl"), table).expect("a file");
    let policies = ["policies", "c.jsonl", "--agent", "x", "-o", "p.parquet", "--files", "history"];
    let summary = String::from_utf8(run(&policies, folder.path(), 0).stdout).expect("text");
    assert!(summary.lines().any(|it| it.starts_with("files.replaced ") && it.ends_with(" 1")));
    let history = folder.path().join("history/https_h.example@8443");
    let entries = fs::read_dir(&history).expect("a folder");
    let mut found: Vec<_> = entries
        .map(|it| {
            let it = it.expect("an entry");
            let name = it.file_name().into_string().expect("a name");
            (name, fs::read_to_string(it.path()).expect("a file"))
        })
        .collect();
    found.sort();
    // An outage shows no file. A site without one allows everything.
    let expected = [(1, "a"), (2, "a"), (4, "")]
        .map(|(day, text)| (format!("2026-03-0{day}T123000Z-seen.txt"), text.to_owned()));
    assert_eq!(found, expected);
}
