//! The fresh letter: a symbol that no pattern contains, in place of any text.

use crate::limits::READABLE_LETTERS;
use crate::patterns::glob::Glob;

/// The symbols that some patterns contain.
#[derive(Clone, Debug)]
pub(crate) struct Symbols([bool; 256]);

impl Symbols {
    pub(crate) fn of<'g>(globs: impl IntoIterator<Item = &'g Glob>) -> Self {
        let mut symbols = Self([false; 256]);
        for glob in globs {
            symbols.add(glob);
        }
        symbols
    }

    pub(crate) fn add(&mut self, glob: &Glob) {
        for &symbol in glob.symbols() {
            self.0[usize::from(symbol)] = true;
        }
    }

    /// The symbols of both.
    #[must_use]
    pub(crate) fn and(mut self, other: &Self) -> Self {
        self.0.iter_mut().zip(other.0).for_each(|(used, other)| *used |= other);
        self
    }

    /// The unused symbol that reads best; `None` if all are used.
    pub(crate) fn fresh(&self) -> Option<u8> {
        BY_READABILITY.iter().copied().find(|&symbol| !self.0[usize::from(symbol)])
    }
}

/// Octets that represent themselves in the path and the query of every URL and in every normal
/// form, the most readable ones first: letters that look like a placeholder, other letters, digits,
/// marks. Without the dot: a segment of dots is not a name.
const BY_READABILITY: &[u8] =
    b"xzqwkjvybghfmpdculnrstioaeXZQWKJVYBGHFMPDCULNRSTIOAE1234567890-_~!,;:@()+=&";

/// Replaces a symbol that reads badly by a better one, if `is_same` confirms that the answer is the
/// same.
pub(crate) fn readable(
    text: Vec<u8>,
    fresh: u8,
    mut is_same: impl FnMut(&[u8]) -> bool,
) -> Vec<u8> {
    if fresh.is_ascii_lowercase() || !text.contains(&fresh) {
        return text;
    }
    for &better in &BY_READABILITY[..READABLE_LETTERS] {
        let replaced: Vec<u8> =
            text.iter().map(|&symbol| if symbol == fresh { better } else { symbol }).collect();
        if is_same(&replaced) {
            return replaced;
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::patterns::glob::tests::globs;

    #[test]
    fn the_most_readable_unused_symbol_is_fresh() {
        assert_eq!(Symbols::of(&globs("/a*b$")).fresh(), Some(b'x'));
        assert_eq!(Symbols::of(&globs("/xyz")).fresh(), Some(b'q'));
        let all = String::from_utf8(BY_READABILITY.to_vec()).expect("ASCII");
        let symbols = Symbols::of(&globs(&format!("/{all}")));
        assert_eq!(symbols.fresh(), None);
        assert_eq!(Symbols::of([]).and(&symbols).fresh(), None);
    }

    #[test]
    fn a_badly_readable_symbol_is_replaced_if_the_answer_remains() {
        assert_eq!(readable(b"/a~".to_vec(), b'~', |text| text == b"/az"), b"/az");
        assert_eq!(readable(b"/a~".to_vec(), b'~', |_| false), b"/a~");
        assert_eq!(readable(b"/aq".to_vec(), b'q', |_| true), b"/aq");
    }
}
