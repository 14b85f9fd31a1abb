//! All limits of this crate, with their reasons.

use core::time::Duration;

/// Age of the data after which [`Registry::is_outdated`](crate::Registry::is_outdated) is true: 180
/// days. In such a time, one of the sources gained 33 crawlers (ai.robots.txt, February to August
/// 2026).
pub const MAX_AGE: Duration = Duration::from_secs(180 * 24 * 60 * 60);

/// Bytes of a name in which a known one with a suffix is searched. The longest known name has 33,
/// and without a limit the time is quadratic in a hostile name.
pub(crate) const NAME_BYTES: usize = 64;

/// Minimum length of a product, without `bot`: short ones can be names of unknown crawlers.
pub(crate) const SHORTEST_PRODUCT: usize = 4;

/// Minimum lengths of known names that may be meant by another name.
#[derive(Clone, Copy)]
pub(crate) struct Shortest {
    /// Another letter.
    pub(crate) other_letter: usize,
    /// A letter too many or too few.
    pub(crate) length: usize,
    /// Two neighbours in the other order, which is a likely slip in any name.
    pub(crate) exchange: usize,
}

/// Short names have too many neighbours: `MauiBot` is not `MagiBot`, and `uMBot` not `ZumBot`.
pub(crate) const SHORTEST: Shortest = Shortest { other_letter: 10, length: 8, exchange: 6 };

/// Minimum length of what follows a known name in another one, for a slip in it to be likely:
/// `SemrushBot-SA` is not `SemrushBot-SWA`.
pub(crate) const SHORTEST_SUFFIX: usize = 4;

/// For crawlers that document their tokens, which most files mean. For all, names of other crawlers
/// would be reported: `Roverbot` is not `rogerbot`.
pub(crate) const SHORTEST_OF_DOCUMENTED: Shortest =
    Shortest { other_letter: 6, length: 6, exchange: 5 };
