//! Writing JSON values.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{CharEscape, Formatter, Serializer};
use verger::Untrusted;

/// Writes JSON values on separate lines, or as one array.
///
/// Characters that could move a cursor or hide text are written as `\uXXXX`; the values stay the
/// same.
#[derive(Debug)]
pub struct Values {
    array: bool,
    is_first: bool,
}

impl Values {
    /// One value on each line.
    pub const fn lines() -> Self {
        Self { array: false, is_first: true }
    }

    /// One array with its values on separate lines.
    pub const fn array() -> Self {
        Self { array: true, is_first: true }
    }

    /// Writes a value.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub fn write(&mut self, out: &mut impl Write, value: &impl Serialize) -> io::Result<()> {
        if self.array {
            out.write_all(if self.is_first { b"[\n" } else { b",\n" })?;
            self.is_first = false;
        }
        Self::write_value(out, value)?;
        if self.array { Ok(()) } else { out.write_all(b"\n") }
    }

    /// Writes one value without a line end.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub fn write_value(out: &mut impl Write, value: &impl Serialize) -> io::Result<()> {
        Ok(value.serialize(&mut Serializer::with_formatter(&mut *out, Inert))?)
    }

    /// Writes values in the form of [`lines`](Self::lines).
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub fn write_lines(&mut self, out: &mut impl Write, values: &[u8]) -> io::Result<()> {
        if !self.array {
            return out.write_all(values);
        }
        for value in values.split_inclusive(|byte| *byte == b'\n') {
            out.write_all(if self.is_first { b"[\n" } else { b",\n" })?;
            self.is_first = false;
            out.write_all(value.strip_suffix(b"\n").unwrap_or(value))?;
        }
        Ok(())
    }

    /// Ends the array.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub fn finish(&self, out: &mut impl Write) -> io::Result<()> {
        match (self.array, self.is_first) {
            (false, _) => Ok(()),
            (true, true) => out.write_all(b"[]\n"),
            (true, false) => out.write_all(b"\n]\n"),
        }
    }
}

/// Writes every string like [`Untrusted::json`]: characters that could move a cursor or hide are
/// written as `\uXXXX`, and the value stays the same.
struct Inert;

impl Formatter for Inert {
    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        if fragment.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
            return writer.write_all(fragment.as_bytes());
        }
        let quoted = Untrusted::new(fragment).json().to_string();
        writer.write_all(&quoted.as_bytes()[1..quoted.len() - 1])
    }

    fn write_char_escape<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        escape: CharEscape,
    ) -> io::Result<()> {
        let control = match escape {
            CharEscape::Quote => return writer.write_all(br#"\""#),
            CharEscape::ReverseSolidus => return writer.write_all(br"\\"),
            CharEscape::Solidus => b'/',
            CharEscape::Backspace => 0x08,
            CharEscape::FormFeed => 0x0C,
            CharEscape::LineFeed => b'\n',
            CharEscape::CarriageReturn => b'\r',
            CharEscape::Tab => b'\t',
            CharEscape::AsciiControl(control) => control,
        };
        write!(writer, "\\u{control:04x}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(mut answers: Values, values: &[&str]) -> String {
        let mut out = Vec::new();
        for value in values {
            answers.write(&mut out, value).unwrap();
        }
        answers.finish(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn values_are_on_lines_or_in_an_array() {
        assert_eq!(written(Values::lines(), &["a", "b"]), "\"a\"\n\"b\"\n");
        assert_eq!(written(Values::lines(), &[]), "");
        assert_eq!(written(Values::array(), &["a", "b"]), "[\n\"a\",\n\"b\"\n]\n");
        assert_eq!(written(Values::array(), &[]), "[]\n");
    }

    #[test]
    fn values_that_are_already_json_are_written_like_others() {
        for answers in [Values::lines, Values::array] {
            let lines = written(Values::lines(), &["a\n", "b", "c"]);
            let (mut out, mut again) = (Vec::new(), answers());
            again.write_lines(&mut out, lines.as_bytes()).unwrap();
            again.write(&mut out, &"d").unwrap();
            again.finish(&mut out).unwrap();
            assert_eq!(out, written(answers(), &["a\n", "b", "c", "d"]).into_bytes());
        }
    }

    #[test]
    fn strings_are_escaped_like_the_engines_and_keep_their_value() {
        let all: String = (0..0x3000)
            .chain(0xE000..0xE100)
            .chain(0xFE00..0x1_0000)
            .chain(0x1_F000..0x1_F100)
            .chain(0xE_0000..0xE_0200)
            .filter_map(char::from_u32)
            .collect();
        let json = written(Values::lines(), &[&all]);
        assert_eq!(json.trim_end(), Untrusted::new(&all).json().to_string());
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), all);
        let shown = "é/日本/\u{202e}\u{9b}\x7f\x1b\u{e0061}\n\"\\";
        assert_eq!(
            written(Values::lines(), &[shown]),
            "\"é/日本/\\u202e\\u009b\\u007f\\u001b\\udb40\\udc61\\u000a\\\"\\\\\"\n"
        );
    }
}
