//! A sitemap, and all sitemaps of an index.

use std::collections::{HashSet, VecDeque};

use verger::Untrusted;

use super::sitemap::{SitemapEntry, read_sitemap};
use crate::limits::{INDEX_DEPTH, SITEMAPS};

/// A note on a compressed input.
const TRAILING_BYTES: &str = "ignored the bytes after the compressed data";

/// The sitemaps that were read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SitemapTotals {
    /// Entries without a usable address.
    pub(crate) invalid: u64,
    /// Sitemaps of indexes that could not be read, or not to their end, and indexes with too many.
    pub(crate) unread: u64,
    /// The causes for `unread`, and notes on bytes after compressed data.
    pub(crate) problems: Vec<String>,
}

/// Passes the address of each page of a sitemap to a function. An index is followed, also over
/// several levels. `load` returns the bytes of a sitemap by its name: first `start`, then the
/// addresses in indexes. Each is loaded once; `None` is one that `load` returned under another
/// name.
///
/// A sitemap of an index that cannot be read is a [problem](SitemapTotals::problems), and the
/// others are read. The same holds for more than three nested indexes, and if there are too many
/// sitemaps ([`SITEMAPS`]).
///
/// # Errors
///
/// Those of `load` for `start`; it is too large, not UTF-8, not well-formed, or its root element is
/// that of another format. Pages before the error have been passed.
pub(crate) fn read_sitemaps(
    start: &str,
    mut load: impl FnMut(&str) -> Result<Option<Vec<u8>>, String>,
    mut each: impl FnMut(&str),
) -> Result<SitemapTotals, String> {
    let mut totals = SitemapTotals::default();
    let mut known = HashSet::from([start.to_owned()]);
    let mut queue = VecDeque::from([(start.to_owned(), 0)]);
    while let Some((name, depth)) = queue.pop_front() {
        let named = |error: &str| format!("{}: {error}", Untrusted::new(&name));
        let mut limit = None;
        let loaded = load(&name).transpose();
        let Some(loaded) = loaded else { continue };
        let read = loaded.and_then(|bytes| {
            let read = read_sitemap(&bytes, |entry| match entry {
                SitemapEntry::Page(url) => each(url),
                SitemapEntry::Invalid => totals.invalid += 1,
                SitemapEntry::Sitemap(_) if depth >= INDEX_DEPTH => {
                    limit = Some(format!("{INDEX_DEPTH} nested indexes of sitemaps"));
                }
                SitemapEntry::Sitemap(address) if known.contains(address) => {}
                SitemapEntry::Sitemap(_) if known.len() >= SITEMAPS => {
                    limit = Some(format!("{SITEMAPS} sitemaps"));
                }
                SitemapEntry::Sitemap(address) => {
                    known.insert(address.to_owned());
                    queue.push_back((address.to_owned(), depth + 1));
                }
            });
            read.map_err(|error| named(&error))
        });
        let limit = limit.map(|most| named(&format!("expected at most {most}, but found more")));
        match read {
            Err(error) if depth == 0 => return Err(error),
            Err(error) => {
                totals.unread += 1;
                totals.problems.push(error);
            }
            Ok(has_trailing_bytes) => {
                if has_trailing_bytes {
                    totals.problems.push(named(TRAILING_BYTES));
                }
                totals.unread += u64::from(limit.is_some());
                totals.problems.extend(limit);
            }
        }
    }
    Ok(totals)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::urls::compressed;

    fn index(names: impl IntoIterator<Item = String>) -> Vec<u8> {
        let entries = names.into_iter().map(|name| format!("<sitemap><loc>{name}</loc></sitemap>"));
        let entries = entries.collect::<Vec<_>>().concat();
        format!("<sitemapindex>{entries}</sitemapindex>").into_bytes()
    }

    #[test]
    fn each_sitemap_is_loaded_once() {
        let mut loaded = Vec::new();
        let load = |name: &str| {
            loaded.push(name.to_owned());
            Ok(match name {
                "a" => Some(index(["b", "a", "other-b", "c", "b"].map(str::to_owned))),
                "other-b" => None,
                _ => Some(
                    format!("<urlset><url><loc>{name}/1</loc></url><url><loc/></url></urlset>")
                        .into_bytes(),
                ),
            })
        };
        let mut urls = Vec::new();
        let totals = read_sitemaps("a", load, |url| urls.push(url.to_owned())).expect("sitemaps");
        assert_eq!(urls, ["b/1", "c/1"]);
        assert_eq!(totals, SitemapTotals { invalid: 2, ..SitemapTotals::default() });
        assert_eq!(loaded, ["a", "b", "other-b", "c"]);
    }

    #[track_caller]
    fn check(
        mut load: impl FnMut(&str) -> Result<Vec<u8>, String>,
        expected: [u64; 2],
        problems: &[&str],
    ) {
        let load = |name: &str| load(name).map(Some);
        let mut pages = 0;
        let totals = read_sitemaps("x", load, |_| pages += 1).expect("sitemaps");
        assert_eq!([pages, totals.unread], expected);
        assert_eq!(totals.problems, problems);
    }

    #[test]
    fn nesting_and_number_are_limited() {
        check(
            |name| Ok(index([format!("{name}x")])),
            [0, 1],
            &["xxxx: expected at most 3 nested indexes of sitemaps, but found more"],
        );
        check(
            |name| match name {
                "x" => Ok(index((0..=SITEMAPS).map(|number| number.to_string()))),
                _ => Ok(b"https://h/a".to_vec()),
            },
            [SITEMAPS as u64 - 1, 1],
            &["x: expected at most 10000 sitemaps, but found more"],
        );
    }

    #[test]
    fn a_sitemap_that_cannot_be_read_does_not_lose_the_others() {
        let tail = [&compressed(b"https://h/b")[..], b"tail"].concat();
        check(
            |name| match name {
                "x" => {
                    Ok(index(["dead", "page", "cut", "loop", "tail", "good"].map(str::to_owned)))
                }
                "dead" => Err("dead: status 404".to_owned()),
                "page" => Ok(b"<html/>".to_vec()),
                "cut" => Ok(b"<urlset><url><loc>a</loc></url>".to_vec()),
                // It leads to the index.
                "loop" => Ok(index(["dead", "good", "x"].map(str::to_owned))),
                "tail" => Ok(tail.clone()),
                _ => Ok(b"https://h/c".to_vec()),
            },
            [3, 3],
            &[
                "dead: status 404",
                "page: expected one of `<urlset>`, `<sitemapindex>`, `<rss>`, `<RDF>`, `<feed>`, but found `<html>` (line 1)",
                "cut: expected the end of an element, but found the end of the sitemap (line 1)",
                "tail: ignored the bytes after the compressed data",
            ],
        );
    }

    #[test]
    fn errors_name_the_sitemap() {
        let error = read_sitemaps("x\n", |_| Ok(Some(b"<html/>".to_vec())), |_| ())
            .expect_err("no sitemap");
        assert!(error.starts_with("x\\n: expected one of `<urlset>`"), "{error}");
        let error = read_sitemaps("x", |_| Err("no".to_owned()), |_| ()).expect_err("no file");
        assert_eq!(error, "no");
    }
}
