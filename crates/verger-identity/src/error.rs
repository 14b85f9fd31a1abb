//! The error of this crate.

use std::borrow::Cow;
use std::error::Error;
use std::fmt;

use verger::Untrusted;
use verger::limits::QUOTED_CHARS;

/// A list, key, key set or request that cannot be read. The message quotes no private key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdentityError(pub(crate) Cow<'static, str>);

impl fmt::Display for IdentityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for IdentityError {}

/// An error with a fixed message.
pub(crate) const fn error(message: &'static str) -> IdentityError {
    IdentityError(Cow::Borrowed(message))
}

/// Foreign text for a message.
pub(crate) fn quoted(text: &str) -> String {
    Untrusted::new(text).limited_to(QUOTED_CHARS).quoted().to_string()
}
