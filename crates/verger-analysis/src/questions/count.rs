//! Numbers of URLs with weights.

/// A number of URLs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(clippy::exhaustive_structs, reason = "a number and its weight")]
pub struct Count {
    /// The number of URLs. A URL that was added twice counts twice.
    pub urls: u64,
    /// The sum of their weights.
    pub weight: u64,
}

impl Count {
    pub(crate) fn add(&mut self, weight: u64) {
        self.urls = self.urls.saturating_add(1);
        self.weight = self.weight.saturating_add(weight);
    }

    pub(crate) fn and(self, other: Self) -> Self {
        Self {
            urls: self.urls.saturating_add(other.urls),
            weight: self.weight.saturating_add(other.weight),
        }
    }

    pub(crate) fn without(self, other: Self) -> Self {
        Self {
            urls: self.urls.saturating_sub(other.urls),
            weight: self.weight.saturating_sub(other.weight),
        }
    }
}
