//! The environment of the program: closed pipes, waiting writers, full disks, terminals, names and
//! arguments that are not text.

use std::ffi::OsString;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::mpsc;
use std::time::Duration;

fn verger<A: Into<OsString>>(arguments: impl IntoIterator<Item = A>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_verger"));
    command
        .args(arguments.into_iter().map(Into::into))
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cmd/fixtures"))
        .env_remove("NO_COLOR")
        .env_remove("CLICOLOR_FORCE")
        .stdin(Stdio::null());
    command
}

#[track_caller]
fn check(output: &Output, status: i32, stdout: &str, stderr: &str) {
    assert_eq!(String::from_utf8_lossy(&output.stdout), stdout);
    assert_eq!(String::from_utf8_lossy(&output.stderr), stderr);
    assert_eq!(output.status.code(), Some(status));
}

/// A path for a file of one test.
fn scratch(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
}

#[test]
fn a_closed_output_is_an_error_without_a_message() {
    let urls = scratch("many-urls.txt");
    fs::write(&urls, "/everybody/else\n/\n".repeat(100_000)).unwrap();
    for format in ["text", "json", "jsonl"] {
        let mut child =
            verger(["check", "--robots", "groups.txt", "--agent", "x", "--format", format])
                .arg("--urls-from")
                .arg(&urls)
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap();
        let mut first = [0; 1];
        child.stdout.take().unwrap().read_exact(&mut first).unwrap();
        check(&child.wait_with_output().unwrap(), 2, "", "");
    }
}

#[test]
fn closed_output_of_help_and_pages_is_an_error_without_a_message() {
    for arguments in [&["check", "--help"][..], &["man", "check"], &["completions", "zsh"]] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = verger(arguments).stdout(writer).output().unwrap();
        check(&output, 2, "", "");
    }
}

/// Without free file descriptors the runtime panics.
#[cfg(target_os = "linux")]
#[test]
fn too_few_open_files_are_an_error() {
    for limit in 5..20 {
        let script = format!(
            "ulimit -n {limit}; exec \"$0\" check --store memory --agent x http://127.0.0.1:1/"
        );
        let output = Command::new("sh")
            .args(["-c", &script, env!("CARGO_BIN_EXE_verger")])
            .output()
            .unwrap();
        let message = "error: could not start a thread that fetches: Too many open files\n\nhint: too many \
                       processes or open files, or too little memory: see `ulimit -a`\n";
        let found = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{limit}: {found}");
        // The last ones may be enough.
        assert!(found == message || limit > 16, "{limit}: {found}");
    }
}

/// Rust's runtime opens `/dev/null` in place of a closed standard output, so nothing fails.
#[cfg(unix)]
#[test]
fn closed_standard_output_is_ignored() {
    for (command, status) in [
        ("check --robots groups.txt --agent x /everybody", 1),
        ("check --batch allowed.jsonl", 0),
        ("inspect groups.txt", 0),
        ("--help", 0),
    ] {
        let script = format!("exec \"$0\" {command} >&-");
        let mut shell = Command::new("sh");
        let shell = shell.args(["-c", &script, env!("CARGO_BIN_EXE_verger")]);
        let shell = shell.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cmd/fixtures"));
        check(&shell.output().unwrap(), status, "", "");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn full_disk_is_an_error() {
    for arguments in [
        &["check", "--robots", "groups.txt", "--agent", "x", "/"][..],
        &["check", "--batch", "allowed.jsonl"],
        &["robots", "groups.txt", "x", "/"],
        &["man"],
        &["--help"],
    ] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = verger(arguments).stdout(full).output().unwrap();
        check(&output, 2, "", "error: could not write standard output: No space left on device\n");
    }
}

/// Writes a line, waits for its answer, and writes the next line.
#[track_caller]
fn converse(arguments: &[&str], lines: &[&str], answers: &[&str], status: i32) {
    let mut child = verger(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program can be run");
    let mut stdin = child.stdin.take().expect("standard input is a pipe");
    let stdout = BufReader::new(child.stdout.take().expect("standard output is a pipe"));
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        for line in stdout.lines().map_while(Result::ok) {
            let _ = sender.send(line);
        }
    });
    for (line, answer) in lines.iter().zip(answers) {
        writeln!(stdin, "{line}").expect("the program reads");
        let found = receiver.recv_timeout(Duration::from_secs(60)).expect("an answer in time");
        assert!(found.starts_with(answer), "{found}");
    }
    drop(stdin);
    let ended = child.wait().expect("the program ends");
    assert_eq!(ended.code(), Some(status));
}

#[test]
fn threads_that_cannot_be_started_are_an_error() {
    let batch = scratch("many-questions.jsonl");
    fs::write(&batch, "{\"robots\":\"\",\"agent\":\"x\",\"url\":\"/\"}\n".repeat(10_000)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store.sqlite");
    let (batch, store) = (batch.to_str().unwrap(), store.to_str().unwrap());
    for (arguments, what) in [
        (&["check", "--agent", "x", "http://127.0.0.1/", "--store", "memory"][..], " that fetches"),
        (&["fetch", "http://127.0.0.1/", "--store", store], " that fetches"),
        (&["page", "http://127.0.0.1/", "--store", "memory"], " that fetches"),
        (&["inspect", "http://127.0.0.1/", "--store", "memory"], " that fetches"),
        (&["check", "--batch", batch, "--threads", "2"], " that reads the batch"),
    ] {
        // No system can allocate stacks of this size.
        let output = verger(arguments).env("RUST_MIN_STACK", "100000000000000").output().unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(
            message.starts_with(&format!("error: could not start a thread{what}: ")),
            "{message}"
        );
        assert!(message.lines().count() < 4 && !message.contains("panicked"), "{message}");
        assert_eq!(output.status.code(), Some(2));
    }
}

#[test]
fn each_answer_is_written_before_the_next_question_is_read() {
    converse(
        &["check", "--robots", "groups.txt", "--agent", "x", "--urls-from", "-"],
        &["/", "/everybody", "/a"],
        &["allow  /  ", "disallow  /everybody  ", "allow  /a  "],
        1,
    );
    converse(
        &["check", "--batch", "-"],
        &[
            r#"{"robots_file":"groups.txt","agent":"x","url":"/"}"#,
            r#"{"robots_file":"groups.txt","agent":"x","url":"/everybody"}"#,
        ],
        &[r#"{"url":"/","agent":"x""#, r#"{"url":"/everybody","agent":"x""#],
        1,
    );
    let follow = ["audit", "-", "--follow", "--robots", "groups.txt", "--offline", "--origin"];
    converse(
        &[&follow[..], &["https://shop.example"]].concat(),
        &["192.0.2.1 - - [02/Sep/2026:03:00:00 +0000] \"GET / HTTP/1.1\" 200 35 \"-\" \"x\""],
        &["not_a_crawler "],
        0,
    );
}

#[test]
fn colour_is_used_only_on_request() {
    let arguments = ["check", "--robots", "groups.txt", "--agent", "x", "--explain"];
    let output = |variables: &[(&str, &str)]| {
        let mut command = verger(arguments);
        command.args(["/everybody", "x"]).envs(variables.iter().copied());
        let output = command.output().unwrap();
        let has_escape = |bytes: &[u8]| bytes.contains(&0x1B);
        (has_escape(&output.stdout), has_escape(&output.stderr))
    };
    assert_eq!(output(&[]), (false, false));
    assert_eq!(output(&[("CLICOLOR_FORCE", "1")]), (true, true));
    assert_eq!(output(&[("NO_COLOR", "1")]), (false, false));
    let mut command = verger(arguments);
    let forced = command.arg("/everybody").env("CLICOLOR_FORCE", "1").output().unwrap();
    let text = String::from_utf8(forced.stdout).unwrap();
    // The word is there, too.
    assert!(text.starts_with("\x1b[31mdisallow\x1b[0m  /everybody  by "), "{text:?}");
    assert!(text.contains("\x1b[91m^^^^^^^^^^\x1b[0m"), "{text:?}");
    // JSON has no colour.
    let mut command = verger(["check", "--batch", "questions.jsonl"]);
    let forced = command.env("CLICOLOR_FORCE", "1").output().unwrap();
    assert!(!forced.stdout.contains(&0x1B));
}

#[test]
fn a_truncated_file_is_reported_once() {
    let robots = scratch("long-robots.txt");
    let rules = "Disallow: /a\n".repeat(40_000);
    fs::write(&robots, format!("User-agent: *\n{rules}Disallow: /last\n")).unwrap();
    let run = |dialect: &str| {
        let mut command = verger(["check", "--agent", "x", "--dialect", dialect, "--robots"]);
        let output = command.arg(&robots).args(["/last", "/a"]).output().unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        (output.status.code(), message.replace(robots.to_str().unwrap(), "FILE"))
    };
    let lost = "warning: `FILE` is longer than 512000 bytes: the rest, including the cut line, has no \
                effect\n";
    assert_eq!(run("rfc9309"), (Some(1), lost.to_owned()));
    let none =
        "warning: `FILE` is longer than 512000 bytes: dialect `yandex` ignores the whole file\n";
    assert_eq!(run("yandex"), (Some(0), none.to_owned()));
    assert_eq!(run("google"), (Some(1), String::new()));
    // An inspection shows the same with the position.
    let inspect = |dialect: &str| {
        let output = verger(["inspect", "--dialect", dialect]).arg(&robots).output().unwrap();
        let message = String::from_utf8(output.stdout).unwrap();
        message.replace(robots.to_str().unwrap(), "FILE")
    };
    let cut = inspect("rfc9309");
    assert!(
        cut.contains(&lost.replace("warning: ", "error: ").replace('\n', " [truncated]")),
        "{cut}"
    );
    let ignored = inspect("yandex");
    assert!(ignored.contains("\nthe whole file is ignored: everything is allowed\n"), "{ignored}");
    let none = none.replace("warning: ", "error: ").replace('\n', " [counts-as-none]");
    assert!(ignored.contains(&none), "{ignored}");
}

#[cfg(unix)]
#[test]
fn closed_standard_input_is_not_an_empty_robots_txt() {
    let message = "error: expected a robots.txt at standard input, but it is closed or \
                `/dev/null`\n\nhint: to use an empty file, give its name\n";
    for asks in [&["check", "--robots", "-", "--agent", "x", "/"][..], &["inspect", "-"]] {
        check(&verger(asks).output().unwrap(), 2, "", message);
        let mut closed = Command::new("sh");
        closed.args(["-c", "exec \"$0\" \"$@\" <&-", env!("CARGO_BIN_EXE_verger")]).args(asks);
        check(&closed.output().unwrap(), 2, "", message);
    }
    // By its name it is intended.
    let output = verger(["check", "--robots", "/dev/null", "--agent", "x", "/"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
}

#[cfg(target_os = "linux")]
#[test]
fn endless_file_is_read_up_to_the_limit() {
    let output = verger(["check", "--robots", "/dev/zero", "--agent", "x", "/"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stderr.starts_with(b"warning: `/dev/zero` is longer than 512000 bytes"));
}

#[cfg(target_os = "linux")]
#[test]
fn batch_reads_no_pipe_and_no_device() {
    let (pipe, batch) = (scratch("pipe"), scratch("pipe.jsonl"));
    let _ = fs::remove_file(&pipe);
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let device = "a device, a pipe or a socket";
    for (name, what) in [(pipe.to_str().unwrap(), device), ("/dev/zero", device)] {
        let line = format!("{{\"robots_file\":{name:?},\"agent\":\"x\",\"url\":\"/\"}}\n");
        fs::write(&batch, line.repeat(2)).unwrap();
        let output = verger(["check", "--batch"]).arg(&batch).output().unwrap();
        let message = String::from_utf8(output.stdout).unwrap();
        let error = format!("found `{name}`, which is {what}\"}}}}\n");
        assert!(message.lines().count() == 2 && message.matches(&error).count() == 2, "{message}");
        assert_eq!(output.status.code(), Some(2));
    }
}

#[test]
fn every_shell_has_completions() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let output = verger(["completions", shell]).output().unwrap();
        let script = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(0));
        assert!(script.contains("urls-from"), "{shell}");
        // Some shells do not complete values.
        let has_values = matches!(shell, "bash" | "fish" | "zsh");
        for value in ["rfc9309", "Googlebot-Image"] {
            assert_eq!(script.contains(value), has_values, "{shell}: {value}");
        }
    }
}

#[test]
fn all_pages_are_written_into_a_directory() {
    let dir = scratch("man");
    check(&verger(["man", "--dir"]).arg(&dir).output().unwrap(), 0, "", "");
    let mut pages: Vec<_> =
        fs::read_dir(&dir).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    pages.sort();
    let expected =
        "-audit -cache-clear -cache-list -cache-show -cache -check -completions -coverage -crawlers-list \
                    -crawlers-show -crawlers -diff -enforce -fetch -fmt -generate -identify -identity-directory -identity-key -identity-update -identity -inspect -lint -man -page -rights -robots -test -verify -watch"
            .split(' ');
    let expected: Vec<_> = expected
        .chain([""])
        .map(|name| format!("verger{name}.1").into())
        .collect::<Vec<OsString>>();
    assert_eq!(pages, expected);
    let output = verger(["man", "--dir", "groups.txt"]).output().unwrap();
    check(&output, 2, "", "error: could not write `groups.txt`: File exists\n");
}

#[cfg(unix)]
mod bytes {
    use super::{check, verger};
    use std::ffi::{OsStr, OsString};
    use std::fs;
    use std::os::unix::ffi::OsStrExt as _;
    use std::path::PathBuf;
    use std::process::Command;
    use std::sync::mpsc;
    use std::time::Duration;

    fn bytes(text: &[u8]) -> OsString {
        OsStr::from_bytes(text).to_owned()
    }

    #[test]
    fn path_of_a_url_can_have_any_bytes() {
        let mut command = verger(["check", "--robots", "latin1.txt", "--agent", "x"]);
        let output = command.arg(bytes(b"https://shop.example/\xe9")).output().unwrap();
        let answer = "disallow  https://shop.example/\\xe9  by `Disallow: /\\xe9` on line 3, in the \
                      group for `*` (line 1)\n";
        check(&output, 1, answer, "");
    }

    #[test]
    fn host_must_be_text() {
        let mut command = verger(["check", "--robots", "latin1.txt", "--agent", "x"]);
        let output = command.arg(bytes(b"https://\xe9/")).output().unwrap();
        let error =
            "error: bad URL `https://\\xe9/`: expected a host in UTF-8, but found other bytes\n";
        check(&output, 2, "", error);
    }

    #[test]
    fn agent_must_be_text() {
        let mut command = verger(["check", "--robots", "latin1.txt", "/", "--agent"]);
        let output = command.arg(bytes(b"\xe9lan")).output().unwrap();
        check(&output, 2, "", "error: expected an agent in UTF-8, but found `\\xe9lan`\n");
    }

    #[test]
    fn agent_of_the_robots_tool_can_be_any_bytes() {
        let mut command = verger(["robots", "latin1.txt"]);
        let output = command.args([bytes(b"\xe9lan"), bytes(b"/\xe9")]).output().unwrap();
        check(&output, 0, "user-agent '\\xe9lan' with URI '/\\xe9': ALLOWED\n", "");
    }

    #[test]
    fn name_of_a_file_can_be_any_bytes() {
        let mut command = verger(["check", "--agent", "x", "/", "--robots"]);
        let output = command.arg(bytes(b"\xff\x1b[2J")).output().unwrap();
        check(&output, 2, "", "error: could not read `\\xff\\x1b[2J`: No such file or directory\n");
    }

    #[test]
    fn unknown_flag_of_any_bytes_is_escaped() {
        let mut command = verger(["check"]);
        let output = command.arg(bytes(b"--\xff\x1b[2J")).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(
            message.starts_with("error: unexpected argument '--\\xff\\x1b[2J' found\n"),
            "{message}"
        );
    }

    #[test]
    fn header_of_any_bytes_is_an_error_that_names_the_flag() {
        for (flag, value, message) in [
            (
                "--user-agent",
                &b"Bot\nCookie: a"[..],
                "'Bot\\nCookie: a' for '--user-agent <HEADER>': expected a User-Agent of visible ASCII \
                 characters and spaces, but found a line break",
            ),
            (
                "--user-agent",
                b"B\xf6t",
                "'B\u{fffd}t' for '--user-agent <HEADER>': expected a User-Agent of visible ASCII \
                 characters and spaces, but found `\u{fffd}`",
            ),
            (
                "--from",
                b"a@b\x1b",
                "'a@b\\x1b' for '--from <ADDRESS>': expected a From of visible ASCII characters and \
                 spaces, but found `\\x1b`",
            ),
        ] {
            let mut command = verger(["fetch", "https://shop.example", flag]);
            let output = command.arg(bytes(value)).output().unwrap();
            let message =
                format!("error: invalid value {message}\n\nFor more information, try '--help'.\n");
            check(&output, 2, "", &message);
        }
    }

    #[test]
    fn a_batch_opens_only_regular_robots_files() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        assert!(Command::new("mkfifo").arg(at("pipe")).status().unwrap().success());
        std::os::unix::fs::symlink(at("pipe"), at("link")).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(at("socket")).unwrap();
        fs::create_dir(at("folder")).unwrap();
        fs::write(at("robots.txt"), "").unwrap();
        let device = "a device, a pipe or a socket";
        let all = [
            (at("pipe"), Some(device)),
            (at("link"), Some(device)),
            (at("socket"), Some(device)),
            ("/dev/zero".into(), Some(device)),
            (at("folder"), Some("a directory")),
            (at("robots.txt"), None),
        ];
        let line = |(path, _): &(PathBuf, _)| {
            let path = path.to_str().unwrap();
            format!("{{\"robots_file\":\"{path}\",\"agent\":\"x\",\"url\":\"/\"}}\n")
        };
        fs::write(at("batch"), all.iter().map(line).collect::<String>()).unwrap();
        let (sender, receiver) = mpsc::channel();
        let mut command = verger(["check", "--batch"]);
        command.arg(at("batch"));
        std::thread::spawn(move || sender.send(command.output().unwrap()));
        let output = receiver.recv_timeout(Duration::from_secs(60)).expect("no file is waited for");
        let lines = String::from_utf8(output.stdout).unwrap();
        for (answer, (path, what)) in lines.lines().zip(&all) {
            match what {
                Some(what) => {
                    assert!(answer.contains(&format!("`, which is {what}\"")), "{answer}");
                }
                None => {
                    assert!(answer.contains("\"allowed\":true"), "{}: {answer}", path.display());
                }
            }
        }
        let message = "error: 5 of 6 lines could not be answered\n";
        assert_eq!(
            (String::from_utf8(output.stderr).unwrap().as_str(), lines.lines().count()),
            (message, 6)
        );
        assert_eq!(output.status.code(), Some(2));
    }
}
