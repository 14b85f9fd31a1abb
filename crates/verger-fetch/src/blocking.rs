//! The client without `async`.

use std::sync::Arc;

use verger::{Crawler, Dialect, Origin};

use crate::background::Background;
use crate::client::{
    CheckError, ClientBuildError, FetchedPage, Permit, RobotsClient, RobotsClientBuilder,
    SitemapUrl, TurnError,
};
use crate::decision::Decision;
use crate::record::OriginRecord;

/// A [`RobotsClient`] with its own thread and runtime. Do not use it inside a runtime.
///
/// # Examples
///
/// ```
/// use verger::Crawler;
/// use verger_fetch::fetch::Identity;
/// use verger_fetch::blocking::BlockingRobotsClient;
/// use verger_fetch::client::RobotsClient;
///
/// let identity = Identity::new("ExampleBot/1.0 (+https://bot.example/)")?;
/// let builder = RobotsClient::builder(Crawler::new("ExampleBot"), identity).offline(true);
/// let client = BlockingRobotsClient::new(builder)?;
/// assert!(client.check("mailto:a@shop.example")?.is_allowed());
/// assert!(!client.check("https://shop.example/")?.is_allowed(), "nothing is known offline");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct BlockingRobotsClient {
    client: RobotsClient,
    runtime: Background,
}

impl BlockingRobotsClient {
    /// Creates the client and a thread for its connections.
    ///
    /// # Errors
    ///
    /// [`ClientBuildError::Thread`] if the thread cannot start; otherwise as
    /// [`RobotsClientBuilder::build`].
    pub fn new(builder: RobotsClientBuilder) -> Result<Self, ClientBuildError> {
        let runtime = Background::start().map_err(ClientBuildError::Thread)?;
        let client = {
            let _inside = runtime.enter();
            builder.build()?
        };
        Ok(Self { client, runtime })
    }

    /// See [`RobotsClient::check`].
    ///
    /// # Errors
    ///
    /// As there.
    pub fn check(&self, url: &str) -> Result<Decision, CheckError> {
        self.runtime.block_on(self.client.check(url))
    }

    /// See [`RobotsClient::check_as`].
    ///
    /// # Errors
    ///
    /// As there.
    pub fn check_as(
        &self,
        crawler: &Arc<Crawler>,
        dialect: &Dialect,
        url: &str,
    ) -> Result<Decision, CheckError> {
        self.runtime.block_on(self.client.check_as(crawler, dialect, url))
    }

    /// See [`RobotsClient::check_all`].
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

    /// See [`RobotsClient::turn`]; blocks until the turn.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn turn(&self, url: &str) -> Result<Permit, TurnError> {
        self.runtime.block_on(self.client.turn(url))
    }

    /// See [`RobotsClient::get`].
    ///
    /// # Errors
    ///
    /// As there.
    pub fn get(&self, url: &str) -> Result<FetchedPage, TurnError> {
        self.runtime.block_on(self.client.get(url))
    }

    /// See [`RobotsClient::report_available`].
    pub fn report_available(&self, origin: &Origin, status: u16) {
        self.client.report_available(origin, status);
    }

    /// See [`RobotsClient::record`].
    ///
    /// # Errors
    ///
    /// As there.
    pub fn record(&self, origin: &Origin) -> Result<Arc<OriginRecord>, CheckError> {
        self.runtime.block_on(self.client.record(origin))
    }

    /// See [`RobotsClient::refresh`].
    ///
    /// # Errors
    ///
    /// As there.
    pub fn refresh(&self, origin: &Origin) -> Result<Arc<OriginRecord>, CheckError> {
        self.runtime.block_on(self.client.refresh(origin))
    }

    /// See [`RobotsClient::sitemaps`].
    ///
    /// # Errors
    ///
    /// As there.
    pub fn sitemaps(&self, origin: &Origin) -> Result<Vec<SitemapUrl>, CheckError> {
        self.runtime.block_on(self.client.sitemaps(origin))
    }
}
