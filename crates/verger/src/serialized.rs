//! Serialised forms of values that programs store (feature `serde`).
//!
//! | type | form |
//! |---|---|
//! | `Origin` | its text, `"https://shop.example"` |
//! | `ProductToken` | its text, without validation |
//! | `Crawler` | `tokens`, `union`, `without_star`, `without_robots` |
//! | `Dialect`, `Profile` | the name; only published rows have one |
//! | `Reason` | its name, `"no_rule_matches"` |
//! | `Outcome` | its name, `"network"`, or `{"status": 404}` |
//! | `State` | the bytes of `State::encode`, in hexadecimal |
//! | `Timestamp` | seconds since 1970 |
//!
//! Forms that follow from the fields of a type are derived beside the type; that of a crawler is in
//! `crawler/form.rs`.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde::de::{Deserialize, Deserializer, Error as _};
use serde::ser::{Error as _, Serialize, Serializer};

use crate::access::{Profile, State};
use crate::dialect::Dialect;
use crate::origin::Origin;

impl Serialize for Origin {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A row of choices by its name; only published rows have a form.
macro_rules! by_name {
    ($($type:ident)*) => {$(
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                if self.name.parse() != Ok(*self) {
                    let row = format!("expected a published row, but found {self:?}");
                    return Err(S::Error::custom(row));
                }
                serializer.serialize_str(self.name)
            }
        }
    )*};
}

by_name!(Dialect Profile);

/// Values that are read from their texts.
macro_rules! from_text {
    ($($type:ident)*) => {$(
        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
            }
        }
    )*};
}

from_text!(Dialect Origin Profile);

impl Serialize for State {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let digits: Vec<String> = self.encode().iter().map(|byte| format!("{byte:02x}")).collect();
        serializer.serialize_str(&digits.concat())
    }
}

impl<'de> Deserialize<'de> for State {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let digits = text.as_bytes().chunks(2).map(|pair| {
            let is_hex = pair.len() == 2 && pair.iter().all(u8::is_ascii_hexdigit);
            let pair = core::str::from_utf8(pair).ok().filter(|_| is_hex)?;
            u8::from_str_radix(pair, 16).ok()
        });
        let bytes: Option<Vec<u8>> = digits.collect();
        let state = bytes.and_then(|bytes| Self::decode(&bytes));
        state.ok_or_else(|| D::Error::custom("expected the bytes of a state in hexadecimal"))
    }
}
