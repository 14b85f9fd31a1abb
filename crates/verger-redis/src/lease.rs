//! Leases of fetches.

use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;
use verger_fetch::polite::TurnId;
use verger_fetch::record::RecordKey;
use verger_fetch::store::{Claim, Lease, Pending, StoreError};

use crate::limits::FENCE_TIME;
use crate::store::{Shared, millis};

/// A lease in Redis. Its drop releases it in a task of the runtime that claimed it.
#[derive(Debug)]
struct RedisLease {
    shared: Arc<Shared>,
    key: String,
    id: String,
    fence: u64,
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
            key: key.clone(),
            id: TurnId::random().to_string(),
            fence: 0,
            runtime: Handle::current(),
        };
        let times = [millis(time), millis(FENCE_TIME)];
        let arguments = [lease.id.as_bytes(), times[0].as_bytes(), times[1].as_bytes()];
        // If this call is cancelled, the drop of the lease releases it.
        let (script, keys) = (&self.scripts.claim, [key]);
        let run = self.link.run("claim", script, &keys, &arguments);
        let (is_granted, number): (bool, u64) = run.await?;
        if is_granted {
            lease.fence = number;
            return Ok(Claim::Granted(Box::new(lease)));
        }
        lease.id.clear();
        Ok(Claim::Held { left: Duration::from_millis(number) })
    }
}

impl Lease for RedisLease {
    fn fence(&self) -> u64 {
        self.fence
    }

    fn renew(&self, time: Duration) -> Pending<'_, bool> {
        Box::pin(async move {
            let Self { shared, key, id, .. } = self;
            let times = [millis(time), millis(FENCE_TIME)];
            let arguments = [id.as_bytes(), times[0].as_bytes(), times[1].as_bytes()];
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
