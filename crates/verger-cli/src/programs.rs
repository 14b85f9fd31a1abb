//! Separate programs: `verger NAME` runs `verger-NAME`, as cargo and git do.
//!
//! The program is searched beside `verger`, then in the folders of `PATH`. It replaces the process,
//! so its exit code, signals and streams are those of `verger NAME`. A command of `verger` itself
//! always has priority. Relative folders of `PATH` are ignored: their programs would depend on the
//! current folder.

use std::env;
use std::env::consts::EXE_SUFFIX;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::process::Command;

use crate::args::{command, is_name};
use crate::console::Messages;
use crate::error::{Error, ExitStatus};

/// A call of a separate program.
#[derive(Debug)]
pub(crate) struct Program {
    command: Command,
    name: String,
}

impl Program {
    /// The program that a command line calls; `None` if it calls a command of `verger`, or no
    /// program has the name.
    ///
    /// `verger help NAME` calls `verger-NAME --help`.
    pub(crate) fn of(arguments: &[OsString]) -> Option<Self> {
        let first = arguments.get(1)?;
        let (name, rest) = match (first == "help", arguments.len()) {
            (true, 3) => (arguments.get(2)?, &[OsString::from("--help")][..]),
            (true, _) => return None,
            (false, _) => (first, &arguments[2..]),
        };
        let name = name.to_str().filter(|name| is_name(name) && !is_command(name))?;
        let mut command = Command::new(find(name)?);
        command.args(rest);
        Some(Self { command, name: format!("verger-{name}") })
    }

    /// Runs the program in place of this one. Returns only if it cannot start, or on systems that
    /// cannot replace a process, after its end.
    pub(crate) fn run(mut self) -> u8 {
        #[cfg(unix)]
        {
            use std::os::unix::process::CommandExt as _;
            let error = self.command.exec();
            self.fail(&error)
        }
        #[cfg(not(unix))]
        match self.command.status() {
            Ok(status) => status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(2),
            Err(error) => self.fail(&error),
        }
    }

    fn fail(&self, error: &std::io::Error) -> u8 {
        let error = Error::io("run", &format!("`{}`", self.name), error);
        Messages::stderr().fail(&error);
        ExitStatus::Error as u8
    }
}

fn is_command(name: &str) -> bool {
    name == "help" || command().find_subcommand(name).is_some()
}

/// The path of a program.
fn find(name: &str) -> Option<PathBuf> {
    let file = format!("verger-{name}{EXE_SUFFIX}");
    let beside = env::current_exe().ok().and_then(|path| Some(path.parent()?.to_owned()));
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = beside.into_iter().chain(folders(&path));
    folders.map(|folder| folder.join(&file)).find(|path| is_program(path))
}

fn folders(path: &OsStr) -> impl Iterator<Item = PathBuf> {
    env::split_paths(path).filter(|folder| folder.is_absolute())
}

/// Whether a path is a file that can be executed.
fn is_program(path: &std::path::Path) -> bool {
    let Ok(found) = path.metadata() else { return false };
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        found.is_file() && found.permissions().mode() & 0o111 != 0
    }
    #[cfg(not(unix))]
    found.is_file()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::PROGRAMS;

    #[test]
    fn relative_folders_of_the_path_are_ignored() {
        let path = env::join_paths(["", ".", "bin", env!("CARGO_MANIFEST_DIR")]).unwrap();
        assert_eq!(folders(&path).collect::<Vec<_>>(), [PathBuf::from(env!("CARGO_MANIFEST_DIR"))]);
    }

    #[test]
    fn commands_of_verger_are_no_programs() {
        for name in ["check", "help"] {
            assert!(is_command(name), "{name}");
            assert!(Program::of(&["verger".into(), name.into()]).is_none());
        }
        assert!(PROGRAMS.iter().all(|(name, ..)| is_name(name) && !is_command(name)));
    }
}
