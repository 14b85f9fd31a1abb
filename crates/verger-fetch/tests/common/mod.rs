//! Records whose content says what they are, so that a wrong one is noticed.

use std::future::Future;
use std::path::Path;
use std::sync::Arc;

use verger::Origin;
use verger::access::{Outcome, Profile, State, Timestamp};
use verger_fetch::record::{Answer, Body, Hop, Record, Validators};
use verger_fetch::store::{SqliteOptions, SqliteStore, StoreError};

pub(crate) fn run<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

pub(crate) fn open(path: &Path) -> Result<SqliteStore, StoreError> {
    run(SqliteStore::open(path, SqliteOptions::default()))
}

pub(crate) fn origin(host: &str) -> Origin {
    Origin::from_parts("https", host, None).unwrap()
}

/// The record of a host in its version `number`: every field depends on both.
pub(crate) fn record(host: &str, number: u64) -> Arc<Record> {
    let origin = origin(host);
    let line = format!("# {host} {number}\n");
    let answer = Answer {
        status: Some(u16::try_from(200 + number % 300).unwrap()),
        hops: vec![Hop { url: format!("{origin}/robots.txt?{number}"), status: 301 }],
        final_url: format!("{origin}/r{number}.txt"),
        validators: Validators { etag: Some(line.clone().into_bytes()), last_modified: None },
        media_type: Some(b"text/plain".to_vec()),
        truncated: number % 2 == 1,
        // From one line to some pages.
        body: Body::new(line.repeat(1 + usize::try_from(number % 600).unwrap())),
        ..Answer::default()
    };
    let now = Timestamp::from_seconds(number);
    let state = State::UNKNOWN.after(&Profile::RFC9309, Outcome::Success, now, 0);
    Arc::new(Record::new(origin, state, number, answer))
}

/// The number of a record of this host; `None` for one that was never made.
pub(crate) fn number_of(found: &Record, host: &str) -> Option<u64> {
    let number = found.tried_at();
    (*record(host, number) == *found).then_some(number)
}
