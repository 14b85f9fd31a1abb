//! A question: crawler, URL and robots.txt.

use arbitrary::Unstructured;
use verger::Crawler;

use super::grammar;

/// A question.
#[derive(Clone, Debug)]
pub(crate) struct Question {
    /// The crawler.
    pub(crate) asker: Asker,
    /// The URL's text.
    pub(crate) url: Vec<u8>,
    /// The file.
    pub(crate) robots: Vec<u8>,
    /// Number of a [`mixed`](super::mixed) dialect for an additional answer.
    pub(crate) row: u64,
}

/// A crawler as an input names it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asker {
    /// Product tokens, most specific first.
    pub(crate) tokens: Vec<String>,
    /// Whether the groups of all tokens apply together.
    pub(crate) is_union: bool,
    /// Whether groups for `*` do not apply.
    pub(crate) ignores_star: bool,
    /// Whether robots.txt is not followed.
    pub(crate) ignores_robots: bool,
}

impl Asker {
    /// The crawler.
    pub(crate) fn crawler(&self) -> Crawler {
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
    /// number of a mixed dialect. All other bytes choose from a grammar.
    pub(crate) fn read(bytes: &[u8]) -> Self {
        if matches!(bytes, [b'c' | b'u', ..]) {
            return Self::from_text(bytes);
        }
        // After the end of the bytes, all choices are the shortest.
        let mut choices = Unstructured::new(bytes);
        grammar::question(&mut choices).unwrap_or_else(|_| Self::from_text(bytes))
    }

    fn from_text(bytes: &[u8]) -> Self {
        let (crawler, rest) = first_line(bytes);
        let (url, robots) = first_line(rest);
        let mut words = crawler.split(|&octet| octet == b'\t');
        let word = words.next().unwrap_or_default();
        let asker = Asker {
            is_union: word.starts_with(b"u"),
            ignores_star: word.contains(&b'*'),
            ignores_robots: word.contains(&b'!'),
            tokens: words.map(|token| String::from_utf8_lossy(token).into_owned()).collect(),
        };
        let digits = word.iter().filter(|octet| octet.is_ascii_digit()).take(9);
        let row = digits.fold(0, |row, digit| row * 10 + u64::from(digit - b'0'));
        Self { asker, url: url.to_vec(), robots: robots.to_vec(), row }
    }

    /// The text from which [`read`](Self::read) makes this question; `None` if there is none.
    pub(crate) fn to_text(&self) -> Option<Vec<u8>> {
        let mut word = String::from(if self.asker.is_union { "union" } else { "chain" });
        word.extend(self.asker.ignores_star.then_some('*'));
        word.extend(self.asker.ignores_robots.then_some('!'));
        word.extend((self.row != 0).then(|| self.row.to_string()));
        let mut text = word.into_bytes();
        for token in &self.asker.tokens {
            text.push(b'\t');
            text.extend(token.bytes());
        }
        text.push(b'\n');
        text.extend(&self.url);
        text.push(b'\n');
        text.extend(&self.robots);
        let read = Self::read(&text);
        let is_same = (&read.asker.tokens, &read.url, &read.robots)
            == (&self.asker.tokens, &self.url, &self.robots);
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
        assert_eq!(question.asker.tokens, ["Foo", "Bar"]);
        assert!(question.asker.ignores_star && !question.asker.is_plain_chain());
        assert_eq!(question.url, b"https://h/\xff");
        assert_eq!(question.robots, b"User-agent: *\n");
        let text = question.to_text().expect("has a text");
        assert_eq!(text, b"chain*17\tFoo\tBar\nhttps://h/\xff\nUser-agent: *\n");
    }

    #[test]
    fn all_other_bytes_make_a_question_too() {
        for bytes in [&b""[..], b"\0", b"\xff\xff\xff\xff", b"User-agent: *\nDisallow: /\n"] {
            let question = Question::read(bytes);
            assert!(question.asker.tokens.len() < 64, "{bytes:?}");
        }
    }

    #[test]
    fn a_url_with_a_line_end_has_no_text() {
        let url = b"/a\nb".to_vec();
        let question = Question { asker: Asker::default(), url, robots: Vec::new(), row: 0 };
        assert!(question.to_text().is_none());
    }
}
