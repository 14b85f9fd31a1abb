//! Parts of sentences: quoted foreign text, and lists.

use verger::limits::QUOTED_CHARS;
use verger::{Untrusted, without_credentials};

/// Foreign text in backticks, escaped and cut to a length for sentences; a URL without user name and
/// password.
pub(crate) fn quoted<T: AsRef<[u8]> + ?Sized>(text: &T) -> String {
    let text = without_credentials(text.as_ref());
    Untrusted::new(&text).limited_to(QUOTED_CHARS).quoted().to_string()
}

/// `a`, `a and b`, `a, b and c`.
pub(crate) fn all_of(parts: &[String]) -> Option<String> {
    match parts {
        [] => None,
        [one] => Some(one.clone()),
        [first @ .., last] => Some(format!("{} and {last}", first.join(", "))),
    }
}
