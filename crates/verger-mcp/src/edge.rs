//! Refusals that are not those of robots.txt: by a server, a CDN or a firewall in front of the
//! site.

use serde_json::{Map, Value, json};
use verger_fetch::client::FetchedPage;
use verger_rights::is_challenge;

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
    let headers = FIELDS.iter().filter_map(|name| {
        let value = String::from_utf8_lossy(page.field(name)?);
        Some(((*name).to_owned(), value.into()))
    });
    let headers: Map<String, Value> = headers.collect();
    Some(json!({"kind": kind, "hint": hint, "untrusted_headers": headers}))
}

/// Header fields that say what a refusal asks for: prices of Cloudflare and x402, licences of RSL.
const FIELDS: [&str; 7] = [
    "crawler-price",
    "crawler-max-price",
    "link",
    "payment-required",
    "price",
    "retry-after",
    "www-authenticate",
];
