//! From a fetch to the next record.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use verger::access::{Kind, Meaning, Outcome, Profile, State, Timestamp};

use super::file::{File, Validators};
use super::response::Response;
use super::viewer::Viewer;
use super::{BackOff, OriginRecord, ProfileState};
use crate::limits::HEARD_LATELY;

/// A fetch that has ended.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Attempt {
    /// How it ended.
    pub response: Response,
    /// The file that came with it, also one that is cut, or a part with status 206.
    pub file: Option<File>,
    /// The SHA-256 of the file that a 304 confirmed.
    pub renews: Option<[u8; 32]>,
    /// Whom it concerns.
    pub concerns: Concerns,
    /// When some other host last answered this client or one that shares its store: only this shows
    /// that an unclear failure ([`Response::is_unclear`]) is not the crawler's own (REP-CACHE-28).
    pub heard: Option<Timestamp>,
    /// Somebody asked for the fetch though none was due. If it fails, an outage that is known stays as it is:
    /// it neither counts nor moves the next try, which would come later and later otherwise (REP-CACHE-21).
    pub is_extra: bool,
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
    pub shared: Option<OriginRecord>,
    /// The record by which this client alone goes until there is a newer one; it must not be stored.
    pub own: Option<OriginRecord>,
}

/// What a fetch did to the states of a record.
#[derive(Default)]
struct Advanced {
    /// Nothing shows that the fault is the site's, for the profile that asked (REP-CACHE-28).
    is_own_fault: bool,
    /// Some profile takes the response for a file.
    takes_file: bool,
    any: bool,
}

impl Attempt {
    /// A fetch that concerns everyone and brought no file.
    pub const fn new(response: Response) -> Self {
        let concerns = Concerns::Everyone;
        Self { response, file: None, renews: None, concerns, heard: None, is_extra: false }
    }
}

impl Attempt {
    /// Whether it brought neither a file nor the answer that there is none.
    pub(crate) fn is_failure(&self, viewer: &Viewer) -> bool {
        viewer.profile().meaning(self.response.outcome) == Meaning::Unreachable
    }

    /// Whether a state stays as it is: of an outage that an extra fetch finds again.
    fn is_known_to(&self, state: &State, profile: &Profile, outcome: Outcome) -> bool {
        let is_failure = profile.meaning(outcome) == Meaning::Unreachable;
        self.is_extra && is_failure && state.failures() > 0
    }

    /// Sets its end to that of the last fetch of a record, where that one ended later, so that time does
    /// not go back. A record from after `now` shows a wrong clock, and counts for nothing.
    pub(crate) fn set_time_after(&mut self, record: &OriginRecord, now: Timestamp) {
        if record.is_later_than(self, now) {
            self.response.tried_at = record.tried_at;
            self.file.iter_mut().for_each(|file| file.fetched_at = record.tried_at);
        }
    }
}

impl OriginRecord {
    /// The records after a fetch for `viewer`.
    ///
    /// Each access profile that is known here judges the fetch by its own table. `own` is the record
    /// of this client alone, if it has one. `seed` is any number, best a random one: it spreads the
    /// retries.
    ///
    /// A 304 renews the file of this record that it confirmed. It means a broken redirect where the
    /// record has no such file (any more): then fetch again.
    #[must_use]
    pub fn after(&self, own: Option<&Self>, viewer: &Viewer, attempt: Attempt, seed: u64) -> Next {
        let base = self.clone().with_viewer(viewer);
        match attempt.concerns {
            Concerns::Client if attempt.response.outcome == Outcome::LocalFault => {
                base.after_fault(own, viewer, &attempt, seed)
            }
            Concerns::Client => base.for_client(viewer, attempt, seed),
            Concerns::Profile => base.for_profile(viewer, attempt, seed),
            Concerns::Everyone => base.for_everyone(own, viewer, attempt, seed),
        }
    }

    /// Whether other fetches ended after this one and make it superfluous: one brought a result, or the
    /// last one failed as this one did.
    pub(crate) fn outdates(&self, attempt: &Attempt, viewer: &Viewer, now: Timestamp) -> bool {
        let state = self.state(viewer);
        let has_result = state.failures() == 0
            || state.fetched_at().is_some_and(|fetched| fetched > attempt.response.tried_at);
        self.is_later_than(attempt, now)
            && (has_result || attempt.is_failure(viewer))
            && !self.needs_fetch(viewer, self.tried_at)
    }

    fn is_later_than(&self, attempt: &Attempt, now: Timestamp) -> bool {
        attempt.response.tried_at < self.tried_at && self.tried_at <= now
    }

    /// This record with the last results of another one of the same origin, which was made without it.
    #[must_use]
    pub(crate) fn merged(&self, other: &Self, viewer: &Viewer, now: Timestamp, seed: u64) -> Self {
        let back_off = BackOff::later(self.back_off, other.back_off);
        let mut merged = self.clone().with_back_off(back_off);
        for mut attempt in other.attempts() {
            if attempt.response.tried_at > now || merged.outdates(&attempt, viewer, now) {
                continue;
            }
            attempt.set_time_after(&merged, now);
            if let Some(next) = merged.after(None, viewer, attempt, seed).shared {
                merged = next;
            }
        }
        merged
    }

    /// The fetches that brought the file and the last response.
    fn attempts(&self) -> impl Iterator<Item = Attempt> {
        let of_file = self.file().map(|file| {
            let response = Response {
                lifetime: file.lifetime,
                redirects: file.redirects.clone(),
                downgraded: file.downgraded,
                ..Response::new(file.fetched_at, file.outcome, &*file.final_url)
            };
            Attempt { file: Some(file.clone()), ..Attempt::new(response) }
        });
        let is_without_file = |last: &&Response| !last.brings_file();
        let last = self.last().filter(is_without_file).cloned().map(Attempt::new);
        of_file.into_iter().chain(last)
    }

    fn for_everyone(
        mut self,
        own: Option<&Self>,
        viewer: &Viewer,
        attempt: Attempt,
        seed: u64,
    ) -> Next {
        let renewed = self.renewed(&attempt.response, attempt.renews);
        let is_used = self.uses_file();
        let advanced = self.advance_all(viewer, &attempt, renewed.as_ref(), seed);
        if advanced.is_own_fault {
            let mut next = self.clone().after_fault(own, viewer, &attempt, seed);
            let response = attempt.response;
            if advanced.any {
                let shared = self.with_response(response);
                next.own.iter_mut().for_each(|own| own.based_on = shared.tried_at());
                next.shared = Some(shared);
            }
            return next;
        }
        let Attempt { response, file, .. } = attempt;
        let file = file.filter(|file| advanced.takes_file || !file.is_part());
        if let Some(file) = file.or(renewed) {
            self.place(file, is_used);
        }
        Next { shared: Some(self.with_response(response)), own: None }
    }

    /// Advances the state of every profile that is known here, each by its own table.
    fn advance_all(
        &mut self,
        viewer: &Viewer,
        attempt: &Attempt,
        renewed: Option<&File>,
        seed: u64,
    ) -> Advanced {
        let &Attempt { ref response, heard, .. } = attempt;
        let (now, is_unclear) = (response.tried_at, response.is_unclear);
        let is_proved = !is_unclear || self.proves_network(heard, now);
        let mut advanced = Advanced { is_own_fault: !is_proved, ..Advanced::default() };
        // A custom row of another program cannot be advanced here. A response that came ends its
        // outage, so it starts again from this record.
        if viewer.profile().meaning(response.outcome) != Meaning::Unreachable {
            self.states.retain(|entry| viewer.profile_named(&entry.profile).is_some());
        }
        for entry in self.states.iter_mut().filter(|_| is_proved) {
            // A custom row of another program.
            let Some(profile) = viewer.profile_named(&entry.profile) else { continue };
            let mut outcome = response.outcome_in(&profile);
            if outcome == Outcome::NotModified && !entry.state.has_copy() {
                // A file of this record, which this profile did not use so far.
                let file = renewed.filter(|file| file.counts_for(&profile));
                let Some(file) = file else { continue };
                outcome = file.outcome;
            }
            let mut report = response.report(outcome);
            if let Some(file) = renewed {
                // What the 304 says, else what the file had, whoever fetched it.
                report.freshness = file.report().freshness;
            }
            if attempt.is_known_to(&entry.state, &profile, outcome) {
                advanced.any = true;
                continue;
            }
            let jitter = jitter(seed, &entry.profile, &entry.state);
            let next = entry.state.after(&profile, report, now, jitter);
            let opens = entry.state.failing_since().is_none()
                && next.access(&profile, now, false).kind() == Kind::AllowAll;
            if is_unclear && opens && heard.is_none_or(|heard| now > heard.after(HEARD_LATELY)) {
                advanced.is_own_fault |= *entry.profile == *viewer.name();
                continue;
            }
            advanced.takes_file |= profile.meaning(outcome) == Meaning::Rules;
            advanced.any = true;
            (entry.state, entry.response) = (next, None);
        }
        advanced
    }

    /// Keeps a file in place of the one before, or beside it where it lacks a part of it.
    /// `is_used`: some state used the file before.
    fn place(&mut self, file: File, is_used: bool) {
        let file = Arc::new(self.without_foreign_validators(file));
        if self.file().filter(|_| is_used).is_none_or(|old| file.may_replace(old)) {
            (self.file, self.piece) = (Some(file), None);
        } else {
            self.piece = Some(file);
        }
    }

    /// The file that a 304 renews: that with this hash.
    fn renewed(&self, response: &Response, hash: Option<[u8; 32]>) -> Option<File> {
        let mut files = [&self.piece, &self.file].into_iter().flatten();
        let file = files.find(|file| Some(*file.body.sha256()) == hash && !file.is_part())?;
        let is_renewal = response.outcome == Outcome::NotModified;
        is_renewal.then(|| File::clone(file).renewed(response.lifetime, response.tried_at))
    }

    /// The profile's own rule ended the fetch.
    fn for_profile(mut self, viewer: &Viewer, attempt: Attempt, seed: u64) -> Next {
        let before = self.last_for(viewer).map_or(0, |last| last.failures);
        self.advance_first(viewer, &attempt, seed);
        let mut response = attempt.response;
        response.failures = before.saturating_add(1);
        self.tried_at = response.tried_at;
        self.states[0].response = Some(Arc::new(response));
        self.fault = None;
        // The file stays for profiles that have not asked yet: no response for everyone replaced it.
        Next { shared: Some(self), own: None }
    }

    /// The client goes by its own record; the shared one stays.
    fn for_client(mut self, viewer: &Viewer, attempt: Attempt, seed: u64) -> Next {
        self.advance_first(viewer, &attempt, seed);
        self.states.truncate(1);
        let based_on = self.tried_at();
        let own = Self { based_on, ..self.with_response(attempt.response) };
        Next { shared: None, own: Some(own) }
    }

    /// A fault of the client's own: the previous answer stays in force (REP-CACHE-28).
    fn after_fault(
        self,
        own: Option<&Self>,
        viewer: &Viewer,
        attempt: &Attempt,
        seed: u64,
    ) -> Next {
        let before = own.and_then(|own| own.fault).unwrap_or_default();
        let jitter = jitter(seed, viewer.name(), &before);
        let (profile, now) = (viewer.profile(), attempt.response.tried_at);
        let fault = if attempt.is_known_to(&before, profile, Outcome::Network) {
            before
        } else {
            before.after(profile, Outcome::Network, now, jitter)
        };
        // Whatever it looked like: it says nothing of the site.
        let response = Response { outcome: Outcome::LocalFault, ..attempt.response.clone() };
        let (based_on, tried_at) = (self.tried_at, response.tried_at);
        let last = Some(Arc::new(response));
        let own = Self { fault: Some(fault), last, tried_at, based_on, ..self };
        Next { shared: None, own: Some(own) }
    }

    fn advance_first(&mut self, viewer: &Viewer, attempt: &Attempt, seed: u64) {
        let response = &attempt.response;
        if let Some(ProfileState { profile, state, response: own }) = self.states.first_mut() {
            *own = None;
            if attempt.is_known_to(state, viewer.profile(), response.outcome) {
                return;
            }
            let report = response.report(response.outcome);
            let jitter = jitter(seed, profile, state);
            *state = state.after(viewer.profile(), report, response.tried_at, jitter);
        }
    }

    /// Whether some other host's answer shows that the crawler's own network works: it came after the
    /// last fetch that said something of this site (REP-CACHE-28).
    fn proves_network(&self, heard: Option<Timestamp>, now: Timestamp) -> bool {
        let since = self.last().map(|last| last.tried_at);
        heard.is_some_and(|heard| heard <= now && since.is_none_or(|since| heard > since))
    }

    fn with_response(mut self, mut response: Response) -> Self {
        let before = self.last().map_or(0, |last| last.failures);
        response.failures = match response.failure {
            Some(_) => before.saturating_add(1),
            None => 0,
        };
        self.tried_at = response.tried_at;
        self.last = Some(Arc::new(response));
        self.fault = None;
        self.drop_unused_file();
        self
    }

    /// The file is kept as long as any state uses it (REP-CACHE-29). A profile that asks next may take
    /// the last response for a file, though none does so far.
    fn drop_unused_file(&mut self) {
        let is_used = self.uses_file();
        let is_last = |file: &File| {
            let is_from = |last: &Response| last.brings_file() && last.tried_at == file.fetched_at;
            !file.is_part() && self.last().is_some_and(is_from)
        };
        if !is_used && !self.file().is_some_and(is_last) {
            (self.file, self.piece) = (None, None);
        }
    }

    fn uses_file(&self) -> bool {
        self.states.iter().any(|entry| entry.state.has_copy())
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
        if self.redirects.len() > usize::from(profile.redirects) {
            Outcome::RedirectLimit
        } else if self.downgraded && !profile.follow_downgrades {
            Outcome::BrokenRedirect
        } else {
            self.outcome
        }
    }
}

/// Another number for every profile and every failure.
fn jitter(seed: u64, profile: &str, state: &State) -> u64 {
    let mut hasher = DefaultHasher::new();
    (seed, profile, state.failures()).hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use verger::Origin;

    use super::*;

    fn origin() -> Origin {
        Origin::from_parts("https", "shop.example", None).unwrap()
    }

    /// A record after fetches that ended at these seconds: with a file of this body, or else status 503.
    fn record(fetches: &[(u64, Option<&str>)]) -> OriginRecord {
        let viewer = Viewer::new(Profile::ARCHIVE);
        let after = |record: OriginRecord, &(at, body): &(u64, Option<&str>)| {
            let now = Timestamp::from_seconds(at);
            let outcome = body.map_or(Outcome::Status(503), |_| Outcome::Success);
            let mut attempt = Attempt::new(Response::new(now, outcome, origin().robots_url()));
            attempt.file = body.map(|body| File::new(&origin(), body, now));
            record.after(None, &viewer, attempt, 0).shared.unwrap()
        };
        fetches.iter().fold(OriginRecord::new(origin()), after)
    }

    #[test]
    fn records_that_were_made_apart_are_merged_by_the_time_of_their_fetches() {
        let old = Some("# old");
        let new = Some("# new");
        for (stored, other, expected) in [
            (&[(9, None)][..], &[(5, old)][..], old),
            (&[(5, old)], &[(9, None)], old),
            (&[(9, new)], &[(5, old)], new),
            (&[(5, old)], &[(9, new)], new),
            // The file of the other record is older than the copy.
            (&[(9, new), (100_000, None)], &[(5, old)], new),
            (&[(5, None)], &[(7, old), (100_000, None)], old),
            // A clock was wrong.
            (&[(5, old)], &[(2_000_000, new)], old),
        ] {
            let viewer = Viewer::new(Profile::ARCHIVE);
            let now = Timestamp::from_seconds(1_000_000);
            let merged = record(stored).merged(&record(other), &viewer, now, 0);
            let body = merged.file_for(&viewer).map(|file| file.body.as_bytes().to_vec());
            assert_eq!(body, expected.map(Vec::from), "{stored:?} {other:?}");
            let last = |fetches: &[(u64, Option<&str>)]| fetches.last().map(|fetch| fetch.0);
            let last = last(stored).max(last(other).filter(|&at| at <= now.seconds()));
            assert_eq!(Some(merged.tried_at().seconds()), last, "{stored:?} {other:?}");
        }
    }

    #[test]
    fn merge_keeps_the_back_off_that_ends_later() {
        let until =
            |(seconds, refusals)| BackOff { until: Timestamp::from_seconds(seconds), refusals };
        for (stored, other, expected) in [
            (None, None, None),
            (None, Some((60, 1)), Some((60, 1))),
            (Some((60, 1)), None, Some((60, 1))),
            (Some((60, 3)), Some((600, 1)), Some((600, 1))),
            (Some((600, 1)), Some((60, 3)), Some((600, 1))),
        ] {
            let record = |of: Option<_>| OriginRecord::new(origin()).with_back_off(of.map(until));
            let viewer = Viewer::new(Profile::RFC9309);
            let merged = record(stored).merged(&record(other), &viewer, Timestamp::EPOCH, 0);
            assert_eq!(merged.back_off(), expected.map(until), "{stored:?} {other:?}");
        }
    }
}
