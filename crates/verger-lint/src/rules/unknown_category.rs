//! # unknown-category
//!
//! A `Content-Usage` line has a key outside of the vocabulary, which has no effect.
//!
//! ## Why is this a problem?
//!
//! The vocabulary of the IETF's draft, draft-ietf-aipref-vocab-08, has `train-ai`, `ai-use` and
//! `search`. Readers ignore all other keys, so no preference is stated. `ai-train` and `ai-input`
//! are keys of `Content-Signal`. Earlier drafts had other labels: `tdm`, `ai`, `genai`,
//! `inference`, `all`, `train-genai`, `bots` and `ai-output`.
//!
//! ## Example
//!
//! ```text
//! User-agent: *
//! Content-Usage: ai-train=n
//! Disallow: /cart
//! ```
//!
//! Use instead:
//!
//! ```text
//! User-agent: *
//! Content-Usage: train-ai=n
//! Disallow: /cart
//! ```
//!
//! ## Fix
//!
//! If the key is one of `Content-Signal`, or a label of an earlier draft with the intent of a
//! category: `train-ai` for `genai` and `train-genai`, `ai-use` for `inference` and `ai-output`.
//! Unsafe: the statement takes effect.
//!
//! ## References
//!
//! REP-EXT-36, REP-EXT-36a, REP-EXT-38, REP-AMB-63.

use super::prelude::*;
use crate::limits::SHOWN_CATEGORIES;
use crate::statement::{USAGE, entries};

pub(super) fn check(file: &File<'_>, found: Diagnostic, mut finding: Finding) -> Finding {
    let (mut unknown, mut lost) = (Vec::new(), None);
    for entry in entries(file, found.span).iter().filter(|it| it.semicolon.is_none()) {
        let (key, mut shown) = (file.part(entry.key), file.show(entry.key));
        if let Some(label) = USAGE.earlier(key) {
            shown = format!("{shown} (draft {})", label.drafts);
            lost = lost.or(Some(label).filter(|it| it.today.is_none()));
        }
        if !USAGE.knows(key) && !unknown.contains(&shown) && unknown.len() < SHOWN_CATEGORIES {
            unknown.push(shown);
        }
    }
    if !unknown.is_empty() {
        let unknown = unknown.join(", ");
        finding.message = format!(
            "expected `train-ai`, `ai-use` or `search`, but found {unknown}: it states nothing"
        );
    }
    if let Some(lost) = lost {
        finding = finding.help(format!("no category has the meaning of `{}`", lost.label));
    }
    finding.fix(USAGE.correction(file, found.span))
}
