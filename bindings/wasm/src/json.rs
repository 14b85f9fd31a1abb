//! A writer of JSON, far smaller than a general one.

use std::fmt::{self, Display, Write as _};
use std::time::Duration;

/// JSON text. Methods append a value; commas are set between values.
#[derive(Default)]
pub(crate) struct Json(String);

impl Json {
    /// The text of one value.
    pub(crate) fn of(value: impl FnOnce(&mut Self)) -> String {
        let mut json = Self::default();
        value(&mut json);
        json.0
    }

    /// The text of one object.
    pub(crate) fn object_of(entries: impl FnOnce(&mut Self)) -> String {
        Self::of(|json| json.object(entries))
    }

    pub(crate) fn object(&mut self, entries: impl FnOnce(&mut Self)) {
        self.begin();
        self.0.push('{');
        entries(self);
        self.0.push('}');
    }

    pub(crate) fn array<T>(
        &mut self,
        items: impl IntoIterator<Item = T>,
        mut item: impl FnMut(&mut Self, T),
    ) {
        self.begin();
        self.0.push('[');
        for it in items {
            item(self, it);
        }
        self.0.push(']');
    }

    pub(crate) fn texts<T: Display>(&mut self, items: impl IntoIterator<Item = T>) {
        self.array(items, Self::text);
    }

    /// The key of the next value of an object.
    pub(crate) fn key(&mut self, key: &str) -> &mut Self {
        self.begin();
        self.0.push('"');
        self.0.push_str(key);
        self.0.push_str("\":");
        self
    }

    pub(crate) fn text(&mut self, text: impl Display) {
        self.begin();
        self.0.push('"');
        // Writing to a string cannot fail.
        let _ = write!(Escaped(&mut self.0), "{text}");
        self.0.push('"');
    }

    /// Bytes as a string; bytes that are not UTF-8 are shown as `\xNN`.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.begin();
        self.0.push('"');
        for chunk in bytes.utf8_chunks() {
            let _ = Escaped(&mut self.0).write_str(chunk.valid());
            for byte in chunk.invalid() {
                let _ = write!(self.0, "\\\\x{byte:02x}");
            }
        }
        self.0.push('"');
    }

    pub(crate) fn number(&mut self, number: u64) {
        self.begin();
        let _ = write!(self.0, "{number}");
    }

    /// A number of lines, bytes, or URLs.
    pub(crate) fn count(&mut self, number: usize) {
        self.number(number as u64);
    }

    /// Seconds.
    pub(crate) fn seconds(&mut self, time: Duration) {
        self.begin();
        // Formatting of floats would add several kilobytes.
        let _ = write!(self.0, "{}.{:09}", time.as_secs(), time.subsec_nanos());
    }

    pub(crate) fn bool(&mut self, value: bool) {
        self.begin();
        self.0.push_str(if value { "true" } else { "false" });
    }

    /// The value, or `null`.
    pub(crate) fn option<T>(&mut self, value: Option<T>, write: impl FnOnce(&mut Self, T)) {
        if let Some(value) = value {
            write(self, value);
        } else {
            self.begin();
            self.0.push_str("null");
        }
    }

    /// Sets a comma after a complete value.
    fn begin(&mut self) {
        if !matches!(self.0.as_bytes().last(), None | Some(b'{' | b'[' | b':')) {
            self.0.push(',');
        }
    }
}

/// Escapes text inside a JSON string.
struct Escaped<'a>(&'a mut String);

impl fmt::Write for Escaped<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let mut plain = 0;
        for (at, byte) in text.bytes().enumerate() {
            if byte >= b' ' && byte != b'"' && byte != b'\\' {
                continue;
            }
            self.0.push_str(&text[plain..at]);
            plain = at + 1;
            if byte >= b' ' {
                self.0.push('\\');
                self.0.push(char::from(byte));
            } else {
                write!(self.0, "\\u{byte:04x}")?;
            }
        }
        self.0.push_str(&text[plain..]);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_commas_between_them() {
        let text = Json::object_of(|json| {
            json.key("a").array([1, 2], Json::number);
            json.key("b").object(|json| json.key("c").bool(true));
            json.key("d").option(None::<u64>, Json::number);
            json.key("e").seconds(Duration::from_millis(1_500));
            json.key("f").texts(["x", "y"]);
        });
        let expected = r#"{"a":[1,2],"b":{"c":true},"d":null,"e":1.500000000,"f":["x","y"]}"#;
        assert_eq!(text, expected);
    }

    #[test]
    fn a_string_that_ends_like_an_opening_bracket_is_followed_by_a_comma() {
        assert_eq!(Json::of(|json| json.texts(["[", "{", ":"])), r#"["[","{",":"]"#);
    }

    #[test]
    fn foreign_bytes_are_escaped() {
        let text = Json::of(|json| json.bytes(b"a\"\\\n\xff\xc3\xa9\0"));
        assert_eq!(text, "\"a\\\"\\\\\\u000a\\\\xff\u{e9}\\u0000\"");
    }
}
