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

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Record {
        record(line.as_bytes(), 1)
    }

    fn agent(value: &str) -> Record {
        Record::Agent(value.as_bytes().to_vec())
    }

    fn rule(allow: bool, pattern: &str) -> Record {
        Record::Rule(Rule { allow, pattern: pattern.as_bytes().to_vec(), line: 1 })
    }

    #[test]
    fn cr_lf_and_crlf_end_lines_and_lf_cr_ends_two() {
        let lines = split(b"a\rb\nc\r\nd\n\re", None);
        let expected: [&[u8]; 6] = [b"a", b"b", b"c", b"d", b"", b"e"];
        assert_eq!(lines, expected);
    }

    #[test]
    fn other_separators_stay_in_the_line() {
        let text = "a\u{2028}b\u{85}c\u{0B}d\u{0C}e\0f";
        assert_eq!(split(text.as_bytes(), None), [text.as_bytes()]);
    }

    #[test]
    fn white_space_is_optional_around_key_and_value() {
        assert_eq!(read(" \tUser-Agent \t: \tb\t\x0B"), agent("b"));
        assert_eq!(read("disallow:\x0C/a b\x0B"), rule(false, "/a b"));
        assert_eq!(read("disallow:\u{A0}/a"), rule(false, "\u{A0}/a"));
    }

    #[test]
    fn nuls_at_the_end_are_dropped_and_others_stay() {
        assert_eq!(read("disallow: /x\0 \0"), rule(false, "/x"));
        assert_eq!(read("disallow: \0/x\0y# \0"), rule(false, "\0/x\0y"));
        assert_eq!(read("disallow: /x\0#"), rule(false, "/x"));
        assert_eq!(read("\0"), Record::Blank);
        assert_eq!(read("\0# x"), Record::Other);
    }

    #[test]
    fn comment_is_cut_before_anything_else() {
        assert_eq!(read("allow: /a#b"), rule(true, "/a"));
        assert_eq!(read("allow: # /a"), rule(true, ""));
        assert_eq!(read("allow # : /a"), Record::Other);
        assert_eq!(read("#allow: /a"), Record::Other);
    }

    #[test]
    fn blank_and_junk_are_distinguished() {
        assert_eq!(read(""), Record::Blank);
        assert_eq!(read(" \t\x0B\x0C"), Record::Blank);
        assert_eq!(read("junk"), Record::Other);
        assert_eq!(read(": /a"), Record::Other);
        assert_eq!(read("crawl-delay: 5"), Record::Other);
    }

    #[test]
    fn only_the_first_colon_separates() {
        assert_eq!(read("allow: /a:b"), rule(true, "/a:b"));
        assert_eq!(read("allow /a:b"), Record::Other);
        assert_eq!(read("allow::"), rule(true, ":"));
    }

    #[test]
    fn two_words_need_no_colon_but_one_or_three_do() {
        assert_eq!(read("disallow \t /a"), rule(false, "/a"));
        assert_eq!(read("useragent f"), agent("f"));
        assert_eq!(read("disallow"), Record::Other);
        assert_eq!(read("disallow /a /b"), Record::Other);
        assert_eq!(read("user agent f"), Record::Other);
        assert_eq!(read("disallow\x0B/a"), Record::Other);
    }

    #[test]
    fn known_misspellings_are_whole_keys() {
        for key in DISALLOW_KEYS {
            assert_eq!(read(&format!("{}:/", key.to_uppercase())), rule(false, "/"));
            assert_eq!(read(&format!("{key}ed:/")), Record::Other);
        }
        assert_eq!(read("USER AGENT: f"), agent("f"));
        for line in ["user-agents: f", "user_agent: f", "user  agent: f", "alow: /", "<p>allow: /"]
        {
            assert_eq!(read(line), Record::Other, "{line}");
        }
    }

    #[test]
    fn lines_are_numbered_from_one() {
        let records = records(b"\xFF\r\n\nallow: /", None);
        let rule = Rule { allow: true, pattern: b"/".to_vec(), line: 3 };
        assert_eq!(records, [Record::Other, Record::Blank, Record::Rule(rule)]);
    }
}
