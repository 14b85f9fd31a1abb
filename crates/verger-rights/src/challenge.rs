//! Challenges for browsers, which a server, a CDN or a firewall sends in place of a page.

use verger_fetch::client::FetchedPage;

/// Whether a response is a challenge for browsers in place of the page, by the marks of known
/// vendors. With status 200 or 202 only if the body is nothing but the challenge.
///
/// # Complexity
///
/// Linear in a body of at most 32 KiB.
pub fn is_challenge(page: &FetchedPage) -> bool {
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
            let value = page.field(place).map(<[u8]>::to_ascii_lowercase);
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
