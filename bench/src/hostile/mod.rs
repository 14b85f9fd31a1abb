//! The worst inputs and their cost in the engine.

mod cases;
mod families;
mod measure;
mod table;

pub use cases::{Case, of_suite};
pub use families::all as families;
pub use measure::{Allocated, Cost, Count, measure};
pub(crate) use table::{CHECK, MEMORY, PARSE};
pub use table::{ten_worst, worst_of_all};
