//! The marked block of a robots.txt, and the lines around it.

use verger::extension::Record;
use verger::{Robots, quoted};

use crate::error::Error;

/// The first line of a block.
pub(crate) const BEGIN: &str = "# verger generate: begin";

/// The last line of a block.
pub(crate) const END: &str = "# verger generate: end";

/// The beginning of the line after the first one: without that, it shows that a block was there.
pub(crate) const EDITS: &str = "# Edits between these marks are lost.";

/// A file, split at its block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Marked<'t> {
    pub(crate) name: &'t str,
    /// The owner's lines before the block; without a block, all lines.
    pub(crate) before: &'t [u8],
    /// The block with its marks and the end of its last line.
    pub(crate) block: Option<&'t [u8]>,
    /// The owner's lines after the block.
    pub(crate) after: &'t [u8],
}

impl<'t> Marked<'t> {
    /// Splits the file `name`.
    ///
    /// # Errors
    ///
    /// A mark is missing, damaged, in the wrong order, or there more than once, or groups of the
    /// owner would join those of the block, with the line.
    pub(crate) fn split(text: &'t [u8], name: &'t str) -> Result<Self, Error> {
        let (mut at, mut begin, mut end) =
            (usize::from(text.starts_with(BOM)) * BOM.len(), None, None);
        for (number, line) in (1_usize..).zip(lines(&text[at..])) {
            let (start, mark) = (at, line.trim_ascii());
            at += line.len();
            let is_right = match mark {
                _ if mark == BEGIN.as_bytes() => begin.replace((start, number)).is_none(),
                _ if mark == END.as_bytes() => begin.is_some() && end.replace(at).is_none(),
                _ if mark.starts_with(EDITS.as_bytes()) => begin.is_some() && end.is_none(),
                _ => !is_damaged(mark),
            };
            if !is_right {
                let found = quoted(mark);
                let message =
                    format!("{name}:{number}: expected one block, but found the mark {found}");
                let hint = format!("a block is between the lines `{BEGIN}` and `{END}`");
                return Err(Error::new(message).with_hint(hint));
            }
        }
        let marked = match (begin, end) {
            (None, _) => Self { name, before: text, block: None, after: &[] },
            (Some((begin, _)), Some(end)) => {
                let (before, after) = (&text[..begin], &text[end..]);
                Self { name, before, block: Some(&text[begin..end]), after }
            }
            (Some((_, number)), None) => {
                let error = Error::new(format!("{name}:{number}: the block has no end"));
                return Err(error.with_hint(format!("its last line must be `{END}`")));
            }
        };
        marked.check_edges().map(|()| marked)
    }

    /// Checks that no line of the owner would be in a group of a block.
    fn check_edges(&self) -> Result<(), Error> {
        let (name, before) = (self.name, Robots::parse(self.before));
        let open = before.groups().last().filter(|group| group.rules().len() == 0);
        if let Some(agent) = open.and_then(|group| group.agents().last()) {
            let line = agent.position().line;
            let found = quoted(&[b"User-agent: ", agent.value()].concat());
            let message = format!("{name}:{line}: expected a rule between {found} and the block");
            return Err(
                Error::new(message).with_hint("add one, such as `Disallow:`, which closes nothing")
            );
        }
        let after = Robots::parse(&[b"User-agent: x\nDisallow:\n", self.after].concat());
        let rules = after.groups().next().into_iter().flat_map(|group| group.rules()).skip(1);
        let rules = rules.map(|it| (it.position().line, it.to_string().into_bytes()));
        let is_inside = |it: &Record<'_>| it.group() == Some(0) && !it.kind().is_for_file();
        let records = after.records().filter(is_inside);
        let records = records.map(|it| (it.position().line, record_line(&it)));
        let Some((line, found)) = rules.chain(records).min() else { return Ok(()) };
        let before = [self.before, self.block.unwrap_or_default()].concat();
        let (line, found) = (line - 2 + lines(&before).count(), quoted(&found));
        let message =
            format!("{name}:{line}: expected `User-agent` after the block, but found {found}");
        Err(Error::new(message).with_hint("move the line into a group above the block"))
    }

    /// `NAME:LINE: ` of the owner's file, for a line of `file`, which has a new block. `NAME: ` for
    /// a line that is not the owner's.
    pub(crate) fn place(&self, file: &Robots, line: Option<usize>) -> String {
        let [before, block, after, file] =
            [self.before, self.block.unwrap_or_default(), self.after, file.text()]
                .map(|it| lines(it).count());
        let old = |line: usize| match line {
            line if line <= before => Some(line),
            line => (line + after > file).then(|| line + before + block + after - file),
        };
        let line = line.and_then(old).map(|line| format!(":{line}")).unwrap_or_default();
        format!("{}{line}: ", self.name)
    }

    /// The file with another block, whose lines end with LF. It gets the line ends of the file; a
    /// new block is after a blank line at the end.
    pub(crate) fn with_block(&self, block: &[u8]) -> Vec<u8> {
        let old = [self.before, self.block.unwrap_or_default()].concat();
        let first = lines(&old).chain(lines(self.after)).next().unwrap_or_default();
        let end: &[u8] = match first {
            [.., b'\r', b'\n'] => b"\r\n",
            [.., b'\r'] => b"\r",
            _ => b"\n",
        };
        let mut file = self.before.to_vec();
        if self.block.is_none() && !matches!(self.before, b"" | BOM) {
            let is_ended = matches!(self.before, [.., b'\n' | b'\r']);
            file.extend_from_slice(if is_ended { b"" } else { end });
            file.extend_from_slice(end);
        }
        for line in block.split_inclusive(|byte| *byte == b'\n') {
            file.extend_from_slice(line.trim_ascii_end());
            file.extend_from_slice(end);
        }
        file.extend_from_slice(self.after);
        file
    }
}

/// The line of a record in a group.
pub(crate) fn record_line(record: &Record<'_>) -> Vec<u8> {
    [record.key(), b": ", record.value()].concat()
}

/// Whether a comment is a mark with a mistake.
fn is_damaged(line: &[u8]) -> bool {
    // Another line is longer, or differs in more than a word.
    let line = String::from_utf8_lossy(&line[..line.len().min(2 * BEGIN.len())]);
    let line = line.to_ascii_lowercase();
    let is_near = |mark| strsim::levenshtein(&line, mark) <= 4;
    line.starts_with(MARK) || [BEGIN, END].into_iter().any(is_near)
}

/// The beginning of both marks, also of damaged ones.
const MARK: &str = "# verger generate:";

/// Lines with their ends: LF, CR or CRLF.
fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let stop = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
        let length =
            stop.map_or(rest.len(), |at| at + 1 + usize::from(rest[at..].starts_with(b"\r\n")));
        let (line, others) = rest.split_at(length);
        rest = others;
        (!line.is_empty()).then_some(line)
    })
}

/// The byte order mark of UTF-8.
const BOM: &[u8] = b"\xef\xbb\xbf";
