//! Patterns by their beginnings: most pairs of patterns cannot match the same target.

use crate::patterns::glob::Glob;

/// Some patterns of a list, sorted by their beginnings.
#[derive(Debug, Default)]
pub(crate) struct Index {
    entries: Vec<IndexEntry>,
}

#[derive(Clone, Copy, Debug)]
struct IndexEntry {
    /// The position in the list of patterns.
    at: u32,
    /// The nearest earlier entry whose beginning is a beginning of this one's, counted from 1; 0 if
    /// there is no such entry.
    parent: u32,
}

impl Index {
    /// Sorts the patterns at these positions of a list.
    ///
    /// # Complexity
    ///
    /// O(n log n) comparisons.
    pub(crate) fn new<'g>(
        positions: impl Iterator<Item = u32>,
        glob: impl Fn(u32) -> &'g Glob,
    ) -> Self {
        let start = |at: u32| glob(at).start();
        let mut sorted: Vec<u32> = positions.collect();
        sorted.sort_by(|&left, &right| start(left).cmp(start(right)).then(left.cmp(&right)));
        let mut entries: Vec<IndexEntry> = Vec::with_capacity(sorted.len());
        for at in sorted {
            let mut parent = entries.len();
            while let Some(before) = parent.checked_sub(1) {
                if start(at).starts_with(start(entries[before].at)) {
                    break;
                }
                parent = entries[before].parent as usize;
            }
            let parent = u32::try_from(parent).unwrap_or(0);
            entries.push(IndexEntry { at, parent });
        }
        Self { entries }
    }

    /// The positions of the patterns whose beginning is a beginning of this text, longest first.
    pub(crate) fn above<'i, 'g: 'i>(
        &'i self,
        text: &'i [u8],
        glob: impl Fn(u32) -> &'g Glob + Copy + 'i,
    ) -> impl Iterator<Item = u32> + 'i {
        let end = self.entries.partition_point(|entry| glob(entry.at).start() <= text);
        let mut next = end;
        let mut found = false;
        core::iter::from_fn(move || {
            loop {
                let entry = self.entries[next.checked_sub(1)?];
                next = entry.parent as usize;
                // The parents of a beginning are beginnings.
                found = found || text.starts_with(glob(entry.at).start());
                if found {
                    return Some(entry.at);
                }
            }
        })
    }

    /// The positions of the patterns that begin with more than this text.
    fn below<'i, 'g: 'i>(
        &'i self,
        text: &'i [u8],
        glob: impl Fn(u32) -> &'g Glob + Copy + 'i,
    ) -> impl Iterator<Item = u32> + 'i {
        let start = self.entries.partition_point(|entry| glob(entry.at).start() <= text);
        let rest = self.entries[start..].iter().map(|entry| entry.at);
        rest.take_while(move |&at| glob(at).start().starts_with(text))
    }

    /// The positions of the patterns that may match a target that begins with this text.
    pub(crate) fn compatible<'i, 'g: 'i>(
        &'i self,
        text: &'i [u8],
        glob: impl Fn(u32) -> &'g Glob + Copy + 'i,
    ) -> impl Iterator<Item = u32> + 'i {
        self.above(text, glob).chain(self.below(text, glob))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_with_compatible_beginnings_are_found() {
        let starts = ["/b", "/", "/ab", "/a", "/abc", "/ab", "/ac", "/", "/abd", "/aba/x"];
        let globs = starts.map(|start| Glob::exactly(start.as_bytes()));
        let glob = |at: u32| &globs[at as usize];
        let count = u32::try_from(starts.len()).expect("a few");
        for omitted in 0..=count {
            let positions = || (0..count).filter(|&at| at != omitted);
            let index = Index::new(positions(), glob);
            for text in starts.into_iter().chain(["/abcd", "/z", "/aa", "/abb"]) {
                let sorted = |mut found: Vec<u32>| {
                    found.sort_unstable();
                    found
                };
                let text = text.as_bytes();
                let above = positions().filter(|&at| text.starts_with(glob(at).start()));
                assert_eq!(sorted(index.above(text, glob).collect()), sorted(above.collect()));
                let alike = positions().filter(|&at| {
                    text.starts_with(glob(at).start()) || glob(at).start().starts_with(text)
                });
                assert_eq!(sorted(index.compatible(text, glob).collect()), sorted(alike.collect()));
            }
        }
        assert_eq!(Index::default().compatible(b"/", glob).count(), 0);
    }
}
