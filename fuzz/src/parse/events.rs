//! The events of the parser: one for each line, with correct positions.

use verger::dialect::Spellings;
use verger::parse::{Event, Field, Piece, Spelling};
use verger::{Dialect, Robots, RuleKind, Span};

use crate::input::is_space;

/// The events of a text.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// The line of each event, in order.
    pub(super) lines: Vec<Span>,
    /// The values of user-agent lines.
    pub(super) agents: Vec<Span>,
    /// The keys and values of all other records.
    pub(super) records: Vec<(Span, Span)>,
}

struct Watch<'t> {
    text: &'t [u8],
    dialect: Dialect,
    seen: Seen,
}

/// Checks the events of a text by their documentation.
pub(super) fn check(robots: &Robots) -> Seen {
    let (text, dialect) = (robots.text(), robots.dialect());
    let mut watch = Watch { text, dialect, seen: Seen::default() };
    for event in robots.events() {
        watch.event(event);
    }
    let start = watch.seen.lines.first().map_or(text.len(), |line| line.start);
    assert_eq!(watch.seen.lines, lines(text, start), "{dialect}");
    watch.seen
}

/// The lines of a text (REP-SYNTAX-4, REP-SYNTAX-5), without their ends.
pub(super) fn lines(text: &[u8], from: usize) -> Vec<Span> {
    let mut lines = Vec::new();
    let mut start = from;
    while start < text.len() {
        let mut end = start;
        while end < text.len() && text[end] != b'\n' && text[end] != b'\r' {
            end += 1;
        }
        lines.push(Span { start, end });
        start = end + if text[end..].starts_with(b"\r\n") { 2 } else { 1 };
    }
    lines
}

impl Watch<'_> {
    /// A piece equals the text at its position.
    fn piece(&self, piece: Piece<'_>) -> Span {
        let span = piece.span();
        assert_eq!(self.text.get(span.range()), Some(piece.bytes), "{}", self.dialect);
        span
    }

    fn line(&mut self, line: Piece<'_>) {
        let span = self.piece(line);
        self.seen.lines.push(span);
    }

    /// A key and a value: parts of their line, in order, trimmed, with one separator between them.
    fn field(&mut self, field: &Field<'_>) {
        self.line(field.line);
        let (key, value) = (self.piece(field.key), self.piece(field.value));
        let line = field.line.span();
        let dialect = self.dialect;
        assert!(line.start <= key.start && key.end <= value.start && value.end <= line.end);
        assert!(!key.is_empty(), "{dialect}: a record without a key");
        for bytes in [field.key.bytes, field.value.bytes] {
            let ends = [bytes.first(), bytes.last()];
            assert!(!ends.into_iter().flatten().any(is_space), "{dialect}: not trimmed");
            assert!(!bytes.contains(&b'#'), "{dialect}: a comment");
        }
        assert!(!field.key.bytes.contains(&b':'), "{dialect}: not the first colon");

        let text = self.text;
        let between = &text[key.end..value.start];
        let colons = between.split(|&octet| octet == b':').count() - 1;
        let spaces = between.iter().filter(|&octet| is_space(octet)).count();
        assert_eq!(colons + spaces, between.len(), "{dialect}: more than a separator");
        if field.colon_missing {
            assert!(dialect.missing_colon && colons == 0 && spaces > 0, "{dialect}");
            assert!(!field.value.bytes.contains(&b':'), "{dialect}: there is a colon");
        } else {
            assert_eq!(colons, 1, "{dialect}");
        }

        let before = &text[line.start..key.start];
        assert!(before.iter().all(is_space), "{dialect}: something before the key");
        let end = dialect.line_limit.map_or(line.end, |limit| line.end.min(line.start + limit));
        assert!(value.end <= end, "{dialect}: beyond the line limit");
        let after = &text[value.end..end];
        // REP-AMB-21: NULs at the end of a line are removed.
        let is_dropped = |octet: &u8| is_space(octet) || *octet == 0 && !dialect.nul_ends_line;
        let rest = after.iter().find(|octet| !is_dropped(octet));
        let is_comment = rest == Some(&b'#') || rest == Some(&0) && dialect.nul_ends_line;
        assert!(rest.is_none() || is_comment, "{dialect}: the value goes on");
        if dialect.nul_ends_line {
            assert!(!text[line.start..value.end].contains(&0), "{dialect}: NUL");
        }

        let is_accepted = match field.spelling {
            Spelling::Exact => true,
            Spelling::Typo => dialect.spellings != Spellings::Exact,
            _ => dialect.spellings == Spellings::Prefixes,
        };
        assert!(is_accepted, "{dialect}: {:?}", field.spelling);
    }

    fn is_oversized(&self, field: &Field<'_>) -> bool {
        let characters = field.value.bytes.iter().filter(|&&octet| octet & 0xC0 != 0x80).count();
        self.dialect.rule_limit.is_some_and(|limit| characters > limit)
    }
}

impl Watch<'_> {
    fn event(&mut self, event: Event<'_>) {
        let dialect = self.dialect;
        match event {
            Event::UserAgent(field) => {
                self.field(&field);
                self.seen.agents.push(field.value.span());
            }
            Event::Rule(kind, field) => {
                self.field(&field);
                assert!(!self.is_oversized(&field), "{dialect}");
                assert!(kind == RuleKind::Disallow || dialect.allow, "{dialect}");
            }
            Event::OversizedRule(field) => {
                self.field(&field);
                assert!(self.is_oversized(&field), "{dialect}");
            }
            Event::Sitemap(field) | Event::Other(field) => {
                self.field(&field);
                self.seen.records.push((field.key.span(), field.value.span()));
            }
            Event::Blank(line) => {
                self.line(line);
                let is_dropped = |octet: &u8| is_space(octet) || *octet == 0;
                assert!(self.content(line).iter().all(is_dropped), "{dialect}");
            }
            Event::Comment(line) => {
                self.line(line);
                // NULs before it are at the end of the content (REP-AMB-21).
                let content = self.content(line);
                let first = content.iter().find(|octet| !is_space(octet) && **octet != 0);
                assert_eq!(first, Some(&b'#'), "{dialect}");
            }
            Event::Junk(line) => {
                self.line(line);
                let content = self.content(line);
                let first = content.iter().find(|octet| !is_space(octet));
                assert!(!matches!(first, None | Some(b'#')), "{dialect}");
                let record = content.split(|&octet| octet == b'#').next().unwrap_or_default();
                assert!(first == Some(&b':') || !record.contains(&b':'), "{dialect}");
            }
            _ => panic!("{dialect}: an unknown event"),
        }
    }
}

impl Watch<'_> {
    /// The content of a line (REP-SYNTAX-6, REP-SYNTAX-7).
    fn content<'t>(&self, line: Piece<'t>) -> &'t [u8] {
        let limit = self.dialect.line_limit.unwrap_or(usize::MAX).min(line.bytes.len());
        let kept = &line.bytes[..limit];
        let nul = kept.iter().position(|&octet| octet == 0).filter(|_| self.dialect.nul_ends_line);
        &kept[..nul.unwrap_or(limit)]
    }
}
