//! `cargo xtask fuzz`: runs the fuzz targets, from seeds of the conformance suite.
//!
//! Built on the stable toolchain: libFuzzer needs only the compiler's coverage instrumentation, and
//! the engine has no unsafe code for a sanitizer to check.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::File;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::{iter, thread};

use crate::disk;
use crate::shell::{Result, cargo, execute, host, program, root, target_dir};

/// Default seconds for each target: enough to run the seeds and to detect a property that fails
/// immediately.
pub(crate) const SECONDS: u64 = 5;

/// Maximum length of an input: enough for some groups and a long URL, short enough for thousands
/// per second.
const LONGEST_INPUT: u64 = 2048;

/// Compiler flags for libFuzzer's instrumentation.
const INSTRUMENTATION: [&str; 7] = [
    "--cfg=fuzzing",
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
    // Optimisation would remove some branches, which the fuzzer could then not see.
    "-Cllvm-args=-simplifycfg-branch-fold-threshold=0",
];

/// Runs one target, or all, for a number of seconds each, on every core.
///
/// # Errors
///
/// If the target does not exist, does not build, or finds a failure.
pub(crate) fn run(target: Option<&str>, seconds: u64) -> Result {
    let known = targets()?;
    let chosen: Vec<&str> = match target {
        None => known.iter().map(String::as_str).collect(),
        Some(name) if known.contains(name) => vec![name],
        Some(name) => {
            let known: Vec<_> = known.iter().map(String::as_str).collect();
            return Err(format!("no fuzz target {name:?}; there are {}", known.join(", ")));
        }
    };
    write_seeds()?;
    let built = build()?;
    let workers = thread::available_parallelism().map_or(1, NonZero::get);
    let waiting = Mutex::new(chosen.into_iter());
    let next = || waiting.lock().ok()?.next();
    // Each target runs even if an earlier one has found a failure.
    let work =
        || iter::from_fn(next).filter_map(|name| fuzz(&built, name, seconds).err()).collect();
    let found: Vec<String> = thread::scope(|scope| {
        let all: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        all.into_iter()
            .flat_map(|it| it.join().unwrap_or_else(|_| vec!["a thread panicked".into()]))
            .collect()
    });
    if found.is_empty() { Ok(()) } else { Err(found.join("\n")) }
}

/// Writes `fuzz/seeds`.
fn write_seeds() -> Result {
    let example =
        ["run", "--quiet", "--no-default-features", "--example", "seeds", "--manifest-path"];
    execute(cargo(example).arg(folder().join("Cargo.toml")))
}

/// Runs every seed and every regression once, without libFuzzer.
pub(crate) fn replay() -> Result {
    let manifest = folder().join("Cargo.toml");
    execute(cargo(["test", "--no-default-features", "--manifest-path"]).arg(manifest))
}

fn folder() -> PathBuf {
    root().join("fuzz")
}

fn targets() -> Result<BTreeSet<String>> {
    let path = folder().join("fuzz_targets");
    let files = disk::entries(&path)?;
    let names = files.iter().filter_map(|file| file.file_stem());
    Ok(names.map(|name| name.to_string_lossy().into_owned()).collect())
}

/// Builds every target and returns the folder of the programs.
fn build() -> Result<PathBuf> {
    let host = host()?;
    let manifest = folder().join("Cargo.toml");
    let mut command = cargo(["build", "--release", "--bins", "--manifest-path"]);
    // With `--target`, even if it names the host, the flags do not apply to build scripts and
    // procedural macros, which would not link with them.
    command.arg(manifest).args(["--target", &host]);
    execute(command.env("RUSTFLAGS", INSTRUMENTATION.join(" ")))?;
    Ok(target_dir().join(host).join("release"))
}

fn fuzz(built: &Path, name: &str, seconds: u64) -> Result {
    let file = |kind: &str| folder().join(kind).join(name);
    let (corpus, artifacts) = (file("corpus"), file("artifacts"));
    let log = target_dir().join(format!("fuzz-{name}.log"));
    for folder in [&corpus, &artifacts] {
        disk::create_folder(folder)?;
    }
    let log_file = File::create(&log).map_err(disk::at(&log))?;
    let prefix = |word: &str, path: &Path, end: &str| {
        let mut word = OsString::from(word);
        word.push(path);
        word.push(end);
        word
    };
    println!("{name}: {seconds} s; log of libFuzzer: {}", log.display());
    let mut command = program(&built.join(name).to_string_lossy(), [&corpus, &file("seeds")]);
    command.args([
        format!("-max_total_time={seconds}"),
        format!("-max_len={LONGEST_INPUT}"),
        "-print_final_stats=1".to_owned(),
    ]);
    command.arg(prefix("-dict=", &file("dictionaries").with_extension("dict"), ""));
    command.arg(prefix("-artifact_prefix=", &artifacts, "/"));
    let status = command.stderr(log_file).status().map_err(|error| format!("{name}: {error}"))?;
    let log_text = disk::read_bytes(&log)?;
    let log_text = String::from_utf8_lossy(&log_text);
    if !status.success() {
        let found =
            log_text.lines().rev().find(|line| line.contains(&*artifacts.to_string_lossy()));
        return Err(format!("{name}: {}", found.unwrap_or("failed; see the log")));
    }
    let inputs = stat(&log_text, "number_of_executed_units").filter(|&inputs| inputs > 0);
    let inputs =
        inputs.ok_or_else(|| format!("{name}: no input was run; see {}", log.display()))?;
    println!("{name}: {inputs} inputs, nothing found");
    Ok(())
}

/// A figure of libFuzzer's final statistics.
fn stat(log_text: &str, name: &str) -> Option<u64> {
    let value =
        log_text.lines().rev().find_map(|line| line.strip_prefix("stat::")?.strip_prefix(name))?;
    value.strip_prefix(':')?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statistics_are_read_from_the_log() {
        let said = "Done\nstat::number_of_executed_units: 1234\nstat::peak_rss_mb: 56\n";
        assert_eq!(stat(said, "number_of_executed_units"), Some(1234));
        assert_eq!(stat(said, "peak_rss_mb"), Some(56));
        assert_eq!(stat(said, "peak"), None);
    }
}
