//! Foreign text in messages.

use verger::Untrusted;
use verger::limits::QUOTED_CHARS;

/// Foreign text in backticks, escaped and cut.
pub(crate) fn quoted<T: AsRef<[u8]> + ?Sized>(text: &T) -> String {
    format!("`{}`", Untrusted::new(text).limited_to(QUOTED_CHARS))
}
