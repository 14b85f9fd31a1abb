//! Foreign text in JSON.

use std::borrow::Cow;

use base64::display::Base64Display;
use base64::engine::general_purpose::STANDARD;
use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};

/// Foreign text and its key: a string for people, and the exact bytes if they are not UTF-8.
///
/// A field of this type is flattened: it writes its key, and for invalid UTF-8 a second key that
/// ends in `_b64`. Foreign bytes enter JSON in no other way.
///
/// # Examples
///
/// ```
/// use serde::Serialize;
/// use verger_json::Foreign;
///
/// #[derive(Serialize)]
/// struct Found<'a> {
///     #[serde(flatten)]
///     path: Foreign<&'a [u8]>,
/// }
///
/// let json = serde_json::to_string(&Found { path: Foreign::new("path", b"/\xff") })?;
/// assert_eq!(json, "{\"path\":\"/\u{fffd}\",\"path_b64\":\"L/8=\"}");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Foreign<T> {
    pub(crate) key: &'static str,
    /// The text.
    pub text: T,
}

impl<T: Strings> Foreign<T> {
    /// Text with this key.
    pub const fn new(key: &'static str, text: T) -> Self {
        Self { key, text }
    }
}

impl<T: Strings> Serialize for Foreign<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        if self.text.is_there() {
            map.serialize_entry(self.key, &Written(&self.text, Form::Text))?;
        }
        if !self.text.is_utf8() {
            let key = format!("{}_b64", self.key);
            map.serialize_entry(&key, &Written(&self.text, Form::Base64))?;
        }
        map.end()
    }
}

/// Form of foreign bytes.
#[derive(Clone, Copy, Debug)]
pub enum Form {
    /// With U+FFFD for each byte that is not UTF-8, as in the engine's own JSON.
    Text,
    /// In base64.
    Base64,
}

/// One foreign string, or several in the shape of their JSON. Both forms have the same shape.
pub trait Strings {
    /// Whether there is any text; otherwise nothing is written.
    fn is_there(&self) -> bool {
        true
    }

    /// Whether all bytes are UTF-8.
    fn is_utf8(&self) -> bool;

    /// Writes the text in a form.
    ///
    /// # Errors
    ///
    /// Those of the serializer.
    fn write<S: Serializer>(&self, form: Form, serializer: S) -> Result<S::Ok, S::Error>;
}

impl Strings for &[u8] {
    fn is_utf8(&self) -> bool {
        str::from_utf8(self).is_ok()
    }

    fn write<S: Serializer>(&self, form: Form, serializer: S) -> Result<S::Ok, S::Error> {
        match form {
            Form::Text => serializer.serialize_str(&as_utf8(self)),
            Form::Base64 => serializer.collect_str(&Base64Display::new(self, &STANDARD)),
        }
    }
}

impl Strings for Cow<'_, [u8]> {
    fn is_utf8(&self) -> bool {
        (&**self).is_utf8()
    }

    fn write<S: Serializer>(&self, form: Form, serializer: S) -> Result<S::Ok, S::Error> {
        (&**self).write(form, serializer)
    }
}

impl<T: Strings> Strings for Option<T> {
    fn is_there(&self) -> bool {
        self.is_some()
    }

    fn is_utf8(&self) -> bool {
        self.as_ref().is_none_or(Strings::is_utf8)
    }

    fn write<S: Serializer>(&self, form: Form, serializer: S) -> Result<S::Ok, S::Error> {
        self.as_ref().map(|text| Written(text, form)).serialize(serializer)
    }
}

impl<T: Strings> Strings for Vec<T> {
    fn is_utf8(&self) -> bool {
        self.iter().all(Strings::is_utf8)
    }

    fn write<S: Serializer>(&self, form: Form, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter().map(|text| Written(text, form)))
    }
}

impl<T: Strings> Strings for (T, T) {
    fn is_utf8(&self) -> bool {
        self.0.is_utf8() && self.1.is_utf8()
    }

    fn write<S: Serializer>(&self, form: Form, serializer: S) -> Result<S::Ok, S::Error> {
        (Written(&self.0, form), Written(&self.1, form)).serialize(serializer)
    }
}

/// Foreign strings in one of the forms.
struct Written<'t, T>(&'t T, Form);

impl<T: Strings> Serialize for Written<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.write(self.1, serializer)
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: impl Strings, json: &str) {
        assert_eq!(serde_json::to_string(&Foreign::new("x", text)).unwrap(), json);
    }

    #[test]
    fn each_byte_that_is_not_utf8_is_replaced() {
        assert_eq!(as_utf8(b"a\xe2\x82b"), "a\u{fffd}\u{fffd}b");
    }

    #[test]
    fn bytes_are_added_to_a_string_with_replacements() {
        check(&b"/x"[..], r#"{"x":"/x"}"#);
        check(&b"/\xff"[..], "{\"x\":\"/\u{fffd}\",\"x_b64\":\"L/8=\"}");
        check(None::<&[u8]>, "{}");
        check(Some(&b""[..]), r#"{"x":""}"#);
    }

    #[test]
    fn lists_and_pairs_have_the_same_shape_in_both_forms() {
        check(vec![&b"a"[..], b"b"], r#"{"x":["a","b"]}"#);
        check(
            vec![&b"a"[..], b"\xff"],
            "{\"x\":[\"a\",\"\u{fffd}\"],\"x_b64\":[\"YQ==\",\"/w==\"]}",
        );
        check(
            vec![(&b"a"[..], &b"\xff"[..])],
            "{\"x\":[[\"a\",\"\u{fffd}\"]],\"x_b64\":[[\"YQ==\",\"/w==\"]]}",
        );
    }
}
