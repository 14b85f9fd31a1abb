//! Foreign text in JSON: a string for eyes, and the exact bytes where the string has lost some.

use std::borrow::Cow;

use base64::display::Base64Display;
use base64::engine::general_purpose::STANDARD;
use serde::{Serialize, Serializer};

/// Foreign text as a JSON string.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Text<'a>(pub(crate) &'a [u8]);

impl Serialize for Text<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&as_utf8(self.0))
    }
}

/// The text with U+FFFD for each byte that is not UTF-8, as the engine's own JSON has it.
fn as_utf8(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| char::REPLACEMENT_CHARACTER));
    }
    Cow::Owned(text)
}

/// Exact bytes as a JSON string.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Base64<'a>(pub(crate) &'a [u8]);

impl<'a> Base64<'a> {
    pub(crate) fn unless_utf8(bytes: &'a [u8]) -> Option<Self> {
        str::from_utf8(bytes).is_err().then_some(Self(bytes))
    }
}

impl Serialize for Base64<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&Base64Display::new(self.0, &STANDARD))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_byte_that_is_not_utf8_is_replaced() {
        assert_eq!(as_utf8(b"a\xe2\x82b"), "a\u{fffd}\u{fffd}b");
        assert_eq!(serde_json::to_string(&Text(b"/\xff")).unwrap(), "\"/\u{fffd}\"");
        assert_eq!(serde_json::to_string(&Base64(b"/\xff")).unwrap(), "\"L/8=\"");
    }
}
