//! Lists of URLs.

use std::io::Read;

use crate::error::InputError;
use crate::lines::each_line;

/// The lines of a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListTotals {
    /// Lines that were passed.
    pub lines: u64,
    /// Whether bytes after the compressed data were ignored.
    pub has_trailing_bytes: bool,
}

/// Passes each line of a list to a function. Blank lines, and comments, which begin with `#`, are
/// skipped.
///
/// # Errors
///
/// A line is too long, or the reader fails.
///
/// # Examples
///
/// ```
/// let mut urls = Vec::new();
/// let list = "# The shop\nhttps://shop.example/\n\n/cart\n";
/// let totals = verger_urls::read_list(list.as_bytes(), |url| urls.push(url.to_vec()))?;
/// assert_eq!((totals.lines, urls[1].as_slice()), (2, &b"/cart"[..]));
/// # Ok::<(), verger_urls::InputError>(())
/// ```
pub fn read_list(reader: impl Read, mut each: impl FnMut(&[u8])) -> Result<ListTotals, InputError> {
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
