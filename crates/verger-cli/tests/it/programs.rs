//! Separate programs: `verger NAME` runs `verger-NAME`.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// A folder with a program `verger-probe`.
fn folder(script: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    write(&folder.path().join("verger-probe"), script);
    folder
}

/// Writes a program, in another process: this one could start a child of another test meanwhile,
/// which would inherit the open file, and a program that is open for writing cannot run.
fn write(path: &Path, script: &str) {
    let write = r#"printf '#!/bin/sh\n%s\n' "$2" > "$1" && chmod 755 "$1""#;
    let status = Command::new("/bin/sh").args(["-c", write, "sh"]).arg(path).arg(script).status();
    assert!(status.is_ok_and(|status| status.success()), "{}", path.display());
}

/// Copies verger, in another process as above.
fn copy_to(path: &Path) {
    let status = Command::new("cp").arg(env!("CARGO_BIN_EXE_verger")).arg(path).status();
    assert!(status.is_ok_and(|status| status.success()), "{}", path.display());
}

fn verger(arguments: &[&str], path: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_verger"));
    command.args(arguments).env("PATH", path).stdin(Stdio::null());
    command
}

fn run(arguments: &[&str], folder: &Path) -> Output {
    verger(arguments, &format!("{}:/usr/bin:/bin", folder.display()))
        .output()
        .expect("the program starts")
}

#[test]
fn a_program_on_the_path_gets_the_arguments_and_gives_its_exit_code() {
    let folder = folder("echo \"$@\"; echo problem >&2; exit 7");
    let output = run(&["probe", "--help", "-x", "a b", "*"], folder.path());
    assert_eq!(String::from_utf8_lossy(&output.stdout), "--help -x a b *\n");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "problem\n");
    assert_eq!(output.status.code(), Some(7));
}

#[test]
fn a_signal_ends_the_program_as_if_it_was_called_itself() {
    let folder = folder("kill -TERM $$");
    assert_eq!(run(&["probe"], folder.path()).status.signal(), Some(15));
}

#[test]
fn help_of_a_program_is_its_own() {
    let folder = folder("echo \"$@\"");
    let output = run(&["help", "probe"], folder.path());
    assert_eq!(String::from_utf8_lossy(&output.stdout), "--help\n");
}

#[test]
fn a_program_beside_verger_is_preferred() {
    let folder = tempfile::tempdir().unwrap();
    let beside = folder.path().join("verger");
    copy_to(&beside);
    write(&folder.path().join("verger-probe"), "echo beside");
    let path = folder.path().join("path");
    fs::create_dir(&path).unwrap();
    write(&path.join("verger-probe"), "echo path");
    let output = Command::new(&beside).arg("probe").env("PATH", &path).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "beside\n");
}

#[test]
fn commands_of_verger_have_priority() {
    let folder = folder("echo probe");
    write(&folder.path().join("verger-crawlers"), "echo replaced");
    let output = run(&["crawlers", "show", "GPTBot"], folder.path());
    assert!(!String::from_utf8_lossy(&output.stdout).contains("replaced"));
    assert!(output.status.success());
}

#[test]
fn files_that_are_no_programs_and_relative_folders_are_ignored() {
    let folder = folder("echo probe");
    let probe = folder.path().join("verger-probe");
    let relative = verger(&["probe"], ".:").current_dir(folder.path()).output().unwrap();
    fs::set_permissions(&probe, fs::Permissions::from_mode(0o644)).unwrap();
    fs::create_dir(folder.path().join("verger-folder")).unwrap();
    let absolute = |name| run(&[name], folder.path());
    for output in [relative, absolute("probe"), absolute("folder")] {
        assert_eq!(output.status.code(), Some(2));
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(message.contains("unrecognized subcommand"), "{message}");
    }
}

#[test]
fn a_missing_program_of_this_project_says_where_it_comes_from() {
    // A copy: the program can be beside the tested one.
    let folder = tempfile::tempdir().unwrap();
    let alone = folder.path().join("verger");
    copy_to(&alone);
    for arguments in [&["bulk", "policies"][..], &["bulk"]] {
        let output = Command::new(&alone).args(arguments).env("PATH", "").output().unwrap();
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(message.contains("unrecognized subcommand 'bulk'"), "{message}");
        assert!(message.contains("cargo install --locked --path integrations/bulk"), "{message}");
        assert_eq!(output.status.code(), Some(2));
    }
}
