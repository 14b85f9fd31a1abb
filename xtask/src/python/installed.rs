//! Tests of the package as users install it, on every supported Python.

use std::ffi::OsString;
use std::path::Path;

use super::environment::{Environment, interpreter};
use super::{PYTEST, package, wheel};
use crate::shell::{Result, cargo, executable, execute, target_dir};

/// The supported versions of Python; the tests run on those that are installed.
pub(crate) const VERSIONS: [&str; 5] = ["3.10", "3.11", "3.12", "3.13", "3.14"];

/// The linter and formatter, and type checkers.
const CHECKERS: [&str; 3] = ["ruff>=0.17,<0.18", "mypy>=2,<3", "pyright"];

/// The oldest Scrapy of the extra `scrapy` in `pyproject.toml`, and the last Twisted that it works
/// with.
const OLDEST_SCRAPY: [&str; 2] = ["scrapy==2.13.4", "twisted==25.5.0"];

/// Calls of the test of memory.
const CALLS: &str = "10000000";

/// Builds the wheel, and installs and tests it on each Python: the package's own tests, those of
/// the standard library, and on the last version those of Protego and Scrapy, and the checks of the
/// sources. On the first version, crawls run with the oldest Scrapy, too.
pub(crate) fn test_wheel() -> Result {
    let wheel = wheel(None, false)?;
    // Crawls ask it.
    execute(&mut cargo(["build", "--locked", "--package", "verger-server"]))?;
    let service = executable(&target_dir().join("debug").join("verger-serve"));
    let found = VERSIONS.map(|version| (version, interpreter(version)));
    let mut last: Option<Environment> = None;
    for (version, python) in found {
        let is_oldest = last.is_none();
        let Some(python) = python else {
            println!("MISSING: Python {version}; SKIPPED: the wheel on Python {version}");
            continue;
        };
        let environment = Environment::with(python, target_dir().join(format!("python-{version}")));
        install(&environment, &wheel)?;
        execute(environment.pytest().env("VERGER_CASES", "1").env("VERGER_SERVE", &service))?;
        execute(environment.python(["-m", "peers.cpython"]).current_dir(package()))?;
        if is_oldest {
            // Other tests of Scrapy replace parts of a newer version.
            environment.install(OLDEST_SCRAPY)?;
            let crawls = ["test_scrapy_crawl.py", "test_scrapy_waits.py", "test_scrapy_service.py"];
            let crawls = crawls.map(|name| format!("tests/test_scrapy/{name}"));
            execute(environment.pytest().args(crawls).env("VERGER_SERVE", &service))?;
            environment.install(["--upgrade".into(), "--requirement".into(), requirements()])?;
        }
        last = Some(environment);
    }
    let last = last.ok_or_else(|| format!("expected one of Python {}", VERSIONS.join(", ")))?;
    // The program in the wheel.
    execute(std::process::Command::new(last.tool("verger")).arg("--version"))?;
    for peer in ["peers.protego", "peers.scrapy"] {
        execute(last.python(["-m", peer]).current_dir(package()))?;
    }
    execute(last.pytest().arg("tests/test_memory.py").env("VERGER_CALLS", CALLS))?;
    check_sources(&last)
}

/// The formatter, the linter, the type checkers, and the comparison of the stub with the module.
fn check_sources(environment: &Environment) -> Result {
    environment.install(CHECKERS)?;
    let folders = ["python", "tests", "peers", "reference"];
    let python = |arguments: &[&str]| {
        let mut command = environment.python(["-m"]);
        command.args(arguments).current_dir(package());
        command
    };
    execute(python(&["ruff", "format", "--check"]).args(folders))?;
    execute(python(&["ruff", "check"]).args(folders))?;
    execute(&mut python(&["mypy", "python/verger", "tests", "peers", "reference"]))?;
    let stubtest = ["mypy.stubtest", "verger._verger", "--mypy-config-file", "pyproject.toml"];
    execute(&mut python(&stubtest))?;
    let interpreter = environment.tool("python");
    execute(python(&["pyright", "--pythonpath"]).arg(interpreter).arg("python/verger"))
}

/// Installs the wheel, also over another one of the same version, and what its tests need.
fn install(environment: &Environment, wheel: &Path) -> Result {
    environment.install([OsString::from(PYTEST), "--requirement".into(), requirements()])?;
    environment.install([
        "--force-reinstall".into(),
        "--no-deps".into(),
        wheel.as_os_str().to_owned(),
    ])
}

/// The file with the packages that tests of the whole package need.
fn requirements() -> OsString {
    package().join("peers/requirements.txt").into()
}
