//! The program `verger-serve`: settings, signals, logs, and the examples of the book.

use std::io::{BufRead as _, BufReader, Read as _};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use crate::client::{PATIENCE, get, send};

/// A running program.
pub(crate) struct Program {
    child: Child,
    pub(crate) at: SocketAddr,
    log: mpsc::Receiver<String>,
}

pub(crate) fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_verger-serve"));
    command.env_clear().current_dir(std::env::temp_dir());
    command
}

impl Program {
    /// Starts the program on a free port.
    pub(crate) fn start(arguments: &[&str]) -> Self {
        Self::of(command().args(["--listen", "127.0.0.1:0", "--log", "json"]).args(arguments))
    }

    pub(crate) fn of(command: &mut Command) -> Self {
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let (sender, log) = mpsc::channel();
        let lines = BufReader::new(child.stderr.take().unwrap()).lines();
        std::thread::spawn(move || {
            lines.map_while(Result::ok).all(|line| sender.send(line).is_ok())
        });
        let at = loop {
            let line = log.recv_timeout(PATIENCE).expect("the program listens");
            let json: serde_json::Value = serde_json::from_str(&line).unwrap_or_default();
            if json["message"] == "listening" {
                break json["address"].as_str().unwrap().parse().unwrap();
            }
        };
        Self { child, at, log }
    }

    /// Sends a signal by its name.
    pub(crate) fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-s", name, &id]).status().unwrap().success());
    }

    /// Waits for a line of the log with a text.
    pub(crate) fn logs(&self, text: &str) -> String {
        loop {
            let line = self.log.recv_timeout(PATIENCE).expect("a line of the log");
            if line.contains(text) {
                return line;
            }
        }
    }

    /// The exit code after a signal.
    pub(crate) fn end(&mut self, signal: &str) -> Option<i32> {
        self.signal(signal);
        self.child.wait().unwrap().code()
    }

    /// Whether the process still runs.
    pub(crate) fn runs(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    /// Resident bytes of the process.
    #[cfg(target_os = "linux")]
    pub(crate) fn memory(&self) -> usize {
        let statm = std::fs::read_to_string(format!("/proc/{}/statm", self.child.id())).unwrap();
        statm.split(' ').nth(1).unwrap().parse::<usize>().unwrap() * 4_096
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The error and exit code of a program that does not start.
pub(crate) fn fails(arguments: &[&str]) -> (Option<i32>, String) {
    let mut child = command().args(arguments).stderr(Stdio::piped()).spawn().unwrap();
    let begun = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begun.elapsed() > PATIENCE {
            child.kill().unwrap();
            panic!("{arguments:?}: the program has started");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let mut error = String::new();
    child.stderr.take().unwrap().read_to_string(&mut error).unwrap();
    (child.wait().unwrap().code(), error)
}

/// Without free file descriptors, and without threads, the runtime panics.
#[cfg(target_os = "linux")]
#[test]
fn too_few_resources_are_an_error() {
    let program = env!("CARGO_BIN_EXE_verger-serve");
    let run = |limit: String| {
        let script = format!("ulimit {limit}; exec {program} --listen 127.0.0.1:0 --check-config");
        Command::new("sh").args(["-c", &script]).output().unwrap()
    };
    // A program that does not fit into its memory is killed, or its loader fails with code 127. A
    // little more is enough for the program, and not for its threads.
    let mut memory = (30_000..).step_by(1_000).map(|kib| run(format!("-v {kib}")));
    let memory = memory.find(|output| !matches!(output.status.code(), None | Some(127))).unwrap();
    let files = ["-n 6", "-n 8", "-n 16"].map(|limit| run(limit.to_owned()));
    for output in files.into_iter().chain([memory]) {
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(error.starts_with("error: could not start threads: "), "{error}");
        assert!(error.contains("\nhint: too many processes or open files, "), "{error}");
    }
}

#[test]
fn signals_stop_the_program_with_success() {
    for signal in ["TERM", "INT"] {
        let mut program = Program::start(&[]);
        assert_eq!(get(program.at, "/healthz").status, 200);
        assert_eq!(program.end(signal), Some(0), "{signal}");
    }
}

#[test]
fn settings_come_from_file_environment_and_flags() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("verger.toml"),
        "[serve]\nmax_urls = 7\nmax_origins = 8\nrate = 9\nlog = 'json'\n",
    )
    .unwrap();
    let output = command()
        .current_dir(folder.path())
        .env("VERGER_SERVE_MAX_ORIGINS", "18")
        .env("VERGER_SERVE_RATE", "19")
        .args(["--rate", "29", "--host", "a.example,b.example", "--show-config"])
        .output()
        .unwrap();
    let shown = String::from_utf8(output.stdout).unwrap();
    for expected in [
        "# set in verger.toml\nmax_urls = 7\n",
        "# set in verger.toml\nlog = \"json\"\n",
        "# set by a flag\nhost = [\"a.example\", \"b.example\"]\n",
        "# set by VERGER_SERVE_MAX_ORIGINS\nmax_origins = 18\n",
        "# set by a flag\nrate = 29\n",
        "# listen: default\n",
    ] {
        assert!(shown.contains(expected), "{shown}");
    }
    let check = command().current_dir(folder.path()).arg("--check-config").output().unwrap();
    assert_eq!((check.status.code(), &*check.stdout), (Some(0), &b"the settings are valid\n"[..]));
}

#[test]
fn wrong_settings_are_errors_with_hints() {
    for (arguments, error) in [
        (&["--listen", "0.0.0.0:0"][..], "expected `--token-file` for address"),
        (&["--max-urls", "-1"], "error: "),
        (&["--max-urls", "0"], "0 is not in 1..=10000"),
        (&["--log", "xml"], "[possible values: text, json]"),
        (&["--log-level", "loud=x=y", "--check-config"], "expected levels"),
        (
            &["--store", "ftp://x"],
            "--store: expected memory, a path, or a URL of scheme redis or rediss",
        ),
        (&["--store", "/dev/null/store"], "--store: "),
        (&["--user-agent", "a\nb"], "--user-agent: "),
        (&["--ca-file", "/no/such/file"], "--ca-file: could not read `/no/such/file`"),
        (&["--token-file", "/no/such/file"], "could not read `/no/such/file`"),
        (&["--config", "/no/such/file"], "could not read `/no/such/file`"),
        (&["--no-such-flag"], "unexpected argument"),
    ] {
        let (code, text) = fails(arguments);
        assert_eq!(code, Some(2), "{arguments:?}: {text}");
        assert!(text.contains(error), "{arguments:?}: {text}");
    }
}

#[cfg(unix)]
#[test]
fn credentials_of_systemd_may_have_any_mode() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tokens");
    std::fs::write(&path, "a".repeat(32)).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o440)).unwrap();
    let check = |credentials: &Path| {
        let mut command = command();
        command.args(["--check-config", "--token-file"]).arg(&path);
        command.env("CREDENTIALS_DIRECTORY", credentials).output().unwrap().status.code()
    };
    assert_eq!(check(folder.path()), Some(0));
    for other in ["", "/", "/run/credentials/verger-serve.service"] {
        assert_eq!(check(Path::new(other)), Some(2), "{other}");
    }
}

#[cfg(unix)]
#[test]
fn tokens_are_read_again_and_broken_files_change_nothing() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tokens");
    let write = |text: &str| {
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
    };
    let (first, second) = ("a".repeat(32), "b".repeat(40));
    write(&first);
    let program = Program::start(&["--token-file", path.to_str().unwrap()]);
    let status = |token: &str| {
        let bearer = format!("Bearer {token}");
        send(program.at, "GET", "/v1/crawlers", &[("Authorization", &bearer)], b"").status
    };
    assert_eq!((status(&first), status(&second)), (200, 401));
    write(&second);
    program.signal("HUP");
    program.logs("the tokens were read again");
    assert_eq!((status(&first), status(&second)), (401, 200));
    write("short");
    program.signal("HUP");
    program.logs("the previous tokens stay valid");
    assert_eq!(status(&second), 200);
}

#[test]
fn records_survive_a_restart_in_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store.sqlite");
    let arguments = ["--store", store.to_str().unwrap()];
    let json = [("Content-Type", "application/json")];
    let mut program = Program::start(&arguments);
    let path = "/v1/origins/http%3A%2F%2Fshop.example";
    let body = br#"{"robots":"User-agent: *\nDisallow: /cart\n"}"#;
    assert_eq!(send(program.at, "PUT", path, &json, body).status, 201);
    assert_eq!(program.end("TERM"), Some(0));
    let program = Program::start(&arguments);
    assert_eq!(get(program.at, path).json()["access"], "rules");
    let answer = get(program.at, "/v1/check?agent=x&url=http://shop.example/cart").json();
    assert_eq!(
        (&answer["allowed"], &answer["decision"]["source"]),
        (&false.into(), &"store".into())
    );
}

#[test]
fn help_has_every_setting_and_examples() {
    let output = command().arg("--help").output().unwrap();
    let help = String::from_utf8(output.stdout).unwrap();
    for argument in verger_server::settings::command().get_arguments() {
        let flag = argument.get_long().unwrap();
        assert!(help.contains(&format!("--{flag}")), "{flag}");
    }
    assert!(help.contains("Examples:"));
    let man = command().arg("--man").output().unwrap();
    let man = String::from_utf8(man.stdout).unwrap();
    assert!(man.contains(".TH verger-serve 1") && man.contains("Examples:"), "{man}");
    let script = command().args(["--completions", "bash"]).output().unwrap();
    let script = String::from_utf8(script.stdout).unwrap();
    assert!(script.contains("verger-serve") && script.contains("--store-key-file"), "{script}");
}

/// The commands of `docs/service.md`: each block `sh run` runs against a program with an imported
/// site, and the block after it is the beginning of its output.
#[test]
fn commands_of_the_book_run() {
    let page = include_str!("../../../../docs/service.md");
    let program = Program::start(&[]);
    let robots = include_str!("../../../../examples/shop/robots.txt");
    let body = serde_json::json!({ "robots": robots }).to_string();
    let import = send(
        program.at,
        "PUT",
        "/v1/origins/https%3A%2F%2Fshop.example",
        &[("Content-Type", "application/json")],
        body.as_bytes(),
    );
    assert_eq!(import.status, 201, "{import:?}");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/shop");
    let mut count = 0;
    for block in page.split("```sh run\n").skip(1) {
        let (script, rest) = block.split_once("```").unwrap();
        let script = script.replace("127.0.0.1:8730", &program.at.to_string());
        let output =
            Command::new("sh").args(["-ec", &script]).current_dir(&folder).output().unwrap();
        let (found, error) =
            (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{script}\n{found}{error}");
        count += 1;
        let Some((_, shown)) = rest.split_once("```") else { continue };
        let is_output =
            rest.trim_start().starts_with("```json") || rest.trim_start().starts_with("```text");
        if !is_output {
            continue;
        }
        let shown = shown.split_once('\n').unwrap().1.split("```").next().unwrap();
        for line in shown.lines().filter(|line| !line.trim().is_empty()) {
            // Dots are in place of times and hashes, which differ.
            let mut rest = found.as_ref();
            for part in line.trim().split('…') {
                let at =
                    rest.find(part).unwrap_or_else(|| panic!("{script}: no `{part}` in\n{found}"));
                rest = &rest[at + part.len()..];
            }
        }
    }
    assert!(count >= 8, "{count} blocks");
}

#[test]
fn a_log_is_json_lines_without_foreign_text() {
    let mut child = command()
        .args(["--listen", "127.0.0.1:0", "--log", "json", "--log-level", "trace,hyper=off"])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut reader = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    let at: SocketAddr = loop {
        line.clear();
        reader.read_line(&mut line).unwrap();
        let json: serde_json::Value = serde_json::from_str(&line).unwrap();
        if json["message"] == "listening" {
            break json["address"].as_str().unwrap().parse().unwrap();
        }
    };
    let agent = "x%0A%7B%22level%22%3A%22ERROR%22%7D%1B%5B2J";
    get(at, &format!("/v1/check?agent={agent}&url=http://127.0.0.1/"));
    get(at, "/v1/check?agent=Bot&url=http://evil%1B%5B2J.example/");
    get(at, "/%1B%5B2J%0Aforged");
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_millis(200) {
        std::thread::sleep(Duration::from_millis(20));
    }
    child.kill().unwrap();
    let mut rest = String::new();
    reader.read_to_string(&mut rest).unwrap();
    child.wait().unwrap();
    for line in rest.lines() {
        let json: serde_json::Value =
            serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        assert!(json["level"].is_string(), "{line}");
        assert!(!line.contains('\u{1b}') && !line.contains("forged"), "{line}");
    }
    assert!(rest.lines().count() >= 3, "{rest}");
}
