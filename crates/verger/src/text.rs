//! Texts in normal form, and the three comparisons that patterns are made of.

use crate::limits;
use crate::percent::{Form, Octets};
use crate::search;

/// A text in normal form: as it stands where it is normal already, else read octet by octet.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Text<'a> {
    Normal(&'a [u8]),
    Read(Octets<'a>),
}

impl<'a> Text<'a> {
    pub(crate) fn new(raw: &'a [u8], form: Form) -> Self {
        if form.is_normal(raw) { Self::Normal(raw) } else { Self::Read(Octets::new(raw, form)) }
    }

    pub(crate) fn octets(self) -> Octets<'a> {
        match self {
            Self::Normal(text) => Octets::normal(text),
            Self::Read(octets) => octets,
        }
    }

    pub(crate) fn len(self) -> usize {
        match self {
            Self::Normal(text) => text.len(),
            Self::Read(octets) => octets.count(),
        }
    }

    pub(crate) fn is_empty(self) -> bool {
        self.octets().next().is_none()
    }

    /// What follows a literal that stands at the start.
    pub(crate) fn strip_prefix(self, literal: Text<'_>) -> Option<Self> {
        if let (Self::Normal(text), Text::Normal(literal)) = (self, literal) {
            return text.strip_prefix(literal).map(Self::Normal);
        }
        let mut rest = self.octets();
        literal.octets().all(|octet| rest.next() == Some(octet)).then_some(Self::Read(rest))
    }

    /// What follows the first occurrence of a literal.
    pub(crate) fn after_first(self, literal: Text<'_>) -> Option<Self> {
        match (self, literal) {
            // Between doubled stars.
            (text, Text::Normal([])) => Some(text),
            (Self::Normal(text), Text::Normal(literal)) => {
                search::find_end(text, literal).map(|end| Self::Normal(&text[end..]))
            }
            (Self::Normal(text), Text::Read(octets)) => {
                let mut buffer = [0; limits::LITERAL_BYTES];
                match octets.written(&mut buffer) {
                    Some(literal) => {
                        search::find_end(text, literal).map(|end| Self::Normal(&text[end..]))
                    }
                    None => search::find_octets(self.octets(), octets).map(Self::Read),
                }
            }
            _ => search::find_octets(self.octets(), literal.octets()).map(Self::Read),
        }
    }

    pub(crate) fn ends_with(self, literal: Text<'_>) -> bool {
        if let (Self::Normal(text), Text::Normal(literal)) = (self, literal) {
            return text.ends_with(literal);
        }
        let before = self.len().checked_sub(literal.len());
        before.is_some_and(|before| self.octets().skip(before).eq(literal.octets()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::NormalForm;
    use alloc::string::String;

    const FORM: Form = Form::of_target(NormalForm::Rfc9309);

    #[test]
    fn a_read_text_and_a_normal_one_are_the_same_text() {
        assert!(matches!(Text::new(b"/abc", FORM), Text::Normal(_)));
        assert!(matches!(Text::new(b"/%61bc", FORM), Text::Read(_)));
        assert!(Text::new(b"/%61bc", FORM).octets().eq(Text::new(b"/abc", FORM).octets()));
    }

    #[test]
    fn comparisons_do_not_depend_on_how_a_text_is_kept() {
        let texts = [&b"/abcabc"[..], b"/%61bc%61bc"].map(|raw| Text::new(raw, FORM));
        let literals = [&b"bc"[..], b"%62c"].map(|raw| Text::new(raw, FORM));
        for text in texts {
            assert_eq!(text.len(), 7);
            assert!(!text.is_empty());
            for literal in literals {
                let rest: String = text
                    .after_first(literal)
                    .map(|rest| rest.octets().map(char::from).collect())
                    .unwrap_or_default();
                assert_eq!(rest, "abc");
                assert!(text.ends_with(literal) && text.strip_prefix(literal).is_none());
            }
            let too_long = "%62".repeat(limits::LITERAL_BYTES + 1);
            assert!(text.after_first(Text::new(too_long.as_bytes(), FORM)).is_none());
            let longer = Text::new(b"x/%61bcabc", FORM);
            assert!(!text.ends_with(longer) && text.after_first(longer).is_none());
            let start = Text::new(b"/%61", FORM);
            assert_eq!(text.strip_prefix(start).map(Text::len), Some(5));
        }
    }
}
