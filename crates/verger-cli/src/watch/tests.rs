//! Watching in virtual time: a clock that jumps to the next check, and the testkit's server.
//!
//! The thorough suite (`VERGER_CASES`) watches 10,000 sites every third day, otherwise 50
//! every day.

mod expected;
mod simulation;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use serde_json::Value;
use verger_testkit::generate::is_thorough;
use verger_testkit::server::{PUBLIC, ScriptedResponse};

use self::simulation::{Answer, START, Simulation, V6};
use super::change::{FAMILIES, NO_ANSWER};
use super::seen::Memory;
use crate::error::ExitStatus;

const DAY: u64 = 24 * 60 * 60;
const RULES: &str = "User-agent: *\nDisallow: /cart\nSitemap: https://shop.example/sitemap.xml\n";

/// The words for a file that closes the site, and has no sitemap.
const CLOSED: &str = "another file: `/` is closed to `*`; 1 other line";

fn ok(text: impl AsRef<[u8]>) -> ScriptedResponse {
    ScriptedResponse::new(200).field("Content-Type", "text/plain; charset=utf-8").body(text)
}

#[test]
fn exactly_the_changes_of_a_month_are_reported() {
    /// Site `n` below 20 changes on day `n`, each in one of ten ways. Every tenth site has another
    /// comment each day, which is not a change.
    fn answer(site: usize, _: &str, seconds: u64) -> ScriptedResponse {
        let day = seconds / DAY;
        if site == 98 {
            return ScriptedResponse::new(403);
        }
        if site >= 20 {
            let comment =
                if site.is_multiple_of(10) { format!("# day {day}\n") } else { String::new() };
            return ok(comment + RULES);
        }
        if day <= site as u64 {
            return ok(RULES);
        }
        match site % 10 {
            0 => ok("User-agent: GPTBot\nDisallow: /\n\n".to_owned() + RULES),
            1 => ok("User-agent: *\nDisallow: /\n"),
            2 => ok("User-agent: *\nDisallow: /cart\nSitemap: https://shop.example/new.xml\n"),
            3 if site < 10 => ScriptedResponse::new(404),
            3 => ScriptedResponse::redirect(301, "http://s98.example/robots.txt"),
            4 => ScriptedResponse::new(500),
            5 => ScriptedResponse::new(200).field("Content-Type", "text/html").body(RULES),
            6 => ScriptedResponse::redirect(301, "http://s99.example/robots.txt"),
            7 => ok(RULES.replace("Disallow", "Crawl-delay: 5\nDisallow")),
            8 => ok(RULES.to_owned() + &"# long\n".repeat(80_000)),
            _ => ok(RULES.to_owned() + "User-agent: *\nDisalow: /x\nContent-Usage: train-ai=n\n"),
        }
    }
    let (count, days) = if is_thorough() { (10_000, 3) } else { (50, 1) };
    let simulation = Simulation::new(answer);
    let reports = simulation.watch(count, days * DAY, 30 * DAY, &[]);
    let mut found: BTreeMap<usize, Vec<&Value>> = BTreeMap::new();
    for report in &reports {
        let origin = report["origin"].as_str().unwrap();
        let site = origin.trim_start_matches("http://s").trim_end_matches(".example");
        found.entry(site.parse().unwrap()).or_default().push(report);
    }
    assert!(found.keys().copied().eq(0..20), "{:?}", found.keys());
    for (site, reports) in found {
        let [report] = &*reports else { panic!("site {site}: {reports:?}") };
        let facts: Vec<_> = report["facts"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["what"].as_str().unwrap())
            .collect();
        let diff = &report["diff"];
        let directions = diff["crawlers"][0]["changes"][0]["direction"].as_str();
        match site % 10 {
            0 => {
                assert_eq!(
                    (diff["text"].as_str(), directions),
                    (Some("prepended"), Some("closed"))
                );
            }
            1 => assert_eq!(directions, Some("closed")),
            2 => assert_eq!(diff["records"][1]["value"], "https://shop.example/new.xml"),
            3 => {
                let expected = ["outcome", "status", "url"];
                assert_eq!(facts, expected[..if site < 10 { 2 } else { 3 }]);
                assert_eq!(directions, Some("opened"));
            }
            4 => assert_eq!(
                (facts, report["outcome"].as_str()),
                (vec!["outcome"], Some("unreachable"))
            ),
            5 => assert_eq!(facts, ["media_type"]),
            6 => assert_eq!(facts, ["url"]),
            7 => assert_eq!(diff["crawlers"][0]["records"][0]["key"], "Crawl-delay"),
            8 => assert_eq!(facts, ["length"]),
            _ => assert!(!report["lint"].as_array().unwrap().is_empty()),
        }
        // On its day, or with the check after it.
        let day = (report["at"].as_u64().unwrap() - START) / DAY;
        assert!((site as u64..=site as u64 + 2 * days).contains(&day), "site {site} on day {day}");
    }
}

#[test]
fn a_file_that_vanishes_for_an_hour_is_reported_twice_and_a_short_failure_never() {
    let hour = 60 * 60;
    let outcomes = |answer: Answer| {
        let simulation = Simulation::new(answer);
        let reports = simulation.watch(1, 600, DAY, &[]);
        let of = |it: &Value| {
            (it["outcome"].as_str().unwrap().to_owned(), it["at"].as_u64().unwrap() - START)
        };
        let found: Vec<_> = reports.iter().map(of).collect();
        let inside = found.iter().all(|(_, at)| (5 * hour..=7 * hour).contains(at));
        assert!(inside, "{found:?}");
        found.into_iter().map(|(outcome, _)| outcome).collect::<Vec<_>>()
    };
    assert_eq!(
        outcomes(|_, _, at| if at / 3600 == 5 { ScriptedResponse::new(404) } else { ok(RULES) }),
        ["absent", "served"]
    );
    assert_eq!(
        outcomes(|_, _, at| if at / 3600 == 5 { ScriptedResponse::new(503) } else { ok(RULES) }),
        ["unreachable", "served"]
    );
    // Shorter than the time until the confirmation.
    assert!(
        outcomes(|_, _, at| if at / 240 == 75 { ScriptedResponse::new(503) } else { ok(RULES) })
            .is_empty()
    );
}

#[test]
fn a_file_that_differs_by_user_agent_is_reported_once() {
    let simulation = Simulation::new(|_, agent, seconds| {
        let is_other = agent.contains("Googlebot") && seconds > DAY;
        ok(if is_other { "User-agent: *\nDisallow: /\n" } else { RULES })
    });
    let reports = simulation.watch(1, 3600, 2 * DAY, &["Googlebot/2.1"]);
    let [report] = &*reports else { panic!("{reports:?}") };
    let fact = &report["facts"][0];
    assert_eq!((&fact["what"], &fact["name"]), (&"other_request".into(), &"Googlebot/2.1".into()));
    assert_eq!(fact["before"], "the same file");
    // Also if it differs from the beginning.
    let other =
        Simulation::new(|_, agent, _| ok(if agent.contains("Googlebot") { "" } else { RULES }));
    assert_eq!(other.watch(1, 3600, DAY, &["Googlebot/2.1"]).len(), 1);
    assert_eq!(fact["after"], CLOSED);
}

#[test]
fn another_request_without_a_file_is_reported_with_its_status() {
    for (status, agent) in [(403, "Googlebot/2.1"), (401, "a"), (404, "b")] {
        let simulation = Simulation::new(|site, agent, _| match (site, agent) {
            // The second site has no file for others either.
            (_, "Googlebot/2.1") => ScriptedResponse::new(403),
            (0, "a") => ScriptedResponse::new(401),
            (0, "b") | (1, _) => ScriptedResponse::new(404),
            _ => ok(RULES),
        });
        let reports = simulation.watch(2, 3600, DAY, &[agent]);
        let words = format!("no file (status {status})");
        assert_eq!(facts(&reports), [fact("other_request", agent, &words)]);
    }
}

/// The facts of reports: what changed, for which request, and to what.
fn facts(reports: &[Value]) -> Vec<[String; 3]> {
    let facts = reports.iter().flat_map(|it| it["facts"].as_array().unwrap());
    let text = |it: &Value, key| it[key].as_str().unwrap_or_default().to_owned();
    facts.map(|it| ["what", "name", "after"].map(|key| text(it, key))).collect()
}

fn fact(what: &str, name: &str, after: &str) -> [String; 3] {
    [what, name, after].map(str::to_owned)
}

#[test]
fn a_file_that_differs_by_address_family_is_reported_and_a_family_without_addresses_is_not() {
    let answer: Answer = |_, agent, seconds| {
        ok(if agent == "IPv6" && seconds > DAY { "User-agent: *\nDisallow: /\n" } else { RULES })
    };
    let families = FAMILIES.map(|(name, _)| name);
    let v4 = Simulation::new(answer);
    assert!(v4.watch(1, 3600, 2 * DAY, &families).is_empty());
    let mut both = Simulation::new(answer);
    both.of_families = &[PUBLIC, V6];
    let reports = both.watch(1, 3600, 2 * DAY, &families);
    assert_eq!(facts(&reports), [fact("other_request", "IPv6", CLOSED)]);
    // The addresses of a family that had some are gone.
    both.of_families = &[PUBLIC];
    let reports = both.watch(1, 3600, 3 * DAY, &families);
    let [[_, name, after]] = &*facts(&reports) else { panic!("{reports:?}") };
    assert!(name == "IPv6" && after.starts_with(NO_ANSWER), "{after}");
}

#[test]
fn after_an_outage_an_answer_is_compared_with_the_one_before_it() {
    const STATUSES: [[u16; 3]; 4] =
        [[200, 503, 404], [403, 503, 200], [200, 503, 200], [503, 503, 200]];
    let simulation = Simulation::new(|site, _, seconds| {
        match STATUSES[site][usize::try_from(seconds / DAY).unwrap().min(2)] {
            200 => ok(RULES),
            status => ScriptedResponse::new(status),
        }
    });
    let reports = simulation.watch(STATUSES.len(), 3600, 3 * DAY, &[]);
    for (site, (expected, file)) in [
        ("outcome unreachable absent, status 200 404", Some("the file of 2025-11-21T04:40:00Z")),
        ("outcome unreachable served, status 403 200", Some("no file (status 403)")),
        ("outcome unreachable served", None),
        ("outcome unreachable served", None),
    ]
    .into_iter()
    .enumerate()
    {
        let origin = format!("http://s{site}.example");
        let last = reports.iter().rfind(|it| it["origin"] == origin).unwrap();
        let facts = last["facts"].as_array().unwrap().iter().map(|it| {
            let texts = ["what", "before", "after"].map(|key| it[key].as_str());
            texts.into_iter().flatten().collect::<Vec<_>>().join(" ")
        });
        assert_eq!(facts.collect::<Vec<_>>().join(", "), expected, "site {site}");
        assert_eq!(last["diff"]["before"]["file"].as_str(), file, "site {site}");
    }
}

#[test]
fn differences_before_and_during_an_outage_are_reported_once() {
    let simulation = Simulation::new(|_, agent, seconds| match (seconds / DAY, agent) {
        (1, _) => ScriptedResponse::new(503),
        (day, "Googlebot/2.1") => ok(if day >= 3 { RULES } else { "" }),
        (0, _) => ok(RULES.to_owned() + "# long\n"),
        // Changed in the outage.
        _ => ScriptedResponse::new(200)
            .field("Content-Type", "text/html")
            .body(RULES.to_owned() + "# long\n"),
    });
    let reports = simulation.watch(1, 3600, 4 * DAY, &["Googlebot/2.1"]);
    let other = "another file: `/cart` is opened to `*`; 1 other line";
    assert_eq!(
        facts(&reports),
        [
            fact("other_request", "Googlebot/2.1", other),
            fact("outcome", "", "unreachable"),
            fact("outcome", "", "served"),
            fact("media_type", "", "text/html"),
            fact("other_request", "Googlebot/2.1", "the same file"),
        ]
    );
}

#[test]
fn a_change_is_reported_after_another_request_fails_once_which_is_not() {
    static HAS_FAILED: AtomicBool = AtomicBool::new(false);
    let simulation = Simulation::new(|_, agent, seconds| match agent {
        "Googlebot/2.1" if seconds > DAY && !HAS_FAILED.swap(true, Ordering::SeqCst) => {
            ScriptedResponse::new(503)
        }
        _ if seconds > DAY => ok(""),
        _ => ok(RULES),
    });
    let reports = simulation.watch(1, 3600, 2 * DAY, &["Googlebot/2.1"]);
    let [report] = &*reports else { panic!("{reports:?}") };
    assert_eq!(report["diff"]["crawlers"][0]["changes"][0]["direction"], "opened");
    assert_eq!(report["facts"], Value::Array(vec![]));
}

#[test]
fn requests_that_fail_in_turn_are_not_reported() {
    static CHECKS: AtomicUsize = AtomicUsize::new(0);
    let simulation = Simulation::new(|_, agent, _| {
        let is_main = usize::from(agent != "Googlebot/2.1");
        let check = CHECKS.fetch_add(is_main, Ordering::SeqCst) + is_main;
        if check > 1 && check % 2 == is_main { ScriptedResponse::new(503) } else { ok(RULES) }
    });
    assert_eq!(simulation.watch(1, 3600, DAY, &["Googlebot/2.1"]), [Value::Null; 0]);
}

#[test]
fn too_many_redirects_are_the_reason_for_an_absent_file() {
    let simulation = Simulation::new(|_, _, seconds| match seconds / DAY {
        0 => ok(RULES),
        _ => ScriptedResponse::redirect(302, "/robots.txt"),
    });
    let reports = simulation.watch(1, 3600, 2 * DAY, &[]);
    let [report] = &*reports else { panic!("{reports:?}") };
    let found = ["outcome", "failure"].map(|key| report[key].as_str());
    assert_eq!(found, [Some("absent"), Some("too many redirects")]);
    assert_eq!(report["diff"]["after"]["file"], "no file (too many redirects)");
}

#[test]
fn a_new_finding_of_the_linter_is_named_with_its_line() {
    let simulation = Simulation::new(|_, _, seconds| {
        let block = "User-agent: GPTBot\nDisallow: /cart\nDissalow: /new # typo\n\n";
        let front = ["", block, &format!("# moves the lines\n{block}")]
            [usize::try_from(seconds / DAY).unwrap().min(2)]
        .to_owned();
        ok(front + "User-agent: *\nDissalow: /old\n")
    });
    let reports = simulation.watch(1, 3600, 3 * DAY, &[]);
    let [report] = &*reports else { panic!("{reports:?}") };
    let lint = report["lint"][0].as_str().unwrap();
    assert!(lint.starts_with("warning[misspelt-key] on line 3: "), "{lint}");
}

#[test]
fn an_unreachable_site_decides_the_exit_code_beside_changes() {
    let simulation = Simulation::new(|site, _, seconds| match (site, seconds / DAY) {
        (_, 0) => ok(RULES),
        (1, _) => ScriptedResponse::new(503),
        _ => ok(""),
    });
    let run = || simulation.run(3, 3600, 0, &[], |_| None, true);
    assert_eq!(run(), (vec![], ExitStatus::Success));
    simulation.time.wait_until(DAY);
    let (reports, status) = run();
    assert_eq!((reports.len(), status), (3, ExitStatus::Error));
}

#[test]
fn a_damaged_memory_is_an_error_and_never_a_change() {
    let simulation = Simulation::new(|_, _, _| ok(RULES));
    let run = || simulation.run(1, 3600, 0, &[], |_| None, true);
    assert_eq!(run(), (vec![], ExitStatus::Success));
    let folder = simulation.folder.path();
    let entries = std::fs::read_dir(folder).unwrap().map(|it| it.unwrap().path());
    let path = entries.into_iter().find(|it| it.extension().is_some()).unwrap();
    let whole = std::fs::read(&path).unwrap();
    let mut damaged: Vec<Vec<u8>> =
        (0..whole.len()).step_by(41).map(|end| whole[..end].to_vec()).collect();
    damaged.push([&whole, &b"Disallow: /\n"[..]].concat());
    for at in (0..whole.len()).step_by(41) {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        damaged.push(bytes);
    }
    for bytes in damaged {
        std::fs::write(&path, &bytes).unwrap();
        assert_eq!(run(), (vec![], ExitStatus::Error), "{}", bytes.escape_ascii());
        assert_eq!(run(), (vec![], ExitStatus::Success), "what is served replaces it");
    }
    #[cfg(unix)]
    {
        std::fs::remove_file(&path).unwrap();
        crate::replace_file::make_pipe(&path);
        assert_eq!(run(), (vec![], ExitStatus::Error), "a pipe without a writer");
        assert_eq!(run(), (vec![], ExitStatus::Success), "what is served replaces it");
    }
}

#[test]
fn another_request_without_an_answer_from_the_beginning_is_reported() {
    let simulation = Simulation::new(|_, agent, _| match agent {
        "Googlebot/2.1" => ScriptedResponse::new(503),
        _ => ok(RULES),
    });
    let reports = simulation.watch(1, 3600, 7200, &["Googlebot/2.1"]);
    let [report] = &*reports else { panic!("{reports:?}") };
    let fact = &report["facts"][0];
    assert_eq!(
        (fact["name"].as_str(), fact["before"].as_str()),
        (Some("Googlebot/2.1"), Some("the same file"))
    );
    assert!(fact["after"].as_str().unwrap().starts_with("no answer: "), "{fact}");
}

/// The server of the simulation answers any condition with 304.
#[test]
fn a_change_of_neither_time_nor_length_is_seen() {
    let simulation = Simulation::new(|_, agent, seconds| {
        let is_other = seconds > if agent == "Googlebot/2.1" { 2 * DAY } else { DAY };
        ok(if is_other { RULES.replace("/cart", "/carp") } else { RULES.to_owned() })
    });
    let reports = simulation.watch(1, 3600, 3 * DAY, &["Googlebot/2.1"]);
    let changes = &reports[0]["diff"]["crawlers"][0]["changes"];
    assert_eq!([&changes[0]["target"], &changes[1]["target"]], ["/cart", "/carp"]);
    let after: Vec<_> = facts(&reports).into_iter().map(|[.., after]| after).collect();
    let other = "another file: `/carp` is opened to `*`; `/cart` is closed to `*`";
    assert_eq!(after, [other, "the same file"]);
}

#[test]
fn a_report_that_was_not_remembered_is_repeated_with_its_id() {
    let simulation = Simulation::new(|_, _, seconds| match seconds / DAY {
        0 | 2 => ok(RULES),
        // The comment is another one with each check.
        _ => ok(format!("# {seconds}\nUser-agent: *\nDisallow: / # {seconds}\n")),
    });
    let saved = |name: &str| {
        let path = simulation.folder.path().join(name);
        std::fs::read(path).ok()
    };
    assert!(simulation.watch(1, 3600, DAY - 7200, &[]).is_empty());
    let entries = std::fs::read_dir(simulation.folder.path()).unwrap();
    let names: Vec<_> = entries.map(|it| it.unwrap().file_name().into_string().unwrap()).collect();
    let name = names.iter().find(|it| it.contains(".seen")).unwrap();
    let before = saved(name).unwrap();
    let first = simulation.watch(1, 3600, DAY + 7200, &[]);
    // The process was killed between the report and the memory of it.
    std::fs::write(simulation.folder.path().join(name), &before).unwrap();
    let again = simulation.watch(1, 3600, DAY + 10_800, &[]);
    let ids = |reports: &[Value]| -> Vec<String> {
        reports.iter().map(|it| it["id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!((ids(&first).len(), ids(&again)), (1, ids(&first)));
    // The same change a second time is another one.
    let later = ids(&simulation.watch(1, 3600, 4 * DAY, &[]));
    assert_eq!(later.len(), 2);
    assert!(!later.contains(&ids(&first)[0]));
    let memory = Memory::open(simulation.folder.path()).unwrap();
    let error = Memory::open(simulation.folder.path()).err().unwrap();
    assert!(error.to_string().starts_with("another process uses"), "{error}");
    drop(memory);
    #[cfg(unix)]
    {
        let at = |name: &str| simulation.folder.path().join(name);
        for pipe in [".new-x", "pipe"] {
            crate::replace_file::make_pipe(&at(pipe));
        }
        assert!(Memory::open(simulation.folder.path()).is_ok(), "a pipe is no leftover");
        for target in [name, "pipe"] {
            std::fs::remove_file(at("lock")).unwrap();
            std::os::unix::fs::symlink(at(target), at("lock")).unwrap();
            let error = Memory::open(simulation.folder.path()).err().unwrap();
            assert!(error.to_string().starts_with("expected a regular file"), "{error}");
        }
        assert!(!saved(name).unwrap().is_empty(), "the target of a link stays");
    }
}
