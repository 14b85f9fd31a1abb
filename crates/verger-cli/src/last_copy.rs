//! The last copy of a file whose site is down: when it was fetched, and when the last try was.

use verger::access::Stale;
use verger_fetch::client::RobotsClient;
use verger_fetch::record::{Failure, OriginRecord, Response};

use crate::time::time;

/// The warning that the file of a record is the last copy; `None` where it is not.
pub(crate) fn warning(client: &RobotsClient, record: &OriginRecord) -> Option<String> {
    let last = record.last_for(client.read_options())?;
    let failure = last.failure.as_ref()?;
    let stale = client.access(record).stale()?;
    if !matches!(stale, Stale::DuringOutage | Stale::NotRefreshed) {
        return None;
    }
    let fetched = record.state(client.read_options()).fetched_at()?;
    let tried = last_try(last).map(|tried| format!(", last try {tried}")).unwrap_or_default();
    Some(format!("this is the last copy, of {}: {failure}{tried}", time(fetched.seconds())))
}

/// When the last try was; `None` where there was none, because the client is offline.
pub(crate) fn last_try(last: &Response) -> Option<String> {
    let is_offline = matches!(last.failure, Some(Failure::Offline { .. }));
    (!is_offline).then(|| time(last.tried_at.seconds()))
}
