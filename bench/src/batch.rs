//! The program: `verger check --batch` over all files, JSON Lines in and out.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;
use std::{env, fs};

use serde_json::json;

use crate::Result;
use crate::set::Set;
use crate::statistics::median;

/// Number of runs; the result is the median.
const RUNS: usize = 5;

/// Verdicts per second.
#[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
pub(crate) fn of(set: &Set, program: Option<&Path>) -> Result<f64> {
    let program = program.map(Path::to_path_buf).map_or_else(beside, Ok)?;
    let folder = env::temp_dir().join(format!("verger-bench-batch-{}", std::process::id()));
    let done = write(set, &folder).and_then(|()| {
        let runs = (0..RUNS).map(|_| once(&program, &folder)).collect::<Result<Vec<_>>>()?;
        Ok(set.questions() as f64 / median(&runs))
    });
    drop(fs::remove_dir_all(&folder));
    done
}

/// The program in the folder of this one.
fn beside() -> Result<PathBuf> {
    let here = env::current_exe().map_err(|error| error.to_string())?;
    let program = here.with_file_name("verger").with_extension(env::consts::EXE_EXTENSION);
    if program.is_file() {
        return Ok(program);
    }
    let hint = "hint: `cargo build --release`, or name it with `--program`";
    Err(format!("expected the program verger at {}; {hint}", program.display()))
}

/// A file for each site, and a line for each file.
fn write(set: &Set, folder: &Path) -> Result {
    let message = |error: std::io::Error| format!("{}: {error}", folder.display());
    fs::create_dir_all(folder).map_err(message)?;
    let mut lines = String::new();
    for (number, site) in set.sites.iter().enumerate() {
        let name = format!("{number}.txt");
        fs::write(folder.join(&name), &site.bytes).map_err(message)?;
        let urls: Vec<&str> = site.questions.iter().map(|one| &*one.url).collect();
        let line = json!({ "robots_file": name, "agent": set.agent, "urls": urls });
        // Writing to a string cannot fail.
        let _ = writeln!(lines, "{line}");
    }
    fs::write(folder.join("batch.jsonl"), lines).map_err(message)
}

/// Seconds from start to end.
fn once(program: &Path, folder: &Path) -> Result<f64> {
    let mut command = Command::new(program);
    command.args(["check", "--batch", "batch.jsonl"]).current_dir(folder);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let start = Instant::now();
    let status = command.status().map_err(|error| format!("{}: {error}", program.display()))?;
    let seconds = start.elapsed().as_secs_f64();
    // 1: at least one URL is disallowed.
    if matches!(status.code(), Some(0 | 1)) {
        Ok(seconds)
    } else {
        Err(format!("verger failed ({status})"))
    }
}
