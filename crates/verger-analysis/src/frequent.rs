//! Counts of the frequent ones among many texts, in bounded memory.

use std::collections::HashMap;

use crate::coverage::Count;
use crate::limits::PREFIXES;

/// Texts with their counts. If there are too many, the rarest half is forgotten.
#[derive(Clone, Debug, Default)]
pub(crate) struct Frequent {
    counts: HashMap<Vec<u8>, Count>,
}

impl Frequent {
    /// Counts a text.
    pub(crate) fn add(&mut self, text: &[u8], weight: u64) {
        if let Some(count) = self.counts.get_mut(text) {
            count.add(weight);
            return;
        }
        if self.counts.len() >= PREFIXES {
            self.forget_half();
        }
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
}
