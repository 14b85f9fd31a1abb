//! # conflicting-statements
//!
//! Two statements of a group permit and reserve the same use of the same pages.
//!
//! ## Why is this a problem?
//!
//! Readers combine such statements in different ways; most take the reservation. No text ranks
//! `Content-Signal` and `Content-Usage`.
//!
//! `repeated-crawl-delay` reports two delays for the same crawlers.
//!
//! ## Example
//!
//! ```text
//! User-agent: *
//! Content-Signal: ai-train=yes
//! Content-Usage: train-ai=n
//! Disallow: /cart
//! ```
//!
//! Use instead:
//!
//! ```text
//! User-agent: *
//! Content-Signal: ai-train=no
//! Content-Usage: train-ai=n
//! Disallow: /cart
//! ```
//!
//! ## References
//!
//! REP-EXT-34, REP-EXT-52, REP-AMB-56.

use std::collections::HashMap;

use verger::extension::{Extension, Preference, Record};

use super::prelude::*;

pub(super) fn check(file: &File<'_>, findings: &mut Findings<'_, '_>) {
    let mut known = HashMap::new();
    for record in file.robots.records() {
        let (Some(group), Some((path, stated))) = (record.group(), stated(&record)) else {
            continue;
        };
        for (name, permits) in stated {
            let first = *known.entry((group, path, name)).or_insert((permits, record));
            if first.0 != permits {
                let verbs = ["reserves", "permits"];
                let verb = verbs[usize::from(permits)];
                let message = format!("this line {verb} {name}, and another one does the opposite");
                findings.add(record.span(), message, |finding| {
                    finding.label(first.1.span(), format!("{} {name}", verbs[usize::from(first.0)]))
                });
            }
        }
    }
}

/// The path of a statement, and for each use whether it is permitted.
type Stated<'r> = (Option<&'r [u8]>, Vec<(&'static str, bool)>);

fn stated<'r>(record: &Record<'r>) -> Option<Stated<'r>> {
    let preference = |preference| match preference {
        Preference::Allowed => Some(true),
        Preference::Disallowed => Some(false),
        Preference::Unknown => None,
    };
    let (path, [search, train, input]) = match record.extension() {
        Ok(Extension::ContentSignal(line)) => {
            let signals = line.signals();
            (line.path, [signals.search, signals.ai_train, signals.ai_input].map(preference))
        }
        Ok(Extension::ContentUsage(line)) => {
            let stated = |key| preference(line.usage.preference(key));
            (line.path, ["search", "train-ai", "ai-use"].map(stated))
        }
        _ => return None,
    };
    let uses = [("search", search), ("training of models", train), ("input of models", input)];
    Some((path, uses.into_iter().filter_map(|(name, is)| Some((name, is?))).collect()))
}
