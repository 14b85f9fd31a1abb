//! The examples of README.md, `docs/command-line.md`, `docs/linting.md`, `docs/analysis.md`,
//! `docs/audit.md`, `docs/enforce.md`, `docs/identity.md`, `docs/site-owners.md` and `docs/json.md`
//! show the output of the program.

use std::path::Path;
use std::process::Command;

use serde_json::Value;
use verger_audit::Verdict;

const README: &str = include_str!("../../../../README.md");
const COMMAND_LINE: &str = include_str!("../../../../docs/command-line.md");
const LINTING: &str = include_str!("../../../../docs/linting.md");

/// The fenced blocks of a page: the text after the fence, and the content.
fn blocks(page: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let fences = page.split("\n```").skip(1).step_by(2);
    fences.filter_map(|fence| fence.split_once('\n'))
}

#[test]
fn each_question_gets_the_answer_after_it() {
    let blocks: Vec<_> = blocks(include_str!("../../../../docs/json.md")).collect();
    assert_eq!(blocks.len(), 12);
    for pair in blocks.chunks(2) {
        let [(asked, input), (answered, output)] = pair else {
            panic!("expected a question and an answer, but found {pair:?}");
        };
        let arguments: &[&str] = match (*asked, *answered) {
            ("json question", "json answer") => &["check", "--batch", "-"],
            ("json question explain", "json answer") => &["check", "--batch", "-", "--explain"],
            ("text inspect", "json inspection") => &["inspect", "-", "--format", "json"],
            ("text lint", "json findings") => {
                &["lint", "-", "--format", "json", "--select", "misspelt-key"]
            }
            ("json decision", "json verification") => {
                const ARCHIVED: &str =
                    concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/shop/robots.txt");
                &["verify", "-", "--robots", ARCHIVED, "--format", "jsonl"]
            }
            ("html question", "json answer") => {
                &["page", "--html", "-", "--agent", "Googlebot", "--format", "json"]
            }
            other => panic!("expected a question and its answer, but found {other:?}"),
        };
        let found = crate::common::run(arguments, &format!("{input}\n")).stdout;
        assert_eq!(String::from_utf8_lossy(&found).trim_end(), *output);
    }
}

#[test]
fn each_key_of_an_audit_has_its_meaning() {
    let shop = |name: &str| format!("{}/../../examples/shop/{name}", env!("CARGO_MANIFEST_DIR"));
    let (log, history) = (shop("september.log"), shop("history"));
    let site = ["--origin", "https://shop.example", "--offline", "--format", "json"];
    let arguments = [&["audit", &log, "--history", &history][..], &site].concat();
    let found = crate::common::run(&arguments, "").stdout;
    let mut rest: Vec<Value> = vec![serde_json::from_slice(&found).expect("JSON")];
    let page = include_str!("../../../../docs/json.md");
    let section = page.split("\n## ").find(|it| it.starts_with("Audit\n")).expect("a section");
    while let Some(value) = rest.pop() {
        match value {
            Value::Object(keys) => {
                for (key, value) in keys {
                    let is_verdict = Verdict::ALL.iter().any(|it| it.name() == key);
                    let is_there =
                        [".", "`"].iter().any(|it| section.contains(&format!("{it}{key}`")));
                    assert!(is_verdict || is_there, "{key}");
                    rest.push(value);
                }
            }
            Value::Array(values) => rest.extend(values),
            _ => {}
        }
    }
}

#[test]
fn the_first_command_of_the_readme_gives_its_answer() {
    let blocks: Vec<_> = blocks(README).collect();
    let [("sh", first), ("text", answer), ..] = blocks.as_slice() else {
        panic!("expected a command and its answer, but found {:?}", blocks.first());
    };
    let arguments =
        first.strip_prefix("cargo run -p verger-cli -- ").expect("the program, built and run");
    check_session(arguments, answer);
}

#[test]
fn console_sessions_of_the_pages_show_the_output_of_the_program() {
    let mut ran = 0;
    let pages = [
        README,
        COMMAND_LINE,
        include_str!("../../../../docs/analysis.md"),
        include_str!("../../../../docs/audit.md"),
        include_str!("../../../../docs/enforce.md"),
        include_str!("../../../../docs/identity.md"),
        include_str!("../../../../docs/site-owners.md"),
        LINTING,
    ];
    for page in pages {
        for (_, session) in blocks(page).filter(|(kind, _)| *kind == "console") {
            let (command, answer) = session.split_once('\n').unwrap();
            let arguments =
                command.strip_prefix("$ verger ").expect("one command, on the first line");
            check_session(arguments, answer);
            ran += 1;
        }
    }
    assert!(ran > 0, "expected sessions, but found none");
}

#[track_caller]
fn check_session(arguments: &str, answer: &str) {
    let output = Command::new(env!("CARGO_BIN_EXE_verger"))
        .args(arguments.split(' '))
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."))
        .output()
        .expect("the program, built by Cargo");
    // This warning depends on the date. The linter shows a summary. Pages leave out hints.
    let is_fixed = |line: &&str| {
        let others = ["hint: ", "warning: the data about crawlers is of "];
        !arguments.starts_with("lint ")
            && !line.is_empty()
            && !others.iter().any(|other| line.starts_with(other))
    };
    let messages = String::from_utf8_lossy(&output.stderr);
    assert_eq!(messages.lines().filter(is_fixed).collect::<Vec<_>>(), [""; 0], "{arguments}");
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim_end(), answer, "{arguments}");
}

#[test]
fn the_page_of_the_command_line_lists_every_command() {
    let help = include_str!("../../../../docs/cli.md").lines();
    let names: Vec<&str> = help.filter_map(|line| line.strip_prefix("## `verger ")).collect();
    assert!(names.len() > 20, "{names:?}");
    for name in names.into_iter().filter_map(|name| name.strip_suffix('`')) {
        let row = format!("`{}`", name.split(' ').next().unwrap_or_default());
        let is_row = |line: &str| line.starts_with('|') && line.contains(&row);
        assert!(COMMAND_LINE.lines().any(is_row), "{row}");
    }
}

/// The picture of a terminal in the README. `EXPORT=overwrite` writes it.
#[test]
fn picture_of_the_readme_is_the_output_of_the_program() {
    const PICTURE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/images/explain.svg");
    const ARGUMENTS: &str = "check --robots examples/shop/robots.txt --agent GPTBot --explain \
                             https://shop.example/catalogue/7";
    let mut program = Command::new(env!("CARGO_BIN_EXE_verger"));
    program.args(ARGUMENTS.split_whitespace()).env("CLICOLOR_FORCE", "1").env_remove("NO_COLOR");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let output = program.current_dir(root).output().unwrap().stdout;
    let session =
        format!("$ verger {ARGUMENTS}\n{}", String::from_utf8(output).unwrap().trim_end());
    let svg = anstyle_svg::Term::new().render_svg(&session) + "\n";
    if std::env::var_os("EXPORT").is_some_and(|value| value == "overwrite") {
        std::fs::create_dir_all(Path::new(PICTURE).parent().unwrap()).unwrap();
        std::fs::write(PICTURE, svg).unwrap();
    } else {
        let found = std::fs::read_to_string(PICTURE).unwrap_or_default();
        assert!(found == svg, "docs/images/explain.svg is out of date: run `cargo xtask generate`");
    }
}
