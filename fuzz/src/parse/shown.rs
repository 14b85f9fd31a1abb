//! Checks that all displayed text of a file is inert.

use verger::{Robots, Untrusted};

use crate::inert::{assert_inert, assert_shown_inert};

/// Displays everything.
pub(super) fn check(robots: &Robots) {
    assert_inert(&format!("{robots:?}"));
    for group in robots.groups() {
        assert_shown_inert(&group);
        group.agents().for_each(|agent| assert_shown_inert(&agent));
        group.rules().for_each(|rule| assert_shown_inert(&rule));
    }
    robots.records().for_each(|record| assert_shown_inert(&record));
    for found in robots.diagnostics().list {
        assert_shown_inert(&found);
    }
    let text = Untrusted::new(robots.text());
    assert_shown_inert(&text);
    assert_eq!(text.is_utf8(), std::str::from_utf8(robots.text()).is_ok());
    let json = text.json().to_string();
    assert_inert(&json);
    let value: Result<String, _> = serde_json::from_str(&json);
    assert_eq!(value.ok(), Some(lossy(robots.text())), "JSON has another value");
}

/// Each byte that is not UTF-8 becomes one replacement character.
fn lossy(text: &[u8]) -> String {
    let mut lossy = String::new();
    for chunk in text.utf8_chunks() {
        lossy.push_str(chunk.valid());
        lossy.extend(chunk.invalid().iter().map(|_| char::REPLACEMENT_CHARACTER));
    }
    lossy
}
