//! Every number this crate is bounded by, with its reason.

/// Bytes of the `id` of a question, as it is written: every answer repeats it.
pub const ID_BYTES: usize = 256;

/// Agents of a group that an answer names; more are counted. A batch repeats them in every answer, and a
/// file may have tens of thousands of them for one group.
pub const ANSWER_AGENTS: usize = 100;
