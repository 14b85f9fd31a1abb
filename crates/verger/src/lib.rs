//! The Robots Exclusion Protocol: from bytes, crawler and URL to a verdict with reason and deciding
//! line.
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
//! # Crawlers with a User-Agent header
//!
//! [`Crawler::from_user_agent`] takes a User-Agent header or a product token. Groups name crawlers
//! by product token, without version. A text with a version is read as a User-Agent header, and
//! falls back to `*` only if no group names a product in it (REP-AMB-13):
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
//! In every dialect except `google`, a text that is not a URL is disallowed, and a User-Agent
//! header is searched for product tokens. Dialect `google` repeats the answers of Google's library.
//! [`RobotRules`] reads its name as WWW::RobotRules does.
//!
//! Pass the bytes of the file. Verger cannot detect a string that was decoded with replacement
//! characters, and then allows too much: UTF-16 loses its NULs and every rule, and a Latin-1 path
//! matches nothing.
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
//! Pass absolute URLs or paths. Any other text is disallowed with [`Reason::NotAUrl`], also when
//! the arguments are in the wrong order (REP-AMB-62):
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
//! # Choosing an entry point
//!
//! | input | result | function |
//! |---|---|---|
//! | a User-Agent header or a product token | the crawler | [`Crawler::from_user_agent`] |
//! | one file, one URL | allowed or not | [`is_allowed`], [`Dialect::is_allowed`] |
//! | one file, many URLs | allowed or not; a verdict with its rule and line | [`Robots::is_allowed`]; [`Robots::check`] |
//! | the bytes of a file, and one crawler | repeated checks from a compact compiled form | [`Dialect::policy`] |
//! | a parsed file, and one crawler | the same | [`Robots::policy`] |
//! | one file, one URL | a verdict with every rule that matched, and why it lost | [`Robots::explain`] |
//! | the files of many sites | the permission for a URL, and whether it is stale | [`RobotRules`] |
//! | a URL | the URL of its robots.txt | [`Origin`] |
//! | the result of a fetch of robots.txt | its meaning, its lifetime, and the time of the next try | [`access`] |
//! | one file | sitemaps, delays, licences, usage preferences | [`extension`] |
//! | one file | its errors and warnings | [`Robots::diagnostics`] |
//! | one file | the events of its lines, for a custom reader | [`Robots::events`] |
//! | a rule | its patterns in normal form, for comparing rules | [`Dialect::rule_patterns`] |
//!
//! # Dialects
//!
//! The protocol has several published texts, which differ. A [`Dialect`] is one of them, as a table
//! of choices: [`Dialect::RFC9309`] is the default, [`Dialect::GOOGLE`] gives exactly the answers
//! of Google's library, and there are dialects for the texts of 1994, 1996, 2002 and 2019, Yandex,
//! Baidu and Bing. A custom row is possible.
//!
//! # Promises
//!
//! - Parsing never fails and nothing panics, for any bytes; problems are reported beside the
//!   result.
//! - Work is bounded: parsing is linear in the bytes, a rule costs O(pattern + URL). There is no
//!   backtracking and no recursion.
//! - No clock, no environment, no file, no socket: time is an argument.
//! - [`Robots::check`], [`Robots::explain`], [`Policy::check`] and the one-shot answer agree.
//! - The `Display` output of this crate escapes foreign text ([`Untrusted`]).
//!
//! Clauses such as `REP-MATCH-10` are entries of `docs/clauses.md` in the repository.
//!
//! # Features
//!
//! None is enabled by default, and none changes an answer.
//!
//! - `simd`: compares many octets at once in searches for line ends, for the literal parts of
//!   wildcard patterns in URLs of usual length, and for single octets.
//! - `url`: `Origin::of`, `Origin::of_robots_url` and `Origin::covers`, with the WHATWG URL parser
//!   and IDNA. The engine parses no other URL with it.
#![no_std]

extern crate alloc;
#[cfg(test)]
extern crate std;

// Files, from the bottom up: a file uses only files above it (`cargo xtask tidy`).
//
// - `limits.rs`: all limits, with their reasons
// - `untrusted.rs`: escaping of foreign text for output
// - `named.rs`: lookup of published values by name, and its error, which lists them
// - `span.rs`: byte spans internally; line and column in the API
// - `dialect/`: the table of choices: its row (`row.rs`), the choices (`choice.rs`), the
//   published rows (`published.rs`)
// - `search/`, `percent/`, `text.rs`: search for literals, one or many in one text
//   (`searched.rs`); normal form of octets; comparison of names; all combined
// - `parse/`: bytes to events: `input.rs`; lines (`line.rs`) from the positions of their ends
//   (`line_ends.rs`); key and value (`field.rs`, `key.rs`); `event.rs`
// - `compact.rs`: numbers and texts inside a policy
// - `agent.rs`, `crawler/`: names in user-agent lines; crawlers as lists of tokens
// - `group.rs`: formation of groups
// - `robots/`: the parsed file: structure and selection of groups (`outline.rs`), parsing
//   (`build.rs`), views (`view.rs`)
// - `stored_rules.rs`: the explanation inside a policy
// - `verdict.rs`: the verdict and its reasons, of a file or of a policy
// - `url_text.rs`, `target.rs`: parts of a URL; URL to target
// - `origin/`, `site.rs`: validated scope of a robots.txt; the scope from the text of a URL
// - `pattern.rs`, `rule.rs`: `*` and `$`; the deciding rule
// - `rule_pattern.rs`: the patterns of a rule in normal form
// - `check.rs`: checks, explanations, the one-shot answer
// - `policy/`: compiled policies: the policy (`compiled.rs`), compiler (`compile.rs`), rules in
//   normal form and their priority (`rules.rs`), prefix tree (`tree/`), lists of wildcard
//   patterns with their index (`wildcards.rs`), head (`head.rs`)
// - `robot_rules.rs`: the files of many sites
// - `extension/`, `diagnostic/`: two more consumers of the events; `extension/records.rs` has
//   all methods of `Robots` for them
// - `access/`: meaning and lifetime of fetch results: choices (`profile.rs`, `published.rs`),
//   header values and freshness (`header.rs`, `time.rs`), state machine (`state.rs`), its
//   answer at a time (`answer.rs`), encoding (`code.rs`)

pub mod access;
mod agent;
mod check;
mod compact;
mod crawler;
pub mod diagnostic;
pub mod dialect;
pub mod extension;
mod group;
pub mod limits;
mod named;
mod origin;
pub mod parse;
mod pattern;
mod percent;
pub mod policy;
mod robot_rules;
mod robots;
mod rule;
mod rule_pattern;
mod search;
mod site;
mod span;
mod stored_rules;
mod target;
mod text;
mod untrusted;
mod url_text;
mod verdict;

pub use check::{Contender, Explanation, Standing, is_allowed};
pub use crawler::{AsCrawler, Crawler, CrawlerRef, ProductToken, TokenError, TokenProblem};
pub use dialect::row::Dialect;
pub use group::ClosingRecord;
pub use named::UnknownName;
pub use origin::{Origin, OriginError};
pub use parse::event::RuleKind;
pub use policy::compiled::Policy;
pub use robot_rules::{Permission, RobotRules};
pub use robots::{Agent, Group, Robots, Rule};
pub use rule_pattern::RulePattern;
pub use span::{LineIndex, Position, Span};
pub use untrusted::{Untrusted, quoted, without_credentials};
pub use verdict::{DetachedVerdict, Reason, Verdict};

/// The Rust code of the README, as doc tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
