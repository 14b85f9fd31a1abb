//! Refusals that are not those of robots.txt: by a server, a CDN or a firewall in front of the
//! site.

use serde_json::{Map, Value, json};
use verger_fetch::client::FetchedPage;
use verger_fetch::failure::{Broken, Failure};

use crate::bounds::{PRICE, cut_text};
use crate::limits::{FIELD_CHARS, PRICE_CHARS};

/// The refusal in a response, with the header fields that say what the site asks for; `None` if the
/// server does not refuse.
pub(crate) fn refusal(page: &FetchedPage) -> Option<Value> {
    let (kind, hint) = match page.status()? {
        _ if is_challenge(page) => (
            "challenge",
            "the site shows a challenge for browsers to this client; do not try to solve it, \
                 and go on without",
        ),
        401 => ("authentication", "the page needs a login or a licence; do not guess one"),
        402 => (
            "payment",
            "the site asks for a payment: tell the user the price, and do not pay without \
                 consent",
        ),
        403 => (
            "forbidden",
            "robots.txt allows this URL, but the server refuses this client; do not disguise \
                 it, and go on without",
        ),
        429 => ("rate", "too many requests: call again after `retry_in_seconds`"),
        _ => return None,
    };
    let mut headers = Map::new();
    for (name, value) in FIELDS.iter().filter_map(|name| Some((name, field(page, name)?))) {
        let mut value = String::from_utf8_lossy(value).into_owned();
        let most = if *name == PRICE { PRICE_CHARS } else { FIELD_CHARS };
        if cut_text(&mut value, most) {
            headers.insert(format!("{name}_cut"), true.into());
        }
        headers.insert((*name).to_owned(), value.into());
    }
    Some(json!({"kind": kind, "hint": hint, "untrusted_headers": headers}))
}

fn field<'p>(page: &'p FetchedPage, wanted: &str) -> Option<&'p [u8]> {
    page.fields().find(|(name, _)| *name == wanted).map(|(_, value)| value)
}

/// Whether a response has a mark of a challenge.
fn is_challenge(page: &FetchedPage) -> bool {
    // Sucuri's script reloads the page. Its text is not read, because the status is a redirect.
    if page.failure() == Some(&Failure::BrokenRedirect(Broken::NoLocation)) {
        return field(page, "x-sucuri-id").is_some();
    }
    let find =
        |text: &[u8], word: &str| text.windows(word.len()).position(|part| part == word.as_bytes());
    MARKS.iter().any(|&(place, word, size)| {
        let body = match page.status() {
            Some(200 | 202) if page.body().len() < size => page.body(),
            // 405: captchas of AWS.
            Some(403 | 405 | 429 | 503) => page.error_page(),
            _ => return false,
        };
        if place != SCRIPT {
            let value = field(page, place).map(<[u8]>::to_ascii_lowercase);
            return value.is_some_and(|value| word.is_empty() || find(&value, word).is_some());
        }
        // Not in the text of an article about challenges.
        let before = find(body, word).map(|at| &body[..at]).unwrap_or_default();
        let tag = before.rsplit(|&byte| byte == b'<').next().unwrap_or_default();
        tag.starts_with(b"script") || tag.starts_with(b"iframe")
    })
}

/// Marks of challenges: a header field or [`SCRIPT`], a part of its value, and the bytes below
/// which a page with 200 or 202 is nothing but a challenge.
const MARKS: [(&str, &str, usize); 10] = [
    // Cloudflare
    ("cf-mitigated", "challenge", usize::MAX),
    (SCRIPT, "_cf_chl_opt", 32 * 1024),
    // AWS
    ("x-amzn-waf-action", "challenge", usize::MAX),
    ("x-amzn-waf-action", "captcha", usize::MAX),
    (SCRIPT, "awsWafCookieDomainList", 16 * 1024),
    // Vercel
    ("x-vercel-mitigated", "challenge", usize::MAX),
    // DataDome and Imperva, also in pages that they let through; Sucuri
    ("x-datadome", "protected", 0),
    (SCRIPT, "/_Incapsula_Resource", 1024),
    ("x-sucuri-block", "", 0),
    (SCRIPT, "sucuri_cloudproxy_js", 8 * 1024),
];

/// In the body: a script, or the address of one or of a frame.
const SCRIPT: &str = "";

/// Header fields that say what a refusal asks for: prices of Cloudflare and x402, licences of RSL.
const FIELDS: [&str; 7] = [
    "crawler-price",
    "crawler-max-price",
    "link",
    PRICE,
    "price",
    "retry-after",
    "www-authenticate",
];
