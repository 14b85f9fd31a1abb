//! Helpers for tests of programs: running them, and the questions of the conformance suite.

pub(crate) mod suite;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use suite::{decoded, suite};

pub(crate) fn package() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The folder of this test. `cargo test` puts the libraries there.
pub(crate) fn build_folder() -> PathBuf {
    let here = std::env::current_exe().expect("the path of this test");
    here.parent().expect("a folder").to_owned()
}

/// Compiles a program in C with these further options, linked to the static library.
pub(crate) fn compiled(source: &str, name: &str, options: &[&str]) -> PathBuf {
    let folder = build_folder();
    let program = folder.join(name);
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
    let mut command = Command::new(&compiler);
    command.args(["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]).args(options);
    command.arg(format!("-I{}", package().join("include").display()));
    command.arg(package().join(source)).arg("-o").arg(&program).arg(folder.join("libverger.a"));
    must(command.args(["-lpthread", "-ldl", "-lm"]));
    program
}

/// Runs a command that must succeed, and returns what it prints.
pub(crate) fn must(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let (out, err) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{command:?} ended with {}\n{out}\n{err}", output.status);
    out.into_owned()
}

/// Runs a program with an input.
pub(crate) fn run(command: &mut Command, input: &[u8]) -> Output {
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let mut pipe = child.stdin.take().expect("a pipe");
    let input = input.to_vec();
    let writer = std::thread::spawn(move || pipe.write_all(&input));
    let output = child.wait_with_output().expect("the program ends");
    writer.join().expect("no panic").expect("the program reads its input");
    output
}

/// Three runs of the example, which is the same program in every language.
pub(crate) fn assert_example(command: impl Fn() -> Command) {
    let robots = package().join("../../examples/shop/robots.txt");
    let robots = robots.to_str().expect("UTF-8");
    let urls = ["https://shop.example/cart", "https://shop.example/catalogue/1"];
    let check = |file: &str, urls: &[&str]| run(command().args([file, "GPTBot"]).args(urls), b"");
    let output = check(robots, &urls);
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "disallow https://shop.example/cart (rule, line 13)\n\
         allow https://shop.example/catalogue/1 (rule, line 14)\n",
        "{}",
        String::from_utf8_lossy(&output.stderr),
    );
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(check(robots, &urls[1..]).status.code(), Some(0));
    assert_eq!(check("/does/not/exist", &["/"]).status.code(), Some(2));
}

/// Asks a driver the questions of the conformance suite. See `driver.c` for its input.
pub(crate) fn assert_suite(command: &mut Command) {
    let (input, expected) = questions();
    let output = run(command, &input);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let found = String::from_utf8(output.stdout).expect("UTF-8");
    assert_eq!(found.lines().count(), expected.len());
    for (found, (name, expected)) in found.lines().zip(expected) {
        assert!(found.starts_with(&expected), "{name}: expected {expected}, but found {found}");
    }
}

/// The questions in the format of the drivers, and the names and answers of the cases.
fn questions() -> (Vec<u8>, Vec<(String, String)>) {
    let suite = suite();
    let (mut input, mut expected) = (Vec::new(), Vec::new());
    for case in suite["verdicts"].as_array().expect("cases") {
        // Cases with repeated text are in `vectors.rs`.
        if case["repeat"].is_object() {
            continue;
        }
        let bytes = |key| decoded(case, key);
        for (dialect, answer) in case["expect"].as_object().expect("answers by dialect") {
            for text in [dialect.as_bytes(), &bytes("robots"), &bytes("agent"), &bytes("url")] {
                writeln!(input, "{}", text.len()).expect("memory");
                input.extend_from_slice(text);
            }
            let allowed = answer["allowed"].as_bool().expect("an answer");
            let line = answer["line"].as_u64().unwrap_or(0);
            expected.push((case["name"].to_string(), format!("{} {line} ", u8::from(allowed))));
        }
    }
    assert!(expected.len() > 1_000);
    (input, expected)
}
