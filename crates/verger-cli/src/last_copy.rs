//! The last copy of a file whose site is down: from when it is, and when it was last tried to fetch another.

use verger::Untrusted;
use verger_fetch::record::Record;

use crate::time::time;

/// What to warn of where the file of a record is shown and is the last copy; `None` where it is not.
pub(crate) fn warning(record: &Record) -> Option<String> {
    let failure = Untrusted::new(record.answer().failure.as_deref()?);
    let fetched = record.fetched_at().filter(|_| record.state().has_copy())?;
    let tried = last_try(record).map(|tried| format!(", last try {tried}")).unwrap_or_default();
    Some(format!("this is the last copy, of {}: {failure}{tried}", time(fetched)))
}

/// When it was last tried; `None` where nothing was, because nothing may be sent.
pub(crate) fn last_try(record: &Record) -> Option<String> {
    let is_offline = |failure: &str| failure.starts_with("offline, ");
    let was_tried = !record.answer().failure.as_deref().is_some_and(is_offline);
    was_tried.then(|| time(record.tried_at()))
}
