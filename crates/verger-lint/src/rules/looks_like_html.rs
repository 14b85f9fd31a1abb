//! # looks-like-html
//!
//! The file begins with `<`, as a web page does.
//!
//! ## Why is this a problem?
//!
//! Servers often answer a request for a missing robots.txt with a page for people and status 200.
//! Crawlers use only lines that are records. A page has none, so everything is allowed. A file with
//! rules inside markup loses those rules.
//!
//! Other problems of single lines are not reported for such a file.
//!
//! ## Example
//!
//! ```text
//! <!DOCTYPE html>
//! <p>User-agent: *</p>
//! <p>Disallow: /cart</p>
//! ```
//!
//! Use instead:
//!
//! ```text
//! User-agent: *
//! Disallow: /cart
//! ```
//!
//! A site without restrictions can answer with status 404 or an empty file.
//!
//! ## References
//!
//! REP-SYNTAX-21, REP-ACCESS-35, REP-AMB-19.
