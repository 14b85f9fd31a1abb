//! The record that everyone who uses a store has, and that of one client alone.

use std::sync::Arc;

use verger::Origin;
use verger::access::Timestamp;

use super::{Record, Viewer};

/// Everything that a client knows of an origin.
#[derive(Clone, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "a shared record and the client's own")]
pub struct Known {
    /// The record of the store.
    pub shared: Option<Arc<Record>>,
    /// The client's own record ([`Next::own`](super::Next::own)).
    pub own: Option<Arc<Record>>,
    /// Whether the store may have a record that could not be read: its read failed, or the record has a
    /// newer version. Nothing is written over it.
    pub is_unread: bool,
}

impl Known {
    /// The record to answer a viewer by at `now`: the client's own, unless there was a fetch for
    /// everyone since. A fault of the client's own leaves the earlier answer in force.
    pub fn answer(&self, origin: &Origin, viewer: &Viewer) -> Option<Arc<Record>> {
        let Self { shared, own, .. } = self;
        let tried_at = shared.as_ref().map(|shared| shared.tried_at()).unwrap_or_default();
        match own.as_ref().filter(|own| own.based_on == tried_at) {
            Some(own) if own.has_fault() => {
                let before = shared.as_deref().cloned();
                let before = before.unwrap_or_else(|| Record::new(origin.clone()));
                Some(Arc::new(before.with_fault_of(viewer, own)))
            }
            Some(own) => Some(Arc::clone(own)),
            None => shared.clone(),
        }
    }
}

impl Record {
    /// The order of records by their last try; what a wrong clock wrote comes first.
    pub(crate) fn order(&self, now: Timestamp) -> (bool, Timestamp) {
        (self.tried_at() <= now, self.tried_at())
    }
}
