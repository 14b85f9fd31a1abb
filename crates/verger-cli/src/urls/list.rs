//! Lists of URLs.

use std::io::Read;

use verger_audit::lines::each_line;

/// The lines of a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ListTotals {
    /// Lines that were passed.
    pub(crate) lines: u64,
    /// Whether bytes after the compressed data were ignored.
    pub(crate) has_trailing_bytes: bool,
}

/// Passes each line of a list of URLs to a function. Blank lines, and comments, which begin with
/// `#`, are skipped.
pub(crate) fn read_list(
    reader: impl Read,
    mut each: impl FnMut(&[u8]),
) -> Result<ListTotals, String> {
    let mut totals = ListTotals::default();
    totals.has_trailing_bytes = each_line(reader, |_, line| {
        if !line.starts_with(b"#") {
            totals.lines += 1;
            each(line);
        }
        Ok(())
    })?;
    Ok(totals)
}
