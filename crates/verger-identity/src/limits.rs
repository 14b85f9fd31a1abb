//! All limits of this crate, with their reasons.

use core::time::Duration;

/// Age of a copy, at the time of a request, after which it is outdated: 60 days. Lists of addresses
/// change several times a month.
pub const MAX_LIST_AGE: Duration = Duration::from_secs(60 * DAY);
/// Time between a request and the copy of a list beyond which the list proves nothing: 400 days, a
/// year and a month. Operators give addresses back, and others get them.
pub const MAX_LIST_DISTANCE: Duration = Duration::from_secs(400 * DAY);
/// Minimum time between two fetches of a list: an hour, which JAFAR requires.
pub const LIST_PAUSE: Duration = Duration::from_secs(60 * 60);
/// Maximum bytes of a published list. The longest known one has 120 KiB.
pub const LIST_BYTES: usize = 4 << 20;
/// Shortest prefix of a list, for IPv4. A shorter one would verify a large part of the Internet.
pub const SHORTEST_V4: u8 = 8;
/// Shortest prefix of a list, for IPv6.
pub const SHORTEST_V6: u8 = 20;
/// Maximum number of crawlers of one User-Agent header that are checked. Previews name up to four.
/// A request with more is not verified.
pub const CLAIMS: usize = 8;
/// Latest time of a request in seconds since 1970: the end of the year 9999. Larger numbers are
/// mostly milliseconds.
pub const LATEST_SECONDS: u64 = 253_402_300_799;
/// Maximum number of host names of an address that are checked. Addresses of crawlers have one.
pub const HOST_NAMES: usize = 8;
/// Maximum addresses of a host name that are compared.
pub const HOST_ADDRESSES: usize = 64;
/// Maximum bytes of the three fields of a signature together. Signed requests have about 700.
pub const SIGNATURE_BYTES: usize = 16 << 10;
/// Maximum number of signatures of a request that are checked.
pub const SIGNATURES: usize = 4;
/// Maximum number of components that a signature covers.
pub const COMPONENTS: usize = 32;
/// Maximum lifetime of a signature, from `created` to `expires`: a day, which the draft recommends.
pub const SIGNATURE_LIFETIME: Duration = Duration::from_secs(DAY);
/// Lifetime of our own signatures.
pub const SIGNED_FOR: Duration = Duration::from_secs(60);
/// Maximum time by which `created` may be in the future, for clocks that differ.
pub const CLOCK_SKEW: Duration = Duration::from_secs(60);
/// Maximum bytes of a key set. Key sets in use have less than 2 KiB.
pub const KEY_SET_BYTES: usize = 64 << 10;
/// Maximum number of keys of a key set.
pub const KEYS: usize = 64;
/// Maximum number of remembered nonces of all agents.
pub const NONCES: usize = 400_000;
/// Maximum number of remembered nonces of one host with key sets.
pub const NONCES_PER_HOST: usize = NONCES / 4;
/// Lifetime of a fetched key set.
pub const KEY_SET_LIFETIME: Duration = Duration::from_secs(60 * 60);
/// Time after a failed fetch, or after a fetch without the requested key, until the next fetch.
pub const KEY_SET_PAUSE: Duration = Duration::from_secs(5 * 60);
/// Time for which the keys of a key set count after its last fetch, if later fetches fail: a day.
pub const KEY_SET_KEPT: Duration = Duration::from_secs(DAY);
/// Maximum number of key sets of unknown agents in memory.
pub const KEY_SETS: u64 = 1_024;
/// Maximum time for all look-ups of one request.
pub const LOOK_UP: Duration = Duration::from_secs(10);

const DAY: u64 = 24 * 60 * 60;
