//! Refusals that are not those of robots.txt: by a server, a CDN or a firewall in front of the site.

use serde_json::{Map, Value, json};
use verger_fetch::client::FetchedPage;

use crate::limits::FIELD_CHARS;

/// A refusal, with the header fields that say what the site asks for.
#[derive(Debug)]
pub(crate) struct Edge {
    kind: &'static str,
    hint: &'static str,
    headers: Map<String, Value>,
}

impl Edge {
    /// The refusal in a response; `None` if the server does not refuse.
    pub(crate) fn of(page: &FetchedPage) -> Option<Self> {
        let field =
            |wanted: &str| page.fields().find(|(name, _)| *name == wanted).map(|(_, value)| value);
        let is_challenge = CHALLENGES.iter().any(|(name, word)| {
            field(name).is_some_and(|value| {
                let value = value.to_ascii_lowercase();
                word.is_empty() || value.windows(word.len()).any(|part| part == word.as_bytes())
            })
        });
        let has_mark = || {
            let start = &page.body()[..page.body().len().min(MARK_BYTES)];
            MARKS.iter().any(|mark| start.windows(mark.len()).any(|part| part == *mark))
        };
        let (kind, hint) = match page.status()? {
            202 | 403 | 429 | 503 if is_challenge => CHALLENGE,
            200 | 202 if is_challenge || page.status() == Some(202) && has_mark() => CHALLENGE,
            401 => ("authentication", "the page needs a login or a licence; do not guess one"),
            402 => (
                "payment",
                "the site asks for a payment: tell the user the price, and do not pay \
                     without consent",
            ),
            403 => (
                "forbidden",
                "robots.txt allows this URL, but the server refuses this client; do \
                     not disguise it, and go on without",
            ),
            429 => ("rate", "too many requests: wait as long as `retry-after` says"),
            _ => return None,
        };
        let mut headers = Map::new();
        for name in FIELDS {
            if let Some(value) = field(name) {
                let value: String =
                    String::from_utf8_lossy(value).chars().take(FIELD_CHARS).collect();
                headers.insert(name.to_owned(), value.into());
            }
        }
        Some(Self { kind, hint, headers })
    }

    pub(crate) fn json(&self) -> Value {
        json!({"kind": self.kind, "hint": self.hint, "untrusted_headers": self.headers})
    }
}

const CHALLENGE: (&str, &str) = (
    "challenge",
    "the site shows a challenge for browsers to this client; do not try to solve it, and go on without",
);

/// Header fields of challenges with a word of their values: Cloudflare, AWS, Vercel,
/// `DataDome`, Sucuri.
const CHALLENGES: [(&str, &str); 6] = [
    ("cf-mitigated", "challenge"),
    ("x-amzn-waf-action", "challenge"),
    ("x-amzn-waf-action", "captcha"),
    ("x-vercel-mitigated", "challenge"),
    ("x-datadome", "protected"),
    ("x-sucuri-block", ""),
];

/// Texts at the start of challenges that are sent as pages.
const MARKS: [&[u8]; 3] = [b"_cf_chl_opt", b"awsWafCookieDomainList", b"/_Incapsula_Resource"];

/// Bytes of a page with such a text.
const MARK_BYTES: usize = 16 * 1024;

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
