//! Results for people: tables and charts on one page.

mod chart;
mod own;
mod page;
mod sections;
pub(crate) mod table;

pub(crate) use sections::page;
