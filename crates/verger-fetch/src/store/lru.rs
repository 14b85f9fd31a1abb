//! Values in memory, bounded by bytes.
//!
//! A custom cache, because those from the registry may refuse a value, evict later, and have no
//! shares of domains.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Bound;
use std::sync::Arc;

/// Values by the texts of their keys, in two orders of use, the least recently used first: of all,
/// and of each registrable domain. The least recently used are evicted first, and those of one
/// domain beyond its share.
#[derive(Debug)]
pub(crate) struct Lru<V> {
    slots: HashMap<Arc<str>, Slot<V>>,
    /// In order, for lists and ranges. Single values are found by hash, a third of the time of a
    /// check.
    keys: BTreeSet<Arc<str>>,
    order: BTreeMap<u64, Arc<str>>,
    domains: HashMap<Arc<str>, Share>,
    bytes: u64,
    clock: u64,
    most: u64,
    /// Maximum bytes of one domain, except for its most recently used value.
    share: u64,
}

#[derive(Debug)]
struct Slot<V> {
    value: V,
    domain: Arc<str>,
    size: u64,
    /// The key in both orders.
    used: u64,
}

/// The share of the hosts of one domain.
#[derive(Debug, Default)]
struct Share {
    order: BTreeMap<u64, Arc<str>>,
    bytes: u64,
}

impl<V> Lru<V> {
    /// No values, bounded by `most` bytes, and one in `shares` of them for each domain.
    pub(crate) fn new(most: u64, shares: u64) -> Self {
        let (slots, keys, order, domains) = Default::default();
        Self { slots, keys, order, domains, bytes: 0, clock: 0, most, share: most / shares }
    }

    pub(super) fn len(&self) -> usize {
        self.slots.len()
    }

    pub(super) const fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(super) const fn most(&self) -> u64 {
        self.most
    }

    /// The value with a key.
    pub(crate) fn get(&self, key: &str) -> Option<&V> {
        self.slots.get(key).map(|slot| &slot.value)
    }

    /// The value with a key, which counts as used.
    pub(crate) fn used(&mut self, key: &str) -> Option<&mut V> {
        let slot = self.slots.get_mut(key)?;
        self.clock += 1;
        let before = std::mem::replace(&mut slot.used, self.clock);
        let share = self.domains.get_mut(&slot.domain);
        for order in [Some(&mut self.order), share.map(|share| &mut share.order)] {
            let Some(order) = order else { continue };
            if let Some(key) = order.remove(&before) {
                order.insert(self.clock, key);
            }
        }
        Some(&mut slot.value)
    }

    /// The values after a key, in the order of the keys.
    pub(super) fn after(&self, key: Option<&str>) -> impl Iterator<Item = (&str, &V)> {
        let start = key.map_or(Bound::Unbounded, Bound::Excluded);
        let found = self.keys.range::<str, _>((start, Bound::Unbounded));
        found.filter_map(|key| Some((&**key, self.get(key)?)))
    }

    /// The keys from one text to before another.
    pub(super) fn keys(&self, [from, to]: &[String; 2]) -> impl Iterator<Item = &Arc<str>> {
        self.keys.range::<str, _>((Bound::Included(&**from), Bound::Excluded(&**to)))
    }

    /// Changes a value. Its size and its use stay the same.
    pub(super) fn get_mut(&mut self, key: &str) -> Option<&mut V> {
        self.slots.get_mut(key).map(|slot| &mut slot.value)
    }

    /// The values, the most recently used first.
    pub(super) fn recent(&self) -> impl Iterator<Item = &V> {
        self.order.values().rev().filter_map(|key| self.get(key))
    }

    /// Puts a value in place of the previous one with its key.
    pub(crate) fn put(&mut self, key: &str, domain: &str, value: V, size: u64) {
        self.remove(key);
        // It would evict all others, and then itself.
        if size > self.most {
            return;
        }
        self.clock += 1;
        let key: Arc<str> = key.into();
        let domain: Arc<str> = match self.domains.get_key_value(domain) {
            Some((domain, _)) => Arc::clone(domain),
            None => domain.into(),
        };
        let share = self.domains.entry(Arc::clone(&domain)).or_default();
        share.order.insert(self.clock, Arc::clone(&key));
        share.bytes += size;
        // Siblings are evicted first. The value itself remains, as it is the most recently used.
        let mut excess = Vec::new();
        let mut left = share.bytes;
        for sibling in share.order.values().take(share.order.len() - 1) {
            if left <= self.share {
                break;
            }
            left -= self.slots.get(sibling).map_or(0, |slot| slot.size);
            excess.push(Arc::clone(sibling));
        }
        self.order.insert(self.clock, Arc::clone(&key));
        self.keys.insert(Arc::clone(&key));
        self.slots.insert(key, Slot { value, domain, size, used: self.clock });
        self.bytes += size;
        for sibling in excess {
            self.remove(&sibling);
        }
        while self.bytes > self.most {
            let Some((_, oldest)) = self.order.first_key_value() else { break };
            let oldest = Arc::clone(oldest);
            self.remove(&oldest);
        }
    }

    pub(crate) fn remove(&mut self, key: &str) -> Option<V> {
        let Slot { value, domain, size, used } = self.slots.remove(key)?;
        self.keys.remove(key);
        self.order.remove(&used);
        self.bytes -= size;
        if let Some(share) = self.domains.get_mut(&domain) {
            share.order.remove(&used);
            share.bytes -= size;
            if share.order.is_empty() {
                self.domains.remove(&domain);
            }
        }
        Some(value)
    }

    #[cfg(test)]
    pub(super) fn is_empty(&self) -> bool {
        (self.bytes, self.order.len(), self.domains.len()) == (0, 0, 0)
    }
}
