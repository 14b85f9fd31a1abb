//! Functions of module `verger/tools`.

mod analysis;
mod crawlers;
mod diff;
mod lint;
mod remarks;
