//! JSON in which no object has a key twice: readers disagree about which of the values counts.

use std::fmt;
use std::iter;

use serde::de::{Error as _, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};
use verger::quoted;

/// A value; reading it fails if an object in it has a key twice.
pub(crate) struct Unique(pub(crate) Value);

impl<'de> Deserialize<'de> for Unique {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Reader).map(Self)
    }
}

struct Reader;

macro_rules! scalars {
    ($($visit:ident: $of:ty),*) => {
        $(fn $visit<E>(self, value: $of) -> Result<Value, E> {
            Ok(value.into())
        })*
    };
}

impl<'de> Visitor<'de> for Reader {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    scalars! { visit_bool: bool, visit_i64: i64, visit_u64: u64, visit_f64: f64, visit_str: &str }

    fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<Value, A::Error> {
        iter::from_fn(|| from.next_element().transpose())
            .map(|it| it.map(|Unique(it)| it))
            .collect()
    }

    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<Value, A::Error> {
        let mut members = Map::new();
        while let Some((name, Unique(value))) = from.next_entry::<String, _>()? {
            if members.contains_key(&name) {
                return Err(A::Error::custom(format!("expected the key {} once", quoted(&name))));
            }
            members.insert(name, value);
        }
        Ok(Value::Object(members))
    }
}
