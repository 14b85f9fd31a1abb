//! Tests of the built package.

use super::{built, package};
use crate::shell::{Result, execute, program};

/// Runs the tests.
pub(crate) fn test() -> Result {
    let mut tests = program("node", ["--test", "tests/"]);
    execute(tests.current_dir(package()).env("VERGER_PACKAGE", built()))
}
