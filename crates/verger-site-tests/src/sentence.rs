//! Parts of sentences: quoted foreign text, and lists.

use verger::Untrusted;
use verger::limits::QUOTED_CHARS;

/// Foreign text in backticks, escaped and cut to a length for sentences.
pub(crate) fn quoted<T: AsRef<[u8]> + ?Sized>(text: &T) -> String {
    Untrusted::new(text).limited_to(QUOTED_CHARS).quoted().to_string()
}

/// `a`, `a and b`, `a, b and c`.
pub(crate) fn all_of(parts: &[String]) -> Option<String> {
    match parts {
        [] => None,
        [one] => Some(one.clone()),
        [first @ .., last] => Some(format!("{} and {last}", first.join(", "))),
    }
}
