//! A question with its two answers: robots text, agent, URL, and what each dialect says.

use std::borrow::Cow;

use super::recipe::Recipe;

/// The origin that all questions of the layer `robots` ask about.
pub const ORIGIN: &str = "http://h.example";

/// The agent of every question that does not turn on the agent.
pub const AGENT: &str = "FooBot";

/// The answers of the two dialects that most differ: may the URL be fetched?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answers {
    /// In dialect `rfc9309`, with its size limit and the decided defaults.
    pub rfc9309: bool,
    /// In dialect `google`, as Google's own library answered when it was asked.
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

/// One input of a question: the entry's own bytes, or bytes that come with the question.
#[derive(Clone, Debug)]
pub enum Part {
    /// The bytes of the entry itself.
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

/// A question in which one input is the entry, with its answers.
#[derive(Clone, Debug)]
pub struct Check {
    /// The robots text.
    pub robots: Part,
    /// The agent, one literal token.
    pub agent: Part,
    /// The URL.
    pub url: Part,
    /// What the dialects answer.
    pub allowed: Answers,
}

impl Check {
    /// Returns the question with all three inputs filled in, `entry` being the entry's bytes.
    pub fn question<'e>(&self, entry: &'e [u8]) -> Question<'e> {
        Question {
            robots: self.robots.fill(entry),
            agent: self.agent.fill(entry),
            url: self.url.fill(entry),
            allowed: self.allowed,
        }
    }
}

/// A [`Check`] ready to be asked.
///
/// The inputs are bytes, because some of them are not UTF-8 on purpose.
#[derive(Clone, Debug)]
pub struct Question<'e> {
    /// The robots text.
    pub robots: Cow<'e, [u8]>,
    /// The agent, one literal token.
    pub agent: Cow<'e, [u8]>,
    /// The URL.
    pub url: Cow<'e, [u8]>,
    /// What the dialects answer.
    pub allowed: Answers,
}
