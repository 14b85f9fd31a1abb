//! Literate tests: each file of `tests/rules` describes one rule with examples.
//!
//! A block `robots` is a file; the block `findings` after it has the expected findings of the rule
//! that the file is named after, one a line: `line:column severity message`, then indented lines
//! for labels, URL, help and fix. An empty block: there are none. A block `fixed` after it is the
//! text with the fixes applied. `shown.rs` has stand-ins for invisible characters.
//!
//! The first line of a block `robots` can have settings: `portable=bing,yandex`,
//! `origin=https://shop.example`, `now=` with seconds since 1970, `select=` with rules that run too
//! but are not shown, and an encoding: `utf-16` or `utf-32`.
//!
//! A block `response` in its place describes responses, for rules of category live; `response.rs`
//! has its form.
//!
//! The examples in the documentation of a rule are also tested: the first one has the problem, the
//! second one does not.
//!
//! `VERGER_BLESS=1` writes the found results into the files.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

use verger::Dialect;
use verger::access::Timestamp;
use verger_lint::{Category, RULES, Report, Rule, Safety, Settings, lint, lint_responses, rule};

use crate::{response, shown};

#[test]
fn every_rule_behaves_as_on_its_page() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rules");
    let test = |rule: &Rule| page(&folder.join(format!("{}.md", rule.code)), rule.code).err();
    let wrong: Vec<String> = RULES.iter().filter_map(test).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Checks the blocks of a page.
fn page(path: &Path, code: &str) -> Result<(), String> {
    let name = path.display();
    let page = fs::read_to_string(path).map_err(|error| format!("{name}: {error}"))?;
    let (mut out, mut report) = (String::new(), None);
    let (mut with_findings, mut without) = (0, 0);
    let mut safeties = BTreeSet::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        out.extend([line, "\n"]);
        let Some(info) = line.strip_prefix("```").filter(|info| !info.is_empty()) else { continue };
        let mut block = String::new();
        for line in lines.by_ref().take_while(|line| *line != "```") {
            block.extend([line, "\n"]);
        }
        let block = match (info.split(' ').next(), &report) {
            (Some("robots"), _) => {
                let found = run(&block, info, code)?;
                let fixes = found.findings.iter().filter_map(|finding| finding.fix.as_ref());
                safeties.extend(fixes.map(|fix| fix.safety));
                report = Some(found);
                block
            }
            (Some("response"), _) => {
                report = Some(lint_responses(&response::observation(&block)?, &only(code)));
                block
            }
            (Some("findings"), Some(report)) => {
                let count =
                    if report.findings.is_empty() { &mut without } else { &mut with_findings };
                *count += 1;
                text(report)
            }
            (Some("fixed"), Some(report)) => shown::shown(&report.fixed_once(Safety::Unsafe).0),
            _ => return Err(format!("{name}: unexpected block {info}")),
        };
        out.extend([&block, "```\n"]);
    }
    if with_findings == 0 || without == 0 {
        return Err(format!("{name}: expected examples with and without findings"));
    }
    examples(code)?;
    documented(code, &safeties)?;
    if out == page {
        return Ok(());
    }
    if env::var_os("VERGER_BLESS").is_some() {
        return fs::write(path, out).map_err(|error| format!("{name}: {error}"));
    }
    Err(format!("{name} differs from\n{out}"))
}

/// Rules with examples that a page cannot show: sizes and encodings.
const NOT_SHOWN: [&str; 8] = [
    "counts-as-none",
    "google-limit",
    "line-too-long",
    "oversized-rule",
    "truncated",
    "utf-16",
    "utf-32",
    "yandex-limit",
];

/// Checks the examples on the page of a rule.
fn examples(code: &str) -> Result<(), String> {
    let page = rule(code).map(Rule::page).unwrap_or_default();
    let is_live = rule(code).is_some_and(|rule| rule.category == Category::Live);
    let fence = if is_live { "```response\n" } else { "```text\n" };
    let examples = page.split(fence).skip(1).map(|rest| rest.split("```").next());
    let examples: Vec<&str> = examples.flatten().collect();
    if examples.is_empty() && !NOT_SHOWN.contains(&code) {
        return Err(format!("{code}: expected an example on the page, but found none"));
    }
    for (number, example) in (1..).zip(examples) {
        let mut settings = only(code);
        settings.portable = Dialect::PUBLISHED.to_vec();
        settings.origin = Some("https://shop.example".parse().expect("an origin"));
        settings.now = Some(Timestamp::from_seconds(u64::MAX));
        let report = if is_live {
            lint_responses(&response::observation(example)?, &settings)
        } else {
            lint(&shown::bytes(example), &settings)
        };
        let count = report.findings.iter().filter(|finding| finding.rule.code == code).count();
        if !NOT_SHOWN.contains(&code) && (count == 0) != (number == 2) {
            return Err(format!("{code}: {count} findings in example {number} of the page"));
        }
    }
    Ok(())
}

/// The page of a rule says how safe its fixes are, if and only if an example has a fix.
fn documented(code: &str, safeties: &BTreeSet<Safety>) -> Result<(), String> {
    let page = rule(code).map(Rule::page).unwrap_or_default();
    let fix = page.split("\n## ").find(|section| section.starts_with("Fix\n"));
    for safety in [Safety::Safe, Safety::Unsafe] {
        let word = if safety == Safety::Safe { "Safe" } else { "Unsafe" };
        let is_named = fix
            .is_some_and(|fix| fix.split_whitespace().any(|it| it.trim_end_matches(':') == word));
        if is_named != safeties.contains(&safety) {
            return Err(format!("{code}: expected examples and section `Fix` to agree on {word}"));
        }
    }
    Ok(())
}

/// Settings that run one rule, and those on which its findings depend.
fn only(code: &str) -> Settings {
    let mut settings = Settings::default();
    if code != "unused-suppression" {
        settings.select = vec![code.to_owned()];
    }
    settings
}

/// Lints a block with one rule.
fn run(block: &str, info: &str, code: &str) -> Result<Report, String> {
    let mut settings = only(code);
    let mut bytes = shown::bytes(block);
    for option in info.split(' ').skip(1) {
        let units = || String::from_utf8_lossy(&bytes).into_owned();
        match option.split_once('=').unwrap_or((option, "")) {
            ("portable", dialects) => {
                for dialect in dialects.split(',') {
                    let dialect = dialect.parse().map_err(|_| format!("no dialect {dialect}"))?;
                    settings.portable.push(dialect);
                }
            }
            ("now", seconds) => {
                let seconds = seconds.parse().map_err(|_| format!("no time {seconds}"))?;
                settings.now = Some(Timestamp::from_seconds(seconds));
            }
            ("select", rules) => settings.select.extend(rules.split(',').map(str::to_owned)),
            ("origin", origin) => {
                let origin = origin.parse().map_err(|_| format!("no origin {origin}"))?;
                settings.origin = Some(origin);
            }
            ("utf-16", _) => {
                bytes = format!("\u{feff}{}", units())
                    .encode_utf16()
                    .flat_map(u16::to_le_bytes)
                    .collect();
            }
            ("utf-32", _) => {
                let text = format!("\u{feff}{}", units());
                bytes = text.chars().flat_map(|c| u32::from(c).to_le_bytes()).collect();
            }
            _ => return Err(format!("unknown option {option}")),
        }
    }
    let mut report = lint(&bytes, &settings);
    report.findings.retain(|finding| finding.rule.code == code);
    Ok(report)
}

fn text(report: &Report) -> String {
    let place = |at: usize| {
        let position = report.position(at);
        format!("{}:{}", position.line, position.column)
    };
    let mut out = String::new();
    for finding in &report.findings {
        let place_of = place(finding.span.start);
        let _ = writeln!(out, "{place_of} {} {}", finding.severity, finding.message);
        for label in &finding.labels {
            let _ = writeln!(out, "    {} {}", place(label.span.start), label.text);
        }
        for (name, detail) in [("url", &finding.url), ("help", &finding.help)] {
            if let Some(detail) = detail {
                let _ = writeln!(out, "    {name}: {detail}");
            }
        }
        if let Some(fix) = &finding.fix {
            let _ = writeln!(out, "    fix ({}): {}", fix.safety.name(), fix.title);
        }
    }
    out
}
