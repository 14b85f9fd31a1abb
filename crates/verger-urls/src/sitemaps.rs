//! A sitemap, and all sitemaps of an index.

use std::collections::{HashSet, VecDeque};

use verger::Untrusted;

use crate::error::InputError;
use crate::limits::{INDEX_DEPTH, SITEMAPS};
use crate::sitemap::{SitemapEntry, read_sitemap};

/// The sitemaps that were read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SitemapTotals {
    /// Sitemaps, including indexes.
    pub sitemaps: u64,
    /// Addresses of pages.
    pub pages: u64,
    /// Entries without a usable address.
    pub invalid: u64,
}

/// Passes the address of each page of a sitemap to a function. An index is followed, also over
/// several levels. `load` returns the bytes of a sitemap by its name: first `start`, then the
/// addresses in indexes. Each is loaded once.
///
/// # Errors
///
/// Those of `load` and [`read_sitemap`], with the name of the sitemap; indexes are nested too deeply
/// ([`limits::INDEX_DEPTH`](INDEX_DEPTH)), or there are too many sitemaps
/// ([`limits::SITEMAPS`](SITEMAPS)).
///
/// # Examples
///
/// ```
/// use verger_urls::{InputError, read_sitemaps};
///
/// let load = |name: &str| -> Result<Vec<u8>, String> {
///     Ok(match name {
///         "index.xml" => b"<sitemapindex><sitemap><loc>https://h/1.txt</loc></sitemap></sitemapindex>".to_vec(),
///         _ => b"https://h/a\nhttps://h/b\n".to_vec(),
///     })
/// };
/// let mut urls = Vec::new();
/// let totals = read_sitemaps("index.xml", load, |url| urls.push(url.to_owned()))?;
/// assert_eq!(urls, ["https://h/a", "https://h/b"]);
/// assert_eq!((totals.sitemaps, totals.pages), (2, 2));
/// # Ok::<(), InputError>(())
/// ```
pub fn read_sitemaps(
    start: &str,
    mut load: impl FnMut(&str) -> Result<Vec<u8>, String>,
    mut each: impl FnMut(&str),
) -> Result<SitemapTotals, InputError> {
    let mut totals = SitemapTotals::default();
    let mut known = HashSet::from([start.to_owned()]);
    let mut queue = VecDeque::from([(start.to_owned(), 0)]);
    while let Some((name, depth)) = queue.pop_front() {
        let shown = Untrusted::new(&name).to_string();
        let bytes = load(&name).map_err(InputError::new)?;
        totals.sitemaps += 1;
        let mut error = None;
        read_sitemap(&bytes[..], |entry| match entry {
            SitemapEntry::Page(url) => {
                totals.pages += 1;
                each(url);
            }
            SitemapEntry::Invalid => totals.invalid += 1,
            SitemapEntry::Sitemap(_) if error.is_some() => {}
            SitemapEntry::Sitemap(_) if depth >= INDEX_DEPTH => {
                error = Some(format!(
                    "expected at most {INDEX_DEPTH} nested indexes of sitemaps, but found more"
                ));
            }
            SitemapEntry::Sitemap(address) => {
                if known.insert(address.to_owned()) {
                    queue.push_back((address.to_owned(), depth + 1));
                }
                if known.len() > SITEMAPS {
                    error = Some(format!("expected at most {SITEMAPS} sitemaps, but found more"));
                }
            }
        })
        .map_err(|error| error.with_name(&shown))?;
        if let Some(message) = error {
            return Err(InputError::new(message).with_name(&shown));
        }
    }
    Ok(totals)
}

#[cfg(test)]
mod tests {
    use super::*;

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
                "a" => index(["b", "a", "c", "b"].map(str::to_owned)),
                _ => format!("<urlset><url><loc>{name}/1</loc></url><url><loc/></url></urlset>")
                    .into_bytes(),
            })
        };
        let mut urls = Vec::new();
        let totals = read_sitemaps("a", load, |url| urls.push(url.to_owned())).expect("sitemaps");
        assert_eq!(urls, ["b/1", "c/1"]);
        assert_eq!(totals, SitemapTotals { sitemaps: 3, pages: 2, invalid: 2 });
        assert_eq!(loaded, ["a", "b", "c"]);
    }

    #[test]
    fn nesting_and_number_are_limited() {
        let deeper = |name: &str| Ok(index([format!("{name}x")]));
        let error = read_sitemaps("x", deeper, |_| ()).expect_err("an endless chain");
        assert_eq!(
            error.to_string(),
            "xxxx: expected at most 3 nested indexes of sitemaps, but found more"
        );
        let wide = |_: &str| Ok(index((0..=SITEMAPS).map(|number| number.to_string())));
        let error = read_sitemaps("x", wide, |_| ()).expect_err("too many");
        assert_eq!(error.to_string(), "x: expected at most 10000 sitemaps, but found more");
    }

    #[test]
    fn errors_name_the_sitemap() {
        let error =
            read_sitemaps("x\n", |_| Ok(b"<rss/>".to_vec()), |_| ()).expect_err("no sitemap");
        assert!(error.to_string().starts_with("x\\n: expected `<urlset>`"), "{error}");
        let error = read_sitemaps("x", |_| Err("no".to_owned()), |_| ()).expect_err("no file");
        assert_eq!(error.to_string(), "no");
    }
}
