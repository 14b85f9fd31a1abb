//! A second, simple implementation of the values that the properties recompute, for every dialect.
//!
//! It reads the rows of [`Dialect`](verger::Dialect) as data and is independent of the engine's
//! code: it copies, tabulates and tries all possibilities.

mod form;
mod glob;
mod groups;
mod rules;
mod url;

pub(crate) use form::{Side, escape_at, normal};
pub(crate) use glob::Glob;
pub(crate) use groups::{agent_name, is_space, selected, short};
pub(crate) use rules::contest;
pub(crate) use url::{default_port, target};
