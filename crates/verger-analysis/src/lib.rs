//! What a robots.txt means.
mod analysis;
mod change;
mod compare;
mod dead;
mod findings;
mod fresh;
mod glob;
mod index;
mod judge;
pub mod limits;
mod merge;
mod order;
mod redundant;
mod sent;
mod space;
mod spell;
mod state;
mod undecided;
mod witness;

pub use analysis::Analysis;
pub use compare::{Change, Comparison, Differences, Direction, compare};
pub use dead::{DeadCause, DeadRule};
pub use findings::Findings;
pub use redundant::RedundantRule;
pub use state::{Example, PatternState};
pub use undecided::Undecided;
pub use witness::Witness;
