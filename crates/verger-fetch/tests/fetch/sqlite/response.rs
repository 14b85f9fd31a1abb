//! Records with more than one file or response.

use std::sync::Arc;

use verger::access::{Meaning, Outcome, Profile, Timestamp};
use verger_fetch::limits::BODY;
use verger_fetch::record::{Attempt, File, OriginRecord, ReadOptions, Response, Scope, Validators};
use verger_fetch::store::{MemoryStore, Store};

use super::place;
use crate::common::{open, origin, run};

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
fn later_try_for_one_profile_does_not_change_the_time_of_the_response() {
    let (_folder, path) = place();
    let (google, other) = (ReadOptions::new(Profile::GOOGLE), ReadOptions::new(Profile::RFC9309));
    let record = OriginRecord::new(origin("a.example"));
    let record = record.after(None, &other, attempt(10, 5, None), 0).shared.unwrap();
    let late = Timestamp::from_seconds(20);
    let mut limit = Attempt::new(Response::new(late, Outcome::RedirectLimit, URL));
    limit.scope = Scope::Profile;
    let record = record.after(None, &google, limit, 0).shared.unwrap();
    let record = Arc::new(record.with_first(&other));
    assert_eq!(record.tried_at(), late);
    let sqlite = open(&path).unwrap();
    for store in [&sqlite as &dyn Store, &MemoryStore::new()] {
        run(store.put(Arc::clone(&record))).unwrap();
        let last = run(store.last_answer("b.example")).unwrap();
        assert!(last <= Some(Timestamp::from_seconds(10)), "{store:?}: {last:?}");
    }
}

#[test]
fn record_with_two_files_of_the_largest_size_is_stored() {
    let (_folder, path) = place();
    let options = ReadOptions::new(Profile::RFC9309).with_body_limit(BODY.most);
    let record = OriginRecord::new(origin("a.example"));
    let record = record.after(None, &options, attempt(10, BODY.most, None), 0).shared.unwrap();
    let cut = Some(BODY.most as u64);
    let record = record.after(None, &options, attempt(20, BODY.most, cut), 0).shared.unwrap();
    assert!(record.file().is_some() && record.piece().is_some());
    let store = open(&path).unwrap();
    run(store.put(Arc::new(record.clone()))).unwrap();
    let found = run(store.get(&origin("a.example"))).unwrap().found();
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
                let record = OriginRecord::new(origin("a.example")).after(None, &options, first, 0);
                let next = with_body(at, outcome, "", b"2");
                let next = record.shared.unwrap().after(None, &options, next, 0).shared;
                let expected = match row.meaning(outcome) {
                    Meaning::Unreachable => Some(b"# rules".to_vec()),
                    Meaning::Rules => Some(Vec::new()),
                    _ => None,
                };
                let found = body(&next.unwrap(), &options);
                assert_eq!(found, expected, "{} {outcome:?} at {at}", row.name());
            }
        }
    }
}

#[test]
fn rep_cache_28b_each_profile_keeps_its_own_file_also_after_a_304() {
    let (google, rfc) = (ReadOptions::new(Profile::GOOGLE), ReadOptions::new(Profile::RFC9309));
    let first = with_body(0, Outcome::Success, "# rules", b"1");
    let record = OriginRecord::new(origin("a.example")).with_first(&rfc).with_first(&google);
    let record = record.after(None, &google, first, 0).shared.unwrap();
    let empty = with_body(100_000, Outcome::AcceptedEmpty, "", b"2");
    let record = record.after(None, &google, empty, 0).shared.unwrap();
    let bodies = |record: &OriginRecord| [&google, &rfc].map(|options| body(record, options));
    let expected = [Some(Vec::new()), Some(b"# rules".to_vec())];
    assert_eq!(bodies(&record), expected);
    assert_eq!(record.state(&rfc).failures(), 1);

    let now = Timestamp::from_seconds(200_000);
    let renewal = Response::new(now, Outcome::NotModified, origin("a.example").robots_url());
    let mut renewal = Attempt::new(renewal);
    renewal.renews = record.validated_file(&google).map(|file| *file.body.sha256());
    let record = record.after(None, &google, renewal, 0).shared.unwrap();
    assert_eq!(bodies(&record), expected);
    assert_eq!((record.state(&google).failures(), record.state(&rfc).failures()), (0, 2));
}
