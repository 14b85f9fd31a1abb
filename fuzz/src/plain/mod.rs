//! A second reading of what the properties recompute, for every dialect, as plain as possible.
//!
//! It knows the rows of [`Dialect`](verger::Dialect) as data and nothing of how the engine reads them:
//! it copies, tabulates and tries everything.

mod form;
mod glob;
mod groups;
mod name;
mod rules;
mod url;

pub(crate) use form::{Side, escape_at, normal};
pub(crate) use glob::Glob;
pub(crate) use groups::{selected, short};
pub(crate) use name::{agent_name, is_space};
pub(crate) use rules::contest;
pub(crate) use url::{default_port, target};
