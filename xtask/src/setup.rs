//! What tests need beside Rust: looking for it, and installing it when asked.

use std::env;

use crate::shell::{Result, cargo, execute, program, root, rustup_cargo, succeeds};

/// Something a test needs that the project does not bring.
pub(crate) struct Need {
    name: &'static str,
    why: &'static str,
    is_there: fn() -> bool,
    /// `None`: `--setup` leaves it to you, and CI passes without it.
    install: Option<fn() -> Result>,
}

const NEEDS: &[Need] = &[
    Need {
        name: "Perl's WWW::RobotRules (Debian: libwww-robotrules-perl)",
        why: "the oracle for dialect orig1994",
        is_there: || succeeds(&mut program("perl", ["-MWWW::RobotRules", "-e1"])),
        install: Some(|| install_debian("libwww-robotrules-perl")),
    },
    Need {
        name: "pyftpdlib (Debian: python3-pyftpdlib)",
        why: "an FTP server that is not ours, for the client",
        // Debian's Python, which may not be the first on the path.
        is_there: || succeeds(&mut program("/usr/bin/python3", ["-c", "import pyftpdlib"])),
        install: Some(|| install_debian("python3-pyftpdlib")),
    },
    Need {
        name: "Rust targets thumbv7em-none-eabi and wasm32v1-none",
        why: "the engine builds without an operating system",
        is_there: || BARE_TARGETS.iter().all(|target| has_target(target)),
        install: Some(|| execute(program("rustup", ["target", "add"]).args(BARE_TARGETS))),
    },
    Need {
        name: "a C++ compiler",
        why: "the fuzzing engine is C++",
        is_there: has_cpp,
        install: Some(|| install_debian("g++")),
    },
    Need {
        name: "cargo-deny",
        why: "licences, banned versions and sources of dependencies, a step that CI too goes without; it \
              takes minutes to compile, so `cargo install --locked cargo-deny` is left to you",
        is_there: has_deny,
        install: None,
    },
    Need {
        name: "Miri, of the nightly toolchain",
        why: "policies and what takes octets for numbers, on a big-endian machine and on one of 32 bits",
        is_there: has_miri,
        install: Some(install_miri),
    },
    Need {
        name: "Valgrind",
        why: "instructions of hot paths are counted",
        is_there: || !cfg!(target_os = "linux") || has_valgrind(),
        install: Some(|| install_debian("valgrind")),
    },
    Need {
        name: "gungraun-runner",
        why: "instructions of hot paths are counted; it takes minutes to compile",
        is_there: || !cfg!(target_os = "linux") || has_gungraun(),
        install: Some(|| {
            execute(&mut cargo(["install", "--locked", "gungraun-runner", "--version", GUNGRAUN]))
        }),
    },
    Need {
        name: "strace",
        why: "the store on disk under calls that fail",
        is_there: || !cfg!(target_os = "linux") || succeeds(&mut program("strace", ["-V"])),
        install: Some(|| install_debian("strace")),
    },
    Need {
        name: "faketime (Debian: faketime)",
        why: "the program in outages that last for months, under a clock that the tests set",
        is_there: || {
            !cfg!(target_os = "linux") || succeeds(&mut program("faketime", ["--version"]))
        },
        install: Some(|| install_debian("faketime")),
    },
    Need {
        name: "nginx (Debian: nginx-light)",
        why: "the program in outages of a web server that is not ours",
        is_there: || !cfg!(target_os = "linux") || has_nginx(),
        install: Some(|| install_debian("nginx-light")),
    },
    Need {
        name: "tinyproxy (Debian: tinyproxy-bin)",
        why: "the program through a proxy that is not ours",
        is_there: || !cfg!(target_os = "linux") || succeeds(&mut program("tinyproxy", ["-v"])),
        install: Some(|| install_debian("tinyproxy-bin")),
    },
    Need {
        name: "the corpus and golden answers in ../shared",
        why: "423,100 answers of Google's library, and the vectors of the semantic reference",
        is_there: || root().join("../shared/golden").is_dir(),
        install: None,
    },
];

/// The version of Gungraun's runner, which wants that of the library in `bench/Cargo.toml`.
pub(crate) const GUNGRAUN: &str = "0.20.0";

/// Targets without an operating system.
pub(crate) const BARE_TARGETS: [&str; 2] = ["thumbv7em-none-eabi", "wasm32v1-none"];

/// Installs what is missing and can be installed, saying what and why first.
pub(crate) fn install() -> Result {
    let missing: Vec<_> = missing().filter(|need| need.install.is_some()).collect();
    if missing.is_empty() {
        println!("setup: nothing to install");
        return Ok(());
    }
    println!("setup: to be installed, for tests only:");
    for need in &missing {
        println!("  {}: {}", need.name, need.why);
    }
    missing.iter().filter_map(|need| need.install).try_for_each(|install| install())
}

/// Says what is missing and which tests are skipped for it.
///
/// # Errors
///
/// When `CI` is set and something is missing that could have been installed.
pub(crate) fn report() -> Result {
    let mut installable = 0;
    for need in missing() {
        println!("MISSING: {}; SKIPPED: {}", need.name, need.why);
        installable += usize::from(need.install.is_some());
    }
    if installable > 0 && env::var_os("CI").is_some() {
        return Err("CI skips nothing that can be installed: run `cargo xtask test --setup`".into());
    }
    Ok(())
}

/// Whether a bare target is installed.
pub(crate) fn has_target(target: &str) -> bool {
    let command = &mut program("rustc", ["--print", "target-libdir", "--target", target]);
    crate::shell::output(command).is_ok_and(|folder| {
        !folder.trim().is_empty() && std::path::Path::new(folder.trim()).is_dir()
    })
}

/// Whether there is a C++ compiler.
pub(crate) fn has_cpp() -> bool {
    succeeds(&mut program("c++", ["--version"]))
}

/// Whether there is Miri.
pub(crate) fn has_miri() -> bool {
    succeeds(&mut rustup_cargo(["+nightly", "miri", "--version"]))
}

/// Whether there is Valgrind.
pub(crate) fn has_valgrind() -> bool {
    succeeds(&mut program("valgrind", ["--version"]))
}

/// Whether there is Gungraun's runner, in the version of the library.
pub(crate) fn has_gungraun() -> bool {
    let told = crate::shell::output(&mut program("gungraun-runner", ["--version"]));
    told.is_ok_and(|told| told.split_whitespace().any(|word| word == GUNGRAUN))
}

/// Whether there is cargo-deny.
pub(crate) fn has_deny() -> bool {
    succeeds(&mut cargo(["deny", "--version"]))
}

/// Whether there is nginx, which Debian installs outside the path of ordinary users.
fn has_nginx() -> bool {
    ["nginx", "/usr/sbin/nginx"].iter().any(|name| succeeds(&mut program(name, ["-v"])))
}

fn missing() -> impl Iterator<Item = &'static Need> {
    NEEDS.iter().filter(|need| !(need.is_there)())
}

fn install_miri() -> Result {
    let components = ["component", "add", "--toolchain", "nightly", "miri", "rust-src"];
    // A toolchain that is there is left as it is.
    if succeeds(&mut program("rustup", components)) {
        return Ok(());
    }
    let toolchain = ["toolchain", "install", "nightly", "--profile", "minimal"];
    execute(program("rustup", toolchain).args(["--component", "miri", "--component", "rust-src"]))
}

fn install_debian(package: &str) -> Result {
    let as_root = |arguments: &[&str]| {
        let is_root = succeeds(&mut program("sh", ["-c", "test $(id -u) -eq 0"]));
        let mut command = if is_root {
            program("apt-get", arguments)
        } else {
            program("sudo", ["apt-get"].iter().chain(arguments))
        };
        execute(command.env("DEBIAN_FRONTEND", "noninteractive"))
    };
    as_root(&["update", "--quiet"])?;
    as_root(&["install", "--yes", "--quiet", "--no-install-recommends", package])
}
