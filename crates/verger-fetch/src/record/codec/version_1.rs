//! Records of version 1: one state of one access profile.

use std::sync::Arc;

use verger::access::{Outcome, State, Timestamp};

use super::super::file::{Body, File, Lifetime, Validators};
use super::super::response::Response;
use super::super::{OriginRecord, ProfileState};
use super::parts::{Reader, read_origin, read_redirects};
use crate::fetch::Failure;

const TRUNCATED: u8 = 1;
const DOWNGRADED: u8 = 2;
const HTML: u8 = 4;

/// Bytes of a state of version 1.
const STATE: usize = 48;

/// Reads the record in a head of version 1 and its body. The file is preserved, and the count of an
/// outage begins (REP-CACHE-25).
pub(super) fn read(head: &[u8], body: Body) -> Option<OriginRecord> {
    let mut reader = Reader(head);
    let origin = read_origin(&mut reader)?;
    let state = State::decode(reader.take(STATE)?)?;
    let tried_at = Timestamp::from_seconds(reader.u64()?);
    let status = reader.option(Reader::u16)?;
    let (redirects, final_url) = read_redirects(&mut reader)?;
    let mut field = || reader.option(|reader| reader.bytes().map(<[u8]>::to_vec));
    let validators = Validators { etag: field()?, last_modified: field()? };
    let media_type = field()?;
    let profile = reader.text()?;
    let failure = reader.option(Reader::text)?;
    let flags = reader.u8().filter(|flags| flags & !(TRUNCATED | DOWNGRADED | HTML) == 0)?;
    reader.end()?;
    // The profile says whether the rules for a crawler applied to redirects. Then the result is
    // that crawler's alone.
    let (profile, is_for_crawler) = match profile.split_once(" for ") {
        Some((profile, _)) => (profile.to_owned(), true),
        None => (profile, false),
    };
    let outcome = outcome(status, state.failing_since().is_some(), &profile);
    let file = state.fetched_at().filter(|_| state.has_copy()).map(|fetched_at| File {
        outcome: file_outcome(status, &profile),
        fetched_at,
        lifetime: state
            .fresh_until()
            .map(|until| Lifetime { stated: until.since(fetched_at), by_max_age: true }),
        redirects: redirects.clone(),
        final_url: final_url.clone(),
        validators,
        media_type,
        // It was cut at the limit of its client.
        cut_at: (flags & TRUNCATED != 0).then_some(body.as_bytes().len() as u64),
        downgraded: flags & DOWNGRADED != 0,
        html: flags & HTML != 0,
        body,
    });
    // Validators of another origin were never written.
    if file.as_ref().is_some_and(|file| !file.validators.is_empty() && !file.is_from(&origin)) {
        return None;
    }
    let has_file = file.is_some();
    let last = Response {
        status,
        failure: failure.map(Failure::Message),
        downgraded: flags & DOWNGRADED != 0,
        redirects,
        ..Response::new(tried_at, outcome, final_url)
    };
    // A file needs a profile, otherwise nothing would use it.
    let is_stored = !profile.is_empty() && (has_file || !is_for_crawler);
    let states = is_stored.then(|| ProfileState { profile: profile.into(), state, response: None });
    let file = file.filter(|_| is_stored).map(Arc::new);
    let states = states.into_iter().collect();
    let last = Some(Arc::new(last));
    Some(OriginRecord { file, last, tried_at, states, ..OriginRecord::new(origin) })
}

/// The outcome for other profiles. Without a response, the fault may have been in the crawler's own
/// network; the end by a redirect or a limit was not written.
fn outcome(status: Option<u16>, is_outage: bool, profile: &str) -> Outcome {
    match status {
        Some(status @ (201..=299 | 400..=599)) => Outcome::Status(status),
        Some(200) if !is_outage => file_outcome(status, profile),
        _ => Outcome::LocalFault,
    }
}

/// During an outage the status is that of the failure, and profiles that accept a part as the file
/// may have one.
fn file_outcome(status: Option<u16>, profile: &str) -> Outcome {
    match status {
        Some(200 | 304) => Outcome::Success,
        Some(status @ 201..=299) => Outcome::Status(status),
        _ if profile.starts_with("google") => Outcome::Status(206),
        _ => Outcome::Success,
    }
}
