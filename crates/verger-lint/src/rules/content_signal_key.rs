//! # content-signal-key
//!
//! A `Content-Signal` line has an unknown key.
//!
//! ## Why is this a problem?
//!
//! The keys are `search`, `ai-input`, `ai-train` and `use`. Readers ignore other keys, so nothing
//! is stated. `train-ai` and `ai-use` are keys of `Content-Usage`.
//!
//! ## Example
//!
//! ```text
//! User-agent: *
//! Content-Signal: search=yes, train-ai=no
//! Disallow: /cart
//! ```
//!
//! Use instead:
//!
//! ```text
//! User-agent: *
//! Content-Signal: search=yes, ai-train=no
//! Disallow: /cart
//! ```
//!
//! ## Fix
//!
//! If the key is one of `Content-Usage` or only spelled in another way. Unsafe: the statement takes
//! effect.
//!
//! ## References
//!
//! REP-EXT-30, REP-EXT-31, REP-EXT-32.

use verger::extension::{Extension, RecordKind};

use super::prelude::*;
use crate::statement::{SIGNALS, USAGE, entries};

pub(super) fn check(file: &File<'_>, findings: &mut Findings<'_, '_>) {
    let is_signal = |record: &verger::extension::Record<'_>| {
        record.kind() == RecordKind::ContentSignal
            && matches!(record.extension(), Ok(Extension::ContentSignal(_)))
    };
    for record in file.robots.records().filter(is_signal) {
        let entries = entries(file, record.span());
        // One fix corrects the whole line.
        let mut fix = SIGNALS.correction(file, record.span());
        let keys = entries.iter().map(|entry| entry.key);
        for span in keys.filter(|key| !SIGNALS.knows(file.part(*key))) {
            let (key, shown) = (file.part(span), file.show(span));
            let meant = SIGNALS.meant_key(key).filter(|_| USAGE.knows(key));
            let message = meant.map_or_else(
                || format!("the key {shown} is unknown; it states nothing"),
                |meant| format!("{shown} is a key of `Content-Usage`; here it is `{meant}`"),
            );
            findings.add(span, message, |finding| finding.fix(fix.take()));
        }
    }
}
