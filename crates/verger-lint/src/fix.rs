//! Fixes: edits of the text that remove a finding.

use std::collections::BTreeMap;

use verger::Span;

/// A change of the text that removes a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fix {
    /// The change in words, as an imperative: ``write `Disallow` ``.
    pub title: String,
    /// Whether the change can be applied without looking at it.
    pub safety: Safety,
    /// The edits, in the order of the text. They do not overlap.
    pub edits: Vec<Edit>,
}

/// Whether a fix can be applied without looking at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(clippy::exhaustive_enums, reason = "a fix is safe, or it is not")]
pub enum Safety {
    /// No crawler gets another answer, in any published dialect. A crawler has one name, or
    /// fallbacks; one that unites the groups of several names ([`verger::Crawler::union`]) does not
    /// count.
    Safe,
    /// Some crawlers may get another answer: probably the one that the author meant. Or no answer
    /// changes, but a comment is lost, or a rule that is needed again once another one is
    /// corrected.
    Unsafe,
}

impl Safety {
    /// `safe` or `unsafe`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Safe => "safe",
            Self::Unsafe => "unsafe",
        }
    }
}

/// A replacement of a part of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "an edit is a place and a text")]
pub struct Edit {
    /// The bytes that are replaced; empty for an insertion.
    pub span: Span,
    /// The new text.
    pub text: Vec<u8>,
}

impl Fix {
    /// A fix of one edit.
    pub(crate) fn replace(
        safety: Safety,
        title: impl Into<String>,
        span: Span,
        text: impl Into<Vec<u8>>,
    ) -> Self {
        Self { title: title.into(), safety, edits: vec![Edit { span, text: text.into() }] }
    }

    /// The part of the text that the fix changes.
    fn span(&self) -> Span {
        let start = self.edits.first().map_or(0, |edit| edit.span.start);
        Span { start, end: self.edits.last().map_or(start, |edit| edit.span.end) }
    }
}

/// A part of a text with edits, which are all in it and in order.
pub(crate) fn edited<'e>(
    text: &[u8],
    part: Span,
    edits: impl IntoIterator<Item = &'e Edit>,
) -> Vec<u8> {
    let (mut out, mut done) = (Vec::with_capacity(part.end - part.start), part.start);
    for edit in edits {
        out.extend_from_slice(&text[done..edit.span.start]);
        out.extend_from_slice(&edit.text);
        done = edit.span.end;
    }
    out.extend_from_slice(&text[done..part.end]);
    out
}

/// Applies fixes to a text, each with the places that its finding names, and returns it with the
/// number of applied fixes.
///
/// Of fixes that change the same place, the first in the text counts. Lint the result again for the
/// others. A fix is not applied together with a change of a place that its finding names: of two
/// equal rules, each is superfluous because of the other one.
pub(crate) fn apply<'f>(
    text: &[u8],
    fixes: impl IntoIterator<Item = (&'f Fix, Vec<Span>)>,
) -> (Vec<u8>, usize) {
    let mut fixes: Vec<_> = fixes.into_iter().collect();
    fixes.sort_by_key(|(fix, _)| (fix.span().start, fix.span().end));
    let (mut edits, mut named, mut applied) = (Edits::default(), Union::default(), 0);
    for (fix, places) in fixes {
        let is_free = |edit: &Edit| !edits.overlap(edit.span) && !named.overlaps(edit.span);
        if fix.edits.iter().all(is_free) && !places.iter().any(|place| edits.overlap(*place)) {
            edits.add(fix);
            for place in places {
                named.add(place);
            }
            applied += 1;
        }
    }
    (edits.applied_to(text), applied)
}

/// A union of spans.
#[derive(Default)]
struct Union {
    /// Disjoint, by start, with their ends.
    spans: BTreeMap<usize, usize>,
}

impl Union {
    fn add(&mut self, Span { mut start, mut end }: Span) {
        while let Some((&first, &last)) = self.spans.range(..=end).next_back() {
            if last < start {
                break;
            }
            self.spans.remove(&first);
            (start, end) = (start.min(first), end.max(last));
        }
        self.spans.insert(start, end);
    }

    /// Whether a change of this span changes a part of the union. An insertion beside it does not.
    fn overlaps(&self, Span { start, end }: Span) -> bool {
        self.spans.range(..end).next_back().is_some_and(|(_, &last)| last > start)
    }
}

/// Edits of several fixes, which do not overlap.
#[derive(Default)]
struct Edits<'f> {
    /// By place; insertions at one place in the order of their fixes.
    by_place: BTreeMap<(usize, usize, usize), &'f Edit>,
}

impl<'f> Edits<'f> {
    /// Whether an edit changes a part of the text that another one changes. An insertion beside
    /// another edit does not.
    fn overlap(&self, Span { start, end }: Span) -> bool {
        // Of the edits that begin before the end, the last one reaches furthest.
        let before = self.by_place.range(..(end, 0, 0)).next_back();
        before.is_some_and(|((_, reach, _), _)| *reach > start)
    }

    fn add(&mut self, fix: &'f Fix) {
        for edit in &fix.edits {
            let number = self.by_place.len();
            self.by_place.insert((edit.span.start, edit.span.end, number), edit);
        }
    }

    fn applied_to(&self, text: &[u8]) -> Vec<u8> {
        edited(text, Span { start: 0, end: text.len() }, self.by_place.values().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn applied<'f>(text: &[u8], fixes: impl IntoIterator<Item = &'f Fix>) -> (Vec<u8>, usize) {
        apply(text, fixes.into_iter().map(|fix| (fix, Vec::new())))
    }

    #[test]
    fn overlapping_fixes_are_applied_once() {
        let fix = |start, end, text: &str| {
            Fix::replace(Safety::Safe, "", Span { start, end }, text.as_bytes())
        };
        let fixes = [fix(4, 6, ""), fix(2, 4, "y"), fix(0, 3, "x")];
        assert_eq!(applied(b"abcdef", &fixes), (b"xd".to_vec(), 2));
        // Insertions at one place follow each other.
        let fixes = [fix(1, 1, "d"), fix(1, 1, "e")];
        assert_eq!(applied(b"ab", &fixes), (b"adeb".to_vec(), 2));
    }

    #[test]
    fn a_fix_waits_for_a_change_of_a_place_that_its_finding_names() {
        let removal =
            |start: usize| Fix::replace(Safety::Safe, "", Span { start, end: start + 2 }, "");
        let place = |start: usize| vec![Span { start, end: start + 1 }];
        let fixes = [removal(0), removal(2), removal(4)];
        let named = || fixes.iter().zip([place(2), place(0), place(2)]);
        assert_eq!(apply(b"a-a-a-", named()), (b"a-".to_vec(), 2));
        assert_eq!(apply(b"a-a-a-", named().skip(1)), (b"a-a-".to_vec(), 1));
    }

    #[test]
    fn a_union_joins_spans_that_touch() {
        let mut union = Union::default();
        for (start, end) in [(4, 6), (0, 2), (8, 9), (2, 5)] {
            union.add(Span { start, end });
        }
        assert_eq!(union.spans, BTreeMap::from([(0, 6), (8, 9)]));
        let overlaps = |start, end| union.overlaps(Span { start, end });
        assert!(overlaps(5, 7) && overlaps(7, 9) && overlaps(3, 3));
        assert!(!overlaps(6, 8) && !overlaps(0, 0) && !overlaps(6, 6));
    }

    #[test]
    fn a_fix_in_a_gap_of_another_one_is_applied() {
        let edit = |start, end, text: &str| Edit { span: Span { start, end }, text: text.into() };
        let fix = |edits| Fix { title: String::new(), safety: Safety::Safe, edits };
        let move_down = fix(vec![edit(0, 1, ""), edit(6, 6, "a")]);
        let others = [fix(vec![edit(2, 3, "C")]), fix(vec![edit(5, 7, "X")])];
        let fixes = [&move_down, &others[0], &others[1]];
        assert_eq!(applied(b"abcdefg", fixes), (b"bCdefag".to_vec(), 2));
        let insertion = fix(vec![edit(1, 1, "-")]);
        assert_eq!(applied(b"abcdefg", [&move_down, &insertion]), (b"-bcdefag".to_vec(), 2));
    }
}
