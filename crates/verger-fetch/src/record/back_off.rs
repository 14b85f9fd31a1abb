//! Pages of an origin that has refused them.

use verger::access::Timestamp;

/// An origin answered 429 or 503 when a page was requested, or not at all: it is left alone for a while.
/// That says nothing of its robots.txt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "all that is known")]
pub struct BackOff {
    /// No page is requested before.
    pub until: Timestamp,
    /// How often in a row the origin has refused.
    pub refusals: u32,
}
