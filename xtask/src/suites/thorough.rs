//! The additional steps of the thorough suite.

use super::Step;
use crate::api::LIBRARIES;
use crate::arguments::Arguments;
use crate::features::{Set, sets};
use crate::python::Environment;
use crate::setup::{
    APACHE, BARE, BARE_TARGETS, CADDY, CARGO_C, CBINDGEN, CHROMIUM, CPP, DENY, FAKETIME, GO,
    GUNGRAUN, HAPROXY, JAVA, JAVAC, JRE, MDBOOK, MIRI, NEOVIM, NGINX, NODE, PKG_CONFIG, PUBLIC_API,
    PYFTPDLIB, PYTEST, PYTHON, REDIS, RUST_SOURCE, SEMVER_CHECKS, SHARED, STRACE, TINYPROXY,
    VALGRIND, VARNISH, WASM, WASM_BINDGEN,
};
use crate::shell::{OTHER_WORKSPACES, Result, cargo, execute, root, target_dir, workspace_tests};
use crate::{
    api, bench, book, capi, checks, columns, disk, fuzz, histories, junit, lint_formats, lsp, npm,
    page, playground, python, service,
};

pub(super) const STEPS: &[Step] = &[
    Step::new("documentation", |_| documentation()),
    Step::new("feature-lints", |_| feature_lints()),
    Step::new("crates-alone", |_| crates_alone()),
    Step::new("feature-tests", |_| feature_tests()),
    Step::new("other-lints", |_| other_lints()),
    Step { needs: &[&BARE], ..Step::new("bare-targets", |_| bare_targets()) },
    Step { needs: &[&DENY], ..Step::new("licences", |_| licences()) },
    Step { needs: &[&NODE], ..Step::new("javascript-lints", |_| npm::lint(false)) },
    Step { needs: &[&NODE], ..Step::new("workflows", |_| checks::workflows()) },
    Step { needs: &[&NODE], uses: &[&SHARED], ..Step::new("lighthouse", |_| checks::lighthouse()) },
    Step {
        needs: &[&MDBOOK, &NODE, &WASM, &RUST_SOURCE, &WASM_BINDGEN],
        ..Step::new("book", |_| book::run())
    },
    Step { needs: &[&CBINDGEN], ..Step::new("c-header", |_| capi::header(false)) },
    Step {
        needs: &[&CARGO_C, &PKG_CONFIG, &GO, &JAVA, &JAVAC],
        ..Step::new("c-languages", |_| capi::test_languages())
    },
    Step { needs: &[&VALGRIND, &MIRI], ..Step::new("c-memory", |_| capi::test_memory()) },
    Step { needs: &[&PYTEST, &NODE], ..Step::new("wheel", |_| python::test_wheel()) },
    Step {
        needs: &[&NODE, &WASM, &RUST_SOURCE, &WASM_BINDGEN],
        uses: &[&CHROMIUM],
        ..Step::new("npm", |_| npm::build().and_then(|()| npm::test()))
    },
    Step {
        needs: &[&NODE, &WASM, &RUST_SOURCE, &WASM_BINDGEN, &CHROMIUM],
        ..Step::new("playground", |_| playground::build().and_then(|()| playground::test()))
    },
    Step { needs: &[&NODE, &CHROMIUM, &PYTHON, &REDIS], ..Step::new("page", |_| page::test()) },
    Step { needs: &[&PYTEST], uses: &[&SHARED, &JRE], ..Step::new("columns", |_| columns::test()) },
    Step { needs: &[&PYTHON], ..Step::new("junit", |_| junit::run()) },
    Step { needs: &[&PYTHON], ..Step::new("service", |_| service::run()) },
    Step { needs: &[&PUBLIC_API], ..Step::new("api", |_| api::listings(false)) },
    Step { needs: &[&SEMVER_CHECKS], ..Step::new("compatibility", |_| api::compatibility()) },
    Step {
        needs: &[&PYTHON, &NODE],
        uses: &[&NGINX, &APACHE, &HAPROXY, &CADDY],
        ..Step::new("identity", |_| checks::identity())
    },
    Step { needs: &[&PYTHON, &NODE], ..Step::new("mcp", |_| checks::mcp()) },
    Step {
        needs: &[&PYTHON],
        uses: &[&NGINX, &APACHE, &HAPROXY, &CADDY, &FAKETIME],
        ..Step::new("audit", |_| checks::audit())
    },
    Step { needs: &[&PYTHON, &NODE], ..Step::new("lint-formats", |_| lint_formats::run()) },
    Step { needs: &[&PYTHON, &NODE], uses: &[&NEOVIM], ..Step::new("lsp", |_| lsp::run()) },
    Step::new("benchmark", |_| benchmark()),
    Step { needs: &[&SHARED], ..Step::new("floors", |_| bench::floors()) },
    Step { needs: &[&VALGRIND, &GUNGRAUN], ..Step::new("instructions", |_| checks::counts(false)) },
    Step { needs: &[&MIRI], ..Step::new("miri", |_| checks::miri()) },
    Step::new("fuzz-seeds", |_| fuzz::replay()),
    Step { needs: &[&CPP], ..Step::new("fuzz", fuzz_all) },
    Step {
        uses: &[
            &PYFTPDLIB, &STRACE, &FAKETIME, &NGINX, &APACHE, &HAPROXY, &CADDY, &VARNISH,
            &TINYPROXY, &REDIS, &SHARED, &PYTHON,
        ],
        ..Step::new("all-tests", |_| all_tests())
    },
    Step::new("histories", |_| histories::run(histories::COUNT, None)),
    Step { uses: &[&STRACE], ..Step::new("kills", |_| checks::kills(checks::KILLS)) },
    Step { needs: &[&REDIS], uses: &[&FAKETIME], ..Step::new("fleet", |_| checks::fleet()) },
    Step::new("load", |_| checks::load(checks::LOAD_MINUTES)),
    Step::new("soak", |_| checks::soak(checks::SOAK_SECONDS, None)),
];

/// Seconds for each fuzz target.
const FUZZ_SECONDS: u64 = 120;

/// Number of generated cases, as a multiple of the default suite's.
const CASES: &str = "50";

const DENY_WARNINGS: [&str; 3] = ["--", "-D", "warnings"];

/// The documentation of public items alone, where a link to a private item is an error, and of all;
/// its examples.
fn documentation() -> Result {
    for items in [None, Some("--document-private-items")] {
        let mut command = cargo(["doc", "--workspace", "--no-deps", "--all-features"]);
        execute(command.args(items).env("RUSTDOCFLAGS", "-D warnings"))?;
    }
    execute(&mut workspace_tests(["--doc", "--no-fail-fast"]))
}

/// Lints every library with no feature, each one alone, and all.
fn feature_lints() -> Result {
    for library in LIBRARIES {
        for set in sets(library)? {
            let mut command = cargo(["clippy", "--package", library, "--all-targets"]);
            execute(command.args(set.arguments()).args(DENY_WARNINGS))?;
        }
    }
    Ok(())
}

/// Compiles every crate by itself. A build of the workspace, and tests with their dependencies, would
/// hide that a crate lacks a feature of a dependency.
fn crates_alone() -> Result {
    for folder in disk::entries(&root().join("crates"))? {
        let package = folder.file_name().unwrap_or_default().to_string_lossy();
        for set in sets(&package)? {
            execute(cargo(["check", "--package", &package]).args(set.arguments()))?;
        }
    }
    Ok(())
}

/// Tests every library with no feature and with each one alone; the default suite tests all
/// features.
fn feature_tests() -> Result {
    for library in LIBRARIES {
        for set in sets(library)?.into_iter().filter(|set| *set != Set::All) {
            let mut command = cargo(["test", "--package", library]);
            command.args(set.arguments());
            if library == "verger-fetch" {
                // A single feature changes little there, and the tests take minutes to compile.
                command.arg("--lib");
                if set == Set::None {
                    command.args(["--test", "fetch"]);
                }
            }
            execute(&mut command)?;
        }
    }
    Ok(())
}

fn other_lints() -> Result {
    for workspace in OTHER_WORKSPACES {
        // libFuzzer needs a C++ compiler.
        let features = if workspace == "fuzz" { "--no-default-features" } else { "--all-features" };
        let manifest = root().join(workspace).join("Cargo.toml");
        let mut command = cargo(["clippy", "--all-targets", features, "--manifest-path"]);
        execute(command.arg(manifest).args(DENY_WARNINGS))?;
    }
    Ok(())
}

fn fuzz_all(given: &Arguments) -> Result {
    fuzz::run(None, given.number("fuzz-seconds")?.unwrap_or(FUZZ_SECONDS))
}

/// Evaluates policies of Anubis, with RE2 as Anubis has it.
const CEL: &str = "cel-python==0.5.0";

/// The tests of the default suite with many generated cases, and those that it ignores: with web
/// servers, Redis and other programs.
fn all_tests() -> Result {
    let mut command = workspace_tests(["--tests", "--no-fail-fast"]);
    command.args(["--", "--include-ignored", "--test-threads", "4"]);
    if PYTHON.is_there() {
        let cel = Environment::new(target_dir().join("cel-env"));
        cel.install([CEL])?;
        command.env("VERGER_CEL", cel.tool("python"));
    }
    execute(command.env("VERGER_CASES", CASES))
}

fn bare_targets() -> Result {
    for target in BARE_TARGETS {
        execute(&mut cargo(["build", "--package", "verger", "--target", target]))?;
        let features = ["--features", "simd"];
        execute(cargo(["build", "--package", "verger", "--target", target]).args(features))?;
    }
    Ok(())
}

/// Workspaces of published packages.
const PUBLISHED: [&str; 5] = ["", "bindings/c", "bindings/python", "bindings/wasm", "integrations"];

/// Checks dependencies of published packages against `deny.toml`.
fn licences() -> Result {
    let rules = root().join("deny.toml");
    for workspace in PUBLISHED {
        let manifest = root().join(workspace).join("Cargo.toml");
        // It reads the crates of every platform; the build downloads only those of this one.
        execute(cargo(["fetch", "--locked", "--manifest-path"]).arg(&manifest))?;
        let mut deny = cargo(["deny", "--offline", "--manifest-path"]);
        deny.arg(&manifest).arg("--config").arg(&rules);
        execute(deny.args(["check", "licenses", "bans", "sources"]))?;
    }
    Ok(())
}

/// Runs the benchmark's tests without stores, which take minutes to compile.
fn benchmark() -> Result {
    let manifest = root().join("bench/Cargo.toml");
    let features = ["--no-default-features", "--features", "simd", "--manifest-path"];
    execute(cargo(["test"]).args(features).arg(manifest))
}
