//! What was found, for people.

mod table;

pub(crate) use table::{Table, grouped, percent, time, times};
