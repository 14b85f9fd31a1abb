//! All limits of the client, with their reasons: of a fetch in `fetch.rs`, of a client and its
//! politeness in `client.rs`, of stores in `store.rs`.
//!
//! A server decides on the time, size and redirects of its response; these limits decide when the
//! client stops. Configurable limits are a [`Range`].

mod client;
mod fetch;
mod store;

use std::error::Error;
use std::fmt::{self, Debug, Display};
use std::time::Duration;

pub use client::*;
pub use fetch::*;
pub use store::*;

/// The permitted values of a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range<T> {
    /// The minimum.
    pub least: T,
    /// The default.
    pub default: T,
    /// The maximum.
    pub most: T,
}

/// The fields of [`Limits`] with their defaults, and a getter and a checked setter for each.
macro_rules! limits {
    ($(#[$meta:meta])* $($name:ident $with:ident $type:ty, $range:ident;)*) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct Limits {
            $($name: $type,)*
        }

        impl Default for Limits {
            fn default() -> Self {
                Self { $($name: $range.default,)* }
            }
        }

        impl Limits {
            $(
                #[doc = concat!("[`", stringify!($range), "`].")]
                pub const fn $name(&self) -> $type {
                    self.$name
                }

                #[doc = concat!("Sets [`", stringify!($range), "`].")]
                ///
                /// # Errors
                ///
                /// If the value is outside the range.
                pub fn $with(mut self, value: $type) -> Result<Self, LimitError> {
                    self.$name = $range.check(stringify!($name), value)?;
                    Ok(self)
                }
            )*
        }
    };
}

limits! {
    /// Limits of a fetch.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use verger_fetch::limits::Limits;
    ///
    /// let limits = Limits::default().with_total(Duration::from_secs(10))?.with_redirects(10)?;
    /// assert_eq!(limits.total(), Duration::from_secs(10));
    ///
    /// let error = Limits::default().with_body(1_000).unwrap_err();
    /// assert_eq!(error.to_string(), "expected `body` from 512000 to 16777216, but found 1000");
    /// # Ok::<(), verger_fetch::limits::LimitError>(())
    /// ```
    total with_total Duration, TOTAL;
    dns with_dns Duration, DNS;
    connect with_connect Duration, CONNECT;
    connect_all with_connect_all Duration, CONNECT_ALL;
    tls with_tls Duration, TLS;
    head with_head Duration, HEAD;
    idle with_idle Duration, IDLE;
    body with_body usize, BODY;
    wire with_wire usize, WIRE;
    page with_page usize, PAGE;
    head_bytes with_head_bytes usize, HEAD_BYTES;
    head_fields with_head_fields usize, HEAD_FIELDS;
    interim with_interim usize, INTERIM;
    redirects with_redirects usize, REDIRECTS;
    addresses with_addresses usize, ADDRESSES;
    per_address with_per_address usize, PER_ADDRESS;
}

impl Limits {
    /// Sets the time for the whole fetch, [`TOTAL`], and raises the limit of each phase to it:
    /// [`DNS`], [`CONNECT`], [`CONNECT_ALL`], [`TLS`], [`HEAD`] and [`IDLE`].
    ///
    /// So no phase ends a fetch before its time is up. [`with_total`](Self::with_total) does not
    /// change the phases.
    ///
    /// # Errors
    ///
    /// If the value is outside the range of [`TOTAL`].
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use verger_fetch::limits::Limits;
    ///
    /// let limits = Limits::default().with_timeout(Duration::from_secs(20))?;
    /// assert_eq!((limits.total().as_secs(), limits.head().as_secs()), (20, 20));
    /// # Ok::<(), verger_fetch::limits::LimitError>(())
    /// ```
    pub fn with_timeout(self, total: Duration) -> Result<Self, LimitError> {
        let Self { dns, connect, connect_all, tls, head, idle, .. } = self.with_total(total)?;
        Ok(Self {
            total,
            dns: dns.max(total),
            connect: connect.max(total),
            connect_all: connect_all.max(total),
            tls: tls.max(total),
            head: head.max(total),
            idle: idle.max(total),
            ..self
        })
    }

    /// The limit of connections to one address, as reported when it is reached.
    pub(crate) const fn address_limit(&self) -> LimitReached {
        LimitReached::new(self.per_address, "connections to one address are open (`per_address`)")
    }

    /// Bytes of a body on the wire. An uncompressed body may be larger than [`WIRE`] if the limit
    /// of the body is.
    pub(crate) fn wire_or_body(&self) -> usize {
        self.wire.max(self.body)
    }

    /// Silence after which a slot is lent to another fetch.
    pub(crate) fn silence(&self) -> Duration {
        SILENCE.min(self.total / SILENCE_SHARE)
    }

    /// The limits for a page, whose body may have another size.
    pub(crate) const fn for_pages(&self) -> Self {
        Self { body: self.page, ..*self }
    }
}

/// A value outside the range of a limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LimitError {
    kind: LimitErrorKind,
    name: &'static str,
    found: String,
    least: String,
    most: String,
}

/// The kinds of [`LimitError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LimitErrorKind {
    /// The value is below the range.
    TooLow,
    /// The value is above the range.
    TooHigh,
}

impl LimitError {
    /// The kind.
    pub const fn kind(&self) -> LimitErrorKind {
        self.kind
    }

    /// The name of the limit: `redirects`.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger_fetch::limits::{LimitErrorKind, Limits};
    ///
    /// let error = Limits::default().with_redirects(1_000).unwrap_err();
    /// assert_eq!((error.name(), error.kind()), ("redirects", LimitErrorKind::TooHigh));
    /// ```
    pub const fn name(&self) -> &'static str {
        self.name
    }
}

impl Display for LimitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, found, least, most, .. } = self;
        write!(f, "expected `{name}` from {least} to {most}, but found {found}")
    }
}

impl Error for LimitError {}

impl<T: Copy + Debug + PartialOrd> Range<T> {
    pub(crate) fn check(self, name: &'static str, value: T) -> Result<T, LimitError> {
        if self.least <= value && value <= self.most {
            return Ok(value);
        }
        let [found, least, most] = [value, self.least, self.most].map(|n| format!("{n:?}"));
        let kind =
            if value < self.least { LimitErrorKind::TooLow } else { LimitErrorKind::TooHigh };
        Err(LimitError { kind, name, found, least, most })
    }
}

/// A limit of the client that was reached. The site is not at fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LimitReached {
    size: usize,
    counted: &'static str,
}

impl LimitReached {
    /// A limit by its size and the text after it in a message: `connections to one address are
    /// open`.
    pub const fn new(size: usize, counted: &'static str) -> Self {
        Self { size, counted }
    }

    /// The size of the limit.
    pub const fn size(&self) -> usize {
        self.size
    }
}

impl Display for LimitReached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} already, which is the limit", self.size, self.counted)
    }
}

impl Error for LimitReached {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_limit_accepts_its_range_only() {
        let start = Limits::default();
        macro_rules! ends {
            ($($name:ident $with:ident $range:ident $step:expr;)*) => {$(
                assert_eq!(start.$name(), $range.default);
                assert_eq!(start.$with($range.least).unwrap().$name(), $range.least);
                assert_eq!(start.$with($range.most).unwrap().$name(), $range.most);
                assert!(start.$with($range.most + $step).is_err(), stringify!($name));
                if let Some(below) = $range.least.checked_sub($step) {
                    assert!(start.$with(below).is_err(), stringify!($name));
                }
            )*};
        }
        let moment = Duration::from_nanos(1);
        ends! {
            total with_total TOTAL moment;
            dns with_dns DNS moment;
            connect with_connect CONNECT moment;
            connect_all with_connect_all CONNECT_ALL moment;
            tls with_tls TLS moment;
            head with_head HEAD moment;
            idle with_idle IDLE moment;
            body with_body BODY 1;
            wire with_wire WIRE 1;
            page with_page PAGE 1;
            head_bytes with_head_bytes HEAD_BYTES 1;
            head_fields with_head_fields HEAD_FIELDS 1;
            interim with_interim INTERIM 1;
            redirects with_redirects REDIRECTS 1;
            addresses with_addresses ADDRESSES 1;
            per_address with_per_address PER_ADDRESS 1;
        }
    }

    #[test]
    fn a_timeout_raises_the_limits_of_the_phases() {
        let phases = |limits: Limits| {
            let Limits { dns, connect, connect_all, tls, head, idle, .. } = limits;
            [dns, connect, connect_all, tls, head, idle].map(|limit| limit.as_secs())
        };
        for (seconds, expected) in
            [(1, [5, 3, 8, 5, 10, 10]), (6, [6, 6, 8, 6, 10, 10]), (20, [20; 6]), (120, [120; 6])]
        {
            let timeout = Duration::from_secs(seconds);
            let limits = Limits::default().with_timeout(timeout).unwrap();
            assert_eq!((limits.total(), phases(limits)), (timeout, expected));
        }
        // A phase that is set afterwards has its own value.
        let limits = Limits::default().with_timeout(TOTAL.most).unwrap();
        assert_eq!(limits.with_head(HEAD.default).unwrap().head(), HEAD.default);
        for limit in [DNS, CONNECT, CONNECT_ALL, TLS, HEAD, IDLE] {
            assert_eq!(limit.most, TOTAL.most);
        }
        assert!(Limits::default().with_timeout(TOTAL.most + TOTAL.least).is_err());
    }

    #[test]
    fn rep_syntax_8_the_body_is_never_cut_below_500_kib() {
        assert_eq!(BODY.least, 512_000);
        assert!(Limits::default().with_body(511_999).is_err());
    }
}
