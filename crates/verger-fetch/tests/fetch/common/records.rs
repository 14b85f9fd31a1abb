//! Records with identifying content, so that a wrong one is noticed.
#![expect(clippy::unwrap_used, reason = "a failed setup fails the test")]

use std::sync::Arc;

use verger::Origin;
use verger::access::{Outcome, Profile, Timestamp};
use verger_fetch::record::{
    Attempt, File, OriginRecord, ReadOptions, RecordKey, Redirect, Response, Validators,
};

pub(crate) fn origin(host: &str) -> Origin {
    Origin::from_parts("https", host, None).unwrap()
}

/// The options of all records.
pub(crate) fn options() -> ReadOptions {
    ReadOptions::new(Profile::RFC9309)
}

pub(crate) fn key(host: &str) -> RecordKey {
    options().key(&origin(host))
}

/// The record of a host in its version `number`: every field depends on both.
pub(crate) fn record(host: &str, number: u64) -> Arc<OriginRecord> {
    // From one line to some pages.
    let lines = 1 + usize::try_from(number % 600).unwrap();
    record_with(host, number, format!("# {host} {number}\n").repeat(lines).into_bytes())
}

/// The same with another body.
pub(crate) fn record_with(host: &str, number: u64, body: Vec<u8>) -> Arc<OriginRecord> {
    let origin = origin(host);
    let line = format!("# {host} {number}\n");
    let now = Timestamp::from_seconds(number);
    let redirects = vec![Redirect { url: format!("{origin}/robots.txt?{number}"), status: 301 }];
    let final_url = format!("{origin}/r{number}.txt");
    let response = Response {
        status: Some(u16::try_from(200 + number % 300).unwrap()),
        redirects: redirects.clone(),
        ..Response::new(now, Outcome::Success, final_url.clone())
    };
    let mut attempt = Attempt::new(response);
    attempt.file = Some(File {
        redirects,
        final_url,
        validators: Validators { etag: Some(line.into_bytes()), last_modified: None },
        media_type: Some(b"text/plain".to_vec()),
        cut_at: (number % 2 == 1).then_some(number),
        ..File::new(&origin, body, now)
    });
    let next = OriginRecord::new(key(host)).after(None, &options(), attempt, 0);
    Arc::new(next.shared.unwrap())
}

/// The number of a record of this host; `None` for one that was never made.
pub(crate) fn number_of(found: &OriginRecord, host: &str) -> Option<u64> {
    let number = found.tried_at().seconds();
    (*record(host, number) == *found).then_some(number)
}
