//! Lines with several records or patterns, of which only the first counts.

use std::collections::HashSet;

use verger::diagnostic::DiagnosticKind;
use verger::{Robots, Span};

use crate::file::File;
use crate::finding::Finding;
use crate::rule::Category;
use crate::syntax::{Line, LineKind, is_known_key};

/// The rules that report such lines.
pub(crate) const JOINED_RECORDS: &str = "joined-records";
pub(crate) const PATTERN_LIST: &str = "pattern-list";

/// Removes findings of other rules about lines with several records, whose text means something
/// else than it says; and their fixes, which would remove what the author wrote, there and on lines
/// with several patterns.
pub(crate) fn settle(file: &File<'_>, findings: &mut Vec<Finding>) {
    use Category::{Groups, Policy, Portability, Rules, Statements};
    let joined = findings.iter().filter(|it| it.rule.code == JOINED_RECORDS);
    let joined: HashSet<usize> =
        joined.filter_map(|finding| Some(file.line(finding.span)?.number)).collect();
    findings.retain_mut(|finding| {
        let Some(line) = file.line(finding.span).filter(|_| !finding.span.is_empty()) else {
            return true;
        };
        let is_by_text =
            matches!(finding.rule.category, Groups | Rules | Statements | Policy | Portability);
        let reports_it = [JOINED_RECORDS, PATTERN_LIST].contains(&finding.rule.code);
        if is_by_text && !reports_it && is_merged(file, line) {
            finding.fix = None;
        }
        !is_by_text || !joined.contains(&line.number)
    });
}

/// Whether a line has several records or patterns, of which the engine reads one.
fn is_merged(file: &File<'_>, line: &Line) -> bool {
    let pattern = line.record.filter(|_| matches!(line.kind, LineKind::Rule(_)));
    pattern.is_some_and(|it| patterns(file.part(it.value)).len() > 1)
        || !inner_records(file, line).is_empty()
}

/// The gaps before the records inside the value of a record, or inside a comment: the separators,
/// up to the key. Empty for all other lines.
pub(crate) fn inner_records(file: &File<'_>, line: &Line) -> Vec<Span> {
    let is_agent = line.kind == LineKind::UserAgent;
    let record = line.record.filter(|it| is_structured(line.kind, file.part(it.key)));
    let mut found = record.map(|it| gaps(file, it.value, is_agent)).unwrap_or_default();
    if let Some(comment) = line.comment.filter(|_| !file.has_rules) {
        let in_comment = gaps(file, comment, false);
        // `# Disallow: /` after a record is a rule that the author took out.
        let has_text = in_comment.first().is_some_and(|gap| gap.start > comment.start + 1);
        if in_comment.len() > 1 || record.is_some() && has_text {
            found.extend(in_comment);
        }
    }
    found
}

/// Whether the values of a record with this key are no prose.
fn is_structured(kind: LineKind, key: &[u8]) -> bool {
    kind != LineKind::Other || is_known_key(key) && !key.eq_ignore_ascii_case(b"comment")
}

fn gaps(file: &File<'_>, place: Span, is_agent: bool) -> Vec<Span> {
    let text = file.part(place);
    let mut gaps = Vec::new();
    let mut done = 0;
    for end in (1..text.len()).filter(|&at| matches!(text[at], b':' | b' ' | b'\t')) {
        let rest = text[end..].trim_ascii_start();
        let is_record = rest.starts_with(b":")
            || is_agent && (rest.starts_with(b"/") || rest.starts_with(b"*"));
        let Some(start) = is_record.then(|| key_start(text, done, end, is_agent)).flatten() else {
            continue;
        };
        let gap = done + trimmed(&text[done..start]);
        // `User-agent: *: Disallow: /`
        let has_colon = is_agent && done == 0 && text[..gap].ends_with(b":");
        let gap = gap - usize::from(has_colon);
        gaps.push(Span { start: place.start + gap, end: place.start + start });
        done = end;
    }
    gaps
}

/// The start of the longest known key that ends at an offset.
///
/// After a separator it may have any case. Without one, it is written as usual, and a blank is
/// after its colon: `/wiki/Sitemap:x` is a path.
fn key_start(text: &[u8], from: usize, end: usize, is_agent: bool) -> Option<usize> {
    let starts = end.saturating_sub(LONGEST_KEY).max(from)..end;
    let Some(start) = starts.into_iter().find(|&start| is_known_key(&text[start..end])) else {
        let is_letter =
            |octet: &u8| octet.is_ascii_alphanumeric() || matches!(octet, b'-' | 0x80..);
        let length = text[from..end].iter().rev().take_while(|octet| is_letter(octet)).count();
        let start = end - length;
        let is_separated = trimmed(&text[from..start]) < start - from;
        return (is_separated && is_misspelt_key(&text[start..end])).then_some(start);
    };
    let before = &text[from..start];
    let usual: [&[u8]; 5] = [b"User-agent", b"User-Agent", b"Disallow", b"Allow", b"Sitemap"];
    let has_blank = text.get(end + 1).is_some_and(u8::is_ascii_whitespace);
    let is_separated = before.is_empty() || trimmed(before) < before.len();
    (is_separated || usual.contains(&&text[start..end]) && (is_agent || has_blank)).then_some(start)
}

/// Whether the engine reports a word as a wrong spelling of a key.
fn is_misspelt_key(word: &[u8]) -> bool {
    use DiagnosticKind::{MisspeltKey, MistakableKey};
    let mut is_misspelt = false;
    Robots::parse(&[word, b": x\n"].concat()).diagnose(|found| {
        is_misspelt |= matches!(found.kind, MisspeltKey { .. } | MistakableKey { .. });
    });
    is_misspelt
}

/// Number of letters in `Content-Signals`, the longest known key.
const LONGEST_KEY: usize = 15;

/// The length of a text without the separators at its end: spaces, marks of lists, and written line
/// breaks.
pub(crate) fn trimmed(mut text: &[u8]) -> usize {
    #[rustfmt::skip]
    const MARKS: [&str; 12] = [
        " ", "\t", ",", ";", "|", "\\r", "\\n", "<br>", "<br/>", "<br />", "\u{a0}", "\u{2028}",
    ];
    while let Some(rest) = MARKS.iter().find_map(|mark| text.strip_suffix(mark.as_bytes())) {
        text = rest;
    }
    text.len()
}

/// The patterns of a list; a single one if the text is no list.
///
/// A comma, a semicolon or a bar separates, and so do blanks before a path. Paths can contain all
/// of these characters, so the next pattern must begin like one. In a list of words, a blank is
/// after each mark.
pub(crate) fn patterns(text: &[u8]) -> Vec<&[u8]> {
    let separates = |octet: &u8| b",;|".contains(octet) || octet.is_ascii_whitespace();
    let (mut list, mut done, mut at) = (Vec::new(), 0, 0);
    while let Some(next) = text[at..].iter().position(separates) {
        let start = at + next;
        at = start + text[start..].iter().take_while(|octet| separates(octet)).count();
        let gap = &text[start..at];
        let has_blank = gap.iter().any(u8::is_ascii_whitespace);
        let is_word = has_blank && !gap.trim_ascii().is_empty() && !begins_path(text, true);
        if start > done && at < text.len() && (is_word || begins_path(&text[at..], has_blank)) {
            list.push(&text[done..start]);
            done = at;
        }
    }
    list.push(&text[done..]);
    list
}

/// Whether a text begins with a path, perhaps in quotes, or with a URL. After a mark without a
/// blank, `*` can be a part of the same path.
fn begins_path(text: &[u8], has_blank: bool) -> bool {
    let inside = text.strip_prefix(b"\"").unwrap_or(text);
    let is = |start: &[u8]| inside.starts_with(start);
    is(b"/") || is(b"http://") || is(b"https://") || has_blank && is(b"*") && inside.len() > 1
}
