//! Everything CI runs, in one command.

use std::time::Instant;

use crate::shell::{Result, cargo, execute, root};
use crate::{conformance, counts, fuzz, generate, miri, setup, tidy};

/// A step of the test, by name.
type Step = (&'static str, fn() -> Result);

const STEPS: &[Step] = &[
    ("format", format),
    ("tidy", tidy::run),
    ("lints", lints),
    ("dependencies", dependencies),
    ("documentation", documentation),
    ("engine without an operating system", bare_targets),
    ("tests", tests),
    ("conformance", conformance::run),
    ("generated files", || generate::run(true)),
    ("machines of another kind", miri::run),
    ("instructions", || counts::run(false)),
    ("fuzz", fuzz::test),
    ("benchmark", benchmark),
];

/// Runs every step; stops at the first that fails.
pub(crate) fn run_steps() -> Result {
    let start = Instant::now();
    for (name, step) in STEPS {
        println!("\n== {name}");
        let start = Instant::now();
        step().map_err(|error| format!("{name}: {error}"))?;
        println!("== {name}: ok ({} s)", start.elapsed().as_secs());
    }
    println!("\nall steps passed in {} s", start.elapsed().as_secs());
    Ok(())
}

/// `cargo xtask test`.
pub(crate) fn run(with_setup: bool) -> Result {
    if with_setup {
        setup::install()?;
    }
    setup::report()?;
    run_steps()?;
    // Said again where it is read.
    setup::report()
}

fn format() -> Result {
    execute(&mut cargo(["fmt", "--all", "--check"]))?;
    for workspace in ["fuzz", "bench", "examples/reqwest_crawler"] {
        let manifest = root().join(workspace).join("Cargo.toml");
        execute(cargo(["fmt", "--all", "--check", "--manifest-path"]).arg(manifest))?;
    }
    Ok(())
}

fn lints() -> Result {
    let deny = ["--", "-D", "warnings"];
    execute(cargo(["clippy", "--workspace", "--all-targets", "--all-features"]).args(deny))?;
    execute(cargo(["clippy", "--package", "verger", "--all-targets"]).args(deny))?;
    execute(cargo(["clippy", "--package", "verger-page", "--all-targets"]).args(deny))?;
    let bare = ["clippy", "--package", "verger-fetch", "--no-default-features", "--all-targets"];
    execute(cargo(bare).args(deny))?;
    for (workspace, features) in [
        ("fuzz", "--no-default-features"),
        ("bench", "--all-features"),
        ("examples/reqwest_crawler", "--all-features"),
    ] {
        let manifest = root().join(workspace).join("Cargo.toml");
        let mut command = cargo(["clippy", "--all-targets", features, "--manifest-path"]);
        execute(command.arg(manifest).args(deny))?;
    }
    Ok(())
}

/// What `deny.toml` allows in.
fn dependencies() -> Result {
    if !setup::has_deny() {
        println!("SKIPPED: cargo-deny is not installed");
        return Ok(());
    }
    // It reads the crates of every platform; the build has fetched those of this one.
    if let Err(error) = execute(&mut cargo(["fetch", "--locked"])) {
        println!("SKIPPED: {error}");
        return Ok(());
    }
    execute(&mut cargo(["deny", "--offline", "check", "licenses", "bans", "sources"]))
}

fn documentation() -> Result {
    let mut command = cargo(["doc", "--workspace", "--no-deps", "--all-features"]);
    execute(command.args(["--document-private-items"]).env("RUSTDOCFLAGS", "-D warnings"))
}

fn bare_targets() -> Result {
    for target in setup::BARE_TARGETS {
        if !setup::has_target(target) {
            println!("SKIPPED: {target} is not installed");
            continue;
        }
        execute(&mut cargo(["build", "--package", "verger", "--target", target]))?;
        let features = ["--features", "simd"];
        execute(cargo(["build", "--package", "verger", "--target", target]).args(features))?;
    }
    Ok(())
}

fn tests() -> Result {
    execute(&mut cargo(["test", "--workspace", "--all-features"]))?;
    // Without simd and url: a feature adds API and never changes an answer.
    execute(&mut cargo(["test", "--package", "verger"]))?;
    // Without html.
    execute(&mut cargo(["test", "--package", "verger-page"]))?;
    // Without ftp, html and http2.
    let bare = ["test", "--package", "verger-fetch", "--no-default-features", "--lib"];
    execute(cargo(bare).args(["--test", "polite", "--test", "transport"]))
}

/// That it measures what it says, not how fast anything is. Without stores, which take minutes to compile.
fn benchmark() -> Result {
    let manifest = root().join("bench/Cargo.toml");
    let mut command =
        cargo(["test", "--no-default-features", "--features", "simd", "--manifest-path"]);
    execute(command.arg(manifest))
}
