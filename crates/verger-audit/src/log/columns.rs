//! The W3C extended format: a directive `#Fields:` has the names of its columns.

use super::escape::plus_as_space;
use super::fields::{Field, Named, Parts, named};

/// The columns of a log.
#[derive(Clone, Debug)]
pub(crate) struct Columns {
    pub(crate) name: &'static str,
    names: Vec<Option<Named>>,
}

/// The names of the variants with differences: `CloudFront` encodes each text, and others, such as
/// IIS, write `+` for spaces.
const CLOUDFRONT: &str = "CloudFront";
const OTHERS: &str = "W3C extended";

impl Columns {
    /// The columns of a directive.
    pub(crate) fn of(directive: &[u8]) -> Self {
        let text = String::from_utf8_lossy(directive).to_ascii_lowercase();
        let name = if text.contains("x-edge-") { CLOUDFRONT } else { OTHERS };
        let column = |text: &str| match named(text.as_bytes())? {
            // Of others, it is in milliseconds.
            Named::Part(Field::Seconds, _) if name != CLOUDFRONT => None,
            found => Some(found),
        };
        Self { name, names: text.split_ascii_whitespace().map(column).collect() }
    }

    /// Whether one of them has the target.
    pub(crate) fn has_target(&self) -> bool {
        self.names.iter().flatten().any(|it| it.is_target())
    }

    /// Reads the parts of a line; `None` if it has another number of columns.
    pub(crate) fn read<'l>(&self, line: &'l [u8], parts: &mut Parts<'l>) -> Option<()> {
        parts.is_of_cloudfront = self.name == CLOUDFRONT;
        // The format has `date` and `time` in UTC; the zone of other columns is unknown.
        parts.has_utc_clock = true;
        let separator = if line.contains(&b'\t') { b'\t' } else { b' ' };
        let mut texts = line.split(|byte| *byte == separator);
        for name in &self.names {
            let text = texts.next()?.into();
            match *name {
                Some(name @ Named::Header(_)) if self.name == OTHERS => {
                    parts.put(name, 0, plus_as_space(text));
                }
                Some(name) => parts.put(name, 0, text),
                None => {}
            }
        }
        if texts.next().is_some() {
            return None;
        }
        let is_status = |it: &[u8]| it.len() == 3 && it.iter().all(u8::is_ascii_digit);
        parts.value(Field::Status).is_none_or(is_status).then_some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target_and_agent(names: &str, line: &str) -> Option<(String, Option<String>)> {
        let columns = Columns::of(names.as_bytes());
        let mut parts = Parts::default();
        columns.read(line.as_bytes(), &mut parts)?;
        let found = parts.request()?;
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("UTF-8");
        Some((text(&found.target), found.user_agent.as_deref().map(text)))
    }

    #[test]
    fn the_fields_of_cloudfront_are_found_by_name() {
        let names = " date x-edge-location cs-uri-stem sc-status cs(User-Agent) cs-uri-query";
        let agent = Some("Bot/1 (x; 100%)".to_owned());
        for (line, expected) in [
            // Requested: /a%2Fb?q=%C3%A9%22
            (
                "1\tFRA2\t/a%252Fb\t200\tBot/1%20(x;%20100%25)\tq=%25C3%25A9%2522",
                Some(("/a%2Fb?q=%C3%A9%22".to_owned(), agent.clone())),
            ),
            // The header is encoded twice, and the path once, as in older records.
            (
                "1\tFRA2\t/a%2520b\t000\tBot/1%2520(x;%2520100%2525)\t-",
                Some(("/a%20b".to_owned(), agent)),
            ),
            // An octet that a URL cannot contain was not escaped in the request.
            ("1\tFRA2\t/%C3%A9\t200\t-\t-", Some(("/%C3%A9".to_owned(), None))),
            ("1\tFRA2\t/a\t200\t-", None),
            ("1\tFRA2\t/a\t200\t-\t-\t-", None),
            ("1\tFRA2\t/a\tOK\t-\t-", None),
        ] {
            assert_eq!(target_and_agent(names, line), expected, "{line}");
        }
        // Any order.
        assert_eq!(
            target_and_agent("cs-uri-query cs-uri-stem x-edge-location", "b\t/a\tFRA2"),
            Some(("/a?b".to_owned(), None))
        );
        assert!(!Columns::of(b"date time cs(User-Agent) sc-status").has_target());
    }
}
