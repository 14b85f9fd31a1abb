//! Results for people: tables and charts on one page.

mod chart;
mod goals;
mod own;
pub(crate) mod page;
mod sections;
mod svg;
pub(crate) mod table;

pub(crate) use sections::page;
