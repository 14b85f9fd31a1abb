//! Running other programs from the project's root.

use std::env;
use std::ffi::OsStr;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// An error is a message for people.
pub(crate) type Result<T = ()> = std::result::Result<T, String>;

/// The project's root.
pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

/// Separate workspaces, whose dependencies are not in the main lockfile.
pub(crate) const OTHER_WORKSPACES: [&str; 7] = [
    "fuzz",
    "bench",
    "examples/reqwest_crawler",
    "bindings/c",
    "bindings/python",
    "bindings/wasm",
    "integrations",
];

/// The common target directory of all workspaces.
pub(crate) fn target_dir() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// A `cargo` command in the root.
pub(crate) fn cargo<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Command {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(arguments).current_dir(root()).env("CARGO_TARGET_DIR", target_dir());
    // Incremental compilation takes an eighth of the time of the suite, which compiles nothing
    // twice.
    command.env("CARGO_INCREMENTAL", "0");
    without_package(&mut command);
    command
}

/// Removes the variables that `cargo run` sets for this program. Build scripts see them: that of
/// ring would run again, and all its dependents would be compiled again, after each change between
/// `cargo xtask` and `cargo`.
fn without_package(command: &mut Command) {
    for (name, _) in env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
            command.env_remove(name);
        }
    }
}

/// A `cargo test` command for the whole workspace, so that no selection changes features and
/// compiles again.
pub(crate) fn workspace_tests<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Command {
    let mut command = cargo(["test", "--workspace", "--all-features"]);
    command.args(arguments);
    with_lints(&mut command);
    command
}

/// The tests of verger-fetch, compiled as the default suite compiles them.
pub(crate) fn fetch_tests() -> Command {
    workspace_tests(["--test", "fetch"])
}

/// Lets Clippy's compiler compile the members of the workspace, with warnings as errors. `cargo clippy`
/// does the same without generating code, and would compile all dependencies a second time.
fn with_lints(command: &mut Command) {
    command.env("RUSTC_WORKSPACE_WRAPPER", "clippy-driver");
    // The form in which `cargo clippy` passes arguments.
    command.env("CLIPPY_ARGS", "-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__");
    // Nothing is compiled again, which is what more units pay for.
    command.env("CARGO_PROFILE_DEV_CODEGEN_UNITS", "1");
}

/// The command with a low priority, where the system has `nice`.
pub(crate) fn nice(command: &Command) -> Command {
    let mut nice = if cfg!(unix) { program("nice", ["-n", "10"]) } else { program("cmd", ["/C"]) };
    nice.arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => nice.env(name, value),
            None => nice.env_remove(name),
        };
    }
    nice
}

/// A `cargo` command as rustup would start it, with a toolchain chosen by `+name`.
pub(crate) fn rustup_cargo<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Command {
    let mut command = program("cargo", arguments);
    // The cargo that runs this program sets these; they would override `+name`.
    for variable in ["CARGO", "RUSTC", "RUSTUP_TOOLCHAIN"] {
        command.env_remove(variable);
    }
    without_package(&mut command);
    command
}

/// Programs that `cargo test --workspace --all-features` builds, so that they need no second
/// compilation.
pub(crate) struct Built(PathBuf);

impl Built {
    /// Builds the programs, the runner of the conformance suite and an example for other programs,
    /// unless the tests have built them.
    pub(crate) fn by_tests() -> Result<Self> {
        // An example, so that cargo uses the features of development dependencies, as for tests.
        let programs = ["--bin", "verger", "--bin", "verger-lsp", "--bin", "verger-mcp"];
        let examples = ["--example", "conformance", "--example", "sign"];
        let mut build = cargo(["build", "--quiet", "--workspace", "--all-features"]);
        with_lints(&mut build);
        execute(build.args(["--profile", "test"]).args(programs).args(examples))?;
        Ok(Self(target_dir().join("debug")))
    }

    /// The path of the program `verger`.
    pub(crate) fn verger(&self) -> PathBuf {
        self.program("verger")
    }

    /// The path of a program.
    pub(crate) fn program(&self, name: &str) -> PathBuf {
        executable(&self.0.join(name))
    }

    /// The path of an example.
    pub(crate) fn example(&self, name: &str) -> PathBuf {
        executable(&self.0.join("examples").join(name))
    }
}

/// The path of a program, with the system's file extension.
pub(crate) fn executable(path: &Path) -> PathBuf {
    path.with_extension(env::consts::EXE_EXTENSION)
}

/// The default target of this machine's compiler.
pub(crate) fn host() -> Result<String> {
    let version = output(&mut program("rustc", ["--version", "--verbose"]))?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| "rustc does not name its host".to_owned())
}

/// A command that runs a program in the root.
pub(crate) fn program<S: AsRef<OsStr>>(
    name: &str,
    arguments: impl IntoIterator<Item = S>,
) -> Command {
    let mut command = Command::new(name);
    command.args(arguments).current_dir(root());
    command
}

/// Runs a command, with inherited output.
pub(crate) fn execute(command: &mut Command) -> Result {
    let shown = show(command);
    println!("$ {shown}");
    let status = command.status().map_err(|error| format!("`{shown}`: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("`{shown}` failed ({status})")) }
}

/// Runs a command for its output.
///
/// # Errors
///
/// If it cannot be started or fails, because partial output is unusable.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let shown = show(command);
    let output = command.output().map_err(|error| format!("`{shown}`: {error}"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("`{shown}` failed ({})\n{}", output.status, said.trim_end()));
    }
    String::from_utf8(output.stdout).map_err(|error| format!("`{shown}`: {error}"))
}

/// Runs a command with this standard input and inherited output.
pub(crate) fn feed(command: &mut Command, input: &str) -> Result {
    let shown = show(command);
    println!("$ {shown}");
    let failed = |error: std::io::Error| format!("`{shown}`: {error}");
    let mut child = command.stdin(Stdio::piped()).spawn().map_err(failed)?;
    let written = child.stdin.take().map_or(Ok(()), |mut pipe| pipe.write_all(input.as_bytes()));
    let status = child.wait().map_err(failed)?;
    // A program that failed reports why it stopped reading.
    if !status.success() {
        return Err(format!("`{shown}` failed ({status})"));
    }
    written.map_err(failed)
}

/// Whether a command succeeds; its output is discarded.
pub(crate) fn succeeds(command: &mut Command) -> bool {
    let silent = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    silent.status().is_ok_and(|status| status.success())
}

fn show(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let words: Vec<_> = words.map(|word| word.to_string_lossy().into_owned()).collect();
    words.join(" ").replace(&*root().to_string_lossy(), ".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_of_a_command_that_fails_is_an_error() {
        let run = |arguments: &[&str]| output(&mut cargo(arguments));
        assert!(run(&["--version"]).is_ok_and(|text| text.starts_with("cargo ")));
        assert!(run(&["--no-such-flag"]).is_err_and(|error| error.contains("failed")));
    }

    #[test]
    fn cargo_does_not_get_the_variables_of_this_package() {
        // Cargo sets it for tests, too.
        assert!(env::var_os("CARGO_MANIFEST_DIR").is_some());
        let command = cargo(["test"]);
        let removed = command.get_envs().find(|(name, _)| *name == "CARGO_MANIFEST_DIR");
        assert_eq!(removed.map(|(_, value)| value), Some(None));
    }
}
