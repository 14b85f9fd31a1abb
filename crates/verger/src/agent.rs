//! User-agent lines: their names, and the comparison of a name with a crawler's token.

use crate::Dialect;
use crate::dialect::{AgentMatch, AgentValue};
use crate::parse::{Piece, is_space};
use crate::search;

/// A name on a user-agent line, or in one part of a list on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Name<'t> {
    /// `*`: every crawler that no group names.
    Star,
    /// The token of a crawler, or a part of it.
    Token(Piece<'t>),
}

impl Name<'_> {
    /// Whether the name is that of a crawler with this token; `*` never is.
    pub(crate) fn is(self, token: &[u8], rule: AgentMatch) -> bool {
        match self {
            Self::Star => false,
            Self::Token(name) => addresses(name.bytes, token, rule),
        }
    }
}

/// REP-AMB-1: whether a name on a user-agent line addresses a crawler with this token.
pub(crate) fn addresses(name: &[u8], token: &[u8], rule: AgentMatch) -> bool {
    match rule {
        AgentMatch::WholeToken => name.eq_ignore_ascii_case(token),
        AgentMatch::NameInToken => search::contains_ignoring_case(token, name),
        AgentMatch::TokenInName => search::contains_ignoring_case(name, token),
    }
}

/// The names on a user-agent line, possibly none. There are several only if the dialect reads
/// lists.
#[inline]
pub(crate) fn names<'t>(value: Piece<'t>, dialect: &Dialect) -> Names<'t> {
    let reading = dialect.agent_value;
    let is_list = dialect.agent_lists && value.bytes.contains(&b',');
    let all = Names { rest: Some(value), reading, is_list };
    // REP-AMB-12: a list that contains `*` is `*`.
    if is_list && all.clone().any(|name| name == Name::Star) {
        return Names { rest: Some(Piece { bytes: b"*", ..value }), reading, is_list: false };
    }
    all
}

/// An iterator over the names of a line.
#[derive(Clone, Debug)]
pub(crate) struct Names<'t> {
    /// The unread part.
    rest: Option<Piece<'t>>,
    reading: AgentValue,
    is_list: bool,
}

impl<'t> Iterator for Names<'t> {
    type Item = Name<'t>;

    #[inline]
    fn next(&mut self) -> Option<Name<'t>> {
        while let Some(rest) = self.rest.take() {
            let part = if self.is_list { self.cut(rest) } else { rest };
            let name = read(part, self.reading);
            if name.is_some() {
                return name;
            }
        }
        None
    }
}

impl<'t> Names<'t> {
    /// The first part of a list.
    fn cut(&mut self, list: Piece<'t>) -> Piece<'t> {
        let Some(comma) = list.bytes.iter().position(|&byte| byte == b',') else {
            return list.trim();
        };
        self.rest = Some(list.slice(comma + 1, list.bytes.len()));
        list.slice(0, comma).trim()
    }
}

fn read(value: Piece<'_>, reading: AgentValue) -> Option<Name<'_>> {
    let bytes = value.bytes;
    match reading {
        AgentValue::Whole if bytes == b"*" => Some(Name::Star),
        AgentValue::Whole => Some(Name::Token(value)),
        // REP-AGENT-5, REP-AMB-27: `*` before white space is `*`; directly before text it names no
        // crawler.
        _ if bytes == b"*" || matches!(bytes, [b'*', space, ..] if is_space(*space)) => {
            Some(Name::Star)
        }
        // An empty run is also a name: the library compares it with an empty token.
        AgentValue::LeadingRun => Some(Name::Token(leading(value, is_token_octet))),
        AgentValue::FirstWord => {
            let word = leading(value, |octet| !ends_name(octet));
            (!word.bytes.is_empty()).then_some(Name::Token(word))
        }
    }
}

/// Whether an octet ends a name, if only the first word counts (REP-AMB-11).
pub(crate) const fn ends_name(octet: u8) -> bool {
    is_space(octet) || matches!(octet, b'/' | b',' | b';' | b'(' | b'*')
}

fn leading(value: Piece<'_>, belongs: impl Fn(u8) -> bool) -> Piece<'_> {
    let end = value.bytes.iter().position(|&octet| !belongs(octet));
    value.slice(0, end.unwrap_or(value.bytes.len()))
}

/// RFC 9309's alphabet of product tokens (REP-AGENT-1).
pub(crate) const fn is_token_octet(octet: u8) -> bool {
    octet.is_ascii_alphabetic() || matches!(octet, b'-' | b'_')
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;
    use alloc::vec::Vec;

    /// The names on a line, separated by `|`.
    #[track_caller]
    fn check(dialect: &Dialect, value: &str, expected: &str) {
        let value = Piece { bytes: value.as_bytes(), start: 0 };
        let found: Vec<String> = names(value, dialect)
            .map(|name| match name {
                Name::Star => "*".into(),
                Name::Token(piece) => String::from_utf8_lossy(piece.bytes).into_owned(),
            })
            .collect();
        assert_eq!(found.join("|"), expected);
    }

    #[test]
    fn lists_are_read_by_request() {
        let mut row = Dialect::RFC9309;
        row.agent_lists = true;
        check(&row, "f, g/2 ,,h", "f|g|h");
        check(&row, "f, *", "*");
        check(&row, "f", "f");
    }

    #[test]
    fn names_and_tokens_are_compared_in_the_direction_of_the_dialect() {
        use AgentMatch::{NameInToken, TokenInName, WholeToken};
        assert!(addresses(b"Foo", b"fOO", WholeToken));
        assert!(!addresses(b"Foo", b"FooBot", WholeToken));
        assert!(addresses(b"bot", b"RoBot", NameInToken));
        assert!(!addresses(b"robot", b"bot", NameInToken));
        assert!(addresses(b"superfig-tool", b"FIG", TokenInName));
        assert!(!addresses(b"fig", b"superfig", TokenInName));
        assert!(!addresses("\u{212a}".as_bytes(), b"k", WholeToken));
    }
}
