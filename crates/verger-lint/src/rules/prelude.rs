//! Names that most rules use.

pub(super) use verger::Span;
pub(super) use verger::diagnostic::Diagnostic;

pub(super) use crate::agents::{names, names_of};
pub(super) use crate::check::Findings;
pub(super) use crate::file::{File, closes, closes_all, insertion, removal, show, show_rule};
pub(super) use crate::finding::Finding;
pub(super) use crate::fix::{Edit, Fix, Safety};
pub(super) use crate::observation::{Observation, RESPONSE};
pub(super) use crate::pattern::is_everything;
pub(super) use crate::policies::{Policies, Policy};
pub(super) use crate::syntax::{LineKind, is_known_key};
