//! # invalid-value
//!
//! The value of a record does not have the expected form, so the record has no effect.
//!
//! ## Why is this a problem?
//!
//! Crawlers that know the record skip it, or guess what it means.
//!
//! ## Example
//!
//! ```text
//! User-agent: *
//! Crawl-delay: 10s
//! Disallow: /cart
//! ```
//!
//! Use instead:
//!
//! ```text
//! User-agent: *
//! Crawl-delay: 10
//! Disallow: /cart
//! ```
//!
//! ## Fix
//!
//! Writes the number of seconds of a `Crawl-delay` with a unit, and the usual form of
//! `Content-Signal` and `Content-Usage`. Unsafe: the record takes effect.
//!
//! ## References
//!
//! REP-EXT-4, REP-EXT-10, REP-EXT-20, REP-EXT-30, REP-EXT-36, REP-EXT-40, REP-EXT-42.

use verger::extension::{Extension, RecordKind};

use super::prelude::*;
use super::{crawl_delay_text, obsolete_record};
use crate::fix::edited;
use crate::statement::Vocabulary;

pub(super) fn check(file: &File<'_>, found: Diagnostic, finding: Finding) -> Option<Finding> {
    let key = file.part(file.line(found.span)?.record?.key);
    let kind = RecordKind::of_key(key);
    let fix = match Vocabulary::of_key(key) {
        None if kind == RecordKind::CrawlDelay => {
            crawl_delay_text::number_of_seconds(file, found.span)
        }
        vocabulary => vocabulary.and_then(|it| it.correction(file, found.span)),
    };
    let is_valid =
        |fix: &Fix| Extension::parse(kind, &edited(file.text(), found.span, &fix.edits)).is_ok();
    let fix = fix.filter(is_valid);
    obsolete_record::reason(key).is_none().then(|| finding.fix(fix))
}
