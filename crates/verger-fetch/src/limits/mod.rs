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
    /// Time for the whole fetch: [`TOTAL`].
    pub total: Duration,
    /// Time to resolve one name, by default 5 s.
    pub dns: Duration,
    /// Time for one address to accept a connection, by default 3 s.
    pub connect: Duration,
    /// Time for all addresses of a name together, by default 8 s.
    pub connect_all: Duration,
    /// Time for the TLS handshake, by default 5 s.
    pub tls: Duration,
    /// Time from the request to the end of the response's head, by default 10 s.
    pub head: Duration,
    /// Time between two reads of a body, by default 10 s.
    pub idle: Duration,
    /// Bytes of the decoded body of a robots.txt: [`BODY`].
    pub body: usize,
    /// Bytes of the body before decoding, by default 1 MiB.
    pub wire: usize,
    /// Bytes of the decoded body of a page: [`PAGE`].
    pub page: usize,
    /// Bytes of the response's head, including interim responses, by default 64 KiB.
    pub head_bytes: usize,
    /// Header fields of a response, by default 100.
    pub head_fields: usize,
    /// Interim (1xx) responses before the final one, by default 10.
    pub interim: usize,
    /// Redirects: [`REDIRECTS`].
    pub redirects: usize,
    /// Addresses of one name that may be dialled, by default 16.
    pub addresses: usize,
    /// Concurrent connections to one address: [`PER_ADDRESS`].
    pub per_address: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            total: TOTAL.default,
            dns: DNS.default,
            connect: CONNECT.default,
            connect_all: CONNECT_ALL.default,
            tls: TLS.default,
            head: HEAD.default,
            idle: IDLE.default,
            body: BODY.default,
            wire: WIRE.default,
            page: PAGE.default,
            head_bytes: HEAD_BYTES.default,
            head_fields: HEAD_FIELDS.default,
            interim: INTERIM.default,
            redirects: REDIRECTS.default,
            addresses: ADDRESSES.default,
            per_address: PER_ADDRESS.default,
        }
    }
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
        let Self { dns, connect, connect_all, tls, head, idle, .. } = self;
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

    /// Checks that each value is in its range.
    pub(crate) fn check(&self) -> Result<(), LimitError> {
        for (name, time, range) in [
            ("total", self.total, TOTAL),
            ("dns", self.dns, DNS),
            ("connect", self.connect, CONNECT),
            ("connect_all", self.connect_all, CONNECT_ALL),
            ("tls", self.tls, TLS),
            ("head", self.head, HEAD),
            ("idle", self.idle, IDLE),
        ] {
            range.check(name, time)?;
        }
        for (name, number, range) in [
            ("body", self.body, BODY),
            ("wire", self.wire, WIRE),
            ("page", self.page, PAGE),
            ("head_bytes", self.head_bytes, HEAD_BYTES),
            ("head_fields", self.head_fields, HEAD_FIELDS),
            ("interim", self.interim, INTERIM),
            ("redirects", self.redirects, REDIRECTS),
            ("addresses", self.addresses, ADDRESSES),
            ("per_address", self.per_address, PER_ADDRESS),
        ] {
            range.check(name, number)?;
        }
        Ok(())
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
