//! Large batches: the same answers on any number of cores, in bounded memory, until the reader
//! closes.

use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use verger::Dialect;
use verger_testkit::generate::one_in;
use verger_testkit::suite::{NamedCrawler, load};

fn batch(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_verger"));
    command.args(["check", "--batch"]).args(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Every question of the suite in every dialect, with invalid lines in between. In the default
/// suite one in eight: the other tests of the suite ask all.
fn suite() -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata");
    let mut lines = String::new();
    let cases = load(&folder).expect("the suite").verdicts;
    for (number, case) in cases.iter().enumerate().step_by(one_in(8)) {
        for dialect in Dialect::PUBLISHED {
            let mut line = json!({
                "id": number,
                "robots_b64": STANDARD.encode(&case.robots),
                "url_b64": STANDARD.encode(&case.url),
                "dialect": dialect.name,
            });
            match &case.crawler {
                NamedCrawler::Token(token) => line["token"] = token.as_str().into(),
                NamedCrawler::Chain(tokens) => line["agents"] = json!(tokens),
                NamedCrawler::Union(tokens) => {
                    line["agents"] = json!(tokens);
                    line["union"] = true.into();
                }
            }
            writeln!(lines, "{line}").expect("a string takes it");
        }
        if number % 48 == 0 {
            writeln!(lines, "{{\"id\":{number},\n").expect("a string takes it");
        }
    }
    lines
}

/// Runs a batch from a file with these arguments.
fn run_batch(file: &str, arguments: &[&str], questions: &str) -> Output {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(file);
    std::fs::write(&path, questions).expect("a file can be written");
    batch(&[path.to_str().expect("a name in UTF-8")])
        .args(arguments)
        .output()
        .expect("the program can be run")
}

#[test]
fn one_core_and_many_give_the_same_answers_in_order() {
    let questions = suite();
    for (format, threads) in [("jsonl", "16"), ("json", "3")] {
        let one = run_batch(
            "suite-cores.jsonl",
            &["--format", format, "--explain", "--threads", "1"],
            &questions,
        );
        let text = str::from_utf8(&one.stdout).unwrap();
        let answers: Vec<Value> = if format == "json" {
            serde_json::from_str(text).unwrap()
        } else {
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
        };
        let ids: Vec<u64> = answers.iter().map(|answer| answer["id"].as_u64().unwrap()).collect();
        assert!(ids.is_sorted() && ids.len() > 900, "{} answers", ids.len());
        let many = run_batch(
            "suite-cores.jsonl",
            &["--format", format, "--explain", "--threads", threads],
            &questions,
        );
        assert!(many.stdout == one.stdout, "{format} on {threads} threads");
        assert!(many.stderr == one.stderr && many.status == one.status);
    }
}

#[test]
fn a_pipe_gets_the_same_answers_as_a_file() {
    let questions = suite();
    let file = run_batch("suite-pipe.jsonl", &[], &questions);
    let mut child = batch(&["-", "--threads", "4"]).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let writer = thread::spawn(move || {
        // In pieces that end within lines.
        questions.as_bytes().chunks(7_777).for_each(|piece| stdin.write_all(piece).unwrap());
    });
    let pipe = child.wait_with_output().unwrap();
    writer.join().unwrap();
    assert!(pipe.stdout == file.stdout && pipe.status == file.status);
}

/// Writes questions until the pipe is closed.
fn write_without_end(child: &mut Child, line: String) {
    let mut stdin = child.stdin.take().expect("standard input is a pipe");
    thread::spawn(move || while stdin.write_all(line.as_bytes()).is_ok() {});
}

#[test]
fn an_endless_batch_ends_when_its_output_is_closed() {
    for threads in ["1", "4"] {
        let mut child = batch(&["-", "--threads", threads]).spawn().unwrap();
        let line = "{\"robots\":\"User-agent: *\\nDisallow: /a\",\"agent\":\"x\",\"url\":\"/a\"}\n";
        write_without_end(&mut child, line.repeat(1_000));
        let mut stdout = child.stdout.take().unwrap();
        let mut some = vec![0; 1_000_000];
        stdout.read_exact(&mut some).unwrap();
        drop(stdout);
        let output = child.wait_with_output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
        assert_eq!(output.status.code(), Some(2));
    }
}

#[test]
fn a_closed_output_ends_a_batch_whose_writer_waits() {
    let mut child = batch(&["-", "--threads", "4"]).spawn().unwrap();
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().unwrap();
    writeln!(stdin, r#"{{"robots":"","agent":"x","url":"/a"}}"#).unwrap();
    // The writer keeps the pipe open; the program ends because the answer could not be written.
    assert_eq!(child.wait().unwrap().code(), Some(2));
    drop(stdin);
}

#[cfg(target_os = "linux")]
#[test]
fn after_a_failed_write_there_are_no_more_messages() {
    let unusual = |at| format!("{{\"robots\":\"\",\"agent\":\"an agent {at}\",\"url\":\"/\"}}\n");
    for (questions, message) in [(String::new(), 0), ((0..20).map(unusual).collect(), 10)] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let mut child = batch(&["-", "--format", "json"]).stdout(full).spawn().unwrap();
        child.stdin.take().unwrap().write_all(questions.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        let messages = String::from_utf8(output.stderr).unwrap();
        // It follows the first unusual agents, without the count of the others.
        assert_eq!(messages.lines().count(), message + 1, "{messages}");
        let last = "error: could not write standard output: No space left on device\n";
        assert!(messages.ends_with(last), "{messages}");
        assert_eq!(output.status.code(), Some(2));
    }
}

/// Peak memory of a process in bytes.
#[cfg(target_os = "linux")]
fn peak(child: &Child) -> usize {
    let path = format!("/proc/{}/status", child.id());
    let status = std::fs::read_to_string(path).expect("the process runs");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<usize>().ok());
    kilobytes.expect("a peak in kB") * 1024
}

#[cfg(target_os = "linux")]
#[test]
fn memory_is_bounded_when_questions_never_end_and_the_reader_is_slow() {
    const BOUND: usize = 192 * 1024 * 1024;
    // The answers to a line are a hundred times as long as the line, and each line has another
    // file.
    let stars = "*".repeat(10_000);
    let urls = vec!["/a"; 5_000].join("\",\"");
    let line = move |at: usize| {
        let robots = format!("User-agent: *\\nDisallow: /{stars}\\n# {at}");
        format!("{{\"robots\":\"{robots}\",\"agent\":\"x\",\"urls\":[\"{urls}\"]}}\n")
    };
    let mut child = batch(&["-", "--threads", "4"]).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let (sender, written) = std::sync::mpsc::channel();
    thread::spawn(move || {
        for at in 0.. {
            if stdin.write_all(line(at).as_bytes()).is_err() || sender.send(at).is_err() {
                return;
            }
        }
    });
    let mut stdout = child.stdout.take().unwrap();
    // A slow reader: it waits until the program reads no more, reads some answers, and waits again.
    for _ in 0..3 {
        while written.recv_timeout(std::time::Duration::from_millis(500)).is_ok() {}
        assert!(peak(&child) < BOUND, "{} bytes", peak(&child));
        let mut some = vec![0; 10_000_000];
        stdout.read_exact(&mut some).unwrap();
    }
    drop(stdout);
    child.wait().unwrap();
}
