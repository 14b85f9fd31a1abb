//! Numbers for distinct values.

use std::hash::BuildHasher as _;

use hashbrown::{DefaultHashBuilder, HashMap, HashTable};

/// Values of a call, each with a number from 0 in the order of their first rows.
///
/// Values are compared, not only their hashes: a file that is made to have the hash of another one
/// gets its own number.
#[derive(Debug, Default)]
pub(crate) struct Distinct<'a> {
    hasher: DefaultHashBuilder,
    table: HashTable<usize>,
    values: Vec<&'a [u8]>,
    /// Numbers by address and length, which find a value of a dictionary without reading it.
    places: HashMap<(usize, usize), usize>,
    /// The number of the previous value.
    last: Option<usize>,
}

impl<'a> Distinct<'a> {
    /// The number of a value.
    pub(crate) fn number(&mut self, value: &'a [u8]) -> usize {
        // Neighbours are often equal, and often the same bytes in memory.
        if let Some(last) = self.last {
            let previous = self.values[last];
            if std::ptr::eq(previous, value) || previous == value {
                return last;
            }
        }
        let (hasher, values) = (&self.hasher, &mut self.values);
        let place = (value.as_ptr().addr(), value.len());
        let number = self.places.get(&place).copied().unwrap_or_else(|| {
            let hash = hasher.hash_one(value);
            let found = self.table.find(hash, |number| values[*number] == value).copied();
            found.unwrap_or_else(|| {
                let number = values.len();
                values.push(value);
                self.places.insert(place, number);
                self.table.insert_unique(hash, number, |number| hasher.hash_one(values[*number]));
                number
            })
        });
        self.last = Some(number);
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_have_one_number() {
        let mut distinct = Distinct::default();
        let numbers = [&b"a"[..], b"a", b"b", b"", b"a", b""].map(|value| distinct.number(value));
        assert_eq!(numbers, [0, 0, 1, 2, 0, 2]);
        let many: Vec<Vec<u8>> = (0..1_000_u32).map(|it| it.to_string().into_bytes()).collect();
        for _ in 0..2 {
            for (at, value) in many.iter().enumerate() {
                assert_eq!(distinct.number(value), 3 + at);
            }
        }
    }
}
