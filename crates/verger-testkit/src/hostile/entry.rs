//! An entry: one hostile input with its expected properties.

use super::check::Question;
use super::expect::Expect;
use super::recipe::Recipe;

/// The default size limit, in bytes (RFC 9309 section 2.5).
pub const LIMIT: usize = 512_000;

/// One hostile input with its expected properties.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The id in the catalogue, such as `R020`.
    pub id: &'static str,
    /// Kind of input.
    pub layer: Layer,
    /// A short description of the hostile property.
    pub what: String,
    /// Recipe for the bytes.
    pub recipe: Recipe,
    /// The claims; all must hold.
    pub expect: Vec<Expect>,
}

impl Entry {
    pub(super) fn new(
        layer: Layer,
        id: &'static str,
        what: impl Into<String>,
        recipe: Recipe,
        expect: Vec<Expect>,
    ) -> Self {
        Self { id, layer, what: what.into(), recipe, expect }
    }

    /// Builds the bytes.
    pub fn bytes(&self) -> Vec<u8> {
        self.recipe.bytes()
    }

    /// Returns the questions among the claims, with the entry's bytes as one input.
    pub fn questions<'e>(&'e self, bytes: &'e [u8]) -> impl Iterator<Item = Question<'e>> {
        self.expect.iter().filter_map(move |claim| match claim {
            Expect::Verdict(check) => Some(check.question(bytes)),
            _ => None,
        })
    }
}

/// The agent line of a `*` group.
pub(super) const EVERYBODY: &[u8] = b"User-agent: *\n";

/// Returns an entry of the layer `robots`.
pub(super) fn robots(
    id: &'static str,
    what: impl Into<String>,
    recipe: Recipe,
    expect: Vec<Expect>,
) -> Entry {
    Entry::new(Layer::Robots, id, what, recipe, expect)
}

/// Kind of input of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layer {
    /// A robots text (R001 to R209).
    Robots,
    /// A URL (U001 to U169).
    Url,
    /// An agent, or a list of them, one on each line (A001 to A124).
    Agent,
    /// A robots text for tests of its Sitemap lines (S001 to S105).
    Sitemap,
    /// A robots text to display, a file name, or a list of URLs (of O001 to O171).
    Output,
    /// Header lines, or a page (M001 to M121).
    Meta,
}

impl Layer {
    /// All layers.
    pub const ALL: [Self; 6] =
        [Self::Robots, Self::Url, Self::Agent, Self::Sitemap, Self::Output, Self::Meta];
}
