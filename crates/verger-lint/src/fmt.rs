//! The formatter: one spelling of keys, one space, one blank line between groups.
//!
//! # Flow
//!
//! Each line gets its canonical form, and runs of blank lines become one. Each difference is an
//! edit. Edits that would change the meaning in some published dialect
//! ([`is_same_meaning`](crate::is_same_meaning)) are dropped: of several edits of a kind, the
//! smallest necessary part, found by halving. Of a kind that is refused again and again, the rest
//! is dropped too. Then the result is formatted again, until nothing changes.

use std::collections::BTreeSet;

use verger::extension::RecordKind;
use verger::{RuleKind, Span};

use crate::bisection;
use crate::file::DIALECT;
use crate::fix::{Edit, edited};
use crate::limits;
use crate::meaning::Original;
use crate::syntax::{Line, LineKind, Tree};

/// A formatted file, and the lines that are not canonical.
///
/// # Examples
///
/// ```
/// use verger_lint::{Formatted, Skip};
///
/// // In some dialects, a blank line before line 3 would separate `a` from the rule.
/// let text = b"User-agent: a\nCrawl-delay: 5\nUser-agent:b\nDisallow: /cart\n";
/// let formatted = Formatted::of(text);
/// assert_eq!(
///     String::from_utf8_lossy(&formatted.text),
///     "User-agent: a\nCrawl-delay: 5\nUser-agent: b\nDisallow: /cart\n",
/// );
/// assert_eq!(formatted.skipped, [(3, Skip::Meaning)]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Formatted {
    /// The formatted text.
    pub text: Vec<u8>,
    /// Lines of the text that stay as they are, from 1 and in order, with the reason. A single line
    /// 0 means the whole file.
    pub skipped: Vec<(usize, Skip)>,
}

/// The reason that an edit of the formatter was not made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Skip {
    /// Some published dialect would read the file differently.
    Meaning,
    /// The proofs took the maximum of work, so the whole file stays as it is.
    Proofs,
    /// The file is in UTF-16, or longer than the engine reads.
    Unread,
}

impl Formatted {
    /// Formats a file: canonical keys, one space after the colon and before a comment, no white
    /// space at the ends of lines, the line end of most lines, at most one blank line at a time and
    /// one before each group, one line end at the end of the file, no byte order mark.
    ///
    /// No verdict and no record changes, in any published dialect: an edit that could change one is
    /// not made. Comments and unknown lines keep their text. Formatting the result changes nothing.
    /// A file in UTF-16 is returned unchanged.
    ///
    /// # Complexity
    ///
    /// Linear for a usual file: about twenty passes. Edits that change the meaning cost more
    /// passes, up to a limit; beyond it the file stays as it is.
    ///
    /// # Examples
    ///
    /// ```
    /// let text = b"USER-AGENT:*  \nDISALLOW :/cart#why\n\r\n\nuser-agent: GPTBot\nAllow:";
    /// let formatted = verger_lint::Formatted::of(text);
    /// assert_eq!(
    ///     String::from_utf8_lossy(&formatted.text),
    ///     "User-agent: *\nDisallow: /cart #why\n\nUser-agent: GPTBot\nAllow:\n",
    /// );
    /// ```
    pub fn of(original: &[u8]) -> Self {
        let mut text = original.to_vec();
        let always = text.len() * Original::PARSES * limits::FORMATTING_PROOFS;
        let mut bytes = limits::FORMATTING_BYTES.max(always);
        let mut skipped = Vec::new();
        // The meaning stays that of the first text, so every step may be proved against the last
        // one.
        for _ in 0..limits::FORMATTING_PASSES {
            let robots = unlimited().parse(&text);
            if robots.text() != text {
                skipped = vec![(0, Skip::Unread)];
                break;
            }
            let tree = Tree::new(&robots);
            let edits = edits(&text, &tree);
            let next = proved(&text, &edits, &mut bytes);
            skipped = edits.iter().map(|(_, edit)| (line_of(edit, &tree), Skip::Meaning)).collect();
            skipped.dedup();
            let Some(next) = next else { break };
            text = next;
        }
        if bytes == 0 {
            // Half of the edits now would leave others for the next run.
            return Self { text: original.to_vec(), skipped: vec![(0, Skip::Proofs)] };
        }
        Self { text, skipped }
    }

    /// The line of the original on which a line of the formatted text was, both from 1.
    ///
    /// # Complexity
    ///
    /// One pass over both texts.
    ///
    /// # Examples
    ///
    /// ```
    /// let original = b"# The shop\n\n\n\nUser-agent:*\nDisallow: /cart\n";
    /// let formatted = verger_lint::Formatted::of(original);
    /// assert!(formatted.text.starts_with(b"# The shop\n\nUser-agent: *\n"));
    /// assert_eq!(formatted.original_line(original, 3), 5);
    /// ```
    pub fn original_line(&self, original: &[u8], line: usize) -> usize {
        // Only blank lines are added and removed.
        let is_blank = |line: &&Line| line.kind == LineKind::Blank;
        let [old, new] = [original, &self.text].map(|text| Tree::new(&unlimited().parse(text)));
        let (new, mut old) = (new.lines().iter().take(line), old.lines().iter());
        let blank = new.clone().rev().take_while(is_blank).count();
        let others = new.filter(|line| !is_blank(line)).count();
        let text =
            others.checked_sub(1).and_then(|at| old.by_ref().filter(|it| !is_blank(it)).nth(at));
        text.map_or(0, |line| line.number) + blank
    }
}

/// The number of the line that an edit changes.
fn line_of(edit: &Edit, tree: &Tree) -> usize {
    tree.line_at(edit.span.start).map_or(1, |line| line.number)
}

/// Without a size limit: the whole file is formatted.
fn unlimited() -> verger::Dialect {
    let mut dialect = DIALECT;
    dialect.byte_limit = None;
    dialect
}

/// The kind of the line above a blank line that an edit adds or removes: it decides what a blank
/// line means. `None` for other edits.
type Above = Option<LineKind>;

/// The edits that make the text canonical, in order.
fn edits(text: &[u8], tree: &Tree) -> Vec<(Above, Edit)> {
    let mut edits = Vec::new();
    let mut edit = |above: Above, span: Span, new: Vec<u8>| {
        if text[span.range()] != new {
            edits.push((above, Edit { span, text: new }));
        }
    };
    edit(None, tree.byte_order_mark(), Vec::new());
    let (lines, line_end) = (tree.lines(), tree.line_end(text));
    let end = lines.iter().rposition(|line| line.kind != LineKind::Blank).map_or(0, |at| at + 1);
    let mut above = LineKind::Blank;
    for (at, line) in lines.iter().enumerate() {
        let before = at.checked_sub(1).map(|before| &lines[before]);
        if line.kind == LineKind::Blank {
            let is_first_of_run = before.is_some_and(|before| before.kind != LineKind::Blank);
            let new = if is_first_of_run && at < end { line_end } else { b"" };
            edit(Some(above), line.whole(), new.to_vec());
            continue;
        }
        if begins_group(lines, at) {
            let start = Span { start: line.span.start, end: line.span.start };
            edit(Some(above), start, line_end.to_vec());
        }
        edit(None, line.span, canonical(text, line));
        edit(None, line.end, line_end.to_vec());
        above = line.kind;
    }
    edits
}

/// Whether a blank line is missing before this line, because a group begins with it or, after
/// comments, below it.
fn begins_group(lines: &[Line], at: usize) -> bool {
    let Some(before) = at.checked_sub(1).map(|before| lines[before].kind) else { return false };
    if matches!(before, LineKind::Blank | LineKind::UserAgent | LineKind::Comment) {
        return false;
    }
    let below = lines[at..].iter().find(|line| line.kind != LineKind::Comment);
    below.is_some_and(|line| line.kind == LineKind::UserAgent)
}

/// The canonical form of a line that is not blank.
fn canonical(text: &[u8], line: &Line) -> Vec<u8> {
    let comment = line.comment.map(|span| text[span.range()].trim_ascii_end());
    let Some(record) = line.record.filter(|record| !record.colon_missing) else {
        return text[line.span.range()].trim_ascii().to_vec();
    };
    let key = &text[record.key.range()];
    let value = &text[record.value.range()];
    let mut out = canonical_key(line.kind, key).to_vec();
    out.push(b':');
    for part in [Some(value), comment].into_iter().flatten().filter(|part| !part.is_empty()) {
        out.push(b' ');
        out.extend_from_slice(part);
    }
    out
}

/// The usual spelling of a known key that differs from it in case only.
fn canonical_key(kind: LineKind, key: &[u8]) -> &[u8] {
    let usual = match kind {
        LineKind::UserAgent => "User-agent",
        LineKind::Rule(RuleKind::Allow) => "Allow",
        LineKind::Rule(RuleKind::Disallow) => "Disallow",
        LineKind::Sitemap => "Sitemap",
        _ => RecordKind::of_key(key).key(),
    };
    if usual.as_bytes().eq_ignore_ascii_case(key) { usual.as_bytes() } else { key }
}

/// The text with the edits that do not change the meaning; `None` if nothing changes. `bytes` is
/// the number of bytes that may still be parsed.
fn proved(text: &[u8], edits: &[(Above, Edit)], bytes: &mut usize) -> Option<Vec<u8>> {
    if edits.is_empty() {
        return None;
    }
    let mut original = Original::new(text, bytes)?;
    let with = |accepted: &[bool]| {
        let chosen = edits.iter().zip(accepted).filter(|(_, is_accepted)| **is_accepted);
        edited(text, Span { start: 0, end: text.len() }, chosen.map(|((_, edit), _)| edit))
    };
    let mut is_same = |accepted: &[bool]| original.is_same_meaning(&with(accepted), bytes);
    let mut accepted = vec![true; edits.len()];
    if !is_same(&accepted)? {
        accepted.fill(false);
        let kinds: BTreeSet<Above> = edits.iter().map(|(above, _)| *above).collect();
        for kind in kinds {
            let of_kind = (0..edits.len()).filter(|&at| edits[at].0 == kind).collect::<Vec<_>>();
            let mut refusals = 0;
            let chosen = bisection::accept(of_kind.len(), &mut |chosen| {
                let mut trial = accepted.clone();
                of_kind.iter().zip(chosen).for_each(|(&at, &is_chosen)| trial[at] = is_chosen);
                let answer =
                    (refusals < limits::FORMATTING_REFUSALS).then(|| is_same(&trial))??;
                refusals = if answer { 0 } else { refusals + 1 };
                Some(answer)
            });
            of_kind.iter().zip(chosen).for_each(|(&at, is_chosen)| accepted[at] = is_chosen);
        }
    }
    accepted.contains(&true).then(|| with(&accepted))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn format(text: &[u8]) -> Vec<u8> {
        Formatted::of(text).text
    }

    /// With one look at the rest of the file for each blank line, this test does not end.
    #[test]
    fn blank_lines_are_read_once() {
        let rule = b"User-agent: a\nDisallow: /\n";
        // Some dialects read no longer file.
        let text = [&rule[..], &vec![b'\n'; 500 * 1024 - rule.len()]].concat();
        assert_eq!(format(&text), rule);
        assert_eq!(format(b"\n\n# a\n\n\n# b\n\n"), b"# a\n\n# b\n");
    }

    #[test]
    fn all_lines_have_the_line_end_of_most_of_them() {
        for (text, expected) in [
            ("user-agent:a\r\nDisallow:/\r\n", "User-agent: a\r\nDisallow: /\r\n"),
            ("# a\r\n\n\n\n\n# b\r\n# c\n# d", "# a\r\n\r\n# b\r\n# c\r\n# d\r\n"),
            ("# a\r\n# b\n# c", "# a\n# b\n# c\n"),
            ("# a\r# b", "# a\r# b\r"),
            ("Allow: /a\r\r\nAllow: /b\r\r\n", "Allow: /a\r\n\r\nAllow: /b\r\n"),
            ("# a\r# b\r# c\n", "# a\r\n# b\r\n# c\r\n"),
            ("# a", "# a\n"),
            (
                "\u{feff}# a\r\nAllow: /\r\nUser-agent: b\n",
                "# a\r\nAllow: /\r\n\r\nUser-agent: b\r\n",
            ),
        ] {
            assert_eq!(
                format(text.as_bytes()).escape_ascii().to_string(),
                expected.escape_default().to_string()
            );
        }
    }

    #[test]
    fn lines_that_stay_are_found_in_the_original() {
        let text = b"\n\nuseragent:a\nDISALLOW:/x#c\n\n\n\n#c1\nuser-agent : b\n  allow:  /\n";
        let formatted = Formatted::of(text);
        assert_eq!(formatted.skipped, [(6, Skip::Meaning)]);
        let lines = [0, 1, 2, 3, 6].map(|line| formatted.original_line(text, line));
        assert_eq!(lines, [0, 3, 4, 5, 10]);
    }

    #[test]
    fn many_blank_lines_with_a_meaning_leave_other_edits_alone() {
        // For dialects without `Allow` all groups are one, and a blank line would end it.
        let text = b"User-agent:a\nAllow:/\n".repeat(20_000);
        let formatted = Formatted::of(&text);
        assert_eq!(formatted.text, b"User-agent: a\nAllow: /\n".repeat(20_000));
        assert_eq!(formatted.skipped.len(), 19_999);
        assert_eq!(Formatted::of(&formatted.text), formatted);
    }

    #[test]
    fn proofs_are_limited_by_the_bytes_that_they_parse() {
        let text = b"User-agent: a\nCrawl-delay: 5\nUser-agent:b\nDisallow: /cart\n".repeat(50);
        let tree = Tree::new(&unlimited().parse(&text));
        let edits = edits(&text, &tree);
        let work = |bytes: usize| {
            let mut left = bytes;
            let changed = proved(&text, &edits, &mut left);
            (changed, bytes - left)
        };
        let (changed, enough) = work(usize::MAX);
        assert!(changed.is_some());
        // Two proofs for each edit at most; those that fail do so in the first dialect.
        let parsed_texts = enough / text.len();
        assert!(parsed_texts < 7 * edits.len(), "{parsed_texts} for {} edits", edits.len());
        for bytes in [0, text.len() * Original::PARSES] {
            assert_eq!(work(bytes), (None, bytes));
        }
        for bytes in [enough / 2, enough - 1] {
            assert_eq!(work(bytes).1, bytes);
        }
        assert_eq!(work(enough), (changed, enough));
    }
}
