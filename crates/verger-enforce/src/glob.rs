//! Patterns over the spellings of a text: which octets and escapes mean each part.

use std::collections::BTreeSet;

use crate::octets::{Spelt, is_encoded, is_unreserved};
use crate::pattern::Pattern;
use crate::request::Request;

/// The form of a text that is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// A raw target, or its query: spellings of an octet are equal if the normal form is.
    Raw,
    /// A path whose escapes are decoded.
    Decoded,
    /// A path whose escapes mean what they are decoded to.
    Escaped,
}

/// The spellings of a part of a pattern.
#[derive(Clone, Debug, Default)]
pub(crate) struct Class {
    /// Octets as themselves.
    pub(crate) octets: BTreeSet<u8>,
    /// Escaped octets.
    pub(crate) escapes: BTreeSet<u8>,
    /// A `%` that begins no escape.
    pub(crate) malformed: bool,
}

impl Class {
    /// The spellings of a part of the normal form.
    fn of(form: Form, part: Spelt) -> Self {
        let (octet, is_escape) = (part.octet(), matches!(part, Spelt::Escape(_)));
        let is_plain = match form {
            Form::Raw if is_escape => is_encoded(octet),
            Form::Raw => true,
            _ if is_escape => is_encoded(octet) || matches!(octet, b'%' | b'?' | b'#'),
            // The first `?` of a target ends its path.
            _ => octet != b'?',
        };
        // A `%` or `?` of an undecoded path is never that of a file's name.
        let is_literal = is_plain
            && (form == Form::Decoded || !is_escape || !matches!(octet, b'%' | b'?' | b'#'));
        let is_escaped = match form {
            Form::Raw => is_escape || is_unreserved(octet),
            Form::Decoded => false,
            Form::Escaped => is_plain,
        };
        Self {
            octets: is_literal.then_some(octet).into_iter().collect(),
            escapes: is_escaped.then_some(octet).into_iter().collect(),
            malformed: form != Form::Decoded && is_escape && octet == b'%',
        }
    }

    /// The spellings of all escapes in normal form for which a condition on the octet holds.
    fn of_escapes(form: Form, holds: impl Fn(u8) -> bool) -> Self {
        let octets = (0..=u8::MAX).filter(|&octet| !is_unreserved(octet) && holds(octet));
        octets.fold(Self::default(), |mut all, octet| {
            let one = Self::of(form, Spelt::Escape(octet));
            all.octets.extend(one.octets);
            all.escapes.extend(one.escapes);
            all.malformed |= one.malformed;
            all
        })
    }

    fn is_empty(&self) -> bool {
        self.octets.is_empty() && self.escapes.is_empty() && !self.malformed
    }

    fn has(&self, part: Spelt) -> bool {
        match part {
            Spelt::Plain(octet) => self.octets.contains(&octet),
            Spelt::Escape(octet) => self.escapes.contains(&octet),
            Spelt::Malformed => self.malformed,
        }
    }

    /// Whether an octet of it could be a digit of an escape, too.
    pub(crate) fn has_hex_digit(&self) -> bool {
        self.octets.iter().any(u8::is_ascii_hexdigit)
    }
}

/// A pattern over spellings.
#[derive(Clone, Debug)]
pub(crate) struct Glob {
    pub(crate) form: Form,
    pub(crate) start: Vec<Class>,
    /// After each star: the ways to spell a literal.
    pub(crate) parts: Vec<Vec<Vec<Class>>>,
    pub(crate) is_anchored: bool,
}

impl Glob {
    /// `None` if no text of this form matches.
    pub(crate) fn of(
        form: Form,
        start: &[Spelt],
        rest: &[&[Spelt]],
        is_anchored: bool,
    ) -> Option<Self> {
        let start = spellings(form, start)?;
        let mut parts = Vec::with_capacity(rest.len());
        for (at, literal) in rest.iter().enumerate() {
            let is_end = is_anchored && at + 1 == rest.len();
            if literal.is_empty() {
                // `*` at the end of a cut pattern: any rest.
                return Some(Self { form, start, parts, is_anchored: false });
            }
            let ways = ways(form, literal, is_end);
            if ways.is_empty() {
                return None;
            }
            parts.push(ways);
        }
        Some(Self { form, start, parts, is_anchored })
    }

    /// The octets that every matching text begins with, whatever their spelling.
    pub(crate) fn start_octets(&self) -> Vec<u8> {
        let octet = |class: &Class| class.octets.iter().chain(&class.escapes).next().copied();
        self.start.iter().filter_map(octet).collect()
    }

    /// Whether every text matches.
    pub(crate) const fn is_any(&self) -> bool {
        self.start.is_empty() && self.parts.is_empty() && !self.is_anchored
    }

    /// Whether a text matches.
    ///
    /// Each part is searched for after the one before: the first place leaves the longest rest.
    pub(crate) fn matches(&self, text: &[Spelt]) -> bool {
        let Some(mut at) = matched(&self.start, text, 0) else { return false };
        for (number, ways) in self.parts.iter().enumerate() {
            let is_end = self.is_anchored && number + 1 == self.parts.len();
            let ends = (at..=text.len())
                .flat_map(|from| ways.iter().filter_map(move |way| matched(way, text, from)));
            let found = ends.filter(|&end| !is_end || end == text.len()).min();
            let Some(end) = found else { return false };
            at = end;
        }
        !self.is_anchored || at == text.len()
    }
}

/// The end of a literal that begins at a place.
fn matched(literal: &[Class], text: &[Spelt], from: usize) -> Option<usize> {
    let place = text.get(from..from + literal.len())?;
    literal.iter().zip(place).all(|(class, &part)| class.has(part)).then_some(from + literal.len())
}

fn spellings(form: Form, literal: &[Spelt]) -> Option<Vec<Class>> {
    let classes = literal.iter().map(|&part| Class::of(form, part));
    classes.map(|class| (!class.is_empty()).then_some(class)).collect()
}

/// The ways to spell a literal after a star. Hex digits at its start can be digits of an escape,
/// because patterns are compared with the octets of the normal form: `*20x` matches `/%20x`.
fn ways(form: Form, literal: &[Spelt], is_end: bool) -> Vec<Vec<Class>> {
    let mut ways: Vec<_> = spellings(form, literal).into_iter().collect();
    let [first, rest @ ..] = literal else { return ways };
    let Some(high) = first.hex_digit() else { return ways };
    let mut add = |class: Class, rest: &[Spelt]| {
        let rest = spellings(form, rest).filter(|_| !class.is_empty());
        ways.extend(rest.map(|rest| [vec![class], rest].concat()));
    };
    match rest {
        [second, rest @ ..] => {
            if let Some(low) = second.hex_digit() {
                add(Class::of_escapes(form, |octet| octet == high << 4 | low), rest);
            }
        }
        // The digit after it belongs to the star.
        [] if !is_end => add(Class::of_escapes(form, |octet| octet >> 4 == high), rest),
        [] => {}
    }
    add(Class::of_escapes(form, |octet| octet & 15 == high), rest);
    ways
}

/// A condition on a request.
#[derive(Clone, Debug)]
pub(crate) enum Condition {
    /// On the raw target.
    Raw(Glob),
    /// On the path that the server would serve, and the query.
    Served { path: Glob, query: Query },
}

/// A condition on the query.
#[derive(Clone, Debug)]
pub(crate) enum Query {
    Any,
    Absent,
    Matches(Glob),
}

impl Condition {
    /// The conditions of which one is true if a pattern matches the raw target, or the served path
    /// with the query. Then there is one for each place of the pattern at which the query can
    /// begin.
    pub(crate) fn of(pattern: &Pattern, form: Form) -> Vec<Self> {
        let (start, rest) = cut(pattern);
        if form == Form::Raw {
            let glob = Glob::of(form, start, &rest, pattern.is_anchored);
            return glob.map(Self::Raw).into_iter().collect();
        }
        let path = |rest: &[&[Spelt]], start: &[Spelt], is_anchored| {
            Glob::of(form, start, rest, is_anchored)
        };
        let mut all = Vec::new();
        let mut add = |path: Option<Glob>, query: Option<Query>| {
            all.extend(path.zip(query).map(|(path, query)| Self::Served { path, query }));
        };
        let query = if pattern.is_anchored { Query::Absent } else { Query::Any };
        add(path(&rest, start, pattern.is_anchored), Some(query));
        let of_query = |start: &[Spelt], rest: &[&[Spelt]]| {
            Glob::of(Form::Raw, start, rest, pattern.is_anchored).map(Query::Matches)
        };
        for star in 0..rest.len() {
            add(path(&rest[..star], start, false), of_query(&[], &rest[star..]));
        }
        for (number, literal) in core::iter::once(start).chain(rest.iter().copied()).enumerate() {
            let is_mark = |part: &Spelt| *part == Spelt::Plain(b'?');
            for (at, _) in literal.iter().enumerate().filter(|(_, part)| is_mark(part)) {
                let (before, after) = (&literal[..at], &literal[at + 1..]);
                let later = &rest[number.min(rest.len())..];
                let path = match number.checked_sub(1) {
                    None => path(&[], before, true),
                    Some(earlier) => path(&[&rest[..earlier], &[before]].concat(), start, true),
                };
                add(path, of_query(after, later));
            }
        }
        all
    }

    /// The octets that the raw target or the served path begins with.
    pub(crate) fn start_octets(&self) -> Vec<u8> {
        match self {
            Self::Raw(glob) | Self::Served { path: glob, .. } => glob.start_octets(),
        }
    }

    /// Whether a request meets the condition.
    pub(crate) fn holds(&self, request: &Request) -> bool {
        match self {
            Self::Raw(glob) => glob.matches(&request.raw),
            Self::Served { path, query } => {
                let query = match (query, &request.query) {
                    (Query::Any, _) => true,
                    (Query::Absent, query) => query.is_none(),
                    (Query::Matches(glob), Some(query)) => glob.matches(query),
                    (Query::Matches(_), None) => false,
                };
                query
                    && path.matches(if path.form == Form::Decoded {
                        &request.decoded
                    } else {
                        &request.merged
                    })
            }
        }
    }
}

/// The text before the first star, and those after the stars.
fn cut(pattern: &Pattern) -> (&[Spelt], Vec<&[Spelt]>) {
    let rest = pattern.literals[1..].iter().map(Vec::as_slice).collect();
    (&pattern.literals[0], rest)
}
