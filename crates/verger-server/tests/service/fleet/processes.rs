//! Processes that die or have a wrong clock.

use std::process::Command;
use std::time::{Duration, Instant};

use verger_testkit::shared::{Lacking, say, skip_loudly};

use super::crowd::Crowd;
use super::site::{Kind, SLOW};
use super::{Fleet, arguments, assert_right};
use crate::client::{get, post};
use crate::program::{Program, command};
use crate::redis_server::{Server, free_port};

#[test]
fn a_killed_process_holds_nothing_up() {
    let Some(redis) = Server::on_port(free_port(), &[]) else { return };
    let mut fleet = Fleet::start(&redis.url(), 2);
    let (dies, lives) = (fleet.services[0], fleet.services[1]);
    let good = fleet.site.origin(Kind::Good, 1);
    let reserve = |at, wait: u64| {
        let body =
            format!(r#"{{"agent":"x","url":"{good}/yes","wait_ms":{wait},"hold_seconds":1}}"#);
        let found = post(at, "/v1/turns", &body);
        (found.status, found.json())
    };
    let reserved = Instant::now();
    let (status, turn) = reserve(dies, 5_000);
    assert_eq!(status, 201, "{turn}");
    let slow = format!("{}/no", fleet.site.origin(Kind::Slow, 1));
    let check = |wait: u64| format!("/v1/check?agent=x&wait_ms={wait}&url={slow}");
    assert_eq!(get(dies, &check(0)).status, 202);
    while fleet.site.fetches_of(Kind::Slow, 1) == 0 {
        std::thread::sleep(Duration::from_millis(5));
    }
    fleet.programs[0].end("KILL");
    let begun = Instant::now();
    let found = get(lives, &check(30_000)).json();
    let taken_over = begun.elapsed();
    assert_eq!((&found["allowed"], &found["reason"]), (&false.into(), &"rule".into()), "{found}");
    assert_eq!(fleet.site.fetches_of(Kind::Slow, 1), 2, "the other process fetches again, once");
    assert!(taken_over > SLOW, "{taken_over:?}");
    assert!(taken_over < Duration::from_secs(10), "{taken_over:?}");
    let (status, next) = reserve(lives, 20_000);
    let waited = reserved.elapsed();
    assert_eq!(status, 201, "{next}");
    assert!(next["fence"].as_u64() > turn["fence"].as_u64(), "{turn} {next}");
    // It expires, and the pause follows.
    assert!(waited >= Duration::from_secs(2), "{waited:?}");
    assert!(waited < Duration::from_secs(15), "{waited:?}");
    let path = format!("/v1/turns/{}/release", turn["turn"].as_str().unwrap());
    assert_eq!(post(lives, &path, r#"{"status":200}"#).status, 409, "the worker has lost its turn");
    say(&format!(
        "a process killed: its fetch is taken over after {taken_over:?}, its turn {waited:?} after \
         the reservation"
    ));
}

#[test]
fn different_keys_have_records_of_their_own() {
    use std::os::unix::fs::PermissionsExt as _;
    let Some(redis) = Server::on_port(free_port(), &[]) else { return };
    let url = redis.url();
    let folder = tempfile::tempdir().unwrap();
    let start = |digit: &str| {
        let path = folder.path().join(digit);
        std::fs::write(&path, digit.repeat(64)).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        let mut command = command();
        command.args(arguments(&url)).arg("--store-key-file").arg(path);
        Program::of(&mut command)
    };
    let fleet = Fleet::of(vec![start("a"), start("b")]);
    let origin = fleet.site.origin(Kind::Good, 1);
    let begun = Instant::now();
    // Longer than the memory of a process answers without Redis, some times.
    while begun.elapsed() < 4 * verger_fetch::limits::TIER_AGE {
        for &at in &fleet.services {
            let found = get(at, &format!("/v1/check?agent=x&explain=true&url={origin}/no")).json();
            assert_eq!(found["allowed"], false, "{found}");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(fleet.site.fetches_of(Kind::Good, 1), 2);
}

/// The library of faketime.
const LIBRARY: &str = "/usr/$LIB/faketime/libfaketimeMT.so.1";

#[test]
#[ignore = "thorough suite"]
fn a_clock_that_is_an_hour_off_changes_no_answer() {
    let test = "a_clock_that_is_an_hour_off_changes_no_answer";
    if Command::new("faketime").arg("--version").output().is_err() {
        let why = "faketime is missing: `cargo xtask test --setup` installs it";
        return skip_loudly(test, Lacking::Tool, why);
    }
    let Some(redis) = Server::on_port(free_port(), &[]) else { return };
    let url = redis.url();
    let start = |off: Option<&str>| {
        let mut command = command();
        if let Some(off) = off {
            command.env("LD_PRELOAD", LIBRARY).env("FAKETIME", off);
            command.env("FAKETIME_DONT_FAKE_MONOTONIC", "1");
        }
        Program::of(command.args(arguments(&url)))
    };
    let mut fleet = Fleet::of(vec![start(None), start(Some("+1h")), start(Some("-1h"))]);
    let began = Instant::now();
    let crowd = Crowd::start(&fleet.site, &fleet.services);
    let time = Duration::from_secs(super::seconds().max(1));
    std::thread::sleep(time);
    let figures = crowd.figures();
    assert_right(crowd);
    let log = fleet.site.log();
    let mut times = std::collections::BTreeMap::new();
    for request in log.iter().filter(|it| it.is_robots && it.host.octets()[1] == Kind::Good as u8) {
        *times.entry(request.host).or_insert(0_usize) += 1;
    }
    let most = times.values().max().copied().unwrap_or_default();
    let fetches: usize = times.values().sum();
    let early = super::early_visits(&fleet.site, began, super::PAUSE);
    say(&format!(
        "clocks an hour off for {time:?}: {figures}, {fetches} fetches for {} good origins, at \
         most {most} of one, {early} visits too early",
        times.len()
    ));
    assert!(figures.certain > 0);
    assert_eq!(early, 0, "the clock of Redis counts");
    // A record from the future of a process is fetched again once by it.
    assert!(most <= fleet.programs.len(), "{most} fetches of one origin");
    let times = fleet.services.iter().map(|&at| {
        let url = fleet.site.origin(Kind::Good, 50_001);
        let answer = get(at, &format!("/v1/check?agent=x&url={url}/yes")).json();
        answer["decision"]["decided_at"].as_u64().unwrap_or_else(|| panic!("{answer}"))
    });
    let times: Vec<u64> = times.collect();
    assert!(times[1] - times[0] > 3_000 && times[0] - times[2] > 3_000, "{times:?}");
    for program in &mut fleet.programs {
        assert!(program.runs());
    }
}
