//! The default suite: tests whether the software works, in at most ten minutes on two cores.
//!
//! Code is compiled once for clippy and rustdoc, and once for the tests. Later steps run programs
//! that the tests have built.

use super::Step;
use crate::setup::{
    CC, FAKETIME, NGINX, PERL, PYFTPDLIB, PYTEST, PYTHON, REDIS, SHARED, STRACE, TINYPROXY, WASM,
};
use crate::shell::{OTHER_WORKSPACES, Result, cargo, execute, root};
use crate::{capi, checks, generate, npm, python, tidy};

pub(super) const STEPS: &[Step] = &[
    Step::new("format", |_| format()),
    Step::new("tidy", |_| tidy::run()),
    Step::new("lints", |_| lints()),
    Step::new("documentation", |_| documentation()),
    Step {
        uses: &[
            &PERL, &PYTHON, &PYFTPDLIB, &STRACE, &FAKETIME, &NGINX, &TINYPROXY, &REDIS, &SHARED,
        ],
        ..Step::new("tests", |_| tests())
    },
    Step::new("conformance", |_| checks::conformance()),
    Step::new("generated-files", |_| generate::run(true)),
    Step { needs: &[&PYTEST], ..Step::new("python", |_| python::test_engine()) },
    Step { uses: &[&CC], ..Step::new("c-library", |_| capi::test()) },
    Step { needs: &[&WASM], ..Step::new("wasm", |_| npm::check()) },
];

fn format() -> Result {
    execute(&mut cargo(["fmt", "--all", "--check"]))?;
    for workspace in OTHER_WORKSPACES {
        let manifest = root().join(workspace).join("Cargo.toml");
        execute(cargo(["fmt", "--all", "--check", "--manifest-path"]).arg(manifest))?;
    }
    Ok(())
}

fn lints() -> Result {
    let deny = ["--", "-D", "warnings"];
    execute(cargo(["clippy", "--workspace", "--all-targets", "--all-features"]).args(deny))
}

fn documentation() -> Result {
    let mut command = cargo(["doc", "--workspace", "--no-deps", "--all-features"]);
    execute(command.env("RUSTDOCFLAGS", "-D warnings"))
}

/// Unit, integration and doc tests. Continues after a failed test.
fn tests() -> Result {
    let mut command = cargo(["test", "--workspace", "--all-features", "--no-fail-fast"]);
    // The slowest tests wait for deadlines and delays, so more of them than cores run at a time.
    execute(command.args(["--", "--test-threads", "4"]))
}
