//! The client without `async`.

use std::io;
use std::sync::Arc;

use tokio::runtime::{Builder, Runtime};
use verger::Origin;

use crate::client::{self, CheckError, RobotsClientBuilder};
use crate::decision::Decision;
use crate::fetch::BuildError;
use crate::record::Record;

/// A [`client::RobotsClient`] with a runtime of its own. Not to be used inside of one.
#[derive(Debug)]
pub struct RobotsClient {
    client: client::RobotsClient,
    runtime: Runtime,
}

impl RobotsClient {
    /// Makes the client, and a thread for its connections.
    ///
    /// # Errors
    ///
    /// When the thread cannot be started, or as [`RobotsClientBuilder::build`].
    pub fn new(builder: RobotsClientBuilder) -> io::Result<Self> {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let client = {
            let _inside = runtime.enter();
            builder.build().map_err(|error: BuildError| io::Error::other(error.to_string()))?
        };
        Ok(Self { client, runtime })
    }

    /// See [`client::RobotsClient::check`].
    ///
    /// # Errors
    ///
    /// As there.
    pub fn check(&self, url: &str) -> Result<Decision, CheckError> {
        self.runtime.block_on(self.client.check(url))
    }

    /// See [`client::RobotsClient::check_all`].
    ///
    /// # Errors
    ///
    /// As there.
    pub fn check_all<U: AsRef<str>>(
        &self,
        urls: impl IntoIterator<Item = U>,
    ) -> Vec<Result<Decision, CheckError>> {
        self.runtime.block_on(self.client.check_all(urls))
    }

    /// See [`client::RobotsClient::record`].
    ///
    /// # Errors
    ///
    /// As there.
    pub fn record(&self, origin: &Origin) -> Result<Arc<Record>, CheckError> {
        self.runtime.block_on(self.client.record(origin))
    }

    /// See [`client::RobotsClient::refresh`].
    ///
    /// # Errors
    ///
    /// As there.
    pub fn refresh(&self, origin: &Origin) -> Result<Arc<Record>, CheckError> {
        self.runtime.block_on(self.client.refresh(origin))
    }

    /// See [`client::RobotsClient::sitemaps`].
    ///
    /// # Errors
    ///
    /// As there.
    pub fn sitemaps(&self, origin: &Origin) -> Result<Vec<Vec<u8>>, CheckError> {
        self.runtime.block_on(self.client.sitemaps(origin))
    }
}
