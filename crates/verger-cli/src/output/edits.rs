//! Changes of a file as a unified diff.

use std::io::{self, Write};

use similar::{ChangeTag, TextDiff};
use verger::Untrusted;

use crate::console::Palette;
use crate::limits::{DIFF_CONTEXT, DIFF_TIME};

/// Writes the changes from `old` to `new`, with at most this number of characters of each line. If
/// all of them are written, a program can apply the diff, unless it has escaped characters.
pub(crate) fn write_edits(
    out: &mut impl Write,
    palette: Palette,
    most: usize,
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
        for op in hunk.ops() {
            let [removed, added] = [ChangeTag::Delete, ChangeTag::Insert].map(|tag| {
                let lines = diff.iter_changes(op).filter(|it| it.tag() == tag);
                let mut lines: Vec<_> = lines.map(|it| it.value()).collect();
                lines.sort_unstable();
                lines
            });
            for change in diff.iter_changes(op) {
                let line = change.value();
                let (style, others) = match change.tag() {
                    ChangeTag::Equal => {
                        unchanged(out, line, most)?;
                        continue;
                    }
                    ChangeTag::Delete => (palette.disallow, &added),
                    ChangeTag::Insert => (palette.allow, &removed),
                };
                let line = shown(line, same_start(line, others), most);
                writeln!(out, "{style}{}{line}{style:#}", change.tag())?;
            }
        }
    }
    Ok(())
}

/// The length of the longest beginning that a line has in common with one of sorted others.
fn same_start(line: &[u8], sorted: &[&[u8]]) -> usize {
    let at = sorted.partition_point(|it| *it < line);
    let near = &sorted[at.saturating_sub(1)..sorted.len().min(at + 1)];
    let same = |it: &&[u8]| it.iter().zip(line).take_while(|(a, b)| a == b).count();
    near.iter().map(same).max().unwrap_or_default()
}

/// A line without its LF; other line ends and a missing one are visible. A longer one is cut so
/// that the first octet after `same` is visible.
fn shown(line: &[u8], same: usize, most: usize) -> String {
    let (text, end) = match line.strip_suffix(b"\n") {
        Some(text) => (text, ""),
        None if line.ends_with(b"\r") => (line, ""),
        None => (line, "\n\\ No newline at end of file"),
    };
    let start = if same + most / 4 < most { 0 } else { same - most / 2 };
    let mark = if start > 0 { "…" } else { "" };
    format!("{mark}{}{end}", Untrusted::new(&text[start..]).limited_to(most))
}

/// A line of the context. GitHub's runner reads a line that begins with `::` or `##[`, after white
/// space, as a command.
fn unchanged(out: &mut impl Write, line: &[u8], most: usize) -> io::Result<()> {
    let line = shown(line, 0, most);
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
    fn check_cut(most: usize, old: &[u8], new: &[u8], expected: &str) {
        let mut out = Vec::new();
        write_edits(&mut out, Palette::default(), most, b"r", old, new).unwrap();
        let out = String::from_utf8(out).unwrap();
        assert_eq!(out.strip_prefix("--- r\n+++ r\n"), Some(expected));
    }

    #[track_caller]
    fn check(old: &[u8], new: &[u8], expected: &str) {
        check_cut(usize::MAX, old, new, expected);
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

    /// `patch` applies no line that is not whole.
    #[test]
    fn a_long_line_is_whole_without_a_limit() {
        let line = "a".repeat(5_000);
        let [old, new] = [" \n", "\n"].map(|end| format!("{line}\n{line}{end}"));
        let expected = format!("@@ -1,2 +1,2 @@\n {line}\n-{line} \n+{line}\n");
        check(old.as_bytes(), new.as_bytes(), &expected);
    }

    #[test]
    fn a_long_line_is_cut_around_the_first_difference() {
        for (old, new, expected) in [
            ("abcdefghij", "xbcdefghij", "-abcdefgh…\n+xbcdefgh…\n"),
            ("abcde1fghijkl", "abcde2fghijkl", "-abcde1fg…\n+abcde2fg…\n"),
            ("abcdefghij1klmnop", "abcdefghij2klmnop", "-…ghij1klm…\n+…ghij2klm…\n"),
            ("abcdefghij", "abcdefghijkl", "-…ghij\n+…ghijkl\n"),
            ("abcdefghij", "abcdefghij\r", "-…ghij\n+…ghij\\r\n"),
            ("abc€€1", "abc€€2", "-…\\xac€1\n+…\\xac€2\n"),
            // The most similar line, not the one at the same place.
            ("abcdefghij1", "new\nabcdefghij2", "-…ghij1\n+new\n+…ghij2\n"),
        ] {
            let [old, new] = [old, new].map(|text| format!("{text}\n"));
            let added = new.lines().count();
            let lines = if added == 1 { "@@ -1 +1 @@" } else { "@@ -1 +1,2 @@" };
            check_cut(8, old.as_bytes(), new.as_bytes(), &format!("{lines}\n{expected}"));
        }
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
        let (old, new) = (old.as_bytes(), new.as_bytes());
        write_edits(&mut out, Palette::default(), usize::MAX, b"r", old, new).unwrap();
        let count = |sign: u8| {
            out.split(|byte| *byte == b'\n').filter(|line| line.first() == Some(&sign)).count()
        };
        // With the names of the files.
        assert_eq!((count(b'-'), count(b'+'), count(b' ')), (100_001, 100_001, 0));
    }
}
