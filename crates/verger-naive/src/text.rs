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
    // REP-AMB-22: if only its end is beyond the limit, a line is whole.
    if text[LIMIT] == b'\r' || text[LIMIT] == b'\n' {
        return text[..LIMIT].to_vec();
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
