//! The store of records.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use sha2::{Digest as _, Sha256};
use tokio::time::Instant;
use verger::Origin;
use verger::access::Timestamp;
use verger::limits::RETRY;
use verger_fetch::limits::SITE_ANSWER_AGE;
use verger_fetch::record::{BackOff, Body, Miss, OriginRecord, RecordKey, Response};
use verger_fetch::store::{
    Claim, FileVersion, Lookup, Pending, Replaced, Store, StoreEntry, StoreError, StoreErrorKind,
};

use crate::failure::{is_wrong_type, store_error};
use crate::history;
use crate::keys::{Keys, RecordKeys};
use crate::limits::{
    ANSWER_INTERVAL, ANSWERS, CLUSTER_RETRIES, CLUSTER_RETRY_MILLIS, VALUE_BYTES,
    VERSION_LIST_BYTES, VERSION_TIME, WRITES,
};
use crate::link::{Link, Server, choose_cryptography};
use crate::options::RedisOptions;
use crate::scripts::Scripts;
use crate::telemetry;
use crate::value::with_back_off;

/// Records in Redis, for all processes of a fleet. Clones share the connection.
///
/// A value is used only if its checksums, or its MAC, are right; otherwise it counts as missing.
/// Writes compare and replace in one step. The documentation of the store describes keys, values
/// and guarantees.
///
/// Redis evicts records by its own policy (`maxmemory-policy`), and after 90 days without a write.
/// Earlier files live for 400 days after the last change.
///
/// # Complexity
///
/// A read is one command, a write one script; a write that changes the file reads the list of
/// versions before. [`list`](Store::list) and [`clear`](Store::clear) go through all keys of Redis.
/// Turns, back-off and leases are not cleared: running processes would send requests too early.
#[derive(Clone, Debug)]
pub struct RedisStore(pub(crate) Arc<Shared>);

/// The parts that leases and turns use too.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) link: Link,
    pub(crate) keys: Keys,
    pub(crate) scripts: Scripts,
    pub(crate) options: RedisOptions,
    /// The last note of an answer by this process.
    noted_at: Mutex<Option<Instant>>,
}

/// A value as read, and the tag that identifies it in a write.
struct Read {
    lookup: Lookup,
    tag: Vec<u8>,
}

impl RedisStore {
    /// Opens a store in one Redis. The URL is `redis://user:password@host:port/database`, `rediss:`
    /// for TLS, or `unix:///path`.
    ///
    /// TLS trusts the root certificates of the system. If the program has not chosen an
    /// implementation of cryptography for rustls, this chooses ring for the process.
    ///
    /// It connects with the first call, so that a service can start without Redis;
    /// [`ping`](Store::ping) tests the connection.
    ///
    /// # Errors
    ///
    /// If the URL is not valid.
    pub fn open(url: &str, options: RedisOptions) -> Result<Self, StoreError> {
        choose_cryptography(url);
        let client = redis::Client::open(url).map_err(store_error)?;
        Ok(Self::new(Server::Single(Box::new(client)), options))
    }

    /// Opens a store in a Redis Cluster. The URLs of some nodes are enough.
    ///
    /// # Errors
    ///
    /// If a URL is not valid.
    pub fn open_cluster<'u>(
        urls: impl IntoIterator<Item = &'u str>,
        options: RedisOptions,
    ) -> Result<Self, StoreError> {
        let time = options.call_timeout;
        let urls = urls.into_iter().inspect(|url| choose_cryptography(url));
        let builder = redis::cluster::ClusterClient::builder(urls)
            .connection_timeout(time)
            .response_timeout(time)
            .overall_response_timeout(Some(time))
            .retries(CLUSTER_RETRIES)
            .min_retry_wait(1)
            .max_retry_wait(CLUSTER_RETRY_MILLIS);
        let client = builder.build().map_err(store_error)?;
        Ok(Self::new(Server::Cluster(Box::new(client)), options))
    }

    fn new(server: Server, options: RedisOptions) -> Self {
        Self(Arc::new(Shared {
            link: Link::new(server, options.call_timeout),
            keys: Keys::new(&options.namespace, &options.seal),
            scripts: Scripts::new(),
            options,
            noted_at: Mutex::default(),
        }))
    }
}

impl Shared {
    /// Reads the record with a key, and the back-off of its origin.
    async fn read(&self, key: &RecordKey, keys: &RecordKeys) -> Result<Read, StoreError> {
        let name = keys.record();
        let names = [name.clone(), keys.back_off.clone()];
        let most = VALUE_BYTES.to_string();
        let arguments = [most.as_bytes()];
        let run = self.link.run("get", &self.scripts.read, &names, &arguments);
        let (stored, back_off): (Vec<u8>, Vec<u8>) = match run.await {
            Err(error) if is_wrong_type(&error) => {
                telemetry::damaged();
                return Ok(Read { lookup: Lookup::Missing(Miss::Damaged), tag: Vec::new() });
            }
            found => found?,
        };
        let lookup = match self.decode(&name, &stored, key) {
            Lookup::Found(record) => Lookup::Found(with_back_off(&record, &back_off)),
            missing @ Lookup::Missing(_) => missing,
        };
        if matches!(lookup, Lookup::Missing(Miss::Damaged | Miss::Foreign { .. })) {
            telemetry::damaged();
        }
        Ok(Read { lookup, tag: tag(&stored) })
    }

    fn decode(&self, name: &str, stored: &[u8], key: &RecordKey) -> Lookup {
        if stored.is_empty() {
            return Lookup::Missing(Miss::Absent);
        }
        let value = self.options.seal.open(name, stored).filter(|_| stored.len() <= VALUE_BYTES);
        let found = value.ok_or(Miss::Damaged).and_then(|value| OriginRecord::decode(value, key));
        match found {
            Ok(record) => Lookup::Found(Arc::new(record)),
            Err(miss) => Lookup::Missing(miss),
        }
    }

    /// The files of a record as last stored; none if the list is damaged.
    async fn history(&self, keys: &RecordKeys) -> Result<Vec<FileVersion>, StoreError> {
        let name = keys.versions();
        let stored = self.link.value("versions", &name, VERSION_LIST_BYTES).await?;
        if stored.as_ref().is_some_and(Vec::is_empty) {
            return Ok(Vec::new());
        }
        let value = stored.as_ref().and_then(|stored| self.options.seal.open(&name, stored));
        let versions = value.and_then(|value| history::decode(&name, value));
        if versions.is_none() {
            telemetry::damaged();
        }
        Ok(versions.unwrap_or_default())
    }

    /// The versions of an origin without a record. Its current file was in the record, so it is
    /// lost if the record expired before the list.
    async fn without_lost_file(
        &self,
        keys: &RecordKeys,
        mut versions: Vec<FileVersion>,
    ) -> Result<Vec<FileVersion>, StoreError> {
        // An empty file has no key.
        if let Some(last) = versions.last().filter(|last| last.bytes > 0) {
            let name = keys.body(&last.sha256);
            let command = redis::cmd("EXISTS").arg(&name).clone();
            if self.link.send::<i64>("versions", &name, &command).await? == 0 {
                versions.pop();
            }
        }
        Ok(versions)
    }

    /// Writes a record in place of the value with this tag. Returns it with the back-off of its
    /// origin; the error is the tag of another value.
    async fn write(
        &self,
        keys: &RecordKeys,
        before: Option<&OriginRecord>,
        tag: &[u8],
        record: &OriginRecord,
    ) -> Result<Result<Arc<OriginRecord>, Vec<u8>>, StoreError> {
        let name = keys.record();
        let value = self.options.seal.close(&name, record.encode());
        if value.len() > VALUE_BYTES {
            let message = format!(
                "expected a record of at most {VALUE_BYTES} bytes, but found one of {}",
                value.len()
            );
            return Err(StoreError::new(StoreErrorKind::TooLarge, message));
        }
        let mut names = vec![name, keys.back_off.clone(), keys.versions()];
        let (mut list, mut body, mut listed) = (Vec::new(), Vec::new(), 0);
        let file = before.and_then(OriginRecord::file);
        let hash = |record: &OriginRecord| record.file().map(|file| *file.body.sha256());
        if before.and_then(hash) == hash(record) {
            // No key is written in its place.
            names.push(keys.body(&[0; 32]));
        } else {
            let mut known = self.history(keys).await?;
            if before.is_none() && known.last().map(|last| last.sha256) != hash(record) {
                known = self.without_lost_file(keys, known).await?;
            }
            let mut versions = FileVersion::advance(known, before, record);
            let unneeded = history::shorten(&mut versions);
            list = self.options.seal.close(&names[2], history::encode(&names[2], &versions));
            let old = file.filter(|file| {
                let sha256 = file.body.sha256();
                versions.iter().any(|version| version.sha256 == *sha256)
            });
            names.push(keys.body(old.map_or(&[0; 32], |file| file.body.sha256())));
            body = old.map(|file| file.body.as_bytes().to_vec()).unwrap_or_default();
            // They live as long as the list.
            names.extend(versions.iter().map(|version| keys.body(&version.sha256)));
            listed = versions.len();
            names.extend(unneeded.iter().map(|sha256| keys.body(sha256)));
        }
        let times = [self.options.record_time, VERSION_TIME].map(millis);
        let [time, version_time] = times.each_ref().map(String::as_bytes);
        let listed = listed.to_string();
        let arguments: [&[u8]; 7] =
            [tag, &value, time, &list, &body, version_time, listed.as_bytes()];
        let run = self.link.run("replace", &self.scripts.replace, &names, &arguments);
        let (is_written, reply): (bool, Vec<u8>) = run.await?;
        Ok(if is_written { Ok(with_back_off(record, &reply)) } else { Err(reply) })
    }

    async fn replace(
        self: &Arc<Self>,
        before: Option<&Arc<OriginRecord>>,
        record: &Arc<OriginRecord>,
    ) -> Result<Replaced, StoreError> {
        let keys = self.keys.of_record(record.key());
        // The bytes that were read are usually those of this version.
        let mut expected = match before {
            Some(before) => tag(&self.options.seal.close(&keys.record(), before.encode())),
            None => ABSENT.to_vec(),
        };
        let mut lookup = Lookup::Missing(Miss::Absent);
        for _ in 0..WRITES {
            let found = match self.write(&keys, before.map(|it| &**it), &expected, record).await? {
                Ok(stored) => {
                    self.note_answer(before.map(|it| &**it), record);
                    return Ok(Replaced::By(stored));
                }
                Err(found) => found,
            };
            // Damaged, written by an earlier version, or by another process.
            let read = self.read(record.key(), &keys).await?;
            if !read.lookup.allows(before, record) {
                return Ok(Replaced::No(read.lookup));
            }
            let is_unread = matches!(read.lookup, Lookup::Missing(Miss::Damaged));
            expected = if is_unread { found } else { read.tag };
            lookup = read.lookup;
        }
        Ok(Replaced::No(lookup))
    }

    async fn put(self: &Arc<Self>, record: &OriginRecord) -> Result<(), StoreError> {
        let keys = self.keys.of_record(record.key());
        let mut read = self.read(record.key(), &keys).await?;
        for _ in 0..WRITES {
            let before = read.lookup.clone().found();
            match self.write(&keys, before.as_deref(), &read.tag, record).await? {
                Ok(_) => {
                    self.note_answer(before.as_deref(), record);
                    return Ok(());
                }
                Err(found) => {
                    read = self.read(record.key(), &keys).await?;
                    if matches!(read.lookup, Lookup::Missing(Miss::Damaged)) {
                        read.tag = found;
                    }
                }
            }
        }
        let message = "other processes keep changing the record";
        Err(StoreError::new(StoreErrorKind::Busy, message))
    }

    /// Notes a new answer of a host, at most once in a while.
    fn note_answer(self: &Arc<Self>, before: Option<&OriginRecord>, record: &OriginRecord) {
        let tried_at = record.tried_at();
        let is_of = |last: &Arc<Response>| !last.is_unclear && last.tried_at == tried_at;
        let answers = |last: &Arc<Response>| last.status.is_some() && is_of(last);
        // A write without a fetch brings no answer.
        let is_old = before.is_some_and(|before| before.tried_at() == tried_at);
        if is_old || !record.last().is_some_and(answers) || !self.may_note() {
            return;
        }
        let (host, time) = (member(record.origin().host()), millis(SITE_ANSWER_AGE));
        let arguments = [host, ANSWERS.to_string(), time, tried_at.seconds().to_string()];
        let (shared, keys) = (Arc::clone(self), [self.keys.answers()]);
        tokio::spawn(async move {
            let (script, arguments) = (&shared.scripts.note_answer, arguments.each_ref());
            let arguments = arguments.map(String::as_bytes);
            let noted = shared.link.run::<i64>("last_answer", script, &keys, &arguments).await;
            if let Err(error) = noted {
                tracing::debug!(%error, "could not share an answer");
            }
        });
    }

    fn may_note(&self) -> bool {
        let mut noted_at = self.noted_at.lock().unwrap_or_else(PoisonError::into_inner);
        let may_note = noted_at.is_none_or(|at| at.elapsed() >= ANSWER_INTERVAL);
        if may_note {
            *noted_at = Some(Instant::now());
        }
        may_note
    }
}

impl Store for RedisStore {
    fn get<'a>(&'a self, key: &'a RecordKey) -> Pending<'a, Lookup> {
        Box::pin(async move { Ok(self.0.read(key, &self.0.keys.of_record(key)).await?.lookup) })
    }

    fn put(&self, record: Arc<OriginRecord>) -> Pending<'_, ()> {
        Box::pin(async move { self.0.put(&record).await })
    }

    fn replace(
        &self,
        before: Option<Arc<OriginRecord>>,
        record: Arc<OriginRecord>,
    ) -> Pending<'_, Replaced> {
        Box::pin(async move { self.0.replace(before.as_ref(), &record).await })
    }

    fn set_back_off<'a>(
        &'a self,
        origin: &'a Origin,
        back_off: Option<BackOff>,
    ) -> Pending<'a, ()> {
        // The script stores the later one of two.
        Box::pin(async move {
            let Shared { keys, link, scripts, .. } = &*self.0;
            let keys = [keys.back_off(origin)];
            let text = back_off.map(|it| format!("{} {}", it.until.seconds(), it.refusals));
            let (text, time) = (text.unwrap_or_default(), millis(RETRY));
            let arguments = [text.as_bytes(), time.as_bytes()];
            link.run::<i64>("back_off", &scripts.set_back_off, &keys, &arguments).await.map(drop)
        })
    }

    fn remove<'a>(&'a self, key: &'a RecordKey) -> Pending<'a, bool> {
        Box::pin(async move {
            let keys = self.0.keys.of_record(key);
            let versions = self.0.history(&keys).await?;
            let mut names = vec![keys.versions()];
            names.extend(versions.iter().map(|version| keys.body(&version.sha256)));
            let rest = redis::cmd("UNLINK").arg(&names).clone();
            let record = redis::cmd("UNLINK").arg(keys.record()).clone();
            let name = keys.record();
            let removed: i64 = self.0.link.send("remove", &name, &record).await?;
            self.0.link.send::<i64>("remove", &name, &rest).await?;
            Ok(removed > 0)
        })
    }

    fn list<'a>(&'a self, after: Option<&'a str>, most: usize) -> Pending<'a, Vec<StoreEntry>> {
        Box::pin(self.0.list(after, most))
    }

    fn clear(&self) -> Pending<'_, u64> {
        Box::pin(self.0.clear())
    }

    fn ping(&self) -> Pending<'_, ()> {
        Box::pin(async move {
            // A key of this namespace: in a Cluster, only one part is tested.
            let key = self.0.keys.answers();
            let command = redis::cmd("EXISTS").arg(&key).clone();
            self.0.link.send::<i64>("ping", &key, &command).await.map(drop)
        })
    }

    fn last_answer<'a>(&'a self, except: &'a str) -> Pending<'a, Option<Timestamp>> {
        Box::pin(async move {
            let key = self.0.keys.answers();
            let command = redis::cmd("ZRANGE").arg(&key).arg(0).arg(-1).arg("WITHSCORES").clone();
            let reply = self.0.link.send::<Vec<(String, u64)>>("last_answer", &key, &command);
            let hosts = match reply.await {
                Err(error) if is_wrong_type(&error) => Vec::new(),
                hosts => hosts?,
            };
            let except = member(except);
            let others = hosts.into_iter().filter(|(host, _)| *host != except);
            Ok(others.map(|(_, seconds)| Timestamp::from_seconds(seconds)).max())
        })
    }

    fn claim<'a>(&'a self, key: &'a RecordKey, time: Duration) -> Pending<'a, Claim> {
        Box::pin(self.0.claim(key, time))
    }

    fn versions<'a>(&'a self, key: &'a RecordKey) -> Pending<'a, Vec<FileVersion>> {
        Box::pin(async move {
            let keys = self.0.keys.of_record(key);
            let record = self.0.read(key, &keys).await?.lookup.found();
            let known = self.0.history(&keys).await?;
            let Some(record) = record.as_deref() else {
                return self.0.without_lost_file(&keys, known).await;
            };
            // The record has the last renewal of the current file.
            Ok(FileVersion::advance(known, Some(record), record))
        })
    }

    fn version<'a>(
        &'a self,
        key: &'a RecordKey,
        sha256: &'a [u8; 32],
    ) -> Pending<'a, Option<Body>> {
        Box::pin(async move {
            let keys = self.0.keys.of_record(key);
            let record = self.0.read(key, &keys).await?.lookup.found();
            let body = record.and_then(|record| record.file().map(|file| file.body.clone()));
            if let Some(body) = body.filter(|body| body.sha256() == sha256) {
                return Ok(Some(body));
            }
            let name = keys.body(sha256);
            // An absent key is an empty value, and so may be a file.
            let stored = self.0.link.value("versions", &name, VALUE_BYTES).await?;
            Ok(stored.map(Body::new).filter(|body| body.sha256() == sha256))
        })
    }
}

/// A host as a member of the answers. A dot at the end makes no other one.
fn member(host: &str) -> String {
    hex::encode(&Sha256::digest(host.trim_end_matches('.'))[..8])
}

pub(crate) fn millis(time: Duration) -> String {
    // Redis rejects times that overflow.
    time.as_millis().clamp(1, MOST_MILLIS).to_string()
}

/// A hundred years.
const MOST_MILLIS: u128 = 100 * 365 * 24 * 60 * 60 * 1000;

/// The tag of an absent value: its type.
const ABSENT: &[u8] = b"none";

/// Identifies a value: its length and the end of its checksum or MAC.
fn tag(stored: &[u8]) -> Vec<u8> {
    if stored.is_empty() {
        return ABSENT.to_vec();
    }
    let mut tag = format!("{}:", stored.len()).into_bytes();
    tag.extend(&stored[stored.len().saturating_sub(32)..]);
    tag
}
