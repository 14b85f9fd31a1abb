//! Words in User-Agent headers: where one is a name, and those that crawlers and browsers share.

/// Names of crawlers that are also words in headers of browsers, according to 68,000 real headers:
/// `[Pinterest/iOS]` and phones of Cubot; and those that are words of a language. In lower case.
const ORDINARY: [&str; 8] =
    ["bluesky", "cubot", "kangaroo", "lcc", "pinterest", "screaming", "xbot", "yak"];

/// Octets before a word in a User-Agent header. Those of URLs are not among them.
pub const BEFORE: &[u8] = b" \t(),;+*\"'<>|[{";

/// Octets after a word.
pub const AFTER: &[u8] = b" \t(),;/:+*\"'<>|]}";

/// The text before the name of a crawler in a comment, in lower case.
pub const BEFORE_NAME: &str = "compatible; ";

/// Whether a name can also be a word in headers of browsers: it is on the list, or it is the name
/// of an unknown crawler and has none of the usual parts (`bot`, `crawl`, `spider`). Such a word
/// names the crawler only in some [`places`]. ASCII case does not matter.
///
/// # Examples
///
/// ```
/// use verger_registry::words::is_ordinary;
///
/// assert!(is_ordinary("Pinterest", true) && !is_ordinary("Pinterestbot", true));
/// assert!(is_ordinary("SAMSUNG", false) && !is_ordinary("ExampleBot", false));
/// ```
pub fn is_ordinary(name: &str, is_known: bool) -> bool {
    let name = name.to_ascii_lowercase();
    let is_like_a_crawler = || ["bot", "crawl", "spider"].iter().any(|it| name.contains(it));
    ORDINARY.contains(&&*name) || !is_known && !is_like_a_crawler()
}

/// The places of a whole word in a User-Agent header, between [`BEFORE`] and [`AFTER`] or the ends
/// of the header; of an [ordinary](is_ordinary) word those where crawlers have their names and
/// browsers none: at the start, after [`BEFORE_NAME`], or before a URL. Both texts are in lower
/// case.
///
/// # Complexity
///
/// Linear in the header.
///
/// # Examples
///
/// ```
/// use verger_registry::words::places;
///
/// let crawler = "pinterest/0.2 (+https://www.pinterest.com/bot.html)";
/// assert_eq!(places(crawler, "pinterest", true).collect::<Vec<_>>(), [0]);
/// assert_eq!(places("mozilla/5.0 (iphone) [pinterest/ios]", "pinterest", true).count(), 0);
/// assert_eq!(places("notgptbot gptbot-x e.example/gptbot", "gptbot", false).count(), 0);
/// ```
pub fn places(header: &str, word: &str, is_ordinary: bool) -> impl Iterator<Item = usize> {
    let url = header.rfind("http://").max(header.rfind("https://"));
    header.match_indices(word).map(|(at, _)| at).filter(move |&at| {
        let (before, after) = (&header[..at], &header[at + word.len()..]);
        let is_before_url = url.is_some_and(|url| at + word.len() <= url);
        before.bytes().next_back().is_none_or(|last| BEFORE.contains(&last))
            && after.bytes().next().is_none_or(|next| AFTER.contains(&next))
            && (!is_ordinary || at == 0 || is_before_url || before.ends_with(BEFORE_NAME))
    })
}

/// Whether a word of a User-Agent header names a crawler there: it is at least once in one of its
/// [`places`].
///
/// # Examples
///
/// ```
/// use verger_registry::words::names_crawler;
///
/// assert!(names_crawler("SAMSUNG/1.0 (+https://samsung.example/)", "SAMSUNG", false));
/// assert!(!names_crawler("Mozilla/5.0 (Linux; Android 14; SAMSUNG SM-S911B)", "SAMSUNG", false));
/// ```
pub fn names_crawler(header: &str, word: &str, is_known: bool) -> bool {
    let (header, lower) = (header.to_ascii_lowercase(), word.to_ascii_lowercase());
    places(&header, &lower, is_ordinary(word, is_known)).next().is_some()
}
