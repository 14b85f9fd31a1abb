//! `Host`: the main mirror of a site, as Yandex took it until 2018 (REP-EXT-22).

use super::InvalidValue;
use super::record::RecordKind;
use super::records::values;
use crate::robots::Robots;

/// A host name, and a port where one is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Host<'r> {
    /// The name as written.
    pub name: &'r str,
    /// The port.
    pub port: Option<u16>,
}

impl<'r> Host<'r> {
    /// `name[:port]`.
    ///
    /// # Errors
    ///
    /// When it is anything else, as a URL.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::extension::Host;
    ///
    /// let host = Host::parse(b"shop.example:8080")?;
    /// assert_eq!((host.name, host.port), ("shop.example", Some(8080)));
    /// assert!(Host::parse(b"https://shop.example/").is_err());
    /// # Ok::<(), verger::extension::InvalidValue>(())
    /// ```
    pub fn parse(value: &'r [u8]) -> Result<Self, InvalidValue> {
        const EXPECTED: InvalidValue = InvalidValue::expected("a host such as `shop.example`");
        let value = core::str::from_utf8(value).map_err(|_| EXPECTED)?;
        let (name, port) = match value.split_once(':') {
            Some((name, port)) if port.bytes().all(|octet| octet.is_ascii_digit()) => {
                (name, Some(port.parse().map_err(|_| EXPECTED)?))
            }
            Some(_) => return Err(EXPECTED),
            None => (value, None),
        };
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '.' | '_');
        if name.is_empty() || !name.chars().all(is_part) {
            return Err(EXPECTED);
        }
        Ok(Self { name, port })
    }
}

impl Robots {
    /// The main mirror that the file names: its first `Host` (REP-EXT-22).
    ///
    /// # Complexity
    ///
    /// One walk through the text, up to the first `Host`.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::Robots;
    ///
    /// let robots = Robots::parse("User-agent: *\nDisallow:\nHost: shop.example\n");
    /// assert_eq!(robots.host().expect("it is named").name, "shop.example");
    /// ```
    pub fn host(&self) -> Option<Host<'_>> {
        values(self.records(), RecordKind::Host, |record| Host::parse(record.value())).next()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_or_without_port() {
        let parse = |value: &'static str| {
            Host::parse(value.as_bytes()).ok().map(|host| (host.name, host.port))
        };
        assert_eq!(parse("shop.example"), Some(("shop.example", None)));
        assert_eq!(parse("shop.example:8080"), Some(("shop.example", Some(8080))));
        assert_eq!(parse("магазин.example"), Some(("магазин.example", None)));
        for value in ["", "https://h", "a b", "h:", "h:x", "h:70000", ":80", "h/x"] {
            assert_eq!(parse(value), None, "{value}");
        }
        assert!(Host::parse(b"\xff").is_err());
    }

    #[test]
    fn the_first_valid_one_counts_wherever_it_stands() {
        let robots = Robots::parse("User-agent: a\nHost: a b\nHost: one\nDisallow:\nHost: two\n");
        assert_eq!(robots.host().map(|host| host.name), Some("one"));
        assert_eq!(Robots::parse("").host(), None);
    }
}
