//! The record of one origin: its last file, its last response, and a state for each access profile.
//!
//! # Flow
//!
//! A fetch ends as an [`Attempt`]. With it, [`Record::after`] makes the next record: it decides which
//! file is kept and advances the [`State`] of every access profile that has asked (`advance.rs`).
//! A [`Viewer`] reads a record by its own profile and size limit. `codec.rs` writes a record as bytes
//! that say for themselves whether they are whole and whose they are; anything else is a [`Miss`].

mod advance;
mod body;
mod codec;
mod failure;
mod field;
mod file;
mod miss;
mod response;
mod version_1;
mod viewer;

use std::sync::Arc;

use verger::Origin;
use verger::access::{Access, Meaning, Outcome, Profile, State, Timestamp};

pub use advance::{Attempt, Concerns, Next};
pub use body::Body;
#[cfg(test)]
pub(crate) use codec::BODY_OFFSET;
pub use codec::VERSION;
pub use failure::Failure;
pub use file::{File, Hop, Lifetime, Validators};
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
/// use verger_fetch::record::{Attempt, File, Miss, Record, Response, Viewer};
///
/// let origin = Origin::from_parts("https", "shop.example", None)?;
/// let viewer = Viewer::new(Profile::RFC9309);
/// let now = Timestamp::from_seconds(1_763_700_000);
/// let record = Record::new(origin.clone());
/// assert!(record.needs_fetch(&viewer, now));
///
/// // It fetched robots.txt and got a whole file.
/// let mut attempt = Attempt::new(Response::new(now, Outcome::Success, origin.robots_url()));
/// attempt.file = Some(File::new(&origin, "User-agent: *\nDisallow: /cart\n", now));
/// let record = record.after(None, &viewer, attempt, 4).shared.expect("the file is new");
/// assert_eq!(record.access(&viewer, now, false).kind(), Kind::Rules);
///
/// let bytes = record.encode();
/// assert_eq!(Record::decode(&bytes, &origin), Ok(record));
/// assert_eq!(Record::decode(&bytes[1..], &origin), Err(Miss::Damaged));
/// # Ok::<(), verger::OriginError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    origin: Origin,
    file: Option<Arc<File>>,
    last: Option<Arc<Response>>,
    /// The profile that asked last comes first.
    states: Vec<ProfileState>,
    /// Schedules the next try after a fault of the client's own, like an outage. It is never stored
    /// (REP-CACHE-28).
    fault: Option<State>,
}

/// The state of one access profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProfileState {
    /// The name of the profile ([`Viewer::name`]).
    pub profile: Arc<str>,
    /// Its state.
    pub state: State,
}

/// The requests that led to a file or a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "redirects and where they led")]
pub struct Way<'r> {
    /// The redirects, in order.
    pub hops: &'r [Hop],
    /// The URL that answered, or failed to.
    pub final_url: &'r str,
    /// Whether a redirect led from https to http.
    pub downgraded: bool,
}

impl Record {
    /// The record of an origin of which nothing is known.
    pub const fn new(origin: Origin) -> Self {
        Self { origin, file: None, last: None, states: Vec::new(), fault: None }
    }

    /// The origin that the robots.txt belongs to: that of the URL that was requested first
    /// (REP-CACHE-3).
    pub const fn origin(&self) -> &Origin {
        &self.origin
    }

    /// The last file; `None` when no state uses it.
    pub fn file(&self) -> Option<&File> {
        self.file.as_deref()
    }

    /// The last response; `None` before the first.
    pub fn last(&self) -> Option<&Response> {
        self.last.as_deref()
    }

    /// The states of all access profiles that have asked, the last one first.
    pub fn states(&self) -> &[ProfileState] {
        &self.states
    }

    /// The state of a viewer's access profile. A profile that asks for the first time starts from the
    /// last file and the last response (REP-CACHE-29).
    pub fn state(&self, viewer: &Viewer) -> State {
        self.stored_state(viewer).unwrap_or_else(|| self.start(viewer.profile()))
    }

    /// Whether the profile of a viewer has asked before.
    pub(crate) fn has_state(&self, viewer: &Viewer) -> bool {
        self.stored_state(viewer).is_some()
    }

    fn stored_state(&self, viewer: &Viewer) -> Option<State> {
        let is_own = |entry: &&ProfileState| *entry.profile == *viewer.name();
        self.states.iter().find(is_own).map(|entry| entry.state)
    }

    /// Whether a fetch is due for a viewer.
    pub fn needs_fetch(&self, viewer: &Viewer, now: Timestamp) -> bool {
        let state = self.state(viewer);
        let lacks_rest = self.is_cut_for(viewer, &state) && !self.has_just_failed(viewer, now);
        let is_due = state.needs_fetch(now) || state.failures() == 0 && lacks_rest;
        is_due && self.fault.is_none_or(|fault| fault.needs_fetch(now))
    }

    /// When the next fetch for a viewer is due; in the past where one is due now.
    pub fn next_try(&self, viewer: &Viewer) -> Timestamp {
        let next = self.state(viewer).next_try();
        self.fault.map_or(next, |fault| next.max(fault.next_try()))
    }

    /// What a viewer may fetch of the origin at `now`; see [`State::access`]. After a fault of the
    /// client's own it is the answer that stands ([`State::standing`], REP-CACHE-28). A file that was
    /// cut below the viewer's size limit allows nothing: the rest may forbid it (REP-CACHE-30).
    pub fn access(&self, viewer: &Viewer, now: Timestamp, site_available: bool) -> Access {
        let state = self.state(viewer);
        let profile = viewer.profile();
        if self.is_cut_for(viewer, &state) {
            State::UNKNOWN.standing(profile, now, site_available)
        } else if self.fault.is_some() {
            state.standing(profile, now, site_available)
        } else {
            state.access(profile, now, site_available)
        }
    }

    /// Whether an expired result may answer a viewer while it is fetched again.
    pub fn may_answer_while_refreshing(&self, viewer: &Viewer, now: Timestamp) -> bool {
        let state = self.state(viewer);
        state.may_answer_while_refreshing(now) && !self.is_cut_for(viewer, &state)
    }

    /// The file by which a viewer's answers are made: that of a fresh result, or the copy.
    pub fn file_for(&self, viewer: &Viewer) -> Option<&File> {
        self.file().filter(|_| self.state(viewer).has_copy())
    }

    /// How the file in use arrived, or where none is in use, the last response.
    pub fn way(&self, state: &State) -> Way<'_> {
        match (self.file().filter(|_| state.has_copy()), self.last()) {
            (Some(File { hops, final_url, downgraded, .. }), _)
            | (None, Some(Response { hops, final_url, downgraded, .. })) => {
                Way { hops, final_url, downgraded: *downgraded }
            }
            (None, None) => Way { hops: &[], final_url: "", downgraded: false },
        }
    }

    /// Whether the client that fetched last met a fault of its own, or its own network's.
    pub const fn has_fault(&self) -> bool {
        self.fault.is_some()
    }

    /// Whether the file was cut at a smaller size than this viewer reads (REP-CACHE-30).
    fn is_cut_for(&self, viewer: &Viewer, state: &State) -> bool {
        let cut_at = self.file().filter(|_| state.has_copy()).and_then(|file| file.cut_at);
        cut_at.is_some_and(|cut_at| cut_at < viewer.body_limit() as u64)
    }

    /// Whether the last fetch failed and the site should be left alone for a moment, also by those
    /// who have a fresh result and want another.
    pub(crate) fn has_just_failed(&self, viewer: &Viewer, now: Timestamp) -> bool {
        let Some(last) = self.last().filter(|last| last.failure.is_some()) else { return false };
        let asked = last.retry_after.unwrap_or_default().min(verger::limits::RETRY);
        let wait = viewer.profile().retry_first.max(asked);
        last.tried_at <= now && now < last.tried_at.after(wait)
    }

    /// When the host gave its last response, if it is another one than `except` (REP-CACHE-28).
    pub(crate) fn answered_besides(&self, except: &str) -> Option<Timestamp> {
        let last = self.last().filter(|last| last.status.is_some())?;
        (self.origin.host() != except).then_some(last.tried_at)
    }

    /// When the last fetch ended, with a response or without; 1970 before the first.
    pub fn tried_at(&self) -> Timestamp {
        self.last().map(|last| last.tried_at).unwrap_or_default()
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

    /// The same for a question that a client could not make a fetch for (REP-CACHE-28).
    pub(crate) fn with_fault(mut self, response: Response) -> Self {
        self.last = Some(Arc::new(response));
        self.fault.get_or_insert(State::UNKNOWN);
        self
    }

    /// This record with the last response and the fault of another, which is the client's own.
    pub(crate) fn with_fault_of(mut self, own: &Self) -> Self {
        self.last.clone_from(&own.last);
        self.fault = own.fault;
        self
    }

    /// The same with the state of the viewer's profile, in the first place.
    pub(crate) fn with_viewer(mut self, viewer: &Viewer) -> Self {
        let state = self.state(viewer);
        self.states.retain(|entry| *entry.profile != *viewer.name());
        self.states.insert(0, ProfileState { profile: viewer.name().into(), state });
        // Those that asked longest ago leave.
        self.states.truncate(crate::limits::PROFILE_STATES);
        self
    }

    /// The state of a profile that asks for the first time.
    fn start(&self, profile: &Profile) -> State {
        let file = self.file().filter(|file| file.counts_for(profile));
        let state = file.map_or(State::UNKNOWN, |file| {
            State::UNKNOWN.after(profile, file.report(), file.fetched_at, 0)
        });
        let is_newer = |last: &&Response| file.is_none_or(|file| last.tried_at > file.fetched_at);
        let Some(last) = self.last().filter(is_newer).filter(|last| last.ended_by.is_none()) else {
            return state;
        };
        let outcome = last.outcome_in(profile);
        let brings_file =
            outcome == Outcome::NotModified || profile.meaning(outcome) == Meaning::Rules;
        if brings_file && outcome != Outcome::LocalFault {
            // Its file is not here, or is none for this profile.
            return State::UNKNOWN;
        }
        state.after(profile, last.report(outcome), last.tried_at, 0)
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
    pub(crate) fn record_of(origin: Origin, body: impl Into<Vec<u8>>) -> Record {
        let now = Timestamp::EPOCH;
        let response = Response::new(now, Outcome::Success, origin.robots_url());
        let mut attempt = Attempt::new(Response { status: Some(200), ..response });
        attempt.file = Some(File::new(&origin, body, now));
        let viewer = Viewer::new(Profile::RFC9309);
        Record::new(origin).after(None, &viewer, attempt, 0).shared.unwrap()
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
            let entry = ProfileState { profile: profile.name().into(), state };
            assert_eq!(entry.kind(), expected, "{outcome:?}");
        }
    }
}
