//! Lists of URLs.

use std::io::Read;

use crate::error::InputError;
use crate::lines::each_line;

/// Passes each line of a list to a function. Blank lines, and comments, which begin with `#`, are
/// skipped. Returns the number of lines that were passed.
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
/// let number = verger_urls::read_list(list.as_bytes(), |url| urls.push(url.to_vec()))?;
/// assert_eq!((number, urls[1].as_slice()), (2, &b"/cart"[..]));
/// # Ok::<(), verger_urls::InputError>(())
/// ```
pub fn read_list(reader: impl Read, mut each: impl FnMut(&[u8])) -> Result<u64, InputError> {
    let mut number = 0;
    each_line(reader, |_, line| {
        if line.starts_with(b"#") {
            return;
        }
        number += 1;
        each(line);
    })?;
    Ok(number)
}
