//! User-Agent headers: the product tokens in a text that is not a product token (REP-AMB-13).
//!
//! # Flow
//!
//! A text with a character that ends a name on a user-agent line is cut into words. Words in
//! comments come before the others: `Mozilla/5.0 (compatible; GPTBot/1.2)` is GPTBot's header.
//! Every run of letters, digits, `-`, `_` and `.` in a word is a name, unless it is a version or a
//! name that browsers share. URLs and email addresses contain no names. The first word of a header
//! may be a name with any visible ASCII characters: `Y!J-ASR/0.1` is the header of a crawler that
//! groups name `Y!J-ASR`.
//!
//! # References
//!
//! RFC 9110 section 10.1.5 has the grammar of the header; real headers follow it only roughly.

use crate::agent::ends_name;
use crate::limits;
use crate::parse::is_space;
use crate::search::compare_ignoring_case;

/// Offset of the first byte that a name on a user-agent line cannot contain.
#[inline]
pub(super) fn end_of_name(text: &str) -> Option<usize> {
    // `#` begins a comment, a line end ends the line, and NULs at its end are dropped (REP-AMB-21).
    let ends = |octet: u8| ends_name(octet) || matches!(octet, b'#' | b'\r' | b'\n' | 0);
    text.bytes().position(ends)
}

/// Whether a text is not a product token but contains one.
#[inline]
pub(super) fn is_header(text: &str) -> bool {
    end_of_name(text).is_some() && Words::of(text).next().is_some()
}

/// The product tokens of a header, those in comments first.
///
/// # Complexity
///
/// Linear in the header. At most [`limits::HEADER_WORDS`] tokens in comments and as
/// many outside are returned.
#[derive(Clone, Debug)]
pub(super) struct Words<'a> {
    header: &'a str,
    /// The unread part of this pass.
    rest: &'a str,
    /// The unread part of a word.
    word: &'a str,
    /// Whether that part is a version, after a `/`.
    in_version: bool,
    /// Open parentheses before the rest.
    depth: usize,
    /// Whether this is the second pass: the words outside of comments.
    outside: bool,
    /// Whether no word was read in this pass yet.
    is_start: bool,
    /// Maximum number of further tokens of this pass.
    left: usize,
}

impl<'a> Words<'a> {
    pub(super) const fn of(header: &'a str) -> Self {
        Self {
            header,
            rest: header,
            word: "",
            in_version: false,
            depth: 0,
            outside: false,
            is_start: true,
            left: limits::HEADER_WORDS,
        }
    }

    /// The next name in the word.
    fn name(&mut self) -> Option<&'a str> {
        while !self.word.is_empty() {
            let end = self.word.find(|c| c == '/' || ends_run(c)).unwrap_or(self.word.len());
            let (run, rest) = self.word.split_at(end);
            let in_version = self.in_version;
            self.in_version = rest.starts_with('/');
            self.word = rest.get(1..).unwrap_or_default();
            let has_version =
                self.in_version && self.word.starts_with(|c| c != '/' && !ends_run(c));
            // A run after a `/` is a name only if it consists of letters: `Ask Jeeves/Teoma`.
            let is_name = !in_version || run.bytes().all(|octet| octet.is_ascii_alphabetic());
            if is_name && run.bytes().all(is_legal) && is_product(run, has_version) {
                return Some(run);
            }
        }
        None
    }

    /// Takes the next word of this pass. Returns its name if only a first word may have it.
    fn advance(&mut self) -> Option<&'a str> {
        let end = self.rest.find(ends_word).unwrap_or(self.rest.len());
        let word = &self.rest[..end];
        // Every character that ends a word is one byte long.
        let separator = self.rest.as_bytes().get(end);
        self.rest = self.rest.get(end + 1..).unwrap_or_default();
        let is_outside = self.depth == 0;
        match separator {
            Some(b'(') => self.depth += 1,
            Some(b')') => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        if is_outside != self.outside || word.is_empty() {
            return None;
        }
        self.word = without_addresses(word);
        self.in_version = false;
        let is_first = core::mem::take(&mut self.is_start) && self.outside;
        let name = &word[..end_of_name(word).unwrap_or(word.len())];
        let is_odd =
            name.bytes().all(|octet| octet.is_ascii_graphic()) && !name.bytes().all(is_legal);
        let is_whole = is_first && self.word.len() == word.len() && is_odd;
        (is_whole && is_product(name, false)).then_some(name)
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a str;

    // Plain tokens, as most crawlers have, are not read with `Words`.
    #[cold]
    fn next(&mut self) -> Option<&'a str> {
        loop {
            if self.left == 0 || self.rest.is_empty() && self.word.is_empty() {
                if self.outside {
                    return None;
                }
                *self = Self { outside: true, ..Self::of(self.header) };
            }
            let name = self.name().or_else(|| self.advance());
            if name.is_some() {
                self.left -= 1;
                return name;
            }
        }
    }
}

fn ends_word(c: char) -> bool {
    let is_blank = |octet| is_space(octet) || matches!(octet, b'\r' | b'\n' | 0);
    matches!(c, '(' | ')' | ';' | ',') || u8::try_from(c).is_ok_and(is_blank)
}

/// Whether a character separates the names in a word. Any other character outside of names makes a
/// run invalid: `Yahoo!` is a company, not the crawler `Yahoo`.
#[rustfmt::skip]
const fn ends_run(c: char) -> bool {
    matches!(
        c,
        '+' | '*' | '#' | '"' | '\'' | '`' | '<' | '>' | '|' | '=' | '[' | ']' | '{' | '}' | '\\'
            | ':'
    )
}

/// The part of a word before a URL; empty for an email address.
fn without_addresses(word: &str) -> &str {
    if word.contains('@') {
        return "";
    }
    let Some(colon) = word.find("://") else { return word };
    let scheme = word[..colon].rfind(|c: char| !c.is_ascii_alphanumeric());
    scheme.map_or("", |before| &word[..before])
}

const fn is_legal(octet: u8) -> bool {
    octet.is_ascii_alphanumeric() || matches!(octet, b'-' | b'_' | b'.')
}

/// Whether a name is that of a product: `MJ12bot` of `MJ12bot/v1.4.8`.
fn is_product(name: &str, has_version: bool) -> bool {
    // `10.0` and `10_15_7` are versions, but `008/0.85` is a crawler.
    let is_version =
        || !has_version && name.bytes().all(|octet| matches!(octet, b'0'..=b'9' | b'.' | b'_'));
    !name.is_empty() && !is_version() && !is_shared(name)
}

/// Whether browsers and many crawlers share this name.
fn is_shared(name: &str) -> bool {
    let order = |shared: &&str| compare_ignoring_case(shared.as_bytes(), name.as_bytes());
    SHARED_NAMES.binary_search_by(order).is_ok()
}

/// Names of browsers, engines, systems and devices, in lower case and sorted. Crawlers that imitate
/// a browser have them in their headers. A crawler's unique name must not be here.
#[rustfmt::skip]
const SHARED_NAMES: &[&str] = &[
    ".net", "5x", "aarch64", "amd64", "android", "apple", "applewebkit", "arm", "arm64", "armv7l",
    "armv8l", "build", "chrome", "chromium", "clr", "compatible", "cpu", "crios", "cros", "debian",
    "edg", "edga", "edge", "edgios", "en", "en-gb", "en-us", "fedora", "firefox", "freebsd",
    "fxios", "gecko", "headlesschrome", "i386", "i586", "i686", "intel", "ios", "ipad", "iphone",
    "ipod", "khtml", "like", "linux", "mac", "mac_powerpc", "macintosh", "macos", "mobile",
    "mozilla", "msie", "netbsd", "nexus", "nt", "openbsd", "opera", "opr", "os", "pixel", "ppc",
    "presto", "rv", "safari", "samsungbrowser", "sv1", "tablet", "touch", "trident", "u", "ubuntu",
    "version", "vivaldi", "webkit", "win32", "win64", "windows", "wow64", "wv", "x", "x11", "x64",
    "x86", "x86_64", "yabrowser",
];

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;
    use alloc::vec::Vec;

    #[track_caller]
    fn check(header: &str, expected: &[&str]) {
        assert_eq!(Words::of(header).collect::<Vec<_>>(), expected, "{header:?}");
        assert_eq!(is_header(header), !expected.is_empty(), "{header:?}");
    }

    #[test]
    fn headers_of_real_crawlers_give_their_tokens() {
        check("MJ12bot/v1.4.8", &["MJ12bot"]);
        check("GPTBot (+https://x)", &["GPTBot"]);
        check("Mozilla/5.0 (compatible; GPTBot/1.2)", &["GPTBot"]);
        let yahoo =
            "Mozilla/5.0 (compatible; Yahoo! Slurp; http://help.yahoo.com/help/us/ysearch/slurp)";
        check(yahoo, &["Slurp"]);
        check(
            "Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) AppleWebKit/537.36 (KHTML, like \
             Gecko) Chrome/127.0.6533.119 Mobile Safari/537.36 (compatible; Googlebot/2.1; \
             +http://www.google.com/bot.html)",
            &["Googlebot"],
        );
        check(
            "Mozilla/5.0 (iPhone; CPU iPhone OS 14_7_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like \
             Gecko) Version/14.1.2 Mobile/15E148 Safari/604.1 (compatible; AdsBot-Google-Mobile; \
             +http://www.google.com/mobile/adsbot.html)",
            &["AdsBot-Google-Mobile"],
        );
        check(
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) \
             Version/17.4 Safari/605.1.15 (Applebot/0.1; +http://www.apple.com/go/applebot)",
            &["Applebot"],
        );
        check(
            "Mozilla/5.0 (Linux; Android 5.0) AppleWebKit/537.36 (KHTML, like Gecko) Mobile \
             Safari/537.36 (compatible; Bytespider; spider-feedback@bytedance.com)",
            &["Bytespider"],
        );
        check("008/0.85 (http://www.80legs.com/webcrawler.html)", &["008"]);
        check("Sogou web spider/4.0(+http://www.sogou.com/docs#07)", &["Sogou", "web", "spider"]);
    }

    #[test]
    fn comments_come_first_and_can_be_nested_or_unclosed() {
        check("a/1 (b (c) d) e", &["b", "c", "d", "a", "e"]);
        check("a (b", &["b", "a"]);
        check("a) (b) c", &["b", "a", "c"]);
    }

    #[test]
    fn browsers_and_texts_without_a_name_are_not_headers() {
        let firefox =
            "Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:109.0) Gecko/20100101 Firefox/115.0";
        check(firefox, &[]);
        for text in ["", "*", "Mozilla/5.0", " ", "()", "1 10.0", "http://a/b", "+http://a?b=c"] {
            check(text, &[]);
        }
        check("bot@x.example Yahoo! \u{e9}/1", &[]);
        // A plain token is not a header, although it is a word.
        assert!(!is_header("GPTBot") && Words::of("GPTBot").eq(["GPTBot"]));
    }

    #[test]
    fn every_separator_ends_a_token() {
        let all = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"];
        check("a b\tc\nd\re\u{b}f\u{c}g;h,i/j/k", &all);
        check("z a+b*c#d\"e'f`g<h>i|j=k", &[&["z"], &all[..]].concat());
        check("z a[b]c{d}e\\f:g", &[&["z"], &all[..7]].concat());
    }

    #[test]
    fn unusual_headers_give_all_their_product_tokens() {
        check(
            "Baiduspider+(+http://www.baidu.com/search/spider.htm)",
            &["Baiduspider+", "Baiduspider"],
        );
        check("Mozilla/5.0+(compatible;+GPTBot/1.2;+http://x/y?z=1)", &["GPTBot"]);
        check("Mozilla/2.0 (compatible; Ask Jeeves/Teoma)", &["Ask", "Jeeves", "Teoma"]);
        check("Mozilla/5.0/GPTBot", &["GPTBot"]);
        check("/GPTBot/1.0", &["GPTBot"]);
        check("GPTBot*", &["GPTBot"]);
        check("GPTBot#1", &["GPTBot"]);
        check("\"GPTBot/1.0 (x)\"", &["\"GPTBot", "GPTBot"]);
        check("<GPTBot/1.0>", &["<GPTBot", "GPTBot"]);
        check("GPTBot/1.0:2", &["GPTBot"]);
        check("User-Agent:GPTBot/1.0", &["User-Agent:GPTBot", "User-Agent", "GPTBot"]);
        check("Bot:http://x/y z", &["Bot", "z"]);
    }

    #[test]
    fn first_word_is_a_name_in_any_visible_characters() {
        check("Y!J-ASR/0.1 crawler (http://x)", &["Y!J-ASR", "crawler"]);
        check("B\u{f8}t/1.0", &[]);
        check("WeSEE:Search/0.1 (x)", &["WeSEE:Search", "WeSEE", "Search"]);
    }

    #[test]
    fn a_long_header_is_cut() {
        let long: String = core::iter::repeat_n("a ", limits::HEADER_WORDS + 1).collect();
        assert_eq!(Words::of(&long).count(), limits::HEADER_WORDS);
        // A comment does not hide the product.
        let words: Vec<_> =
            Words::of(&alloc::format!("GPTBot/1.0 ({long})")).map(String::from).collect();
        assert_eq!(words.len(), limits::HEADER_WORDS + 1);
        assert_eq!(words.last().map(String::as_str), Some("GPTBot"));
    }

    #[test]
    fn shared_names_are_sorted() {
        assert!(SHARED_NAMES.is_sorted_by(|left, right| left < right));
        assert!(SHARED_NAMES.iter().all(|name| name.bytes().all(|c| !c.is_ascii_uppercase())));
        assert!(is_shared("AppleWebKit") && !is_shared("Applebot"));
    }
}
