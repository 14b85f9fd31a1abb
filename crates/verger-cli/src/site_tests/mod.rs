//! Tests of a robots.txt: a proposal, and results as XML. `verger-json` reads and runs them.

mod junit;
mod propose;

pub(crate) use junit::write_junit;
pub(crate) use propose::proposal;
