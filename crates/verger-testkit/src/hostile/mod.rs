//! Hostile inputs for the engine and the command line, each with its expected properties.
//!
//! Flow: [`entries`] returns the [`Entry`]s of a [`Layer`]. [`Entry::bytes`] builds the bytes of an
//! entry on demand, because some have twenty megabytes. Its [`Expect`]s are the claims to test, one
//! variant for each kind, so a test is one `match`. For claims about verdicts, [`Entry::questions`]
//! returns robots text, agent and URL.
//!
//! Scope: robots texts, URLs, agents, Sitemap lines, displayed rules, header lines and pages.
//! [`left_for_later`] lists the rows of the catalogue for parts that are not built yet.
//!
//! The answers of dialect `rfc9309` follow the specification with all defaults. Those of `google`
//! are answers of Google's library at the commit that the specification names. Both are constants
//! here.
//!
//! ```
//! use verger_testkit::hostile::{Layer, entries};
//!
//! for entry in entries(Layer::Agent) {
//!     let bytes = entry.bytes();
//!     for question in entry.questions(&bytes) {
//!         let _allowed = question.allowed.rfc9309;
//!     }
//! }
//! ```

mod agent_pairs;
mod agents;
mod check;
mod claim;
mod expect;
mod invocation;
mod later;
mod output;
mod page_headers;
mod page_html;
mod program;
mod recipe;
mod robots_cost;
mod robots_empty;
mod robots_encoding;
mod robots_limit;
mod robots_lines;
mod robots_marks;
mod robots_rates;
mod robots_rules;
mod robots_text;
mod sinks;
mod sitemap_lines;
mod sitemaps;
mod urls;
mod urls_classes;
mod urls_hosts;
mod urls_long;

pub use check::{AGENT, Answers, Check, ORIGIN, Part, Question};
pub use expect::{
    AgentList, Bound, Class, Delay, Expect, Live, MEMORY_PLUS, MEMORY_TIMES, Notice, Offline, Rate,
    SITEMAP_MAX, Shown, Sink, SitemapLine, SitemapUrl, Sitemaps, Target,
};
pub use invocation::{Invocation, Reader, Written};
pub use later::left_for_later;
pub use output::unescaped;
pub use program::judge_output;
pub use recipe::{Piece, Recipe};
pub use sinks::judge_text;
pub use urls_classes::CLASS_ROBOTS;

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
    fn new(
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
const EVERYBODY: &[u8] = b"User-agent: *\n";

/// Returns an entry of the layer `robots`.
fn robots(id: &'static str, what: impl Into<String>, recipe: Recipe, expect: Vec<Expect>) -> Entry {
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

/// Returns the entries of a layer, in the order of their ids.
pub fn entries(layer: Layer) -> Vec<Entry> {
    let mut all = match layer {
        Layer::Robots => [
            robots_empty::entries(),
            robots_cost::entries(),
            robots_limit::entries(),
            robots_encoding::entries(),
            robots_marks::entries(),
            robots_rules::entries(),
            robots_lines::entries(),
            robots_text::entries(),
            robots_rates::entries(),
        ]
        .concat(),
        Layer::Url => {
            [urls::entries(), urls_hosts::entries(), urls_long::entries(), urls_classes::entries()]
                .concat()
        }
        Layer::Agent => [agents::entries(), agent_pairs::entries()].concat(),
        Layer::Sitemap => [sitemaps::entries(), sitemap_lines::entries()].concat(),
        Layer::Output => output::entries(),
        Layer::Meta => [page_headers::entries(), page_html::entries()].concat(),
    };
    all.sort_by_key(|entry| entry.id);
    all
}

/// Returns the entries of all layers.
pub fn all() -> impl Iterator<Item = Entry> {
    Layer::ALL.into_iter().flat_map(entries)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// Number of rows of the catalogue, by the letter of their ids.
    const CATALOGUE: &[(char, usize)] = &[
        ('A', 124),
        ('B', 40),
        ('C', 136),
        ('D', 155),
        ('F', 135),
        ('H', 215),
        ('M', 121),
        ('N', 120),
        ('O', 171),
        ('P', 151),
        ('R', 209),
        ('S', 123),
        ('U', 169),
        ('X', 40),
    ];

    fn number(id: &str) -> usize {
        id[1..].parse().unwrap()
    }

    #[test]
    fn every_row_of_the_catalogue_is_here_once_or_left_for_later() {
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        for entry in all() {
            *seen.entry(entry.id.to_owned()).or_default() += 1;
        }
        for &(first, last, reason) in left_for_later() {
            assert!(!reason.is_empty(), "{first}");
            for row in number(first)..=number(last) {
                *seen.entry(format!("{}{row:03}", &first[..1])).or_default() += 1;
            }
        }
        let wanted: BTreeMap<String, usize> = CATALOGUE
            .iter()
            .flat_map(|&(letter, rows)| (1..=rows).map(move |row| (format!("{letter}{row:03}"), 1)))
            .collect();
        assert_eq!(seen, wanted);
    }

    #[test]
    fn layers_hold_their_ids_in_order() {
        let counts = Layer::ALL.map(|layer| {
            let all = entries(layer);
            let letter = &format!("{layer:?}")[..1];
            assert!(all.iter().all(|entry| entry.layer == layer && entry.id.starts_with(letter)));
            assert!(all.is_sorted_by(|a, b| a.id < b.id));
            all.len()
        });
        assert_eq!(counts, [209, 169, 124, 105, 125, 121]);
    }

    #[test]
    fn every_entry_claims_something_and_says_what_it_is() {
        for entry in all() {
            assert!(!entry.expect.is_empty() && !entry.what.is_empty(), "{}", entry.id);
            assert!(entry.what.len() < 200, "{}: {}", entry.id, entry.what);
        }
    }

    #[test]
    fn questions_use_the_entry_in_the_place_of_its_layer() {
        for entry in all() {
            for claim in &entry.expect {
                let Expect::Verdict(check) = claim else {
                    continue;
                };
                let own = [&check.robots, &check.agent, &check.url]
                    .map(|part| matches!(part, Part::Entry));
                let place = match entry.layer {
                    Layer::Robots | Layer::Sitemap => [true, false, false],
                    Layer::Agent => [false, true, false],
                    Layer::Url | Layer::Output | Layer::Meta => [false; 3],
                };
                assert_eq!(own, place, "{}", entry.id);
            }
        }
    }

    #[test]
    fn truncation_is_claimed_where_the_limit_is_crossed() {
        for entry in entries(Layer::Robots) {
            let crossed = entry.bytes().len() > LIMIT;
            let claimed = entry.expect.iter().any(|claim| matches!(claim, Expect::Truncated(true)));
            assert_eq!(crossed, claimed, "{}", entry.id);
        }
    }

    #[test]
    fn members_of_a_class_get_one_verdict() {
        let mut classes = BTreeMap::new();
        for entry in entries(Layer::Url) {
            for claim in &entry.expect {
                let Expect::Class(class) = claim else {
                    continue;
                };
                let verdict = class.allowed.map(|answers| answers.rfc9309);
                let first = *classes.entry(class.name).or_insert(verdict);
                assert_eq!(first, verdict, "{}", entry.id);
            }
        }
        assert_eq!(classes.len(), 30);
    }
}
