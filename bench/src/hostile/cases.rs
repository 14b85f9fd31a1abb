//! Cases: a robots text and URLs to check.

use verger_testkit::hostile::{Bound, Entry, Expect, Layer, ORIGIN, entries};

/// One input.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    /// Name in the tables.
    pub(crate) name: String,
    /// The robots text.
    pub(crate) robots: Vec<u8>,
    /// The URLs; the most expensive one counts.
    pub(crate) urls: Vec<Vec<u8>>,
}

/// The hostile entries that are robots texts, with the long URLs of their claims.
pub(crate) fn of_entries() -> Vec<Case> {
    [Layer::Robots, Layer::Sitemap]
        .into_iter()
        .flat_map(entries)
        .map(|entry| case(&entry))
        .collect()
}

fn case(entry: &Entry) -> Case {
    let mut urls: Vec<Vec<u8>> = entry
        .expect
        .iter()
        .filter_map(|claim| match claim {
            Expect::Within(Bound::Check(url)) => Some(url.bytes()),
            _ => None,
        })
        .collect();
    if urls.is_empty() {
        urls.push(format!("{ORIGIN}/x").into_bytes());
    }
    Case { name: format!("{} {}", entry.id, entry.what), robots: entry.bytes(), urls }
}
