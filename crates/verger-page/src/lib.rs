//! Page directives: robots meta elements and X-Robots-Tag, merged for one crawler, with the
//! position of every directive.
//!
//! ```
//! use verger::Crawler;
//! use verger_page::{Combine, Page};
//!
//! let mut page = Page::new();
//! page.read_headers("X-Robots-Tag: noarchive\r\nX-Robots-Tag: googlebot: noindex\r\n");
//! let found = page.directives(&Crawler::new("Googlebot"), &Combine::GOOGLE);
//! assert!(found.noindex());
//! assert_eq!(found.to_string(), "noindex, noarchive");
//! ```
//!
//! # Flow
//!
//! Header fields and meta elements become [`Statement`]s with their crawler, directive and place.
//! [`Page::directives`] selects those for one crawler and combines them by a row of choices, a
//! [`Combine`], because vendors resolve contradictions differently. The elements that an
//! `HtmlReader` (feature `html`) finds in a page are read in the same way.
//!
//! # Scope
//!
//! No I/O and no clock: bytes and times are arguments. Nothing fails or panics, whatever the bytes;
//! unknown items are preserved as text and state nothing. Work is linear in the bytes and memory is
//! bounded ([`limits`]); omissions because of a limit are reported. Show foreign text through
//! [`verger::Untrusted`], as every `Display` here does.
//!
//! All known directives are read; each vendor's crawler obeys some of them. Preferences and
//! licences for the use of content, and the draft's `Robots-Tag`, are read ([`Page::others`]) and
//! have no effect on directives.
//!
//! Clauses such as `REP-PAGE-24` are entries of `docs/clauses.md` in the repository.
//!
//! # Features
//!
//! - `html`, off by default: `HtmlReader`, with the crates `encoding_rs` and `html5gum`.
//!   It adds API and changes no answer.

// Files, from the bottom up: a file uses only files above it (`cargo xtask tidy`).
//
// - `limits.rs`: all limits, with their reasons
// - `date.rs`: dates in all forms
// - `directive.rs`: one directive: name and value
// - `list.rs`: items of a list: agent prefixes, dates with commas
// - `statement.rs`, `headers.rs`, `other.rs`: an item with its position; response heads;
//   preferences, licences, the draft's `Robots-Tag` and elements for search engines
// - `directives.rs`: the vendors' ways to combine, as data; the directives for one crawler
// - `page.rs`: the page: everything read so far
// - `html/`: a page in pieces: its encoding (`encoding.rs`), tags of html5gum (`tags.rs`), open
//   elements (`open_elements.rs`), and elements with directives and their positions (`scan.rs`)

mod date;
mod directive;
mod directives;
mod headers;
#[cfg(feature = "html")]
mod html;
pub mod limits;
mod list;
mod other;
mod page;
mod statement;

pub use directive::{Directive, ImagePreview, Limit};
pub use directives::{Combine, Effective, PageDirectives};
#[cfg(feature = "html")]
pub use html::{Html, HtmlReader, LicenseLink, MetaElement, NoSnippet, Stop};
pub use other::{OtherStatement, OtherTerm, SearchMeta};
pub use page::Page;
pub use statement::{Place, Statement, Subject};

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
        is_for_threads::<Combine>();
        is_for_threads::<Directive>();
        is_for_threads::<Effective<'static>>();
        is_for_threads::<Page>();
        is_for_threads::<PageDirectives<'static>>();
        is_for_threads::<Place>();
        is_for_threads::<OtherStatement>();
        is_for_threads::<SearchMeta>();
        is_for_threads::<Statement>();
        is_for_threads::<Subject>();
        #[cfg(feature = "html")]
        {
            is_for_threads::<Html>();
            is_for_threads::<MetaElement>();
        }
    }
}
