//! Answers of `--batch`, compared with the library; and names of crawlers in every command.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use verger_testkit::agreement::{Urls, agreement, agreement_on_misuse};
use verger_testkit::generate::{cases, one_in};
use verger_testkit::shared::say;
use verger_testkit::suite::CommandLine;

#[test]
fn batch_agrees_with_the_library_in_every_dialect() {
    let program = Path::new(env!("CARGO_BIN_EXE_verger"));
    let mut batch = CommandLine::start(program).expect("the program starts");
    let found = agreement(&mut batch, Urls::Text, 7, cases(200));
    assert!(found.differences.is_empty(), "{}", found.differences.join("\n\n"));
    // All dialects but one reject invalid hosts.
    assert!(found.refused * 5 < found.answered, "{} of {}", found.refused, found.answered);
    say(&format!(
        "agreement: {} answers of library and batch are equal, {} hosts refused",
        found.answered, found.refused
    ));
}

#[test]
fn batch_answers_misuse_as_the_library_in_every_dialect() {
    let program = Path::new(env!("CARGO_BIN_EXE_verger"));
    let mut batch = CommandLine::start(program).expect("the program starts");
    let found = agreement_on_misuse(&mut batch, 18, cases(200));
    assert!(found.differences.is_empty(), "{}", found.differences.join("\n\n"));
    assert!(found.refused * 5 < found.answered, "{} of {}", found.refused, found.answered);
    say(&format!(
        "misuse: {} answers of library and batch are equal, {} hosts refused",
        found.answered, found.refused
    ));
}

/// Runs the program on a file of robots.txt, and returns its output as JSON.
fn run(folder: &Path, arguments: &[&str]) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_verger"))
        .args(arguments)
        .args(["--format", "json"])
        .current_dir(folder)
        .output()
        .expect("the program runs");
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{arguments:?}: {error}: {output:?}"))
}

/// A name has one answer in every command (`testdata/names.json`).
#[test]
fn names_have_the_answers_of_the_suite_in_every_command() {
    let cases: Value =
        serde_json::from_str(include_str!("../../../../testdata/names.json")).expect("JSON");
    let url = cases["url"].as_str().expect("a URL");
    let names = || cases["names"].as_array().expect("names").iter().filter_map(Value::as_str);
    let files = || cases["files"].as_array().expect("files").iter();
    let text = |value: &Value| value.as_str().expect("a text").to_owned();

    let folder = tempfile::tempdir().expect("a folder");
    let mut questions = String::new();
    let mut expected = Vec::new();
    for file in files() {
        for (name, answer) in names().zip(text(&file["answers"]).chars()) {
            expected.push(answer == 'a');
            let (robots, dialect) = (&file["robots"], &file["dialect"]);
            let question = json!({"robots": robots, "dialect": dialect, "agent": name, "url": url});
            questions += &question.to_string();
            questions.push('\n');
        }
    }
    fs::write(folder.path().join("batch.jsonl"), questions).expect("a file");
    let answers = run(folder.path(), &["check", "--batch", "batch.jsonl"]);
    let answers = answers.as_array().expect("answers").iter().map(|it| it["allowed"] == true);
    assert_eq!(answers.collect::<Vec<_>>(), expected);

    fs::write(folder.path().join("urls.txt"), format!("{url}\n")).expect("a file");
    fs::write(folder.path().join("open.txt"), "").expect("a file");
    for file in files().take(1) {
        fs::write(folder.path().join("robots.txt"), text(&file["robots"])).expect("a file");
        let answers = text(&file["answers"]);
        // Three programs for each.
        for (name, answer) in names().zip(answers.chars()).step_by(one_in(3)) {
            let allowed = answer == 'a';
            let check =
                run(folder.path(), &["check", "--robots", "robots.txt", "--agent", name, url]);
            assert_eq!(check[0]["allowed"], allowed, "check: {name}");
            let coverage = ["coverage", "robots.txt", "--urls", "urls.txt", "--agent", name];
            let coverage = run(folder.path(), &coverage);
            assert_eq!(coverage["allowed"] == 1, allowed, "coverage: {name}: {coverage}");
            assert_eq!(coverage["tokens"], check[0]["tokens"], "{name}");
            let diff = ["diff", "open.txt", "robots.txt", "--urls", "urls.txt", "--agent", name];
            let diff = run(folder.path(), &diff);
            let unchanged = diff["unchanged"].as_array().expect("names");
            assert_eq!(unchanged.iter().any(|it| it == name), allowed, "diff: {name}: {diff}");
            let list = json!(name);
            let test = format!(
                "[[test]]\nname = 'a'\ncrawlers = [{list}]\n{} = ['{url}']\n",
                if allowed { "allow" } else { "disallow" }
            );
            fs::write(folder.path().join("t.toml"), test).expect("a file");
            let test = run(folder.path(), &["test", "t.toml", "--robots", "robots.txt"]);
            assert_eq!(test["passed"], 1, "test: {name}: {test}");
        }
    }
    let token = ["check", "--robots", "robots.txt", "--token", "Googlebot-Image", url];
    assert_eq!(run(folder.path(), &token)[0]["allowed"], true);
}
