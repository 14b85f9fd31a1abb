//! A map with bounded memory.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;

/// A map with a maximum weight, in two generations: when the younger one has half of it, it becomes
/// the older one, which is dropped. Used entries move to the younger one.
#[derive(Debug)]
pub(crate) struct Generations<K, V> {
    young: Generation<K, V>,
    old: Generation<K, V>,
    /// Maximum weight of a generation.
    most: usize,
}

#[derive(Debug)]
struct Generation<K, V> {
    /// Values with their weights.
    entries: HashMap<K, (V, usize)>,
    weight: usize,
}

impl<K, V> Default for Generation<K, V> {
    fn default() -> Self {
        Self { entries: HashMap::new(), weight: 0 }
    }
}

impl<K: Eq + Hash, V> Generations<K, V> {
    pub(crate) fn new(most: usize) -> Self {
        Self { young: Generation::default(), old: Generation::default(), most: most / 2 }
    }

    pub(crate) fn get<Q: Eq + Hash + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        // An empty map would hash the key, too.
        if !self.old.entries.is_empty()
            && let Some((key, (value, weight))) = self.old.entries.remove_entry(key)
        {
            self.old.weight -= weight;
            self.insert(key, value, weight);
        }
        self.young.entries.get_mut(key).map(|(value, _)| value)
    }

    /// Adds or replaces a value, unless it is too heavy.
    pub(crate) fn insert(&mut self, key: K, value: V, weight: usize) {
        self.remove(&key);
        if weight > self.most {
            return;
        }
        if self.young.weight + weight > self.most {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.weight += weight;
        self.young.entries.insert(key, (value, weight));
    }

    pub(crate) fn remove<Q: Eq + Hash + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        [&mut self.young, &mut self.old].into_iter().find_map(|generation| {
            let (value, weight) = generation.entries.remove(key)?;
            generation.weight -= weight;
            Some(value)
        })
    }

    /// The weight of all entries.
    pub(crate) const fn weight(&self) -> usize {
        self.young.weight + self.old.weight
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_bounded_and_used_entries_stay() {
        let mut map = Generations::new(100);
        map.insert(0, 'x', 10);
        for key in 1..1_000 {
            map.insert(key, 'y', 10);
            assert_eq!(map.get(&0), Some(&mut 'x'), "{key}");
            assert!(map.weight() <= 100, "{}", map.weight());
        }
        assert_eq!(map.get(&1), None);
        assert_eq!(map.get(&999), Some(&mut 'y'));
        map.insert(999, 'z', 51);
        assert_eq!(map.get(&999), None, "it is too heavy");
        assert_eq!(map.remove(&0), Some('x'));
        for key in 1..1_000 {
            map.remove(&key);
        }
        assert_eq!(map.weight(), 0);
    }
}
