//! The `id` of a question and its answers.

use std::fmt;

use serde::de::{Error as _, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;
use verger::{Untrusted, quoted};

use crate::limits::ID_BYTES;

/// The `id` of a question: a JSON string or number, repeated by its answers.
///
/// At most 256 bytes long in its JSON form.
#[derive(Clone, Debug)]
pub enum Id {
    /// A string.
    Text(String),
    /// A number with its original digits, because no number type represents all of them.
    Number(Box<RawValue>),
}

impl Id {
    /// Finds the id of an invalid line; `None` if it cannot be read.
    pub fn find(line: &[u8]) -> Option<Self> {
        let mut found = None;
        // The errors of the line are already reported.
        let _ = serde_json::Deserializer::from_slice(line).deserialize_map(Finder(&mut found));
        found
    }

    fn of(raw: Box<RawValue>) -> Option<Self> {
        match raw.get().as_bytes().first()? {
            b'"' => {
                let text: String = serde_json::from_str(raw.get()).ok()?;
                let written = Untrusted::new(&text).json().to_string().len();
                (written <= ID_BYTES).then_some(Self::Text(text))
            }
            b'-' | b'0'..=b'9' => (raw.get().len() <= ID_BYTES).then_some(Self::Number(raw)),
            _ => None,
        }
    }
}

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        let found = quoted(raw.get());
        Self::of(raw).ok_or_else(|| {
            D::Error::custom(format_args!(
                "expected a string or a number of at most {ID_BYTES} bytes as `id`, but found {found}"
            ))
        })
    }
}

impl Serialize for Id {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => serializer.serialize_str(text),
            Self::Number(raw) => raw.serialize(serializer),
        }
    }
}

/// Reads an object up to its key `id`.
struct Finder<'f>(&'f mut Option<Id>);

impl<'de> Visitor<'de> for Finder<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<(), M::Error> {
        while let Some(key) = map.next_key::<String>()? {
            if key == "id" {
                *self.0 = map.next_value()?;
                return Ok(());
            }
            map.next_value::<IgnoredAny>()?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, written: Option<&str>) {
        let id = Id::find(line.as_bytes());
        let found = id.map(|id| serde_json::to_string(&id).unwrap());
        assert_eq!(found.as_deref(), written, "{line}");
    }

    #[test]
    fn strings_and_numbers_are_repeated_unchanged() {
        for id in ["\"a\"", "\"\"", "7", "-1.50e+400", "123456789012345678901234567890"] {
            check(&format!("{{\"id\": {id} }}"), Some(id));
        }
        check(r#"{"id":"\u0061\/"}"#, Some(r#""a/""#));
    }

    #[test]
    fn the_id_of_a_bad_line_is_found_before_the_error() {
        check(r#"{"x":[{"id":1}],"id":2,"#, Some("2"));
        check(r#"{"id":2} x"#, Some("2"));
        check(r#"{"x" 1,"id":2}"#, None);
        check(r#"["id",2]"#, None);
    }

    #[test]
    fn other_values_and_longer_ones_are_not_ids() {
        for id in ["null", "true", "[1]", "{}"] {
            check(&format!("{{\"id\":{id}}}"), None);
        }
        let digits = |count: usize| "1".repeat(count);
        check(&format!("{{\"id\":{}}}", digits(256)), Some(&digits(256)));
        check(&format!("{{\"id\":{}}}", digits(257)), None);
        let text = |count: usize| format!("\"{}\"", "a".repeat(count));
        check(&format!("{{\"id\":{}}}", text(254)), Some(&text(254)));
        check(&format!("{{\"id\":{}}}", text(255)), None);
        // Written as six bytes.
        check(&format!("{{\"id\":\"{}\"}}", "\u{202e}".repeat(43)), None);
    }
}
