//! From a fetch to the next record.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use verger::access::{Meaning, Outcome, Profile, State, Timestamp};

use super::file::{File, Validators};
use super::response::Response;
use super::viewer::Viewer;
use super::{ProfileState, Record};
use crate::limits::HEARD_LATELY;

/// A fetch that has ended.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Attempt {
    /// How it ended.
    pub response: Response,
    /// The file that came with it, also one that is cut, or a part with status 206.
    pub file: Option<File>,
    /// Whom it concerns.
    pub concerns: Concerns,
    /// Whether it failed to resolve a name or to reach an address, so that the crawler's own network
    /// may be down.
    pub is_unclear: bool,
    /// When some other host last answered this client or one that shares its store: only this shows
    /// that an unclear failure is not the crawler's own (REP-CACHE-28).
    pub heard: Option<Timestamp>,
}

/// Whom the end of a fetch concerns (REP-CACHE-29).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Concerns {
    /// Every access profile.
    Everyone,
    /// The profile that asked: its own rule ended the fetch.
    Profile,
    /// The client that asked: its crawler, its guard or its limits ended the fetch.
    Client,
}

/// The records after a fetch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Next {
    /// The record to store; `None`: nothing has changed for anyone else.
    pub shared: Option<Record>,
    /// The record by which this client alone goes until there is a newer one; it must not be stored.
    pub own: Option<Record>,
}

impl Attempt {
    /// A fetch that concerns everyone and brought no file.
    pub const fn new(response: Response) -> Self {
        let concerns = Concerns::Everyone;
        Self { response, file: None, concerns, is_unclear: false, heard: None }
    }
}

impl Record {
    /// The records after a fetch for `viewer`.
    ///
    /// Each access profile that is known here judges the fetch by its own table. `own` is the record
    /// of this client alone, if it has one. `seed` is any number, best a random one: it spreads the
    /// retries.
    ///
    /// A 304 renews the file of this record: who sent the validators of another must not pass it.
    #[must_use]
    pub fn after(&self, own: Option<&Self>, viewer: &Viewer, attempt: Attempt, seed: u64) -> Next {
        let base = self.clone().with_viewer(viewer);
        match attempt.concerns {
            Concerns::Client if attempt.response.outcome == Outcome::LocalFault => {
                base.after_fault(own, viewer, attempt.response, seed)
            }
            Concerns::Client => base.for_client(viewer, attempt, seed),
            Concerns::Profile => base.for_profile(viewer, attempt, seed),
            Concerns::Everyone => base.for_everyone(own, viewer, attempt, seed),
        }
    }

    fn for_everyone(
        mut self,
        own: Option<&Self>,
        viewer: &Viewer,
        attempt: Attempt,
        seed: u64,
    ) -> Next {
        let Attempt { ref response, ref file, is_unclear, heard, .. } = attempt;
        let now = response.tried_at;
        let replaces = file.as_ref().is_some_and(|file| self.gives_way_to(file));
        let fault = own.and_then(|own| own.fault);
        let before = self.states.clone();
        for entry in &mut self.states {
            // A custom row of another program.
            let Some(profile) = viewer.profile_named(&entry.profile) else { continue };
            let mut outcome = response.outcome_in(&profile);
            if outcome == Outcome::NotModified && !entry.state.has_copy() {
                // The file is still that of this record, which this profile did not use so far.
                let file = self.file.as_ref().filter(|file| file.counts_for(&profile));
                let Some(file) = file else { continue };
                outcome = file.outcome;
            } else if outcome != Outcome::NotModified
                && profile.meaning(outcome) == Meaning::Rules
                && !replaces
            {
                // A file that is not kept is none to go by.
                continue;
            }
            let is_own = *entry.profile == *viewer.name();
            let failed_at =
                entry.state.failed_at().max(fault.filter(|_| is_own).and_then(|it| it.failed_at()));
            if is_unclear && !proves_network(heard, failed_at, now) {
                outcome = Outcome::LocalFault;
            }
            let report = response.report(outcome);
            let jitter = jitter(seed, &entry.profile, &entry.state);
            entry.state = entry.state.after(&profile, report, now, jitter);
        }
        let is_same = self.states == before;
        let is_own_fault = is_unclear
            && !proves_network(
                heard,
                before[0].state.failed_at().max(fault.and_then(|fault| fault.failed_at())),
                now,
            );
        if is_own_fault {
            let response = attempt.response;
            let next = self.clone().after_fault(own, viewer, response.clone(), seed);
            let shared = (!is_same).then(|| self.with_response(response));
            return Next { shared, ..next };
        }
        if file.is_some()
            && !replaces
            && viewer.profile().meaning(response.outcome) == Meaning::Rules
        {
            let response = attempt.response.clone();
            let next = Self { states: before, ..self.clone() }.for_client(viewer, attempt, seed);
            let shared = (!is_same).then(|| self.with_response(response));
            return Next { shared, ..next };
        }
        if response.outcome == Outcome::NotModified {
            let renew =
                |file: Arc<File>| Arc::unwrap_or_clone(file).renewed(response.lifetime, now);
            self.file = self.file.map(renew).map(Arc::new);
        }
        let Attempt { response, file, .. } = attempt;
        if replaces {
            self.file = file.map(|file| Arc::new(self.without_foreign_validators(file)));
        }
        Next { shared: Some(self.with_response(response)), own: None }
    }

    /// The profile's own rule ended the fetch.
    fn for_profile(mut self, viewer: &Viewer, attempt: Attempt, seed: u64) -> Next {
        let mut response = attempt.response;
        self.advance_first(viewer, &response, seed);
        response.ended_by = Some(viewer.name().to_owned());
        Next { shared: Some(self.with_response(response)), own: None }
    }

    /// The client goes by its own record; the shared one stays.
    fn for_client(mut self, viewer: &Viewer, attempt: Attempt, seed: u64) -> Next {
        let Attempt { response, file, .. } = attempt;
        self.advance_first(viewer, &response, seed);
        self.states.truncate(1);
        if let Some(file) = file {
            // Nobody is asked on a condition about a file that is not shared.
            self.file = Some(Arc::new(File { validators: Validators::default(), ..file }));
        }
        self.fault = None;
        Next { shared: None, own: Some(self.with_response(response)) }
    }

    /// A fault of the client's own: the answer of before stands (REP-CACHE-28).
    fn after_fault(
        self,
        own: Option<&Self>,
        viewer: &Viewer,
        response: Response,
        seed: u64,
    ) -> Next {
        let before = own.and_then(|own| own.fault).unwrap_or_default();
        let jitter = jitter(seed, viewer.name(), &before);
        let fault = before.after(viewer.profile(), Outcome::Network, response.tried_at, jitter);
        let own = Self { fault: Some(fault), last: Some(Arc::new(response)), ..self };
        Next { shared: None, own: Some(own) }
    }

    fn advance_first(&mut self, viewer: &Viewer, response: &Response, seed: u64) {
        if let Some(ProfileState { profile, state }) = self.states.first_mut() {
            let report = response.report(response.outcome);
            let jitter = jitter(seed, profile, state);
            *state = state.after(viewer.profile(), report, response.tried_at, jitter);
        }
    }

    /// Whether a new file takes the place of the one that is kept, if one is in use (REP-CACHE-29).
    fn gives_way_to(&self, new: &File) -> bool {
        let is_used = self.states.iter().any(|entry| entry.state.has_copy());
        self.file().filter(|_| is_used).is_none_or(|old| new.may_replace(old))
    }

    fn with_response(mut self, response: Response) -> Self {
        self.last = Some(Arc::new(response));
        self.fault = None;
        if !self.states.iter().any(|entry| entry.state.has_copy()) {
            self.file = None;
        }
        self
    }

    /// Validators are kept only when the URL that answered belongs to this origin: they are sent to no
    /// other (REP-CACHE-5).
    fn without_foreign_validators(&self, mut file: File) -> File {
        if !file.is_from(&self.origin) {
            file.validators = Validators::default();
        }
        file
    }
}

impl Response {
    /// The outcome as a profile has it, which may not follow as many redirects, or not to http.
    pub(super) fn outcome_in(&self, profile: &Profile) -> Outcome {
        if self.hops.len() > usize::from(profile.redirects) {
            Outcome::RedirectLimit
        } else if self.downgraded && !profile.follow_downgrades {
            Outcome::BrokenRedirect
        } else {
            self.outcome
        }
    }
}

/// Whether some other host's answer shows that the crawler's network works: since the failed fetch
/// before this one, or without one, in the last minute (REP-CACHE-28).
fn proves_network(heard: Option<Timestamp>, failed_at: Option<Timestamp>, now: Timestamp) -> bool {
    heard.filter(|&heard| heard <= now).is_some_and(|heard| match failed_at {
        Some(failed_at) => heard > failed_at,
        None => now <= heard.after(HEARD_LATELY),
    })
}

/// Another number for every profile and every failure.
fn jitter(seed: u64, profile: &str, state: &State) -> u64 {
    let mut hasher = DefaultHasher::new();
    (seed, profile, state.failures()).hash(&mut hasher);
    hasher.finish()
}
