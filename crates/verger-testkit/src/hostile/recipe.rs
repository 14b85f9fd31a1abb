//! Construction of hostile bytes: a short list of pieces, joined on demand.
//!
//! A recipe is small even if its bytes have twenty megabytes, so a table of all entries is cheap.

/// A recipe for bytes: pieces, joined in order.
#[derive(Clone, Debug, Default)]
pub struct Recipe(Vec<Piece>);

/// One piece of a [`Recipe`].
#[derive(Clone, Copy, Debug)]
pub enum Piece {
    /// These bytes.
    Text(&'static [u8]),
    /// These bytes, repeated.
    Repeat(&'static [u8], usize),
    /// The function's results for 0, 1, 2 …, up to a count.
    Each(usize, fn(usize) -> String),
    /// The function's result: encodings and other bytes without repetition.
    Made(fn() -> Vec<u8>),
}

impl Recipe {
    /// Builds the bytes.
    pub fn bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        for piece in &self.0 {
            match *piece {
                Piece::Text(text) => out.extend_from_slice(text),
                Piece::Repeat(text, times) => out.extend_from_slice(&text.repeat(times)),
                Piece::Each(times, write) => {
                    out.extend((0..times).flat_map(|index| write(index).into_bytes()));
                }
                Piece::Made(make) => out.extend(make()),
            }
        }
        out
    }

    /// Returns the pieces, for a message that should not print megabytes.
    pub fn pieces(&self) -> &[Piece] {
        &self.0
    }

    /// Returns this recipe followed by another.
    pub(super) fn then(mut self, next: impl Into<Self>) -> Self {
        self.0.append(&mut next.into().0);
        self
    }
}

impl From<&'static [u8]> for Recipe {
    fn from(text: &'static [u8]) -> Self {
        Self(vec![Piece::Text(text)])
    }
}

impl<const N: usize> From<&'static [u8; N]> for Recipe {
    fn from(text: &'static [u8; N]) -> Self {
        Self::from(text.as_slice())
    }
}

impl From<&'static str> for Recipe {
    fn from(text: &'static str) -> Self {
        Self::from(text.as_bytes())
    }
}

impl From<Piece> for Recipe {
    fn from(piece: Piece) -> Self {
        Self(vec![piece])
    }
}

/// Returns the recipe for one text.
pub(super) fn text(text: impl Into<Recipe>) -> Recipe {
    text.into()
}

/// Returns the recipe for a text repeated.
pub(super) fn repeat(text: &'static [u8], times: usize) -> Recipe {
    Piece::Repeat(text, times).into()
}

/// Returns the recipe for a text written for each number below `times`.
pub(super) fn each(times: usize, write: fn(usize) -> String) -> Recipe {
    Piece::Each(times, write).into()
}

/// Returns the recipe that calls a function for the bytes.
pub(super) fn made(make: fn() -> Vec<u8>) -> Recipe {
    Piece::Made(make).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_joined_in_order() {
        let recipe = text("a").then(repeat(b"bc", 2)).then(each(3, |i| format!("{i};")));
        assert_eq!(recipe.then(made(|| vec![0xff])).bytes(), b"abcbc0;1;2;\xff");
    }
}
