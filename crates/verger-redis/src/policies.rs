//! Compiled policies beside the records.

use std::hash::{Hash as _, Hasher};

use sha2::{Digest as _, Sha256};
use verger::{Crawler, Dialect, Origin, Policy};
use verger_fetch::record::File;
use verger_fetch::store::StoreError;

use crate::failure::{is_wrong_type, store_error};
use crate::limits::{POLICY_TIME, VALUE_BYTES};
use crate::store::{RedisStore, millis};
use crate::telemetry::{self, Call};

impl RedisStore {
    /// Returns the compiled policy of a file for a crawler: the stored one, or a new one, which is
    /// stored. It is for workers that evaluate policies and parse no files.
    ///
    /// Use it only while the rules of the file are in force
    /// ([`Kind::Rules`](verger::access::Kind::Rules)). A policy is stored under a hash of the file,
    /// the crawler, the dialect and the version of this crate, for
    /// a day.
    ///
    /// # Errors
    ///
    /// If Redis fails. Compile it then: `file.parse(dialect).policy(crawler)`.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// use verger::access::Kind;
    /// use verger::{Crawler, Dialect};
    ///
    /// # async fn example(
    /// #     client: &verger_fetch::client::RobotsClient,
    /// #     store: &verger_redis::RedisStore,
    /// # ) -> Result<(), Box<dyn std::error::Error>> {
    /// let record = client.record(&"https://shop.example".parse()?).await?;
    /// if client.access(&record).kind() == Kind::Rules
    ///     && let Some(file) = record.file_for(client.read_options())
    /// {
    ///     let crawler = Crawler::new("ExampleBot");
    ///     let policy = store.policy(record.origin(), file, &crawler, &Dialect::RFC9309).await?;
    ///     assert!(policy.is_allowed("https://shop.example/robots.txt"));
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn policy(
        &self,
        origin: &Origin,
        file: &File,
        crawler: &Crawler,
        dialect: &Dialect,
    ) -> Result<Policy, StoreError> {
        let name = self.0.keys.of(origin).policy(&inputs(file, crawler, dialect));
        let command = redis::cmd("GETRANGE").arg(&name).arg(0).arg(VALUE_BYTES).clone();
        let stored = match self.0.link.try_send::<Vec<u8>>(Call::Policy, &name, &command).await? {
            Ok(stored) => stored,
            // It is replaced.
            Err(error) if is_wrong_type(&error) => vec![0],
            Err(error) => return Err(store_error(error)),
        };
        let seal = self.0.seal();
        let policy = seal.open(&name, &stored).and_then(|value| unsealed(&name, value));
        if let Some(policy) = policy {
            return Ok(policy);
        }
        if !stored.is_empty() {
            telemetry::damaged();
        }
        let policy = file.parse(dialect).policy(crawler);
        let mut value = policy.as_bytes().to_vec();
        value.extend(checksum(&name, policy.as_bytes()));
        let value = seal.close(&name, value);
        let mut set = redis::cmd("SET");
        set.arg(&name).arg(value).arg("PX").arg(millis(POLICY_TIME));
        // Without it, the next caller compiles the policy again.
        if let Err(error) = self.0.link.send::<redis::Value>(Call::Policy, &name, &set).await {
            tracing::debug!(%error, "a policy is not stored");
        }
        Ok(policy)
    }
}

/// A policy with a right checksum.
fn unsealed(name: &str, value: &[u8]) -> Option<Policy> {
    let (policy, expected) = value.split_last_chunk()?;
    (checksum(name, policy) == *expected).then(|| Policy::from_bytes(policy.into()).ok()).flatten()
}

/// The checksum binds a policy to its file, crawler and dialect.
fn checksum(name: &str, policy: &[u8]) -> [u8; 32] {
    Sha256::new().chain_update(name).chain_update(policy).finalize().into()
}

/// The hash of everything that a policy depends on.
fn inputs(file: &File, crawler: &Crawler, dialect: &Dialect) -> [u8; 32] {
    let mut hasher = Inputs(Sha256::new());
    env!("CARGO_PKG_VERSION").hash(&mut hasher);
    (file.body.sha256(), file.is_truncated(), crawler, dialect).hash(&mut hasher);
    hasher.0.finalize().into()
}

/// A cryptographic hash of values that can be hashed.
struct Inputs(Sha256);

impl Hasher for Inputs {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish(&self) -> u64 {
        let hash: [u8; 32] = self.0.clone().finalize().into();
        hash.first_chunk().copied().map_or(0, u64::from_le_bytes)
    }
}
