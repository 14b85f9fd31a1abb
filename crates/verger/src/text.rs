//! Texts in normal form, and the three comparisons with a target from which pattern matching is
//! built.

use alloc::vec::Vec;

use crate::limits;
use crate::percent::{Form, Octets};
use crate::search::Searched;

/// A text in normal form: unchanged if it is already normal, else read octet by octet.
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

    /// The rest of a target after this text at its start.
    pub(crate) fn stripped_from(self, target: &[u8]) -> Option<&[u8]> {
        match self {
            Self::Normal(text) => target.strip_prefix(text),
            Self::Read(octets) => {
                let mut rest = target.iter();
                let matches = octets.into_iter().all(|octet| rest.next() == Some(&octet));
                matches.then_some(rest.as_slice())
            }
        }
    }

    /// The text after the first occurrence of this text in a rest of a target.
    pub(crate) fn first_in<'t>(
        self,
        rest: &'t [u8],
        target: &mut Searched<'t>,
    ) -> Option<&'t [u8]> {
        let mut after = |text: &[u8]| target.after(rest, text);
        match self {
            // Between doubled stars.
            Self::Normal([]) => Some(rest),
            Self::Normal(text) => after(text),
            Self::Read(octets) => match octets.written(&mut [0; limits::LITERAL_BYTES]) {
                Some(text) => after(text),
                None => after(&octets.collect::<Vec<u8>>()),
            },
        }
    }

    /// Whether a target ends with this text.
    pub(crate) fn ends(self, target: &[u8]) -> bool {
        match self {
            Self::Normal(text) => target.ends_with(text),
            Self::Read(octets) => {
                let before = target.len().checked_sub(self.len());
                before.is_some_and(|before| octets.eq(target[before..].iter().copied()))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::NormalForm;

    const FORM: Form = Form::of_target(NormalForm::Rfc9309);

    #[test]
    fn a_text_read_in_normal_form_equals_a_normal_one() {
        assert!(matches!(Text::new(b"/abc", FORM), Text::Normal(_)));
        assert!(matches!(Text::new(b"/%61bc", FORM), Text::Read(_)));
        assert!(Text::new(b"/%61bc", FORM).octets().eq(Text::new(b"/abc", FORM).octets()));
    }

    #[test]
    fn comparisons_do_not_depend_on_the_representation() {
        let target = b"/abcabc";
        for raw in [&b"bc"[..], b"%62c"] {
            let text = Text::new(raw, FORM);
            assert_eq!(text.len(), 2);
            assert_eq!(text.first_in(target, &mut Searched::new(target)), Some(&b"abc"[..]));
            assert_eq!(text.first_in(b"/b", &mut Searched::new(b"/b")), None);
            assert!(text.ends(target) && !text.ends(b"/bc/") && !text.ends(b"c"));
            assert_eq!(text.stripped_from(target), None);
            assert_eq!(text.stripped_from(b"bcd"), Some(&b"d"[..]));
            assert_eq!(text.stripped_from(b"b"), None);
        }
        let long = "%62".repeat(limits::LITERAL_BYTES + 1);
        let long = Text::new(long.as_bytes(), FORM);
        assert_eq!(long.first_in(target, &mut Searched::new(target)), None);
        let text = [&[b'b'; limits::LITERAL_BYTES + 1][..], b"x"].concat();
        assert_eq!(long.first_in(&text, &mut Searched::new(&text)), Some(&b"x"[..]));
    }
}
