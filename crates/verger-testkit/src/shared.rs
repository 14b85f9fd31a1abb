//! The data folder beside the project, and reports of tests that cannot run.
//!
//! Large data that does not belong in the repository is in `../shared`. It is not needed for
//! building. A test that needs absent data reports that and does nothing else.

use std::io::Write as _;
use std::path::{Path, PathBuf};

/// The path of a file or folder in the shared folder, if it exists.
pub fn shared(relative: &str) -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let path = folder.join(relative);
    path.exists().then(|| path.canonicalize().unwrap_or(path))
}

/// A missing requirement of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lacking {
    /// Data that cannot be installed.
    Data,
    /// A tool that can be installed, so its absence is a failure if the environment variable `CI`
    /// is set and `VERGER_SKIP_MISSING_TOOLS` is not.
    Tool,
}

/// Reports on standard error, bypassing the capture of the test harness, that a test is not run.
///
/// # Panics
///
/// If a tool is missing, and the environment variable `CI` is set and `VERGER_SKIP_MISSING_TOOLS`
/// is not. The latter is for CI on systems without Debian's packages.
pub fn skip_loudly(what: &str, lacking: Lacking, why: &str) {
    say(&format!("SKIPPED {what}: {why}"));
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let must_run = is_set("CI") && !is_set("VERGER_SKIP_MISSING_TOOLS");
    assert!(may_skip(lacking, must_run), "expected to run {what}, but {why}");
}

fn may_skip(lacking: Lacking, must_run: bool) -> bool {
    lacking == Lacking::Data || !must_run
}

/// Prints a line about a test on standard error, bypassing the capture of the test harness.
pub fn say(line: &str) {
    // The test does not depend on this line.
    drop(writeln!(std::io::stderr().lock(), "{line}"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absent_data_is_none() {
        assert_eq!(shared("no/such/thing"), None);
    }

    #[test]
    fn absence_is_a_failure_only_for_a_tool_and_if_tests_must_run() {
        assert!(may_skip(Lacking::Data, true) && may_skip(Lacking::Data, false));
        assert!(may_skip(Lacking::Tool, false) && !may_skip(Lacking::Tool, true));
    }
}
