//! The public contents of a parsed file, for comparisons.

use verger::parse::{Encoding, Input};
use verger::{LineIndex, Robots, RuleKind, Span};

use super::events::lines;

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
pub(super) fn check_line_ends(robots: &Robots, input: &Input<'_>, shown: &View, end: &str) {
    let mut dialect = robots.dialect();
    if input.allows_all() {
        return;
    }
    // Other line ends change the length of the text.
    dialect.byte_limit = None;
    let text = robots.text();
    let mark = &text[..input.start()];
    let begins_otherwise = input.encoding() != Encoding::Utf8 && text.starts_with(b"\xEF");
    if begins_otherwise {
        // A second mark, which would now be removed as the first.
        return;
    }
    let mut other = mark.to_vec();
    for line in lines(text, input.start()) {
        other.extend(&text[line.range()]);
        other.extend(end.bytes());
    }
    assert_eq!(of(&dialect.parse(&other)), *shown, "{dialect} with {end:?}");
}
