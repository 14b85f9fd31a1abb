//! The record of one origin: its last file, its last response, and a state for each access profile.
//!
//! # Flow
//!
//! A fetch ends as an [`Attempt`]. With it, [`OriginRecord::after`] makes the next record: it decides which
//! file is kept and advances the [`State`] of every access profile that has asked (`advance.rs`).
//! A [`Viewer`] reads a record by its own profile and size limit. `codec/` writes a record as bytes
//! that say for themselves whether they are whole and whose they are; anything else is a [`Miss`].

mod advance;
mod back_off;
mod body;
mod codec;
mod file;
mod known;
mod miss;
mod response;
mod viewer;

use std::sync::Arc;

use verger::Origin;
use verger::access::{Access, Kind, Meaning, Outcome, Profile, State, Timestamp};

pub use crate::fetch::Failure;
pub use advance::{Attempt, Concerns, Next};
pub use back_off::BackOff;
pub use body::Body;
#[cfg(all(test, feature = "sqlite"))]
pub(crate) use codec::BODY_OFFSET;
pub use codec::VERSION;
pub use file::{File, Lifetime, Redirect, Validators};
pub use known::Known;
pub use miss::Miss;
pub use response::Response;
pub use viewer::Viewer;

/// Everything known of the robots.txt of one origin (REP-CACHE-4, REP-CACHE-29).
///
/// The file belongs to no dialect, so every dialect can be asked. It is kept as long as the state of
/// any access profile uses it. A copy of a record costs little: file and response are shared.
///
/// # Examples
///
/// A crawler with its own HTTP library:
///
/// ```
/// use verger::Origin;
/// use verger::access::{Kind, Outcome, Profile, Timestamp};
/// use verger_fetch::record::{Attempt, File, Miss, OriginRecord, Response, Viewer};
///
/// let origin = Origin::from_parts("https", "shop.example", None)?;
/// let viewer = Viewer::new(Profile::RFC9309);
/// let now = Timestamp::from_seconds(1_763_700_000);
/// let record = OriginRecord::new(origin.clone());
/// assert!(record.needs_fetch(&viewer, now));
///
/// // It fetched robots.txt and got a whole file.
/// let mut attempt = Attempt::new(Response::new(now, Outcome::Success, origin.robots_url()));
/// attempt.file = Some(File::new(&origin, "User-agent: *\nDisallow: /cart\n", now));
/// let record = record.after(None, &viewer, attempt, 4).shared.expect("the file is new");
/// assert_eq!(record.access(&viewer, now, false).kind(), Kind::Rules);
///
/// let bytes = record.encode();
/// assert_eq!(OriginRecord::decode(&bytes, &origin), Ok(record));
/// assert_eq!(OriginRecord::decode(&bytes[1..], &origin), Err(Miss::Damaged));
/// # Ok::<(), verger::OriginError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OriginRecord {
    origin: Origin,
    /// The last whole file; one that is cut or a part only where no whole one is in use.
    file: Option<Arc<File>>,
    /// A cut body or a part that came after a whole file, which it does not replace (REP-CACHE-29).
    piece: Option<Arc<File>>,
    last: Option<Arc<Response>>,
    /// When the last fetch ended, whoever made it.
    tried_at: Timestamp,
    /// The profile that asked last comes first.
    states: Vec<ProfileState>,
    back_off: Option<BackOff>,
    /// Schedules the next try after a fault of the client's own, like an outage. It is never stored
    /// (REP-CACHE-28).
    fault: Option<State>,
    /// Of a client's own record: the last try of the shared record that it came from. It is never
    /// stored.
    based_on: Timestamp,
}

/// The state of one access profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProfileState {
    /// The name of the profile ([`Viewer::name`]).
    pub profile: Arc<str>,
    /// Its state.
    pub state: State,
    /// The response that ended the last fetch by a rule of this profile, for example its redirect
    /// limit; `None`: the last response of the record applies (REP-CACHE-29).
    pub response: Option<Arc<Response>>,
}

/// The requests that led to a file or a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Way<'r> {
    /// The redirects, in order.
    pub redirects: &'r [Redirect],
    /// The URL that answered, or failed to.
    pub final_url: &'r str,
    /// Whether a redirect led from https to http.
    pub downgraded: bool,
}

impl<'r> Way<'r> {
    /// The way of a file, or without one that of a response.
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
    /// The record of an origin of which nothing is known.
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

    /// The origin that the robots.txt belongs to: that of the URL that was requested first
    /// (REP-CACHE-3).
    pub const fn origin(&self) -> &Origin {
        &self.origin
    }

    /// The last whole file, or a cut one where there is no other; `None` when no state uses it.
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

    /// The last response for a viewer: the one that its profile's rule ended, otherwise the last
    /// response of the record.
    pub fn last_for(&self, viewer: &Viewer) -> Option<&Arc<Response>> {
        let own = self.entry(viewer).and_then(|entry| entry.response.as_ref());
        own.filter(|_| self.fault.is_none()).or(self.last.as_ref())
    }

    /// The last response, as the profile that asked last has it.
    pub fn last_for_latest(&self) -> Option<&Arc<Response>> {
        let own = self.states.first().and_then(|entry| entry.response.as_ref());
        own.filter(|_| self.fault.is_none()).or(self.last.as_ref())
    }

    /// The states of all access profiles that have asked, the last one first.
    pub fn states(&self) -> &[ProfileState] {
        &self.states
    }

    /// Until when no page of the origin is requested, if it has refused the last one.
    pub const fn back_off(&self) -> Option<BackOff> {
        self.back_off
    }

    /// This record with another back-off.
    #[must_use]
    pub fn with_back_off(self, back_off: Option<BackOff>) -> Self {
        Self { back_off, ..self }
    }

    /// The state of a viewer's access profile. A profile that asks for the first time starts from the
    /// last file and the last response (REP-CACHE-29).
    pub fn state(&self, viewer: &Viewer) -> State {
        self.entry(viewer).map_or_else(|| self.start(viewer.profile()), |entry| entry.state)
    }

    /// Whether the profile of a viewer has asked before.
    pub(crate) fn has_state(&self, viewer: &Viewer) -> bool {
        self.entry(viewer).is_some()
    }

    fn entry(&self, viewer: &Viewer) -> Option<&ProfileState> {
        self.states.iter().find(|entry| *entry.profile == *viewer.name())
    }

    /// Whether a fetch is due for a viewer.
    pub fn needs_fetch(&self, viewer: &Viewer, now: Timestamp) -> bool {
        let state = self.state(viewer);
        let seen = self.seen_by(viewer, state);
        // A viewer whose file is too short also leaves a failing site alone.
        let is_held = seen != state && self.has_just_failed(viewer, now);
        seen.needs_fetch(now) && !is_held && self.fault.is_none_or(|fault| fault.needs_fetch(now))
    }

    /// When the next fetch for a viewer is due; in the past where one is due now.
    pub fn next_try(&self, viewer: &Viewer) -> Timestamp {
        let next = self.state(viewer).next_try();
        self.fault.map_or(next, |fault| next.max(fault.next_try()))
    }

    /// What a viewer may fetch of the origin at `now`; see [`State::access`]. After a fault of the
    /// client's own the previous answer stays in force ([`State::access_without_fetch`], REP-CACHE-28). A file that was
    /// cut below the viewer's size limit allows nothing: the rest may forbid it (REP-CACHE-30).
    pub fn access(&self, viewer: &Viewer, now: Timestamp, site_available: bool) -> Access {
        let (state, profile) = (self.state(viewer), viewer.profile());
        let seen = self.seen_by(viewer, state);
        if state.has_copy() && !self.file_for(viewer).is_some_and(|file| file.reaches(viewer)) {
            State::UNKNOWN.access_without_fetch(profile, now, site_available)
        } else if self.fault.is_some() || seen != state && self.has_just_failed(viewer, now) {
            seen.access_without_fetch(profile, now, site_available)
        } else {
            seen.access(profile, now, site_available)
        }
    }

    /// Whether an expired result may answer a viewer while it is fetched again.
    pub fn may_answer_while_refreshing(&self, viewer: &Viewer, now: Timestamp) -> bool {
        self.seen_by(viewer, self.state(viewer)).may_answer_while_refreshing(now)
    }

    /// The file that answers a viewer: the newest one that reaches its size limit, otherwise the first
    /// usable one, which allows nothing ([`access`](Self::access), REP-CACHE-30). `None` when the
    /// viewer's state uses no file.
    pub fn file_for(&self, viewer: &Viewer) -> Option<&Arc<File>> {
        let is_used = self.state(viewer).has_copy();
        let mut files = [&self.file, &self.piece].into_iter().flatten();
        let counts = |file: &&Arc<File>| is_used && file.counts_for(viewer.profile());
        let newest = files.clone().rfind(|file| counts(file) && file.reaches(viewer));
        newest.or_else(|| files.find(counts))
    }

    /// Whether one of its files has this SHA-256.
    pub(crate) fn has_file(&self, hash: [u8; 32]) -> bool {
        self.file().into_iter().chain(self.piece()).any(|file| *file.body.sha256() == hash)
    }

    /// The state of a profile for a viewer whose file is older than the last result, or too short
    /// (REP-CACHE-30). During an outage the state is used as it is, whatever the age of the file.
    fn seen_by(&self, viewer: &Viewer, state: State) -> State {
        if !state.has_copy() || state.failures() > 0 {
            return state;
        }
        let is_older = |file: &Arc<File>| {
            let newer = self.piece.as_ref().filter(|piece| piece.counts_for(viewer.profile()));
            newer.is_some_and(|piece| !Arc::ptr_eq(piece, file))
        };
        match self.file_for(viewer).filter(|file| file.reaches(viewer)) {
            None => State::UNKNOWN,
            Some(file) if is_older(file) => {
                State::UNKNOWN.after(viewer.profile(), file.report(), file.fetched_at, 0)
            }
            Some(_) => state,
        }
    }

    /// The file whose validators a fetch for a viewer may send: one that is whole as far as the viewer
    /// reads (REP-CACHE-30).
    pub fn validated_file(&self, viewer: &Viewer) -> Option<&Arc<File>> {
        let is_enough = |file: &&Arc<File>| file.reaches(viewer) && !file.is_part();
        self.file_for(viewer).filter(is_enough).filter(|file| !file.validators.is_empty())
    }

    /// Whether the client that fetched last met a fault of its own, or its own network's.
    pub const fn has_fault(&self) -> bool {
        self.fault.is_some()
    }

    /// Whether the last fetch failed and the site should be left alone for a while, also by those who
    /// have a fresh result and want another.
    pub(crate) fn has_just_failed(&self, viewer: &Viewer, now: Timestamp) -> bool {
        let profile = viewer.profile();
        let has_failed =
            |last: &&Response| profile.meaning(last.outcome_in(profile)) == Meaning::Unreachable;
        let last = self.last_for(viewer).map(|last| &**last);
        let Some(last) = last.filter(has_failed) else { return false };
        let before = last.failures.saturating_sub(1);
        let wait = profile.retry_wait(before, last.retry_after, 0);
        last.tried_at <= now && now < last.tried_at.after(wait)
    }

    /// When the host gave its last response, if it is another one than `except` (REP-CACHE-28).
    pub(crate) fn answered_besides(&self, except: &str) -> Option<Timestamp> {
        // An unclear status is perhaps that of a proxy.
        let has_status =
            |response: &&Arc<Response>| response.status.is_some() && !response.is_unclear;
        let answered = self.last_for_latest().filter(has_status)?;
        (self.origin.host() != except).then_some(answered.tried_at)
    }

    /// When the last fetch ended, with a response or without; 1970 before the first.
    pub const fn tried_at(&self) -> Timestamp {
        self.tried_at
    }

    /// The state in a word: `rules`, `allow_all`, `disallow_all`; `unreachable` during an outage;
    /// `unknown` before the first response. It is that of the profile that asked last.
    pub fn kind(&self) -> &'static str {
        self.states.first().map_or("unknown", ProfileState::kind)
    }

    /// When the result in force was fetched or renewed; during an outage, when the copy was. By the
    /// profile that asked last.
    pub fn fetched_at(&self) -> Option<Timestamp> {
        self.states.first()?.state.fetched_at()
    }

    /// Until when the result is, or during an outage the copy was, fresh. By the profile that asked
    /// last.
    pub fn fresh_until(&self) -> Option<Timestamp> {
        self.states.first()?.state.fresh_until()
    }

    /// This record after a due fetch could not be made for a viewer, for example offline. The previous
    /// answer stays in force (REP-CACHE-28).
    #[must_use]
    pub fn with_fault(self, viewer: &Viewer, response: Response) -> Self {
        // The state first: it may start from the last response.
        let record = self.with_viewer(viewer);
        let fault = record.fault.or(Some(State::UNKNOWN));
        let tried_at = response.tried_at;
        Self { last: Some(Arc::new(response)), tried_at, fault, ..record }
    }

    /// This record with the last response and the fault of another, which is the viewer's own.
    pub(crate) fn with_fault_of(self, viewer: &Viewer, own: &Self) -> Self {
        let (last, tried_at, fault) = (own.last.clone(), own.tried_at, own.fault);
        Self { last, tried_at, fault, ..self.with_viewer(viewer) }
    }

    /// The same with the state of the viewer's profile, in the first place.
    #[must_use]
    pub fn with_viewer(mut self, viewer: &Viewer) -> Self {
        let known = self.states.iter().position(|entry| *entry.profile == *viewer.name());
        if let Some(at) = known {
            self.states[..=at].rotate_right(1);
        } else {
            let (profile, state) = (viewer.name().into(), self.state(viewer));
            self.states.insert(0, ProfileState { profile, state, response: None });
        }
        // Those that asked longest ago leave.
        self.states.truncate(crate::limits::PROFILE_STATES);
        self
    }

    /// The state of a profile that asks for the first time.
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
            // Its file is not here, or is none for this profile: what is known is the file before it.
            return state;
        }
        let next = state.after(profile, last.report(outcome), last.tried_at, 0);
        let opens = next.access(profile, last.tried_at, false).kind() == Kind::AllowAll;
        if last.is_unclear && opens { state } else { next }
    }
}

impl ProfileState {
    /// The state in a word: `rules`, `allow_all`, `disallow_all`; `unreachable` during an outage, where
    /// the profile decides; `unknown` before the first response.
    pub fn kind(&self) -> &'static str {
        let Self { state, .. } = self;
        if state.failing_since().is_some() {
            return "unreachable";
        }
        // Without an outage the profile has no say, and a result is fresh when it comes.
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
        let viewer = Viewer::new(Profile::RFC9309);
        OriginRecord::new(origin).after(None, &viewer, attempt, 0).shared.unwrap()
    }

    #[test]
    fn states_have_a_word_each() {
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
        let (viewer, seconds) = (Viewer::new(Profile::RFC9309), Timestamp::from_seconds);
        let mut record =
            OriginRecord::new(Origin::from_parts("https", "shop.example", None).unwrap());
        for number in 1..=3 {
            let now = seconds(u64::from(number) * 90_000);
            let response = Response::new(now, Outcome::RedirectLimit, "https://shop.example/");
            let mut attempt = Attempt::new(response);
            attempt.concerns = Concerns::Profile;
            record = record.after(None, &viewer, attempt, 0).shared.unwrap();
            assert_eq!(record.last_for(&viewer).unwrap().failures, number);
        }
    }

    #[test]
    fn custom_profile_of_another_program_starts_again_after_a_response() {
        let mut row = Profile::RFC9309;
        row.retry_first += std::time::Duration::from_secs(1);
        let (custom, other) = (Viewer::new(row), Viewer::new(Profile::RFC9309));
        let origin = Origin::from_parts("https", "shop.example", None).unwrap();
        let at = |day: u64| Timestamp::from_seconds(1_700_000_000 + day * 24 * 60 * 60);
        let kind = |record: &OriginRecord, now| record.access(&custom, now, false).kind();
        let failure = |now| Attempt::new(Response::new(now, Outcome::Status(503), "x"));
        let mut record = OriginRecord::new(origin.clone());
        for day in 0..=30 {
            record = record.after(None, &custom, failure(at(day)), 0).shared.unwrap();
        }
        assert_eq!(kind(&record, at(30)), Kind::AllowAll);
        // A failure that another program meets says nothing to a row that it does not know.
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
