//! How long an answer is fresh by its own account.

use super::header;
use super::time::Timestamp;

/// What the headers of an answer say of its freshness, as numbers (REP-CACHE-2).
///
/// # Examples
///
/// ```
/// use verger::access::{Freshness, Timestamp};
///
/// let now = Timestamp::from_seconds(1_700_000_000);
/// let headers = [("cache-control", "public, max-age=\"3600\""), ("age", "600")];
/// assert_eq!(Freshness::of(headers, now).stated_lifetime(now), Some(3000));
/// // What cannot be read is stale at once, and what is not said is not known.
/// assert_eq!(Freshness::of([("expires", "0")], now).stated_lifetime(now), Some(0));
/// assert_eq!(Freshness::of([("cache-control", "private")], now).stated_lifetime(now), None);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_structs, reason = "numbers of an answer; meant to be written out")]
pub struct Freshness {
    /// `Cache-Control: max-age`, in seconds; 0 where it is no number. `s-maxage` is for shared caches
    /// and not asked.
    pub max_age: Option<u64>,
    /// `Expires`; 1970 where it is no date, which means that it has expired.
    pub expires: Option<Timestamp>,
    /// `Date`, where it is one.
    pub date: Option<Timestamp>,
    /// `Age`, in seconds, where it is a number.
    pub age: Option<u64>,
    /// `Cache-Control: no-store`.
    pub no_store: bool,
    /// `Cache-Control: no-cache`, unless it is for named fields only.
    pub no_cache: bool,
}

impl Freshness {
    /// An answer that says nothing.
    pub const UNSTATED: Self = Self {
        max_age: None,
        expires: None,
        date: None,
        age: None,
        no_store: false,
        no_cache: false,
    };

    /// Reads `Cache-Control`, `Expires`, `Date` and `Age` among the headers of an answer that was
    /// received at `now`; others are passed over. Names are compared without regard to ASCII case.
    ///
    /// A number that is too large is the largest. Of several values of one kind the first counts.
    /// Where RFC 9111 lets a cache choose, the answer is the staler one.
    ///
    /// # Complexity
    ///
    /// O(bytes).
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::access::{Freshness, Timestamp};
    ///
    /// let now = Timestamp::from_seconds(1_700_000_000);
    /// let freshness = Freshness::of([("Cache-Control", "max-age=600"), ("Age", "60")], now);
    /// assert_eq!((freshness.max_age, freshness.age), (Some(600), Some(60)));
    /// assert_eq!(freshness.stated_lifetime(now), Some(540));
    /// assert_eq!(Freshness::UNSTATED.stated_lifetime(now), None);
    /// ```
    pub fn of<N: AsRef<[u8]>, V: AsRef<[u8]>>(
        headers: impl IntoIterator<Item = (N, V)>,
        now: Timestamp,
    ) -> Self {
        header::read(headers, now).freshness
    }

    /// For how many seconds from `received` on the answer is fresh by its own account: `max-age`, else
    /// `Expires` less `Date`; less `Age`. `None`: it does not say.
    ///
    /// Without `Date`, `Expires` is compared with our own clock. What a crawler makes of it is for
    /// [`Profile::lifetime`](super::Profile::lifetime) to say.
    pub fn stated_lifetime(&self, received: Timestamp) -> Option<u64> {
        if self.no_store || self.no_cache {
            return Some(0);
        }
        let until_expiry =
            |expires: Timestamp| expires.since(self.date.unwrap_or(received)).as_secs();
        let stated = self.max_age.or_else(|| self.expires.map(until_expiry))?;
        Some(stated.saturating_sub(self.age.unwrap_or(0)))
    }
}
