//! All limits of this crate, with their reasons.

use core::time::Duration;

/// Age of the data after which [`Registry::is_outdated`](crate::Registry::is_outdated) is true: 180
/// days. In such a time, one of the sources gained 33 crawlers (ai.robots.txt, February to August
/// 2026).
pub const MAX_AGE: Duration = Duration::from_secs(180 * 24 * 60 * 60);
