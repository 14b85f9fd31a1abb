//! The serialised form of a crawler (feature `serde`).

use alloc::vec::Vec;

use super::{Crawler, ProductToken};

/// The form of a [`Crawler`].
#[derive(serde::Deserialize, serde::Serialize)]
#[serde(rename = "Crawler")]
pub(super) struct CrawlerForm {
    tokens: Vec<ProductToken>,
    #[serde(default)]
    union: bool,
    #[serde(default)]
    without_star: bool,
    #[serde(default)]
    without_robots: bool,
}

impl From<Crawler> for CrawlerForm {
    fn from(crawler: Crawler) -> Self {
        Self {
            tokens: crawler.tokens().to_vec(),
            union: crawler.is_union(),
            without_star: crawler.ignores_star(),
            without_robots: crawler.ignores_robots(),
        }
    }
}

impl From<CrawlerForm> for Crawler {
    fn from(form: CrawlerForm) -> Self {
        let tokens = form.tokens.iter().map(ProductToken::as_str);
        let crawler = if form.union { Self::union(tokens) } else { Self::chain(tokens) };
        let crawler = if form.without_star { crawler.without_star() } else { crawler };
        if form.without_robots { crawler.without_robots() } else { crawler }
    }
}
