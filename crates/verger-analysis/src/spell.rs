//! From patterns of octets in normal form to patterns of symbols: all ways to spell them.

use crate::glob::Glob;
use crate::limits::SPELLINGS;
use crate::undecided::Undecided;

/// The images of the symbols in one dialect.
#[derive(Debug)]
pub(crate) struct Speller {
    /// Each symbol with its image: one octet, or three octets for an escape.
    images: Vec<(u8, Vec<u8>)>,
    /// For each octet, the positions of the images that begin with it.
    by_first: Vec<Vec<usize>>,
}

/// A part of a text that is spelt: the end of the part, and the length of the spelling before it.
#[derive(Clone, Copy, Debug)]
struct Step {
    end: usize,
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
        Self { images, by_first }
    }

    /// The patterns of symbols whose texts have the images that a pattern matches; it has these
    /// texts between its stars.
    ///
    /// A star may begin or end within an image, as in the engine: `/*F` matches `/%2F`.
    ///
    /// # Errors
    ///
    /// If there are too many.
    pub(crate) fn globs(&self, texts: &[&[u8]], anchored: bool) -> Result<Vec<Glob>, Undecided> {
        let mut spelt: Vec<Vec<Vec<u8>>> = vec![Vec::new()];
        for (at, text) in texts.iter().enumerate() {
            let is_last = at + 1 == texts.len();
            let ways = self.spellings(text, at > 0, !is_last || !anchored)?;
            if spelt.len().saturating_mul(ways.len()) > SPELLINGS {
                return Err(Undecided::TooManySpellings);
            }
            let longer = spelt.iter().flat_map(|before| {
                ways.iter().map(|way| [&**before, core::slice::from_ref(way)].concat())
            });
            spelt = longer.collect();
        }
        let globs = spelt.iter().flat_map(|texts| {
            let texts: Vec<&[u8]> = texts.iter().map(|text| &**text).collect();
            Glob::rooted(&texts, anchored)
        });
        let mut globs: Vec<Glob> = globs.collect();
        globs.sort_unstable();
        globs.dedup();
        Ok(globs)
    }

    /// All spellings of a text. Their images contain the text; they may begin before it if a star
    /// is before it, and end after it if a star is after it.
    fn spellings(
        &self,
        text: &[u8],
        star_before: bool,
        star_after: bool,
    ) -> Result<Vec<Vec<u8>>, Undecided> {
        if text.is_empty() {
            return Ok(vec![Vec::new()]);
        }
        // Positions from which the rest of the text can be spelt.
        let mut can_end = vec![false; text.len() + 1];
        can_end[text.len()] = true;
        for at in (0..text.len()).rev() {
            can_end[at] = self.ends(text, at, star_after).any(|(_, end)| can_end[end]);
        }
        let mut steps: Vec<Step> = Vec::new();
        let mut push = |symbol, end: usize, length| {
            if can_end[end] {
                steps.push(Step { end, length, symbol });
            }
        };
        push(None, 0, 0);
        if star_before {
            for (symbol, image) in self.images.iter().filter(|(_, image)| image.len() > 1) {
                for from in 1..image.len() {
                    let tail = &image[from..];
                    if text.starts_with(tail) {
                        push(Some(*symbol), tail.len(), 0);
                    } else if star_after && tail.starts_with(text) {
                        push(Some(*symbol), text.len(), 0);
                    }
                }
            }
        }
        let mut found = Vec::new();
        let mut spelling = Vec::new();
        while let Some(Step { end, length, symbol }) = steps.pop() {
            spelling.truncate(length);
            spelling.extend(symbol);
            if end == text.len() {
                found.push(spelling.clone());
                if found.len() > SPELLINGS {
                    return Err(Undecided::TooManySpellings);
                }
                continue;
            }
            let length = spelling.len();
            let next = self.ends(text, end, star_after).filter(|&(_, end)| can_end[end]);
            steps.extend(next.map(|(symbol, end)| Step { end, length, symbol: Some(symbol) }));
        }
        Ok(found)
    }

    /// The symbols whose images continue a text at a position, and the positions after them.
    fn ends<'t>(
        &'t self,
        text: &'t [u8],
        at: usize,
        star_after: bool,
    ) -> impl Iterator<Item = (u8, usize)> + 't {
        let rest = &text[at..];
        let positions = rest.first().map_or(&[][..], |&first| &self.by_first[usize::from(first)]);
        positions.iter().filter_map(move |&position| {
            let (symbol, image) = &self.images[position];
            if rest.starts_with(image) {
                Some((*symbol, at + image.len()))
            } else {
                (star_after && image.starts_with(rest)).then_some((*symbol, text.len()))
            }
        })
    }
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
        let found: Vec<String> = globs.iter().map(|glob| format!("{glob:?}")).collect();
        assert_eq!(found, expected, "{pattern}");
    }

    #[test]
    fn octets_have_all_their_spellings() {
        check("/a", &["/a*"]);
        check("/~b$", &[r"/\x02b$", "/~b$"]);
        check("/%7C", &[r"/\x01*", "/|*"]);
        check("/x", &[]);
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
