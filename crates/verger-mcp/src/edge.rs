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
        let (kind, hint) = match page.status()? {
            _ if MARKS.iter().any(|mark| mark.is_of_challenge(page)) => (
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
            429 => ("rate", "too many requests: wait as long as `retry-after` says"),
            _ => return None,
        };
        let mut headers = Map::new();
        for (name, value) in FIELDS.iter().filter_map(|name| Some((name, field(page, name)?))) {
            let value: String = String::from_utf8_lossy(value).chars().take(FIELD_CHARS).collect();
            headers.insert((*name).to_owned(), value.into());
        }
        Some(Self { kind, hint, headers })
    }

    pub(crate) fn json(&self) -> Value {
        json!({"kind": self.kind, "hint": self.hint, "untrusted_headers": self.headers})
    }
}

fn field<'p>(page: &'p FetchedPage, wanted: &str) -> Option<&'p [u8]> {
    page.fields().find(|(name, _)| *name == wanted).map(|(_, value)| value)
}

/// A mark of a challenge. It counts with the statuses of challenges, and with those of pages up to
/// a size.
struct Mark {
    /// A header field, or [`SCRIPT`].
    place: &'static str,
    /// A part of its value, in lower case; in a script as it is.
    word: &'static str,
    /// A page with 200 or 202 and the mark is nothing but a challenge if it has fewer bytes.
    page_bytes: usize,
}

impl Mark {
    fn is_of_challenge(&self, page: &FetchedPage) -> bool {
        let body = match page.status() {
            Some(200 | 202) if page.body().len() < self.page_bytes => page.body(),
            // 405: captchas of AWS.
            Some(403 | 405 | 429 | 503) => page.error_page(),
            _ => return false,
        };
        let word = self.word.as_bytes();
        let find = |text: &[u8]| {
            (0..=text.len().checked_sub(word.len())?).find(|&at| text[at..].starts_with(word))
        };
        if self.place != SCRIPT {
            return field(page, self.place)
                .is_some_and(|it| find(&it.to_ascii_lowercase()).is_some());
        }
        // Not in the text of an article about challenges.
        let before = find(body).map(|at| &body[..at]).unwrap_or_default();
        let tag = before.rsplit(|&byte| byte == b'<').next().unwrap_or_default();
        [&b"script"[..], b"iframe"].iter().any(|name| tag.starts_with(name))
    }
}

/// In the body: a script, or the address of one or of a frame.
const SCRIPT: &str = "";

const MARKS: [Mark; 9] = [
    // Cloudflare
    Mark { place: "cf-mitigated", word: "challenge", page_bytes: usize::MAX },
    Mark { place: SCRIPT, word: "_cf_chl_opt", page_bytes: 32 * 1024 },
    // AWS
    Mark { place: "x-amzn-waf-action", word: "challenge", page_bytes: usize::MAX },
    Mark { place: "x-amzn-waf-action", word: "captcha", page_bytes: usize::MAX },
    Mark { place: SCRIPT, word: "awsWafCookieDomainList", page_bytes: 16 * 1024 },
    // Vercel
    Mark { place: "x-vercel-mitigated", word: "challenge", page_bytes: usize::MAX },
    // DataDome, also on pages that it lets through
    Mark { place: "x-datadome", word: "protected", page_bytes: 0 },
    // Sucuri
    Mark { place: "x-sucuri-block", word: "", page_bytes: 0 },
    // Imperva, also in pages that it lets through
    Mark { place: SCRIPT, word: "/_Incapsula_Resource", page_bytes: 1024 },
];

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
