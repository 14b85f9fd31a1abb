//! Hostile inputs for the engine and the command line, each with its expected properties.
//!
//! Flow: [`entries`] returns the [`Entry`]s of a [`Layer`]. [`Entry::bytes`] builds the bytes of an
//! entry on demand, because some have twenty megabytes. Its [`Expect`]s are the claims to test, one
//! variant for each kind, so a test is one `match`. For claims about verdicts, [`Entry::questions`]
//! returns robots text, agent and URL.
//!
//! Scope: robots texts, URLs, agents, Sitemap lines, displayed rules, header lines and pages.
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

mod agents;
mod check;
mod entry;
mod expect;
mod invocation;
mod output;
mod page_headers;
mod page_html;
mod program;
mod recipe;
mod robots_cost;
mod robots_encoding;
mod robots_limit;
mod robots_lines;
mod robots_marks;
mod robots_rates;
mod robots_text;
mod sinks;
mod sitemaps;
mod urls;
mod urls_classes;
mod urls_hosts;

pub use check::{AGENT, Answers, Check, ORIGIN, Part, Question};
pub use entry::{Entry, LIMIT, Layer};
pub use expect::{
    AgentList, Bound, Class, Delay, Expect, Live, MEMORY_PLUS, MEMORY_TIMES, Notice, Offline, Rate,
    SITEMAP_MAX, Shown, Sink, SitemapLine, SitemapUrl, Sitemaps, Target,
};
pub use invocation::{Invocation, Reader, Written};
pub use output::unescaped;
pub use program::judge_output;
pub use recipe::{Piece, Recipe};
pub use sinks::judge_text;
pub use urls_classes::CLASS_ROBOTS;

/// Returns the entries of a layer, in the order of their ids.
pub fn entries(layer: Layer) -> Vec<Entry> {
    let mut all = match layer {
        Layer::Robots => [
            robots_encoding::without_group(),
            robots_cost::entries(),
            robots_limit::entries(),
            robots_encoding::entries(),
            robots_marks::entries(),
            robots_lines::rules(),
            robots_lines::entries(),
            robots_text::entries(),
            robots_rates::entries(),
        ]
        .concat(),
        Layer::Url => {
            [urls::entries(), urls_hosts::entries(), urls::long_urls(), urls_classes::entries()]
                .concat()
        }
        Layer::Agent => [agents::entries(), agents::pairs()].concat(),
        Layer::Sitemap => [sitemaps::entries(), sitemaps::several()].concat(),
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

    /// Rows of the catalogue without an entry: first and last id, and the reason.
    const NOT_BUILT: &[(&str, &str, &str)] = &[
        ("S106", "S123", "content of sitemaps: Verger lists sitemaps and fetches none"),
        ("O121", "O135", "HTML: there is no report and no web page yet"),
        ("O136", "O150", "CSV: no command writes it yet"),
        ("O151", "O156", "answers to language models: there is no such tool yet"),
        ("O157", "O160", "metrics and traces: there is no service yet"),
        ("O161", "O161", "syslog: nothing writes to it"),
        ("O165", "O168", "SARIF, JUnit, GitHub annotations and diff: lint and diff come later"),
        ("O169", "O169", "pager: no command starts one"),
        ("H001", "H215", "HTTP answers: `server::catalogue`, for robots clients"),
        ("D001", "D155", "redirects: `server::catalogue`, for robots clients"),
        ("F001", "F135", "FTP: `server::catalogue`, for robots clients"),
        ("C001", "C136", "stores and clocks: in the tests of verger-fetch, which list them all"),
        ("P001", "P151", "API: belongs to the service"),
        ("N001", "N120", "DNS and addresses: `server::catalogue`, for robots clients"),
        ("X001", "X040", "process limits and signals: belong to the service and the client"),
        ("B001", "B040", "bindings: there are none yet"),
    ];

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
    fn every_row_of_the_catalogue_has_one_entry_or_a_reason() {
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        for entry in all() {
            *seen.entry(entry.id.to_owned()).or_default() += 1;
        }
        for &(first, last, reason) in NOT_BUILT {
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
    fn layers_have_their_ids_in_order() {
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
    fn every_entry_has_claims_and_a_description() {
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
    fn members_of_a_class_have_the_same_verdict() {
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
