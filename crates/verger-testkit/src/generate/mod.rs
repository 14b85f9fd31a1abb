//! A seeded generator of robots.txt files, crawlers and URLs.
//!
//! Flow: [`case`] generates one [`Case`] from a seed and an index, always the same one. Each case
//! prefers a few [`Form`]s (`draft.rs`). The crawler's tokens come first (`agent.rs`), then the
//! groups of the file (`file.rs`) with their lines (`line.rs`) and rules (`pattern.rs`), then its
//! bytes (`bytes.rs`). The URL is mostly derived from a rule of the file (`url.rs`), and some
//! octets are respelt (`spell.rs`), so that matches, ties and near misses are common.
//! [`case_of`] lets a fuzzer make the choices.
//!
//! Scope: variety of forms. Hostile inputs are in [`hostile`](crate::hostile).

mod agent;
mod bytes;
mod draft;
mod file;
mod form;
mod line;
mod octet;
mod pattern;
mod spell;
mod url;

pub use form::{Form, Forms};
pub use octet::{Octet, escaped};

use draft::Draft;

/// The thorough suite sets it.
const CASES: &str = "VERGER_CASES";

/// Number of generated cases: the usual number, multiplied by the environment variable
/// `VERGER_CASES` if it is set. The thorough suite sets it.
///
/// # Panics
///
/// If the variable is not a number.
pub fn cases(usual: u64) -> u64 {
    let factor = std::env::var(CASES);
    factor
        .map_or(usual, |factor| usual * factor.parse::<u64>().expect("`VERGER_CASES` is a number"))
}

/// Step of a sample: the thorough suite takes all items, the default suite one of `usual`.
pub fn one_in(usual: usize) -> usize {
    if is_thorough() { 1 } else { usual }
}

/// Whether the thorough suite runs: a test can do less otherwise.
pub fn is_thorough() -> bool {
    std::env::var_os(CASES).is_some()
}

/// One question: a robots.txt, a crawler and a URL.
#[derive(Clone, Debug)]
pub struct Case {
    /// The robots.txt.
    pub robots: Vec<u8>,
    /// The crawler's tokens, most specific first; rarely none.
    pub tokens: Vec<String>,
    /// The URL's text.
    pub url: Vec<u8>,
    /// The forms in the file, the tokens and the URL.
    pub forms: Forms,
}

impl Case {
    /// The tokens, borrowed.
    pub fn tokens(&self) -> Vec<&str> {
        self.tokens.iter().map(String::as_str).collect()
    }
}

/// Generates the case of a seed and an index.
pub fn case(seed: u64, index: u64) -> Case {
    drawn(Draft::new(seed, index))
}

/// Generates a case from the choices of a fuzzer. The same bytes always give the same case.
pub fn case_of(bytes: &[u8]) -> Case {
    drawn(Draft::of_bytes(bytes))
}

fn drawn(mut draft: Draft) -> Case {
    let mut tokens = agent::tokens(&mut draft);
    let file = file::file(&mut draft, &tokens);
    agent::recase(&mut draft, &mut tokens);
    let url = url::url(&mut draft, &file.rules);
    let robots = bytes::bytes(&mut draft, &file.lines);
    Case { robots, tokens, url, forms: draft.used }
}

/// Generates another URL for an existing file, derived from its rules if it has any.
pub fn url_for(robots: &[u8], seed: u64, index: u64) -> Vec<u8> {
    let mut draft = Draft::new(seed, index);
    let rules: Vec<pattern::Rule> = robots
        .split(|&octet| octet == b'\n' || octet == b'\r')
        .filter_map(|line| {
            let colon = line.iter().position(|&octet| octet == b':')?;
            let (key, value) = (&line[..colon], line[colon + 1..].trim_ascii());
            let allow = !key.first()?.eq_ignore_ascii_case(&b'd');
            value.contains(&b'/').then(|| pattern::Rule { allow, pattern: value.to_vec() })
        })
        .collect();
    url::url(&mut draft, &rules)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_and_index_make_the_same_case() {
        for index in 0..200 {
            let (first, second) = (case(7, index), case(7, index));
            assert_eq!(first.robots, second.robots);
            assert_eq!((first.tokens, first.url), (second.tokens, second.url));
            assert_eq!(first.forms, second.forms);
        }
        let differing = (0..200).filter(|&index| case(7, index).robots != case(8, index).robots);
        assert!(differing.count() > 190);
    }

    #[test]
    fn a_url_can_be_made_for_any_file() {
        let robots = b"User-agent: *\nDisallow: /fish*.php$\nAllow: /salmon\n";
        let urls: Vec<_> = (0..100).map(|index| url_for(robots, 1, index)).collect();
        let derived = urls.iter().filter(|url| {
            url.windows(5).any(|five| five == b"/fish") || url.windows(3).any(|w| w == b"sal")
        });
        assert!(derived.count() > 30);
        assert!(!url_for(b"\0", 1, 0).is_empty());
    }
}
