//! What was found, for people: tables and charts on one page.

mod chart;
mod goals;
mod own;
mod page;
mod sections;
mod svg;
mod table;

pub(crate) use sections::page;
