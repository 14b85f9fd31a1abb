//! # unknown-category
//!
//! A `Content-Usage` line has a key outside of the vocabulary, which has no effect.
//!
//! ## Why is this a problem?
//!
//! The vocabulary of the IETF's draft, draft-ietf-aipref-vocab-08, has `train-ai`, `ai-use` and
//! `search`. Readers ignore all other keys, so no preference is stated. `ai-train` and `ai-input` are
//! keys of `Content-Signal`. Earlier drafts had other labels: `tdm`, `ai`, `genai`, `inference`,
//! `all`, `train-genai`, `bots` and `ai-output`.
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
use crate::statement::{EarlierLabel, USAGE, entries};

pub(super) fn check(file: &File<'_>, found: Diagnostic, mut finding: Finding) -> Finding {
    let keys = entries(file, found.span).into_iter().map(|entry| file.part(entry.key));
    let mut labels: Vec<&EarlierLabel> = Vec::new();
    for found in keys.filter_map(|key| USAGE.earlier(key)) {
        if labels.iter().all(|it| it.label != found.label) {
            labels.push(found);
        }
    }
    if !labels.is_empty() {
        let shown = labels.iter().map(|it| format!("`{}` (draft {})", it.label, it.drafts));
        let shown: Vec<String> = shown.collect();
        let shown = shown.join(", ");
        finding.message =
            format!("labels of earlier drafts of the vocabulary state nothing: {shown}");
    }
    if let Some(lost) = labels.iter().find(|it| it.today.is_none()) {
        let nearest = "`train-ai`, `ai-use` and `search` are the nearest";
        finding =
            finding.help(format!("no category has the meaning of `{}`; {nearest}", lost.label));
    }
    finding.fix(USAGE.correction(file, found.span))
}
