//! Records with more than one file or response.

use std::sync::Arc;

use verger::access::{Outcome, Profile, Timestamp};
use verger_fetch::limits::BODY;
use verger_fetch::record::{Attempt, File, OriginRecord, ReadOptions, Response, Scope};
use verger_fetch::store::{MemoryStore, Store};

use super::common::{open, origin, run};
use super::place;

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
