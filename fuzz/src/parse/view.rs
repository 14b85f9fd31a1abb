//! The public contents of a parsed file: comparisons, and a check that all displayed text is inert.

use verger::parse::Encoding;
use verger::{LineIndex, Robots, RuleKind, Span, Untrusted};

use super::events::lines;
use crate::inert::{assert_inert, assert_shown_inert};

/// Groups, and records that are neither agents nor rules, with their lines.
#[derive(Debug, PartialEq)]
pub(super) struct View {
    groups: Vec<Group>,
    records: Vec<Record>,
}

#[derive(Debug, PartialEq)]
struct Group {
    agents: Vec<(usize, Vec<u8>, Vec<u8>)>,
    rules: Vec<(usize, RuleKind, Vec<u8>)>,
}

/// Line, key, value, group.
type Record = (usize, Vec<u8>, Vec<u8>, Option<usize>);

/// Reads the contents of a parsed file.
pub(super) fn of(robots: &Robots) -> View {
    let index = LineIndex::new(robots.text());
    let line = |span: Span| index.position(span.start).line;
    let groups = robots.groups().map(|group| Group {
        agents: group
            .agents()
            .map(|agent| (line(agent.span()), agent.name().to_vec(), agent.value().to_vec()))
            .collect(),
        rules: group
            .rules()
            .map(|rule| (line(rule.span()), rule.kind(), rule.pattern().to_vec()))
            .collect(),
    });
    let records = robots.records().map(|record| {
        let (key, value) = (record.key().to_vec(), record.value().to_vec());
        (line(record.span()), key, value, record.group())
    });
    View { groups: groups.collect(), records: records.collect() }
}

/// REP-SYNTAX-4: the kind of line end changes only offsets; so does a line end at the end of the
/// file.
pub(super) fn check_line_ends(robots: &Robots, shown: &View, end: &str) {
    let mut dialect = robots.dialect();
    if super::allows_all(robots) {
        return;
    }
    // Other line ends change the length of the text.
    dialect.byte_limit = None;
    let text = robots.text();
    let start = super::start(robots);
    let mark = &text[..start];
    let begins_otherwise = robots.encoding() != Encoding::Utf8 && text.starts_with(b"\xEF");
    if begins_otherwise {
        // A second mark, which would now be removed as the first.
        return;
    }
    let mut other = mark.to_vec();
    for line in lines(text, start) {
        other.extend(&text[line.range()]);
        other.extend(end.bytes());
    }
    assert_eq!(of(&dialect.parse(&other)), *shown, "{dialect} with {end:?}");
}

/// Displays everything.
pub(super) fn check_inert(robots: &Robots) {
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
