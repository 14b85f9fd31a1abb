//! Every number the client is bounded by, with its reason: here those of a fetch, in `store.rs` those of what
//! is kept.
//!
//! A server decides how long it talks, how much it sends and where it sends us; these numbers decide
//! when we stop listening. Each is a [`Range`]: the default, and how far it may be changed.

mod client;
mod ftp;
mod store;

pub use client::*;
pub use ftp::*;
pub use store::*;

use std::error::Error;
use std::fmt::{self, Debug, Display};
use std::time::Duration;

/// The values a limit may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range<T> {
    /// The smallest value that is accepted.
    pub least: T,
    /// The value where nothing is said.
    pub default: T,
    /// The largest value that is accepted.
    pub most: T,
}

/// Time for the whole fetch, redirects and all. The other budgets run inside it; the wait for a turn at
/// an address ([`ADDRESS_WAIT`]) does not.
pub const TOTAL: Range<Duration> = seconds(30, 120);

/// Time for one name to be resolved. Stub resolvers ask twice and then some within it.
pub const DNS: Range<Duration> = seconds(5, 15);

/// Time for one address to accept a connection. One lost SYN is repeated after a second, two after
/// three; who needs longer is not there.
pub const CONNECT: Range<Duration> = seconds(3, 30);

/// Time for all addresses of a name together.
pub const CONNECT_ALL: Range<Duration> = seconds(8, 30);

/// Time for the TLS handshake, from the first byte to the last.
pub const TLS: Range<Duration> = seconds(5, 30);

/// Time from the request to the end of the response's head, interim responses included. Counted to
/// the end of the head and not to its first byte, so that a head that drips is cut off as well.
pub const HEAD: Range<Duration> = seconds(10, 60);

/// Time between two reads of a body, and for one reply of an FTP server.
pub const IDLE: Range<Duration> = seconds(10, 60);

/// Bytes of the decoded body: REP-SYNTAX-8, RFC 9309 section 2.5, asks for 500 KiB at least, so it
/// cannot be set lower.
pub const BODY: Range<usize> =
    Range { least: 500 * 1024, default: 500 * 1024, most: 16 * 1024 * 1024 };

/// Bytes of the body before its content coding is undone. A compressed body is smaller than the
/// decoded one; twice as much leaves room for bad compression.
pub const WIRE: Range<usize> =
    Range { least: 512 * 1024, default: 1024 * 1024, most: 32 * 1024 * 1024 };

/// Bytes of the response's head, all interim responses included. curl stops at 300 KiB.
pub const HEAD_BYTES: Range<usize> =
    Range { least: 8 * 1024, default: 64 * 1024, most: 300 * 1024 };

/// Header fields of a response; Hyper's own limit is the same.
pub const HEAD_FIELDS: Range<usize> = Range { least: 32, default: 100, most: 1_000 };

/// Interim (1xx) responses before the final one.
pub const INTERIM: Range<usize> = Range { least: 0, default: 10, most: 100 };

/// Redirects that are followed at the most; an access profile, or a request, may say fewer, and the
/// smaller number counts. REP-ACCESS-20, REP-ACCESS-23: five at least; browsers give up at twenty, and
/// robots.txt has less reason to travel.
pub const REDIRECTS: Range<usize> = Range { least: 5, default: 5, most: 10 };

/// Addresses of one name that are kept. All of an answer's addresses are judged.
pub const ADDRESSES: Range<usize> = Range { least: 1, default: 16, most: 64 };

/// Connections to one address at a time. Many sites share an address, and whoever runs it sees one
/// visitor.
pub const PER_ADDRESS: Range<usize> = Range { least: 1, default: 4, most: 256 };

/// How long a fetch waits for its turn at an address: as long as a silent server may hold one. Longer,
/// and the sites of a silent address would fill the queue of all.
pub const ADDRESS_WAIT: Duration = Duration::from_secs(30);

/// How long the next address waits for the one before it: RFC 8305 section 5 recommends 250 ms.
pub const NEXT_ADDRESS: Duration = Duration::from_millis(250);

/// Bytes of chunk framing and trailers, for each byte that a body may have on the wire. One-byte
/// chunks need six; a chunk size with a million zeros gets no further than this.
pub const FRAMING_FACTOR: usize = 8;

/// Bytes of trailers, which say nothing that anybody asked for and are dropped. Hyper reads 16 KiB.
pub const TRAILER_BYTES: usize = 8 * 1024;

/// Bytes of a stored validator that is sent back (`If-None-Match`, `If-Modified-Since`), and of a
/// header field that is handed out. A longer `ETag` is no `ETag`.
pub const FIELD_BYTES: usize = 8 * 1024;

/// Bytes of a Location. RFC 9110 section 4.1 recommends 8,000 for a URL.
pub const LOCATION_BYTES: usize = 8 * 1024;

/// The window of a zstd frame, the most that RFC 9659 section 3 lets a server use.
pub const ZSTD_WINDOW_BYTES: u64 = 8 * 1024 * 1024;

/// Frames of a zstd body. Each costs tables to be set up; real bodies have one.
pub const ZSTD_FRAMES: usize = 1_000;

/// What a fetch is bounded by.
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
/// assert_eq!(error.to_string(), "expected a `body` from 512000 to 16777216, but found 1000");
/// # Ok::<(), verger_fetch::limits::LimitError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    total: Duration,
    dns: Duration,
    connect: Duration,
    connect_all: Duration,
    tls: Duration,
    head: Duration,
    idle: Duration,
    body: usize,
    wire: usize,
    head_bytes: usize,
    head_fields: usize,
    interim: usize,
    redirects: usize,
    addresses: usize,
    per_address: usize,
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
    /// Bytes of a body on the wire. A body that is allowed to be larger than [`WIRE`] may come as it
    /// is.
    pub(crate) fn wire_or_body(&self) -> usize {
        self.wire.max(self.body)
    }
}

/// A reader and a checked writer for each limit.
macro_rules! limits {
    ($($name:ident $with:ident $type:ty, $range:ident;)*) => {
        impl Limits {
            $(
                #[doc = concat!("[`", stringify!($range), "`].")]
                pub const fn $name(&self) -> $type {
                    self.$name
                }

                #[doc = concat!("With another value for [`", stringify!($range), "`].")]
                ///
                /// # Errors
                ///
                /// When the value is outside the range.
                pub fn $with(mut self, value: $type) -> Result<Self, LimitError> {
                    self.$name = $range.check(stringify!($name), value)?;
                    Ok(self)
                }
            )*
        }
    };
}

limits! {
    total with_total Duration, TOTAL;
    dns with_dns Duration, DNS;
    connect with_connect Duration, CONNECT;
    connect_all with_connect_all Duration, CONNECT_ALL;
    tls with_tls Duration, TLS;
    head with_head Duration, HEAD;
    idle with_idle Duration, IDLE;
    body with_body usize, BODY;
    wire with_wire usize, WIRE;
    head_bytes with_head_bytes usize, HEAD_BYTES;
    head_fields with_head_fields usize, HEAD_FIELDS;
    interim with_interim usize, INTERIM;
    redirects with_redirects usize, REDIRECTS;
    addresses with_addresses usize, ADDRESSES;
    per_address with_per_address usize, PER_ADDRESS;
}

/// A limit was to be set outside its range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LimitError {
    name: &'static str,
    found: String,
    least: String,
    most: String,
}

impl Display for LimitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, found, least, most } = self;
        write!(f, "expected a `{name}` from {least} to {most}, but found {found}")
    }
}

impl Error for LimitError {}

impl<T: Copy + Debug + PartialOrd> Range<T> {
    fn check(self, name: &'static str, value: T) -> Result<T, LimitError> {
        if self.least <= value && value <= self.most {
            return Ok(value);
        }
        let [found, least, most] = [value, self.least, self.most].map(|n| format!("{n:?}"));
        Err(LimitError { name, found, least, most })
    }
}

/// From a hundredth of a second to `most` seconds.
const fn seconds(default: u64, most: u64) -> Range<Duration> {
    Range {
        least: Duration::from_millis(10),
        default: Duration::from_secs(default),
        most: Duration::from_secs(most),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_limit_takes_its_ends_and_nothing_beyond() {
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
            head_bytes with_head_bytes HEAD_BYTES 1;
            head_fields with_head_fields HEAD_FIELDS 1;
            interim with_interim INTERIM 1;
            redirects with_redirects REDIRECTS 1;
            addresses with_addresses ADDRESSES 1;
            per_address with_per_address PER_ADDRESS 1;
        }
    }

    #[test]
    fn rep_syntax_8_the_body_is_never_cut_below_500_kib() {
        assert_eq!(BODY.least, 512_000);
        assert!(Limits::default().with_body(511_999).is_err());
    }
}
