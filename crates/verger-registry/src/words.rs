//! Words in User-Agent headers that crawlers and browsers share.

/// Names of crawlers that are also words in headers of browsers, according to 68,000 real headers:
/// `[Pinterest/iOS]` and phones of Cubot; and those that are words of a language. In lower case.
const ORDINARY: [&str; 8] =
    ["bluesky", "cubot", "kangaroo", "lcc", "pinterest", "screaming", "xbot", "yak"];

/// The text before the name of a crawler in a comment, in lower case.
pub const BEFORE_NAME: &str = "compatible; ";

/// Whether a name can also be a word in headers of browsers: it is on the list, or it is the name of an
/// unknown crawler and has none of the usual parts (`bot`, `crawl`, `spider`). Such a word names the
/// crawler only where [`is_name`] is true. ASCII case does not matter.
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

/// Whether a word is where crawlers have their names and browsers none: at the start of the
/// header, after [`BEFORE_NAME`], or before a URL. The texts are those before and after the word, in
/// lower case.
///
/// # Examples
///
/// ```
/// use verger_registry::words::is_name;
///
/// assert!(is_name("", "/0.2 (+https://www.pinterest.com/bot.html)"));
/// assert!(!is_name("mozilla/5.0 (iphone) [", "/ios]"));
/// ```
pub fn is_name(before: &str, after: &str) -> bool {
    let has_url = || after.contains("http://") || after.contains("https://");
    before.is_empty() || before.ends_with(BEFORE_NAME) || has_url()
}

/// Whether a word of a User-Agent header names a crawler there: it is not ordinary ([`is_ordinary`]),
/// or is at least once where crawlers have their names ([`is_name`]).
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
    !is_ordinary(word, is_known) || has_name(header, word)
}

fn has_name(header: &str, word: &str) -> bool {
    let (header, word) = (header.to_ascii_lowercase(), word.to_ascii_lowercase());
    let mut places = header.match_indices(&word).map(|(at, _)| at);
    // A URL after any place is after the first one.
    let first = places.clone().next();
    first.is_some_and(|at| is_name(&header[..at], &header[at + word.len()..]))
        || places.any(|at| header[..at].ends_with(BEFORE_NAME))
}
