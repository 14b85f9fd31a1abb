//! Lines of a list or log.

use std::io::{BufRead as _, BufReader, Read};

use crate::gzip::Plain;
use crate::limits::{DECOMPRESSED_BYTES, LINE_BYTES};

/// An error of a reader.
pub fn could_not_read(error: &std::io::Error) -> String {
    format!("could not read: {error}")
}

/// An error with its line, counted from 1.
pub fn at_line(line: u64, message: impl core::fmt::Display) -> String {
    format!("{message} (line {line})")
}

/// Passes each line that is not blank to a function, with its number from 1 and without its line
/// end, a byte order mark and white space at both ends. Its first error ends the reading. Returns
/// whether bytes after the last member of gzip were ignored.
///
/// # Errors
///
/// The reader fails, a line is too long, or the function fails.
pub fn each_line(
    reader: impl Read,
    mut each: impl FnMut(u64, &[u8]) -> Result<(), String>,
) -> Result<bool, String> {
    let read = |error: std::io::Error| could_not_read(&error);
    let mut reader = BufReader::new(Plain::new(reader, DECOMPRESSED_BYTES).map_err(read)?);
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        let limit = LINE_BYTES as u64 + 1;
        if reader.by_ref().take(limit).read_until(b'\n', &mut line).map_err(read)? == 0 {
            break;
        }
        if line.len() > LINE_BYTES && !line.ends_with(b"\n") {
            let message =
                format!("expected a line of at most {LINE_BYTES} bytes, but found a longer one");
            return Err(at_line(number, message));
        }
        let mut text = &line[..];
        if number == 1 {
            text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
        }
        let text = text.trim_ascii();
        if !text.is_empty() {
            each(number, text)?;
        }
    }
    Ok(reader.get_ref().has_trailing_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blank_lines_are_counted_but_skipped() {
        let mut found = Vec::new();
        let text = b"\xef\xbb\xbfa\r\n \n\nb\n\xef\xbb\xbfc";
        let push = |number, line: &[u8]| {
            found.push((number, line.to_vec()));
            Ok(())
        };
        each_line(&text[..], push).expect("lines");
        assert_eq!(found, [(1, b"a".to_vec()), (4, b"b".to_vec()), (5, b"\xef\xbb\xbfc".to_vec())]);
    }

    #[test]
    fn a_long_line_is_an_error() {
        let text = [b"a\n".to_vec(), vec![b'a'; LINE_BYTES + 1]].concat();
        let error = each_line(&text[..], |_, _| Ok(())).expect_err("too long");
        assert!(error.ends_with(" (line 2)"), "{error}");
        each_line(&text[..text.len() - 1], |_, _| Ok(())).expect("short enough");
    }
}
