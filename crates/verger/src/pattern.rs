//! Patterns: `*`, `$`, and bounded matching without backtracking.
//!
//! # Flow
//!
//! A pattern is cut at its `*` into literals. The first literal must be at the start of the target;
//! each further one is taken at its first occurrence after the one before; a final `$` requires the
//! last literal at the end of the target. Taking the first occurrence is exact: every continuation
//! of a later occurrence is also possible after the first one.

use crate::Dialect;
use crate::percent::{Form, plain_start};
use crate::search::Searched;
use crate::text::Text;

/// A pattern in a dialect. It borrows the bytes of the file; nothing is copied.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pattern<'a> {
    /// Without the final `$` of an anchored pattern.
    body: &'a [u8],
    /// Whether a final `$` requires the end of the target.
    pub(crate) anchored: bool,
    wildcards: bool,
    form: Form,
}

impl<'a> Pattern<'a> {
    pub(crate) fn new(raw: &'a [u8], dialect: &Dialect) -> Self {
        let form = Form::of_pattern(dialect.normal_form);
        let wildcards = dialect.wildcards;
        // REP-MATCH-17: `$` is special only as the very last octet.
        let (body, anchored) = match raw {
            [body @ .., b'$'] if wildcards => (body, true),
            _ => (raw, false),
        };
        Self { body, anchored, wildcards, form }
    }

    /// REP-MATCH-30: for a pattern whose last segment begins with `index.htm`, the pattern that
    /// matches exactly the directory.
    pub(crate) fn directory_of_index(raw: &'a [u8], dialect: &Dialect) -> Option<Self> {
        let slash = raw.iter().rposition(|&byte| byte == b'/')?;
        let segment = &raw[slash + 1..];
        segment.starts_with(b"index.htm").then(|| Self {
            body: &raw[..=slash],
            anchored: true,
            ..Self::new(raw, dialect)
        })
    }

    /// The length of the normal form in octets, including operators (REP-MATCH-10 to REP-MATCH-12).
    pub(crate) fn len(self) -> usize {
        let length = if let Some(plain) = self.plain() {
            plain.len()
        } else {
            let stars = self.literals().count() - 1;
            self.literals().map(Text::len).sum::<usize>() + stars
        };
        length + usize::from(self.anchored)
    }

    /// Whether the pattern matches a target in normal form.
    ///
    /// # Complexity
    ///
    /// One pass over pattern and target; the cost of each literal after a star is that of
    /// [`Searched::after`].
    #[inline]
    pub(crate) fn matches(self, target: &mut Searched<'_>) -> bool {
        let text = target.text();
        // Most rules mismatch within a few octets, and most others end before an octet needs more
        // than one comparison.
        let mut plain = 0;
        for &octet in self.body {
            if !self.is_plain(octet) {
                let rest = Self { body: &self.body[plain..], ..self };
                return rest.matches_with_operators(&text[plain..], target);
            }
            if text.get(plain) != Some(&octet) {
                return false;
            }
            plain += 1;
        }
        !self.anchored || plain == text.len()
    }

    /// Whether an octet represents itself on both sides.
    #[inline]
    fn is_plain(self, octet: u8) -> bool {
        self.form.is_plain(octet) && octet != b'*'
    }

    /// The position of the first octet that is not plain.
    #[inline]
    fn other_start(self, text: &[u8]) -> Option<usize> {
        // If `matches` has stopped here, the first octet is not plain, and literals are short.
        let has_no_stride = text.len() < SHORT || !self.is_plain(text[0]);
        let plain = if has_no_stride { 0 } else { plain_start(text, |octet| self.is_plain(octet)) };
        text[plain..].iter().position(|&octet| !self.is_plain(octet)).map(|other| plain + other)
    }

    /// Whether it matches a rest of the target.
    fn matches_with_operators<'t>(self, mut rest: &'t [u8], target: &mut Searched<'t>) -> bool {
        let mut literals = self.literals();
        if let [b'*', after @ ..] = self.body
            && self.wildcards
        {
            // `matches` has compared the octets before the star. This saves a hundredth of a
            // one-shot answer.
            literals.rest = Some(after);
        } else if let Some(after) = literals.next().and_then(|first| first.stripped_from(rest)) {
            rest = after;
        } else {
            return false;
        }
        // The last literal after a star is held back: `$` requires it at the end.
        let mut last = None;
        for literal in literals {
            if let Some(literal) = last.replace(literal) {
                match literal.first_in(rest, target) {
                    Some(after) => rest = after,
                    None => return false,
                }
            }
        }
        match (last, self.anchored) {
            (None, false) => true,
            (None, true) => rest.is_empty(),
            (Some(last), false) => last.first_in(rest, target).is_some(),
            (Some(last), true) => last.ends(rest),
        }
    }

    /// The required beginning of a target, if the pattern is a plain prefix in normal form.
    pub(crate) fn plain(self) -> Option<&'a [u8]> {
        self.other_start(self.body).is_none().then_some(self.body)
    }

    /// The texts between the operators: at least one.
    pub(crate) const fn literals(self) -> Literals<'a> {
        Literals { rest: Some(self.body), pattern: self }
    }
}

/// Texts below this length are read octet by octet, because strides are slower for them.
const SHORT: usize = 12;

/// The texts between the operators of a pattern.
#[derive(Clone, Debug)]
pub(crate) struct Literals<'a> {
    /// The part after the last star that was read; `None` after the end.
    rest: Option<&'a [u8]>,
    pattern: Pattern<'a>,
}

impl<'a> Iterator for Literals<'a> {
    type Item = Text<'a>;

    #[inline]
    fn next(&mut self) -> Option<Text<'a>> {
        let Pattern { wildcards, form, .. } = self.pattern;
        let rest = self.rest?;
        // One comparison of each octet finds both the end of a text and octets that are not in
        // normal form.
        let other = self.pattern.other_start(rest);
        let (text, after) = match other.map(|other| (other, rest[other])) {
            None => (Text::Normal(rest), None),
            Some((star, b'*')) if wildcards => (Text::Normal(&rest[..star]), Some(star)),
            Some((other, _)) => {
                let is_star = |&octet: &u8| wildcards && octet == b'*';
                let star = rest[other..].iter().position(is_star).map(|star| other + star);
                (Text::new(&rest[..star.unwrap_or(rest.len())], form), star)
            }
        };
        self.rest = after.map(|star| &rest[star + 1..]);
        Some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::Target;

    #[track_caller]
    fn check(dialect: Dialect, pattern: &str, target: &str, expected: bool) {
        let pattern_read = Pattern::new(pattern.as_bytes(), &dialect);
        let found = Target::of_path(target.as_bytes(), dialect.normal_form)
            .in_normal_form(|target| pattern_read.matches(&mut Searched::new(target)));
        assert_eq!(found, expected, "{dialect:?}: {pattern:?} against {target:?}");
    }

    #[test]
    fn operators_are_literals_where_the_dialect_has_none() {
        check(Dialect::BOOK, "/a*b$", "/a*b$c", true);
        check(Dialect::BOOK, "/a*b$", "/axb", false);
        check(Dialect::ORIG1994, "/*.gif$", "/a.gif", false);
    }

    #[test]
    fn the_length_is_that_of_the_normal_form_with_operators() {
        let len = |dialect, raw: &str| Pattern::new(raw.as_bytes(), dialect).len();
        let rfc = &Dialect::RFC9309;
        assert_eq!(len(rfc, ""), 0);
        assert_eq!(len(rfc, "/*.htm"), 6);
        assert_eq!(len(rfc, "/fish$"), 6);
        assert_eq!(len(rfc, "/%62"), 2);
        assert_eq!(len(rfc, "/a$b c"), 10);
        assert_eq!(len(rfc, "/ツxx"), 12);
        assert_eq!(len(rfc, "/*****"), 6);
        assert_eq!(len(&Dialect::GOOGLE, "/a$b c"), 6);
        assert_eq!(len(&Dialect::GOOGLE, "/ツxx"), 12);
    }

    #[test]
    fn the_directory_of_an_index_page() {
        let google = &Dialect::GOOGLE;
        let of = |raw: &'static str| Pattern::directory_of_index(raw.as_bytes(), google);
        assert!(of("/d/index.html").expect("widens").matches(&mut Searched::new(b"/d/")));
        assert!(!of("/d/index.html").expect("widens").matches(&mut Searched::new(b"/d/x")));
        assert!(of("/*/index.htmfoo").expect("widens").matches(&mut Searched::new(b"/zz/")));
        assert_eq!(of("/d/index.htm").expect("widens").len(), 4);
        assert!(of("/d/xindex.html").is_none());
        assert!(of("/index.html/x").is_none());
        assert!(of("index.html").is_none());
    }
}
