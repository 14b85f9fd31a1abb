//! Writing of JSON to memory.

use serde::Serialize;
use verger_json::Values;

/// Writes JSON without a line end.
pub(crate) fn write_json(out: &mut Vec<u8>, value: &impl Serialize) {
    // Writing to memory does not fail.
    let _ = Values::lines().write(out, value);
    out.pop();
}

/// Writes the members of an object, with a comma in front.
pub(crate) fn write_members(out: &mut Vec<u8>, object: &impl Serialize) {
    let at = out.len();
    // Writing to memory does not fail.
    let _ = Values::lines().write(out, object);
    // `{…}\n` becomes `,…`.
    out.truncate(out.len().saturating_sub(2));
    if let Some(first) = out.get_mut(at) {
        *first = b',';
    }
}

/// Writes a JSON string as [`verger_json::Values`] does.
pub(crate) fn write_string(out: &mut Vec<u8>, text: &str) {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~') && byte != b'"' && byte != b'\\') {
        out.push(b'"');
        out.extend_from_slice(text.as_bytes());
        out.push(b'"');
    } else {
        let at = out.len();
        let _ = Values::lines().write(out, &text);
        debug_assert!(out.len() > at + 2);
        out.pop();
    }
}

/// Writes a whole number in decimal digits.
pub(crate) fn write_number(out: &mut Vec<u8>, number: u64) {
    let mut digits = [0; 20];
    let (mut at, mut left) = (digits.len(), number);
    loop {
        at -= 1;
        digits[at] = b'0' + u8::try_from(left % 10).unwrap_or_default();
        left /= 10;
        if left == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[at..]);
}
