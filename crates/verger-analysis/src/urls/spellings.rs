//! From patterns of octets in normal form to patterns of symbols: all ways to spell them.
//!
//! # Flow
//!
//! The positions in a pattern are nodes of a graph. A symbol leads from one position to another if
//! the pattern continues with its image; stars in the pattern may take some octets of the image, as
//! in the engine: `/*F` and `/%*F` match `/%2F`. A star also takes any number of whole symbols.
//! Each path to the end of the pattern is one way to spell it.

use crate::limits::SPELLINGS;
use crate::patterns::glob::{Glob, STAR, Token};
use crate::undecided::Undecided;

/// The images of the symbols in one dialect.
#[derive(Debug)]
pub(crate) struct Speller {
    /// Each symbol with its image: one octet, or three octets for an escape.
    images: Vec<(u8, Vec<u8>)>,
    /// For each octet, the positions of the images that begin with it.
    by_first: Vec<Vec<usize>>,
    /// The positions of the images with several octets.
    long: Vec<usize>,
}
/// A continuation of a partial spelling.
#[derive(Clone, Copy, Debug)]
struct PartialSpelling {
    /// The position in the pattern after the step.
    at: usize,
    /// The length of the spelling before the step.
    length: usize,
    symbol: Option<u8>,
}

impl Speller {
    /// Reads the image of each symbol; an empty one belongs to no symbol.
    pub(crate) fn new(images: Vec<Vec<u8>>) -> Self {
        let images: Vec<(u8, Vec<u8>)> =
            (0..=u8::MAX).zip(images).filter(|(_, image)| !image.is_empty()).collect();
        let mut by_first = vec![Vec::new(); 256];
        for (at, (_, image)) in images.iter().enumerate() {
            by_first[usize::from(image[0])].push(at);
        }
        let long = (0..images.len()).filter(|&at| images[at].1.len() > 1).collect();
        Self { images, by_first, long }
    }

    /// The patterns of symbols whose texts have the images that a pattern matches; it has these
    /// texts between its stars.
    ///
    /// # Errors
    ///
    /// If there are too many.
    pub(crate) fn globs(&self, texts: &[&[u8]], anchored: bool) -> Result<Vec<Glob>, Undecided> {
        let pattern = tokens(texts, anchored);
        let mut can_end = vec![false; pattern.len() + 1];
        can_end[pattern.len()] = true;
        for at in (0..pattern.len()).rev() {
            can_end[at] = self.next(&pattern, at).any(|(_, end)| can_end[end]);
        }
        let mut globs = Vec::new();
        let mut spelling: Vec<Token> = Vec::new();
        let mut steps = vec![PartialSpelling { at: 0, length: 0, symbol: None }];
        let mut ways = 0;
        while let Some(PartialSpelling { at, length, symbol }) = steps.pop() {
            spelling.truncate(length);
            spelling.extend(symbol.map(Some));
            if at == pattern.len() {
                ways += 1;
                if ways > SPELLINGS {
                    return Err(Undecided::TooManySpellings);
                }
                globs.extend(Glob::of_tokens(&spelling));
                continue;
            }
            if pattern[at] == STAR && spelling.last() != Some(&STAR) {
                spelling.push(STAR);
            }
            let length = spelling.len();
            let next = self.next(&pattern, at).filter(|&(_, end)| can_end[end]);
            steps.extend(next.map(|(symbol, at)| PartialSpelling { at, length, symbol }));
        }
        globs.sort_unstable();
        globs.dedup();
        Ok(globs)
    }

    /// The continuations from a position: a symbol and the position after it, or no symbol after a
    /// star.
    fn next<'p>(
        &'p self,
        pattern: &'p [Token],
        at: usize,
    ) -> impl Iterator<Item = (Option<u8>, usize)> + 'p {
        let (skipped, positions) = match pattern[at] {
            STAR => (Some((None, at + 1)), &*self.long),
            Some(octet) => (None, &*self.by_first[usize::from(octet)]),
        };
        let symbols = positions.iter().flat_map(move |&position| {
            let (symbol, image) = &self.images[position];
            let ends = ends(pattern, at, image).into_iter();
            // A whole symbol that a star takes is part of the star.
            ends.filter(move |&end| end > at).map(|end| (Some(*symbol), end))
        });
        skipped.into_iter().chain(symbols)
    }
}

/// The octets and stars of a pattern, without adjacent stars.
fn tokens(texts: &[&[u8]], anchored: bool) -> Vec<Token> {
    let mut tokens = Vec::new();
    for (at, text) in texts.iter().enumerate() {
        tokens.extend((at > 0).then_some(STAR));
        tokens.extend(text.iter().copied().map(Some));
    }
    tokens.extend((!anchored).then_some(STAR));
    tokens.dedup_by(|one, other| *one == STAR && *other == STAR);
    tokens
}

/// The positions after some octets, from a position in a pattern; a position before a star includes
/// the one after it.
fn ends(pattern: &[Token], at: usize, octets: &[u8]) -> Vec<usize> {
    let mut positions = vec![at];
    for &octet in octets {
        let mut next = Vec::new();
        for at in positions {
            match pattern.get(at) {
                Some(&STAR) => {
                    next.push(at);
                    if pattern.get(at + 1) == Some(&Some(octet)) {
                        next.push(at + 2);
                    }
                }
                Some(&wanted) if wanted == Some(octet) => next.push(at + 1),
                _ => {}
            }
        }
        next.sort_unstable();
        next.dedup();
        positions = next;
    }
    positions
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The patterns of a pattern, if `|` and `~` are also escaped: as in dialect `rfc9309`, where
    /// `|` is `%7C` and the escape of `~` is `~`. Symbol 1 is `%7C`, symbol 2 is `%7E`.
    #[track_caller]
    fn check(pattern: &str, expected: &[&str]) {
        let mut images = vec![Vec::new(); 256];
        for octet in b"/ab7C~".iter().copied() {
            images[usize::from(octet)] = vec![octet];
        }
        images[usize::from(b'|')] = b"%7C".to_vec();
        images[1] = b"%7C".to_vec();
        images[2] = b"~".to_vec();
        let (body, anchored) = match pattern.strip_suffix('$') {
            Some(body) => (body, true),
            None => (pattern, false),
        };
        let texts: Vec<&[u8]> = body.split('*').map(str::as_bytes).collect();
        let globs = Speller::new(images).globs(&texts, anchored).expect("few spellings");
        let mut found: Vec<String> = globs.iter().map(|glob| format!("{glob:?}")).collect();
        let mut expected = expected.to_vec();
        found.sort_unstable();
        expected.sort_unstable();
        assert_eq!(found, expected, "{pattern}");
    }

    #[test]
    fn octets_have_all_their_spellings() {
        check("/a", &["/a*"]);
        check("/~b$", &[r"/\x02b$", "/~b$"]);
        check("/%7C", &[r"/\x01*", "/|*"]);
        check("/x", &[]);
        check("/**$", &["/*"]);
        check("x*", &[]);
    }

    #[test]
    fn stars_end_within_escapes() {
        check("/*C", &[r"/*\x01*", "/*C*", "/*|*"]);
        check("/*7Cb$", &[r"/*\x01b$", "/*7Cb$", "/*|b$"]);
        check("/a%7", &[r"/a\x01*", "/a|*"]);
        check("/*7", &[r"/*\x01*", "/*7*", "/*|*"]);
        check("/*7$", &["/*7$"]);
        check("/a%7$", &[]);
    }

    #[test]
    fn an_escape_spans_several_texts() {
        let within = [r"/\x01$", "/|$"];
        let across = [r"/\x01*\x01$", r"/\x01*C$", r"/\x01*|$", r"/|*\x01$", "/|*C$", "/|*|$"];
        check("/%*C$", &[&within[..], &across].concat());
        check("/*%7*b$", &[r"/*\x01*b$", "/*|*b$"]);
    }

    #[test]
    fn too_many_spellings_are_an_error() {
        let mut images = vec![Vec::new(); 256];
        images[usize::from(b'/')] = b"/".to_vec();
        images[1] = b"a".to_vec();
        images[2] = b"a".to_vec();
        let speller = Speller::new(images);
        let text = [b"/", &*b"a".repeat(10)].concat();
        assert_eq!(speller.globs(&[&text], true).map(|globs| globs.len()), Ok(1_024));
        let text = [b"/", &*b"a".repeat(1_000)].concat();
        assert_eq!(speller.globs(&[&text], true), Err(Undecided::TooManySpellings));
    }
}
