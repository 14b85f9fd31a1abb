//! Programs in C, compiled with the header and linked to the static library.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

fn package() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Compiles a program. `cargo test` puts the library beside this test.
fn compiled(source: &str) -> PathBuf {
    let here = std::env::current_exe().expect("the path of this test");
    let folder = here.parent().expect("a folder");
    let program = folder.join(Path::new(source).file_stem().expect("a name"));
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
    let done = Command::new(&compiler)
        .args(["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror"])
        .arg(format!("-I{}", package().join("include").display()))
        .arg(package().join(source))
        .arg("-o")
        .arg(&program)
        .arg(folder.join("libverger.a"))
        .args(["-lpthread", "-ldl", "-lm"])
        .output()
        .unwrap_or_else(|error| panic!("{compiler}: {error}; a C compiler is needed"));
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    program
}

fn run(program: &Path, arguments: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut pipe = child.stdin.take().expect("a pipe");
    let input = input.to_vec();
    let writer = std::thread::spawn(move || pipe.write_all(&input));
    let output = child.wait_with_output().expect("the program ends");
    writer.join().expect("no panic").expect("the program reads its input");
    output
}

#[test]
fn the_example_prints_verdicts() {
    let robots = package().join("../../examples/shop/robots.txt");
    let robots = robots.to_str().expect("UTF-8");
    let program = compiled("examples/check.c");
    let urls = ["https://shop.example/cart", "https://shop.example/catalogue/1"];
    let output = run(&program, &[robots, "GPTBot", urls[0], urls[1]], b"");
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "disallow https://shop.example/cart (rule, line 13)\n\
         allow https://shop.example/catalogue/1 (rule, line 14)\n",
    );
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(run(&program, &[robots, "GPTBot", urls[1]], b"").status.code(), Some(0));
    assert_eq!(run(&program, &["/does/not/exist", "GPTBot", "/"], b"").status.code(), Some(2));
}

#[test]
fn a_program_in_c_gives_the_answers_of_the_suite() {
    let file = package().join("../../testdata/verger-testdata.json");
    let text = std::fs::read_to_string(file).expect("a readable suite");
    let suite: Value = serde_json::from_str(&text).expect("valid JSON");
    let (mut input, mut expected) = (Vec::new(), Vec::new());
    for case in suite["verdicts"].as_array().expect("cases") {
        // Cases with repeated text are in `vectors.rs`.
        if case["repeat"].is_object() {
            continue;
        }
        let bytes = |key: &str| {
            let encoded = || case[format!("{key}_b64")].as_str().expect("text or base64");
            let decode = || STANDARD.decode(encoded()).expect("valid base64");
            case[key].as_str().map_or_else(decode, |text| text.as_bytes().to_vec())
        };
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

    let output = run(&compiled("tests/driver.c"), &[], &input);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let found = String::from_utf8(output.stdout).expect("UTF-8");
    assert_eq!(found.lines().count(), expected.len());
    for (found, (name, expected)) in found.lines().zip(expected) {
        assert!(found.starts_with(&expected), "{name}: expected {expected}, but found {found}");
    }
}
