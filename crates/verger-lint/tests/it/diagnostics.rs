//! Every diagnostic of the engine reaches the reader of a report: as a finding with its code, or,
//! for a recorded reason, as a finding of a rule that explains the line better.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use verger::diagnostic::DiagnosticKind;
use verger::{Dialect, Robots, Span};
use verger_lint::{Category, Finding, Settings, lint, rule};
use verger_testkit::corpus::corpus;
use verger_testkit::generate::{case, cases, one_in};

/// Step of the default suite's sample of the corpus.
const SAMPLE: usize = 60;

/// Diagnostics of which another rule reports the line. Every other one has a finding of its code.
const REPLACED: [(&str, &[&str]); 8] = [
    ("mistakable-key", &["byte-order-mark", "foreign-space"]),
    ("foreign-space", &["byte-order-mark"]),
    // Two words of which the first one is unknown, if only by its space.
    ("missing-colon", &["unknown-key", "mistakable-key", "foreign-space"]),
    ("unknown-key", &["obsolete-record"]),
    ("invalid-value", &["obsolete-record"]),
    ("pattern-without-slash", &["absolute-pattern", "regular-expression"]),
    ("agent-cut", &["header-as-agent"]),
    ("unusual-agent", &["agent-cut", "agent-list", "header-as-agent"]),
];

/// For each code, a file that has the problem. Rules of category portability look at dialects.
fn files() -> BTreeMap<&'static str, Vec<u8>> {
    let group = "User-agent: a\n";
    let long = format!("{group}Disallow: /{}\n", "x".repeat(17_000));
    let huge = format!("{group}{}", "Disallow: /cart\n".repeat(40_000));
    let wide = |text: &str| -> Vec<u8> {
        format!("\u{feff}{text}").chars().flat_map(|c| u32::from(c).to_le_bytes()).collect()
    };
    let utf_16: Vec<u8> =
        format!("\u{feff}{group}").encode_utf16().flat_map(u16::to_le_bytes).collect();
    let texts = [
        ("truncated", huge.clone()),
        ("counts-as-none", huge),
        ("many-nuls", "U\0s\0e\0r\0\n".to_owned()),
        ("looks-like-html", "<html>\n".to_owned()),
        ("byte-order-mark", format!("{group}\u{feff}Disallow: /\n")),
        ("nul", format!("{group}Disallow: /a\0b/some/more/text\n")),
        ("foreign-space", format!("{group}Disallow: /\u{a0}\n")),
        ("line-too-long", long.clone()),
        ("oversized-rule", long),
        ("no-record", "x\n".to_owned()),
        ("empty-key", ": /\n".to_owned()),
        ("missing-colon", format!("{group}Disallow /\n")),
        ("mistakable-key", "User\u{2011}agent: a\n".to_owned()),
        ("misspelt-key", format!("{group}Disalow: /\n")),
        ("foreign-key", format!("{group}Allow: /a\nDisallow: /\n")),
        ("unknown-key", "Forbidden: /\n".to_owned()),
        ("rule-outside-group", "Disallow: /\n".to_owned()),
        ("blank-line-in-group", format!("{group}\nDisallow: /\n")),
        ("agents-joined", format!("{group}Crawl-delay: 1\nUser-agent: b\nDisallow: /\n")),
        ("names-nobody", "User-agent:\nDisallow: /\n".to_owned()),
        ("agent-list", "User-agent: a, b\nDisallow: /\n".to_owned()),
        ("agent-cut", "User-agent: a/1.0\nDisallow: /\n".to_owned()),
        ("unusual-agent", "User-agent: a@b\nDisallow: /\n".to_owned()),
        ("pattern-without-slash", format!("{group}Disallow: cart\n")),
        ("malformed-percent", format!("{group}Disallow: /100%\n")),
        ("repeated-crawl-delay", format!("{group}Crawl-delay: 1\nCrawl-delay: 2\nDisallow: /\n")),
        ("sitemap-not-absolute", "Sitemap: /s.xml\n".to_owned()),
        ("record-outside-group", "Crawl-delay: 1\n".to_owned()),
        ("invalid-value", format!("{group}Crawl-delay: x\nDisallow: /\n")),
        ("unknown-preference", format!("{group}Content-Signal: use=x\nDisallow: /\n")),
        ("unknown-category", format!("{group}Content-Usage: x=y\nDisallow: /\n")),
        ("license-in-group", format!("{group}Disallow: /\nLicense: https://shop.example/l\n")),
        ("not-honoured", format!("{group}Noindex: /\nDisallow: /\n")),
    ];
    let bytes = [
        ("utf-16", utf_16),
        ("utf-32", wide(group)),
        ("invalid-utf-8", [group.as_bytes(), b"Disallow: /\xe9\n"].concat()),
    ];
    texts.into_iter().map(|(code, text)| (code, text.into_bytes())).chain(bytes).collect()
}

#[test]
fn every_diagnostic_is_a_finding_in_a_file_that_has_it() {
    let files = files();
    let codes: BTreeSet<&str> = DiagnosticKind::CODES.iter().copied().collect();
    assert_eq!(codes, files.keys().copied().collect());
    for (code, text) in files {
        let rule = rule(code).unwrap();
        let mut settings = Settings::default();
        if rule.category == Category::Portability {
            settings.portable = Dialect::PUBLISHED.to_vec();
        }
        let is_diagnosed =
            Dialect::PUBLISHED.iter().any(|dialect| diagnosed(&dialect.parse(&text), code));
        assert!(is_diagnosed, "the file of {code} does not have the problem");
        // All problems with the length of a file are one finding.
        settings.select = vec![code.to_owned()];
        let report = lint(&text, &settings);
        assert!(report.findings.iter().any(|it| it.rule.code == code), "{code} is not reported");
    }
}

fn diagnosed(robots: &Robots, code: &str) -> bool {
    let mut found = false;
    robots.diagnose(|diagnostic| found |= diagnostic.code() == code);
    found
}

#[test]
fn no_diagnostic_is_dropped_without_a_finding_on_its_line() {
    let files = files().into_values();
    let generated = (0..cases(100)).map(|index| case(31, index).robots);
    let real = corpus().unwrap().unwrap_or_default().into_values().step_by(one_in(SAMPLE));
    for text in files.chain(pages()).chain(generated).chain(real) {
        check(&text);
    }
}

/// The examples of the literate tests, with their stand-ins. Suppressed findings have a separate
/// test.
fn pages() -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rules");
    let files = fs::read_dir(folder)
        .expect("the folder")
        .map(|file| fs::read_to_string(file.expect("an entry").path()).expect("a page"));
    let examples = files.flat_map(|page| {
        let blocks = page.split("```robots").skip(1);
        let blocks = blocks.filter_map(|rest| rest.split_once('\n')?.1.split("```").next());
        blocks.map(crate::shown::bytes).collect::<Vec<_>>()
    });
    examples.collect()
}

fn check(text: &[u8]) {
    let report = lint(text, &Settings::default());
    let robots = Robots::parse(text);
    let line = |at: usize| report.position(at).line;
    let has = |code: &str| report.findings.iter().any(|finding| finding.rule.code == code);
    let is_foreign = ["looks-like-html", "many-nuls", "utf-32"].into_iter().any(has);
    let is_suppressed = String::from_utf8_lossy(text).contains("verger-lint:");
    if is_suppressed {
        return;
    }
    robots.diagnose(|found| {
        let code = found.code();
        let rule = rule(code).expect("a rule for each code");
        // Bytes of a comment have no effect.
        let before = report.text[..found.span.start].rsplit(|octet| b"\r\n".contains(octet)).next();
        let is_comment = code == "invalid-utf-8" && before.is_some_and(|it| it.contains(&b'#'));
        let is_omitted = report.omitted.iter().any(|(omitted, _)| omitted.code == code);
        // A file that is no robots.txt has one finding, not one for each line.
        let is_noise = is_foreign && rule.category == Category::Syntax;
        // Names of letters, digits and dots are usual, although not in RFC 9309's alphabet.
        let octet = report.text.get(found.span.start).copied().unwrap_or_default();
        let is_usual = code == "unusual-agent" && (octet.is_ascii_digit() || octet == b'.');
        // A group without rules has its own finding, not one for each line.
        let empty = robots.groups().last().filter(|group| group.rules().len() == 0);
        let start = empty.and_then(|it| Some(it.agents().next()?.span().start));
        let is_of_empty_group =
            code == "agents-joined" && start.is_some_and(|it| it < found.span.start);
        if is_omitted
            || is_of_empty_group
            || is_noise
            || is_usual
            || is_comment
            || rule.category == Category::Portability
        {
            return;
        }
        let better =
            REPLACED.iter().find(|(replaced, _)| *replaced == code).map_or(&[][..], |it| it.1);
        let reports = |it: &&str| *it == code || better.contains(it) || *it == "joined-records";
        let is_here = |span: Span| line(span.start) == line(found.span.start);
        // Gathered findings are labels of the first one.
        let is_gathered = |it: &Finding| {
            it.labels.iter().any(|label| is_here(label.span) && label.text == "likewise")
        };
        let on_line = report.findings.iter().filter(|it| is_here(it.span) || is_gathered(it));
        let mut on_line = on_line.map(|finding| finding.rule.code);
        let is_reported = on_line.any(|code| reports(&code));
        let (line, shown) = (line(found.span.start), text.escape_ascii());
        assert!(is_reported, "line {line}: {code} vanishes in \"{shown}\"");
    });
}
