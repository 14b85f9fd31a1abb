//! A question with its answers: robots text, agent, URL, and the answer in each dialect.

use std::borrow::Cow;

use super::recipe::Recipe;

/// The origin of all questions of the layer `robots`.
pub const ORIGIN: &str = "http://h.example";

/// The agent of every question that does not test agents.
pub const AGENT: &str = "FooBot";

/// The answers of the two most different dialects: whether the URL is allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answers {
    /// In dialect `rfc9309`, with its size limit and defaults.
    pub rfc9309: bool,
    /// In dialect `google`, as answered by Google's library.
    pub google: bool,
}

/// Both dialects allow.
pub(super) const ALLOWED: Answers = Answers { rfc9309: true, google: true };
/// Both dialects disallow.
pub(super) const DISALLOWED: Answers = Answers { rfc9309: false, google: false };
/// Only `google` allows.
pub(super) const GOOGLE_ALLOWS: Answers = Answers { rfc9309: false, google: true };
/// Only `rfc9309` allows.
pub(super) const RFC9309_ALLOWS: Answers = Answers { rfc9309: true, google: false };

/// One input of a question: the entry's bytes, or other bytes.
#[derive(Clone, Debug)]
pub enum Part {
    /// The bytes of the entry.
    Entry,
    /// These bytes.
    Given(Recipe),
}

impl Part {
    fn fill<'e>(&self, entry: &'e [u8]) -> Cow<'e, [u8]> {
        match self {
            Self::Entry => Cow::Borrowed(entry),
            Self::Given(recipe) => Cow::Owned(recipe.bytes()),
        }
    }
}

/// A question about an entry, with its answers. One input is the entry.
#[derive(Clone, Debug)]
pub struct Check {
    /// The robots text.
    pub robots: Part,
    /// The agent, one literal token.
    pub agent: Part,
    /// The URL.
    pub url: Part,
    /// The answers.
    pub allowed: Answers,
}

impl Check {
    /// Returns the question with all three inputs; `entry` is the bytes of the entry.
    pub fn question<'e>(&self, entry: &'e [u8]) -> Question<'e> {
        Question {
            robots: self.robots.fill(entry),
            agent: self.agent.fill(entry),
            url: self.url.fill(entry),
            allowed: self.allowed,
        }
    }
}

/// A [`Check`] with the bytes of its inputs.
///
/// The inputs are bytes because some are not UTF-8.
#[derive(Clone, Debug)]
pub struct Question<'e> {
    /// The robots text.
    pub robots: Cow<'e, [u8]>,
    /// The agent, one literal token.
    pub agent: Cow<'e, [u8]>,
    /// The URL.
    pub url: Cow<'e, [u8]>,
    /// The answers.
    pub allowed: Answers,
}
