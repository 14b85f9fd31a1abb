//! Lines to bytes: line ends, byte order marks, UTF-16.

use super::draft::Draft;
use super::form::Form;

const MARK: &[u8] = b"\xEF\xBB\xBF";
const ENCODINGS: [Form; 4] =
    [Form::Utf16Broken, Form::Utf16Little, Form::Utf16Big, Form::Utf32Mark];

/// Joins lines to the bytes of a file.
pub(super) fn bytes(draft: &mut Draft, lines: &[Vec<u8>]) -> Vec<u8> {
    let mut text = joined(draft, lines);
    if draft.uses(Form::MarkLater) {
        let at = text.iter().position(|&octet| octet == b'\n').map_or(0, |end| end + 1);
        text.splice(at..at, MARK.iter().copied());
    }
    match draft.uses_one(&ENCODINGS) {
        Some(Form::Utf16Little) => utf16(&text, u16::to_le_bytes),
        Some(Form::Utf16Big) => utf16(&text, u16::to_be_bytes),
        Some(Form::Utf16Broken) => broken(draft, utf16(&text, u16::to_be_bytes)),
        Some(_) => [b"\xFF\xFE\0\0", text.as_slice()].concat(),
        None => marked(draft, text),
    }
}

fn joined(draft: &mut Draft, lines: &[Vec<u8>]) -> Vec<u8> {
    const ENDS: [Form; 4] = [Form::EndsMixed, Form::EndsCr, Form::EndsCrlf, Form::EndsLfCr];
    let style = draft.uses_one(&ENDS);
    let missing = draft.uses(Form::EndOfLastLineMissing);
    let mut text = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        text.extend(line);
        if missing && at + 1 == lines.len() {
            break;
        }
        let end: &[u8] = match style {
            Some(Form::EndsCr) => b"\r",
            Some(Form::EndsCrlf) => b"\r\n",
            Some(Form::EndsLfCr) => b"\n\r",
            Some(_) => draft.pick(&[b"\n".as_slice(), b"\r", b"\r\n", b"\r\r\n"]),
            None => b"\n",
        };
        text.extend(end);
    }
    text
}

/// Prefixes a byte order mark.
fn marked(draft: &mut Draft, text: Vec<u8>) -> Vec<u8> {
    const MARKS: [Form; 3] = [Form::MarkTwice, Form::MarkPartial, Form::Mark];
    match draft.uses_one(&MARKS) {
        Some(Form::MarkTwice) => [MARK, MARK, &text].concat(),
        Some(Form::MarkPartial) => [&MARK[..=draft.below(2)], &text].concat(),
        Some(_) => [MARK, &text].concat(),
        None => text,
    }
}

fn utf16(text: &[u8], unit: fn(u16) -> [u8; 2]) -> Vec<u8> {
    let text = String::from_utf8_lossy(text);
    std::iter::once(0xFEFF).chain(text.encode_utf16()).flat_map(unit).collect()
}

/// Adds half a unit at the end, or a lone surrogate.
fn broken(draft: &mut Draft, mut bytes: Vec<u8>) -> Vec<u8> {
    if draft.chance(50) {
        bytes.push(b'a');
    } else {
        let at = 2 * (1 + draft.below(bytes.len() / 2));
        bytes.splice(at..at, [0xD8, 0x01]);
    }
    bytes
}
