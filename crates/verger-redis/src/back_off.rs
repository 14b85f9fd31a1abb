//! The back-off of page requests, which all records of an origin have.

use verger::Origin;
use verger::limits::RETRY;
use verger_fetch::record::BackOff;
use verger_fetch::store::StoreError;

use crate::store::{Shared, millis};
use crate::telemetry::Call;

impl Shared {
    /// Stores the later one of two, or ends it.
    pub(crate) async fn set_back_off(
        &self,
        origin: &Origin,
        back_off: Option<BackOff>,
    ) -> Result<(), StoreError> {
        let keys = [self.keys.of(origin).back_off()];
        let text = back_off.map(|it| format!("{} {}", it.until.seconds(), it.refusals));
        let (text, time) = (text.unwrap_or_default(), millis(RETRY));
        let arguments = [text.as_bytes(), time.as_bytes()];
        let script = &self.scripts.set_back_off;
        self.link.run::<i64>(Call::BackOff, script, &keys, &arguments).await.map(drop)
    }
}
