//! `cargo xtask histories`: do the records of the robots client agree with a naive model, and would the
//! model notice a fault?

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::arguments::Arguments;
use crate::shell::{Result, execute, fetch_test, output, program, root, target_dir};

/// A fault to plant: what it does, the file, and a text of it with its replacement.
struct Fault {
    what: &'static str,
    file: &'static str,
    text: &'static str,
    planted: &'static str,
}

const STATE: &str = "crates/verger/src/access/state.rs";
const ANSWER: &str = "crates/verger/src/access/answer.rs";
const ADVANCE: &str = "crates/verger-fetch/src/record/advance.rs";

const FAULTS: [Fault; 8] = [
    Fault {
        what: "silence counts towards an outage (REP-CACHE-25)",
        file: STATE,
        text: "now.since(outage.tried_at).min(profile.gap())",
        planted: "now.since(outage.tried_at)",
    },
    Fault {
        what: "a step that allows more begins with the clock (REP-CACHE-26)",
        file: ANSWER,
        text: "let proved = reached(self.counted);",
        planted: "let proved = reached(now.since(self.since));",
    },
    Fault {
        what: "what an outage allows outlives its next fetch (REP-CACHE-26)",
        file: ANSWER,
        text: "Access { kind: Kind::AllowAll, .. } if self.needs_fetch(now) => {",
        planted: "Access { kind: Kind::AllowAll, .. } if false && self.needs_fetch(now) => {",
    },
    Fault {
        what: "the crawler's own dead network counts (REP-CACHE-28)",
        file: ADVANCE,
        text: "let is_proved = !is_unclear || self.proves_network(other_answer, now);",
        planted: "let is_proved = !is_unclear || self.proves_network(other_answer, now) || true;",
    },
    Fault {
        what: "a failed fetch ends what is fresh (REP-CACHE-29)",
        file: STATE,
        text: "Meaning::Unreachable if self.outlives_failure(profile, now) => return self,",
        planted: "Meaning::Unreachable if self.outlives_failure(profile, now) && false => return self,",
    },
    Fault {
        what: "a fetch for one profile leaves the states of others (REP-CACHE-29)",
        file: ADVANCE,
        text: "for entry in self.states.iter_mut().filter(|_| is_proved) {",
        planted: "for entry in self.states.iter_mut().take(1).filter(|_| is_proved) {",
    },
    Fault {
        what: "a cut file is as good as a whole one (REP-CACHE-30)",
        file: "crates/verger-fetch/src/record/file.rs",
        text: "self.cut_at.is_none_or(|cut_at| cut_at >= options.body_limit() as u64)",
        planted: "self.cut_at.is_none_or(|cut_at| cut_at >= options.body_limit() as u64) || true",
    },
    Fault {
        what: "a failed fetch is not tried again (REP-CACHE-27)",
        file: "crates/verger-fetch/src/record/mod.rs",
        text: "seen.needs_fetch(now) && !is_held",
        planted: "seen.needs_fetch(now) && seen.failures() == 0 && !is_held",
    },
];

/// Histories that are enough to notice any of them.
const ENOUGH: u64 = 10_000;

/// Default number of histories.
pub(crate) const COUNT: u64 = 200_000;

/// Runs `cargo xtask histories`.
pub(crate) fn command(given: &Arguments) -> Result {
    let has_choice = given.has("--count") || given.has("--seed");
    match (given.has("--plant"), has_choice) {
        (true, true) => Err("expected `--plant` without `--count` and `--seed`".to_owned()),
        (true, false) => plant(),
        (false, _) => run(given.number("--count").unwrap_or(COUNT), given.number("--seed")),
    }
}

/// Runs this number of histories.
pub(crate) fn run(count: u64, seed: Option<u64>) -> Result {
    let mut command = test(&root());
    if let Some(seed) = seed {
        command.env("VERGER_HISTORIES_SEED", seed.to_string());
    }
    execute(command.env("VERGER_HISTORIES", count.to_string()))
}

/// Plants one fault after the other in a copy of the project, and expects each to be noticed.
fn plant() -> Result {
    let copy = target_dir().join("planted");
    let mut missed = Vec::new();
    copy_project(&copy)?;
    for fault in &FAULTS {
        let path = copy.join(fault.file);
        let text = fs::read_to_string(&path).map_err(|error| error.to_string())?;
        if text.matches(fault.text).count() != 1 {
            return Err(format!("expected `{}` once in {}", fault.text, fault.file));
        }
        let planted = text.replace(fault.text, fault.planted);
        fs::write(&path, planted).map_err(|error| error.to_string())?;
        execute(test(&copy).arg("--no-run"))?;
        let mut command = test(&copy);
        let noticed = output(command.env("VERGER_HISTORIES", ENOUGH.to_string())).is_err();
        println!("{}: {}", if noticed { "noticed" } else { "MISSED" }, fault.what);
        if !noticed {
            missed.push(fault.what);
        }
        fs::write(&path, text).map_err(|error| error.to_string())?;
    }
    if missed.is_empty() { Ok(()) } else { Err(format!("not noticed: {}", missed.join("; "))) }
}

fn test(project: &Path) -> Command {
    let mut command = fetch_test("histories");
    command.arg("--quiet");
    command.current_dir(project);
    if project != root() {
        // Built apart, so that nothing planted is left in the project's own folder.
        command.env("CARGO_TARGET_DIR", project.join("target"));
        command.env("RUSTFLAGS", "--cap-lints=allow");
    }
    command
}

/// The files that git knows, as they are now.
fn copy_project(copy: &Path) -> Result {
    // What was built stays, so that the next run is quick; files that the project has no more go.
    for folder in ["crates", "xtask"].map(|name| copy.join(name)) {
        if folder.exists() {
            fs::remove_dir_all(folder).map_err(|error| error.to_string())?;
        }
    }
    let listed = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
    let files = output(program("git", listed).current_dir(root()))?;
    for file in files.split('\0').filter(|file| !file.is_empty()) {
        let (from, to) = (root().join(file), copy.join(file));
        if let (true, Some(folder)) = (from.is_file(), to.parent()) {
            fs::create_dir_all(folder).map_err(|error| error.to_string())?;
            fs::copy(&from, &to).map_err(|error| error.to_string())?;
        }
    }
    Ok(())
}
