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

/// [`Limits`], with a range for each.
macro_rules! limits {
    ($($(#[$doc:meta])* $name:ident: $kind:ty = $range:ident;)*) => {
        /// Limits of a fetch. A client is built only with values in their ranges.
        ///
        /// # Examples
        ///
        /// ```
        /// use std::time::Duration;
        /// use verger::Crawler;
        /// use verger_fetch::client::RobotsClient;
        /// use verger_fetch::fetch::Identity;
        /// use verger_fetch::limits::Limits;
        ///
        /// let limits = Limits { redirects: 10, ..Limits::default() };
        /// let limits = limits.with_timeout(Duration::from_secs(20))?;
        /// assert_eq!((limits.total.as_secs(), limits.head.as_secs()), (20, 20));
        ///
        /// let limits = Limits { body: 1_000, ..limits };
        /// let identity = Identity::new("ExampleBot/1.0 (+https://bot.example/)")?;
        /// let builder = RobotsClient::builder(Crawler::new("ExampleBot"), identity).limits(limits);
        /// let error = builder.build().unwrap_err();
        /// assert_eq!(error.to_string(), "expected `body` from 512000 to 16777216, but found 1000");
        /// # Ok::<(), Box<dyn std::error::Error>>(())
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[expect(clippy::exhaustive_structs, reason = "callers set any of them")]
        pub struct Limits {
            $($(#[$doc])* pub $name: $kind,)*
        }

        impl Default for Limits {
            fn default() -> Self {
                Self { $($name: $range.default,)* }
            }
        }

        impl Limits {
            /// Checks that each value is in its range.
            pub(crate) fn check(&self) -> Result<(), LimitError> {
                $($range.check(stringify!($name), self.$name)?;)*
                Ok(())
            }
        }
    };
}

limits! {
    /// Time for the whole fetch: [`TOTAL`].
    total: Duration = TOTAL;
    /// Time to resolve one name, by default 5 s.
    dns: Duration = DNS;
    /// Time for one address to accept a connection, by default 3 s.
    connect: Duration = CONNECT;
    /// Time for all addresses of a name together, by default 8 s.
    connect_all: Duration = CONNECT_ALL;
    /// Time for the TLS handshake, by default 5 s.
    tls: Duration = TLS;
    /// Time from the request to the end of the response's head, by default 10 s.
    head: Duration = HEAD;
    /// Time between two reads of a body, by default 10 s.
    idle: Duration = IDLE;
    /// Bytes of the decoded body of a robots.txt: [`BODY`].
    body: usize = BODY;
    /// Bytes of the body before decoding, by default 1 MiB.
    wire: usize = WIRE;
    /// Bytes of the decoded body of a page: [`PAGE`].
    page: usize = PAGE;
    /// Bytes of the response's head, including interim responses, by default 64 KiB.
    head_bytes: usize = HEAD_BYTES;
    /// Header fields of a response, by default 100.
    head_fields: usize = HEAD_FIELDS;
    /// Interim (1xx) responses before the final one, by default 10.
    interim: usize = INTERIM;
    /// Redirects: [`REDIRECTS`].
    redirects: usize = REDIRECTS;
    /// Addresses of one name that may be dialled, by default 16.
    addresses: usize = ADDRESSES;
    /// Concurrent connections to one address: [`PER_ADDRESS`].
    per_address: usize = PER_ADDRESS;
}

impl Limits {
    /// Sets the time for the whole fetch, [`TOTAL`], and raises the limit of each phase to it, so
    /// that no phase ends a fetch before its time is up.
    ///
    /// # Errors
    ///
    /// If the value is outside the range of [`TOTAL`].
    pub fn with_timeout(self, total: Duration) -> Result<Self, LimitError> {
        TOTAL.check("total", total)?;
        let mut limits = Self { total, ..self };
        let Self { dns, connect, connect_all, tls, head, idle, .. } = &mut limits;
        for phase in [dns, connect, connect_all, tls, head, idle] {
            *phase = total.max(*phase);
        }
        Ok(limits)
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
pub struct LimitError(String);

impl Display for LimitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for LimitError {}

impl<T: Copy + Debug + PartialOrd> Range<T> {
    pub(crate) fn check(self, name: &str, value: T) -> Result<(), LimitError> {
        let Self { least, most, .. } = self;
        if least <= value && value <= most {
            return Ok(());
        }
        let expected = format!("expected `{name}` from {least:?} to {most:?}");
        Err(LimitError(format!("{expected}, but found {value:?}")))
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
    pub(crate) const fn size(&self) -> usize {
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
        let is_valid = |change: &dyn Fn(&mut Limits)| {
            let mut limits = Limits::default();
            change(&mut limits);
            limits.check().is_ok()
        };
        macro_rules! ends {
            ($($name:ident $range:ident $step:expr;)*) => {$(
                let set = |value| is_valid(&move |limits| limits.$name = value);
                assert!(set($range.least) && set($range.most), stringify!($name));
                assert!(!set($range.most + $step), stringify!($name));
                let below = $range.least.checked_sub($step);
                assert!(below.is_none_or(|below| !set(below)), stringify!($name));
            )*};
        }
        assert_eq!(Limits::default().check(), Ok(()));
        let moment = Duration::from_nanos(1);
        ends! {
            total TOTAL moment;
            dns DNS moment;
            connect CONNECT moment;
            connect_all CONNECT_ALL moment;
            tls TLS moment;
            head HEAD moment;
            idle IDLE moment;
            body BODY 1;
            wire WIRE 1;
            page PAGE 1;
            head_bytes HEAD_BYTES 1;
            head_fields HEAD_FIELDS 1;
            interim INTERIM 1;
            redirects REDIRECTS 1;
            addresses ADDRESSES 1;
            per_address PER_ADDRESS 1;
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
            assert_eq!((limits.total, phases(limits)), (timeout, expected));
        }
        for limit in [DNS, CONNECT, CONNECT_ALL, TLS, HEAD, IDLE] {
            assert_eq!(limit.most, TOTAL.most);
        }
        assert!(Limits::default().with_timeout(TOTAL.most + TOTAL.least).is_err());
    }

    #[test]
    fn rep_syntax_8_the_body_is_never_cut_below_500_kib() {
        assert_eq!(BODY.least, 512_000);
        assert!(Limits { body: 511_999, ..Limits::default() }.check().is_err());
    }
}
