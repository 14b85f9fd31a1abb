//! `cargo xtask columns`: the kernels over Arrow arrays, in Rust and in Python, and `verger bulk`.

use std::path::{Path, PathBuf};

use crate::disk;
use crate::notebook;
use crate::python::{Environment, VERSIONS, engine_package, interpreter, plain_wheel};
use crate::shell::{Result, cargo, executable, execute, root, target_dir};

/// Packages for the tests in Python. `DuckDB` needs numpy for functions.
const PACKAGES: [&str; 9] = [
    "pytest>=8,<10",
    "numpy",
    "pyarrow==26.0.1",
    "polars==2.1.0",
    "duckdb==2.0.0",
    "datafusion==55.0.0",
    "pyspark[connect]==4.3.0",
    // PySpark needs it, and not version 3.
    "pandas>=2.2,<3",
    "protego==0.7.0",
];

/// Packages for the archives of the tests of `verger bulk`, and for their server of S3.
const ARCHIVE_PACKAGES: [&str; 3] = ["warcio==1.8.1", "zstandard", "moto[server]>=5,<6"];

/// The linter and formatter, and type checkers.
const CHECKERS: [&str; 3] = ["ruff>=0.17,<0.18", "mypy>=2,<3", "pyright"];

/// The page of the benchmark.
const FIGURES: &str = "docs/columns-performance.md";

/// Tests the kernels in Rust, and the wheel of the Python package; executes the notebook.
pub(crate) fn test() -> Result {
    let manifest = root().join("integrations/Cargo.toml");
    execute(cargo(["test", "--workspace", "--manifest-path"]).arg(&manifest))?;
    let wheel = wheel(None, false)?;
    for version in VERSIONS {
        match interpreter(version) {
            Some(python) => use_on(&wheel, version, python)?,
            None => println!("MISSING: Python {version}; SKIPPED: the wheel on Python {version}"),
        }
    }
    let environment = installed(&wheel)?;
    // Answers are compared with those of the package `verger`.
    let mut tests = environment.python(["-m", "pytest", "-p", "no:cacheprovider", "-rs"]);
    tests.current_dir(package()).env("PYTHONDONTWRITEBYTECODE", "1");
    execute(tests.env("PYTHONPATH", engine_package()?).env("VERGER_BULK", bulk()))?;
    test_archives(&environment)?;
    notebook::test(&environment)?;
    check_sources(&environment)
}

/// Tests `verger bulk` on archives by another library, and on a server of S3.
fn test_archives(environment: &Environment) -> Result {
    environment.install(ARCHIVE_PACKAGES)?;
    let mut tests = environment.python(["-m", "pytest", "-p", "no:cacheprovider", "bulk/tests"]);
    tests.current_dir(root().join("integrations")).env("PYTHONDONTWRITEBYTECODE", "1");
    execute(tests.env("VERGER_BULK", bulk()))
}

/// The program `verger-bulk`, which the tests in Rust have built.
fn bulk() -> PathBuf {
    executable(&target_dir().join("debug/verger-bulk"))
}

/// Builds the wheel.
pub(crate) fn wheel(target: Option<&str>, with_zig: bool) -> Result<PathBuf> {
    plain_wheel(&package(), target, with_zig)
}

/// Measures the package and its peers, and writes the page; or `check_urls` in Spark on several
/// cores.
pub(crate) fn bench(cores: Option<&str>) -> Result {
    let build = ["build", "--release", "--no-default-features", "--features", "simd"];
    let mut build = cargo(build);
    build.args(["--bin", "verger-bench-rows", "--manifest-path"]);
    execute(build.arg(root().join("bench/Cargo.toml")))?;
    let loops = executable(&target_dir().join("release/verger-bench-rows"));
    let environment = installed(&wheel(None, false)?)?;
    let mut bench = environment.python(["-m", "bench", "--loops"]);
    bench.arg(loops).current_dir(package());
    match cores {
        Some(cores) => bench.args(["--cores", cores]),
        None => bench.arg("--write").arg(root().join(FIGURES)),
    };
    execute(bench.env("PYTHONDONTWRITEBYTECODE", "1"))
}

fn package() -> PathBuf {
    root().join("integrations/python")
}

/// An environment with the wheel, and with everything that its tests need.
fn installed(wheel: &Path) -> Result<Environment> {
    let environment = Environment::new(target_dir().join("arrow-env"));
    environment.install(PACKAGES)?;
    install(&environment, wheel)?;
    Ok(environment)
}

/// Installs the wheel, also over another one of the same version.
fn install(environment: &Environment, wheel: &Path) -> Result {
    environment.install(["--force-reinstall".as_ref(), "--no-deps".as_ref(), wheel.as_os_str()])
}

/// Uses the wheel on a version of Python.
fn use_on(wheel: &Path, version: &str, python: PathBuf) -> Result {
    let folder = target_dir().join(format!("arrow-env-{version}"));
    disk::remove_folder(&folder)?;
    let environment = Environment::with(python, folder);
    install(&environment, wheel)?;
    let program = "import verger_arrow as v; assert len(v.check('', 'ExampleBot', '/')) == 1";
    execute(&mut environment.python(["-c", program]))
}

/// The formatter, the linter, the type checkers, and the comparison of the stub with the module.
fn check_sources(environment: &Environment) -> Result {
    environment.install(CHECKERS)?;
    let folders = ["python", "tests", "bench", "../notebooks", "../../examples/spark"];
    let python = |arguments: &[&str]| {
        let mut command = environment.python(["-m"]);
        command.args(arguments).current_dir(package());
        command
    };
    execute(python(&["ruff", "format", "--check"]).args(folders))?;
    execute(python(&["ruff", "check"]).args(folders))?;
    execute(&mut python(&["mypy", "python/verger_arrow"]))?;
    let stubtest = ["mypy.stubtest", "verger_arrow._verger_arrow"];
    execute(python(&stubtest).args(["--mypy-config-file", "pyproject.toml"]))?;
    let interpreter = environment.tool("python");
    execute(python(&["pyright", "--pythonpath"]).arg(interpreter).arg("python/verger_arrow"))
}
