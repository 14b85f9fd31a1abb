//! Tests of the robots client: one fetch, records, stores, politeness, and the client itself.

#[cfg(any(
    all(unix, feature = "sqlite"),
    all(feature = "brotli", feature = "sqlite", feature = "zstd"),
    all(feature = "brotli", feature = "dns", feature = "zstd"),
))]
#[macro_use]
mod forward;

#[cfg(all(feature = "brotli", feature = "sqlite", feature = "zstd"))]
mod client;
#[cfg(all(unix, feature = "sqlite"))]
mod common;
#[cfg(all(unix, feature = "sqlite"))]
mod contract;
#[cfg(all(target_os = "linux", feature = "sqlite"))]
mod faults;
mod histories;
#[cfg(all(unix, feature = "sqlite"))]
mod hostile;
mod polite;
#[cfg(feature = "sqlite")]
mod soak;
#[cfg(all(unix, feature = "sqlite"))]
mod sqlite;
