//! Text to lines, lines to records.

use super::bug::Bug;

/// Kind of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Record {
    /// An empty line, without even a comment.
    Blank,
    /// A user-agent line and its value.
    Agent(Vec<u8>),
    /// An allow or disallow line.
    Rule(Rule),
    /// A record of another kind, a comment, or junk.
    Other,
}

/// An allow or disallow line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rule {
    /// Whether it allows; otherwise it disallows.
    pub(crate) allow: bool,
    /// The value as written.
    pub(crate) pattern: Vec<u8>,
    /// Line number, counted from 1.
    pub(crate) line: usize,
}

/// REP-SYNTAX-19: accepted spellings, compared whole (REP-AMB-40).
const AGENT_KEYS: [&str; 3] = ["user-agent", "useragent", "user agent"];
const ALLOW_KEYS: [&str; 1] = ["allow"];
const DISALLOW_KEYS: [&str; 6] =
    ["disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw"];

/// One record for every line of the text.
pub(crate) fn records(text: &[u8], bug: Option<Bug>) -> Vec<Record> {
    let mut records = Vec::new();
    for (at, line) in split(text, bug).iter().enumerate() {
        records.push(record(line, at + 1));
    }
    records
}

/// REP-SYNTAX-4: only CR, LF and CRLF end a line.
fn split(text: &[u8], bug: Option<Bug>) -> Vec<Vec<u8>> {
    let mut lines = Vec::new();
    let mut line = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let crlf = text[at] == b'\r' && text.get(at + 1) == Some(&b'\n');
        let lone_cr = text[at] == b'\r' && !crlf;
        if crlf && bug != Some(Bug::CrlfCountsTwice) {
            lines.push(line);
            line = Vec::new();
            at += 2;
        } else if lone_cr && bug == Some(Bug::LoneCrNotLineEnd) {
            line.push(text[at]);
            at += 1;
        } else if text[at] == b'\r' || text[at] == b'\n' {
            lines.push(line);
            line = Vec::new();
            at += 1;
        } else {
            line.push(text[at]);
            at += 1;
        }
    }
    // REP-SYNTAX-5: the last line needs no end. An additional empty line is harmless.
    lines.push(line);
    lines
}

/// Reads one line.
fn record(line: &[u8], number: usize) -> Record {
    // REP-SYNTAX-10: everything from the first `#` is comment.
    let hash = position(line, b'#');
    // REP-AMB-21: NULs at the end are removed like white space.
    let mut content = &line[..hash.unwrap_or(line.len())];
    while let [rest @ .., last] = content {
        if !is_white(*last) && *last != 0 {
            break;
        }
        content = rest;
    }
    if content.is_empty() {
        return if hash.is_some() { Record::Other } else { Record::Blank };
    }
    // REP-SYNTAX-11: then a key and a value, or junk.
    let Some((key, value)) = key_and_value(&trim(content)) else {
        return Record::Other;
    };
    // REP-SYNTAX-18: keys are case-insensitive. An empty key (REP-SYNTAX-16) is unknown.
    if is_one_of(&key, &AGENT_KEYS) {
        Record::Agent(value)
    } else if is_one_of(&key, &ALLOW_KEYS) {
        Record::Rule(Rule { allow: true, pattern: value, line: number })
    } else if is_one_of(&key, &DISALLOW_KEYS) {
        Record::Rule(Rule { allow: false, pattern: value, line: number })
    } else {
        // REP-SYNTAX-20: unknown is not wrong.
        Record::Other
    }
}

/// Splits the content of a line; both halves are trimmed.
fn key_and_value(content: &[u8]) -> Option<(Vec<u8>, Vec<u8>)> {
    // REP-SYNTAX-13: the first colon separates.
    if let Some(colon) = position(content, b':') {
        return Some((trim(&content[..colon]), trim(&content[colon + 1..])));
    }
    // REP-AMB-41: without a colon, exactly two words separated by spaces or tabs are accepted.
    let mut words = Vec::new();
    for word in content.split(|&byte| byte == b' ' || byte == b'\t') {
        if !word.is_empty() {
            words.push(word);
        }
    }
    match words[..] {
        [key, value] => Some((trim(key), trim(value))),
        _ => None,
    }
}

/// REP-AMB-42: space, tab, vertical tab and form feed are white space.
pub(crate) fn is_white(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | 0x0B | 0x0C)
}

/// A copy without white space at both ends.
fn trim(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    while bytes.last().is_some_and(|&byte| is_white(byte)) {
        bytes.pop();
    }
    let first = bytes.iter().position(|&byte| !is_white(byte)).unwrap_or(0);
    bytes.split_off(first)
}

fn position(bytes: &[u8], wanted: u8) -> Option<usize> {
    bytes.iter().position(|&byte| byte == wanted)
}

fn is_one_of(key: &[u8], spellings: &[&str]) -> bool {
    spellings.iter().any(|spelling| key.eq_ignore_ascii_case(spelling.as_bytes()))
}
