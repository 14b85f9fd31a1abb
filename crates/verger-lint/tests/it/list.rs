//! The rules are quiet on the examples of the repository.

use std::fs;
use std::path::Path;

use verger_lint::{Profile, Settings, lint};

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
