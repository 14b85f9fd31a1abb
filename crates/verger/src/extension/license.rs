//! `License`: where the terms for using a site's content stand (REP-EXT-40, REP-EXT-41).

use alloc::vec::Vec;

use super::InvalidValue;
use super::record::{Record, RecordKind};
use super::records::values;
use crate::AsCrawler;
use crate::origin::is_scheme;
use crate::robots::Robots;
use crate::untrusted::is_bidirectional_control;

/// The address of a licence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct License<'r> {
    /// An absolute URI, as written.
    pub uri: &'r str,
}

impl<'r> License<'r> {
    /// Takes an absolute URI.
    ///
    /// # Errors
    ///
    /// When the value has no scheme, is not UTF-8, or has white space, control characters or
    /// bidirectional formatting in it.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::extension::License;
    ///
    /// assert_eq!(License::parse(b"https://shop.example/l.xml")?.uri, "https://shop.example/l.xml");
    /// assert!(License::parse(b"/l.xml").is_err());
    /// # Ok::<(), verger::extension::InvalidValue>(())
    /// ```
    pub fn parse(value: &'r [u8]) -> Result<Self, InvalidValue> {
        const EXPECTED: InvalidValue =
            InvalidValue::expected("an absolute URI such as `https://shop.example/license.xml`");
        let uri = core::str::from_utf8(value).map_err(|_| EXPECTED)?;
        let is_plain =
            |c: char| !c.is_whitespace() && !c.is_control() && !is_bidirectional_control(c);
        let (scheme, rest) = uri.split_once(':').ok_or(EXPECTED)?;
        if is_scheme(scheme.as_bytes()) && !rest.is_empty() && uri.chars().all(is_plain) {
            Ok(Self { uri })
        } else {
            Err(EXPECTED)
        }
    }
}

impl Robots {
    /// The licences that apply to a crawler: those of its groups; when they have none, those that
    /// stand before the first user-agent line.
    ///
    /// # Complexity
    ///
    /// One walk through the text and one selection of groups.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::Robots;
    ///
    /// let robots = Robots::parse(
    ///     "License: https://shop.example/all.xml\n\
    ///      User-agent: a\nLicense: https://shop.example/a.xml\nAllow: /\n\
    ///      User-agent: b\nAllow: /\n",
    /// );
    /// assert_eq!(robots.licenses("a")[0].uri, "https://shop.example/a.xml");
    /// assert_eq!(robots.licenses("b")[0].uri, "https://shop.example/all.xml");
    /// ```
    pub fn licenses<C: AsCrawler + ?Sized>(&self, crawler: &C) -> Vec<License<'_>> {
        let of_groups: Vec<_> =
            values(self.records_for(crawler), RecordKind::License, read).collect();
        if !of_groups.is_empty() {
            return of_groups;
        }
        let early = self.records().take_while(Record::is_before_agents);
        values(early, RecordKind::License, read).collect()
    }
}

fn read<'r>(record: &Record<'r>) -> Result<License<'r>, InvalidValue> {
    License::parse(record.value())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_licence_is_an_absolute_uri() {
        assert!(License::parse(b"https://h/l.xml").is_ok());
        assert!(License::parse(b"urn:example:licence").is_ok());
        for value in
            ["", "/l.xml", "h/l.xml", "https:", "1x:y", "https://h/a b", "a:\u{7f}", "a:\u{202e}b"]
        {
            assert!(License::parse(value.as_bytes()).is_err(), "{value}");
        }
        assert!(License::parse(b"a:\xff").is_err());
    }

    #[test]
    fn a_group_without_a_licence_has_those_of_the_file() {
        let robots = Robots::parse(
            "License: a:file\nSitemap: x\nLicense: none\n\
             User-agent: a\nCrawl-delay: 1\nLicense: a:group\nAllow: /\n\
             User-agent: b\nAllow: /\nLicense: none\n",
        );
        let of = |crawler| -> Vec<&str> {
            robots.licenses(crawler).iter().map(|license| license.uri).collect()
        };
        assert_eq!(of("a"), ["a:group"]);
        assert_eq!(of("b"), ["a:file"]);
        assert_eq!(of("c"), ["a:file"]);
    }
}
