//! How a page was come by, or why not, as JSON: the contract of `docs/json.md`.

use serde::Serialize;
use verger_fetch::client::FetchedPage;
use verger_json::record::HopKeys;
use verger_json::{Answer, AnswerError};

use crate::reply::Reply;

/// What the robots.txt says of the page, and what was answered for it.
#[derive(Debug, Serialize)]
pub(crate) struct PageWay<'a> {
    check: Answer<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) fetch: Option<PageFetchKeys<'a>>,
}

/// The fetch of a page.
#[derive(Debug, Serialize)]
pub(crate) struct PageFetchKeys<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) status: Option<u16>,
    pub(crate) hops: Vec<HopKeys<'a>>,
    pub(crate) final_url: &'a str,
    downgraded: bool,
    truncated: bool,
    bytes: usize,
    pub(crate) waited: f64,
}

impl<'a> PageWay<'a> {
    /// `page`: none where it may not be fetched.
    pub(crate) fn of(reply: &'a Reply<'a>, page: Option<&'a FetchedPage>) -> Self {
        Self { check: reply.answer(), fetch: page.map(PageFetchKeys::of) }
    }
}

impl<'a> PageFetchKeys<'a> {
    fn of(page: &'a FetchedPage) -> Self {
        // The last request is that of the final URL.
        let redirects = page.hops().split_last().map_or_else(Default::default, |(_, all)| all);
        let keys =
            |hop: &'a verger_fetch::fetch::Hop| Some(HopKeys::new(hop.status?, hop.url.as_str()));
        Self {
            status: page.status(),
            hops: redirects.iter().filter_map(keys).collect(),
            final_url: page.url().as_str(),
            downgraded: page.is_downgraded(),
            truncated: page.is_truncated(),
            bytes: page.body().len(),
            waited: page.waited().as_secs_f64(),
        }
    }
}

/// An error in the place of a page.
#[derive(Debug, Serialize)]
pub(crate) struct PageFailure<'a> {
    #[serde(flatten)]
    pub(crate) failure: AnswerError<'a>,
    #[serde(flatten)]
    pub(crate) way: Option<PageWay<'a>>,
}
