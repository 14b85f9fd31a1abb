//! Lists of URLs.

use std::io::{self, ErrorKind, Read};

use verger_audit::limits::LINE_BYTES;
use verger_audit::lines::{Lines, at_line, could_not_read};

/// The lines of a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ListTotals {
    /// Lines that were passed.
    pub(crate) lines: u64,
}

/// Passes each line of a list of URLs to a function. Blank lines, and comments, which begin with
/// `#`, are skipped.
pub(crate) fn read_list(
    reader: impl Read,
    mut each: impl FnMut(&[u8]),
) -> Result<ListTotals, String> {
    let read = |error: io::Error| could_not_read(&error);
    let mut totals = ListTotals::default();
    let mut lines = Lines::new(reader).map_err(read)?;
    while lines.advance().map_err(read)? {
        if lines.is_too_long() {
            let message =
                format!("expected a line of at most {LINE_BYTES} bytes, but found a longer one");
            return Err(at_line(lines.number(), message));
        }
        if !lines.text().starts_with(b"#") {
            totals.lines += 1;
            each(lines.text());
        }
    }
    if lines.is_truncated() {
        let why = "the compressed data is cut off, or other bytes follow it";
        return Err(read(io::Error::new(ErrorKind::UnexpectedEof, why)));
    }
    Ok(totals)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::urls::compressed;

    #[test]
    fn long_lines_and_cut_data_are_errors() {
        let text = [b"a\n".to_vec(), vec![b'a'; LINE_BYTES + 1]].concat();
        let error = read_list(&text[..], |_| ()).expect_err("too long");
        assert!(error.ends_with(" (line 2)"), "{error}");
        assert_eq!(read_list(&text[..text.len() - 1], |_| ()).map(|list| list.lines), Ok(2));
        let cut = compressed(b"a\n");
        assert!(read_list(&cut[..cut.len() - 1], |_| ()).is_err());
        assert!(read_list(&[&cut[..], b"b\n"].concat()[..], |_| ()).is_err());
    }
}
