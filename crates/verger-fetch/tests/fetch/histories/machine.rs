//! The records of the client, driven without a network: one store, and the private records of each
//! client.

use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use verger::Origin;
use verger::access::{Kind, Outcome, Profile, Stale, Timestamp};
use verger_fetch::failure::Failure;
use verger_fetch::record::{
    Attempt, BackOff, File, Lifetime, OriginRecord, ReadOptions, RecordKey, Records, Response,
    Validators,
};
use verger_fetch::store::{MemoryStore, Pending, Store as _};

use crate::histories::model::{Answer, Asker, Came};
use crate::histories::world::Other;

pub(crate) struct Machine {
    origin: Origin,
    key: RecordKey,
    /// The records of other hosts.
    others: MemoryStore,
    shared: Option<Arc<OriginRecord>>,
    clients: Vec<Client>,
}

struct Client {
    asker: Asker,
    options: ReadOptions,
    own: Option<Arc<OriginRecord>>,
}

impl Machine {
    pub(crate) fn new(profile: &str, askers: &[Asker]) -> Self {
        let profile = Profile::named(profile).expect("a published profile");
        let client = |&asker: &Asker| {
            let limit = usize::try_from(asker.limit).expect("some kilobytes");
            Client { asker, options: ReadOptions::new(profile).with_body_limit(limit), own: None }
        };
        let origin = Origin::from_parts("https", "shop.example", None).expect("an origin");
        let clients = askers.iter().map(client).collect();
        let key = ReadOptions::new(profile).key(&origin);
        Self { origin, key, others: MemoryStore::new(), shared: None, clients }
    }

    /// An event of another host.
    pub(crate) fn other(&self, event: Other) {
        let (host, at) = match event {
            Other::Answered(at) | Other::Released(at) => ("other.example", at),
            Other::Imported(at) => ("imported.example", at),
        };
        let origin = Origin::from_parts("https", host, None).expect("an origin");
        if let Other::Released(until) = event {
            return done(self.others.set_back_off(&origin, Some(back_off(until))));
        }
        // Another profile: the knowledge about the network is for all.
        let options = ReadOptions::new(Profile::ARCHIVE);
        let key = options.key(&origin);
        let before = done(self.others.get(&key)).found();
        let before = before.unwrap_or_else(|| Arc::new(OriginRecord::new(key)));
        let mut attempt = file_of(&origin, 1, at);
        attempt.proves_network = !matches!(event, Other::Imported(_));
        let next = before.after(None, &options, attempt, 0).shared.expect("a record");
        done(self.others.put(Arc::new(next)));
    }

    /// Time of the last answer of another host, by the store.
    fn heard(&self, now: u64) -> Option<Timestamp> {
        done(self.others.last_answer(self.origin.host())).filter(|&heard| heard <= at(now))
    }

    /// Imports a file for a client; false if the record is of a later fetch.
    pub(crate) fn import(&mut self, client: usize, version: u32, now: u64) -> bool {
        let before = self.shared.clone();
        let before = before.unwrap_or_else(|| Arc::new(OriginRecord::new(self.key.clone())));
        if before.tried_at() > at(now) {
            return false;
        }
        let mut attempt = file_of(&self.origin, version, now);
        attempt.proves_network = false;
        let options = &self.clients[client].options;
        self.shared = before.after(None, options, attempt, 0).shared.map(Arc::new);
        true
    }

    /// A worker reports that the site did not answer.
    pub(crate) fn release(&mut self, now: u64) {
        let released = |shared: Arc<OriginRecord>| {
            Arc::new(Arc::unwrap_or_clone(shared).with_back_off(Some(back_off(now))))
        };
        self.shared = self.shared.take().map(released);
    }

    fn known(&self, client: usize) -> Option<Arc<OriginRecord>> {
        let (shared, own) = (self.shared.clone(), self.clients[client].own.clone());
        Records { shared, own, is_unread: false }.answer()
    }

    pub(crate) fn has_record(&self) -> bool {
        self.shared.is_some()
    }

    /// Whether a check causes a fetch.
    pub(crate) fn is_due(&self, client: usize, now: u64) -> bool {
        let options = &self.clients[client].options;
        self.known(client).is_none_or(|record| record.needs_fetch(options, at(now)))
    }

    /// Whether the client delays a due fetch after its own fault.
    pub(crate) fn holds_back(&self, client: usize, now: u64) -> bool {
        let options = &self.clients[client].options;
        let shared = self.shared.as_ref();
        let is_due = shared.is_none_or(|record| record.needs_fetch(options, at(now)));
        is_due && !self.is_due(client, now)
    }

    /// Whether an expired result may answer while a new one is fetched.
    pub(crate) fn may_answer_while_refreshing(&self, client: usize, now: u64) -> bool {
        let options = &self.clients[client].options;
        let record = self.known(client);
        record.is_some_and(|record| record.may_answer_while_refreshing(options, at(now)))
    }

    /// Whether the file for the answer is shorter than the client's limit.
    pub(crate) fn is_cut_short(&self, client: usize) -> bool {
        let Client { asker, options, .. } = &self.clients[client];
        let record = self.known(client);
        let file = record.as_ref().and_then(|record| record.file_for(options));
        file.and_then(|file| cut(file)).is_some_and(|limit| limit < asker.limit)
    }

    /// The version whose validators a fetch sends.
    pub(crate) fn validated(&self, client: usize) -> Option<u32> {
        let options = &self.clients[client].options;
        let file = self.shared.as_ref()?.validated_file(options)?;
        Some(version(file))
    }

    /// Records the end of a fetch.
    pub(crate) fn fetched(
        &mut self,
        client: usize,
        (came, is_extra): (Came, bool),
        now: u64,
        seed: u64,
    ) {
        let heard = self.heard(now);
        let Client { asker, options, own } = &mut self.clients[client];
        let mut attempt = attempt(&self.origin, *asker, came, now);
        attempt.other_answer = heard.filter(|_| attempt.response.is_unclear);
        attempt.is_extra = is_extra;
        if let Came::NotModified { .. } | Came::OtherNotModified = came {
            let file = self.shared.as_ref().and_then(|shared| shared.validated_file(options));
            attempt.renews = file.map(|file| *file.body.sha256());
        }
        let before = self.shared.clone();
        let before = before.unwrap_or_else(|| Arc::new(OriginRecord::new(self.key.clone())));
        let next = before.after(own.as_deref(), options, attempt, seed);
        *own = next.own.map(Arc::new);
        if let Some(shared) = next.shared {
            // Encoded, as in a store.
            let bytes = shared.encode();
            let read = OriginRecord::decode(&bytes, &self.key).expect("a record");
            assert!(read.is_same(&shared), "a record is the same after a store");
            self.shared = Some(Arc::new(shared));
        }
    }

    /// The answer at `now`; offline, the previous one.
    pub(crate) fn answer(
        &self,
        client: usize,
        now: u64,
        is_offline: bool,
        site_available: bool,
    ) -> Answer {
        let options = &self.clients[client].options;
        let record = self.known(client);
        let mut record = record.map_or_else(
            || OriginRecord::new(self.key.clone()),
            |record| OriginRecord::clone(&record),
        );
        if is_offline && record.needs_fetch(options, at(now)) {
            let fault = Response::new(at(now), Outcome::LocalFault, self.origin.robots_url());
            record = record.with_fault(fault);
        }
        let access = record.access(options, at(now), site_available);
        match access.kind() {
            Kind::Unknown => Answer::Unknown,
            Kind::AllowAll => Answer::Allow,
            Kind::DisallowAll => Answer::Deny,
            Kind::Rules => {
                let file = record.file_for(options).expect("rules have a file");
                let stale = access.stale();
                let is_copy = matches!(stale, Some(Stale::DuringOutage | Stale::NotRefreshed));
                Answer::File { version: version(file), is_copy }
            }
        }
    }
}

/// The result of a store in memory, which never waits.
fn done<T>(mut pending: Pending<'_, T>) -> T {
    match pending.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(done) => done.expect("a store in memory"),
        Poll::Pending => panic!("a store in memory waits"),
    }
}

/// The back-off after a request for a page that had no answer.
fn back_off(now: u64) -> BackOff {
    BackOff { until: at(now + 60), refusals: 1 }
}

/// A fetch of a whole file.
fn file_of(origin: &Origin, version: u32, now: u64) -> Attempt {
    let response = Response::new(at(now), Outcome::Success, origin.robots_url());
    let mut attempt = Attempt::new(Response { status: Some(200), ..response });
    attempt.file = Some(File::new(origin, version.to_string(), at(now)));
    attempt
}

/// The size limit of a cut file, found from the body, independent of the record's flag.
fn cut(file: &File) -> Option<u64> {
    let text = std::str::from_utf8(file.body.as_bytes()).expect("a text");
    let (_, limit) = text.split_once(" cut at ")?;
    Some(limit.parse().expect("a limit"))
}

fn at(seconds: u64) -> Timestamp {
    Timestamp::from_seconds(seconds)
}

fn version(file: &File) -> u32 {
    let text = std::str::from_utf8(file.body.as_bytes()).expect("a text");
    text.split(' ').next().map_or(0, |version| version.parse().unwrap_or_default())
}

fn attempt(origin: &Origin, asker: Asker, came: Came, now: u64) -> Attempt {
    let now = at(now);
    let response = |outcome| Response::new(now, outcome, origin.robots_url());
    let failed = |outcome| {
        let status = if let Outcome::Status(status) = outcome { Some(status) } else { None };
        let failure = Some(Failure::Status(status.unwrap_or_default()));
        Attempt::new(Response { status, failure, ..response(outcome) })
    };
    let by_max_age = |max_age: Option<u64>| {
        let lifetime = |age| Lifetime { stated: Duration::from_secs(age), by_max_age: true };
        max_age.map(lifetime)
    };
    let with_file = |outcome, version: u32, cut_at, max_age| {
        let lifetime = by_max_age(max_age);
        let mut attempt = Attempt::new(Response { lifetime, ..response(outcome) });
        // A cut body has different content.
        let body = match (version, cut_at) {
            (0, _) => String::new(),
            (version, None) => version.to_string(),
            (version, Some(limit)) => format!("{version} cut at {limit}"),
        };
        let validators = Validators { etag: Some(b"\"1\"".to_vec()), last_modified: None };
        let file = File::new(origin, body, now);
        attempt.file = Some(File { outcome, lifetime, cut_at, validators, ..file });
        attempt
    };
    match came {
        Came::File { version, size, max_age } => {
            let cut_at = (size > asker.limit).then_some(asker.limit);
            with_file(Outcome::Success, version, cut_at, max_age)
        }
        Came::Part { version } => with_file(Outcome::Status(206), version, Some(asker.limit), None),
        Came::NotModified { max_age } => {
            let lifetime = by_max_age(max_age);
            Attempt::new(Response { lifetime, ..response(Outcome::NotModified) })
        }
        Came::OtherNotModified => {
            let mut attempt = Attempt::new(response(Outcome::NotModified));
            attempt.etag = Some(b"\"2\"".to_vec());
            attempt
        }
        Came::Accepted { version: Some(version), max_age } => {
            with_file(Outcome::Status(202), version, None, max_age)
        }
        Came::Accepted { max_age, .. } | Came::Status { status: 204, max_age, .. } => {
            let is_accepted = matches!(came, Came::Accepted { .. });
            let outcome = if is_accepted { Outcome::AcceptedEmpty } else { Outcome::Status(204) };
            let mut attempt = with_file(outcome, 0, None, max_age);
            attempt.response.failure = is_accepted.then_some(Failure::AcceptedEmpty);
            if let Some(file) = &mut attempt.file {
                file.validators = Validators::default();
            }
            attempt
        }
        Came::Status { status, retry_after, max_age } => {
            let mut attempt = failed(Outcome::Status(status));
            attempt.response.lifetime = by_max_age(max_age);
            attempt.response.retry_after = retry_after.map(Duration::from_secs);
            attempt
        }
        Came::RedirectLimit => failed(Outcome::RedirectLimit),
        Came::DisallowedHop => {
            let mut attempt = failed(Outcome::DisallowedHop);
            attempt.is_local = true;
            attempt
        }
        Came::BrokenRedirect | Came::RefusedDowngrade => failed(Outcome::BrokenRedirect),
        Came::SiteFailure => failed(Outcome::Network),
        Came::ReachFailure { .. } => {
            let mut attempt = failed(Outcome::Network);
            attempt.response.is_unclear = true;
            attempt
        }
        Came::OwnFault => failed(Outcome::LocalFault),
    }
}
