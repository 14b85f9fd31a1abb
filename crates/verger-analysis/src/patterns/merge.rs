//! Merges: the patterns whose union is the intersection of two patterns.
//!
//! # Flow
//!
//! Both patterns are read from left to right at once. A symbol is taken if both have it, or if one
//! has it and the other is at a star; a star is taken if both are at a star. Every text that
//! matches both patterns matches one of the results. Their number grows exponentially with the
//! stars in the worst case, and is small in practice.
//!
//! If both are at a star, three continuations are possible: both stars end at the same place, or
//! the one, or the other ends first. A star that ends later takes at least the next symbol, so no
//! continuation occurs twice.

use std::collections::BTreeSet;

use crate::limits;
use crate::patterns::glob::{Glob, STAR, Token};
use crate::undecided::{Budget, Undecided};

/// The merges of two patterns.
#[derive(Debug)]
pub(crate) enum Merges<'g> {
    /// No text matches both.
    None,
    /// One of the two is contained in the other.
    One(&'g Glob),
    /// Any others, each once.
    Many(Vec<Glob>),
}

impl<'g> Merges<'g> {
    /// The merges of two patterns.
    ///
    /// # Errors
    ///
    /// If there are too many, or if the budget is spent.
    ///
    /// # Complexity
    ///
    /// The product of the lengths, and if there are not too many ways to merge, for each one the
    /// sum of the lengths; linear if one pattern is a prefix.
    pub(crate) fn of(
        one: &'g Glob,
        other: &'g Glob,
        budget: &mut Budget,
    ) -> Result<Self, Undecided> {
        budget.spend(one.start().len().min(other.start().len()))?;
        let (short, long) =
            if one.start().len() <= other.start().len() { (one, other) } else { (other, one) };
        if !long.start().starts_with(short.start()) {
            return Ok(Self::None);
        }
        if short.is_prefix() {
            return Ok(Self::One(long));
        }
        if one == other {
            return Ok(Self::One(one));
        }
        let merger = Merger::new(tokens(one), tokens(other), budget)?;
        let found = merger.all(budget)?;
        Ok(if found.is_empty() { Self::None } else { Self::Many(found) })
    }

    /// The merges, in an arbitrary order.
    pub(crate) fn as_slice(&self) -> &[Glob] {
        match self {
            Self::None => &[],
            Self::One(glob) => core::slice::from_ref(*glob),
            Self::Many(globs) => globs,
        }
    }
}

fn tokens(glob: &Glob) -> Vec<Token> {
    let mut tokens = Vec::with_capacity(glob.shortest() + glob.stars());
    for (at, text) in glob.texts().enumerate() {
        tokens.extend((at > 0).then_some(STAR));
        tokens.extend(text.iter().copied().map(Some));
    }
    tokens.extend(glob.is_open().then_some(STAR));
    tokens
}

/// Two patterns, and the places from which both can be read to their ends.
struct Merger {
    one: Vec<Token>,
    other: Vec<Token>,
    /// For each pair of positions, row by row.
    can_end: Vec<bool>,
}

/// A continuation of a partial merge.
struct PartialMerge {
    /// The positions in both patterns.
    at: (usize, usize),
    /// The length of the merge before the step.
    length: usize,
    /// The tokens that the step takes: at most a star and a symbol.
    taken: [Option<Token>; 2],
}

impl Merger {
    fn new(one: Vec<Token>, other: Vec<Token>, budget: &mut Budget) -> Result<Self, Undecided> {
        let (rows, width) = (one.len() + 1, other.len() + 1);
        let cells = rows.saturating_mul(width);
        budget.spend(cells)?;
        if cells > limits::MERGE_CELLS {
            return Err(budget.unmerged());
        }
        let mut merger = Self { one, other, can_end: vec![false; cells] };
        // The ways to merge from the positions of a row, and from those of the two rows after it.
        let mut ways = [vec![0_u32; width], vec![0; width], vec![0; width]];
        for i in (0..rows).rev() {
            ways.rotate_right(1);
            for j in (0..width).rev() {
                let can_end = merger.ends_from(i, j);
                merger.can_end[i * width + j] = can_end;
                ways[0][j] = if can_end { merger.ways_from(i, j, &ways) } else { 0 };
            }
        }
        // Before the first merge is made.
        if ways[0][0] as usize > limits::MERGE_WAYS {
            return Err(budget.unmerged());
        }
        Ok(merger)
    }

    /// The number of ways to merge from these positions, one for each sequence of steps of
    /// [`push_next`](Self::push_next); `rows` are those from `i` on.
    fn ways_from(&self, i: usize, j: usize, rows: &[Vec<u32>; 3]) -> u32 {
        let ways = |down: usize, right: usize| rows[down].get(j + right).copied().unwrap_or(0);
        let (one, other) = (self.one.get(i), self.other.get(j));
        let is_symbol = |token: Option<&Token>| matches!(token, Some(Some(_)));
        match (one, other) {
            (None, None) => 1,
            (Some(&STAR), Some(&STAR)) => {
                let longer = if is_symbol(self.one.get(i + 1)) { ways(2, 0) } else { 0 };
                let other = if is_symbol(self.other.get(j + 1)) { ways(0, 2) } else { 0 };
                ways(1, 1).saturating_add(longer).saturating_add(other)
            }
            (Some(&STAR), other) => {
                ways(1, 0).saturating_add(if other.is_some() { ways(0, 1) } else { 0 })
            }
            (one, Some(&STAR)) => {
                ways(0, 1).saturating_add(if one.is_some() { ways(1, 0) } else { 0 })
            }
            _ => ways(1, 1),
        }
    }

    /// Whether both can be read to their ends from these positions; positions after them are known.
    fn ends_from(&self, i: usize, j: usize) -> bool {
        match (self.one.get(i).copied(), self.other.get(j).copied()) {
            (None, None) => true,
            (Some(STAR), Some(STAR)) => {
                self.ends(i + 1, j) || self.ends(i, j + 1) || self.ends(i + 1, j + 1)
            }
            (Some(STAR), Some(_)) => self.ends(i + 1, j) || self.ends(i, j + 1),
            (Some(_), Some(STAR)) => self.ends(i, j + 1) || self.ends(i + 1, j),
            (Some(STAR), None) => self.ends(i + 1, j),
            (None, Some(STAR)) => self.ends(i, j + 1),
            (Some(one), Some(other)) => one == other && self.ends(i + 1, j + 1),
            (Some(_), None) | (None, Some(_)) => false,
        }
    }

    fn ends(&self, i: usize, j: usize) -> bool {
        self.can_end[i * (self.other.len() + 1) + j]
    }

    /// All merges. Every partial merge leads to at least one, because `can_end` excludes others.
    fn all(&self, budget: &mut Budget) -> Result<Vec<Glob>, Undecided> {
        let mut found = BTreeSet::new();
        let mut symbols = 0;
        let mut merge: Vec<Token> = Vec::new();
        let mut steps = Vec::new();
        self.push(&mut steps, (0, 0), 0, [None, None]);
        while let Some(PartialMerge { at, length, taken }) = steps.pop() {
            merge.truncate(length);
            merge.extend(taken.into_iter().flatten());
            budget.spend(1)?;
            if at == (self.one.len(), self.other.len()) {
                // It is copied, and compared with others.
                budget.spend(4 * merge.len())?;
                // Both patterns begin with `/`, so the merge does.
                for glob in Glob::of_tokens(&merge) {
                    if found.insert(glob) {
                        symbols += merge.len();
                    }
                }
                if found.len() > limits::MERGES || symbols > limits::MERGE_SYMBOLS {
                    return Err(budget.unmerged());
                }
                continue;
            }
            self.push_next(&mut steps, at, merge.len());
        }
        Ok(found.into_iter().collect())
    }

    fn push_next(&self, steps: &mut Vec<PartialMerge>, (i, j): (usize, usize), length: usize) {
        let mut push = |at, taken| self.push(steps, at, length, taken);
        match (self.one.get(i).copied(), self.other.get(j).copied()) {
            (Some(STAR), Some(STAR)) => {
                push((i + 1, j + 1), [Some(STAR), None]);
                if let Some(&Some(symbol)) = self.one.get(i + 1) {
                    push((i + 2, j), [Some(STAR), Some(Some(symbol))]);
                }
                if let Some(&Some(symbol)) = self.other.get(j + 1) {
                    push((i, j + 2), [Some(STAR), Some(Some(symbol))]);
                }
            }
            (Some(STAR), symbol) => {
                push((i + 1, j), [None, None]);
                if symbol.is_some() {
                    push((i, j + 1), [symbol, None]);
                }
            }
            (symbol, Some(STAR)) => {
                push((i, j + 1), [None, None]);
                if symbol.is_some() {
                    push((i + 1, j), [symbol, None]);
                }
            }
            (symbol, _) => push((i + 1, j + 1), [symbol, None]),
        }
    }

    fn push(
        &self,
        steps: &mut Vec<PartialMerge>,
        at: (usize, usize),
        length: usize,
        taken: [Option<Token>; 2],
    ) {
        if self.ends(at.0, at.1) {
            steps.push(PartialMerge { at, length, taken });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::patterns::glob::tests::globs;

    fn merges(one: &str, other: &str) -> Vec<Glob> {
        let (one, other) = (&globs(one)[0], &globs(other)[0]);
        let merges = Merges::of(one, other, &mut Budget::default()).expect("few merges");
        merges.as_slice().to_vec()
    }

    #[track_caller]
    fn check(one: &str, other: &str, expected: &[&str]) {
        for (one, other) in [(one, other), (other, one)] {
            let mut found: Vec<String> =
                merges(one, other).iter().map(|merge| format!("{merge:?}")).collect();
            found.sort();
            assert_eq!(found, expected, "{one} {other}");
        }
    }

    #[test]
    fn prefixes_merge_into_the_longer_one() {
        check("/a", "/ab", &["/ab*"]);
        check("/a", "/b", &[]);
        check("/a", "/a*b$", &["/a*b$"]);
        check("/a$", "/a", &["/a$"]);
        check("/a$", "/ab", &[]);
        check("/a*b", "/a*b", &["/a*b*"]);
    }

    #[test]
    fn literals_are_shared_or_taken_by_a_star() {
        check("/*a", "/bc", &["/bc*a*"]);
        check("/*b", "/abc", &["/abc*", "/abc*b*"]);
        check("/*a$", "/*b$", &[]);
        check("/*ab$", "/*b$", &["/*ab$"]);
        check("/*a", "/*b", &["/*a*b*", "/*b*a*"]);
        check("/*ab", "/*bc", &["/*ab*bc*", "/*abc*", "/*bc*ab*"]);
        check("/a*a", "/a$", &[]);
    }

    #[test]
    fn the_number_grows_with_overlaps() {
        let merges = merges("/*abab*abab", "/*baba*baba");
        // The others are contained in one of these.
        let is_greatest = |merge: &&Glob| {
            let contains = |other: &&Glob| other.matches(&merge.canon(b'z'));
            merges.iter().filter(contains).count() == 1
        };
        assert_eq!((merges.len(), merges.iter().filter(is_greatest).count()), (60, 28));
    }

    #[test]
    fn too_many_merges_are_an_error() {
        let stars = |letters: &str| {
            let texts: Vec<String> = letters.chars().map(|letter| format!("*{letter}")).collect();
            format!("/{}", texts.concat())
        };
        // The second pair has the same merge in many ways.
        for (one, other) in [("abcdefghi", "ABCDEFGHI"), ("aaaaaaaaaaaa", "aaaaaaaaaaa")] {
            let (one, other) = (globs(&stars(one)), globs(&stars(other)));
            let found = Merges::of(&one[0], &other[0], &mut Budget::default());
            assert_eq!(found.err(), Some(Undecided::TooManyMerges));
        }
    }

    #[test]
    fn a_text_matches_both_patterns_exactly_if_it_matches_a_merge() {
        let patterns =
            ["/a", "/*b", "/*ab*ba", "/b*a$", "/*aa$", "/ab$", "/*a*b*", "/*bab", "/a*b*a$"];
        for one in patterns {
            for other in patterns {
                let merges = merges(one, other);
                let (one, other) = (&globs(one)[0], &globs(other)[0]);
                for number in 0..1_u32 << 8 {
                    let letters =
                        (0..8).map(|bit| if number >> bit & 1 == 0 { b'a' } else { b'b' });
                    let text: Vec<u8> = core::iter::once(b'/').chain(letters).collect();
                    for length in 1..=text.len() {
                        let text = &text[..length];
                        assert_eq!(
                            merges.iter().any(|merge| merge.matches(text)),
                            one.matches(text) && other.matches(text),
                            "{one:?} {other:?} {}",
                            text.escape_ascii()
                        );
                    }
                }
            }
        }
    }
}
