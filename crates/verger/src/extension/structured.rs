//! Dictionaries of structured fields (RFC 9651 section 4.2.2), read from bytes.
//!
//! # Scope
//!
//! The whole grammar is checked, because a value with one mistake states nothing (REP-EXT-36). The
//! result distinguishes tokens from all other members. Parameters are checked only.

use alloc::vec::Vec;

/// Calls `each` with the members in order: key, value and parameters as written. The last of
/// several members with one key counts. Returns `None` if the text is not a dictionary: the caller
/// then ignores all members.
///
/// # Complexity
///
/// Linear in the bytes, without a copy of them.
pub(super) fn dictionary<'a>(
    bytes: &'a [u8],
    mut each: impl FnMut(&'a [u8], Member<'a>, &'a [u8]),
) -> Option<()> {
    let mut cursor = DictionaryCursor { rest: bytes };
    cursor.skip_spaces();
    if cursor.rest.is_empty() {
        return Some(());
    }
    loop {
        let key = cursor.key()?;
        let member = if cursor.take(b'=') { cursor.member()? } else { Member::Other };
        let from_parameters = cursor.rest;
        cursor.parameters()?;
        let length = from_parameters.len() - cursor.rest.len();
        each(key, member, &from_parameters[..length]);
        cursor.skip_white_space();
        if cursor.rest.is_empty() {
            return Some(());
        }
        // A comma at the end is a mistake: the next key is missing.
        if !cursor.take(b',') {
            return None;
        }
        cursor.skip_white_space();
    }
}

/// The value of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Member<'a> {
    Token(&'a [u8]),
    Other,
}

struct DictionaryCursor<'a> {
    rest: &'a [u8],
}

impl<'a> DictionaryCursor<'a> {
    fn peek(&self) -> Option<u8> {
        self.rest.first().copied()
    }

    fn bump(&mut self) -> Option<u8> {
        let (&first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(first)
    }

    fn take(&mut self, octet: u8) -> bool {
        let found = self.peek() == Some(octet);
        if found {
            self.rest = &self.rest[1..];
        }
        found
    }

    fn take_while(&mut self, belongs: impl Fn(u8) -> bool) -> &'a [u8] {
        let end = self.rest.iter().position(|&octet| !belongs(octet)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        taken
    }

    fn skip_spaces(&mut self) {
        self.take_while(|octet| octet == b' ');
    }

    fn skip_white_space(&mut self) {
        self.take_while(|octet| matches!(octet, b' ' | b'\t'));
    }

    /// Section 3.1.2: `( lcalpha / "*" ) *( lcalpha / DIGIT / "_" / "-" / "." / "*" )`.
    fn key(&mut self) -> Option<&'a [u8]> {
        let starts = |octet: u8| octet.is_ascii_lowercase() || octet == b'*';
        self.peek().filter(|&octet| starts(octet))?;
        Some(self.take_while(|octet| {
            starts(octet) || octet.is_ascii_digit() || matches!(octet, b'_' | b'-' | b'.')
        }))
    }

    /// An item or an inner list, without its parameters.
    fn member(&mut self) -> Option<Member<'a>> {
        if self.peek() == Some(b'(') {
            self.inner_list()?;
            return Some(Member::Other);
        }
        self.bare_item()
    }

    fn inner_list(&mut self) -> Option<()> {
        self.bump()?;
        loop {
            self.skip_spaces();
            if self.take(b')') {
                return Some(());
            }
            self.bare_item()?;
            self.parameters()?;
            if !matches!(self.peek()?, b' ' | b')') {
                return None;
            }
        }
    }

    fn parameters(&mut self) -> Option<()> {
        while self.take(b';') {
            self.skip_spaces();
            self.key()?;
            if self.take(b'=') {
                self.bare_item()?;
            }
        }
        Some(())
    }

    fn bare_item(&mut self) -> Option<Member<'a>> {
        match self.peek()? {
            b'-' | b'0'..=b'9' => self.number().map(|_| Member::Other),
            b'"' => self.string().map(|()| Member::Other),
            b'*' | b'A'..=b'Z' | b'a'..=b'z' => {
                Some(Member::Token(self.take_while(is_token_octet)))
            }
            b':' => self.byte_sequence().map(|()| Member::Other),
            b'?' => {
                self.bump();
                matches!(self.bump()?, b'0' | b'1').then_some(Member::Other)
            }
            b'@' => {
                self.bump();
                (self.number()? == Number::Integer).then_some(Member::Other)
            }
            b'%' => self.display_string().map(|()| Member::Other),
            _ => None,
        }
    }

    /// Section 4.2.4: at most 15 digits, or 12 and a fraction of 1 to 3.
    fn number(&mut self) -> Option<Number> {
        self.take(b'-');
        let whole = self.take_while(|octet| octet.is_ascii_digit()).len();
        if !self.take(b'.') {
            return (1..=15).contains(&whole).then_some(Number::Integer);
        }
        let fraction = self.take_while(|octet| octet.is_ascii_digit()).len();
        let fits = (1..=12).contains(&whole) && (1..=3).contains(&fraction);
        fits.then_some(Number::Decimal)
    }

    fn string(&mut self) -> Option<()> {
        self.bump()?;
        loop {
            match self.bump()? {
                b'"' => return Some(()),
                b'\\' => matches!(self.bump()?, b'"' | b'\\').then_some(())?,
                0x20..=0x7E => {}
                _ => return None,
            }
        }
    }

    /// Base64 between colons. Padding is optional, as section 4.2.7 permits.
    fn byte_sequence(&mut self) -> Option<()> {
        self.bump()?;
        let symbols = self
            .take_while(|octet| octet.is_ascii_alphanumeric() || matches!(octet, b'+' | b'/'))
            .len();
        let padding = self.take_while(|octet| octet == b'=').len();
        // Four symbols are three octets. Padding may be missing; a single symbol is not an octet.
        let decodes = match symbols % 4 {
            0 => padding == 0,
            1 => false,
            left => padding <= 4 - left,
        };
        (self.take(b':') && decodes).then_some(())
    }

    /// Section 4.2.10: `%"…"` with lower-case percent-encoding of UTF-8.
    fn display_string(&mut self) -> Option<()> {
        self.bump()?;
        self.take(b'"').then_some(())?;
        let mut decoded = Vec::new();
        loop {
            match self.bump()? {
                b'"' => return core::str::from_utf8(&decoded).is_ok().then_some(()),
                b'%' => {
                    let (high, low) = (lower_hex(self.bump()?)?, lower_hex(self.bump()?)?);
                    decoded.push(high << 4 | low);
                }
                octet @ 0x20..=0x7E => decoded.push(octet),
                _ => return None,
            }
        }
    }
}

#[derive(PartialEq)]
enum Number {
    Integer,
    Decimal,
}

fn lower_hex(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}

/// Section 3.3.4: `tchar`, `:` and `/`.
fn is_token_octet(octet: u8) -> bool {
    octet.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~:/".contains(&octet)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;

    /// The members as `key=token` or `key`, separated by spaces; `None` when it does not parse.
    fn read(text: &str) -> Option<String> {
        let text_of = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let mut shown = Vec::new();
        dictionary(text.as_bytes(), |key, member, _| {
            shown.push(match member {
                Member::Token(token) => alloc::format!("{}={}", text_of(key), text_of(token)),
                Member::Other => text_of(key),
            });
        })?;
        Some(shown.join(" "))
    }

    #[track_caller]
    fn check(text: &str, expected: Option<&str>) {
        assert_eq!(read(text).as_deref(), expected, "{text:?}");
    }

    #[test]
    fn members_in_order() {
        check("", Some(""));
        check("  ", Some(""));
        check("train-ai=n", Some("train-ai=n"));
        check("a=y\t,\t b=n", Some("a=y b=n"));
        check("a=y, b=x, a=n", Some("a=y b=x a=n"));
        check("a, b;x;y=1, *c.d_e=T/1:2", Some("a b *c.d_e=T/1:2"));
        check("a-1_b.*=y", Some("a-1_b.*=y"));
    }

    #[test]
    fn every_kind_of_value_is_read() {
        for value in [
            "1",
            "-12",
            "123456789012345",
            "1.5",
            "-123456789012.123",
            "\"a\\\"b\\\\\"",
            "?0",
            "?1",
            ":YQ==:",
            ":YQ:",
            ":YWI=:",
            ":YWJj:",
            "::",
            "@1659578233",
            "@-1",
            "%\"a %c3%a9\"",
            "(a 1 \"x\";p=?1)",
            "()",
            "( a  b )",
        ] {
            check(&alloc::format!("k={value};p=1; q"), Some("k"));
        }
    }

    #[test]
    fn one_mistake_makes_the_value_invalid() {
        for text in [
            "a=",
            "A=y",
            "a=y,",
            ",a",
            "a=y b=n",
            "1=y",
            "a==y",
            "a=y;",
            "a=y;P",
            "a=1.",
            "a=1.1234",
            "a=1234567890123456",
            "a=1234567890123.1",
            "a=-",
            "a=\"x",
            "a=\"\\x\"",
            "a=\"\u{7f}\"",
            "a=?2",
            "a=?",
            "a=:x",
            "a=:!:",
            "a=:Y:",
            "a=:YQ===:",
            "a=:YWJj=:",
            "a=:=:",
            "a=@1.5",
            "a=%x",
            "a=%\"%C3\"",
            "a=%\"%ff\"",
            "a=%\"x",
            "a=(",
            "a=(a\"b\")",
            "a=(a",
            "a={",
            "a=y\u{b}",
            "\ta=y",
            "a=\u{e9}",
        ] {
            check(text, None);
        }
    }
}
