//! A question: crawler, URL and robots.txt, read from text or chosen by a small grammar of robots.txt
//! files and URLs. The grammar has few words, so that rules often match, tie or almost match.

use arbitrary::{Result, Unstructured};
use verger::Crawler;

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
    /// number of a mixed dialect. All other bytes choose from a grammar.
    pub(crate) fn read(bytes: &[u8]) -> Self {
        if matches!(bytes, [b'c' | b'u', ..]) {
            return Self::from_text(bytes);
        }
        // After the end of the bytes, all choices are the shortest.
        let mut choices = Unstructured::new(bytes);
        question(&mut choices).unwrap_or_else(|_| Self::from_text(bytes))
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

    /// The text from which [`read`](Self::read) makes this question; `None` if there is none.
    pub(crate) fn to_text(&self) -> Option<Vec<u8>> {
        let mut word = String::from(if self.crawler.is_union { "union" } else { "chain" });
        word.extend(self.crawler.ignores_star.then_some('*'));
        word.extend(self.crawler.ignores_robots.then_some('!'));
        word.extend((self.row != 0).then(|| self.row.to_string()));
        let mut text = word.into_bytes();
        for token in &self.crawler.tokens {
            text.push(b'\t');
            text.extend(token.bytes());
        }
        text.push(b'\n');
        text.extend(&self.url);
        text.push(b'\n');
        text.extend(&self.robots);
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

/// Chooses a question.
fn question(choices: &mut Unstructured<'_>) -> Result<Question> {
    let row = choices.arbitrary::<u16>()?.into();
    let crawler = crawler(choices)?;
    let url = url_text(choices)?;
    let robots = robots_text(choices)?;
    Ok(Question { crawler, url, robots, row })
}

fn crawler(choices: &mut Unstructured<'_>) -> Result<NamedCrawler> {
    let shape: u8 = choices.arbitrary()?;
    let mut crawler = NamedCrawler {
        is_union: shape & 1 != 0,
        ignores_star: shape & 0x0E == 0x0E,
        ignores_robots: shape & 0x70 == 0x70,
        tokens: vec![word(choices, &TOKENS)?],
    };
    let further = match shape >> 6 {
        0 | 1 => 0,
        2 => 2,
        // Around the maximum number of tokens in the one-shot answer.
        _ => choices.int_in_range(13..=17)?,
    };
    for _ in 0..further {
        crawler.tokens.push(word(choices, &TOKENS)?);
    }
    Ok(crawler)
}

/// Chooses the text of a URL, or a similar text.
pub(crate) fn url_text(choices: &mut Unstructured<'_>) -> Result<Vec<u8>> {
    let mut url = choices.choose(&PREFIXES)?.as_bytes().to_vec();
    atoms(choices, &mut url, 12)?;
    Ok(url)
}

/// Chooses a robots.txt.
pub(crate) fn robots_text(choices: &mut Unstructured<'_>) -> Result<Vec<u8>> {
    let shape: u8 = choices.arbitrary()?;
    let end = ["\n", "\n", "\n", "\r\n", "\r"][usize::from(shape) % 5];
    let mut text = Vec::new();
    if shape.is_multiple_of(16) {
        text.extend("\u{feff}".as_bytes());
    }
    // Few names and sometimes many lines: the index of names is used above a threshold.
    let lines = if shape > 0xF0 { 80 } else { 24 };
    choices.arbitrary_loop(Some(1), Some(lines), |choices| {
        line(choices, &mut text)?;
        let odd_end = choices.ratio(1, 16)?;
        text.extend(if odd_end { choices.choose(&ENDS)?.as_bytes() } else { end.as_bytes() });
        Ok(std::ops::ControlFlow::Continue(()))
    })?;
    let encoded = match shape {
        0xE0 => utf_16(&text, u16::to_le_bytes, [0xFF, 0xFE]),
        0xE1 => utf_16(&text, u16::to_be_bytes, [0xFE, 0xFF]),
        _ => text,
    };
    Ok(encoded)
}

fn line(choices: &mut Unstructured<'_>, text: &mut Vec<u8>) -> Result<()> {
    let kind: u8 = choices.arbitrary()?;
    match kind % 16 {
        0..=3 => {
            text.extend(choices.choose(&AGENT_KEYS)?.as_bytes());
            text.extend(word(choices, &TOKENS)?.bytes());
            text.extend(choices.choose(&AGENT_TAILS)?.as_bytes());
        }
        4..=10 => {
            text.extend(choices.choose(&RULE_KEYS)?.as_bytes());
            atoms(choices, text, 8)?;
        }
        11 | 12 => {
            text.extend(choices.choose(&RECORDS)?.as_bytes());
            if choices.arbitrary()? {
                atoms(choices, text, 6)?;
            }
        }
        13 => {}
        14 => text.extend(choices.choose(&JUNK)?.as_bytes()),
        _ => {
            let length = choices.int_in_range(0..=12)?;
            text.extend(choices.bytes(length.min(choices.len()))?);
        }
    }
    Ok(())
}

/// Appends a few atoms of paths to a text.
fn atoms(choices: &mut Unstructured<'_>, text: &mut Vec<u8>, most: u32) -> Result<()> {
    choices.arbitrary_loop(Some(0), Some(most), |choices| {
        let at: u8 = choices.arbitrary()?;
        match ATOMS.get(usize::from(at) % (ATOMS.len() + 1)) {
            Some(atom) => text.extend(*atom),
            None => text.push(choices.arbitrary()?),
        }
        Ok(std::ops::ControlFlow::Continue(()))
    })
}

fn word(choices: &mut Unstructured<'_>, words: &[&str]) -> Result<String> {
    Ok((*choices.choose(words)?).to_owned())
}

fn utf_16(text: &[u8], bytes: fn(u16) -> [u8; 2], mark: [u8; 2]) -> Vec<u8> {
    let units = String::from_utf8_lossy(text).encode_utf16().flat_map(bytes).collect::<Vec<_>>();
    [&mark[..], &units].concat()
}

const TOKENS: [&str; 16] = [
    "a",
    "b",
    "bot",
    "Robot",
    "robot/1.0",
    "Fig Tree",
    "MJ12bot",
    "",
    "*",
    "YandexBot",
    "yandex",
    "bingbot",
    "MSNBOT",
    "a-b_c",
    "é",
    "ab",
];

const AGENT_KEYS: [&str; 8] = [
    "User-agent: ",
    "User-agent: ",
    "user-agent:",
    "USERAGENT :",
    "user agent: ",
    "User-agent ",
    "User-agentx: ",
    " \tuser-agent\t:\t",
];

const AGENT_TAILS: [&str; 8] = ["", "", "", " x", "/2", ", b", " # c", ";*"];

const RULE_KEYS: [&str; 16] = [
    "Disallow: /",
    "Disallow: /",
    "Allow: /",
    "Allow: /",
    "Disallow: ",
    "Allow: ",
    "Disallow: *",
    "Allow: *",
    "disalow:/",
    "Allow /",
    "Disallow : /",
    "allowance: /",
    "disallow:\u{b}/",
    "Allow: //",
    "Disallow: %2F",
    "Disallow: /a",
];

const RECORDS: [&str; 16] = [
    "Crawl-delay: 1.5",
    "Crawl-delay: 99999",
    "Request-rate: 1/10m 1300-1659",
    "Visit-time: 1700-0459",
    "Sitemap: https://h/",
    "site-map: /",
    "Content-Usage: train-ai=n",
    "Content-Usage: /a search=y",
    "Content-Signal: search=no, ai-train=yes",
    "Content-Signal: /",
    "License: https://h/l",
    "Clean-param: a&b /",
    "Clean-param: ",
    "Host: h:80",
    "Noindex: /",
    "X-Other: ",
];

const JUNK: [&str; 8] = ["# c", " ", "\t", ": /", "junk", "two words", "<html>", "a b c"];

const ENDS: [&str; 6] = ["\n\n", "\r\r", "\r\n", "\n\r", "", "\u{85}"];

const PREFIXES: [&str; 20] = [
    "https://h/",
    "/",
    "https://h/a",
    "",
    "http://h",
    "?",
    "//h/",
    "mailto:",
    "ftp://h/",
    "HTTP:/",
    "https://u:p@h:81/",
    "file:///",
    "x://",
    "x://h/",
    "https://h;",
    "a/b?",
    "https://h/robots.txt",
    "/robots.txt",
    "data:,/",
    "http:",
];

const ATOMS: [&[u8]; 31] = [
    b"/",
    b"/",
    b"a",
    b"a",
    b"b",
    b"ab",
    b"*",
    b"*",
    b"$",
    b"?",
    b"%61",
    b"%2F",
    b"%2f",
    b"%2A",
    b"%24",
    b"%",
    b"\xC3\xA9",
    b"%C3%A9",
    b"%c3%a9",
    b"index.html",
    b"index.htm",
    b".",
    b" ",
    b"=",
    b"&",
    b";",
    b"#",
    b"robots.txt",
    b"%7e",
    b"~",
    b"\0",
];

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
        assert_eq!(text, b"chain*17\tFoo\tBar\nhttps://h/\xff\nUser-agent: *\n");
    }

    #[test]
    fn all_other_bytes_make_a_question_too() {
        for bytes in [&b""[..], b"\0", b"\xff\xff\xff\xff", b"User-agent: *\nDisallow: /\n"] {
            let question = Question::read(bytes);
            assert!(question.crawler.tokens.len() < 64, "{bytes:?}");
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
