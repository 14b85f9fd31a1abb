//! The language server with independent clients: pytest-lsp from `PyPI`, Neovim in a terminal, and
//! the extension for Visual Studio Code with a stub of its interface. Packages the extension.

use crate::python::Environment;
use crate::shell::{Built, Result, execute, program, root, target_dir};

/// The client, and the terminal in which Neovim runs.
const TOOLS: [&str; 3] = ["pytest-lsp==1.0.1", "pytest==9.2.0", "pyte==0.8.2"];

/// Builds the server, and runs all tests in `editors/tests`. The screens of Neovim are in
/// `target/neovim.txt`.
pub(crate) fn run() -> Result {
    let environment = Environment::new(target_dir().join("lsp-env"));
    environment.install(TOOLS)?;
    let server = Built::by_tests()?.program("verger-lsp");
    let tests = root().join("editors/tests");
    let mut pytest = environment.python(["-m", "pytest", "-q", "-p", "no:cacheprovider"]);
    execute(pytest.arg(&tests).env("VERGER_LSP", &server).env("VERGER_SCREENS", target_dir()))?;
    let extension = root().join("editors/vscode");
    execute(program("npm", ["install", "--no-audit", "--no-fund"]).current_dir(&extension))?;
    execute(program("npm", ["run", "package"]).current_dir(&extension))?;
    let mut node = program("node", ["--test"]);
    execute(node.arg(tests.join("extension.test.js")).env("VERGER_LSP", &server))
}
