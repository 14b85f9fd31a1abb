//! Records with more than one file.

use std::sync::Arc;

use verger::access::{Meaning, Outcome, Profile, Timestamp};
use verger_fetch::limits::BODY;
use verger_fetch::record::{Attempt, File, OriginRecord, ReadOptions, Response, Validators};
use verger_fetch::store::Store as _;

use super::place;
use crate::common::records::origin;
use crate::common::{open, run};

const URL: &str = "https://a.example/robots.txt";

/// An attempt with status 200 and a file of this size.
fn attempt(seconds: u64, bytes: usize, cut_at: Option<u64>) -> Attempt {
    let now = Timestamp::from_seconds(seconds);
    let response = Response { status: Some(200), ..Response::new(now, Outcome::Success, URL) };
    let mut attempt = Attempt::new(response);
    let file = File::new(&origin("a.example"), vec![b'#'; bytes], now);
    attempt.file = Some(File { cut_at, ..file });
    attempt
}

#[test]
fn record_with_two_files_of_the_largest_size_is_stored() {
    let (_folder, path) = place();
    let options = ReadOptions::new(Profile::RFC9309).with_body_limit(BODY.most);
    let record = OriginRecord::new(options.key(&origin("a.example")));
    let record = record.after(None, &options, attempt(10, BODY.most, None), 0).shared.unwrap();
    let cut = Some(BODY.most as u64);
    let record = record.after(None, &options, attempt(20, BODY.most, cut), 0).shared.unwrap();
    assert!(record.file().is_some() && record.piece().is_some());
    let store = open(&path).unwrap();
    run(store.put(Arc::new(record.clone()))).unwrap();
    let found = run(store.get(record.key())).unwrap().found();
    assert!(found.is_some_and(|found| *found == record));
}

/// The body of a reader's file; `None` without one.
fn body(record: &OriginRecord, options: &ReadOptions) -> Option<Vec<u8>> {
    record.file_for(options).map(|file| file.body.as_bytes().to_vec())
}

/// A response with a body.
fn with_body(at: u64, outcome: Outcome, body: &str, etag: &[u8]) -> Attempt {
    let now = Timestamp::from_seconds(at);
    let validators = Validators { etag: Some(etag.to_vec()), last_modified: None };
    let mut attempt = Attempt::new(Response::new(now, outcome, origin("a.example").robots_url()));
    attempt.file = Some(File { outcome, validators, ..File::new(&origin("a.example"), body, now) });
    attempt
}

#[test]
fn rep_cache_28b_a_response_that_is_a_failure_in_the_profile_replaces_no_file() {
    const DAY: u64 = 24 * 60 * 60;
    let outcomes = [202, 203, 204, 206].map(Outcome::Status);
    let mut rows = Vec::from(Profile::ALL);
    let mut row = Profile::RFC9309;
    (row.no_content, row.other_success) = (Meaning::Unreachable, Meaning::Unreachable);
    rows.push(row);
    for row in rows {
        let options = ReadOptions::new(row);
        for outcome in outcomes.into_iter().chain([Outcome::AcceptedEmpty]) {
            // While the file is fresh, and later.
            for at in [1, 2 * DAY] {
                let first = with_body(0, Outcome::Success, "# rules", b"1");
                let record = OriginRecord::new(options.key(&origin("a.example")))
                    .after(None, &options, first, 0);
                let next = with_body(at, outcome, "", b"2");
                let next = record.shared.unwrap().after(None, &options, next, 0).shared;
                // REP-CACHE-29: a part replaces no fresh file, whatever it means in the profile.
                let is_less = outcome == Outcome::Status(206) && at == 1;
                let expected = match row.meaning(outcome) {
                    Meaning::Unreachable => Some(b"# rules".to_vec()),
                    _ if is_less => Some(b"# rules".to_vec()),
                    Meaning::Rules => Some(Vec::new()),
                    _ => None,
                };
                let found = body(&next.unwrap(), &options);
                assert_eq!(found, expected, "{} {outcome:?} at {at}", row.name);
            }
        }
    }
}
