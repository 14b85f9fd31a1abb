//! Texts of the suite: TOML strings, long texts in short form, and bytes that are not text.

use serde::Deserialize;

/// Bytes, as a TOML string or as a table with the keys of `Recipe`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Written")]
pub struct Text(pub Vec<u8>);

#[derive(Deserialize)]
#[serde(untagged)]
enum Written {
    Plain(String),
    Recipe(Recipe),
}

/// A text with repetitions and escapes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Recipe {
    text: String,
    #[serde(default)]
    repeat: Vec<Repeat>,
    #[serde(default)]
    escape: bool,
}

/// A long text in short form.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Repeat {
    /// Placeholder in the text.
    pub mark: String,
    /// Text to repeat; `{i}` in it is the number of the repetition, from 0.
    pub text: String,
    /// Number of repetitions.
    pub count: usize,
}

impl TryFrom<Written> for Text {
    type Error = String;

    fn try_from(written: Written) -> Result<Self, String> {
        let Recipe { text, repeat, escape } = match written {
            Written::Plain(text) => return Ok(Self(text.into_bytes())),
            Written::Recipe(recipe) => recipe,
        };
        let text = repeat.iter().fold(text, |text, repeat| repeat.expand(&text));
        Ok(Self(if escape { unescape(&text)? } else { text.into_bytes() }))
    }
}

impl Repeat {
    /// Replaces every mark.
    pub(super) fn expand(&self, input: &str) -> String {
        let Self { mark, text, count } = self;
        if !text.contains("{i}") {
            return input.replace(mark, &text.repeat(*count));
        }
        let repeated: String = (0..*count).map(|i| text.replace("{i}", &i.to_string())).collect();
        input.replace(mark, &repeated)
    }
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
        if let Some(after) = rest.strip_prefix('\\') {
            bytes.push(b'\\');
            rest = after;
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
    fn marks_are_repeated_and_numbered() {
        let repeat = |text: &str| Repeat { mark: "@".into(), text: text.into(), count: 2 };
        assert_eq!(repeat("xy").expand("a@b@"), "axyxybxyxy");
        assert_eq!(repeat("b{i};").expand("a@"), "ab0;b1;");
    }
}
