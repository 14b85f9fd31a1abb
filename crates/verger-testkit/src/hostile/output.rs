//! Hostile text of rules in every sink, hostile file names, and readers that close the output
//! early. Also the check of sinks for people: [`unescaped`].

use super::ORIGIN;
use super::entry::{Claim, OutputEntry, Shown, Sink};

/// Returns the entries, in the order of their ids.
pub fn entries() -> Vec<OutputEntry> {
    let mut all: Vec<OutputEntry> = RULES.iter().flat_map(sinks).collect();
    all.push(entry(
        "O162",
        "a file name of shell commands, while a shell completes",
        b"$(echo>ran)`echo>ran`;echo>ran&\x1b[2J",
        Claim::Completion,
    ));
    all.push(entry("O163", "a file name like an option", b"-rf", Claim::FileName));
    all.push(entry(
        "O164",
        "a file name of two lines, the second one like an answer",
        b"robots.txt\nallow http://h.example/",
        Claim::FileName,
    ));
    all.push(entry("O170", "a reader that closes the pipe", &many_urls(), Claim::BrokenPipe));
    all.push(entry(
        "O171",
        "standard output closed from the start",
        &many_urls(),
        Claim::StdoutClosed,
    ));
    all
}

/// Returns the position of the first byte that output for people may not contain, except line
/// feeds.
///
/// These are controls (C0, DEL, C1), line and paragraph separators, characters that change
/// direction, zero-width and tag characters, and invalid UTF-8. A test that expects colour or tabs
/// from the program removes them first.
pub fn unescaped(output: &[u8]) -> Option<usize> {
    let mut place = 0;
    for chunk in output.utf8_chunks() {
        if let Some((offset, _)) = chunk.valid().char_indices().find(|&(_, c)| is_live(c)) {
            return Some(place + offset);
        }
        place += chunk.valid().len();
        if !chunk.invalid().is_empty() {
            return Some(place);
        }
    }
    None
}

fn is_live(c: char) -> bool {
    (c.is_control() && c != '\n')
        || matches!(c,
            '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'
            | '\u{2066}'..='\u{2069}'
            | '\u{feff}'
            | '\u{e0000}'..='\u{e007f}')
}

fn entry(id: &'static str, what: &str, bytes: &[u8], claim: Claim) -> OutputEntry {
    OutputEntry { id, what: what.to_owned(), bytes: bytes.to_vec(), claim }
}

/// Returns more lines than fit into a pipe's buffer.
fn many_urls() -> Vec<u8> {
    (0..20_000).flat_map(|i| format!("{ORIGIN}/{i}\n").into_bytes()).collect()
}

/// A row: ids by sink, description, the rule's value as written, the pattern as the default dialect
/// reads it, and the pattern as displayed to people.
type Row = ([&'static str; 4], &'static str, &'static [u8], &'static [u8], &'static str);

const SINKS: [(Sink, &str); 4] = [
    (Sink::Terminal, "output for people"),
    (Sink::Log, "a log"),
    (Sink::Json, "JSON"),
    (Sink::Error, "an error message"),
];

fn sinks(&(ids, what, value, pattern, spelt): &Row) -> impl Iterator<Item = OutputEntry> {
    ids.into_iter().zip(SINKS).map(move |(id, (sink, place))| {
        let robots = [b"User-agent: *\nDisallow: ", value, b"\n"].concat();
        let claim = Claim::Shown(Shown { sink, pattern, spelt });
        entry(id, &format!("{what} in a rule, shown in {place}"), &robots, claim)
    })
}

/// Returns a row whose pattern is its value.
const fn row(
    ids: [&'static str; 4],
    what: &'static str,
    value: &'static [u8],
    spelt: &'static str,
) -> Row {
    (ids, what, value, value, spelt)
}

const RULES: &[Row] = &[
    row(["O001", "O002", "O003", "O004"], "clear the screen", b"/\x1b[2J", r"/\x1b[2J"),
    row(["O005", "O006", "O007", "O008"], "reset the terminal", b"/\x1bc", r"/\x1bc"),
    row(["O009", "O010", "O011", "O012"], "window title", b"/\x1b]0;x\x07", r"/\x1b]0;x\x07"),
    row(
        ["O013", "O014", "O015", "O016"],
        "hyperlink",
        b"/\x1b]8;;http://evil\x1b\\x",
        r"/\x1b]8;;http://evil\x1b\x",
    ),
    row(
        ["O017", "O018", "O019", "O020"],
        "clipboard",
        b"/\x1b]52;c;ZQ==\x07",
        r"/\x1b]52;c;ZQ==\x07",
    ),
    row(
        ["O021", "O022", "O023", "O024"],
        "desktop notice",
        b"/\x1b]777;notify;a;b\x07",
        r"/\x1b]777;notify;a;b\x07",
    ),
    row(
        ["O025", "O026", "O027", "O028"],
        "file transfer",
        b"/\x1b]1337;File=:ZQ==\x07",
        r"/\x1b]1337;File=:ZQ==\x07",
    ),
    row(
        ["O029", "O030", "O031", "O032"],
        "device control",
        b"/\x1bP$q\"p\x1b\\",
        r#"/\x1bP$q"p\x1b\"#,
    ),
    row(["O033", "O034", "O035", "O036"], "application command", b"/\x1b_x\x1b\\", r"/\x1b_x\x1b\"),
    row(["O037", "O038", "O039", "O040"], "ask for the cursor", b"/\x1b[6n", r"/\x1b[6n"),
    row(["O041", "O042", "O043", "O044"], "ask for the title", b"/\x1b[21t", r"/\x1b[21t"),
    row(["O045", "O046", "O047", "O048"], "C1 control in UTF-8", b"/\xc2\x9b2J", r"/\u{9b}2J"),
    row(["O049", "O050", "O051", "O052"], "C1 control as one byte", b"/\x9b2J", r"/\x9b2J"),
    row(["O053", "O054", "O055", "O056"], "bell", b"/\x07", r"/\x07"),
    row(["O057", "O058", "O059", "O060"], "backspace", b"/\x08", r"/\x08"),
    // CR and LF end the line, so the text after them is a separate line of junk.
    (["O061", "O062", "O063", "O064"], "overwriting CR", b"/ok\rFAIL", b"/ok", "/ok"),
    // VT and FF are white space at the end of a value (REP-AMB-42).
    (["O065", "O066", "O067", "O068"], "VT", b"/\x0b", b"/", "/"),
    (["O069", "O070", "O071", "O072"], "FF", b"/\x0c", b"/", "/"),
    // NULs at the end of a line are removed (REP-AMB-21).
    (["O073", "O074", "O075", "O076"], "NUL", b"/\0", b"/", "/"),
    row(["O077", "O078", "O079", "O080"], "DEL", b"/\x7f", r"/\x7f"),
    row(["O081", "O082", "O083", "O084"], "override of direction", b"/\xe2\x80\xae", r"/\u{202e}"),
    row(["O085", "O086", "O087", "O088"], "isolate of direction", b"/\xe2\x81\xa7", r"/\u{2067}"),
    row(["O089", "O090", "O091", "O092"], "zero-width space", b"/\xe2\x80\x8b", r"/\u{200b}"),
    row(["O093", "O094", "O095", "O096"], "zero-width joiner", b"/\xe2\x80\x8d", r"/\u{200d}"),
    row(["O097", "O098", "O099", "O100"], "tag character", b"/\xf3\xa0\x81\xa1", r"/\u{e0061}"),
    // Combining marks, harmless on a terminal: they may remain.
    row(["O101", "O102", "O103", "O104"], "variation selector", b"/\xef\xb8\x8f", "/\u{fe0f}"),
    row(["O105", "O106", "O107", "O108"], "combining accent", b"/\xcc\x81", "/\u{301}"),
    row(["O109", "O110", "O111", "O112"], "byte that UTF-8 never has", b"/\xff", r"/\xff"),
    row(["O113", "O114", "O115", "O116"], "line separator", b"/\xe2\x80\xa8", r"/\u{2028}"),
    (["O117", "O118", "O119", "O120"], "LF", b"/a\nb", b"/a", "/a"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escaped_spelling_has_nothing_to_escape() {
        for &(ids, .., spelt) in RULES {
            assert_eq!(unescaped(spelt.as_bytes()), None, "{ids:?}");
        }
    }

    #[test]
    fn raw_pattern_is_found_if_it_must_be_escaped() {
        for &(ids, _, _, pattern, spelt) in RULES {
            let same = pattern == spelt.as_bytes();
            assert_eq!(unescaped(pattern).is_none(), same, "{ids:?}");
        }
        assert_eq!(unescaped(b"one line\nand another"), None);
        assert_eq!(unescaped(b"ok \xff"), Some(3));
    }
}
