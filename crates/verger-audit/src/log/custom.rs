//! A format by a `log_format` of nginx.

use std::ops::Range;

use memchr::memchr_iter;
use verger::Untrusted;

use super::escape::unescaped;
use super::fields::{Field, Named, Parts, named};
use crate::limits::QUOTED_BYTES;

/// Variables with texts between them.
#[derive(Clone, Debug)]
pub(crate) struct Template {
    /// The text before the first variable.
    pub(crate) start: Vec<u8>,
    /// Variables, and the text after each.
    variables: Vec<(Option<Named>, Vec<u8>)>,
}

impl Template {
    /// Reads the text of a format.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let mut parts = text.split('$');
        let start = parts.next().unwrap_or_default().as_bytes().to_vec();
        let mut variables: Vec<(Option<Named>, Vec<u8>)> = Vec::new();
        let expected = |what: &str, found: &str| {
            let found = Untrusted::new(found).limited_to(QUOTED_BYTES).quoted();
            Err(format!("expected {what}, but found {found}"))
        };
        for part in parts {
            if variables.last().is_some_and(|(_, after)| after.is_empty()) {
                return expected("text between two variables", text);
            }
            let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let (name, after) = match part.strip_prefix('{') {
                Some(braced) => braced.split_once('}').unwrap_or((braced, "")),
                None => part.split_at(part.find(|c| !is_name(c)).unwrap_or(part.len())),
            };
            // `$uri` is decoded, and the server can have rewritten it.
            let name = named(name.as_bytes()).filter(|_| name != "uri");
            variables.push((name, after.as_bytes().to_vec()));
        }
        let is_target = |(name, _): &(Option<Named>, Vec<u8>)| {
            name.is_some_and(|it| it.is_target() || matches!(it, Named::Part(Field::Line, _)))
        };
        if !variables.iter().any(is_target) {
            return expected("a format with `$request` or `$request_uri`", text);
        }
        Ok(Self { start, variables })
    }

    /// Reads the parts of a line; `None` if it does not fit, or fits in two ways.
    pub(crate) fn read_line<'l>(&self, line: &'l [u8], parts: &mut Parts<'l>) -> Option<()> {
        let line = line.strip_prefix(&*self.start)?;
        let (last, others) = self.variables.split_last()?;
        let end = line.strip_suffix(&*last.1)?.len();
        // From the left, values are as short as possible, and from the right as long as possible:
        // only one reading has both.
        let (mut short, mut long) = (Vec::new(), Vec::new());
        let (mut left, mut right) = (0, end);
        for (_, after) in others {
            let stop = places(line, left..end, after).next()?;
            short.push(left..stop);
            left = stop + after.len();
        }
        short.push(left..end);
        for (_, after) in others.iter().rev() {
            let stop = places(line, 0..right, after).next_back()?;
            long.push(stop + after.len()..right);
            right = stop;
        }
        long.push(0..right);
        for (((name, _), short), long) in self.variables.iter().zip(short).zip(long.iter().rev()) {
            let Some(name) = *name else { continue };
            let is =
                |fields: &[Field]| matches!(name, Named::Part(field, _) if fields.contains(&field));
            let is_sure =
                short.start == long.start && (short.end == long.end || is(&WITHOUT_SPACES));
            let value = unescaped(line.get(short)?);
            if is_sure && (value.len() == 3 || !is(&[Field::Status])) {
                parts.put(name, 0, value);
            } else if !is(&[Field::Bytes, Field::Sent]) {
                return None;
            }
        }
        Some(())
    }
}

/// Fields that the server writes, and that contain no separator. Others can follow that are not
/// read.
const WITHOUT_SPACES: [Field; 6] =
    [Field::Status, Field::Bytes, Field::Sent, Field::Seconds, Field::Peer, Field::Port];

/// The places of a text, which is not empty, in a range of a line, except of escaped quotation
/// marks.
fn places<'l>(
    line: &'l [u8],
    range: Range<usize>,
    text: &'l [u8],
) -> impl DoubleEndedIterator<Item = usize> {
    let part = line.get(range.clone()).unwrap_or_default();
    let is_escaped =
        |at: usize| line[..at].iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 1;
    let all = memchr_iter(text[0], part).filter(|at| part[*at..].starts_with(text));
    all.map(move |at| range.start + at).filter(move |at| text[0] != b'"' || !is_escaped(*at))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(format: &str, line: &str) -> Option<(String, Option<String>, Option<u16>)> {
        let mut parts = Parts::default();
        Template::read(format).expect("a format").read_line(line.as_bytes(), &mut parts)?;
        let found = parts.request()?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Some((text(&found.target), found.user_agent.as_deref().map(text), found.status))
    }

    #[test]
    fn lines_are_read_by_their_template() {
        let bars = "$remote_addr|$time_iso8601|$http_user_agent|$status|$request_uri";
        let quotes = r#""$http_user_agent" $status "$request" ${request_time}s"#;
        for (format, line, expected) in [
            (
                bars,
                "192.0.2.1|2026-03-01T22:23:00+01:00|Bot/1 (x)|200|/a",
                Some(("/a", Some("Bot/1 (x)"))),
            ),
            (bars, "192.0.2.1|t|-|200|/a", Some(("/a", None))),
            // A client that writes fields of its own.
            (bars, "192.0.2.1|t|Bot/1|200|/open|200|/closed", None),
            (bars, "192.0.2.1|t|Bot/1|200", None),
            (bars, "192.0.2.1|t|Bot/1|2000|/a", None),
            (
                quotes,
                r#""x \" 200 \"GET /b" 200 "GET /a HTTP/1.1" 0.1s"#,
                Some(("/a", Some(r#"x " 200 "GET /b"#))),
            ),
            (quotes, r#""x\\" 200 "GET /\x22 HTTP/1.1" 0.1s"#, Some(("/\"", Some(r"x\")))),
            (quotes, r#""x" 200 "GET /a HTTP/1.1" 0.1"#, None),
            // What is not read may be read in two ways.
            (
                r#""$request" $status $upstream_a $upstream_b"#,
                r#""GET /a HTTP/1.1" 200 0.1, 0.2 0.3"#,
                Some(("/a", None)),
            ),
            (
                r#"{"r":"$request","s":"$status"}"#,
                r#"{"r":"GET /\",\"s\":\"404 HTTP/1.1","s":"200"}"#,
                Some((r#"/","s":"404"#, None)),
            ),
        ] {
            let expected = expected.map(|(a, b): (&str, Option<&str>)| {
                (a.to_owned(), b.map(str::to_owned), Some(200))
            });
            assert_eq!(read(format, line), expected, "{format}\n{line}");
        }
    }

    #[test]
    fn a_format_needs_a_target_and_separators() {
        for (format, error) in [
            (
                "$remote_addr$request",
                "expected text between two variables, but found `$remote_addr$request`",
            ),
            (
                "$status $uri",
                "expected a format with `$request` or `$request_uri`, but found `$status $uri`",
            ),
            ("", "expected a format with `$request` or `$request_uri`, but found ``"),
        ] {
            assert_eq!(Template::read(format).err().as_deref(), Some(error), "{format}");
        }
    }
}
