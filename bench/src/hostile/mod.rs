//! The worst inputs and their cost in the engine.

mod cases;
mod families;
mod measure;

pub(crate) use cases::of_suite;
pub(crate) use families::all as families;
pub(crate) use measure::{Cost, measure};
