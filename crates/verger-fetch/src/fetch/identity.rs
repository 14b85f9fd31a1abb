//! The crawler's identity, and the preconditions of a request.

use std::error::Error;
use std::fmt::{self, Display};

use hyper::header::HeaderValue;
use url::Url;
use verger::{Crawler, Untrusted};

use crate::limits::FIELD_BYTES;

/// The crawler's identity: header fields of every request.
///
/// # Examples
///
/// ```
/// use verger_fetch::fetch::Identity;
///
/// let identity = Identity::new("ExampleBot/1.0 (+https://bot.example/)")?
///     .with_from("bot@bot.example")?;
/// assert!(Identity::new("").is_err());
/// assert!(Identity::new("ExampleBot\r\nCookie: a").is_err());
/// # Ok::<(), verger_fetch::fetch::IdentityError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    pub(super) user_agent: HeaderValue,
    pub(super) from: Option<HeaderValue>,
}

impl Identity {
    /// An identity with a User-Agent header. Use the same as for the crawl: a site may answer
    /// another one differently.
    ///
    /// # Errors
    ///
    /// If it is empty, or not visible ASCII and spaces.
    pub fn new(user_agent: &str) -> Result<Self, IdentityError> {
        Ok(Self { user_agent: field("User-Agent", user_agent)?, from: None })
    }

    /// Adds the From header, a mail address (REP-ACCESS-12).
    ///
    /// # Errors
    ///
    /// If it is empty, or not visible ASCII and spaces.
    pub fn with_from(mut self, address: &str) -> Result<Self, IdentityError> {
        self.from = Some(field("From", address)?);
        Ok(self)
    }

    /// The product token of the User-Agent header, which keeps records of different crawlers apart
    /// (REP-CACHE-29); its first word if it names no crawler.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger_fetch::fetch::Identity;
    ///
    /// for (user_agent, token) in [
    ///     ("ExampleBot/1.0 (+https://bot.example/)", "ExampleBot"),
    ///     ("Mozilla/5.0 (compatible; ExampleBot/1.0; +https://bot.example/)", "ExampleBot"),
    ///     ("Mozilla/5.0 (X11; Linux x86_64)", "Mozilla/5.0"),
    /// ] {
    ///     assert_eq!(Identity::new(user_agent)?.token(), token);
    /// }
    /// # Ok::<(), verger_fetch::fetch::IdentityError>(())
    /// ```
    pub fn token(&self) -> String {
        // Visible ASCII.
        let text = self.user_agent.to_str().unwrap_or_default();
        let crawler = Crawler::from_user_agent(text).ok();
        let token = crawler.as_ref().and_then(|crawler| crawler.tokens().last());
        let first = || text.split(' ').next().unwrap_or_default();
        token.map_or_else(first, |token| token.as_str()).to_owned()
    }
}

fn field(name: &'static str, text: &str) -> Result<HeaderValue, IdentityError> {
    let error = |found: String| IdentityError { name, found };
    if let Some(other) = text.chars().find(|char| !matches!(char, ' '..='~')) {
        let found = match other {
            '\r' | '\n' => "a line break".to_owned(),
            other => format!("`{}`", Untrusted::new(other.encode_utf8(&mut [0; 4]))),
        };
        return Err(error(found));
    }
    let text = text.trim();
    if text.is_empty() {
        return Err(error("an empty one".to_owned()));
    }
    if text.len() > FIELD_BYTES {
        let found = format!("{} of them, which is more than {FIELD_BYTES}", text.len());
        return Err(error(found));
    }
    HeaderValue::from_str(text).map_err(|_| error("others".to_owned()))
}

/// An error in the text of a header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdentityError {
    name: &'static str,
    found: String,
}

impl Display for IdentityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, found } = self;
        write!(f, "expected a {name} of visible ASCII characters and spaces, but found {found}")
    }
}

impl Error for IdentityError {}

/// The preconditions of a conditional request: the validators of a stored response, and its URL.
///
/// They are sent to this URL only: an `ETag` means nothing to another server, and could identify
/// the crawler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Preconditions {
    pub(super) url: Url,
    pub(super) etag: Option<HeaderValue>,
    pub(super) last_modified: Option<HeaderValue>,
}

impl Preconditions {
    /// Preconditions from the validators of a response, as received; `None` if neither is valid in
    /// a request.
    pub(crate) fn new(url: Url, etag: Option<&[u8]>, last_modified: Option<&[u8]>) -> Option<Self> {
        let usable = |value: &[u8]| {
            (!value.is_empty() && value.len() <= FIELD_BYTES)
                .then(|| HeaderValue::from_bytes(value).ok())
                .flatten()
        };
        let (etag, last_modified) = (etag.and_then(usable), last_modified.and_then(usable));
        (etag.is_some() || last_modified.is_some()).then_some(Self { url, etag, last_modified })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_names_the_invalid_character() {
        let long = "a".repeat(FIELD_BYTES + 1);
        for (text, found) in [
            ("Bot\r\nCookie: a", "a line break"),
            ("Bot\t", "`\\t`"),
            ("B\u{f6}t", "`\u{f6}`"),
            ("\u{202e}", "`\\u{202e}`"),
            (" ", "an empty one"),
            (&long, "8193 of them, which is more than 8192"),
        ] {
            let error = Identity::new(text).unwrap_err().to_string();
            let start = "expected a User-Agent of visible ASCII characters and spaces, but found ";
            assert_eq!(error.strip_prefix(start), Some(found));
        }
        assert!(Identity::new(&long[1..]).is_ok());
    }
}
