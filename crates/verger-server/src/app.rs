//! The state that all handlers share.

use std::sync::Arc;
use std::time::Duration;

use metrics_exporter_prometheus::PrometheusHandle;
use tokio::sync::{Mutex, Semaphore};
use tokio::time::Instant;
use verger_fetch::polite::TurnStore;
use verger_fetch::store::Store;
use verger_identity::Identifier;
use verger_identity::net::Lookups;

use crate::access_control::AccessControl;
use crate::answers::Answers;
use crate::refreshes::Refreshes;
use crate::settings::Settings;
use crate::stopping::Stopping;
use crate::work::Work;

/// All that handlers share.
#[derive(Debug)]
pub(crate) struct App {
    pub(crate) answers: Answers,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) turns: Arc<dyn TurnStore>,
    pub(crate) identification: Identification,
    pub(crate) settings: Settings,
    pub(crate) access: AccessControl,
    pub(crate) work: Work,
    pub(crate) refreshes: Refreshes,
    pub(crate) prometheus: PrometheusHandle,
    pub(crate) stopping: Stopping,
    /// Whether the store answered the last probe, and when.
    pub(crate) ready: Mutex<Option<(bool, Instant)>>,
    /// Limits the concurrent requests.
    pub(crate) places: Arc<Semaphore>,
    /// Limits the turns that are given back now.
    pub(crate) giving_back: Arc<Semaphore>,
}

/// The proofs of who sent a request.
#[derive(Debug)]
pub(crate) struct Identification {
    pub(crate) identifier: Identifier,
    /// Questions to name servers and to directories of keys.
    pub(crate) lookups: Lookups,
}

impl App {
    /// The wait of a question.
    pub(crate) fn wait(&self, asked: Option<Duration>) -> Duration {
        asked.unwrap_or(self.settings.wait)
    }

    /// The number of running requests.
    pub(crate) fn running(&self) -> usize {
        self.settings.max_requests - self.places.available_permits()
    }
}
