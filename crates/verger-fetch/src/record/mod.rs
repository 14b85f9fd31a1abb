//! The record of one origin: its last file, its last response, and a state for each access profile.
//!
//! # Flow
//!
//! A fetch ends as an [`Attempt`]. [`OriginRecord::after`] makes the next record of it: it chooses
//! the file and advances the [`State`] of every access profile in the record (`advance.rs`). A
//! record is read with [`ReadOptions`]: an access profile and a size limit. `codec/` encodes a record
//! with its origin and checksums; invalid bytes are a [`Miss`].

mod advance;
mod codec;
mod file;
mod read_options;
mod records;
mod response;

use std::sync::Arc;

use verger::Origin;
use verger::access::{Access, Kind, Meaning, Outcome, Profile, State, Timestamp};

pub use crate::fetch::Failure;
pub use advance::{Attempt, Next, Scope};
#[cfg(all(test, feature = "sqlite"))]
pub(crate) use codec::BODY_OFFSET;
pub use codec::VERSION;
pub use file::{Body, File, Lifetime, Redirect, Validators};
pub use read_options::ReadOptions;
pub use records::{Miss, Records};
pub use response::{BackOff, Response};

/// The stored knowledge about the robots.txt of one origin (REP-CACHE-4, REP-CACHE-29).
///
/// The file can be parsed in any dialect. It is stored while the state of any access profile uses
/// it. Clones share file and responses.
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
/// let options = ReadOptions::new(Profile::RFC9309);
/// let now = Timestamp::from_seconds(1_763_700_000);
/// let record = OriginRecord::new(origin.clone());
/// assert!(record.needs_fetch(&options, now));
///
/// // It fetched robots.txt and got a whole file.
/// let mut attempt = Attempt::new(Response::new(now, Outcome::Success, origin.robots_url()));
/// attempt.file = Some(File::new(&origin, "User-agent: *\nDisallow: /cart\n", now));
/// let record = record.after(None, &options, attempt, 4).shared.expect("the file is new");
/// assert_eq!(record.access(&options, now, false).kind(), Kind::Rules);
///
/// let bytes = record.encode();
/// assert_eq!(OriginRecord::decode(&bytes, &origin), Ok(record));
/// assert_eq!(OriginRecord::decode(&bytes[1..], &origin), Err(Miss::Damaged));
/// # Ok::<(), verger::OriginError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OriginRecord {
    origin: Origin,
    /// The last whole file; a cut file or a part only if no whole one is in use.
    file: Option<Arc<File>>,
    /// A cut body or a part that came after a whole file, without replacing it (REP-CACHE-29).
    piece: Option<Arc<File>>,
    last: Option<Arc<Response>>,
    /// End of the last fetch by any client.
    tried_at: Timestamp,
    /// The most recently used profile is first.
    states: Vec<ProfileState>,
    back_off: Option<BackOff>,
    /// Schedules the next try after a fault of the client, like an outage. Never stored
    /// (REP-CACHE-28).
    fault: Option<State>,
    /// For a client's own record: the last try of the shared record that it is based on. Never
    /// stored.
    based_on: Timestamp,
}

/// The state of one access profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProfileState {
    /// The name of the profile ([`ReadOptions::name`]).
    pub profile: Arc<str>,
    /// Its state.
    pub state: State,
    /// The response that ended the last fetch by a rule of this profile, for example its redirect
    /// limit; `None` if the last response of the record applies (REP-CACHE-29).
    pub response: Option<Arc<Response>>,
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
    /// The empty record of an origin.
    pub const fn new(origin: Origin) -> Self {
        let (tried_at, based_on) = (Timestamp::EPOCH, Timestamp::EPOCH);
        Self {
            origin,
            file: None,
            piece: None,
            last: None,
            tried_at,
            states: Vec::new(),
            back_off: None,
            fault: None,
            based_on,
        }
    }

    /// The origin of the robots.txt: that of the first requested URL (REP-CACHE-3).
    pub const fn origin(&self) -> &Origin {
        &self.origin
    }

    /// The last whole file, or a cut one if there is no other; `None` if no state uses it.
    pub fn file(&self) -> Option<&File> {
        self.file.as_deref()
    }

    /// The cut or partial body that came after [`file`](Self::file).
    pub fn piece(&self) -> Option<&File> {
        self.piece.as_deref()
    }

    /// The last response that is the same for every access profile; `None` before the first.
    pub fn last(&self) -> Option<&Response> {
        self.last.as_deref()
    }

    /// The last response for a reader: the one that its profile's rule ended, otherwise the last
    /// response of the record.
    pub fn last_for(&self, options: &ReadOptions) -> Option<&Arc<Response>> {
        let own = self.entry(options).and_then(|entry| entry.response.as_ref());
        own.filter(|_| self.fault.is_none()).or(self.last.as_ref())
    }

    /// The last response for the most recently used profile.
    pub fn last_for_latest(&self) -> Option<&Arc<Response>> {
        let own = self.states.first().and_then(|entry| entry.response.as_ref());
        own.filter(|_| self.fault.is_none()).or(self.last.as_ref())
    }

    /// The states of all access profiles in the record, the most recently used first.
    pub fn states(&self) -> &[ProfileState] {
        &self.states
    }

    /// The back-off of page requests, if the origin refused the last one.
    pub const fn back_off(&self) -> Option<BackOff> {
        self.back_off
    }

    /// This record with another back-off.
    #[must_use]
    pub fn with_back_off(self, back_off: Option<BackOff>) -> Self {
        Self { back_off, ..self }
    }

    /// The state of a reader's access profile. A new profile starts from the last file and the last
    /// response (REP-CACHE-29).
    pub fn state(&self, options: &ReadOptions) -> State {
        self.entry(options).map_or_else(|| self.start(options.profile()), |entry| entry.state)
    }

    /// Whether the record has a state for a reader's profile.
    pub(crate) fn has_state(&self, options: &ReadOptions) -> bool {
        self.entry(options).is_some()
    }

    fn entry(&self, options: &ReadOptions) -> Option<&ProfileState> {
        self.states.iter().find(|entry| *entry.profile == *options.name())
    }

    /// Whether a fetch is due for a reader.
    pub fn needs_fetch(&self, options: &ReadOptions, now: Timestamp) -> bool {
        let state = self.state(options);
        let seen = self.effective_state(options, state);
        // A reader that needs a longer file also leaves a failing site alone.
        let is_held = seen != state && self.has_just_failed(options, now);
        seen.needs_fetch(now) && !is_held && self.fault.is_none_or(|fault| fault.needs_fetch(now))
    }

    /// Time at which the next fetch for a reader is due; in the past if it is due now.
    pub fn next_try(&self, options: &ReadOptions) -> Timestamp {
        let next = self.state(options).next_try();
        self.fault.map_or(next, |fault| next.max(fault.next_try()))
    }

    /// The access of a reader at `now`; see [`State::access`]. After a fault of the client the
    /// previous answer still applies ([`State::access_without_fetch`], REP-CACHE-28). A file that
    /// was cut below the reader's size limit allows nothing: the rest may forbid it (REP-CACHE-30).
    pub fn access(&self, options: &ReadOptions, now: Timestamp, site_available: bool) -> Access {
        let (state, profile) = (self.state(options), options.profile());
        let seen = self.effective_state(options, state);
        if state.has_copy() && !self.file_for(options).is_some_and(|file| file.reaches(options)) {
            State::UNKNOWN.access_without_fetch(profile, now, site_available)
        } else if self.fault.is_some() || seen != state && self.has_just_failed(options, now) {
            seen.access_without_fetch(profile, now, site_available)
        } else {
            seen.access(profile, now, site_available)
        }
    }

    /// Whether an expired result may answer a reader while a new one is fetched.
    pub fn may_answer_while_refreshing(&self, options: &ReadOptions, now: Timestamp) -> bool {
        self.effective_state(options, self.state(options)).may_answer_while_refreshing(now)
    }

    /// The file for a reader: the newest one that reaches its size limit, otherwise the first
    /// usable one, which allows nothing ([`access`](Self::access), REP-CACHE-30). `None` if the
    /// reader's state uses no file.
    pub fn file_for(&self, options: &ReadOptions) -> Option<&Arc<File>> {
        let is_used = self.state(options).has_copy();
        let mut files = [&self.file, &self.piece].into_iter().flatten();
        let counts = |file: &&Arc<File>| is_used && file.counts_for(options.profile());
        let newest = files.clone().rfind(|file| counts(file) && file.reaches(options));
        newest.or_else(|| files.find(counts))
    }

    /// Whether one of its files has this SHA-256.
    pub(crate) fn has_file(&self, hash: [u8; 32]) -> bool {
        self.file().into_iter().chain(self.piece()).any(|file| *file.body.sha256() == hash)
    }

    /// The state for a reader, or a corrected one if its file is older than the last result or too
    /// short (REP-CACHE-30). During an outage the state does not change, whatever the age of the
    /// file.
    fn effective_state(&self, options: &ReadOptions, state: State) -> State {
        if !state.has_copy() || state.failures() > 0 {
            return state;
        }
        let is_older = |file: &Arc<File>| {
            let newer = self.piece.as_ref().filter(|piece| piece.counts_for(options.profile()));
            newer.is_some_and(|piece| !Arc::ptr_eq(piece, file))
        };
        match self.file_for(options).filter(|file| file.reaches(options)) {
            None => State::UNKNOWN,
            Some(file) if is_older(file) => {
                State::UNKNOWN.after(options.profile(), file.report(), file.fetched_at, 0)
            }
            Some(_) => state,
        }
    }

    /// The file whose validators a fetch for a reader may send: one that reaches its size limit
    /// (REP-CACHE-30).
    pub fn validated_file(&self, options: &ReadOptions) -> Option<&Arc<File>> {
        let is_enough = |file: &&Arc<File>| file.reaches(options) && !file.is_part();
        self.file_for(options).filter(is_enough).filter(|file| !file.validators.is_empty())
    }

    /// Whether the last fetching client or its network had a fault.
    pub const fn has_fault(&self) -> bool {
        self.fault.is_some()
    }

    /// Whether the last fetch failed recently, so that the site should be left alone, even for
    /// callers that want to replace a fresh result.
    pub(crate) fn has_just_failed(&self, options: &ReadOptions, now: Timestamp) -> bool {
        let profile = options.profile();
        let has_failed =
            |last: &&Response| profile.meaning(last.outcome_in(profile)) == Meaning::Unreachable;
        let last = self.last_for(options).map(|last| &**last);
        let Some(last) = last.filter(has_failed) else { return false };
        let before = last.failures.saturating_sub(1);
        let wait = profile.retry_wait(before, last.retry_after, 0);
        last.tried_at <= now && now < last.tried_at.after(wait)
    }

    /// Time of the host's last response, unless the host is `except` (REP-CACHE-28).
    pub(crate) fn last_answer_unless(&self, except: &str) -> Option<Timestamp> {
        // An unclear status is perhaps that of a proxy.
        let has_status =
            |response: &&Arc<Response>| response.status.is_some() && !response.is_unclear;
        let answered = self.last_for_latest().filter(has_status)?;
        (!is_same_host(self.origin.host(), except)).then_some(answered.tried_at)
    }

    /// End of the last fetch, with or without a response; 1970 before the first.
    pub const fn tried_at(&self) -> Timestamp {
        self.tried_at
    }

    /// The state of the most recently used profile as a word: `rules`, `allow_all`, `disallow_all`;
    /// `unreachable` during an outage; `unknown` before the first response.
    pub fn kind(&self) -> &'static str {
        self.states.first().map_or("unknown", ProfileState::kind)
    }

    /// Time at which the current result was fetched or renewed; during an outage, that of the
    /// stored copy. For the most recently used profile.
    pub fn fetched_at(&self) -> Option<Timestamp> {
        self.states.first()?.state.fetched_at()
    }

    /// End of the freshness of the result, or during an outage of the stored copy. For the most
    /// recently used profile.
    pub fn fresh_until(&self) -> Option<Timestamp> {
        self.states.first()?.state.fresh_until()
    }

    /// This record after a due fetch for a reader was impossible, for example offline. The previous
    /// answer still applies (REP-CACHE-28).
    #[must_use]
    pub fn with_fault(self, options: &ReadOptions, response: Response) -> Self {
        // The state first: it may start from the last response.
        let record = self.with_first(options);
        let fault = record.fault.or(Some(State::UNKNOWN));
        let tried_at = response.tried_at;
        Self { last: Some(Arc::new(response)), tried_at, fault, ..record }
    }

    /// This record with the last response and the fault of the reader's own record.
    pub(crate) fn with_fault_of(self, options: &ReadOptions, own: &Self) -> Self {
        let (last, tried_at, fault) = (own.last.clone(), own.tried_at, own.fault);
        Self { last, tried_at, fault, ..self.with_first(options) }
    }

    /// This record with the state of the reader's profile in the first position.
    #[must_use]
    pub fn with_first(mut self, options: &ReadOptions) -> Self {
        let known = self.states.iter().position(|entry| *entry.profile == *options.name());
        if let Some(at) = known {
            self.states[..=at].rotate_right(1);
        } else {
            let (profile, state) = (options.name().into(), self.state(options));
            self.states.insert(0, ProfileState { profile, state, response: None });
        }
        // The least recently used states are dropped.
        self.states.truncate(crate::limits::PROFILE_STATES);
        self
    }

    /// The state of a new profile.
    fn start(&self, profile: &Profile) -> State {
        let mut files = [&self.piece, &self.file].into_iter().flatten();
        let file = files.find(|file| file.counts_for(profile));
        let state = file.map_or(State::UNKNOWN, |file| {
            State::UNKNOWN.after(profile, file.report(), file.fetched_at, 0)
        });
        let Some(last) = self.last() else { return state };
        let is_response_to =
            |file: &Arc<File>| file.fetched_at == last.tried_at && last.brings_file();
        if file.is_some_and(is_response_to) {
            return state;
        }
        let outcome = last.outcome_in(profile);
        if outcome == Outcome::NotModified || profile.meaning(outcome) == Meaning::Rules {
            // Its file is missing, or not valid for this profile, so the state is that of the
            // previous file.
            return state;
        }
        let next = state.after(profile, last.report(outcome), last.tried_at, 0);
        let opens = next.access(profile, last.tried_at, false).kind() == Kind::AllowAll;
        // Other statuses are the site's: their doubt concerns only the network (REP-CACHE-28a).
        let is_doubtful = last.is_unclear && !matches!(last.status, Some(200..=428 | 430..=499));
        if is_doubtful && opens { state } else { next }
    }
}

/// Whether two names are those of one host: a dot at the end makes no other one.
pub(crate) fn is_same_host(host: &str, other: &str) -> bool {
    host.trim_end_matches('.') == other.trim_end_matches('.')
}

impl ProfileState {
    /// The state as a word: `rules`, `allow_all`, `disallow_all`; `unreachable` during an outage,
    /// when the profile decides; `unknown` before the first response.
    pub fn kind(&self) -> &'static str {
        let Self { state, .. } = self;
        if state.failing_since().is_some() {
            return "unreachable";
        }
        // Without an outage the profile does not matter, and a result is fresh when it is fetched.
        let now = state.fetched_at().unwrap_or(Timestamp::EPOCH);
        state.access(&Profile::default(), now, false).kind().name()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A record with a file that was fetched in 1970.
    pub(crate) fn record_of(origin: Origin, body: impl Into<Vec<u8>>) -> OriginRecord {
        let now = Timestamp::EPOCH;
        let response = Response::new(now, Outcome::Success, origin.robots_url());
        let mut attempt = Attempt::new(Response { status: Some(200), ..response });
        attempt.file = Some(File::new(&origin, body, now));
        let options = ReadOptions::new(Profile::RFC9309);
        OriginRecord::new(origin).after(None, &options, attempt, 0).shared.unwrap()
    }

    #[test]
    fn each_state_has_a_name() {
        let now = Timestamp::from_seconds(1_700_000_000);
        for (profile, outcome, expected) in [
            (Profile::RFC9309, Outcome::Success, "rules"),
            (Profile::RFC9309, Outcome::Status(404), "allow_all"),
            (Profile::STRICT, Outcome::Status(403), "disallow_all"),
            (Profile::RFC9309, Outcome::Status(503), "unreachable"),
        ] {
            let state = State::UNKNOWN.after(&profile, outcome, now, 0);
            let entry = ProfileState { profile: profile.name().into(), state, response: None };
            assert_eq!(entry.kind(), expected, "{outcome:?}");
        }
    }

    #[test]
    fn failures_by_a_rule_of_the_profile_are_counted() {
        let (options, seconds) = (ReadOptions::new(Profile::RFC9309), Timestamp::from_seconds);
        let mut record =
            OriginRecord::new(Origin::from_parts("https", "shop.example", None).unwrap());
        for number in 1..=3 {
            let now = seconds(u64::from(number) * 90_000);
            let response = Response::new(now, Outcome::RedirectLimit, "https://shop.example/");
            let mut attempt = Attempt::new(response);
            attempt.scope = Scope::Profile;
            record = record.after(None, &options, attempt, 0).shared.unwrap();
            assert_eq!(record.last_for(&options).unwrap().failures, number);
        }
    }

    #[test]
    fn custom_profile_starts_again_after_a_success_of_another_program() {
        let mut row = Profile::RFC9309;
        row.retry_first += std::time::Duration::from_secs(1);
        let (custom, other) = (ReadOptions::new(row), ReadOptions::new(Profile::RFC9309));
        let origin = Origin::from_parts("https", "shop.example", None).unwrap();
        let at = |day: u64| Timestamp::from_seconds(1_700_000_000 + day * 24 * 60 * 60);
        let kind = |record: &OriginRecord, now| record.access(&custom, now, false).kind();
        let failure = |now| Attempt::new(Response::new(now, Outcome::Status(503), "x"));
        let mut record = OriginRecord::new(origin.clone());
        for day in 0..=30 {
            record = record.after(None, &custom, failure(at(day)), 0).shared.unwrap();
        }
        assert_eq!(kind(&record, at(30)), Kind::AllowAll);
        // A failure reported by another program does not change an unknown row.
        let failed = record.after(None, &other, failure(at(30)), 0).shared.unwrap();
        assert_eq!(kind(&failed, at(30)), Kind::AllowAll);
        let success = Response::new(at(30), Outcome::Success, origin.robots_url());
        let mut attempt = Attempt::new(success);
        attempt.file = Some(File::new(&origin, "User-agent: *\nDisallow: /\n", at(30)));
        let record = failed.after(None, &other, attempt, 0).shared.unwrap();
        assert_eq!(kind(&record, at(30)), Kind::Rules);
        assert!(record.state(&custom).has_copy() && record.file_for(&custom).is_some());
    }
}
