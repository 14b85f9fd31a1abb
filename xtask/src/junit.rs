//! Validation of `verger test --format junit` by an independent reader, junitparser from `PyPI`.

use crate::disk;
use crate::python::Environment;
use crate::shell::{Built, Result, execute, root, target_dir};

/// The reader.
const READER: &str = "junitparser==5.0.3";

/// Reads the results of the tests in the folder of fixtures, of which two of three fail.
const CHECK: &str = "\
import sys, junitparser
[suite] = junitparser.JUnitXml.fromfile(sys.argv[1])
cases = list(suite)
assert (suite.tests, suite.failures, suite.errors) == (3, 2, 0), suite
assert [case.classname for case in cases] == ['*', 'Bingbot', 'GPTBot'], cases
assert [case.is_passed for case in cases] == [False, True, False], cases
assert all(result.message for case in cases for result in case.result), cases
";

/// Runs tests with the program, and reads the results.
pub(crate) fn run() -> Result {
    let environment = Environment::new(target_dir().join("junit-env"));
    environment.install([READER])?;
    let mut program = std::process::Command::new(Built::by_tests()?.verger());
    program.args(["test", "--format", "junit"]);
    program.current_dir(root().join("crates/verger-cli/tests/cmd/fixtures"));
    // Two tests fail, so the exit code is 1.
    let output = program.output().map_err(|error| format!("could not run verger: {error}"))?;
    if output.status.code() != Some(1) {
        return Err(format!("expected exit code 1, but found {}", output.status));
    }
    let path = target_dir().join("junit.xml");
    disk::write(&path, &output.stdout)?;
    execute(environment.python(["-c", CHECK]).arg(&path))
}
