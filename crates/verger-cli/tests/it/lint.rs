//! `verger lint` and `verger fmt` on files: fixes in place, settings, every format.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;
use verger_testkit::generate::one_in;
use verger_testkit::hostile::{Invocation, entries, unescaped};

fn verger(folder: &Path, arguments: &[&str]) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_verger"));
    program.args(arguments).current_dir(folder).env_remove("CLICOLOR_FORCE");
    program.output().expect("the program can be run")
}

fn text(output: &[u8]) -> &str {
    str::from_utf8(output).expect("output is UTF-8")
}

#[test]
fn fixes_are_written_in_place_and_nothing_else_is() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("a")).unwrap();
    let fine = "User-agent: *\nDisallow: /cart\n";
    let repeated = format!("{fine}Disallow: /cart\n");
    let utf16 = format!("\u{feff}{repeated}");
    let utf16: Vec<u8> = utf16.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let cut = format!("{repeated}{}", "# x\n".repeat(150_000));
    fs::write(at("robots.txt"), &repeated).unwrap();
    fs::write(at("a/robots.txt"), fine).unwrap();
    fs::write(at("utf16.txt"), &utf16).unwrap();
    fs::write(at("cut.txt"), &cut).unwrap();
    let before = fs::metadata(at("a/robots.txt")).unwrap().modified().unwrap();
    let output = verger(folder.path(), &["lint", "--fix", ".", "utf16.txt", "cut.txt"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert_eq!(fs::read_to_string(at("robots.txt")).unwrap(), fine);
    assert_eq!(fs::metadata(at("a/robots.txt")).unwrap().modified().unwrap(), before);
    assert_eq!(fs::read(at("utf16.txt")).unwrap(), utf16);
    assert_eq!(fs::read_to_string(at("cut.txt")).unwrap(), cut);
    assert!(text(&output.stderr).contains("; 1 problem fixed"), "{output:?}");
    let names: Vec<_> = fs::read_dir(folder.path()).unwrap().map(Result::unwrap).collect();
    assert_eq!(names.len(), 4, "{names:?}");
    let again = verger(folder.path(), &["lint", "--fix"]);
    assert_eq!((again.status.code(), text(&again.stdout)), (Some(0), ""));
}

#[test]
fn one_run_with_fixes_leaves_none_for_a_second_one() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("robots.txt");
    // The second repetition follows from the fixes of the first run.
    fs::write(&file, "User-agent: *\nDisallow: /b%2d\nDisallow: /b-\nDisallow: /b%2D*\n").unwrap();
    let fix = ["lint", "--fix", "--unsafe-fixes"];
    let output = verger(folder.path(), &fix);
    let fixed = fs::read(&file).unwrap();
    assert_eq!(text(&fixed), "User-agent: *\nDisallow: /b-\n", "{output:?}");
    assert!(text(&verger(folder.path(), &fix).stderr).contains("; 0 problems fixed"));
    assert_eq!(fs::read(&file).unwrap(), fixed);
}

#[test]
fn without_a_safe_fix_the_flag_for_the_others_is_a_hint() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("robots.txt"), "User-agent: *\nDissalow: /cart\n").unwrap();
    let hint = "\nhint: `--fix --unsafe-fixes` fixes 1 problem; `--diff --unsafe-fixes` shows the changes\n";
    for (flag, note, code) in
        [("--fix", "note: 1 warning in 1 file; 0 problems fixed\n", 1), ("--diff", "", 0)]
    {
        let output = verger(folder.path(), &["lint", flag]);
        let found = (text(&output.stderr), output.status.code());
        assert_eq!(found, (&*format!("{note}{hint}"), Some(code)));
    }
}

#[test]
fn a_file_with_an_error_is_not_counted_as_formatted() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("robots.txt"), "User-agent: *\nDisallow: /cart\n").unwrap();
    let output = verger(folder.path(), &["fmt", "missing.txt"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(!text(&output.stderr).contains("formatted"), "{output:?}");
    let output = verger(folder.path(), &["fmt", "missing.txt", "robots.txt"]);
    assert!(text(&output.stderr).contains("note: 1 file already formatted"), "{output:?}");
}

#[test]
fn sarif_has_paths_relative_to_the_current_folder() {
    let folder = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(folder.path()).unwrap();
    fs::create_dir(root.join("a")).unwrap();
    let file = root.join("robots.txt");
    fs::write(&file, "User-agent: *\nfoo\n").unwrap();
    let uri = |current: &Path| {
        let arguments = ["lint", "--format", "sarif", file.to_str().unwrap()];
        let log: Value = serde_json::from_slice(&verger(current, &arguments).stdout).unwrap();
        let location = &log["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
        location["artifactLocation"]["uri"].as_str().unwrap().to_owned()
    };
    assert_eq!(uri(&root), "robots.txt");
    assert!(uri(&root.join("a")).starts_with("file:///"));
}

#[test]
fn annotations_have_paths_relative_to_the_workspace_of_github() {
    let folder = tempfile::tempdir().unwrap();
    let site = folder.path().join("site");
    fs::create_dir(&site).unwrap();
    fs::write(site.join("robots.txt"), "User-agent: *\nfoo\nDisallow: /cart\n").unwrap();
    let test = "[[test]]\nname = 'x'\ncrawlers = ['*']\ndisallow = ['/']\n";
    fs::write(site.join("robots.test.toml"), test).unwrap();
    for (workspace, expected) in [
        (folder.path(), "file=site/"),
        (&*site, "file="),
        (Path::new(".."), "file=site/"),
        (Path::new("missing"), "file="),
        (Path::new(""), "file="),
    ] {
        for (command, name) in [("lint", "robots.txt"), ("test", "robots.test.toml")] {
            for path in [name, &format!("./{name}"), &format!("../site/{name}")] {
                let mut program = Command::new(env!("CARGO_BIN_EXE_verger"));
                program.args([command, "--format", "github", path]).current_dir(&site);
                let output = program.env("GITHUB_WORKSPACE", workspace).output().unwrap();
                let expected = format!("::error {expected}{name},");
                let found = text(&output.stdout);
                assert!(found.starts_with(&expected), "{path} in {workspace:?}: {found}");
            }
        }
    }
}

#[test]
fn excluded_files_are_linted_only_by_their_names() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir_all(at("tests/fixtures")).unwrap();
    for name in ["robots.txt", "tests/fixtures/robots.txt"] {
        fs::write(at(name), "User-agent: *\nfoo\n").unwrap();
    }
    fs::write(at("verger.toml"), "lint.exclude = ['tests/fix*']\n").unwrap();
    let count = |arguments: &[&str]| {
        let arguments = [&["lint", "--format", "concise", "--select", "no-record"], arguments];
        text(&verger(folder.path(), &arguments.concat()).stdout).lines().count()
    };
    assert_eq!(count(&[]), 1);
    assert_eq!(count(&["tests"]), 0);
    assert_eq!(count(&["--no-config"]), 2);
    assert_eq!(count(&["--config", "verger.toml"]), 1);
    assert_eq!(count(&["tests/fixtures/robots.txt"]), 1);
}

#[cfg(target_os = "linux")]
#[test]
fn irregular_files_in_a_folder_are_errors_and_the_others_are_read() {
    use rustix::fs::{CWD, FileType, Mode, mknodat};

    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    for name in ["directory/robots.txt", "fifo", "fine", "link", "socket"] {
        fs::create_dir_all(at(name)).unwrap();
    }
    for name in ["fine", "directory/robots.txt"] {
        fs::write(at(name).join("robots.txt"), "User-agent: *\nfoo\n").unwrap();
    }
    mknodat(CWD, at("fifo/robots.txt"), FileType::Fifo, Mode::RWXU, 0).unwrap();
    std::os::unix::fs::symlink("missing", at("link/robots.txt")).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(at("socket/robots.txt")).unwrap();
    let lint = ["lint", "--format", "concise", "--select", "no-record"];
    for arguments in [&lint[..], &["fmt"]] {
        let output = verger(folder.path(), arguments);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        let stderr = text(&output.stderr);
        for (name, kind) in [
            ("directory", "a directory"),
            ("fifo", "a device, a pipe or a socket"),
            ("link", "a symbolic link to a missing file"),
            ("socket", "a device, a pipe or a socket"),
        ] {
            let expected = format!("but found `{name}/robots.txt`, which is {kind}");
            assert!(stderr.contains(&expected), "{expected}: {stderr}");
        }
        if arguments == lint {
            let lines: Vec<_> = text(&output.stdout).lines().collect();
            assert_eq!(lines.len(), 2, "{lines:?}");
        } else {
            assert!(stderr.contains("note: 2 files"), "{stderr}");
        }
    }
    // A search that excludes them succeeds.
    let config = "lint.exclude = ['directory/robots.txt', 'fifo', 'link', 'socket']\n";
    fs::write(at("verger.toml"), config).unwrap();
    assert_eq!(verger(folder.path(), &lint).status.code(), Some(1));
}

#[cfg(unix)]
#[test]
fn an_irregular_verger_toml_is_an_error_of_the_files_below_it_only() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    for name in ["a", "b", "c/verger.toml"] {
        fs::create_dir_all(at(name)).unwrap();
    }
    for name in ["a", "b", "c"] {
        fs::write(at(name).join("robots.txt"), "User-agent: *\nfoo\n").unwrap();
    }
    std::os::unix::fs::symlink("missing", at("a/verger.toml")).unwrap();
    let output = verger(folder.path(), &["lint", "--format", "concise", "--select", "no-record"]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let stderr = text(&output.stderr);
    assert!(
        stderr.contains("a/verger.toml`, which is a symbolic link to a missing file"),
        "{stderr}"
    );
    assert!(stderr.contains("c/verger.toml`, which is a directory"), "{stderr}");
    let lines: Vec<_> = text(&output.stdout).lines().collect();
    assert!(matches!(lines[..], [line] if line.starts_with("b/robots.txt")), "{lines:?}");
}

#[test]
fn a_category_is_explained_by_its_rules() {
    let folder = tempfile::tempdir().unwrap();
    let output = verger(folder.path(), &["lint", "--explain", "limits"]);
    let codes: Vec<_> =
        text(&output.stdout).lines().filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(codes, ["truncated", "google-limit", "yandex-limit"]);
}

#[test]
fn formatting_changes_files_in_place() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("robots.txt");
    fs::write(&file, "USER-AGENT:*\r\nDISALLOW:/cart\r\n").unwrap();
    let check = verger(folder.path(), &["fmt", "--check"]);
    assert_eq!((check.status.code(), text(&check.stdout)), (Some(1), "robots.txt\n"));
    assert_eq!(verger(folder.path(), &["fmt"]).status.code(), Some(0));
    assert_eq!(fs::read_to_string(&file).unwrap(), "User-agent: *\r\nDisallow: /cart\r\n");
    assert_eq!(verger(folder.path(), &["fmt", "--check"]).status.code(), Some(0));
}

#[test]
fn the_nearest_settings_are_used_and_flags_override_them() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("a")).unwrap();
    for name in ["robots.txt", "a/robots.txt"] {
        fs::write(at(name), "User-agent: *\nfoo\n").unwrap();
    }
    fs::write(at("verger.toml"), "[lint]\nignore = ['no-record']\n").unwrap();
    let found = |arguments: &[&str]| {
        let output = verger(folder.path(), &[&["lint", "--format", "concise"], arguments].concat());
        let lines =
            text(&output.stdout).lines().map(|line| line.split(':').next().unwrap().to_owned());
        lines.collect::<Vec<_>>()
    };
    let all = ["robots.txt".to_owned()];
    assert_eq!(found(&["--ignore", "groups", "robots.txt"]), all);
    assert!(found(&["--ignore", "groups,no-record"]).is_empty());
    fs::write(at("a/verger.toml"), "[lint]\nselect = ['no-record']\n").unwrap();
    assert_eq!(found(&["--ignore", "groups", "."]).len(), 2);
    assert_eq!(found(&["--no-config", "--select", "no-record"]).len(), 2);
    // The name of standard input has a folder, too.
    let name = at("a/robots.txt");
    let mut program = Command::new(env!("CARGO_BIN_EXE_verger"));
    program.args(["lint", "-", "--format", "concise", "--stdin-filename"]).arg(&name);
    let output = program.stdin(fs::File::open(&name).unwrap()).output().unwrap();
    assert!(
        text(&output.stdout).ends_with("[no-record] (unsafe fix: turn the line into a comment)\n")
    );
}

/// Lints a hostile file in a format, and checks the output for any sink.
fn lint(bytes: &[u8], arguments: &[&str]) -> Result<Vec<u8>, String> {
    let all = ["lint", "robots.txt", "--portable", "google,yandex,bing,orig1994"];
    let arguments = all.iter().chain(arguments).map(OsString::from).collect();
    let files = vec![("robots.txt".into(), bytes.to_vec())];
    let invocation = Invocation { arguments, files, ..Invocation::default() };
    let written =
        invocation.run(Path::new(env!("CARGO_BIN_EXE_verger"))).expect("the program can be run");
    if !matches!(written.status, Some(0 | 1)) {
        return Err(format!("ended with {:?}: {}", written.status, text(&written.stderr)));
    }
    for (name, stream) in [("output", &written.stdout), ("error", &written.stderr)] {
        if let Some(place) = unescaped(stream) {
            return Err(format!("an unescaped byte is at {place} of standard {name}"));
        }
    }
    Ok(written.stdout)
}

/// Every format of the linter and the diffs, for one file.
fn judge(bytes: &[u8]) -> Result<(), String> {
    lint(bytes, &["--format", "full"])?;
    let lines = lint(bytes, &["--format", "concise"])?;
    if let Some(line) = text(&lines).lines().find(|line| !line.starts_with("robots.txt:")) {
        return Err(format!("expected a finding on each line, but found {line}"));
    }
    let commands = lint(bytes, &["--format", "github"])?;
    let is_command = |line: &str| {
        ["::error ", "::warning ", "::notice "].iter().any(|start| line.starts_with(start))
    };
    if let Some(line) = text(&commands).lines().find(|line| !is_command(line)) {
        return Err(format!("expected a command, but found {line}"));
    }
    let json = |format| -> Result<Value, String> {
        let output = lint(bytes, &["--format", format])?;
        serde_json::from_slice(&output).map_err(|error| format!("{format}: {error}"))
    };
    let (files, log) = (json("json")?, json("sarif")?);
    let findings = files[0]["findings"].as_array().map_or(0, Vec::len);
    let results = log["runs"][0]["results"].as_array().map_or(0, Vec::len);
    if findings != results || findings > text(&commands).lines().count() {
        return Err(format!("{findings} findings in JSON, {results} in SARIF"));
    }
    lint(bytes, &["--statistics"])?;
    let diff = lint(bytes, &["--diff", "--unsafe-fixes"])?;
    let is_inert = |line: &str| !["::", "##["].iter().any(|it| line.trim_start().starts_with(it));
    if let Some(line) = text(&diff).lines().find(|line| !is_inert(line)) {
        return Err(format!("a line of the diff is a command: {line}"));
    }
    Ok(())
}

#[test]
fn hostile_text_is_escaped_in_every_format() {
    let chosen = entries().into_iter().step_by(one_in(12));
    let judged = chosen.filter_map(|it| Some(format!("{}: {}", it.id, judge(&it.bytes).err()?)));
    let wrong: Vec<String> = judged.collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn commands_of_github_cannot_be_injected() {
    let file = b"User-agent: *\n::error::x\nDisallow: /%zz\n::set-output name=a::b\n##[error]x\n";
    judge(file).unwrap();
    let diff = lint(file, &["--diff", "--unsafe-fixes"]).unwrap();
    assert!(text(&diff).contains("\n \\x3a:error::x\n"), "{}", text(&diff));
}
