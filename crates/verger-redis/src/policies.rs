//! Compiled policies beside the records.

use std::hash::{Hash as _, Hasher};

use sha2::{Digest as _, Sha256};
use verger::{Crawler, Dialect, Origin, Policy};
use verger_fetch::record::File;
use verger_fetch::store::StoreError;

use crate::limits::{POLICY_TIME, VALUE_BYTES};
use crate::store::{RedisStore, millis};
use crate::telemetry;
use crate::value::{with_checksum, without_checksum};

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
        // A value of another type is replaced.
        let stored = self.0.link.value("policy", &name, VALUE_BYTES).await?.unwrap_or(vec![0]);
        let seal = self.0.seal();
        let value = seal.open(&name, &stored).and_then(|value| without_checksum(&name, value));
        let policy = value.and_then(|policy| Policy::from_bytes(policy.into()).ok());
        if let Some(policy) = policy {
            return Ok(policy);
        }
        if !stored.is_empty() {
            telemetry::damaged();
        }
        let policy = file.parse(dialect).policy(crawler);
        // The checksum binds a policy to its file, crawler and dialect.
        let value = seal.close(&name, with_checksum(&name, policy.as_bytes().to_vec()));
        let mut set = redis::cmd("SET");
        set.arg(&name).arg(value).arg("PX").arg(millis(POLICY_TIME));
        // Without it, the next caller compiles the policy again.
        if let Err(error) = self.0.link.send::<redis::Value>("policy", &name, &set).await {
            tracing::debug!(%error, "could not store a policy");
        }
        Ok(policy)
    }
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
