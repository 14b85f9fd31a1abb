//! Serialised forms of values that programs store (feature `serde`).
//!
//! | type | form |
//! |---|---|
//! | `Origin` | its text, `"https://shop.example"` |
//! | `ProductToken` | its text, without validation |
//! | `Crawler` | `tokens`, `union`, `without_star`, `without_robots` |
//! | `Dialect`, `Profile` | the name; only published rows have one |
//! | `Reason` | its name, `"no_rule_matches"` |
//! | `DetachedVerdict` | `allowed`, `reason`, and the indices of rule and group in the file |
//! | `Outcome` | its name, `"network"`, or `{"status": 404}` |
//! | `State` | the bytes of `State::encode`, in hexadecimal in human-readable formats |
//! | `Timestamp` | seconds since 1970 |
//!
//! Forms that follow from the fields of a type are derived beside the type.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;
use core::str::FromStr;

use serde::de::{self, Deserialize, Deserializer, Visitor};
use serde::ser::{self, Serialize, Serializer};

use crate::access::{Profile, State};
use crate::crawler::{Crawler, ProductToken};
use crate::dialect::Dialect;
use crate::origin::Origin;

impl Serialize for Origin {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Origin {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(FromText::new("an origin"))
    }
}

impl Serialize for ProductToken {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for ProductToken {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Box::<str>::deserialize(deserializer).map(Self::new)
    }
}

/// A row of choices by its name; only published rows have a form.
macro_rules! by_name {
    ($type:ident, $what:literal) => {
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                if Self::named(self.name) != Some(*self) {
                    let row = format!("expected a published row, but found {self:?}");
                    return Err(ser::Error::custom(row));
                }
                serializer.serialize_str(self.name)
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_str(FromText::new($what))
            }
        }
    };
}

by_name!(Dialect, "the name of a dialect");
by_name!(Profile, "the name of an access profile");

/// The form of a [`Crawler`].
#[derive(serde::Deserialize, serde::Serialize)]
#[serde(rename = "Crawler")]
struct CrawlerForm {
    tokens: Vec<ProductToken>,
    #[serde(default)]
    union: bool,
    #[serde(default)]
    without_star: bool,
    #[serde(default)]
    without_robots: bool,
}

impl Serialize for Crawler {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let form = CrawlerForm {
            tokens: self.tokens().to_vec(),
            union: self.is_union(),
            without_star: self.ignores_star(),
            without_robots: self.ignores_robots(),
        };
        form.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Crawler {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let form = CrawlerForm::deserialize(deserializer)?;
        let tokens = form.tokens.iter().map(ProductToken::as_str);
        let crawler = if form.union { Self::union(tokens) } else { Self::chain(tokens) };
        let crawler = if form.without_star { crawler.without_star() } else { crawler };
        Ok(if form.without_robots { crawler.without_robots() } else { crawler })
    }
}

impl Serialize for State {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let bytes = self.encode();
        if serializer.is_human_readable() {
            let digits: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            return serializer.serialize_str(&digits.concat());
        }
        serializer.serialize_bytes(&bytes)
    }
}

impl<'de> Deserialize<'de> for State {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            deserializer.deserialize_str(StateBytes)
        } else {
            deserializer.deserialize_bytes(StateBytes)
        }
    }
}

/// Reads a value from its text.
struct FromText<T> {
    expected: &'static str,
    value: PhantomData<T>,
}

impl<T> FromText<T> {
    const fn new(expected: &'static str) -> Self {
        Self { expected, value: PhantomData }
    }
}

impl<T: FromStr<Err: fmt::Display>> Visitor<'_> for FromText<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.expected)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
        text.parse().map_err(E::custom)
    }
}

/// Reads a state from its bytes, or from them in hexadecimal.
struct StateBytes;

impl Visitor<'_> for StateBytes {
    type Value = State;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the bytes of a state")
    }

    fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<State, E> {
        let invalid = || E::invalid_value(de::Unexpected::Bytes(bytes), &self);
        State::decode(bytes).ok_or_else(invalid)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<State, E> {
        let digits = text.as_bytes().chunks(2).map(|pair| {
            let is_hex = pair.len() == 2 && pair.iter().all(u8::is_ascii_hexdigit);
            let pair = core::str::from_utf8(pair).ok().filter(|_| is_hex)?;
            u8::from_str_radix(pair, 16).ok()
        });
        let bytes: Option<Vec<u8>> = digits.collect();
        let state = bytes.and_then(|bytes| State::decode(&bytes));
        state.ok_or_else(|| E::invalid_value(de::Unexpected::Str(text), &self))
    }
}
