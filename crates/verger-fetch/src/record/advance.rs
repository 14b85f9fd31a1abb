//! From a fetch to the next record.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use verger::access::{Fetched, Kind, Meaning, Outcome, State, Timestamp};

use super::OriginRecord;
use super::file::{File, Validators};
use super::read_options::ReadOptions;
use super::response::Response;
use crate::failure::{Broken, Failure};
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
    /// The `ETag` of a 304, as received.
    pub etag: Option<Vec<u8>>,
    /// Whether the result concerns this client alone, because its crawler or its limits ended the
    /// fetch (REP-CACHE-29).
    pub is_local: bool,
    /// Time of the last answer of another host to this client or one that shares its store. Only
    /// this shows that an unclear failure ([`Response::is_unclear`]) is not the crawler's own
    /// (REP-CACHE-28).
    pub other_answer: Option<Timestamp>,
    /// Whether a response shows that the network of the store's clients works. It does not if
    /// another program received it, a proxy may have made it, or it came from an address that only
    /// an allowed network permits (REP-CACHE-28a).
    pub proves_network: bool,
    /// Whether a caller requested the fetch before it was due. If it fails, a known outage does not
    /// change: counting it would delay the next try more and more (REP-CACHE-21).
    pub is_extra: bool,
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

impl Attempt {
    /// A fetch that counts for all clients, without a file.
    pub const fn new(response: Response) -> Self {
        let (file, renews, etag, other_answer) = (None, None, None, None);
        let (is_local, proves_network, is_extra) = (false, true, false);
        Self { response, file, renews, etag, is_local, other_answer, proves_network, is_extra }
    }

    /// Whether it found neither a file nor the absence of one.
    pub(crate) fn is_failure(&self, options: &ReadOptions) -> bool {
        options.profile().meaning(self.response.outcome) == Meaning::Unreachable
    }

    /// Whether a state does not change: an extra fetch failed during an outage.
    fn leaves_unchanged(&self, state: &State, meaning: Meaning) -> bool {
        self.is_extra && meaning == Meaning::Unreachable && state.failures() > 0
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
    /// `own` is the record of this client alone, if it has one. `seed` is any number, preferably
    /// random: it spreads the retries.
    ///
    /// A 304 renews the file of this record that it confirmed. If the record no longer has that
    /// file, or has it with another strong `ETag` than the 304, the 304 counts as a broken
    /// redirect: fetch again, without validators.
    #[must_use]
    pub fn after(
        &self,
        own: Option<&Self>,
        options: &ReadOptions,
        mut attempt: Attempt,
        seed: u64,
    ) -> Next {
        let renewed = self.renewed(&attempt);
        if self.is_unconfirmed_by(&attempt) {
            // REP-AMB-17, as a 304 to an unconditional request.
            attempt.response.outcome = Outcome::BrokenRedirect;
            attempt.response.failure = Some(Failure::BrokenRedirect(Broken::NotModifiedUnasked));
        }
        let state = if self.has_more(options, &attempt) {
            attempt.file = None;
            self.state
        } else {
            self.next_state(options, &attempt, renewed.as_ref(), seed)
        };
        if self.is_own_fault(options, &attempt, &state) {
            let own = Some(self.after_fault(own, options, attempt, seed));
            return Next { shared: None, own };
        }
        let is_local = attempt.is_local;
        let next = self.advanced(options, attempt, renewed, state);
        if is_local {
            let own = Some(Self { based_on: self.tried_at, ..next });
            return Next { shared: None, own };
        }
        Next { shared: Some(next), own: None }
    }

    /// Whether a fetch that ended later makes this one obsolete: it had a result, or both failed.
    pub(crate) fn supersedes(
        &self,
        attempt: &Attempt,
        options: &ReadOptions,
        now: Timestamp,
    ) -> bool {
        let has_result = self.state.failures() == 0
            || self.state.fetched_at().is_some_and(|fetched| fetched > attempt.response.tried_at);
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
        let mut merged = self.clone();
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
        let last = self.last.as_deref().filter(is_without_file).map(|last| {
            // Whether it was a fault was judged when it was received (REP-CACHE-28).
            let response = Response { is_unclear: false, ..last.clone() };
            Attempt { proves_network: !last.is_unclear, ..Attempt::new(response) }
        });
        of_file.into_iter().chain(last)
    }

    /// The state after a fetch.
    fn next_state(
        &self,
        options: &ReadOptions,
        attempt: &Attempt,
        renewed: Option<&File>,
        seed: u64,
    ) -> State {
        let (response, profile) = (&attempt.response, options.profile());
        let mut report = response.report();
        if let Some(file) = renewed {
            // The lifetime in the 304, otherwise that of the file.
            report = file.report();
        }
        if attempt.leaves_unchanged(&self.state, profile.meaning(report.outcome)) {
            return self.state;
        }
        let report = Fetched { jitter: jitter(seed, options.name(), &self.state), ..report };
        self.state.after(profile, report, response.tried_at)
    }

    /// Whether a part of the file came while the reader has more of it, which is fresh
    /// (REP-CACHE-29).
    fn has_more(&self, options: &ReadOptions, attempt: &Attempt) -> bool {
        attempt.response.outcome == Outcome::Status(206)
            && self.effective_state(options).is_fresh(attempt.response.tried_at)
            && self.whole_file_for(options).is_some()
    }

    /// Whether a fetch says nothing about the site, because the fault was or may have been the
    /// crawler's (REP-CACHE-28). Only an answer of another host since the last fetch of this site
    /// shows that the crawler's own network works. A first failure that would allow everything
    /// needs a recent one.
    fn is_own_fault(&self, options: &ReadOptions, attempt: &Attempt, next: &State) -> bool {
        let &Attempt { ref response, other_answer, .. } = attempt;
        let now = response.tried_at;
        let is_fault = response.outcome == Outcome::LocalFault;
        if is_fault || !response.is_unclear {
            return is_fault;
        }
        let since = self.last.as_ref().map(|last| last.tried_at);
        let is_proof = |&other_answer: &Timestamp| {
            other_answer <= now && since.is_none_or(|since| other_answer > since)
        };
        let opens = self.state.failing_since().is_none()
            && next.access(options.profile(), now).kind() == Kind::AllowAll;
        other_answer
            .filter(is_proof)
            .is_none_or(|other_answer| opens && now > other_answer.after(OTHER_HOST_ANSWER_AGE))
    }

    /// The next record, for a fetch that leads to this state.
    fn advanced(
        &self,
        options: &ReadOptions,
        attempt: Attempt,
        renewed: Option<File>,
        state: State,
    ) -> Self {
        let Attempt { mut response, file, proves_network, .. } = attempt;
        let mut next = Self { state, tried_at: response.tried_at, fault: None, ..self.clone() };
        let is_file = options.profile().meaning(response.outcome) == Meaning::Rules;
        if let Some(file) = file.filter(|_| is_file).or(renewed) {
            next.place(file, self.state.has_copy());
        }
        if !state.has_copy() {
            (next.file, next.piece) = (None, None);
        }
        let before = self.last.as_ref().map_or(0, |last| last.failures);
        response.failures = if response.failure.is_some() { before.saturating_add(1) } else { 0 };
        // A stored response never proves more than when it was received.
        response.is_unclear |= !proves_network;
        next.last = Some(Arc::new(response));
        next
    }

    /// Replaces the file, or adds the new one beside it if it is less complete. `is_used`: the
    /// state used the file before.
    fn place(&mut self, mut file: File, is_used: bool) {
        // Validators are sent to no other origin (REP-CACHE-5).
        if !file.is_from(self.origin()) {
            file.validators = Validators::default();
        }
        let file = Arc::new(file);
        if self.file().filter(|_| is_used).is_none_or(|old| file.may_replace(old)) {
            (self.file, self.piece) = (Some(file), None);
        } else {
            self.piece = Some(file);
        }
    }

    /// The file that a 304 confirmed.
    fn confirmed(&self, attempt: &Attempt) -> Option<&File> {
        let Attempt { response, renews, etag, .. } = attempt;
        let mut files = [&self.piece, &self.file].into_iter().flatten().map(Arc::as_ref);
        let is_meant = |file: &&File| {
            Some(*file.body.sha256()) == *renews
                && !file.is_part()
                && file.validators.may_be_confirmed_with(etag.as_deref())
        };
        files.find(is_meant).filter(|_| response.outcome == Outcome::NotModified)
    }

    /// The same, renewed.
    fn renewed(&self, attempt: &Attempt) -> Option<File> {
        let Response { lifetime, tried_at, .. } = attempt.response;
        self.confirmed(attempt).map(|file| file.clone().renewed(lifetime, tried_at))
    }

    /// Whether an attempt is a 304 that confirms no file of this record.
    pub(crate) fn is_unconfirmed_by(&self, attempt: &Attempt) -> bool {
        attempt.response.outcome == Outcome::NotModified && self.confirmed(attempt).is_none()
    }

    /// The record for this client after its own fault: the previous answer still applies
    /// (REP-CACHE-28).
    fn after_fault(
        &self,
        own: Option<&Self>,
        options: &ReadOptions,
        attempt: Attempt,
        seed: u64,
    ) -> Self {
        let before = own.and_then(|own| own.fault).unwrap_or_default();
        let now = attempt.response.tried_at;
        let fault = if attempt.leaves_unchanged(&before, Meaning::Unreachable) {
            before
        } else {
            let jitter = jitter(seed, options.name(), &before);
            let fetched = Fetched { jitter, ..Outcome::Network.into() };
            before.after(options.profile(), fetched, now)
        };
        // Whatever the outcome, it says nothing about the site.
        let response = Response { outcome: Outcome::LocalFault, ..attempt.response };
        let (last, based_on) = (Some(Arc::new(response)), self.tried_at);
        Self { fault: Some(fault), last, tried_at: now, based_on, ..self.clone() }
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
    use verger::access::Profile;

    use super::*;

    fn origin() -> Origin {
        Origin::from_parts("https", "shop.example", None).unwrap()
    }

    /// A record after fetches that ended at these seconds: with a file of this body, or else status
    /// 503.
    fn record(fetches: &[(u64, Option<&str>)], proves_network: bool) -> OriginRecord {
        let options = ReadOptions::new(Profile::ARCHIVE);
        let after = |record: OriginRecord, &(at, body): &(u64, Option<&str>)| {
            let now = Timestamp::from_seconds(at);
            let outcome = body.map_or(Outcome::Status(503), |_| Outcome::Success);
            let mut attempt = Attempt::new(Response::new(now, outcome, origin().robots_url()));
            attempt.file = body.map(|body| File::new(&origin(), body, now));
            attempt.proves_network = proves_network;
            record.after(None, &options, attempt, 0).shared.unwrap()
        };
        fetches.iter().fold(OriginRecord::new(options.key(&origin())), after)
    }

    #[test]
    fn rep_cache_5_a_304_with_another_strong_etag_renews_nothing() {
        let options = ReadOptions::new(Profile::RFC9309);
        let at = Timestamp::from_seconds;
        for (own, other, is_renewed) in [
            (Some("\"a\""), Some("\"a\""), true),
            (Some("\"a\""), Some("\"b\""), false),
            (Some("\"a\""), Some("\"A\""), false),
            (Some("\"a\""), Some("W/\"a\""), true),
            (Some("\"a\""), Some("W/\"b\""), true),
            (Some("W/\"a\""), Some("\"b\""), true),
            (Some("\"a\""), None, true),
            // The copy has a Last-Modified only.
            (None, Some("\"b\""), true),
        ] {
            let etag = |etag: Option<&str>| etag.map(|etag| etag.as_bytes().to_vec());
            let last_modified = Some(b"yesterday".to_vec());
            let validators = Validators { etag: etag(own), last_modified };
            let mut file = Attempt::new(Response::new(at(1), Outcome::Success, ""));
            file.file = Some(File { validators, ..File::new(&origin(), "# a", at(1)) });
            let mut renewal = Attempt::new(Response::new(at(9), Outcome::NotModified, ""));
            renewal.renews = file.file.as_ref().map(|file| *file.body.sha256());
            renewal.etag = etag(other);
            let record = OriginRecord::new(options.key(&origin()));
            let record = record.after(None, &options, file, 0).shared.unwrap();
            let record = record.after(None, &options, renewal, 0).shared.unwrap();
            let renewed_at = record.file().unwrap().fetched_at;
            assert_eq!(renewed_at, at(if is_renewed { 9 } else { 1 }), "{own:?} {other:?}");
            let last = record.last().unwrap();
            assert_eq!(last.outcome == Outcome::NotModified, is_renewed, "{own:?} {other:?}");
            assert_eq!(last.failures, u32::from(!is_renewed));
        }
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
            // Also behind a proxy, or in a network that is not public.
            for proves_network in [true, false] {
                let options = ReadOptions::new(Profile::ARCHIVE);
                let now = Timestamp::from_seconds(1_000_000);
                let [before, after] = [stored, other].map(|it| record(it, proves_network));
                let merged = before.merged(&after, &options, now, 0);
                let body = merged.file_for(&options).map(|file| file.body.as_bytes().to_vec());
                assert_eq!(body, expected.map(Vec::from), "{stored:?} {other:?}");
                let last = |fetches: &[(u64, Option<&str>)]| fetches.last().map(|fetch| fetch.0);
                let last = last(stored).max(last(other).filter(|&at| at <= now.seconds()));
                assert_eq!(Some(merged.tried_at().seconds()), last, "{stored:?} {other:?}");
                let proof = merged.last_answer_unless("other.example");
                assert!(proves_network || proof.is_none(), "{stored:?} {other:?}");
            }
        }
    }
}
