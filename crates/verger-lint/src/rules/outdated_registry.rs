//! # outdated-registry
//!
//! The linter's list of crawlers is older than half a year.
//!
//! ## Why is this a problem?
//!
//! New crawlers are missing in the list. Rules such as `misspelt-agent` may report their names, and
//! retired ones are not known. A newer version of the linter has a newer list.
//!
//! The rule runs if the setting `now` has the time, and if the file names a crawler. It is a note,
//! so that a check that passes today does not fail later.
//!
//! ## Example
//!
//! ```text
//! User-agent: GPTBot
//! Disallow: /
//! ```
//!
//! A file that names nobody is not concerned:
//!
//! ```text
//! User-agent: *
//! Disallow: /cart
//! ```
//!
//! ## References
//!
//! The age is a limit of `verger-registry`.

use verger_registry::Registry;

use super::prelude::*;

pub(super) fn check(file: &File<'_>, findings: &mut Findings<'_, '_>) {
    let registry = Registry::bundled();
    if file.now.is_none_or(|now| !registry.is_outdated(now)) {
        return;
    }
    let Some(name) = names(file).next() else { return };
    let message = format!("the list of crawlers is from {}; names may be missing", registry.date());
    findings.add(name.span, message, |finding| finding.help("update the linter"));
}
