//! Refusals that are not those of robots.txt: by a server, a CDN or a firewall in front of the
//! site.

use serde_json::{Map, Value, json};
use verger_fetch::client::FetchedPage;
use verger_rights::is_challenge;

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
    for (name, value) in FIELDS.iter().filter_map(|name| Some((name, page.field(name)?))) {
        let mut value = String::from_utf8_lossy(value).into_owned();
        let most = if *name == PRICE { PRICE_CHARS } else { FIELD_CHARS };
        if cut_text(&mut value, most) {
            headers.insert(format!("{name}_cut"), true.into());
        }
        headers.insert((*name).to_owned(), value.into());
    }
    Some(json!({"kind": kind, "hint": hint, "untrusted_headers": headers}))
}

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
