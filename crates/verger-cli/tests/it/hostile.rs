//! Hostile inputs: the program always ends with one of its exit codes, and its output is escaped.

use std::ffi::OsString;
use std::path::Path;

use verger_testkit::generate::{is_thorough, one_in};
use verger_testkit::hostile::{
    Claim, Invocation, Kind, Sink, Written, entries, inputs, judge_output, judge_text, unescaped,
};
use verger_testkit::shared::{Lacking, skip_loudly};

/// A file with groups for several agents and for `*`.
const ROBOTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cmd/fixtures/groups.txt");

fn run(invocation: &Invocation) -> Written {
    let program = Path::new(env!("CARGO_BIN_EXE_verger"));
    invocation.run(program).expect("the program can be run")
}

/// The error of a run with these arguments and this input, if any.
fn judge(arguments: &[&str], input: &[u8]) -> Option<String> {
    let arguments: Vec<OsString> = arguments.iter().map(OsString::from).collect();
    let written = run(&Invocation { arguments, input: input.to_vec(), ..Invocation::default() });
    if !matches!(written.status, Some(0..=2)) {
        return Some(format!("ended with {:?}", written.status));
    }
    for (name, stream) in [("output", &written.stdout), ("error", &written.stderr)] {
        if let Some(place) = unescaped(stream) {
            return Some(format!("an unescaped byte is at {place} of standard {name}"));
        }
    }
    None
}

/// Whether this run of the program is made: all are in the thorough suite, otherwise one of 41. The
/// number is odd, so that runs of every kind are among them.
fn is_turn(run: usize) -> bool {
    is_thorough() || run.is_multiple_of(41)
}

/// The inputs of a kind, with the names of their cases.
fn of(kind: Kind) -> impl Iterator<Item = (Vec<u8>, String)> {
    let of_kind = inputs().into_iter().filter(move |((of, _), _)| *of == kind);
    of_kind.map(|((_, bytes), name)| (bytes, name))
}

#[track_caller]
fn assert_none(wrong: &[String]) {
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn hostile_names_errors_and_readers() {
    let is_rule = |claim: Claim| matches!(claim, Claim::Shown(shown) if shown.sink != Sink::Error);
    let entries = entries().into_iter().filter(|entry| !is_rule(entry.claim));
    let wrong: Vec<String> = entries.filter_map(|entry| judge_output(&entry, run)).collect();
    assert_none(&wrong);
}

/// The shell completes names itself; the script must not run any of them.
#[test]
fn bash_completes_hostile_file_names_without_running_them() {
    const COMPLETE: &str = "source /dev/stdin; COMP_WORDS=(verger check --robots ''); COMP_CWORD=3; \
                            _verger verger '' --robots; printf '%s' \"${#COMPREPLY[@]}\" *";
    let script = run(&Invocation {
        arguments: ["completions", "bash"].map(Into::into).into(),
        ..Invocation::default()
    });
    for entry in entries().into_iter().filter(|entry| entry.claim == Claim::Completion) {
        let name = String::from_utf8(entry.bytes).expect("a name of UTF-8");
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
        // One file is completed, and no other file was created.
        assert_eq!(String::from_utf8_lossy(&written.stdout), format!("1{name}"), "{}", entry.id);
    }
}

#[test]
fn hostile_rules_are_shown_escaped() {
    let mut wrong = Vec::new();
    for entry in entries().into_iter().step_by(one_in(3)) {
        let Claim::Shown(shown) = entry.claim else { continue };
        let formats: &[&[&str]] = match shown.sink {
            Sink::Terminal => &[&[], &["--explain"]],
            Sink::Log => &[&[]],
            Sink::Json => &[&["--format", "json"], &["--format", "jsonl", "--explain"]],
            Sink::Error => continue,
        };
        for format in formats {
            // The pattern matches itself as a path.
            let check = ["check", "--robots", "robots.txt", "--agent", "a", "--urls-from", "-"];
            let arguments = check.iter().chain(*format).map(OsString::from).collect();
            let files = vec![("robots.txt".into(), entry.bytes.clone())];
            let input = shown.pattern.to_vec();
            let written = run(&Invocation { arguments, files, input, ..Invocation::default() });
            assert_eq!((written.status, &*written.stderr), (Some(1), &b""[..]), "{}", entry.id);
            let judged = judge_text(&shown, &written.stdout);
            wrong.extend(judged.err().map(|message| format!("{}: {message}", entry.id)));
        }
    }
    assert_none(&wrong);
}

#[test]
fn hostile_robots_are_explained() {
    let mut wrong = Vec::new();
    let mut runs = 0;
    for (robots, name) in of(Kind::Robots) {
        for format in ["text", "jsonl"] {
            runs += 1;
            if !is_turn(runs) {
                continue;
            }
            let arguments = ["check", "--robots", "-", "--agent", "FooBot", "--explain"];
            let arguments = [&arguments[..], &["--format", format, "/a", "/admin/x?y"]].concat();
            let message = judge(&arguments, &robots);
            wrong.extend(message.map(|message| format!("{name} as {format}: {message}")));
        }
    }
    assert_none(&wrong);
}

#[test]
fn hostile_urls_are_answered_or_refused() {
    let mut wrong = Vec::new();
    let mut runs = 0;
    for (url, name) in of(Kind::Url) {
        for format in ["text", "jsonl"] {
            for dialect in ["rfc9309", "google"] {
                runs += 1;
                if !is_turn(runs) {
                    continue;
                }
                let arguments = ["check", "--robots", ROBOTS, "--agent", "FooBot", "--explain"];
                let more = ["--urls-from", "-", "--format", format, "--dialect", dialect];
                let arguments = [&arguments[..], &more].concat();
                let message = judge(&arguments, &url);
                wrong.extend(message.map(|message| format!("{name} as {format}: {message}")));
            }
        }
    }
    assert_none(&wrong);
}

#[test]
fn hostile_agents_are_checked() {
    let mut wrong = Vec::new();
    for (at, (agent, name)) in of(Kind::Agent).enumerate().skip(1) {
        if !is_turn(at) {
            continue;
        }
        // An argument cannot contain NUL, and its length is limited.
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
            let message = judge(&arguments, robots.as_bytes());
            wrong.extend(message.map(|message| format!("{name} as {format}: {message}")));
        }
        let message = judge(&["robots", "-", agent, "/x"], robots.as_bytes());
        wrong.extend(message.map(|message| format!("{name} in `robots`: {message}")));
        let message = judge(&["crawlers", "show", "--", agent], b"");
        wrong.extend(message.map(|message| format!("{name} in `crawlers`: {message}")));
    }
    assert_none(&wrong);
}
