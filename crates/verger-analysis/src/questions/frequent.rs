//! Counts of the frequent ones among many texts, in bounded memory.

use std::collections::HashMap;

use crate::limits::{FREQUENT_BYTES, PREFIXES};
use crate::questions::count::Count;

/// Texts with their counts. If there are too many, or they are too long together, the rarest half
/// is forgotten.
#[derive(Clone, Debug)]
pub(crate) struct Frequent {
    counts: HashMap<Vec<u8>, Count>,
    /// The memory that the counts take, and may take.
    bytes: usize,
    most_bytes: usize,
}

/// Memory of an entry besides its text.
const ENTRY: usize = size_of::<(Vec<u8>, Count)>();

impl Default for Frequent {
    fn default() -> Self {
        Self::within(FREQUENT_BYTES)
    }
}

impl Frequent {
    /// No texts yet, which may take this memory in bytes.
    pub(crate) fn within(most_bytes: usize) -> Self {
        Self { counts: HashMap::new(), bytes: 0, most_bytes }
    }

    /// Counts a text.
    pub(crate) fn add(&mut self, text: &[u8], weight: u64) {
        if let Some(count) = self.counts.get_mut(text) {
            count.add(weight);
            return;
        }
        let bytes = text.len() + ENTRY;
        if bytes > self.most_bytes {
            return;
        }
        while !self.counts.is_empty()
            && (self.counts.len() >= PREFIXES || self.bytes + bytes > self.most_bytes)
        {
            self.forget_half();
        }
        self.bytes += bytes;
        self.counts.entry(text.to_vec()).or_default().add(weight);
    }

    /// Texts in ascending order.
    pub(crate) fn sorted(&self) -> Vec<(&Vec<u8>, &Count)> {
        let mut sorted: Vec<(&Vec<u8>, &Count)> = self.counts.iter().collect();
        sorted.sort_unstable();
        sorted
    }

    /// The texts with the highest weights, the highest first.
    pub(crate) fn top(&self, number: usize) -> Vec<(&Vec<u8>, &Count)> {
        let mut top = self.sorted();
        top.sort_by_key(|(_, count)| core::cmp::Reverse(count.weight));
        top.truncate(number);
        top
    }

    /// Removes the rarest half.
    fn forget_half(&mut self) {
        let mut weights: Vec<u64> = self.counts.values().map(|count| count.weight).collect();
        let half = weights.len() / 2;
        let (_, &mut median, _) = weights.select_nth_unstable(half);
        self.counts.retain(|_, count| count.weight > median);
        self.bytes = self.counts.keys().map(|text| text.len() + ENTRY).sum();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_memory_is_bounded_and_frequent_texts_remain() {
        let mut frequent = Frequent::default();
        for number in 0..200_000 {
            frequent.add(format!("/{number}/").as_bytes(), 1);
            frequent.add(b"/often/", 1);
        }
        assert!(frequent.counts.len() <= PREFIXES);
        let top = frequent.top(1);
        assert_eq!(top[0], (&b"/often/".to_vec(), &Count { urls: 200_000, weight: 200_000 }));
    }

    #[test]
    fn long_texts_take_no_more_memory_than_permitted() {
        let mut frequent = Frequent::within(10_000);
        for number in 0..10_000 {
            frequent.add(format!("/{number}{}", "a".repeat(number % 2_000)).as_bytes(), 1);
            frequent.add(b"/often", 1);
            let bytes: usize = frequent.counts.keys().map(|text| text.len() + ENTRY).sum();
            assert_eq!(bytes, frequent.bytes);
            assert!(bytes <= 10_000, "{bytes}");
        }
        assert_eq!(frequent.top(1)[0].0, b"/often");
        frequent.add(&[b'a'; 10_000], 1_000_000);
        assert_eq!(frequent.top(1)[0].0, b"/often", "one text is too long");
    }
}
