//! Responses in Markdown: one fact a line.
//!
//! ```text
//! status: 200
//! content-type: text/plain
//! fresh-for: 3600
//! redirect: 301 https://www.shop.example/robots.txt
//! body: User-agent: *
//! answer: GPTBot 403
//! answer: bingbot 200 User-agent: bingbot
//! page: GPTBot https://shop.example/ 403
//! page: GPTBot https://shop.example/ 403 browser 200
//! ```
//!
//! Status `none` is no response. The robots.txt is that of `https://shop.example`.

use std::str::FromStr;
use std::time::Duration;

use verger_lint::{CrawlerResponse, Observation, PageResponse};

/// The observation that a block describes.
pub(crate) fn observation(block: &str) -> Result<Observation, String> {
    let mut observed = Observation::new("https://shop.example/robots.txt", None);
    for line in block.lines() {
        let wrong = || format!("expected a fact of a response, but found `{line}`");
        let (key, value) = line.split_once(": ").ok_or_else(wrong)?;
        let words: Vec<&str> = value.split(' ').collect();
        match (key, &words[..]) {
            ("status", [code]) => observed.status = status(code)?,
            ("failure", _) => observed.failure = Some(value.to_owned()),
            ("content-type", _) => observed.content_type = Some(value.to_owned()),
            ("fresh-for", [seconds]) => {
                observed.fresh_for = Some(Duration::from_secs(number(seconds)?));
            }
            ("redirect", [_, to]) => observed.redirects.push((*to).to_owned()),
            ("body", _) => observed.body = value.into(),
            ("answer", [crawler, code, body @ ..]) => observed.answers.push(CrawlerResponse {
                crawler: (*crawler).to_owned(),
                status: status(code)?,
                body: body.join(" ").into_bytes(),
            }),
            ("page", [crawler, url, code, rest @ ..]) => observed.pages.push(PageResponse {
                crawler: (*crawler).to_owned(),
                url: (*url).to_owned(),
                status: status(code)?,
                status_for_browser: match rest {
                    ["browser", code] => status(code)?,
                    _ => None,
                },
            }),
            _ => return Err(wrong()),
        }
    }
    Ok(observed)
}

fn status(text: &str) -> Result<Option<u16>, String> {
    if text == "none" { Ok(None) } else { number(text).map(Some) }
}

fn number<T: FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("expected a number, but found `{text}`"))
}
