//! The builder of the client.

use std::fmt::Debug;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use verger::access::{Profile, Timestamp};
use verger::{Crawler, Dialect};

use super::host_answers::HostAnswers;
use super::origins::Origins;
use super::single_flight::SingleFlight;
use super::{Inner, RobotsClient};
use crate::fetch::builder::BuildError;
use crate::fetch::{FetcherBuilder, HttpClient, Identity, Sign};
use crate::guard::Guard;
use crate::limits::{FETCHES, LEAST_STORE_WAIT, Limits, STORE_SHARE};
use crate::net::{Dial, Lends, Pool, Proxy, Resolve, Roots};
use crate::polite::{Politeness, Queues, TurnStore};
use crate::record::ReadOptions;
use crate::store::{MemoryStore, Store};

/// Builds a [`RobotsClient`].
///
/// # Examples
///
/// ```
/// use std::time::Duration;
///
/// use verger::access::Profile;
/// use verger::{Crawler, Dialect};
/// use verger_fetch::client::RobotsClient;
/// use verger_fetch::fetch::Identity;
/// use verger_fetch::guard::Guard;
/// use verger_fetch::limits::Limits;
/// use verger_fetch::polite::Politeness;
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// let user_agent = "ExampleBot/1.0 (+https://bot.example/)";
/// let identity = Identity::new(user_agent)?.with_from("bot@shop.example")?;
/// let client = RobotsClient::builder(Crawler::from_user_agent(user_agent)?, identity)
///     .dialect(Dialect::GOOGLE)
///     .access(Profile::STRICT)
///     .guard(Guard::new().with_allowed_net("10.1.0.0/16".parse()?))
///     .limits(Limits::default().with_timeout(Duration::from_secs(20))?)
///     .politeness(Politeness { longest_wait: Some(Duration::from_secs(60)), ..Politeness::default() })
///     .max_age(Duration::from_secs(3600))
///     .offline(true)
///     .build()?;
/// let decision = client.check("https://shop.example/cart").await?;
/// assert_eq!((decision.dialect(), decision.access_profile()), ("google", "strict"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct RobotsClientBuilder {
    crawler: Crawler,
    fetcher: FetcherBuilder,
    dialect: Dialect,
    profile: Profile,
    store: Option<Arc<dyn Store>>,
    clock: Arc<dyn Clock>,
    seed: Option<u64>,
    offline: bool,
    answers_while_refreshing: bool,
    politeness: Politeness,
    turns: Option<Arc<dyn TurnStore>>,
    max_age: Option<Duration>,
}

impl RobotsClient {
    /// Returns the builder of a client for a crawler and its identity.
    pub fn builder(crawler: Crawler, identity: Identity) -> RobotsClientBuilder {
        RobotsClientBuilder {
            crawler,
            fetcher: FetcherBuilder::new(identity),
            dialect: Dialect::default(),
            profile: Profile::default(),
            store: None,
            clock: Arc::new(SystemClock),
            seed: None,
            offline: false,
            answers_while_refreshing: true,
            politeness: Politeness::default(),
            turns: None,
            max_age: None,
        }
    }
}

impl RobotsClientBuilder {
    /// Dialect of robots.txt files. Default: [`Dialect::default`].
    #[must_use]
    pub fn dialect(self, dialect: Dialect) -> Self {
        Self { dialect, ..self }
    }

    /// Policy for failed, missing and redirected robots.txt files. Default: [`Profile::default`].
    #[must_use]
    pub fn access(self, profile: Profile) -> Self {
        Self { profile, ..self }
    }

    /// Storage of records. Default: a private [`MemoryStore`], dropped with the client.
    #[must_use]
    pub fn store(self, store: Arc<dyn Store>) -> Self {
        Self { store: Some(store), ..self }
    }

    /// Permitted destinations. Default: the public Internet.
    #[must_use]
    pub fn guard(mut self, guard: Guard) -> Self {
        self.fetcher.guard = guard;
        self
    }

    /// Limits of time, size and number.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.fetcher.limits = limits;
        self
    }

    /// Trusted root certificates. Default: Mozilla's list.
    #[must_use]
    pub fn roots(mut self, roots: Roots) -> Self {
        self.fetcher.roots = roots;
        self
    }

    /// Whether fetches of robots.txt offer HTTP/2. Fetches of pages always do. Default: no.
    #[cfg(feature = "http2")]
    #[must_use]
    pub fn http2_for_robots(mut self, offered: bool) -> Self {
        self.fetcher.http2_for_robots = offered;
        self
    }

    /// Resolver of names. Default: `DnsResolver::system`; required without the feature `dns`.
    #[must_use]
    pub fn resolve(mut self, resolve: Arc<dyn Resolve>) -> Self {
        self.fetcher.resolve = Some(resolve);
        self
    }

    /// Dialler of connections. Default: TCP.
    #[must_use]
    pub fn dial(mut self, dial: Arc<dyn Dial>) -> Self {
        self.fetcher.dial = dial;
        self
    }

    /// Sends all requests through an HTTP proxy. Default: no proxy, whatever the environment says.
    ///
    /// The proxy resolves the names of sites. The guard still checks every URL: scheme, port,
    /// literal address and name. Internal names are refused even with allowed networks. The
    /// addresses of public names are not checked, so the proxy should have no access to private
    /// networks. [`resolve`](Self::resolve) and [`dial`](Self::dial) apply to the proxy, whose own
    /// address is not checked. The limit of connections to one address does not apply to it. FTP is
    /// refused.
    #[must_use]
    pub fn proxy(mut self, proxy: Proxy) -> Self {
        self.fetcher.proxy = Some(proxy);
        self
    }

    /// HTTP client that sends requests, instead of the built-in one. Then [`roots`](Self::roots),
    /// [`resolve`](Self::resolve), [`dial`](Self::dial), [`proxy`](Self::proxy) and all
    /// [`limits`](Self::limits) of connections, heads and codings have no effect, and FTP is not
    /// supported. The guard checks every URL before it is sent.
    #[must_use]
    pub fn http_client(mut self, client: Arc<dyn HttpClient>) -> Self {
        self.fetcher.http = Some(client);
        self
    }

    /// Signs all requests by HTTP. Default: none. The crate `verger-identity` signs by Web Bot
    /// Auth.
    #[must_use]
    pub fn signer(mut self, signer: Arc<dyn Sign>) -> Self {
        self.fetcher.signer = Some(signer);
        self
    }

    /// Source of the time. Default: [`SystemClock`].
    #[must_use]
    pub fn clock(self, clock: Arc<dyn Clock>) -> Self {
        Self { clock, ..self }
    }

    /// Seed for the spread of retries (REP-CACHE-21). Default: a random number.
    #[must_use]
    pub fn seed(self, seed: u64) -> Self {
        Self { seed: Some(seed), ..self }
    }

    /// Uses the store only and sends no request. An origin without a valid record counts as
    /// unreachable.
    #[must_use]
    pub fn offline(self, offline: bool) -> Self {
        Self { offline, ..self }
    }

    /// Whether a result less than 24 hours old answers while a new one is fetched. Default: yes. A
    /// program that exits after one answer should say no, otherwise it never completes a refresh.
    #[must_use]
    pub fn answers_while_refreshing(self, answers: bool) -> Self {
        Self { answers_while_refreshing: answers, ..self }
    }

    /// Maximum age of a result, even if it is fresh for longer. It causes no additional fetches
    /// during an outage. Default: the lifetime in the access profile.
    #[must_use]
    pub fn max_age(self, age: Duration) -> Self {
        Self { max_age: Some(age), ..self }
    }

    /// Request rate for each origin ([`RobotsClient::turn`]). Default: [`Politeness::default`].
    #[must_use]
    pub fn politeness(self, politeness: Politeness) -> Self {
        Self { politeness, ..self }
    }

    /// Turns that this client shares with others, for example in other processes
    /// ([`RobotsClient::turn`]). While the store of turns fails, there is no turn. Default: none.
    #[must_use]
    pub fn turns(self, turns: Arc<dyn TurnStore>) -> Self {
        Self { turns: Some(turns), ..self }
    }

    /// The part that fetches, alone.
    #[cfg(all(test, feature = "brotli", feature = "dns", feature = "zstd"))]
    pub(crate) fn build_fetcher(self) -> Result<crate::fetch::Fetcher, BuildError> {
        self.fetcher.build()
    }

    /// Builds the client.
    ///
    /// # Errors
    ///
    /// [`BuildError::Crawler`] if a group cannot name every token of the crawler
    /// ([`Crawler::check_tokens`]): there is no token, or one is empty or contains a version, white
    /// space or `*`. This also applies to dialects that would read the token as a User-Agent
    /// header, because answers would then depend on the dialect. Use [`Crawler::from_user_agent`]
    /// for headers. Crawlers of [`RobotsClient::check_as`] may have any text.
    ///
    /// [`BuildError::Limit`] if a limit or a setting of politeness is outside its range.
    ///
    /// Otherwise if the system's DNS configuration is needed and cannot be read, or if the feature
    /// `dns` is off and no resolver was set. Neither is needed with a custom HTTP client, or with a
    /// proxy given by its address.
    pub fn build(self) -> Result<RobotsClient, BuildError> {
        self.crawler.check_tokens().map_err(BuildError::Crawler)?;
        self.politeness.check().map_err(BuildError::Limit)?;
        let fetcher = self.fetcher.build()?;
        let total = fetcher.limits.total;
        Ok(RobotsClient(Arc::new(Inner {
            crawler: Arc::new(self.crawler),
            read_options: ReadOptions::new(self.profile)
                .with_identity(&fetcher.identity.token())
                .with_body_limit(fetcher.limits.body),
            dialect: self.dialect,
            origins: Arc::new(Origins::new(
                self.store.unwrap_or_else(|| Arc::new(MemoryStore::new())),
                (total / STORE_SHARE).max(LEAST_STORE_WAIT),
                self.dialect,
            )),
            fetcher: Arc::new(fetcher),
            host_answers: Arc::new(HostAnswers::default()),
            clock: self.clock,
            // A hash of nothing under random keys is a random number.
            seed: self.seed.unwrap_or_else(|| RandomState::new().hash_one(())),
            offline: self.offline,
            answers_while_refreshing: self.answers_while_refreshing,
            sends_preconditions: true,
            single_flight: Arc::new(SingleFlight::new(total)),
            fetches: Pool::new(FETCHES, Lends::One),
            politeness: self.politeness,
            queues: Queues::new(self.politeness.at_once),
            turns: self.turns,
            max_age: self.max_age,
        })))
    }
}

/// Source of the time; tests set it.
pub trait Clock: Debug + Send + Sync {
    /// The time now.
    fn now(&self) -> Timestamp;
}

/// The clock of the system.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        // A clock before 1970 is wrong.
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp::from_seconds(since.as_secs())
    }
}
