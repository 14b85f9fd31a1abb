//! Statements on the use of a page, from all places in which sites make them, and the most
//! restrictive one for each use.
//!
//! Sources: `Content-Usage`, `Content-Signal` and `License` of the group of robots.txt that
//! applies; header fields and elements of the page; the site's TDMRep file; licences in RSL.
//!
//! ```
//! use verger::access::Timestamp;
//! use verger::{Crawler, Robots};
//! use verger_rights::{Outcome, Report, Use};
//!
//! let url = "https://shop.example/a".parse().unwrap();
//! let crawler = Crawler::new("ExampleBot");
//! let mut report = Report::new(&url, &crawler, Timestamp::from_seconds(1_790_000_000));
//! let robots = Robots::parse("User-agent: *\nContent-Signal: search=yes, ai-train=no\n");
//! report.add_robots(&robots, &crawler, &url, "https://shop.example/robots.txt");
//! assert_eq!(report.outcome(Use::Search), Outcome::Allowed);
//! assert_eq!(report.outcome(Use::AiTraining), Outcome::Refused);
//! assert_eq!(report.outcome(Use::AiInput), Outcome::Unstated);
//! ```
//!
//! # Promises
//!
//! - Nothing is guessed: a use about which nothing is stated is [`Outcome::Unstated`], which is no
//!   permission.
//! - A malformed document is a finding, and never a permission. A TDMRep file that could not be
//!   read makes mining [`Outcome::Unknown`]; a licence that could not be read licenses nothing
//!   (REP-EXT-40).
//! - No document orders the sources among each other, so the most restrictive one counts
//!   (REP-EXT-52).
//!
//! Only [`collect()`] and [`collect_page`] do I/O.

// Files, from the bottom up: a file uses only files above it (`cargo xtask tidy`).
//
// - `limits.rs`: all limits, with their reasons
// - `outcome.rs`, `scope.rs`: uses and what is stated about them; URLs of an entry
// - `tdmrep.rs`: TDMRep files
// - `xml.rs`, `element.rs`, `rsl.rs`: strict XML; elements of RSL; licences in RSL
// - `report.rs`: the report
// - `statements.rs`: statements of robots.txt and of a page
// - `challenge.rs`: challenges for browsers in place of a document
// - `collect.rs`: fetches all documents

mod challenge;
mod collect;
mod element;
pub mod limits;
mod outcome;
mod report;
mod rsl;
mod scope;
mod statements;
mod tdmrep;
mod xml;

pub use challenge::is_challenge;
pub use collect::{collect, collect_page};
pub use element::{Element, RSL_NAMESPACE};
pub use outcome::{Outcome, Terms, Use};
pub use report::{Access, Document, Finding, Report, Source, UseRow};
pub use rsl::Rsl;
