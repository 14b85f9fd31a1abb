//! The Robots Exclusion Protocol, whole: bytes, crawler and URL in; verdict, reason and deciding line
//! out.
//!
//! ```
//! use verger::Robots;
//!
//! let robots = Robots::parse("User-agent: *\nDisallow: /cart\nAllow: /cart/help\n");
//! let verdict = robots.check("GPTBot", "https://shop.example/cart/1");
//! assert!(!verdict.is_allowed());
//! assert_eq!(
//!     verdict.to_string(),
//!     "disallowed by `Disallow: /cart` on line 2, in the group for `*` (line 1)",
//! );
//! ```
//!
//! # All I have is a User-Agent
//!
//! [`Crawler::from_user_agent`] takes a User-Agent header or a bare product token. Groups name crawlers by
//! product token, without version:
//!
//! ```
//! use verger::{Crawler, Robots};
//!
//! let robots = Robots::parse("User-agent: ExampleBot\nDisallow: /cart\n");
//! let header = "Mozilla/5.0 (compatible; ExampleBot/1.0; +https://bot.example/)";
//! let crawler = Crawler::from_user_agent(header)?;
//! assert_eq!(crawler, Crawler::from_user_agent("ExampleBot")?);
//! assert!(!robots.check(&crawler, "https://shop.example/cart").is_allowed());
//! # Ok::<(), verger::TokenError>(())
//! ```
//!
//! # Common mistakes
//!
//! A text that is no URL is disallowed, and a User-Agent header is searched for product tokens, in every dialect
//! but `google`, which repeats the answers of Google's library. Verger cannot notice the first of these mistakes:
//! it allows too much. [`RobotRules`] reads its name as WWW::RobotRules does.
//!
//! Pass the bytes of the file. A string that was decoded with replacement characters is another file: UTF-16
//! loses its NULs and every rule, and a Latin-1 path matches nothing.
//!
//! ```
//! use verger::Robots;
//!
//! let utf16 = b"\xff\xfeU\0s\0e\0r\0-\0a\0g\0e\0n\0t\0:\0*\0\n\0D\0i\0s\0a\0l\0l\0o\0w\0:\0/\0";
//! assert!(!Robots::parse(utf16).is_allowed("ExampleBot", "/cart"));
//!
//! // Wrong: decoded to a string first.
//! let decoded = String::from_utf8_lossy(utf16);
//! assert!(Robots::parse(&*decoded).is_allowed("ExampleBot", "/cart"));
//! ```
//!
//! Pass absolute URLs or paths. Any other text is disallowed with [`Reason::NotAUrl`], also when the
//! arguments are in the wrong order (REP-AMB-62):
//!
//! ```
//! use verger::{Reason, Robots};
//!
//! let robots = Robots::parse("User-agent: GPTBot\nDisallow: /cart\n");
//! for (crawler, url) in [
//!     ("GPTBot", "shop.example/help"),
//!     ("GPTBot", "help"),
//!     ("GPTBot", " https://shop.example/help"),
//!     ("https://shop.example/help", "GPTBot"),
//! ] {
//!     let verdict = robots.check(crawler, url);
//!     assert_eq!((verdict.is_allowed(), verdict.reason()), (false, Reason::NotAUrl));
//! }
//! ```
//!
//! Name a crawler by its product token. A version or a whole header is read as a header, and never falls
//! back to `*` while a group names a product in it (REP-AMB-13):
//!
//! ```
//! use verger::Robots;
//!
//! let robots = Robots::parse("User-agent: GPTBot\nDisallow: /\n\nUser-agent: *\nAllow: /\n");
//! for crawler in ["GPTBot", "GPTBot/1.2", "Mozilla/5.0 (compatible; GPTBot/1.2)"] {
//!     assert!(!robots.is_allowed(crawler, "https://shop.example/"));
//! }
//! ```
//!
//! # Choosing an entry point
//!
//! | you have | you want | take |
//! |---|---|---|
//! | a User-Agent header or a product token | the crawler to ask for | [`Crawler::from_user_agent`] |
//! | one file, one question | yes or no | [`is_allowed`], [`Dialect::is_allowed`] |
//! | one file, many questions | yes or no; a verdict with its rule and line | [`Robots::is_allowed`]; [`Robots::check`] |
//! | the bytes of a file, and one crawler | the same for very many questions, or when the file is gone, from a few bytes | [`Dialect::policy`] |
//! | a file that is parsed for something else as well | the same | [`Robots::policy`] |
//! | a verdict | every rule that matched, and why it lost | [`Robots::explain`] |
//! | the files of many sites | what is known of a URL, and whether it is stale | [`RobotRules`] |
//! | a URL | where its robots.txt stands | [`Origin`] |
//! | what fetching robots.txt gave | what it means, for how long, and when to try again | [`access`] |
//! | one file | sitemaps, delays, licences, usage preferences | [`extension`] |
//! | one file | what is wrong with it | [`Robots::diagnostics`] |
//! | one file | your own reading of it | [`parse`] |
//!
//! # Dialects
//!
//! The protocol has been published many times, and the texts differ. A [`Dialect`] is one of them, as a
//! table of choices: [`Dialect::RFC9309`] is the default, [`Dialect::GOOGLE`] answers exactly as
//! Google's library, and there are those of 1994, 1996, 2002, 2019, Yandex, Baidu and Bing. You can make
//! your own row.
//!
//! # Promises
//!
//! - Parsing never fails and nothing panics, whatever the bytes; problems travel beside the result.
//! - Work is bounded: parsing is linear in the bytes, a rule costs O(pattern + URL). There is no backtracking and
//!   no recursion.
//! - No clock, no environment, no file, no socket: time is an argument.
//! - [`Robots::check`], [`Robots::explain`], [`Policy::check`] and the one-shot answer agree.
//! - Foreign text that a `Display` of this crate shows is inert ([`Untrusted`]).
//!
//! Clauses such as `REP-MATCH-10` are entries of `docs/clauses.md` in the repository.
//!
//! # Features
//!
//! None is on by default, and none changes an answer.
//!
//! - `simd`: many octets are compared at once where lines end, where the literal parts of wildcard patterns stand in
//!   URLs of usual length, and where a single octet stands.
//! - `serde`: `Serialize` and `Deserialize` for values that programs store: [`Origin`], [`ProductToken`] and the
//!   published [`Dialect`] and [`Profile`](access::Profile) as text; [`Crawler`], [`Reason`] and [`DetachedVerdict`];
//!   [`Outcome`](access::Outcome), [`State`](access::State) and [`Timestamp`](access::Timestamp). The forms stay
//!   readable from version 1.0 on. A [`Policy`] is bytes already.
//! - `url`: `Origin::of`, `Origin::of_robots_url` and `Origin::covers`, with the WHATWG URL parser and
//!   IDNA. The engine itself never parses a URL with it.
#![no_std]

extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod access;
mod agent;
mod check;
mod crawler;
pub mod diagnostic;
pub mod dialect;
pub mod extension;
mod group;
pub mod limits;
mod named;
mod once;
mod origin;
pub mod parse;
mod pattern;
mod percent;
pub mod policy;
mod robot_rules;
mod robots;
mod rule;
mod search;
#[cfg(feature = "serde")]
mod serialized;
mod site;
mod span;
mod target;
mod text;
mod untrusted;
mod url_text;
mod verdict;

pub use access::Access;
pub use check::{Contender, Explanation, Standing};
pub use crawler::{
    AsCrawler, Crawler, CrawlerRef, ProductToken, TokenError, TokenErrorKind, TokenProblem,
    VENDORS, Vendor, VendorKind,
};
pub use dialect::Dialect;
pub use group::ClosingRecord;
pub use named::UnknownName;
pub use once::is_allowed;
pub use origin::{Origin, OriginError};
pub use parse::RuleKind;
pub use policy::{Policy, PolicyRef};
pub use robot_rules::{Permission, RobotRules};
pub use robots::{Agent, Group, Robots, Rule};
pub use span::{LineIndex, Position, Span};
pub use untrusted::{Untrusted, UntrustedJson};
pub use verdict::{DetachedVerdict, Reason, Verdict, Why};

/// The Rust of the README: doc tests run it.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
