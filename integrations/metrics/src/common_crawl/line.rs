//! Lines as Common Crawl's patterns match them: on octets, in ASCII.

/// A line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Line<'a> {
    Empty,
    Comment,
    Directive(&'static str, &'a [u8]),
    /// A key that is no directive.
    UnknownDirective(&'a [u8]),
    Unknown,
}

impl<'a> Line<'a> {
    /// The class of a line, with its end.
    pub(super) fn of(line: &'a [u8]) -> Self {
        let text = trim_start(line);
        match text.first() {
            None => return Self::Empty,
            Some(b'#') => return Self::Comment,
            Some(_) => {}
        }
        let is_key = |it: &u8| it.is_ascii_alphabetic() || matches!(it, b'_' | b'-');
        let end = text.iter().position(|it| !is_key(it)).unwrap_or(text.len());
        let (key, rest) = text.split_at(end);
        let Some(value) = trim_start(rest).strip_prefix(b":") else { return Self::Unknown };
        if let Some(name) = DIRECTIVES.iter().find(|it| it.as_bytes().eq_ignore_ascii_case(key)) {
            let value = trim_start(value);
            let end = value.iter().position(|it| matches!(it, b'\r' | b'#'));
            return Self::Directive(name, trim_end(&value[..end.unwrap_or(value.len())]));
        }
        // Words of letters, with a hyphen between two of them.
        let are_words = key.split(|it| *it == b'-').all(|word| !word.is_empty());
        if are_words { Self::UnknownDirective(key) } else { Self::Unknown }
    }
}

/// Whether the first line of a file begins an HTML page.
pub(super) fn is_html(line: &[u8]) -> bool {
    [&b"<html"[..], b"<!doctype html"].iter().any(|tag| {
        let (begins, after) = line.split_at(tag.len().min(line.len()));
        let is_word = |it: &u8| it.is_ascii_alphanumeric() || *it == b'_';
        begins.eq_ignore_ascii_case(tag) && !after.first().is_some_and(is_word)
    })
}

/// The value as text: each run of white space is a space.
pub(super) fn text_of(value: &[u8]) -> String {
    let mut text = String::with_capacity(value.len());
    let mut follows_space = false;
    for letter in String::from_utf8_lossy(value).chars() {
        let is_space = is_unicode_space(letter);
        match (is_space, follows_space) {
            (false, _) => text.push(letter),
            (true, false) => text.push(' '),
            (true, true) => {}
        }
        follows_space = is_space;
    }
    text
}

/// `\s` of a regular expression for text in Python.
fn is_unicode_space(letter: char) -> bool {
    letter.is_whitespace() || matches!(letter, '\u{1c}'..='\u{1f}')
}

fn is_space(octet: u8) -> bool {
    matches!(octet, b'\t'..=b'\r' | b' ')
}

fn trim_start(text: &[u8]) -> &[u8] {
    let start = text.iter().position(|it| !is_space(*it)).unwrap_or(text.len());
    &text[start..]
}

fn trim_end(text: &[u8]) -> &[u8] {
    let end = text.iter().rposition(|it| !is_space(*it)).map_or(0, |last| last + 1);
    &text[..end]
}

/// The directives that are counted with their values.
pub(super) const DIRECTIVES: [&str; 8] =
    ["user-agent", "disallow", "allow", "crawl-delay", "sitemap", "clean-param", "host", "noindex"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_the_class_that_the_patterns_give_them() {
        let directive = |name, value: &'static str| Line::Directive(name, value.as_bytes());
        let cases: [(&[u8], Line<'_>); 20] = [
            (b"\n", Line::Empty),
            (b" \t\x0b\x0c\r\n", Line::Empty),
            (b" # x\n", Line::Comment),
            (b"\r# x\n", Line::Comment),
            (b"Disallow: /a # b\r\n", directive("disallow", "/a")),
            // `#` begins a comment everywhere.
            (b"Disallow: /a#b\n", directive("disallow", "/a")),
            (b"USER-AGENT\t:\x0bGoogle  bot \n", directive("user-agent", "Google  bot")),
            // A carriage return ends a value, and not a line.
            (b"Allow: /a\rDisallow: /b\n", directive("allow", "/a")),
            (b"Allow:\r/a\n", directive("allow", "/a")),
            (b"Disallow:\n", directive("disallow", "")),
            (b"User agent: *\n", Line::Unknown),
            (b"Request-rate: 1/5\n", Line::UnknownDirective(b"Request-rate")),
            (b"crawl--delay: 1\n", Line::Unknown),
            (b"-allow: /\n", Line::Unknown),
            (b"allow-: /\n", Line::Unknown),
            (b"a_b: x\n", Line::UnknownDirective(b"a_b")),
            // Keys have no digits.
            (b"key1: x\n", Line::Unknown),
            (b"Disallow /\n", Line::Unknown),
            (b"\xef\xbb\xbfallow: /\n", Line::Unknown),
            (b"https://shop.example/\n", Line::UnknownDirective(b"https")),
        ];
        for (line, expected) in cases {
            assert_eq!(Line::of(line), expected, "{:?}", String::from_utf8_lossy(line));
        }
    }

    #[test]
    fn html_begins_with_a_whole_word() {
        let yes: [&[u8]; 4] = [b"<html>\n", b"<HTML", b"<!DocType HTML PUBLIC", b"<html-x"];
        let no: [&[u8]; 4] = [b" <html>", b"<html5>", b"<!doctype  html>", b"<htm"];
        assert!(yes.iter().all(|line| is_html(line)));
        assert!(!no.iter().any(|line| is_html(line)));
    }

    #[test]
    fn white_space_in_values_is_one_space() {
        assert_eq!(text_of(b"a \t b\xc2\xa0\x1cc\xff"), "a b c\u{fffd}");
        // NEL is white space in Python; the zero width space is not.
        assert_eq!(text_of("\u{85}a\u{200b}b".as_bytes()), " a\u{200b}b");
    }
}
