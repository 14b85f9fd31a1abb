//! The state of access, as far as a store has to know it. Nothing else in this crate looks inside.

/// What the answers so far mean, in the form in which it is kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AccessState {
    encoded: Vec<u8>,
    kind: String,
    fresh_until: Option<u64>,
}

impl AccessState {
    /// A state from its encoded form; with the name of its kind (`rules`, `allow_all`, …) and the time,
    /// in seconds since 1970, until which it stands, for those who look into a store.
    pub fn new(
        encoded: impl Into<Vec<u8>>,
        kind: impl Into<String>,
        fresh_until: Option<u64>,
    ) -> Self {
        Self { encoded: encoded.into(), kind: kind.into(), fresh_until }
    }

    /// The encoded form.
    pub fn as_bytes(&self) -> &[u8] {
        &self.encoded
    }

    /// What it means, in a word.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// Until when it stands, in seconds since 1970, UTC.
    pub const fn fresh_until(&self) -> Option<u64> {
        self.fresh_until
    }
}
