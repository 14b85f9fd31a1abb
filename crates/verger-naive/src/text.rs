//! Bytes to text: encoding, byte order mark, size limit.

/// REP-SYNTAX-8: 500 KiB.
const LIMIT: usize = 500 * 1024;

/// The text of a robots.txt: UTF-8 where the file is valid, without its byte order mark and without
/// the bytes beyond the limit.
pub(crate) fn text(robots: &[u8]) -> Vec<u8> {
    // REP-AMB-20: a UTF-16 mark is trusted. UTF-32, which begins with the same bytes, is not
    // decoded.
    if robots.starts_with(&[0xFF, 0xFE, 0x00, 0x00]) {
        return limited(robots);
    }
    // Only if one of the next 64 octets is NUL. The limit counts bytes of the decoded text.
    let proven = robots.len() > 2 && robots[2..robots.len().min(66)].contains(&0);
    if proven && robots.starts_with(&[0xFF, 0xFE]) {
        return limited(&from_utf16(&robots[2..], u16::from_le_bytes));
    }
    if proven && robots.starts_with(&[0xFE, 0xFF]) {
        return limited(&from_utf16(&robots[2..], u16::from_be_bytes));
    }
    // REP-AMB-39: one whole UTF-8 mark is removed, only at the very start. It counts as three bytes
    // of the limit.
    let text = limited(robots);
    match text.strip_prefix(&[0xEF, 0xBB, 0xBF]) {
        Some(rest) => rest.to_vec(),
        None => text,
    }
}

/// The part of a text within the limit.
fn limited(text: &[u8]) -> Vec<u8> {
    if text.len() <= LIMIT {
        return text.to_vec();
    }
    // REP-AMB-22: a line that the limit cut would be a shorter, broader rule, so it is dropped. A
    // CR as last byte within the limit ends its line even if its LF is beyond the limit.
    let mut kept = text[..LIMIT].to_vec();
    while let Some(&last) = kept.last() {
        if last == b'\r' || last == b'\n' {
            break;
        }
        kept.pop();
    }
    kept
}

/// UTF-16 to UTF-8. A lone surrogate and half a unit at the end become U+FFFD.
fn from_utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Vec<u8> {
    let mut units = Vec::new();
    for pair in bytes.chunks(2) {
        match *pair {
            [first, second] => units.push(unit([first, second])),
            _ => units.push(0xFFFD),
        }
    }
    String::from_utf16_lossy(&units).into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_whole_utf_8_mark_is_dropped() {
        assert_eq!(text(b"\xEF\xBB\xBFa"), b"a");
        assert_eq!(text(b"\xEF\xBB\xBF\xEF\xBB\xBFa"), b"\xEF\xBB\xBFa");
        assert_eq!(text(b"\xEF\xBBa"), b"\xEF\xBBa");
        assert_eq!(text(b"a\xEF\xBB\xBF"), b"a\xEF\xBB\xBF");
        assert_eq!(text(b""), b"");
    }

    #[test]
    fn utf_16_is_decoded_in_both_byte_orders() {
        assert_eq!(text(b"\xFF\xFEa\0\xE9\0\n\0"), "aé\n".as_bytes());
        assert_eq!(text(b"\xFE\xFF\0a\0\xE9\0\n"), "aé\n".as_bytes());
        assert_eq!(text(b"\xFE\xFF\xD8\x3D\xDE\x00"), "\u{1F600}".as_bytes());
    }

    #[test]
    fn mark_of_utf_16_before_ascii_is_left_alone() {
        assert_eq!(text(b"\xFF\xFEallow: /"), b"\xFF\xFEallow: /");
        assert_eq!(text(b"\xFE\xFF"), b"\xFE\xFF");
        let mut robots = vec![b'x'; 66];
        robots[..2].copy_from_slice(b"\xFF\xFE");
        robots.push(0);
        assert_eq!(text(&robots), robots);
    }

    #[test]
    fn broken_utf_16_yields_replacement_characters() {
        assert_eq!(text(b"\xFE\xFF\xD8\x00\0a"), "\u{FFFD}a".as_bytes());
        assert_eq!(text(b"\xFE\xFF\0a\xDC\x00"), "a\u{FFFD}".as_bytes());
        assert_eq!(text(b"\xFE\xFF\0a\0"), "a\u{FFFD}".as_bytes());
    }

    #[test]
    fn utf_32_is_left_alone() {
        let robots = b"\xFF\xFE\0\0a\0\0\0";
        assert_eq!(text(robots), robots);
    }

    #[test]
    fn text_of_exactly_the_limit_counts_whole() {
        let robots = vec![b'x'; LIMIT];
        assert_eq!(text(&robots), robots);
    }

    #[test]
    fn line_cut_by_the_limit_is_dropped() {
        let mut robots = b"first\nsecond\n".to_vec();
        robots.resize(LIMIT + 1, b'x');
        assert_eq!(text(&robots), b"first\nsecond\n");
        assert_eq!(text(&vec![b'x'; LIMIT + 1]), b"");
    }

    #[test]
    fn line_that_ends_at_the_limit_counts() {
        for end in [b'\n', b'\r'] {
            let mut robots = vec![b'x'; LIMIT - 1];
            robots.push(end);
            let whole = robots.clone();
            robots.push(b'\n');
            assert_eq!(text(&robots), whole);
        }
        let mut robots = vec![b'x'; LIMIT];
        robots.push(b'\n');
        assert_eq!(text(&robots), b"");
    }

    #[test]
    fn limit_counts_decoded_bytes_of_utf_16() {
        let mut robots = vec![0xFF, 0xFE];
        for _ in 0..LIMIT {
            robots.extend(*b"x\0");
        }
        assert_eq!(text(&robots).len(), LIMIT);
    }
}
