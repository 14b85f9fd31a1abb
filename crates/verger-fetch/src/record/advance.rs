//! From a fetch to the next record.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use verger::access::{Kind, Meaning, Outcome, Profile, State, Timestamp};

use super::file::{File, Validators};
use super::read_options::ReadOptions;
use super::response::Response;
use super::{BackOff, OriginRecord, ProfileState};
use crate::limits::OTHER_HOST_ANSWER_AGE;

/// A finished fetch.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Attempt {
    /// The response.
    pub response: Response,
    /// The received file, also a cut one, or a part with status 206.
    pub file: Option<File>,
    /// The SHA-256 of the file that a 304 confirmed.
    pub renews: Option<[u8; 32]>,
    /// The readers for which the result counts.
    pub scope: Scope,
    /// Time of the last answer of another host to this client or one that shares its store. Only
    /// this shows that an unclear failure ([`Response::is_unclear`]) is not the crawler's own
    /// (REP-CACHE-28).
    pub other_answer: Option<Timestamp>,
    /// Whether a response shows that the network of the store's clients works. It does not if another
    /// program received it, a proxy may have made it, or it came from an address that only an
    /// allowed network permits (REP-CACHE-28a).
    pub proves_network: bool,
    /// Whether a caller requested the fetch before it was due. If it fails, a known outage does not
    /// change: counting it would delay the next try more and more (REP-CACHE-21).
    pub is_extra: bool,
}

/// The readers for which the result of a fetch counts (REP-CACHE-29).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Scope {
    /// Every access profile.
    AllProfiles,
    /// The profile of the fetch: its own rule ended it.
    Profile,
    /// The client of the fetch: its crawler, its guard or its limits ended it.
    Client,
}

/// The records after a fetch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Next {
    /// The record to store; `None` if nothing has changed for other clients.
    pub shared: Option<OriginRecord>,
    /// The record for this client alone, valid until a newer one; it must not be stored.
    pub own: Option<OriginRecord>,
}

/// The effect of a fetch on the states of a record.
#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is the sum of one question to all states")]
struct Advanced {
    /// The fault may be the crawler's, for the profile of the fetch (REP-CACHE-28).
    is_own_fault: bool,
    /// Some profile accepts the response as a file.
    takes_file: bool,
    /// For some profile the response is a failure, which replaces no file (REP-CACHE-28b).
    fails: bool,
    any: bool,
}

impl Attempt {
    /// A fetch that counts for every profile, without a file.
    pub const fn new(response: Response) -> Self {
        let (file, renews, scope, other_answer) = (None, None, Scope::AllProfiles, None);
        Self { response, file, renews, scope, other_answer, proves_network: true, is_extra: false }
    }

    /// The response as it is stored: it never proves more than when it was received.
    fn into_stored(self) -> Response {
        let Self { response, proves_network, .. } = self;
        Response { is_unclear: response.is_unclear || !proves_network, ..response }
    }

    /// Whether it found neither a file nor the absence of one.
    pub(crate) fn is_failure(&self, options: &ReadOptions) -> bool {
        options.profile().meaning(self.response.outcome) == Meaning::Unreachable
    }

    /// Whether a state does not change: an extra fetch failed during an outage.
    fn leaves_unchanged(&self, state: &State, profile: &Profile, outcome: Outcome) -> bool {
        let is_failure = profile.meaning(outcome) == Meaning::Unreachable;
        self.is_extra && is_failure && state.failures() > 0
    }

    /// Moves its end to that of the last fetch of a record, if that ended later, so that time does
    /// not go back. A record with a time after `now` shows a wrong clock and is ignored.
    pub(crate) fn set_time_after(&mut self, record: &OriginRecord, now: Timestamp) {
        if record.is_later_than(self, now) {
            self.response.tried_at = record.tried_at;
            self.file.iter_mut().for_each(|file| file.fetched_at = record.tried_at);
        }
    }
}

impl OriginRecord {
    /// The records after a fetch for `options`.
    ///
    /// Every access profile in the record interprets the fetch by its own table. `own` is the
    /// record of this client alone, if it has one. `seed` is any number, preferably random: it
    /// spreads the retries.
    ///
    /// A 304 renews the file of this record that it confirmed. If the record no longer has that
    /// file, the 304 counts as a broken redirect: fetch again.
    #[must_use]
    pub fn after(
        &self,
        own: Option<&Self>,
        options: &ReadOptions,
        attempt: Attempt,
        seed: u64,
    ) -> Next {
        let base = self.clone().with_first(options);
        match attempt.scope {
            Scope::Client if attempt.response.outcome == Outcome::LocalFault => {
                base.after_fault(own, options, &attempt, seed)
            }
            Scope::Client => base.for_client(options, attempt, seed),
            Scope::Profile => base.for_profile(options, attempt, seed),
            Scope::AllProfiles => base.for_all_profiles(own, options, attempt, seed),
        }
    }

    /// Whether a fetch that ended later makes this one obsolete: it had a result, or both failed.
    pub(crate) fn supersedes(
        &self,
        attempt: &Attempt,
        options: &ReadOptions,
        now: Timestamp,
    ) -> bool {
        let state = self.state(options);
        let has_result = state.failures() == 0
            || state.fetched_at().is_some_and(|fetched| fetched > attempt.response.tried_at);
        self.is_later_than(attempt, now)
            && (has_result || attempt.is_failure(options))
            && !self.needs_fetch(options, self.tried_at)
    }

    fn is_later_than(&self, attempt: &Attempt, now: Timestamp) -> bool {
        attempt.response.tried_at < self.tried_at && self.tried_at <= now
    }

    /// Merges the last results of another record of the same origin into this one.
    #[must_use]
    pub(crate) fn merged(
        &self,
        other: &Self,
        options: &ReadOptions,
        now: Timestamp,
        seed: u64,
    ) -> Self {
        let back_off = BackOff::later(self.back_off, other.back_off);
        let mut merged = self.clone().with_back_off(back_off);
        for mut attempt in other.attempts() {
            if attempt.response.tried_at > now || merged.supersedes(&attempt, options, now) {
                continue;
            }
            attempt.set_time_after(&merged, now);
            if let Some(next) = merged.after(None, options, attempt, seed).shared {
                merged = next;
            }
        }
        merged
    }

    /// The fetches of the file and of the last response.
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

    fn for_all_profiles(
        mut self,
        own: Option<&Self>,
        options: &ReadOptions,
        mut attempt: Attempt,
        seed: u64,
    ) -> Next {
        let renewed = self.renewed(&attempt.response, attempt.renews);
        let is_used = self.uses_file();
        let advanced = self.advance_all(options, &attempt, renewed.as_ref(), seed);
        if advanced.is_own_fault {
            let mut next = self.clone().after_fault(own, options, &attempt, seed);
            if advanced.any {
                let shared = self.with_response(attempt.into_stored());
                next.own.iter_mut().for_each(|own| own.based_on = shared.tried_at());
                next.shared = Some(shared);
            }
            return next;
        }
        let file = attempt.file.take();
        let is_file = |file: &File| advanced.takes_file || !(advanced.fails || file.is_part());
        if let Some(file) = file.filter(is_file).or(renewed) {
            self.place(file, is_used, advanced.fails);
        }
        Next { shared: Some(self.with_response(attempt.into_stored())), own: None }
    }

    /// Advances the state of every profile in the record, each by its own table.
    fn advance_all(
        &mut self,
        options: &ReadOptions,
        attempt: &Attempt,
        renewed: Option<&File>,
        seed: u64,
    ) -> Advanced {
        let &Attempt { ref response, other_answer, .. } = attempt;
        let (now, is_unclear) = (response.tried_at, response.is_unclear);
        let is_proved = !is_unclear || self.proves_network(other_answer, now);
        let mut advanced = Advanced { is_own_fault: !is_proved, ..Advanced::default() };
        // A custom row of another program cannot be advanced here. A response ends its outage, so
        // it starts again from this record.
        if options.profile().meaning(response.outcome) != Meaning::Unreachable {
            self.states.retain(|entry| options.profile_named(&entry.profile).is_some());
        }
        for entry in self.states.iter_mut().filter(|_| is_proved) {
            // A custom row of another program.
            let Some(profile) = options.profile_named(&entry.profile) else { continue };
            let mut outcome = response.outcome_in(&profile);
            if outcome == Outcome::NotModified {
                let is_file = |file: &File| profile.meaning(file.outcome) == Meaning::Rules;
                match renewed {
                    // The confirmed response may be no file for this profile, or not its last one.
                    Some(file) if !is_file(file) || file.counts_for(&profile) => {
                        outcome = file.outcome;
                    }
                    _ if entry.state.has_copy() => {}
                    _ => continue,
                }
            }
            advanced.fails |= profile.meaning(outcome) == Meaning::Unreachable;
            let mut report = response.report(outcome);
            if let Some(file) = renewed {
                // The lifetime in the 304, otherwise that of the file.
                report.freshness = file.report().freshness;
            }
            if attempt.leaves_unchanged(&entry.state, &profile, outcome) {
                advanced.any = true;
                continue;
            }
            let jitter = jitter(seed, &entry.profile, &entry.state);
            let next = entry.state.after(&profile, report, now, jitter);
            let opens = entry.state.failing_since().is_none()
                && next.access(&profile, now, false).kind() == Kind::AllowAll;
            if is_unclear
                && opens
                && other_answer
                    .is_none_or(|other_answer| now > other_answer.after(OTHER_HOST_ANSWER_AGE))
            {
                advanced.is_own_fault |= *entry.profile == *options.name();
                continue;
            }
            advanced.takes_file |= profile.meaning(outcome) == Meaning::Rules;
            advanced.any = true;
            (entry.state, entry.response) = (next, None);
        }
        advanced
    }

    /// Replaces the file, or adds the new one beside it if it is less complete, or a failure for
    /// some profile. `is_used`: some state used the file before.
    fn place(&mut self, file: File, is_used: bool, fails: bool) {
        let file = Arc::new(self.without_foreign_validators(file));
        if self.file().filter(|_| is_used).is_none_or(|old| !fails && file.may_replace(old)) {
            (self.file, self.piece) = (Some(file), None);
        } else {
            self.piece = Some(file);
        }
    }

    /// The file with this hash, renewed by a 304.
    fn renewed(&self, response: &Response, hash: Option<[u8; 32]>) -> Option<File> {
        let mut files = [&self.piece, &self.file].into_iter().flatten();
        let file = files.find(|file| Some(*file.body.sha256()) == hash && !file.is_part())?;
        let is_renewal = response.outcome == Outcome::NotModified;
        is_renewal.then(|| File::clone(file).renewed(response.lifetime, response.tried_at))
    }

    /// After a fetch that the profile's own rule ended.
    fn for_profile(mut self, options: &ReadOptions, attempt: Attempt, seed: u64) -> Next {
        let before = self.last_for(options).map_or(0, |last| last.failures);
        self.advance_first(options, &attempt, seed);
        let mut response = attempt.into_stored();
        response.failures = before.saturating_add(1);
        self.tried_at = response.tried_at;
        self.states[0].response = Some(Arc::new(response));
        self.fault = None;
        // The file remains for profiles without a state: no response for all profiles replaced it.
        Next { shared: Some(self), own: None }
    }

    /// After a fetch for this client alone. The shared record does not change.
    fn for_client(mut self, options: &ReadOptions, attempt: Attempt, seed: u64) -> Next {
        self.advance_first(options, &attempt, seed);
        self.states.truncate(1);
        let based_on = self.tried_at();
        let own = Self { based_on, ..self.with_response(attempt.response) };
        Next { shared: None, own: Some(own) }
    }

    /// After a fault of the client: the previous answer still applies (REP-CACHE-28).
    fn after_fault(
        self,
        own: Option<&Self>,
        options: &ReadOptions,
        attempt: &Attempt,
        seed: u64,
    ) -> Next {
        let before = own.and_then(|own| own.fault).unwrap_or_default();
        let jitter = jitter(seed, options.name(), &before);
        let (profile, now) = (options.profile(), attempt.response.tried_at);
        let fault = if attempt.leaves_unchanged(&before, profile, Outcome::Network) {
            before
        } else {
            before.after(profile, Outcome::Network, now, jitter)
        };
        // Whatever the outcome, it says nothing about the site.
        let response = Response { outcome: Outcome::LocalFault, ..attempt.response.clone() };
        let (based_on, tried_at) = (self.tried_at, response.tried_at);
        let last = Some(Arc::new(response));
        let own = Self { fault: Some(fault), last, tried_at, based_on, ..self };
        Next { shared: None, own: Some(own) }
    }

    fn advance_first(&mut self, options: &ReadOptions, attempt: &Attempt, seed: u64) {
        let response = &attempt.response;
        if let Some(ProfileState { profile, state, response: own }) = self.states.first_mut() {
            *own = None;
            if attempt.leaves_unchanged(state, options.profile(), response.outcome) {
                return;
            }
            let report = response.report(response.outcome);
            let jitter = jitter(seed, profile, state);
            *state = state.after(options.profile(), report, response.tried_at, jitter);
        }
    }

    /// Whether an answer of another host shows that the crawler's own network works: it came after
    /// the last informative fetch of this site (REP-CACHE-28).
    fn proves_network(&self, other_answer: Option<Timestamp>, now: Timestamp) -> bool {
        let since = self.last().map(|last| last.tried_at);
        other_answer.is_some_and(|other_answer| {
            other_answer <= now && since.is_none_or(|since| other_answer > since)
        })
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

    /// Removes the file if no state uses it (REP-CACHE-29). The file of the last response remains,
    /// because a new profile may accept it.
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

    /// Removes validators unless the final URL belongs to this origin: they are sent to no other
    /// (REP-CACHE-5).
    fn without_foreign_validators(&self, mut file: File) -> File {
        if !file.is_from(&self.origin) {
            file.validators = Validators::default();
        }
        file
    }
}

impl Response {
    /// The outcome for a profile, which may allow fewer redirects, or none to http.
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

/// A number specific to the profile and the number of failures.
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

    /// A record after fetches that ended at these seconds: with a file of this body, or else status
    /// 503.
    fn record(fetches: &[(u64, Option<&str>)]) -> OriginRecord {
        let options = ReadOptions::new(Profile::ARCHIVE);
        let after = |record: OriginRecord, &(at, body): &(u64, Option<&str>)| {
            let now = Timestamp::from_seconds(at);
            let outcome = body.map_or(Outcome::Status(503), |_| Outcome::Success);
            let mut attempt = Attempt::new(Response::new(now, outcome, origin().robots_url()));
            attempt.file = body.map(|body| File::new(&origin(), body, now));
            record.after(None, &options, attempt, 0).shared.unwrap()
        };
        fetches.iter().fold(OriginRecord::new(origin()), after)
    }

    #[test]
    fn separate_records_are_merged_by_the_time_of_their_fetches() {
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
            // A wrong clock.
            (&[(5, old)], &[(2_000_000, new)], old),
        ] {
            let options = ReadOptions::new(Profile::ARCHIVE);
            let now = Timestamp::from_seconds(1_000_000);
            let merged = record(stored).merged(&record(other), &options, now, 0);
            let body = merged.file_for(&options).map(|file| file.body.as_bytes().to_vec());
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
            let options = ReadOptions::new(Profile::RFC9309);
            let merged = record(stored).merged(&record(other), &options, Timestamp::EPOCH, 0);
            assert_eq!(merged.back_off(), expected.map(until), "{stored:?} {other:?}");
        }
    }
}
