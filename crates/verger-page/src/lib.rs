//! What a page says to crawlers: robots meta elements and X-Robots-Tag, merged for one crawler, with
//! the place of every directive.
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
//! Header fields and meta elements become [`Statement`]s: whom they are for, what they say, where they
//! stand. [`Page::directives`] takes those for one crawler and combines them by a row of choices, a
//! [`Combine`]: vendors differ in what they make of contradictions. What an `HtmlReader` (feature
//! `html`) finds in a page that arrives in pieces goes the same way.
//!
//! # Scope
//!
//! No I/O and no clock: bytes and times are arguments. Nothing fails and nothing panics, whatever the
//! bytes; what is not understood is kept as text and states nothing. Work is linear in the bytes and
//! memory is bounded ([`limits`]); what was left out because of a limit is told. Foreign text is to be
//! shown through [`verger::Untrusted`], as every `Display` here does.
//!
//! Whether a crawler heeds a directive is its vendor's matter: all known ones are read. Statements on
//! the use of content (TDM) and the draft's `Robots-Tag` are read and have no effect on directives.
//!
//! Clauses such as `REP-PAGE-24` are entries of `docs/clauses.md` in the repository.
//!
//! # Features
//!
//! - `html`, off by default: `HtmlReader`, with the crate `encoding_rs`. It adds API and changes no answer.

mod combine;
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
mod robots_tag;
mod statement;
mod time;
mod value;

pub use combine::{Caches, Combine, Opposites};
pub use directive::{Directive, Invalid, ParsedDirective};
pub use directives::{Effective, PageDirectives};
#[cfg(feature = "html")]
pub use html::{Html, HtmlReader, MetaElement, NoSnippet, Stop};
pub use other::{SearchMeta, TdmStatement, TdmTerm};
pub use page::Page;
pub use robots_tag::RobotsTag;
pub use statement::{Place, Statement, Subject};
pub use time::UnixTime;
pub use value::{ImagePreview, Limit};

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
        is_for_threads::<RobotsTag>();
        is_for_threads::<SearchMeta>();
        is_for_threads::<Statement>();
        is_for_threads::<Subject>();
        is_for_threads::<TdmStatement>();
        is_for_threads::<UnixTime>();
        #[cfg(feature = "html")]
        {
            is_for_threads::<Html>();
            is_for_threads::<MetaElement>();
        }
    }
}
