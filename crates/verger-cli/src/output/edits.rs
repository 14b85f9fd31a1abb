//! Changes of a file as a unified diff.

use std::io::{self, Write};

use similar::{ChangeTag, TextDiff};
use verger::Untrusted;

use crate::console::Palette;
use crate::limits::{DIFF_CHARS, DIFF_CONTEXT, DIFF_TIME};

/// Writes the changes from `old` to `new`. It is for people: lines are escaped and cut, so a
/// program cannot apply every diff.
pub(crate) fn write_edits(
    out: &mut impl Write,
    palette: Palette,
    name: &[u8],
    old: &[u8],
    new: &[u8],
) -> io::Result<()> {
    // CR, LF and CRLF end a line.
    let diff = TextDiff::configure().timeout(DIFF_TIME).diff_lines(old, new);
    let name = Untrusted::new(name);
    writeln!(out, "--- {name}\n+++ {name}")?;
    for hunk in diff.unified_diff().context_radius(DIFF_CONTEXT).iter_hunks() {
        writeln!(out, "{}", hunk.header())?;
        for change in hunk.iter_changes() {
            let line = change.value();
            let style = match change.tag() {
                ChangeTag::Equal => {
                    unchanged(out, line)?;
                    continue;
                }
                ChangeTag::Delete => palette.disallow,
                ChangeTag::Insert => palette.allow,
            };
            writeln!(out, "{style}{}{}{style:#}", change.tag(), shown(line))?;
        }
    }
    Ok(())
}

/// A line without its LF; other line ends and a missing one are visible.
fn shown(line: &[u8]) -> String {
    let (text, end) = match line.strip_suffix(b"\n") {
        Some(text) => (text, ""),
        None if line.ends_with(b"\r") => (line, ""),
        None => (line, "\n\\ No newline at end of file"),
    };
    format!("{}{end}", Untrusted::new(text).limited_to(DIFF_CHARS))
}

/// A line of the context. GitHub's runner reads a line that begins with `::` or `##[`, after white
/// space, as a command.
fn unchanged(out: &mut impl Write, line: &[u8]) -> io::Result<()> {
    let line = shown(line);
    let text = line.trim_start();
    let (space, command) = (&line[..line.len() - text.len()], text.get(1..).unwrap_or_default());
    match text.as_bytes() {
        [b':', b':', ..] => writeln!(out, " {space}\\x3a{command}"),
        [b'#', b'#', b'[', ..] => writeln!(out, " {space}\\x23{command}"),
        _ => writeln!(out, " {line}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(old: &[u8], new: &[u8], expected: &str) {
        let mut out = Vec::new();
        write_edits(&mut out, Palette::default(), b"r", old, new).unwrap();
        let out = String::from_utf8(out).unwrap();
        assert_eq!(out.strip_prefix("--- r\n+++ r\n"), Some(expected));
    }

    #[test]
    fn changes_have_context_and_positions() {
        check(b"a\nb\nc\n", b"a\nB\nc\n", "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n");
        check(b"", b"a\n", "@@ -0,0 +1 @@\n+a\n");
        check(b"a\n", b"", "@@ -1 +0,0 @@\n-a\n");
        check(
            b"a\n1\n2\n3\n4\n5\n6\n7\nb\n",
            b"A\n1\n2\n3\n4\n5\n6\n7\nB\n",
            "@@ -1,4 +1,4 @@\n-a\n+A\n 1\n 2\n 3\n@@ -6,4 +6,4 @@\n 5\n 6\n 7\n-b\n+B\n",
        );
    }

    #[test]
    fn line_ends_are_visible() {
        check(
            b"a\r\nb\rc",
            b"a\nb\nc\n",
            "@@ -1,3 +1,3 @@\n-a\\r\n-b\\r\n-c\n\\ No newline at end of file\n+a\n+b\n+c\n",
        );
    }

    #[test]
    fn foreign_text_is_neither_a_control_nor_a_command() {
        check(
            b" ::error::x\n##[group]\n\x1b[2J\n",
            b" ::error::x\n##[group]\n\n",
            "@@ -1,3 +1,3 @@\n  \\x3a:error::x\n \\x23#[group]\n-\\x1b[2J\n+\n",
        );
    }

    /// The search for the shortest diff of these takes hours.
    #[test]
    fn a_hundred_thousand_changed_lines_are_all_written() {
        let text = |end: &str| {
            (0..100_000).flat_map(|at: u32| [at.to_string(), end.to_owned()]).collect::<String>()
        };
        let mut out = Vec::new();
        let (old, new) = (text("\r\n"), text("\n"));
        write_edits(&mut out, Palette::default(), b"r", old.as_bytes(), new.as_bytes()).unwrap();
        let count = |sign: u8| {
            out.split(|byte| *byte == b'\n').filter(|line| line.first() == Some(&sign)).count()
        };
        // With the names of the files.
        assert_eq!((count(b'-'), count(b'+'), count(b' ')), (100_001, 100_001, 0));
    }
}
