//! Virtual environments. Packages of `PyPI` never get into the user's Python.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::package;
use crate::shell::{Result, executable, execute, program, root, succeeds, target_dir};

/// A virtual environment. It is created when something is installed.
pub(crate) struct Environment {
    folder: PathBuf,
    /// The Python that creates it.
    interpreter: PathBuf,
}

impl Environment {
    /// An environment of the system's Python in this folder.
    pub(crate) fn new(folder: PathBuf) -> Self {
        let interpreter = if cfg!(windows) { "python" } else { "python3" };
        Self::with(interpreter.into(), folder)
    }

    pub(crate) fn with(interpreter: PathBuf, folder: PathBuf) -> Self {
        Self { folder, interpreter }
    }

    /// The environment of the tools that build the package and test it.
    pub(super) fn of_tools() -> Self {
        Self::new(target_dir().join("python-env"))
    }

    /// The environment that has Java.
    pub(crate) fn of_java() -> Self {
        Self::new(target_dir().join("java-env"))
    }

    /// A command that runs Python in the root.
    pub(crate) fn python<S: AsRef<OsStr>>(
        &self,
        arguments: impl IntoIterator<Item = S>,
    ) -> Command {
        let mut command = Command::new(self.tool("python"));
        command.args(arguments).current_dir(root());
        command
    }

    /// A command that runs the package's tests. It leaves no files.
    pub(super) fn pytest(&self) -> Command {
        let mut tests = self.python(["-m", "pytest", "-p", "no:cacheprovider"]);
        tests.current_dir(package()).env("PYTHONDONTWRITEBYTECODE", "1");
        tests
    }

    /// The path of a program.
    pub(crate) fn tool(&self, name: &str) -> PathBuf {
        let folder = if cfg!(windows) { "Scripts" } else { "bin" };
        executable(&self.folder.join(folder).join(name))
    }

    /// Whether a module can be imported.
    pub(super) fn has(&self, module: &str) -> bool {
        succeeds(&mut self.python(["-c", &format!("import {module}")]))
    }

    /// Installs packages: requirements as pip reads them, or options of pip.
    pub(crate) fn install<S: AsRef<OsStr>>(&self, packages: impl IntoIterator<Item = S>) -> Result {
        if !self.has("pip") {
            let interpreter = self.interpreter.to_string_lossy();
            execute(program(&interpreter, ["-m", "venv"]).arg(&self.folder))?;
        }
        let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
        execute(self.python(pip).args(packages))
    }
}

/// The interpreters of a Python version, such as `3.12`, on this machine: the first that works.
pub(crate) fn interpreter(version: &str) -> Option<PathBuf> {
    let works = |path: &PathBuf| {
        let check = format!(
            "import sys, venv; sys.exit(sys.version_info[:2] != ({}))",
            version.replace('.', ", ")
        );
        succeeds(Command::new(path).args(["-c", &check]))
    };
    std::iter::once(PathBuf::from(format!("python{version}"))).chain(of_pyenv(version)).find(works)
}

/// The interpreters that pyenv has installed, which need not be in `PATH`.
fn of_pyenv(version: &str) -> Vec<PathBuf> {
    let Some(home) = std::env::home_dir() else { return Vec::new() };
    let installed = crate::disk::entries(&home.join(".pyenv/versions")).unwrap_or_default();
    let is_wanted = |path: &&PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.strip_prefix(version).is_some_and(|rest| rest.starts_with('.'))
    };
    installed.iter().filter(is_wanted).map(|path| path.join(Path::new("bin/python"))).collect()
}
