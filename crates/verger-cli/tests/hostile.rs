//! Hostile inputs through the program: whatever they are, it ends with one of its exit codes, and
//! nothing alive leaves it.

use std::ffi::OsString;
use std::path::Path;

use verger_testkit::hostile::{
    Expect, Invocation, Layer, Sink, Written, entries, judge_output, judge_text, unescaped,
};
use verger_testkit::shared::{Lacking, skip_loudly};

/// A file of groups for several agents and for everybody.
const ROBOTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cmd/fixtures/groups.txt");

fn run(invocation: &Invocation) -> Written {
    let program = Path::new(env!("CARGO_BIN_EXE_verger"));
    invocation.run(program).expect("the program can be run")
}

/// What is wrong with a run of these arguments, with this input.
fn judge(arguments: &[&str], input: &[u8]) -> Option<String> {
    let arguments: Vec<OsString> = arguments.iter().map(OsString::from).collect();
    let written = run(&Invocation { arguments, input: input.to_vec(), ..Invocation::default() });
    if !matches!(written.status, Some(0..=2)) {
        return Some(format!("ended with {:?}", written.status));
    }
    for (name, stream) in [("output", &written.stdout), ("error", &written.stderr)] {
        if let Some(place) = unescaped(stream) {
            return Some(format!("a live byte is at {place} of standard {name}"));
        }
    }
    None
}

#[track_caller]
fn assert_none(wrong: &[String]) {
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn hostile_names_errors_and_readers() {
    let is_rule =
        |claim: &Expect| matches!(claim, Expect::Shown(shown) if shown.sink != Sink::Error);
    let wrong: Vec<String> = entries(Layer::Output)
        .iter()
        .filter(|entry| !entry.expect.iter().any(is_rule))
        .flat_map(|entry| judge_output(entry, run))
        .collect();
    assert_none(&wrong);
}

/// The shell completes names by itself; what it is told to do with them runs none.
#[test]
fn bash_completes_hostile_file_names_without_running_them() {
    const COMPLETE: &str = "source /dev/stdin; COMP_WORDS=(verger check --robots ''); COMP_CWORD=3; \
                            _verger verger '' --robots; printf '%s' \"${#COMPREPLY[@]}\" *";
    let script = run(&Invocation {
        arguments: ["completions", "bash"].map(Into::into).into(),
        ..Invocation::default()
    });
    for entry in entries(Layer::Output) {
        if !entry.expect.iter().any(|claim| matches!(claim, Expect::Completion)) {
            continue;
        }
        let name = String::from_utf8(entry.bytes()).expect("a name of UTF-8");
        let completion = Invocation {
            arguments: ["--norc", "-c", COMPLETE].map(Into::into).into(),
            input: script.stdout.clone(),
            files: vec![(OsString::from(&name), Vec::new())],
            ..Invocation::default()
        };
        let written = match completion.run(Path::new("bash")) {
            Ok(written) => written,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return skip_loudly("completion in bash", Lacking::Tool, "bash is not there");
            }
            Err(error) => panic!("{error}"),
        };
        assert_eq!(written.status, Some(0), "{written:?}");
        // One file is offered, and there is no other afterwards.
        assert_eq!(String::from_utf8_lossy(&written.stdout), format!("1{name}"), "{}", entry.id);
    }
}

#[test]
fn hostile_rules_are_shown_escaped() {
    let mut wrong = Vec::new();
    for entry in entries(Layer::Output) {
        for claim in &entry.expect {
            let Expect::Shown(shown) = claim else {
                continue;
            };
            let formats: &[&[&str]] = match shown.sink {
                Sink::Terminal => &[&[], &["--explain"]],
                Sink::Log => &[&[]],
                Sink::Json => &[&["--format", "json"], &["--format", "jsonl", "--explain"]],
                Sink::Error => continue,
            };
            for format in formats {
                // The pattern is a path that it matches.
                let check = ["check", "--robots", "robots.txt", "--agent", "a", "--urls-from", "-"];
                let arguments = check.iter().chain(*format).map(OsString::from).collect();
                let files = vec![("robots.txt".into(), entry.bytes())];
                let input = shown.pattern.to_vec();
                let written = run(&Invocation { arguments, files, input, ..Invocation::default() });
                assert_eq!((written.status, &*written.stderr), (Some(1), &b""[..]), "{}", entry.id);
                let judged = judge_text(shown, &written.stdout);
                wrong.extend(judged.err().map(|told| format!("{}: {told}", entry.id)));
            }
        }
    }
    assert_none(&wrong);
}

#[test]
fn hostile_robots_are_explained() {
    let mut wrong = Vec::new();
    for entry in entries(Layer::Robots).iter().chain(&entries(Layer::Sitemap)) {
        for format in ["text", "jsonl"] {
            let arguments = ["check", "--robots", "-", "--agent", "FooBot", "--explain"];
            let arguments = [&arguments[..], &["--format", format, "/a", "/admin/x?y"]].concat();
            let told = judge(&arguments, &entry.bytes());
            wrong.extend(told.map(|told| format!("{} as {format}: {told}", entry.id)));
        }
    }
    assert_none(&wrong);
}

#[test]
fn hostile_urls_are_answered_or_refused() {
    let mut wrong = Vec::new();
    for entry in entries(Layer::Url) {
        for format in ["text", "jsonl"] {
            for dialect in ["rfc9309", "google"] {
                let arguments = ["check", "--robots", ROBOTS, "--agent", "FooBot", "--explain"];
                let more = ["--urls-from", "-", "--format", format, "--dialect", dialect];
                let arguments = [&arguments[..], &more].concat();
                let told = judge(&arguments, &entry.bytes());
                wrong.extend(told.map(|told| format!("{} as {format}: {told}", entry.id)));
            }
        }
    }
    assert_none(&wrong);
}

#[test]
fn hostile_agents_are_asked_for() {
    let mut wrong = Vec::new();
    for entry in entries(Layer::Agent) {
        let agent = entry.bytes();
        // No argument holds a NUL, nor as much as some of these.
        let Some(agent) = str::from_utf8(&agent).ok().filter(|it| it.len() < 100_000) else {
            continue;
        };
        if agent.contains('\0') {
            continue;
        }
        let arguments = ["check", "--robots", "-", &format!("--agent={agent}"), "--explain", "/x"];
        let robots = format!("User-agent: {agent}\nDisallow: /\n");
        for format in ["text", "jsonl"] {
            let arguments = [&arguments[..], &["--format", format]].concat();
            let told = judge(&arguments, robots.as_bytes());
            wrong.extend(told.map(|told| format!("{} as {format}: {told}", entry.id)));
        }
        let told = judge(&["robots", "-", agent, "/x"], robots.as_bytes());
        wrong.extend(told.map(|told| format!("{} in `robots`: {told}", entry.id)));
    }
    assert_none(&wrong);
}
