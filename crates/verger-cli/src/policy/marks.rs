//! The marked block of a robots.txt, and the lines around it.

use verger::extension::Record;
use verger::{Agent, Group, Robots, quoted};

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
    /// A mark is missing, in the wrong order, or there more than once, or groups of the
    /// owner would join those of the block, with the line.
    pub(crate) fn split(text: &'t [u8], name: &'t str) -> Result<Self, Error> {
        let (mut at, mut begin, mut end) = (0, None, None);
        for (number, line) in (1_usize..).zip(lines(text)) {
            let (start, mark) = (at, line.trim_ascii());
            at += line.len();
            let is_right = match mark {
                _ if mark == BEGIN.as_bytes() => begin.replace((start, number)).is_none(),
                _ if mark == END.as_bytes() => begin.is_some() && end.replace(at).is_none(),
                _ if mark.starts_with(EDITS.as_bytes()) => begin.is_some() && end.is_none(),
                // Lines that end with CR alone are one line here.
                _ if mark.contains(&b'\r') => {
                    ![BEGIN, END].iter().any(|it| String::from_utf8_lossy(mark).contains(it))
                }
                _ => true,
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
        // The group is like those of a block.
        let text = [self.before, b"\nUser-agent: x\nDisallow:\n", self.after].concat();
        let file = Robots::parse(&text);
        let first = file.position(self.before.len() + 1).line;
        let is_first = |it: &Group<'_>| it.agents().any(|agent| agent.position().line == first);
        let Some(group) = file.groups().find(is_first) else { return Ok(()) };
        let agent = |it: Agent<'_>| (it.position().line, [b"User-agent: ", it.value()].concat());
        let rules = group.rules().map(|it| (it.position().line, it.to_string().into_bytes()));
        let records = file.records().filter(|it| it.group() == Some(group.index()));
        let records = records.filter(|it| !it.kind().is_for_file());
        let records = records.map(|it| (it.position().line, record_line(&it)));
        let mut found = group.agents().map(agent).chain(rules).chain(records);
        let Some((line, text)) = found.find(|(line, _)| !(first..first + 2).contains(line)) else {
            return Ok(());
        };
        let above = [self.before, self.block.unwrap_or_default()].concat();
        let line = if line < first { line } else { line - first - 1 + lines(&above).count() };
        let message = format!("{}:{line}: {} would join the block", self.name, quoted(&text));
        let hint = "a group above the block needs a rule, and lines below it need a `User-agent`";
        Err(Error::new(message).with_hint(hint))
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
        let first = lines(self.before).chain(lines(self.block.unwrap_or_default())).next();
        let is_crlf = first.is_some_and(|line| line.ends_with(b"\r\n"));
        let end: &[u8] = if is_crlf { b"\r\n" } else { b"\n" };
        let mut file = self.before.to_vec();
        if self.block.is_none() && !file.is_empty() {
            file.extend_from_slice(if file.ends_with(b"\n") { b"" } else { end });
            file.extend_from_slice(end);
        }
        for line in lines(block) {
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

/// Lines with their ends.
fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split_inclusive(|byte| *byte == b'\n')
}
