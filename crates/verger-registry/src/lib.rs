//! Known crawlers as dated data: tokens, operators, purposes, fallbacks in robots.txt, and proofs
//! of identity. Every fact has a source with a date.
//!
//! ```
//! use verger_registry::{Purpose, Registry, RobotsPolicy};
//!
//! let registry = Registry::bundled();
//! let crawler = registry.find("gptbot").expect("a known crawler");
//! assert_eq!(crawler.operator(), Some("OpenAI"));
//! assert_eq!(crawler.purpose(), Purpose::Training);
//! assert_eq!(crawler.robots_policy(), RobotsPolicy::Obeys);
//! assert_eq!(crawler.ip_ranges(), ["https://openai.com/gptbot.json"]);
//!
//! // By the User-Agent header of a request. Anybody can send any header.
//! let header = "Mozilla/5.0 (compatible; Googlebot-Image/1.0; +http://www.google.com/bot.html)";
//! let tokens: Vec<_> = registry.identify(header).map(|crawler| crawler.token()).collect();
//! assert_eq!(tokens, ["Googlebot-Image"]);
//! ```
//!
//! # Flow
//!
//! The data files `crawlers.toml` and `names.csv` are part of the crate. [`Registry::bundled`]
//! reads them at its first call. [`Crawler::rules`] is the crawler in the form of the engine, for
//! checks of robots.txt.
//!
//! # Scope
//!
//! No I/O and no clock: the time is an argument of [`Registry::is_outdated`]. The data states the
//! claims of operators and of public lists. It does not state whether a crawler keeps its promises,
//! and an absent value is unknown.
//!
//! # Complexity
//!
//! Reading the files takes about two milliseconds in a release build, once. [`Registry::find`]
//! takes constant time, and [`Registry::identify`] time linear in the header.

// Files, from the bottom up: a file uses only files above it (`cargo xtask tidy`).
//
// - `limits.rs`: the age at which the data is outdated; lengths of names that may be meant by
//   others
// - `date.rs`, `source.rs`: dates of a day, a month or a year; the source of a fact
// - `crawler.rs`: a crawler, its purpose, its operator's statement about robots.txt
// - `file.rs`: the forms of the data files, and their checks
// - `words.rs`: words that crawlers and browsers share
// - `similar.rs`: names that probably mean a known crawler
// - `registry.rs`: all crawlers: by name and by User-Agent header

mod crawler;
mod date;
mod file;
pub mod limits;
mod registry;
mod similar;
mod source;
pub mod words;

pub use crawler::{Crawler, Field, Purpose, RobotsPolicy};
pub use date::Date;
pub use registry::{Registry, ResolvedAgent};
pub use similar::Similar;
pub use source::FactSource;

/// The Rust of the README: doc tests run it.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

#[cfg(test)]
mod tests {
    use super::*;

    const fn is_for_threads<T: Send + Sync + 'static>() {}

    #[test]
    fn values_are_shared_between_threads() {
        is_for_threads::<Crawler>();
        is_for_threads::<Date>();
        is_for_threads::<Registry>();
        is_for_threads::<FactSource>();
    }
}
