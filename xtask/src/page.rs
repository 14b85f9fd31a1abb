//! `cargo xtask page`: tests of the page of `verger-serve`, of the example workers, and of the page
//! of `verger audit`.

use crate::playground;
use crate::setup::{CHROMIUM, PYTHON, REDIS, with_chromium};
use crate::shell::{Result, cargo, executable, execute, program, root, target_dir};

/// Builds the programs, drives their pages in Chromium, and runs the workers of `examples/workers`.
pub(crate) fn test() -> Result {
    CHROMIUM.require()?;
    PYTHON.require()?;
    REDIS.require()?;
    execute(&mut cargo(["build", "--locked", "--package", "verger-server"]))?;
    let peers = playground::peers()?;
    let mut tests = program("node", ["--test", "--test-concurrency=1"]);
    tests.args(["crates/verger-server/page/service-tests/", "examples/workers/"]);
    tests.env("VERGER_SERVE", executable(&target_dir().join("debug/verger-serve")));
    tests.env("VERGER_PEERS", peers.folder());
    tests.env("VERGER_PICTURES", target_dir().join("page-pictures"));
    execute(with_chromium(tests.current_dir(root())))?;
    execute(&mut cargo(["build", "--locked", "--package", "verger-cli"]))?;
    let mut tests = program("node", ["--test", "crates/verger-cli/tests/page/"]);
    tests.env("VERGER", executable(&target_dir().join("debug/verger")));
    tests.env("VERGER_PEERS", peers.folder());
    tests.env("VERGER_PICTURES", target_dir().join("page-pictures"));
    execute(with_chromium(tests.current_dir(root())))
}
