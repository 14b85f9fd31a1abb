//! Reports on pages of the testkit's server.

mod collected;
mod world;
