//! The record of one origin: its last file, its last response, and its state.
//!
//! # Flow
//!
//! A fetch ends as an [`Attempt`]. [`OriginRecord::after`] makes the next record of it: it chooses
//! the file and advances the [`State`] (`advance.rs`). A record is read with [`ReadOptions`]: an
//! access profile, a fetching identity and a size limit. `codec/` encodes a record with its
//! [`RecordKey`] and checksums; invalid bytes are a [`Miss`].

mod advance;
mod codec;
mod file;
mod read_options;
mod records;
mod response;

use std::sync::Arc;

use verger::Origin;
use verger::access::{Access, Meaning, Profile, State, Timestamp};

pub use advance::{Attempt, Next};
#[cfg(all(test, feature = "sqlite"))]
pub(crate) use codec::BODY_OFFSET;
use codec::VERSION;
pub use file::{Body, File, Lifetime, Redirect, Validators};
pub(crate) use read_options::parts;
pub use read_options::{ReadOptions, RecordKey};
pub use records::{Miss, Records};
pub use response::{BackOff, Response};

/// The stored knowledge about the robots.txt of one origin, for one access profile and one fetching
/// identity (REP-CACHE-4, REP-CACHE-29).
///
/// The file can be parsed in any dialect. It is stored while the state uses it. Clones share file
/// and response.
///
/// # Examples
///
/// A crawler with its own HTTP library:
///
/// ```
/// use verger::Origin;
/// use verger::access::{Kind, Outcome, Profile, Timestamp};
/// use verger_fetch::record::{Attempt, File, Miss, OriginRecord, Response, ReadOptions};
///
/// let origin = Origin::from_parts("https", "shop.example", None)?;
/// let options = ReadOptions::new(Profile::RFC9309).with_identity("ExampleBot");
/// let (key, now) = (options.key(&origin), Timestamp::from_seconds(1_763_700_000));
/// let record = OriginRecord::new(key.clone());
/// assert!(record.needs_fetch(&options, now));
///
/// // It fetched robots.txt and got a whole file.
/// let mut attempt = Attempt::new(Response::new(now, Outcome::Success, origin.robots_url()));
/// attempt.file = Some(File::new(&origin, "User-agent: *\nDisallow: /cart\n", now));
/// let record = record.after(None, &options, attempt, 4).shared.expect("the file is new");
/// assert_eq!(record.access(&options, now, false).kind(), Kind::Rules);
///
/// let bytes = record.encode();
/// assert_eq!(OriginRecord::decode(&bytes, &key), Ok(record));
/// assert_eq!(OriginRecord::decode(&bytes[1..], &key), Err(Miss::Damaged));
/// # Ok::<(), verger::OriginError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OriginRecord {
    key: RecordKey,
    state: State,
    /// The last whole file; a cut file or a part only if no whole one is in use.
    file: Option<Arc<File>>,
    /// A cut body or a part that came after a whole file, without replacing it (REP-CACHE-29).
    piece: Option<Arc<File>>,
    last: Option<Arc<Response>>,
    /// End of the last fetch.
    tried_at: Timestamp,
    /// The back-off of the origin when the record was read. It is not part of the encoding, because
    /// all records of the origin share it.
    back_off: Option<BackOff>,
    /// Schedules the next try after a fault of the client, like an outage. Never stored
    /// (REP-CACHE-28).
    fault: Option<State>,
    /// For a client's own record: the last try of the shared record that it is based on. Never
    /// stored.
    based_on: Timestamp,
}

/// The requests that led to a file or a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RedirectChain<'r> {
    /// The redirects, in order.
    pub redirects: &'r [Redirect],
    /// The final URL.
    pub final_url: &'r str,
    /// Whether a redirect led from https to http.
    pub downgraded: bool,
}

impl<'r> RedirectChain<'r> {
    /// The chain of a file, or without one of a response.
    pub fn of(file: Option<&'r File>, response: Option<&'r Response>) -> Self {
        match (file, response) {
            (Some(File { redirects, final_url, downgraded, .. }), _)
            | (None, Some(Response { redirects, final_url, downgraded, .. })) => {
                Self { redirects, final_url, downgraded: *downgraded }
            }
            (None, None) => Self { redirects: &[], final_url: "", downgraded: false },
        }
    }
}

impl OriginRecord {
    /// An empty record.
    pub const fn new(key: RecordKey) -> Self {
        let (tried_at, based_on) = (Timestamp::EPOCH, Timestamp::EPOCH);
        Self {
            key,
            state: State::UNKNOWN,
            file: None,
            piece: None,
            last: None,
            tried_at,
            back_off: None,
            fault: None,
            based_on,
        }
    }

    /// The key of the record.
    pub const fn key(&self) -> &RecordKey {
        &self.key
    }

    /// The origin of the robots.txt: that of the first requested URL (REP-CACHE-3).
    pub const fn origin(&self) -> &Origin {
        self.key.origin()
    }

    /// The last whole file, or a cut one if there is no other; `None` if the state uses none.
    pub fn file(&self) -> Option<&File> {
        self.file.as_deref()
    }

    /// The cut or partial body that came after [`file`](Self::file).
    pub fn piece(&self) -> Option<&File> {
        self.piece.as_deref()
    }

    /// The last response; `None` before the first.
    pub const fn last(&self) -> Option<&Arc<Response>> {
        self.last.as_ref()
    }

    /// The state.
    pub const fn state(&self) -> State {
        self.state
    }

    /// The back-off of page requests, if the origin refused the last one. It belongs to the origin:
    /// a store gives it to all of its records ([`Store::set_back_off`](crate::store::Store)).
    pub const fn back_off(&self) -> Option<BackOff> {
        self.back_off
    }

    /// This record with another back-off.
    #[must_use]
    pub fn with_back_off(self, back_off: Option<BackOff>) -> Self {
        Self { back_off, ..self }
    }

    /// Sets the back-off of a shared record, which is copied if it changes.
    pub(crate) fn set_back_off(record: &mut Arc<Self>, back_off: Option<BackOff>) {
        if record.back_off != back_off {
            Arc::make_mut(record).back_off = back_off;
        }
    }

    /// The same; of two back-offs the one that ends later remains.
    pub(crate) fn advance_back_off(record: &mut Arc<Self>, back_off: Option<BackOff>) {
        let before = record.back_off;
        Self::set_back_off(record, back_off.and_then(|next| BackOff::later(before, Some(next))));
    }

    /// Whether two records are the same, apart from the back-off of their origin.
    pub fn is_same(&self, other: &Self) -> bool {
        // Clones share file and response.
        self.back_off == other.back_off && self == other
            || self.clone().with_back_off(other.back_off) == *other
    }

    /// Whether a fetch is due for a reader.
    pub fn needs_fetch(&self, options: &ReadOptions, now: Timestamp) -> bool {
        let seen = self.effective_state(options);
        // A reader that needs a longer file also leaves a failing site alone.
        let is_held = seen != self.state && self.has_just_failed(options, now);
        seen.needs_fetch(now) && !is_held && self.fault.is_none_or(|fault| fault.needs_fetch(now))
    }

    /// Time at which the next fetch is due; in the past if it is due now.
    pub fn next_try(&self) -> Timestamp {
        let next = self.state.next_try();
        self.fault.map_or(next, |fault| next.max(fault.next_try()))
    }

    /// The access of a reader at `now`; see [`State::access`]. After a fault of the client the
    /// previous answer still applies ([`State::access_without_fetch`], REP-CACHE-28). A file that
    /// was cut below the reader's size limit allows nothing: the rest may forbid it (REP-CACHE-30).
    pub fn access(&self, options: &ReadOptions, now: Timestamp, site_available: bool) -> Access {
        let (seen, profile) = (self.effective_state(options), options.profile());
        let profile = if site_available { &profile.with_site_available() } else { profile };
        let is_short = !self.file_for(options).is_some_and(|file| file.reaches(options));
        if self.state.has_copy() && is_short {
            State::UNKNOWN.access_without_fetch(profile, now)
        } else if self.fault.is_some() || seen != self.state && self.has_just_failed(options, now) {
            seen.access_without_fetch(profile, now)
        } else {
            seen.access(profile, now)
        }
    }

    /// Whether an expired result may answer a reader while a new one is fetched.
    pub fn may_answer_while_refreshing(&self, options: &ReadOptions, now: Timestamp) -> bool {
        self.effective_state(options).may_answer_while_refreshing(now)
    }

    /// The file for a reader: the newest one that reaches its size limit, otherwise the first one,
    /// which allows nothing ([`access`](Self::access), REP-CACHE-30). `None` if the state uses no
    /// file.
    pub fn file_for(&self, options: &ReadOptions) -> Option<&Arc<File>> {
        let mut files = [&self.file, &self.piece].into_iter().flatten();
        let newest = files.clone().rfind(|file| file.reaches(options));
        newest.or_else(|| files.next()).filter(|_| self.state.has_copy())
    }

    /// The state for a reader, or a corrected one if its file is older than the last result or too
    /// short (REP-CACHE-30). During an outage the state does not change, whatever the age of the
    /// file.
    pub(super) fn effective_state(&self, options: &ReadOptions) -> State {
        if !self.state.has_copy() || self.state.failures() > 0 {
            return self.state;
        }
        match self.file_for(options).filter(|file| file.reaches(options)) {
            None => State::UNKNOWN,
            Some(file) if self.piece.as_ref().is_some_and(|piece| !Arc::ptr_eq(piece, file)) => {
                State::UNKNOWN.after(options.profile(), file.report(), file.fetched_at)
            }
            Some(_) => self.state,
        }
    }

    /// The file whose validators a fetch for a reader may send: one that reaches its size limit
    /// (REP-CACHE-30).
    pub fn validated_file(&self, options: &ReadOptions) -> Option<&Arc<File>> {
        let has_validators = |file: &&Arc<File>| !file.validators.is_empty();
        self.whole_file_for(options).filter(has_validators)
    }

    /// The file for a reader, if no part of it that the reader needs can be missing.
    pub(super) fn whole_file_for(&self, options: &ReadOptions) -> Option<&Arc<File>> {
        self.file_for(options).filter(|file| file.reaches(options) && !file.is_part())
    }

    /// Whether the client or its network had a fault in the last fetch.
    pub const fn has_fault(&self) -> bool {
        self.fault.is_some()
    }

    /// Whether the last fetch failed recently, so that the site should be left alone, even for
    /// callers that want to replace a fresh result.
    pub(crate) fn has_just_failed(&self, options: &ReadOptions, now: Timestamp) -> bool {
        let profile = options.profile();
        let has_failed =
            |last: &&Arc<Response>| profile.meaning(last.outcome) == Meaning::Unreachable;
        let Some(last) = self.last().filter(has_failed) else { return false };
        let before = last.failures.saturating_sub(1);
        let wait = profile.retry_wait(before, last.retry_after, 0);
        last.tried_at <= now && now < last.tried_at.after(wait)
    }

    /// Time of the host's last response, unless the host is `except` (REP-CACHE-28).
    pub(crate) fn last_answer_unless(&self, except: &str) -> Option<Timestamp> {
        // An unclear status is perhaps that of a proxy.
        let has_status =
            |response: &&Arc<Response>| response.status.is_some() && !response.is_unclear;
        let answered = self.last().filter(has_status)?;
        (!is_same_host(self.origin().host(), except)).then_some(answered.tried_at)
    }

    /// End of the last fetch, with or without a response; 1970 before the first.
    pub const fn tried_at(&self) -> Timestamp {
        self.tried_at
    }

    /// The state as a word: `rules`, `allow_all`, `disallow_all`; `unreachable` during an outage,
    /// when the profile decides; `unknown` before the first response.
    pub fn kind(&self) -> &'static str {
        if self.state.failing_since().is_some() {
            return "unreachable";
        }
        // Without an outage the profile does not matter, and a result is fresh when it is fetched.
        let now = self.state.fetched_at().unwrap_or(Timestamp::EPOCH);
        self.state.access(&Profile::default(), now).kind().name()
    }

    /// This record after a due fetch was impossible, for example offline. The previous answer still
    /// applies (REP-CACHE-28).
    #[must_use]
    pub fn with_fault(self, response: Response) -> Self {
        let fault = self.fault.or(Some(State::UNKNOWN));
        let tried_at = response.tried_at;
        Self { last: Some(Arc::new(response)), tried_at, fault, ..self }
    }
}

/// Whether two names are those of one host: a dot at the end makes no other one.
pub(crate) fn is_same_host(host: &str, other: &str) -> bool {
    host.trim_end_matches('.') == other.trim_end_matches('.')
}

#[cfg(test)]
pub(crate) mod tests {
    use verger::access::Outcome;

    use super::*;

    /// A record with a file that was fetched in 1970.
    pub(crate) fn record_of(origin: &Origin, body: impl Into<Vec<u8>>) -> OriginRecord {
        let now = Timestamp::EPOCH;
        let response = Response::new(now, Outcome::Success, origin.robots_url());
        let mut attempt = Attempt::new(Response { status: Some(200), ..response });
        attempt.file = Some(File::new(origin, body, now));
        let options = ReadOptions::new(Profile::RFC9309);
        OriginRecord::new(options.key(origin)).after(None, &options, attempt, 0).shared.unwrap()
    }

    #[test]
    fn each_state_has_a_name() {
        let now = Timestamp::from_seconds(1_700_000_000);
        let origin = Origin::from_parts("https", "shop.example", None).unwrap();
        for (profile, outcome, expected) in [
            (Profile::RFC9309, Outcome::Success, "rules"),
            (Profile::RFC9309, Outcome::Status(404), "allow_all"),
            (Profile::STRICT, Outcome::Status(403), "disallow_all"),
            (Profile::RFC9309, Outcome::Status(503), "unreachable"),
        ] {
            let state = State::UNKNOWN.after(&profile, outcome, now);
            let key = ReadOptions::new(profile).key(&origin);
            let record = OriginRecord { state, ..OriginRecord::new(key) };
            assert_eq!(record.kind(), expected, "{outcome:?}");
        }
    }
}
