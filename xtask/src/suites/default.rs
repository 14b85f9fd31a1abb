//! The default suite: tests whether the software works, in at most seven minutes on two cores.
//!
//! Code is compiled once, by Clippy's compiler, which reports lints while it compiles the tests.
//! Later steps run programs that the tests have built. The thorough suite runs rustdoc, on the
//! documentation and on the examples in it.

use std::process::{Command, Stdio};
use std::thread;

use super::Step;
use crate::setup::{CC, PYTEST, PYTHON, REDIS, SHARED, WASM};
use crate::shell::{Result, cargo, execute, nice, root, workspace_tests};
use crate::{capi, checks, disk, generate, npm, python, tidy};

pub(super) const STEPS: &[Step] = &[
    Step::new("format", |_| format()),
    Step::new("tidy", |_| tidy::run()),
    Step::new("lints", |_| execute(&mut workspace_tests(["--no-run"]))),
    Step { uses: &[&PYTHON, &REDIS, &SHARED], ..Step::new("tests", |_| tests()) },
    Step::new("conformance", |_| checks::conformance()),
    Step::new("generated-files", |_| generate::run(true)),
    Step { needs: &[&PYTEST], ..Step::new("python", |_| python::test_engine()) },
    Step { uses: &[&CC], ..Step::new("c-library", |_| capi::test()) },
    Step { needs: &[&WASM], ..Step::new("wasm", |_| npm::check()) },
];

/// Checks the packages of this workspace, then those of the others one by one: `--all` would format
/// its path dependencies again with each.
fn format() -> Result {
    execute(&mut cargo(["fmt", "--all", "--check"]))?;
    for path in disk::tracked()? {
        let is_other = ["crates", "xtask"].iter().all(|folder| !path.starts_with(folder));
        let is_package = is_other
            && path.file_name().is_some_and(|name| name == "Cargo.toml")
            && disk::read(&root().join(&path))?.contains("[package]");
        if is_package {
            execute(cargo(["fmt", "--check", "--manifest-path"]).arg(path))?;
        }
    }
    Ok(())
}

/// Executables of tests that wait most of their time: for servers, deadlines and other processes.
const WAITING: [&str; 3] = ["fetch", "redis", "service"];

/// The other executables of tests.
const COMPUTING: [&str; 4] = ["api", "data", "html", "it"];

/// Unit and integration tests. Continues after a failed test. Cargo lists the tests of the thorough
/// suite as ignored.
fn tests() -> Result {
    execute(&mut workspace_tests(["--no-run"]))?;
    // Executables run in turn would leave cores idle. The waiting ones must not wait for a core.
    let waiting = WAITING
        .map(|test| thread::spawn(move || run(&[], &[test]).stderr(Stdio::inherit()).output()));
    // Later steps compile for one core at a time, and find this done.
    let bindings = thread::spawn(|| {
        [python::build_engine(), capi::build(), npm::compile()]
            .iter()
            .try_for_each(|build| execute(&mut nice(build)))
    });
    let computing = execute(&mut nice(&run(&["--lib", "--bins"], &COMPUTING)));
    // The steps of the bindings report what failed.
    let _ = bindings.join();
    let mut result = computing;
    for waiting in waiting {
        let waiting = waiting.join().map_err(|_| "a thread panicked".to_owned())?;
        let waiting = waiting.map_err(|error| error.to_string())?;
        println!("{}", String::from_utf8_lossy(&waiting.stdout));
        if !waiting.status.success() {
            result = Err("failed tests".to_owned());
        }
    }
    result
}

fn run(targets: &[&str], tests: &[&str]) -> Command {
    let mut command = workspace_tests(targets);
    command.arg("--no-fail-fast").args(tests.iter().flat_map(|test| ["--test", test]));
    // The slowest tests wait, so more of them than cores run at a time.
    command.args(["--", "--test-threads", "4"]);
    command
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sizes;

    #[test]
    fn every_executable_of_tests_is_run() {
        for path in disk::tracked().unwrap() {
            let path = path.to_string_lossy();
            let is_test = path.ends_with(".rs") && sizes::is_executable(&path);
            if path.starts_with("crates/") && is_test {
                let name = path.trim_end_matches("/main.rs").trim_end_matches(".rs");
                let name = name.rsplit('/').next().unwrap_or_default();
                assert!(WAITING.contains(&name) || COMPUTING.contains(&name), "{path}");
            }
        }
    }
}
