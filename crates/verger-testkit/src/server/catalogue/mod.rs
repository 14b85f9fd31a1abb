//! The hostile catalogue of HTTP, redirects, FTP and DNS: setups, asks and expected outcomes.
//!
//! Flow: [`entries`] returns the [`Attack`]s. A test of a client starts the world of each entry,
//! makes its asks, and passes the answers to the judge:
//!
//! ```
//! # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
//! use verger_testkit::server::World;
//! use verger_testkit::server::catalogue::{Ask, Class, Observed, entries};
//!
//! // A client that reaches nobody, which is right where the name does not exist.
//! async fn check(_world: &World, _ask: &Ask) -> Observed {
//!     Observed::new(Class::Unreachable)
//! }
//!
//! for entry in entries().into_iter().filter(|entry| entry.id == "N078") {
//!     let world = entry.start().await?;
//!     let mut observed = Vec::new();
//!     for ask in &entry.asks {
//!         observed.push(check(&world, ask).await);
//!     }
//!     assert_eq!(entry.judge(&world, &observed), Vec::<String>::new());
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Scope: the rows H001 to H215, D001 to D155, F001 to F135 and N001 to N120, except
//! [`ROWS_WITHOUT_ENTRY`]. The claims apply to the default access profile and the default limits
//! for sizes and counts. Timeouts may be as short as some hundred milliseconds. FTP is enabled,
//! also by policy.

mod check;
mod dns;
mod entry;
mod expect;
mod ftp;
mod http_coding;
mod http_connection;
mod http_fields;
mod http_framing;
mod http_status;
mod http_two;
mod http_unusual;
mod profile;
mod redirects;
mod tls_records;

use std::sync::LazyLock;

pub use entry::{Attack, HOST, Layer};
pub use expect::{Ask, Claim, Class, Flag, Observed, Retry};

/// All entries, in the order of layers and ids. Some take seconds to compress.
pub fn entries() -> &'static [Attack] {
    static ALL: LazyLock<Vec<Attack>> = LazyLock::new(all);
    &ALL
}

fn all() -> Vec<Attack> {
    let mut all = [
        http_connection::bodies(),
        http_connection::handshakes(),
        http_framing::heads(),
        http_framing::ends(),
        http_framing::malformed(),
        http_coding::entries(),
        http_status::entries(),
        http_status::times(),
        http_fields::entries(),
        http_two::entries(),
        http_unusual::entries(),
        redirects::counts(),
        redirects::destinations(),
        redirects::private(),
        redirects::unusual(),
        ftp::greetings(),
        ftp::login_replies(),
        ftp::passive(),
        ftp::transfers(),
        dns::addresses(),
        dns::answers(),
    ]
    .concat();
    all.sort_by_key(|entry| (entry.layer as u8, entry.id));
    all
}

/// Rows of the four layers without an entry, each with the reason.
pub const ROWS_WITHOUT_ENTRY: &[(&str, &str)] = &[
    ("H026", "SHA-1 signature: ring makes none, so the handshake would fail for another reason"),
    (
        "H027",
        "RSA key of 512 bits: ring makes none, so the handshake would fail for another reason",
    ),
    ("H029", "renegotiation: rustls never asks for it, and a hand-made one needs its own TLS 1.2"),
    ("N092", "answer for another name: the wire format is the resolver library's"),
    ("N093", "wrong id: the wire format is the resolver library's"),
    ("N094", "compressed name in a loop: the wire format is the resolver library's"),
    ("N114", "NSEC3 loop: the wire format is the resolver library's"),
    ("N115", "costly name compression: the wire format is the resolver library's"),
    ("N116", "http_proxy: the environment belongs to a process of its own"),
    ("N117", "ALL_PROXY: the environment belongs to a process of its own"),
    ("N118", "NO_PROXY: the environment belongs to a process of its own"),
    ("N119", "no resolv.conf: the resolver is injected here"),
    ("N120", "a resolv.conf of 10 MB: the resolver is injected here"),
];
