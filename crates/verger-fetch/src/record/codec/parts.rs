//! The parts of a head: numbers in little endian; bytes, texts and lists after their length; an
//! optional value after a byte. Each value has exactly one encoding; others are rejected.

use std::sync::Arc;
use std::time::Duration;

use verger::access::{Outcome, State, Timestamp};

use super::super::file::{Body, File, Lifetime, Redirect, Validators};
use super::super::response::Response;
use crate::failure::Failure;

/// Bytes of a state. A longer state needs a new version of the record.
const STATE: usize = 56;
const _: () = assert!(STATE == State::BYTES, "the state has grown");

/// A value in a head.
pub(super) trait Part: Sized {
    fn write(&self, bytes: &mut Vec<u8>);

    /// Reads a value and removes its bytes. `None` if they do not begin with one.
    fn read(bytes: &mut &[u8]) -> Option<Self>;
}

macro_rules! numbers {
    ($($number:ident)*) => {$(
        impl Part for $number {
            fn write(&self, bytes: &mut Vec<u8>) {
                bytes.extend(self.to_le_bytes());
            }

            fn read(bytes: &mut &[u8]) -> Option<Self> {
                array(bytes).map(Self::from_le_bytes)
            }
        }
    )*};
}

/// Structs by their fields, in the order of the encoding.
macro_rules! structs {
    ($($name:ident { $($field:ident)* })*) => {$(
        impl Part for $name {
            fn write(&self, bytes: &mut Vec<u8>) {
                $(self.$field.write(bytes);)*
            }

            fn read(bytes: &mut &[u8]) -> Option<Self> {
                Some(Self { $($field: Part::read(bytes)?,)* })
            }
        }
    )*};
}

/// Values with the encoding of others.
macro_rules! conversions {
    ($($name:ty: |$value:ident| $write:expr, |$form:ident: $type:ty| $read:expr;)*) => {$(
        impl Part for $name {
            fn write(&self, bytes: &mut Vec<u8>) {
                let $value = self;
                $write.write(bytes);
            }

            fn read(bytes: &mut &[u8]) -> Option<Self> {
                let $form = <$type>::read(bytes)?;
                $read
            }
        }
    )*};
}

numbers! { u8 u16 u32 u64 }

structs! {
    File {
        outcome fetched_at lifetime redirects final_url validators media_type cut_at downgraded html
        body
    }
    Lifetime { stated by_max_age }
    Redirect { url status }
    Response {
        tried_at outcome status failure is_unclear failures lifetime retry_after redirects final_url
        downgraded
    }
    Validators { etag last_modified }
}

conversions! {
    bool: |it| u8::from(*it), |byte: u8| (byte < 2).then_some(byte == 1);
    String: |it| it.as_bytes().to_vec(), |bytes: Vec<u8>| Self::from_utf8(bytes).ok();
    Duration: |it| it.as_secs(), |seconds: u64| Some(Self::from_secs(seconds));
    Timestamp: |it| it.seconds(), |seconds: u64| Some(Self::from_seconds(seconds));
    Failure: |it| json(it), |bytes: Vec<u8>| {
        serde_json::from_slice(&bytes).ok().filter(|failure| json(failure) == bytes)
    };
}

/// As a list of bytes, copied at once: a body has up to the limit of a file.
impl Part for Body {
    fn write(&self, bytes: &mut Vec<u8>) {
        (self.as_bytes().len() as u64).write(bytes);
        bytes.extend_from_slice(self.as_bytes());
    }

    fn read(bytes: &mut &[u8]) -> Option<Self> {
        let length = usize::try_from(u64::read(bytes)?).ok()?;
        let (value, rest) = bytes.split_at_checked(length)?;
        *bytes = rest;
        Some(Self::new(value))
    }
}

impl<T: Part> Part for Arc<T> {
    fn write(&self, bytes: &mut Vec<u8>) {
        T::write(self, bytes);
    }

    fn read(bytes: &mut &[u8]) -> Option<Self> {
        T::read(bytes).map(Self::new)
    }
}

impl<T: Part> Part for Option<T> {
    fn write(&self, bytes: &mut Vec<u8>) {
        self.is_some().write(bytes);
        if let Some(value) = self {
            value.write(bytes);
        }
    }

    fn read(bytes: &mut &[u8]) -> Option<Self> {
        if bool::read(bytes)? { T::read(bytes).map(Some) } else { Some(None) }
    }
}

impl<T: Part> Part for Vec<T> {
    fn write(&self, bytes: &mut Vec<u8>) {
        (self.len() as u64).write(bytes);
        for value in self {
            value.write(bytes);
        }
    }

    fn read(bytes: &mut &[u8]) -> Option<Self> {
        // A wrong length exceeds the bytes.
        (0..u64::read(bytes)?).map(|_| T::read(bytes)).collect()
    }
}

impl Part for State {
    fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend(self.encode());
    }

    fn read(bytes: &mut &[u8]) -> Option<Self> {
        Self::decode(&array::<STATE>(bytes)?)
    }
}

/// A code and a status.
impl Part for Outcome {
    fn write(&self, bytes: &mut Vec<u8>) {
        let code = || (0..).zip(OUTCOMES).find(|(_, known)| known == self);
        let (code, status) = match *self {
            Self::Status(status) => (STATUS, status),
            // An outcome unknown to this code says nothing about the site.
            _ => (code().map_or(LOCAL_FAULT, |(code, _)| code), 0),
        };
        code.write(bytes);
        status.write(bytes);
    }

    fn read(bytes: &mut &[u8]) -> Option<Self> {
        match (u8::read(bytes)?, u16::read(bytes)?) {
            (STATUS, status) => Some(Self::Status(status)),
            (code, 0) => OUTCOMES.get(usize::from(code)).copied(),
            _ => None,
        }
    }
}

/// The outcomes without a status, in the order of their codes.
const OUTCOMES: [Outcome; 8] = [
    Outcome::LocalFault,
    Outcome::Success,
    Outcome::AcceptedEmpty,
    Outcome::NotModified,
    Outcome::RedirectLimit,
    Outcome::BrokenRedirect,
    Outcome::DisallowedHop,
    Outcome::Network,
];

const LOCAL_FAULT: u8 = 0;

/// The code of an outcome with a status.
const STATUS: u8 = 8;

fn json(failure: &Failure) -> Vec<u8> {
    serde_json::to_vec(failure).unwrap_or_default()
}

fn array<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (value, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(*value)
}
