//! Tests of the package as users install it, on every supported Python.

use std::ffi::OsString;
use std::path::Path;

use super::environment::{Environment, interpreter};
use super::{PYTEST, package, wheel};
use crate::shell::{Result, execute, target_dir};

/// The supported versions of Python; the tests run on those that are installed.
const VERSIONS: [&str; 4] = ["3.10", "3.11", "3.12", "3.13"];

/// Type checkers.
const CHECKERS: [&str; 2] = ["mypy>=2,<3", "pyright"];

/// Calls of the test of memory.
const CALLS: &str = "10000000";

/// Builds the wheel, and installs and tests it on each Python: the package's own tests, those of
/// the standard library, and on the last version those of Protego and Scrapy and the type checks.
pub(crate) fn test_wheel() -> Result {
    let wheel = wheel(None, false)?;
    let found = VERSIONS.map(|version| (version, interpreter(version)));
    let mut last = None;
    for (version, python) in found {
        let Some(python) = python else {
            println!("MISSING: Python {version}; SKIPPED: the wheel on Python {version}");
            continue;
        };
        let environment = Environment::with(python, target_dir().join(format!("python-{version}")));
        install(&environment, &wheel)?;
        execute(&mut environment.pytest())?;
        execute(environment.python(["-m", "peers.cpython"]).current_dir(package()))?;
        last = Some(environment);
    }
    let last = last.ok_or_else(|| format!("expected one of Python {}", VERSIONS.join(", ")))?;
    // The program in the wheel.
    execute(std::process::Command::new(last.tool("verger")).arg("--version"))?;
    for peer in ["peers.protego", "peers.scrapy"] {
        execute(last.python(["-m", peer]).current_dir(package()))?;
    }
    execute(last.pytest().arg("tests/test_memory.py").env("VERGER_CALLS", CALLS))?;
    last.install(CHECKERS)?;
    let sources = package().join("python/verger");
    execute(last.python(["-m", "mypy", "--strict"]).arg(&sources))?;
    execute(last.python(["-m", "pyright", "--pythonpath"]).arg(last.tool("python")).arg(&sources))
}

/// Installs the wheel, also over another one of the same version, and what its tests need.
fn install(environment: &Environment, wheel: &Path) -> Result {
    let requirements = package().join("peers/requirements.txt");
    environment.install([OsString::from(PYTEST), "--requirement".into(), requirements.into()])?;
    environment.install([
        "--force-reinstall".into(),
        "--no-deps".into(),
        wheel.as_os_str().to_owned(),
    ])
}
