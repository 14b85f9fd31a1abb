//! Turns of all processes.

use std::sync::Arc;
use std::time::Duration;

use verger::Origin;
use verger_fetch::limits::{LONGEST_TURN_PAUSE, TURN_CHECK, TURN_HOLD};
use verger_fetch::polite::{Reservation, TurnId, TurnRequest, TurnStore};
use verger_fetch::store::{Pending, StoreError, StoreErrorKind};

use crate::limits::FENCE_TIME;
use crate::store::{RedisStore, Shared, millis};

#[derive(Debug)]
struct RedisTurns(Arc<Shared>);

impl RedisStore {
    /// The turns in the same namespace of the same Redis, decided by its clock.
    ///
    /// A Redis that loses its data, or fails over to a replica that lags, forgets turns and pauses;
    /// then an origin may get one request too early.
    pub fn turns(&self) -> Arc<dyn TurnStore> {
        Arc::new(RedisTurns(Arc::clone(&self.0)))
    }
}

impl RedisTurns {
    async fn run(
        &self,
        origin: &Origin,
        call: &str,
        id: TurnId,
        [pause, hold]: [Duration; 2],
        at_once: usize,
    ) -> Result<Vec<u64>, StoreError> {
        let Shared { link, keys, scripts, .. } = &*self.0;
        let id = id.to_string();
        let pause = whole_millis(pause.min(LONGEST_TURN_PAUSE));
        let hold = whole_millis(hold.min(TURN_HOLD.most));
        let (at_once, grace) = (at_once.max(1).to_string(), millis(FENCE_TIME));
        let check = millis(TURN_CHECK);
        let arguments = [call, &id, &pause, &hold, &at_once, &grace, &check].map(str::as_bytes);
        link.run("turn", &scripts.turns, &[keys.turns(origin)], &arguments).await
    }
}

impl TurnStore for RedisTurns {
    fn reserve<'a>(
        &'a self,
        origin: &'a Origin,
        request: &'a TurnRequest,
    ) -> Pending<'a, Reservation> {
        Box::pin(async move {
            let TurnRequest { id, pause, hold, at_once, .. } = *request;
            match *self.run(origin, "reserve", id, [pause, hold], at_once).await? {
                [1, fence, left] => {
                    Ok(Reservation::Granted { fence, left: Duration::from_millis(left) })
                }
                // A millisecond more, because the clock of Redis has begun one.
                [0, wait] => Ok(Reservation::Wait(Duration::from_millis(wait + 1))),
                _ => {
                    let message = "Redis sent an unexpected reply";
                    Err(StoreError::new(StoreErrorKind::Unrecognised, message))
                }
            }
        })
    }

    fn renew<'a>(&'a self, origin: &'a Origin, id: TurnId, hold: Duration) -> Pending<'a, bool> {
        Box::pin(async move {
            let reply = self.run(origin, "renew", id, [Duration::ZERO, hold], 1).await?;
            Ok(reply.first() == Some(&1))
        })
    }

    fn release<'a>(&'a self, origin: &'a Origin, id: TurnId, pause: Duration) -> Pending<'a, bool> {
        Box::pin(async move {
            let reply = self.run(origin, "release", id, [pause, Duration::ZERO], 1).await?;
            Ok(reply.first() == Some(&1))
        })
    }
}

/// Milliseconds, rounded up: a pause must not be too short.
fn whole_millis(time: Duration) -> String {
    time.as_nanos().div_ceil(1_000_000).to_string()
}
