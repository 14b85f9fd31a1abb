//! Product tokens: the names of crawlers.

use alloc::boxed::Box;
use core::error::Error;
use core::fmt;
use core::str::FromStr;

use super::header::end_of_name;
use crate::agent::is_token_octet;
use crate::limits;
use crate::untrusted::Untrusted;

/// A crawler's name in robots.txt files.
///
/// Any text is accepted: tokens outside the alphabet of RFC 9309, such as `MJ12bot`, exist and are
/// compared like others (REP-AMB-11). The group selection reads a text with a version as a
/// User-Agent header (REP-AMB-13). [`problem`](Self::problem) returns a text's peculiarity.
///
/// # Examples
///
/// ```
/// use verger::{ProductToken, TokenProblem};
///
/// assert_eq!(ProductToken::new("ExampleBot").problem(), None);
/// assert_eq!(ProductToken::new("MJ12bot").problem(), Some(TokenProblem::Unusual { at: 2 }));
/// assert_eq!(ProductToken::new("").problem(), Some(TokenProblem::Empty));
/// assert_eq!(ProductToken::new("Bot/1.0").problem(), Some(TokenProblem::NeverNamed { at: 3 }));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ProductToken(Box<str>);

/// A peculiarity of a product token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TokenProblem {
    /// It is empty.
    Empty,
    /// The byte at this offset ends a name on a user-agent line, so dialects that compare whole
    /// names never find this text. It is a token with a version, or a whole User-Agent header: all
    /// dialects except `google` use the product tokens in it (REP-AMB-13).
    NeverNamed {
        /// Byte offset, from 0.
        at: usize,
    },
    /// The byte at this offset is outside of RFC 9309's alphabet of letters, `-` and `_`
    /// (REP-AGENT-1). Parsers that cut names there, such as Google's, never match the token.
    Unusual {
        /// Byte offset, from 0.
        at: usize,
    },
}

/// A text without a product token, where one is needed.
///
/// # Examples
///
/// ```
/// use verger::{Crawler, ProductToken, TokenProblem};
///
/// let error = "ExampleBot/1.0".parse::<ProductToken>().unwrap_err();
/// assert_eq!(error.problem(), Some(TokenProblem::NeverNamed { at: 10 }));
/// assert_eq!(error.found(), "ExampleBot/1.0");
/// assert_eq!(
///     error.to_string(),
///     "expected a product token such as `ExampleBot`, but found `ExampleBot/1.0`; \
///      `Crawler::from_user_agent` reads the product tokens of a User-Agent header",
/// );
/// assert!(Crawler::from_user_agent("ExampleBot/1.0").is_ok());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TokenError {
    problem: Option<TokenProblem>,
    found: Box<str>,
}

impl TokenError {
    pub(super) fn new(problem: Option<TokenProblem>, found: &str) -> Self {
        Self { problem, found: found.into() }
    }

    /// The reason why no group can name the text, or why it is empty; `None` for a User-Agent
    /// header without a product token.
    pub const fn problem(&self) -> Option<TokenProblem> {
        self.problem
    }

    /// The text. It is foreign: display it with [`Untrusted`].
    pub fn found(&self) -> &str {
        &self.found
    }
}

impl fmt::Display for TokenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let found = Untrusted::new(&*self.found).limited_to(limits::QUOTED_CHARS).quoted();
        match self.problem {
            Some(TokenProblem::Empty) => {
                f.write_str("missing a product token such as `ExampleBot`")
            }
            Some(_) => write!(
                f,
                "expected a product token such as `ExampleBot`, but found {found}; \
                 `Crawler::from_user_agent` reads the product tokens of a User-Agent header"
            ),
            None => write!(
                f,
                "expected a product token, or a User-Agent header with one, but found {found}"
            ),
        }
    }
}

impl Error for TokenError {}

impl FromStr for ProductToken {
    type Err = TokenError;

    /// Accepts a text that a group can name. [`ProductToken::new`] accepts any text.
    ///
    /// # Errors
    ///
    /// If the text is empty, or contains a character that ends a name on a user-agent line, such as
    /// white space, `/`, `;`, `(` or `*` (REP-AGENT-5).
    fn from_str(text: &str) -> Result<Self, TokenError> {
        let token = Self::new(text);
        token.check_named().map(|()| token)
    }
}

impl ProductToken {
    /// Creates a token from any text.
    pub fn new(token: impl Into<Box<str>>) -> Self {
        Self(token.into())
    }

    /// The token's text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The peculiarity of the token; `None` for a token in RFC 9309's alphabet (REP-AGENT-1,
    /// REP-AGENT-3).
    pub fn problem(&self) -> Option<TokenProblem> {
        let bytes = self.0.as_bytes();
        if bytes.is_empty() {
            return Some(TokenProblem::Empty);
        }
        if let Some(at) = end_of_name(&self.0) {
            return Some(TokenProblem::NeverNamed { at });
        }
        let at = bytes.iter().position(|&octet| !is_token_octet(octet))?;
        Some(TokenProblem::Unusual { at })
    }

    /// Fails if no group can name the token.
    pub(super) fn check_named(&self) -> Result<(), TokenError> {
        match self.problem() {
            Some(TokenProblem::Unusual { .. }) | None => Ok(()),
            problem => Err(TokenError::new(problem, &self.0)),
        }
    }
}

impl fmt::Display for ProductToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&Untrusted::new(&*self.0), f)
    }
}

/// The first word, without its version: `ExampleBot` of `ExampleBot/1.0 (x)` (REP-AGENT-41).
pub(crate) fn short_token(token: &str) -> &str {
    let word = token.split_ascii_whitespace().next().unwrap_or_default();
    word.split('/').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_show_escaped() {
        assert_eq!(alloc::format!("{}", ProductToken::new("a\x1b")), r"a\x1b");
    }

    #[test]
    fn short_tokens_have_neither_version_nor_company() {
        for token in ["Bot", "Bot/1.0", " Bot x/1", "Bot\t/2"] {
            assert_eq!(short_token(token), "Bot");
        }
        assert_eq!(short_token("/1.0"), "");
        assert_eq!(short_token(""), "");
    }

    #[test]
    fn peculiarities_of_tokens() {
        for (token, at) in [("a b", 1), ("f(", 1), ("*", 0), ("a#", 1), ("a\0", 1), ("a,b;c", 1)] {
            let problem = ProductToken::new(token).problem();
            assert_eq!(problem, Some(TokenProblem::NeverNamed { at }), "{token:?}");
        }
        for (token, at) in [("1", 0), ("a\x01", 1), ("a.b", 1), ("é", 0), ("a:", 1)] {
            let problem = ProductToken::new(token).problem();
            assert_eq!(problem, Some(TokenProblem::Unusual { at }), "{token:?}");
        }
    }
}
