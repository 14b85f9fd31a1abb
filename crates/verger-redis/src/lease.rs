//! Leases of fetches.

use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;
use verger_fetch::polite::TurnId;
use verger_fetch::record::RecordKey;
use verger_fetch::store::{Claim, Lease, Pending, StoreError};

use crate::store::{Shared, millis};

/// A lease in Redis. Its drop releases it in a task of the runtime that claimed it.
#[derive(Debug)]
struct RedisLease {
    shared: Arc<Shared>,
    key: String,
    id: String,
    runtime: Handle,
}

impl Shared {
    pub(crate) async fn claim(
        self: &Arc<Self>,
        key: &RecordKey,
        time: Duration,
    ) -> Result<Claim, StoreError> {
        let key = self.keys.of_record(key).lease();
        let mut lease = RedisLease {
            shared: Arc::clone(self),
            key,
            id: TurnId::random().to_string(),
            runtime: Handle::current(),
        };
        let time = millis(time);
        let arguments = [lease.id.as_bytes(), time.as_bytes()];
        // If this call is cancelled, the drop of the lease releases it.
        let keys = std::slice::from_ref(&lease.key);
        let run = self.link.run("claim", &self.scripts.claim, keys, &arguments);
        match run.await? {
            0 => Ok(Claim::Granted(Some(Box::new(lease)))),
            left => {
                lease.id.clear();
                Ok(Claim::Held { left: Duration::from_millis(left) })
            }
        }
    }
}

impl Lease for RedisLease {
    fn renew(&self, time: Duration) -> Pending<'_, bool> {
        Box::pin(async move {
            let Self { shared, key, id, .. } = self;
            let time = millis(time);
            let arguments = [id.as_bytes(), time.as_bytes()];
            let script = &shared.scripts.renew_lease;
            shared.link.run("renew", script, std::slice::from_ref(key), &arguments).await
        })
    }
}

impl Drop for RedisLease {
    fn drop(&mut self) {
        let (shared, key, id) =
            (Arc::clone(&self.shared), std::mem::take(&mut self.key), std::mem::take(&mut self.id));
        if id.is_empty() {
            return;
        }
        self.runtime.spawn(async move {
            let script = &shared.scripts.release_lease;
            let (keys, arguments) = ([key], [id.as_bytes()]);
            let run = shared.link.run::<i64>("release", script, &keys, &arguments);
            if let Err(error) = run.await {
                tracing::debug!(%error, "could not release a lease; it will expire");
            }
        });
    }
}
