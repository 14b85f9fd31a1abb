//! The two short forms of texts in the suite: `repeat` and `escape`.

/// Replaces every `mark` by `count` times `text`.
pub(super) fn repeat(input: &str, mark: &str, text: &str, count: usize) -> String {
    input.replace(mark, &text.repeat(count))
}

/// Decodes `\\` and `\xNN`; everything else is its UTF-8 bytes.
///
/// # Errors
///
/// If a backslash precedes anything else.
pub(super) fn unescape(input: &str) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::with_capacity(input.len());
    let mut rest = input;
    while let Some(at) = rest.find('\\') {
        bytes.extend_from_slice(&rest.as_bytes()[..at]);
        rest = &rest[at + 1..];
        if let Some(behind) = rest.strip_prefix('\\') {
            bytes.push(b'\\');
            rest = behind;
            continue;
        }
        let digits = rest.strip_prefix('x').and_then(|rest| rest.get(..2));
        let byte = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        let byte =
            byte.ok_or_else(|| format!("expected `\\\\` or `\\xNN`, but found `\\{rest:.3}`"))?;
        bytes.push(byte);
        rest = &rest[3..];
    }
    bytes.extend_from_slice(rest.as_bytes());
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_bytes_and_backslashes() {
        assert_eq!(unescape(r"a\xFFé\\x41\x0a").as_deref(), Ok(&b"a\xff\xc3\xa9\\x41\n"[..]));
        for wrong in [r"\n", r"\x", r"\x1", r"\xzz", "\\"] {
            assert!(unescape(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn marks_are_repeated() {
        assert_eq!(repeat("a@b@", "@", "xy", 2), "axyxybxyxy");
    }
}
