//! All limits of this crate, with their reasons.

/// Bytes of the `id` of a question in its JSON form, which every answer repeats.
pub(crate) const ID_BYTES: usize = 256;

/// Maximum number of agents of a group in an answer; further ones are counted. A batch repeats them
/// in every answer, and a file may have tens of thousands of them for one group.
pub const ANSWER_AGENTS: usize = 100;

/// Maximum changed URLs of a site for each crawler in a difference, those with the most requests.
#[cfg(feature = "analysis")]
pub(crate) const TOP_URLS: usize = 10;
