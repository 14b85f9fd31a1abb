//! `verger audit`: histories from every source, evidence, and logs that grow.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use verger::Origin;
use verger::access::{Outcome, Profile, Timestamp};
use verger_fetch::record::{Attempt, Body, File, OriginRecord, ReadOptions, Response};
use verger_fetch::store::{SqliteOptions, SqliteStore, Store as _};

use crate::common::run;

const SHOP: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/shop");
pub(crate) const OPEN: &str = "User-agent: *\nAllow: /\n";
pub(crate) const CLOSED: &str = "User-agent: *\nDisallow: /private/\n";

/// A log of `GPTBot`, with the day of September and the hour of each request.
pub(crate) fn log(requests: &[(u8, u8, &str)]) -> String {
    let line = |(day, hour, path): &(u8, u8, &str)| {
        format!(
            "20.171.206.10 - - [{day:02}/Sep/2026:{hour:02}:00:00 +0000] \"GET {path} HTTP/1.1\" 200 35 \"-\" \"GPTBot/1.2\"\n"
        )
    };
    requests.iter().map(line).collect()
}

/// Read on the 2nd, used on the 2nd; the file was closed on the 3rd, read again and used.
pub(crate) const VISITS: [(u8, u8, &str); 4] =
    [(2, 3, "/robots.txt"), (2, 4, "/private/a"), (4, 3, "/robots.txt"), (4, 4, "/private/b")];

/// The report about these visits as JSON, with a history.
#[track_caller]
fn report(arguments: &[&str], requests: &[(u8, u8, &str)]) -> Value {
    let always =
        ["audit", "-", "--origin", "https://shop.example", "--offline", "--format", "json"];
    let output = run(&[&always[..], arguments].concat(), &log(requests));
    let messages = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{messages}");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {messages}"))
}

/// The verdicts about the visits before and after the change.
#[track_caller]
fn check_visits(arguments: &[&str]) {
    let found = report(arguments, &VISITS);
    let expected = serde_json::json!({ "robots_txt": 2, "allowed": 1, "disallowed_known": 1 });
    assert_eq!(found["verdicts"], expected, "{arguments:?}: {found}");
}

/// A folder with dated files.
pub(crate) fn dated(files: &[(&str, &str)]) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().expect("the fixture is made");
    for (name, text) in files {
        fs::write(folder.path().join(name), text).expect("the fixture is made");
    }
    let path = folder.path().to_str().expect("the fixture is made").to_owned();
    (folder, path)
}

#[test]
fn a_folder_of_dated_files_is_a_history() {
    let (_folder, path) =
        dated(&[("2026-08-01.txt", OPEN), ("2026-09-03T000000Z.txt", CLOSED), (".git", "")]);
    check_visits(&["--history", &path]);
    check_visits(&["--history", &format!("https://shop.example={path}")]);
    // As `verger bulk policies --files` writes them: between two, nothing is known.
    for (times, expected) in [
        (["02T020000Z", "02T050000Z", "04T020000Z", "04T050000Z"], [1, 1]),
        (["02T020000Z", "02T033000Z", "04T020000Z", "04T023000Z"], [1, 0]),
    ] {
        let [a, b, c, d] = times.map(|time| format!("2026-09-{time}-seen.txt"));
        let (_folder, path) = dated(&[(&a, OPEN), (&b, OPEN), (&c, CLOSED), (&d, CLOSED)]);
        let found = report(&["--history", &path], &VISITS);
        let verdict = |name: &str| found["verdicts"][name].as_u64().unwrap_or_default();
        assert_eq!(["allowed", "disallowed_known"].map(verdict), expected, "{found}");
    }
}

#[test]
fn a_history_does_not_begin_before_its_first_file() {
    let (_folder, path) = dated(&[("2026-09-03T000000Z.txt", CLOSED)]);
    let found = report(&["--history", &path], &VISITS);
    assert_eq!(found["verdicts"]["unknown"], 1, "{found}");
    assert_eq!(found["verdicts"]["disallowed_known"], 1, "{found}");
}

/// The record of a fetch at an hour of a day of September, with a file if the text is not empty.
fn record((day, hour): (u64, u64), text: &str) -> OriginRecord {
    let origin = Origin::from_parts("https", "shop.example", None).expect("the fixture is made");
    let options = ReadOptions::new(Profile::RFC9309);
    let now = Timestamp::from_seconds(at(day) + hour * 60 * 60);
    let url = origin.robots_url();
    let outcome = if text.is_empty() { Outcome::Status(404) } else { Outcome::Success };
    let mut attempt = Attempt::new(Response::new(now, outcome, url));
    attempt.file = (!text.is_empty()).then(|| File::new(&origin, text, now));
    let next = OriginRecord::new(options.key(&origin)).after(None, &options, attempt, 0);
    next.shared.expect("the fixture is made")
}

/// Midnight of a day of September 2026.
fn at(day: u64) -> u64 {
    1_788_220_800 + (day - 1) * 24 * 60 * 60
}

#[test]
fn a_store_knows_only_the_times_at_which_files_were_seen() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.sqlite");
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let store = SqliteStore::open(&path, SqliteOptions::default()).await.unwrap();
        let days = [(1, OPEN), (2, OPEN), (3, OPEN), (4, CLOSED), (5, CLOSED)];
        let times = days.map(|(day, text)| ((day, 0), text)).into_iter();
        // It was away for a time.
        for (time, text) in times.chain([((5, 8), ""), ((5, 16), CLOSED)]) {
            store.put(record(time, text).into()).await.unwrap();
        }
        store.close().await;
    });
    let path = path.to_str().unwrap();
    check_visits(&["--history", path]);
    // Between the 3rd and the 4th, while it was away, and after the 5th, nothing is known.
    let visits = [(3, 3, "/robots.txt"), (3, 4, "/private/a"), (5, 9, "/robots.txt")];
    let more = [(5, 10, "/private/b"), (6, 3, "/robots.txt"), (6, 4, "/private/b")];
    let found = report(&["--history", path], &[visits, more].concat());
    let expected = serde_json::json!({ "robots_txt": 3, "unknown": 3 });
    assert_eq!(found["verdicts"], expected, "{found}");
}

#[test]
fn decisions_and_the_files_that_they_name_are_a_history() {
    let (_archive, archive) = dated(&[("a.txt", OPEN), ("b.txt", CLOSED)]);
    let decision = |day: u64, hour: u64, text: &str| {
        let sha256 = Body::new(text.as_bytes().to_vec()).sha256_hex();
        let fetched_at = at(day) + hour * 60 * 60;
        serde_json::json!({ "decision": {
            "access": "rules", "checked_url": "https://shop.example/x", "sha256": sha256, "fetched_at": fetched_at,
        }})
    };
    let mut decisions = vec![
        decision(1, 9, OPEN),
        decision(2, 9, OPEN),
        decision(4, 1, CLOSED),
        decision(4, 9, CLOSED),
        serde_json::json!({ "decision": { "access": "allow_all" } }),
    ];
    let (_folder, folder) = dated(&[]);
    let path = PathBuf::from(folder).join("decisions.jsonl");
    let arguments = ["--history", path.to_str().unwrap(), "--archive", &archive];
    let write = |decisions: &[Value]| {
        let lines = decisions.iter().map(|it| it.to_string() + "\n");
        fs::write(&path, lines.collect::<String>()).unwrap();
    };
    write(&decisions);
    check_visits(&arguments);
    // There was no file before the crawler came.
    let mut none = decision(4, 2, "");
    none["decision"]["access"] = "allow_all".into();
    decisions.push(none);
    write(&decisions);
    let expected = serde_json::json!({ "robots_txt": 2, "allowed": 1, "unknown": 1 });
    assert_eq!(report(&arguments, &VISITS)["verdicts"], expected);
}

#[test]
fn rotated_logs_are_read_in_the_order_of_their_times() {
    let (_history, history) =
        dated(&[("2026-08-01.txt", OPEN), ("2026-09-03T000000Z.txt", CLOSED)]);
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).into_os_string();
    fs::write(path("a.log"), log(&VISITS[2..])).unwrap();
    fs::write(path("b.log"), log(&VISITS[..2])).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_verger"))
        .args(["audit", "--origin", "https://shop.example", "--offline", "--format", "json"])
        .args(["--history", &history])
        .args([path("a.log"), path("b.log")])
        .output()
        .expect("the program can be run");
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(found["logs"][0]["name"].as_str().unwrap().ends_with("b.log"), "{found}");
    assert_eq!(found["verdicts"]["disallowed_known"], 1, "{found}");
}

#[test]
fn evidence_has_the_lines_the_files_and_the_proofs() {
    let folder = tempfile::tempdir().unwrap();
    let shop = |name: &str| format!("{SHOP}/{name}");
    let (log, history) = (shop("september.log"), shop("history"));
    let audit = |evidence: &Path, flags: &[&str]| {
        let evidence = evidence.to_str().unwrap();
        let always = ["audit", &log, "--origin", "https://shop.example", "--history", &history];
        let always = [&always[..], &["--offline", "--evidence", evidence], flags].concat();
        let output = run(&always, "");
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let names = |folder: &Path| {
        let mut names: Vec<_> = fs::read_dir(folder)
            .unwrap()
            .map(|it| it.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    };
    let read = |path: &Path| fs::read_to_string(path).unwrap();
    let cut = folder.path().join("cut");
    let (status, notes) = audit(&cut, &[]);
    assert!(
        status == Some(0) && notes.starts_with("note: evidence about 1 crawler was written\n"),
        "{notes}"
    );
    assert!(notes.contains("\nnote: no log names the host"), "{notes}");
    assert_eq!(names(&cut), ["GPTBot"]);
    let case = cut.join("GPTBot");
    assert_eq!(
        names(&case),
        ["fetches.log", "identity.txt", "requests.log", "robots-2.txt", "summary.md"]
    );
    let requests = read(&case.join("requests.log"));
    assert_eq!(requests.lines().count(), 6);
    assert!(requests.lines().all(|line| line.contains(": 20.171.206.x - - [08/Sep/2026:03:0")));
    let fetches = read(&case.join("fetches.log"));
    assert!(fetches.lines().count() == 1 && fetches.contains("GET /robots.txt"), "{fetches}");
    assert_eq!(fs::read(case.join("robots-2.txt")).unwrap(), fs::read(shop("robots.txt")).unwrap());
    let proof = read(&case.join("identity.txt"));
    assert!(
        proof.starts_with(
            "20.171.206.x, requests from 2026-09-08T03:00:00Z to 2026-09-08T03:05:00Z\n\
             verified: GPTBot (OpenAI)\n"
        ),
        "{proof}"
    );
    let summary = read(&case.join("summary.md"));
    let sha256 = Body::new(fs::read(shop("robots.txt")).unwrap()).sha256_hex();
    for part in [
        "To OpenAI, ",
        "From **[your name and e-mail address]** for https://shop.example",
        "Please make sure that GPTBot obeys this robots.txt",
        "sent 6 requests to https://shop.example",
        "`Disallow: /` on line 13",
        &sha256,
    ] {
        assert!(summary.contains(part), "{part}: {summary}");
    }
    assert!(!summary.contains("not proved") && !summary.contains("outdated"), "{summary}");
    // An error before it leaves no folder.
    let absent = folder.path().join("absent");
    let (status, error) = audit(&absent, &["--lists", cut.join("lists").to_str().unwrap()]);
    assert!(status == Some(2) && error.contains("hint: `verger identity update DIR`"), "{error}");
    assert!(!absent.exists());
    // Never over other files.
    let (status, error) = audit(&cut, &[]);
    assert!(status == Some(2) && error.contains("expected a new or empty folder"), "{error}");
    let whole = folder.path().join("whole");
    audit(&whole, &["--show-addresses"]);
    assert!(read(&whole.join("GPTBot/requests.log")).contains(": 20.171.206.11 - - "));
    let other = folder.path().join("other");
    audit(&other, &["--agent", "Googlebot"]);
    assert!(names(&other).is_empty());
}

/// The fetches, the letter and the proofs of the evidence about a crawler, or the messages if there
/// are none.
pub(crate) fn evidence(
    log: &str,
    history: &str,
    flags: &[&str],
    crawler: &str,
) -> Result<[String; 3], String> {
    let folder = tempfile::tempdir().expect("the fixture is made");
    let path = folder.path().join("evidence");
    let always = ["audit", "-", "--origin", "https://shop.example", "--offline", "--evidence"];
    let arguments =
        [&always[..], &[path.to_str().expect("the fixture is made"), "--history", history], flags]
            .concat();
    let output = run(&arguments, log);
    let file = |name: &str| fs::read_to_string(path.join(crawler).join(name));
    match (file("fetches.log"), file("summary.md"), file("identity.txt")) {
        (Ok(fetches), Ok(summary), Ok(proofs)) => Ok([fetches, summary, proofs]),
        _ => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}

#[test]
fn evidence_needs_the_past() {
    let (_folder, folder) = dated(&[("robots.txt", CLOSED)]);
    let found = evidence(&log(&VISITS), &format!("{folder}/robots.txt"), &[], "GPTBot");
    let error = found.unwrap_err();
    assert!(error.starts_with("error: expected the robots.txt of the past"), "{error}");
}

#[test]
fn evidence_has_the_fetch_that_brought_the_rule_and_the_one_that_confirmed_it() {
    let (_history, history) = dated(&[("2026-08-01T000000Z.txt", CLOSED)]);
    let line = |second: u8, method: &str, path: &str, status: u16| {
        format!(
            "20.171.206.10 - - [02/Sep/2026:03:00:{second:02} +0000] \"{method} {path} HTTP/1.1\" {status} 34 \"-\" \"GPTBot/1.2\"\n"
        )
    };
    let confirmed: String = (2..52).map(|at| line(at, "GET", "/robots.txt", 304)).collect();
    let log = [
        line(0, "GET", "/robots.txt", 200),
        line(0, "HEAD", "/robots.txt", 200),
        line(1, "GET", "/robots.txt", 503),
        confirmed,
        line(51, "GET", "/robots.txt", 503),
        line(59, "GET", "/private/20.171.206.10?ip=20.171.206.10&zip=10.0.3.7", 200),
    ]
    .concat();
    let [fetches, summary, _] = evidence(&log, &history, &[], "GPTBot").unwrap();
    let lines: Vec<_> = fetches.lines().collect();
    assert!(
        lines.len() == 2 && lines[0].contains("\"GET /robots.txt HTTP/1.1\" 200 "),
        "{fetches}"
    );
    assert!(lines[1].contains("03:00:51 ") && lines[1].contains(" 304 "), "{fetches}");
    for part in [
        "sent 1 request to",
        "for a URL that",
        "`/private/20.171.206.x?ip=20.171.206.x&zip=10.0.3.7`",
    ] {
        assert!(summary.contains(part), "{part}: {summary}");
    }
    assert!(!summary.contains("206.10"), "{summary}");
    // With durations, the log has the beginning of each request, too.
    let timed = |text: &str| text.replace("\"\n", "\" 0.005\n");
    let format = "$remote_addr - - [$time_local] \"$request\" $status $body_bytes_sent \
                  \"$http_referer\" \"$http_user_agent\" $request_time";
    let found = evidence(&timed(&log), &history, &["--log-format", format], "GPTBot").unwrap();
    assert_eq!(found[0], timed(&fetches));
}

#[test]
fn a_letter_about_an_accepted_crawler_says_first_that_it_is_not_proved() {
    let (_history, history) = dated(&[("2026-08-01T000000Z.txt", CLOSED)]);
    let log = log(&VISITS).replace("GPTBot/1.2", "Bytespider/1.2");
    // It is accused only if the owner of the site accepts it.
    assert!(evidence(&log, &history, &[], "Bytespider").is_err());
    let [_, summary, _] =
        evidence(&log, &history, &["--accept-unproved", "Bytespider"], "Bytespider").unwrap();
    let at = |part: &str| summary.find(part).unwrap_or_else(|| panic!("{part}: {summary}"));
    assert!(at("**The identity is not proved:**") < at("From 2026-"), "{summary}");
    assert!(
        at("# A crawler that calls itself Bytespider") == 0
            && !summary.contains("your crawler Bytespider")
    );
}

#[test]
fn a_pipe_is_followed_to_its_end() {
    let always = ["audit", "-", "--origin", "https://shop.example", "--offline", "--follow"];
    let (_history, history) = dated(&[("2026-08-01.txt", CLOSED)]);
    for (flags, requests) in
        [(&[][..], "2 requests"), (&["--since", "2026-09-03T00:00:00Z"], "1 request")]
    {
        let output = run(&[&always[..], &["--history", &history], flags].concat(), &log(&VISITS));
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let answer = format!("disobeyed rules that its operator had read ({requests} by GPTBot).");
        assert!(text.contains(&answer), "{text}");
        // The last one: a slow machine shows earlier ones, too.
        let mut lines = text.lines().rev();
        let counter = lines.find_map(|line| line.strip_prefix("disallowed_known"));
        assert_eq!(counter.map(str::trim), Some(&requests[..1]), "{text}");
    }
    let file = [&["audit", "x.log"], &always[2..], &["--history", &history]].concat();
    let output = run(&file, "");
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(error.starts_with("error: expected the log `-` for `--follow`"), "{error}");
    for flags in [["--agent", "GPTBot"], ["--verdict", "allowed"]] {
        let output = run(&[&always[..], &["--history", &history], &flags].concat(), "");
        assert_eq!(output.status.code(), Some(2), "{flags:?}");
    }
}

#[test]
fn sentences_hold_for_the_selected_requests() {
    let (_history, history) = dated(&[("2026-08-01T000000Z.txt", CLOSED)]);
    let always = ["audit", "-", "--origin", "https://shop.example/", "--offline", "--history"];
    let foreign = log(&VISITS.map(|(day, hour, path)| (day + 2, hour + 2, path)));
    let foreign = foreign.replace("20.171.206.10", "5.9.112.45");
    let proved_and_not = log(&VISITS) + &foreign;
    let paths: String = (0..30).map(|at| log(&[(4, 5, &*format!("/private/{at}"))])).collect();
    for (log, flags, expected, unexpected) in [
        (&proved_and_not, &["--verdict", "impostor"][..], "4 requests were by", "--trusted-proxy"),
        (&foreign, &["--verdict", "impostor"], "--trusted-proxy", "accepted"),
        (&foreign, &["--accept-unproved", "GPTBot"], "by impostors of GPTBot.", "accepted"),
        (&log(&VISITS), &["--since", "2027-01-01"], "Nothing could be judged: no request", "obey"),
        (&(log(&VISITS) + &paths), &[], "and at least 15 further paths", "(no"),
        (&log(&VISITS), &[], "disobeyed", "further"),
    ] {
        let output = run(&[&always[..], &[&history], flags].concat(), log);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(text.contains(expected) && !text.contains(unexpected), "{flags:?}: {text}");
    }
}

#[test]
fn a_wrong_history_has_a_hint() {
    let (_folder, folder) = dated(&[("robots.txt", CLOSED)]);
    for (history, hint) in [
        (&*folder, "such as `2026-03-01.txt` or `2026-03-01T123000Z.txt`"),
        ("git:nowhere:robots.txt", "`git branch --all` lists the branches"),
    ] {
        let site = "https://shop.example";
        let output = run(&["audit", "-", "--origin", site, "--history", history], "");
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && error.contains(hint), "{history}: {error}");
    }
}

#[test]
fn a_row_has_the_site_and_the_changes_of_its_own_robots_txt() {
    let new = ("2026-09-02T030000Z.txt", CLOSED);
    let (_shop, shop) = dated(&[("2026-08-01.txt", OPEN), new]);
    let (_bakery, bakery) = dated(&[("2026-08-01.txt", OPEN)]);
    let lines = |host| {
        let visits = log(&[(2, 2, "/a"), (2, 4, "/a")]);
        visits.lines().flat_map(|line| [host, ":443 ", line, "\n"]).collect::<String>()
    };
    let log = ["shop.example", "bakery.example", "other.example"].map(lines).concat();
    let [shop, bakery] = [("shop", shop), ("bakery", bakery)]
        .map(|(name, folder)| format!("https://{name}.example={folder}"));
    let sites = ["--origin", "https://shop.example", "--origin", "https://bakery.example"];
    let more = ["--history", &shop, "--history", &bakery, "--offline", "--format", "html"];
    let output = run(&[&["audit", "-"], &sites[..], &more[..]].concat(), &log);
    let page = String::from_utf8(output.stdout).expect("UTF-8");
    for (site, changes) in [
        ("shop.example", "1 change"),
        ("bakery.example", "0 changes"),
        ("another origin", "0 changes"),
    ] {
        let label = format!("GPTBot (OpenAI) at {site}: 2 requests, {changes} of robots.txt");
        assert!(page.contains(&label), "{label}: {page}");
    }
}
