//! Reports on pages of the testkit's server.

mod collected;
mod page;
mod world;
