//! The list of rules: complete, and quiet on the examples of the repository.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use verger_lint::{Profile, Settings, lint, rule};

/// The engine has no list of its kinds, so this reads its source.
#[test]
fn every_diagnostic_of_the_engine_has_a_rule() {
    let kinds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../verger/src/diagnostic/kind.rs");
    let source = fs::read_to_string(kinds).unwrap();
    let table = source.split("\nkinds! {").nth(1).unwrap().split("\n}\n").next().unwrap();
    let codes = table.split('"').skip(1).step_by(2).filter(|text| !text.contains(' '));
    let codes: BTreeSet<&str> = codes.chain(["invalid-value", "misspelt-key"]).collect();
    assert_eq!(codes.len(), 36);
    for code in codes {
        assert!(rule(code).is_some(), "no rule for {code}");
    }
}

#[test]
fn an_example_of_the_repository_has_no_findings() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/shop/robots.txt");
    let text = fs::read(path).unwrap();
    for mut settings in [Settings::default(), Profile::Google.settings(), Profile::Bing.settings()]
    {
        settings.origin = Some("https://shop.example".parse().expect("an origin"));
        let report = lint(&text, &settings);
        assert!(report.findings.is_empty(), "{:?}", report.findings);
    }
}
