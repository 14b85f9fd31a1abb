//! `cargo xtask histories`: compares the records of the robots client with a naive model, and shows
//! that the model detects faults.

use std::path::Path;
use std::process::Command;

use crate::arguments::Arguments;
use crate::disk;
use crate::shell::{Result, execute, fetch_tests, output, root, target_dir};

/// A deliberate fault: description, file, and a text of the file with its replacement.
struct Fault {
    what: &'static str,
    file: &'static str,
    text: &'static str,
    faulty: &'static str,
}

const STATE: &str = "crates/verger/src/access/state.rs";
const ANSWER: &str = "crates/verger/src/access/answer.rs";
const ADVANCE: &str = "crates/verger-fetch/src/record/advance.rs";

const FAULTS: [Fault; 12] = [
    Fault {
        what: "a 304 with another strong ETag renews the copy (REP-CACHE-5)",
        file: "crates/verger-fetch/src/record/file.rs",
        text: "is_none_or(|(own, other)| own == other)",
        faulty: "is_none_or(|(own, other)| own == other || true)",
    },
    Fault {
        what: "time without fetches counts towards an outage (REP-CACHE-25)",
        file: STATE,
        text: "now.since(outage.tried_at).min(profile.gap())",
        faulty: "now.since(outage.tried_at)",
    },
    Fault {
        what: "a step that allows more begins with the clock (REP-CACHE-26)",
        file: ANSWER,
        text: "let proved = reached(self.counted);",
        faulty: "let proved = reached(now.since(self.since));",
    },
    Fault {
        what: "permission during an outage survives its next fetch (REP-CACHE-26)",
        file: ANSWER,
        text: "Access { kind: Kind::AllowAll, .. } if self.needs_fetch(now) => {",
        faulty: "Access { kind: Kind::AllowAll, .. } if false && self.needs_fetch(now) => {",
    },
    Fault {
        what: "a failure of the crawler's network counts (REP-CACHE-28)",
        file: ADVANCE,
        text: ".filter(is_proof)",
        faulty: ".filter(|it| is_proof(it) || true)",
    },
    Fault {
        what: "an import shows that the crawler's network works (REP-CACHE-28a)",
        file: ADVANCE,
        text: "response.is_unclear |= !proves_network;",
        faulty: "response.is_unclear |= !proves_network && false;",
    },
    Fault {
        what: "an empty 202 replaces the file (REP-CACHE-28b)",
        file: ADVANCE,
        text: "file.filter(|_| is_file)",
        faulty: "file.filter(|_| is_file || true)",
    },
    Fault {
        what: "a failed fetch ends freshness (REP-CACHE-29)",
        file: STATE,
        text: "Meaning::Unreachable if self.outlives_failure(profile, now) => return self,",
        faulty: "Meaning::Unreachable if self.outlives_failure(profile, now) && false => return self,",
    },
    Fault {
        what: "a redirect that one crawler may not follow counts for others (REP-CACHE-29)",
        file: ADVANCE,
        text: "if is_local {",
        faulty: "if is_local && false {",
    },
    Fault {
        what: "a part replaces a fresh whole file (REP-CACHE-29)",
        file: ADVANCE,
        text: "attempt.response.outcome == Outcome::Status(206)",
        faulty: "attempt.response.outcome == Outcome::Status(299)",
    },
    Fault {
        what: "a cut file replaces a whole one (REP-CACHE-30)",
        file: "crates/verger-fetch/src/record/file.rs",
        text: "self.cut_at.is_none_or(|cut_at| cut_at >= options.body_limit() as u64)",
        faulty: "self.cut_at.is_none_or(|cut_at| cut_at >= options.body_limit() as u64) || true",
    },
    Fault {
        what: "a failed fetch is not tried again (REP-CACHE-27)",
        file: "crates/verger-fetch/src/record/mod.rs",
        text: "seen.needs_fetch(now) && !is_held",
        faulty: "seen.needs_fetch(now) && seen.failures() == 0 && !is_held",
    },
];

/// Number of histories that suffices to detect each fault.
const ENOUGH: u64 = 10_000;

/// Default number of histories.
pub(crate) const COUNT: u64 = 200_000;

/// From this number on, compiling with optimisation takes less time than it saves.
const OPTIMISED_FROM: u64 = 20_000;

/// Runs `cargo xtask histories`.
pub(crate) fn command(given: &Arguments) -> Result {
    let has_choice = given.has("count") || given.has("seed");
    match (given.has("plant"), has_choice) {
        (true, true) => Err("expected `--plant` without `--count` and `--seed`".to_owned()),
        (true, false) => check_faults(),
        (false, _) => run(given.number("count")?.unwrap_or(COUNT), given.number("seed")?),
    }
}

/// Runs this number of histories.
pub(crate) fn run(count: u64, seed: Option<u64>) -> Result {
    let mut command = test(&root());
    if count >= OPTIMISED_FROM {
        command.arg("--release");
    }
    if let Some(seed) = seed {
        command.env("VERGER_HISTORIES_SEED", seed.to_string());
    }
    command.args(["--", "histories::", "--nocapture"]);
    execute(command.env("VERGER_HISTORIES", count.to_string()))
}

/// Applies one fault after the other to a copy of the project. Each must be detected.
fn check_faults() -> Result {
    let copy = target_dir().join("faulty");
    let mut missed = Vec::new();
    copy_project(&copy)?;
    for fault in &FAULTS {
        let path = copy.join(fault.file);
        let text = disk::read(&path)?;
        if text.matches(fault.text).count() != 1 {
            return Err(format!("expected `{}` once in {}", fault.text, fault.file));
        }
        let faulty = text.replace(fault.text, fault.faulty);
        disk::write(&path, faulty)?;
        execute(test(&copy).arg("--no-run"))?;
        let mut command = test(&copy);
        command.arg("histories::");
        let detected = output(command.env("VERGER_HISTORIES", ENOUGH.to_string())).is_err();
        println!("{}: {}", if detected { "detected" } else { "MISSED" }, fault.what);
        if !detected {
            missed.push(fault.what);
        }
        disk::write(&path, text)?;
    }
    if missed.is_empty() { Ok(()) } else { Err(format!("not detected: {}", missed.join("; "))) }
}

fn test(project: &Path) -> Command {
    let mut command = fetch_tests();
    command.arg("--quiet");
    command.current_dir(project);
    if project != root() {
        // A separate target directory, so that no faulty build remains in the project's.
        command.env("CARGO_TARGET_DIR", project.join("target"));
        command.env("RUSTFLAGS", "--cap-lints=allow");
    }
    command
}

/// The files that git knows, with their current content.
fn copy_project(copy: &Path) -> Result {
    // Build results are preserved, so that the next run is quick; files that the project no longer
    // has are deleted.
    for folder in ["crates", "xtask"] {
        disk::remove_folder(&copy.join(folder))?;
    }
    disk::tracked()?.iter().try_for_each(|file| disk::copy(&root().join(file), &copy.join(file)))
}
