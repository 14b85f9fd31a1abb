//! Profile `lighthouse` against Lighthouse itself: the same problems on the same lines, for the
//! corpus, the texts of `testdata/`, and generated ones.
//!
//! `VERGER_LIGHTHOUSE` is the folder with the installed package; `cargo xtask lighthouse` installs
//! it and runs this test. `VERGER_CASES` multiplies the number of generated texts.

use std::collections::BTreeMap;
use std::error::Error;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::{env, thread};

use verger_lint::{Profile, lint};
use verger_testkit::corpus::corpus;
use verger_testkit::generate::{case, cases};
use verger_testkit::shared::{Lacking, say, skip_loudly};
use verger_testkit::suite::load;

/// Lines with the messages of the profile.
type Found = Vec<(usize, String)>;
type Result<T> = std::result::Result<T, Box<dyn Error>>;

#[test]
fn the_profile_reports_what_lighthouse_reports() {
    let Some(folder) = env::var_os("VERGER_LIGHTHOUSE") else {
        return skip_loudly("profile `lighthouse`", Lacking::Data, "VERGER_LIGHTHOUSE is not set");
    };
    let texts = texts().unwrap();
    let expected = lighthouse(Path::new(&folder), &texts).unwrap();
    assert_eq!(expected.len(), texts.len());
    let (mut problems, mut differences) = (BTreeMap::<_, usize>::new(), Vec::new());
    for ((name, text), expected) in texts.iter().zip(expected) {
        let (found, omitted) = reported(text);
        // A report leaves out further problems.
        if found[..] != expected[..found.len().min(expected.len())]
            || found.len() + omitted != expected.len()
        {
            differences.push(format!("{name}: expected {expected:?}, but found {found:?}"));
        }
        for (_, problem) in expected {
            *problems.entry(problem).or_default() += 1;
        }
    }
    let total: usize = problems.values().sum();
    say(&format!("{total} problems of Lighthouse in {} texts: {problems:?}", texts.len()));
    assert!(
        differences.is_empty(),
        "{} differences:\n{}",
        differences.len(),
        differences.join("\n")
    );
    assert_eq!(problems.len(), MESSAGES.len(), "a kind of problem does not occur");
}

/// The texts, with names.
fn texts() -> Result<Vec<(String, Vec<u8>)>> {
    let mut texts: Vec<(String, Vec<u8>)> = corpus()?.unwrap_or_default().into_iter().collect();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata");
    let suite = load(&folder)?;
    texts.extend(suite.verdicts.into_iter().map(|case| (case.name, case.robots)));
    let generated = cases(800);
    texts.extend((0..generated).map(|index| (format!("case {index}"), case(31, index).robots)));
    let sitemaps = SITEMAPS.iter().map(|url| format!("Sitemap: {url}\n"));
    texts.push(("sitemaps".to_owned(), sitemaps.collect::<String>().into_bytes()));
    texts.push(("other".to_owned(), OTHER.into()));
    Ok(texts)
}

/// URLs that parsers of URLs read differently.
const SITEMAPS: [&str; 16] = [
    "http:example.com",
    "HTTPS://EXAMPLE.com/%zz",
    "http://ex ample.com/",
    "http://example.com:99999/",
    "http://[::1]/s.xml",
    "http://[::1/s.xml",
    "http://1.2.3.4.5/",
    "http://0x7f.1/",
    "http://xn--/",
    "http://\u{e9}.example/",
    "http://\u{2028}/",
    "ftp://a@b:c/",
    "file:///s.xml",
    "//example.com/s.xml",
    "https:/\\example.com",
    "a+b.c-d:e",
];

/// White space and letters that JavaScript reads in its own way.
const OTHER: &str = "\u{feff}\u{85}User-agent: *\n\u{feff}\u{2003}Disallow\u{a0}:\u{3000}x\n\
    U\u{17f}er-agent: *\nD\u{130}sallow: /\nHo\u{17f}t: a\n\u{212a}: a\nAllow: /a$\u{180e}\n\
    Disallow: /\u{2028}Allow: a\n\u{b}\u{c}Allow: a$\u{1c}\n\u{200b}Allow: /\n\u{1680}Allow: b\r\r\n";

/// The findings of the profile, and the number of those that are left out.
fn reported(text: &[u8]) -> (Found, usize) {
    let report = lint(text, &Profile::Lighthouse.settings());
    let line = |at: usize| report.position(at).line;
    let found = report.findings.iter().map(|it| (line(it.span.start), it.message.clone()));
    (found.collect(), report.omitted.iter().map(|(_, count)| count).sum())
}

/// The problems that Lighthouse reports for each text.
fn lighthouse(folder: &Path, texts: &[(String, Vec<u8>)]) -> Result<Vec<Found>> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lighthouse.mjs");
    let mut command = Command::new("node");
    command.arg(script).arg(folder).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn()?;
    let mut input = child.stdin.take().ok_or("no standard input")?;
    let (written, output) = thread::scope(|scope| {
        let writer = scope.spawn(move || {
            texts.iter().try_for_each(|(_, text)| {
                writeln!(input, "{}", text.len())?;
                input.write_all(text)
            })
        });
        let output = child.wait_with_output();
        (writer.join(), output)
    });
    let output = output?;
    if !output.status.success() {
        return Err(format!("node: {}", output.status).into());
    }
    written.map_err(|_| "the writer panicked")??;
    let (mut all, mut found) = (Vec::new(), Found::new());
    for line in String::from_utf8(output.stdout)?.lines() {
        match line.split_once('\t') {
            Some((line, message)) => found.push((line.parse()?, problem(message)?)),
            None => all.push(std::mem::take(&mut found)),
        }
    }
    Ok(all)
}

/// The message of the profile for a message of Lighthouse.
fn problem(message: &str) -> Result<String> {
    let known = MESSAGES.iter().find(|(theirs, _)| *theirs == message);
    let (_, ours) = known.ok_or_else(|| format!("unknown message of Lighthouse: {message:?}"))?;
    Ok((*ours).to_owned())
}

const MESSAGES: [(&str, &str); 7] = [
    ("Syntax not understood", "expected a key and a colon"),
    ("Unknown directive", "Lighthouse does not know the key"),
    ("Invalid sitemap URL", "expected an absolute URL of a sitemap"),
    ("Invalid sitemap URL protocol", "expected a sitemap with scheme http, https or ftp"),
    ("No user-agent specified", "expected the name of a user agent before rules"),
    (
        "Pattern should either be empty, start with \"/\" or \"*\"",
        "expected a pattern that is empty or begins with `/` or `*`",
    ),
    (
        "\"$\" should only be used at the end of the pattern",
        "expected `$` only at the end of a pattern",
    ),
];
