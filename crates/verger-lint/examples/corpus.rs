//! Shows random findings of one rule on the corpus, for people who judge it. `docs/lint.md` has the
//! numbers of all findings.
//!
//! ```sh
//! cargo run -p verger-lint --example corpus -- trailing-star 20 7    # 20 findings, with seed 7
//! ```
#![expect(clippy::print_stdout, reason = "it is a program")]

use std::collections::BTreeMap;
use std::error::Error;

use verger::{LineIndex, Untrusted};
use verger_lint::{Settings, lint};
use verger_testkit::corpus::corpus;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let files = corpus()?.ok_or("expected ../shared/corpus beside the project")?;
    match &arguments[..] {
        [code, count, seed] => sample(&files, code, count.parse()?, seed.parse()?),
        _ => return Err("expected the arguments CODE COUNT SEED".into()),
    }
    Ok(())
}

type Files = BTreeMap<String, Vec<u8>>;

/// Prints random findings of a rule, with their lines.
fn sample(files: &Files, code: &str, count: usize, seed: u64) {
    let mut settings = Settings::default();
    settings.select = vec![code.to_owned()];
    let mut shown = Vec::new();
    for (name, text) in files {
        let report = lint(text, &settings);
        let lines = LineIndex::new(&report.text);
        for finding in &report.findings {
            let place = lines.position(finding.span.start);
            let line = report.text.split(|&octet| octet == b'\n').nth(place.line - 1);
            let line = Untrusted::new(line.unwrap_or_default()).limited_to(100).to_string();
            let fix = finding.fix.as_ref().map(|fix| format!(" [{}]", fix.title));
            let fix = fix.unwrap_or_default();
            let url = finding.url.as_ref().map(|url| format!(" <{url}>")).unwrap_or_default();
            shown.push(format!("{name}:{}: {line}\n    {}{url}{fix}", place.line, finding.message));
        }
    }
    // A random order from a linear congruential generator.
    let mut state = seed;
    for at in (1..shown.len()).rev() {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let other = usize::try_from(state >> 33).unwrap_or_default() % (at + 1);
        shown.swap(at, other);
    }
    println!("{} findings", shown.len());
    for finding in shown.iter().take(count) {
        println!("{finding}");
    }
}
