//! A question: crawler, URL and robots.txt, as a text or from the generators of the testkit.

use verger::Crawler;
use verger_testkit::generate::case_of;

/// A question.
#[derive(Clone, Debug)]
pub(crate) struct Question {
    /// The crawler.
    pub(crate) crawler: NamedCrawler,
    /// The URL's text.
    pub(crate) url: Vec<u8>,
    /// The file.
    pub(crate) robots: Vec<u8>,
    /// Number of a [`mixed`](super::mixed) dialect for an additional answer.
    pub(crate) row: u64,
}

/// A crawler as an input names it.
#[derive(Clone, Debug, Default)]
pub(crate) struct NamedCrawler {
    /// Product tokens, most specific first.
    pub(crate) tokens: Vec<String>,
    /// Whether the groups of all tokens apply together.
    pub(crate) is_union: bool,
    /// Whether groups for `*` do not apply.
    pub(crate) ignores_star: bool,
    /// Whether robots.txt is not followed.
    pub(crate) ignores_robots: bool,
}

impl NamedCrawler {
    /// The crawler.
    pub(crate) fn to_crawler(&self) -> Crawler {
        let tokens = self.tokens.iter().map(String::as_str);
        let mut crawler =
            if self.is_union { Crawler::union(tokens) } else { Crawler::chain(tokens) };
        if self.ignores_star {
            crawler = crawler.without_star();
        }
        if self.ignores_robots {
            crawler = crawler.without_robots();
        }
        crawler
    }

    /// Whether it is a simple chain, as naive implementations accept.
    pub(crate) fn is_plain_chain(&self) -> bool {
        !self.is_union && !self.ignores_star && !self.ignores_robots
    }
}

impl Question {
    /// Converts any bytes to a question.
    ///
    /// Bytes that begin with `c` or `u` are a text: a line `chain` or `union` and the tokens,
    /// separated by tabs; a line with the URL; the robots.txt. A `*` in the first word makes a
    /// crawler that ignores groups for `*`, a `!` one that ignores robots.txt, and digits are the
    /// number of a mixed dialect. All other bytes are choices of the generator. Their first byte
    /// selects the kind of crawler, the second one a mixed dialect.
    pub(crate) fn read(bytes: &[u8]) -> Self {
        if matches!(bytes, [b'c' | b'u', ..]) {
            return Self::from_text(bytes);
        }
        let (&[shape, row], choices) = bytes.split_first_chunk().unwrap_or((&[0, 0], bytes));
        let case = case_of(choices);
        let crawler = NamedCrawler {
            tokens: case.tokens,
            is_union: shape & 1 != 0,
            ignores_star: shape & 0x0E == 0x0E,
            ignores_robots: shape & 0x70 == 0x70,
        };
        Self { crawler, url: case.url, robots: case.robots, row: row.into() }
    }

    fn from_text(bytes: &[u8]) -> Self {
        let (line, rest) = first_line(bytes);
        let (url, robots) = first_line(rest);
        let mut words = line.split(|&octet| octet == b'\t');
        let word = words.next().unwrap_or_default();
        let crawler = NamedCrawler {
            is_union: word.starts_with(b"u"),
            ignores_star: word.contains(&b'*'),
            ignores_robots: word.contains(&b'!'),
            tokens: words.map(|token| String::from_utf8_lossy(token).into_owned()).collect(),
        };
        let digits = word.iter().filter(|octet| octet.is_ascii_digit()).take(9);
        let row = digits.fold(0, |row, digit| row * 10 + u64::from(digit - b'0'));
        Self { crawler, url: url.to_vec(), robots: robots.to_vec(), row }
    }

    /// The text from which [`read`](Self::read) makes this question in the published dialects;
    /// `None` if there is none.
    pub(crate) fn to_text(&self) -> Option<Vec<u8>> {
        let word = if self.crawler.is_union { "union" } else { "chain" };
        let line = [&[word.to_owned()], &self.crawler.tokens[..]].concat().join("\t");
        let text = [line.as_bytes(), b"\n", &self.url, b"\n", &self.robots].concat();
        let read = Self::read(&text);
        let is_same = (&read.crawler.tokens, &read.url, &read.robots)
            == (&self.crawler.tokens, &self.url, &self.robots);
        is_same.then_some(text)
    }
}

/// Splits a text after its first LF, and removes the LF.
fn first_line(text: &[u8]) -> (&[u8], &[u8]) {
    match text.iter().position(|&octet| octet == b'\n') {
        Some(end) => (&text[..end], &text[end + 1..]),
        None => (text, &[]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_read_as_it_was_written() {
        let question = Question::read(b"chain*17\tFoo\tBar\nhttps://h/\xff\nUser-agent: *\n");
        assert_eq!(question.row, 17);
        assert_eq!(question.crawler.tokens, ["Foo", "Bar"]);
        assert!(question.crawler.ignores_star && !question.crawler.is_plain_chain());
        assert_eq!(question.url, b"https://h/\xff");
        assert_eq!(question.robots, b"User-agent: *\n");
        let text = question.to_text().expect("has a text");
        assert_eq!(text, b"chain\tFoo\tBar\nhttps://h/\xff\nUser-agent: *\n");
    }

    #[test]
    fn all_other_bytes_make_a_question_too() {
        for bytes in [&b""[..], b"\0", b"\xff\xff\xff\xff", b"User-agent: *\nDisallow: /\n"] {
            assert!(!Question::read(bytes).url.is_empty(), "{bytes:?}");
        }
    }

    #[test]
    fn a_url_with_a_line_end_has_no_text() {
        let url = b"/a\nb".to_vec();
        let question =
            Question { crawler: NamedCrawler::default(), url, robots: Vec::new(), row: 0 };
        assert!(question.to_text().is_none());
    }
}
