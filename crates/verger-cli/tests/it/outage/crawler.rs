//! Runs of the program with a set clock.

use std::process::{Command, Output};
use std::rc::Rc;

use serde_json::Value;
use tempfile::TempDir;
use verger_testkit::shared::{Lacking, skip_loudly};

use crate::outage::profiles::Answer;
use crate::outage::site;

/// All times are seconds since this one: 2026-01-01, 12:00 UTC.
const START: u64 = 1_767_268_800;
pub(crate) const MINUTE: u64 = 60;
pub(crate) const HOUR: u64 = 60 * MINUTE;
pub(crate) const DAY: u64 = 24 * HOUR;
/// A day after the file of every profile has expired: that of `koster1996` is fresh for a week.
pub(crate) const OUTAGE: u64 = 8 * DAY;

/// Time of a daily visit. A few minutes more than 24 hours, so that a slow run counts the same.
pub(crate) const fn daily(visit: u64) -> u64 {
    OUTAGE + visit * (DAY + 5 * MINUTE)
}

/// The library of faketime. Its program fails if a process that was killed had the same number.
const CLOCK: &str = "/usr/$LIB/faketime/libfaketimeMT.so.1";

/// Networks of the sites, and an address without a route.
pub(crate) const ALLOWED: [&str; 4] =
    ["--allow-net", "127.0.0.0/8", "--allow-net", "255.255.255.255"];

/// Whether a test can be run. It is skipped if a tool is missing, or fails if `CI` is set.
pub(crate) fn can_run(test: &str) -> bool {
    let has_clock = Command::new("faketime").arg("--version").output().is_ok();
    for (is_there, package) in [(has_clock, "faketime"), (site::nginx().is_some(), "nginx-light")] {
        if !is_there {
            skip_loudly(test, Lacking::Tool, &format!("{package} (Debian) is not installed"));
            return false;
        }
    }
    true
}

/// Crawlers that share a store.
pub(crate) struct Crawler {
    folder: Rc<TempDir>,
    has_network: bool,
}

/// A folder in memory, if there is such a file system. A run continues without its store if that is
/// slow, and then forgets the failed fetch that the test counts. A disk takes seconds under load.
fn folder_in_memory() -> TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

/// A check of a site.
#[derive(Debug)]
pub(crate) struct Checked {
    pub(crate) answer: Answer,
    /// Key `decision` in JSON.
    pub(crate) decision: Value,
}

impl Crawler {
    pub(crate) fn new() -> Self {
        Self { folder: Rc::new(folder_in_memory()), has_network: true }
    }

    /// The same store, without any network.
    pub(crate) fn without_network(&self) -> Self {
        Self { folder: Rc::clone(&self.folder), has_network: false }
    }

    /// A run at a time in seconds that may connect to the sites.
    pub(crate) fn run(&self, at: u64, arguments: &[&str]) -> Output {
        self.run_guarded(at, &[arguments, &ALLOWED].concat())
    }

    /// A run that may connect to public addresses only.
    pub(crate) fn run_guarded(&self, at: u64, arguments: &[&str]) -> Output {
        let time = format!("@{}", START + at);
        // By `env`, because the library leaves files for `unshare`, which it never sees end.
        let (launcher, first): (_, &[&str]) =
            if self.has_network { ("env", &[]) } else { ("unshare", &["-rn", "env"]) };
        Command::new(launcher)
            .args(first)
            .args([&format!("LD_PRELOAD={CLOCK}"), env!("CARGO_BIN_EXE_verger")])
            .args(arguments)
            .args(["--timeout", "10", "--store"])
            .arg(self.folder.path().join("store.sqlite"))
            .envs([("FAKETIME", &*time), ("FAKETIME_FMT", "%s")])
            .env("FAKETIME_DONT_FAKE_MONOTONIC", "1")
            // The name of the variable in old versions.
            .env("DONT_FAKE_MONOTONIC", "1")
            .env_remove("CLICOLOR_FORCE")
            .output()
            .unwrap()
    }

    /// The answer of `verger check` for one site.
    #[track_caller]
    pub(crate) fn ask(&self, at: u64, profile: &str, site: &str) -> Answer {
        self.ask_all(at, profile, [site])[0]
    }

    /// The answers of one `verger check` for several sites.
    #[track_caller]
    pub(crate) fn ask_all<const N: usize>(
        &self,
        at: u64,
        profile: &str,
        sites: [&str; N],
    ) -> [Answer; N] {
        self.check_all(at, profile, sites, &ALLOWED).map(|checked| checked.answer)
    }

    /// `verger check` for one site, with more arguments.
    #[track_caller]
    pub(crate) fn check(&self, at: u64, profile: &str, site: &str, more: &[&str]) -> Checked {
        let [checked] = self.check_all(at, profile, [site], &[more, &ALLOWED].concat());
        checked
    }

    /// `verger check` for several sites at once, without access to their networks unless the
    /// arguments give it.
    #[track_caller]
    pub(crate) fn check_all<const N: usize>(
        &self,
        at: u64,
        profile: &str,
        sites: [&str; N],
        more: &[&str],
    ) -> [Checked; N] {
        let urls = sites.map(|site| [format!("{site}/private"), format!("{site}/public")]);
        let urls: Vec<&str> = urls.iter().flatten().map(String::as_str).collect();
        let fixed = ["check", "--agent", "ExampleBot", "--format", "json", "--access", profile];
        let output = self.run_guarded(at, &[&fixed, more, &urls[..]].concat());
        let answers: Vec<Value> =
            serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"));
        let is_allowed = |answer: &Value| answer["allowed"].as_bool().unwrap();
        let is_unanswered = |answer: &Value| answer["unanswered"] == true;
        let code = if answers.iter().any(is_unanswered) {
            2
        } else {
            i32::from(!answers.iter().all(is_allowed))
        };
        assert_eq!(output.status.code(), Some(code), "{output:?}");
        let mut pairs = answers.chunks_exact(2);
        sites.map(|_| {
            let [private, public] = pairs.next().unwrap() else { panic!("{output:?}") };
            let answer = match (is_allowed(private), is_allowed(public)) {
                (false, false) => Answer::Nothing,
                (false, true) => Answer::Rules,
                (true, true) => Answer::Everything,
                (true, false) => panic!("{answers:?}"),
            };
            let decision = public["decision"].clone();
            let late = decision["decided_at"].as_u64().unwrap().wrapping_sub(START + at);
            assert!(late < MINUTE, "the clock of the test is not in effect: {decision}");
            Checked { answer, decision }
        })
    }
}
