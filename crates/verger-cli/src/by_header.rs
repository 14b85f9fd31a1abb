//! Values for recent User-Agent headers, because logs repeat them.

use std::collections::HashMap;

use crate::limits::HEADERS_KNOWN;

/// Values by header, in bounded memory: if there are too many, all are forgotten.
#[derive(Debug)]
pub(crate) struct ByHeader<T>(HashMap<Vec<u8>, T>);

impl<T: Copy> ByHeader<T> {
    pub(crate) fn get(&self, header: &[u8]) -> Option<T> {
        self.0.get(header).copied()
    }

    /// Stores the value of a header, and returns it.
    pub(crate) fn insert(&mut self, header: &[u8], value: T) -> T {
        if self.0.len() >= HEADERS_KNOWN {
            self.0.clear();
        }
        self.0.insert(header.to_vec(), value);
        value
    }
}

impl<T> Default for ByHeader<T> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}
