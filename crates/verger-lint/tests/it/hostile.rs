//! Hostile files of 500 KiB, in the default suite of 60 KiB: bounded findings, and bounded time.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::{Duration, Instant};

use verger::Dialect;
use verger_lint::{Profile, Settings, lint};
use verger_testkit::generate::is_thorough;
use verger_testkit::shared::say;

const BYTES: usize = 500 * 1024;

/// Maximum number of findings of a rule.
const FINDINGS_PER_RULE: usize = 1_000;

/// A text of lines up to a size in bytes.
fn filled(size: usize, head: &str, mut line: impl FnMut(&mut String, usize)) -> Vec<u8> {
    let mut text = head.to_owned();
    let mut index = 0;
    while text.len() < size - 200 {
        line(&mut text, index);
        index += 1;
    }
    text.into_bytes()
}

/// Writing to a string does not fail.
fn files() -> Vec<(&'static str, Vec<u8>)> {
    let size = if is_thorough() { BYTES } else { BYTES / 8 };
    let filled = |head, line: &mut dyn FnMut(&mut String, usize)| filled(size, head, line);
    let kind = |index: usize| if index.is_multiple_of(2) { "Allow" } else { "Disallow" };
    vec![
        (
            "distinct rules",
            filled("User-agent: *\n", &mut |text, index| {
                let _ = writeln!(text, "Disallow: /{index}");
            }),
        ),
        (
            "overlapping wildcards",
            filled("User-agent: *\n", &mut |text, index| {
                let _ = writeln!(text, "{}: /*{index}*a*", kind(index));
            }),
        ),
        (
            "repeated letters",
            filled("User-agent: *\n", &mut |text, index| {
                let _ = writeln!(text, "{}: /{}", kind(index), "*a".repeat(1 + index % 60));
            }),
        ),
        (
            "one group for each name",
            filled("User-agent: *\nDisallow: /x\n", &mut |text, index| {
                let _ = writeln!(text, "User-agent: bot{index}\nDisallow: /{index}");
            }),
        ),
        (
            "many names in one group, each with another one",
            filled("", &mut |text, index| {
                let _ = writeln!(text, "User-agent: a{index}");
                if index % 2_000 == 1_999 {
                    let _ = writeln!(text, "Disallow: /{index}");
                }
            }),
        ),
        (
            "a group in two parts for each name",
            filled("", &mut |text, index| {
                let name = index % 300;
                let _ = writeln!(text, "User-agent: b{name}\n{}: /{index}*/x$", kind(index));
            }),
        ),
        ("junk", filled("", &mut |text, _| text.push_str("x\n"))),
        (
            "trailing stars and slips",
            filled("User-agent: *\n", &mut |text, _| text.push_str("Dissalow: a*\n")),
        ),
    ]
}

#[test]
fn size_limits_are_one_finding() {
    let text =
        [filled(BYTES, "User-agent: *\n", |text, _| text.push_str("# x\n")), vec![b'#'; BYTES]];
    let mut limits = Settings::default();
    limits.select = vec!["limits".to_owned(), "portability".to_owned()];
    let found = |settings: &Settings| -> Vec<(&str, Option<String>)> {
        let findings = lint(&text.concat(), settings).findings;
        findings.into_iter().map(|finding| (finding.rule.code, finding.help)).collect()
    };
    let [("truncated", Some(help))] = &found(&limits)[..] else { panic!("{:?}", found(&limits)) };
    assert!(help.contains("Google reads 512000 bytes") && help.contains("Yandex ignores it"));
    limits.portable = vec![Dialect::YANDEX];
    assert!(matches!(found(&limits)[..], [("counts-as-none", Some(_))]));
    limits.ignore = vec!["truncated".to_owned(), "counts-as-none".to_owned()];
    assert!(matches!(found(&limits)[..], [("google-limit", Some(_))]));
}

#[test]
fn findings_are_bounded() {
    let mut strict = Profile::Strict.settings();
    strict.origin = Some("https://shop.example".parse().expect("an origin"));
    let all = [Settings::default(), strict, Profile::Lighthouse.settings()];
    let files = files();
    let reports: Vec<_> = std::thread::scope(|scope| {
        let start = |(number, settings)| {
            // The default suite takes one of the settings for each file.
            let files = files.iter().enumerate();
            let chosen = files.filter(move |(at, _)| is_thorough() || at % 2 == number);
            scope.spawn(move || chosen.map(|(_, file)| bounded(file, settings)).collect::<Vec<_>>())
        };
        let threads: Vec<_> = all.iter().enumerate().map(start).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("bounded findings")).collect()
    });
    let (time, name, _) = reports.iter().max().expect("a file");
    say(&format!("the slowest hostile file is `{name}`: {time:?}"));
    let omitted: usize = reports.iter().map(|(_, _, omitted)| omitted).sum();
    assert!(omitted > 10_000, "only {omitted} findings were left out");
}

/// The time of a file, its name, and the number of findings that are left out.
fn bounded<'a>(
    (name, text): &(&'a str, Vec<u8>),
    settings: &Settings,
) -> (Duration, &'a str, usize) {
    let start = Instant::now();
    let report = lint(text, settings);
    let time = start.elapsed();
    let mut counts = BTreeMap::new();
    for finding in &report.findings {
        *counts.entry(finding.rule.code).or_insert(0) += 1;
    }
    for (code, count) in counts {
        assert!(count <= FINDINGS_PER_RULE, "{name}: {code} has {count}");
    }
    (time, name, report.omitted.iter().map(|(_, count)| count).sum())
}
