//! The robots client, built from the arguments.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::OnceCell;
use tokio::task::JoinHandle;
use url::Url;
use verger::{Crawler, Dialect, Origin, ProductToken, quoted};
use verger_fetch::background::Background;
use verger_fetch::client::{
    CheckError, Clock as _, FetchedPage, RobotsClient, SystemClock, TurnError,
};
use verger_fetch::decision::{Decision, RecordSource};
use verger_fetch::failure::Failure;
use verger_fetch::fetch::Identity;
use verger_fetch::guard::Guard;
use verger_fetch::limits::{Limits, TOTAL};
use verger_fetch::net::{DnsResolver, Resolve};
use verger_fetch::polite::Politeness;
use verger_fetch::record::OriginRecord;
use verger_fetch::store::{MemoryStore, SqliteStore, Store};
use verger_json::NamedCrawler;
use verger_rights::{Report, collect};

use crate::args::LiveArgs;
use crate::console::Messages;
use crate::crawler::{by_product_tokens, has_empty_token};
use crate::error::Error;
use crate::hints::{failure_hint, remedy};
use crate::network::{self, OneFamily};
use crate::sentence::time;
use crate::store::{self, ReportingStore};
use crate::url_check::{bad_url, check_for_site, text_of};

/// A robots client, its runtime, and its store on disk.
pub(crate) struct LiveClient {
    /// The robots client.
    pub(crate) client: RobotsClient,
    runtime: Background,
    store: Option<Arc<ReportingStore<SqliteStore>>>,
    /// With a maximum age: origins and the result of their first question, whether it was answered.
    asked: Option<RefCell<HashMap<Origin, Arc<OnceCell<bool>>>>>,
}

/// A decision that the client makes on another thread, or an invalid URL.
pub(crate) struct PendingDecision(Result<JoinHandle<Result<Decision, CheckError>>, Error>);

impl LiveClient {
    /// Builds a client. Its User-Agent header is that of the arguments, or `verger`.
    pub(crate) fn open(
        args: &LiveArgs,
        crawler: Option<&NamedCrawler>,
        dialect: &Dialect,
    ) -> Result<Self, Error> {
        Self::with_limits(args, crawler, dialect, Limits::default())
    }

    /// Builds a client as [`open`](Self::open), for no certain crawler, that resolves names to IPv4
    /// or to IPv6 addresses only.
    pub(crate) fn of_family(args: &LiveArgs, is_v4: bool) -> Result<Self, Error> {
        let resolver =
            DnsResolver::system().map_err(|error| Error::io("read", "the DNS settings", &error))?;
        let resolve: Arc<dyn Resolve> = Arc::new(OneFamily { resolver: Arc::new(resolver), is_v4 });
        Self::build(args, None, &Dialect::default(), Limits::default(), Some(resolve))
    }

    /// Builds a client as [`open`](Self::open), with limits that the arguments can change.
    pub(crate) fn with_limits(
        args: &LiveArgs,
        crawler: Option<&NamedCrawler>,
        dialect: &Dialect,
        limits: Limits,
    ) -> Result<Self, Error> {
        Self::build(args, crawler, dialect, limits, None)
    }

    fn build(
        args: &LiveArgs,
        crawler: Option<&NamedCrawler>,
        dialect: &Dialect,
        mut limits: Limits,
        resolve: Option<Arc<dyn Resolve>>,
    ) -> Result<Self, Error> {
        let bad = |error: &dyn std::fmt::Display| {
            Error::new(error.to_string()).with_hint("`--user-agent HEADER` sets the header")
        };
        let header = args.user_agent.as_deref().unwrap_or(HEADER);
        if crawler.is_some_and(has_empty_token) {
            let error = Error::new("expected an agent for requests, but found an empty text");
            return Err(error.with_hint(
                "`--agent GPTBot` checks for the crawler with the product token `GPTBot`",
            ));
        }
        let mut identity = Identity::new(header).map_err(|error| bad(&error))?;
        if let Some(from) = &args.from {
            identity = identity.with_from(from).map_err(|error| bad(&error))?;
        }
        let guard =
            args.allow_net.iter().fold(Guard::new(), |guard, net| guard.with_allowed_net(*net));
        if let Some(total) = args.timeout {
            limits = limits.with_timeout(total).map_err(|error| bad(&error))?;
        }
        if let Some(number) = args.max_connections_per_address {
            limits.per_address = number;
        }
        let roots = network::roots(args)?;
        let proxy = network::proxy(args)?;
        let runtime = Background::start().map_err(|error| {
            let error = Error::io("start", "a thread that fetches", &error);
            error.with_hint(
                "too many processes or open files, or too little memory: see `ulimit -a`",
            )
        })?;
        let store = store::open(args, &limits, &runtime)?.map(Arc::new);
        let by_tokens = crawler.and_then(|crawler| by_product_tokens(crawler).ok());
        let mut access = args.access;
        if by_tokens.is_none() {
            // Without one crawler with product tokens, no redirect is checked against rules
            // (REP-ACCESS-22).
            access.disallowed_hop = None;
        }
        let by_tokens = by_tokens.unwrap_or_else(|| Crawler::new("verger"));
        let mut builder = RobotsClient::builder(by_tokens, identity)
            .dialect(*dialect)
            .access(access)
            .guard(guard)
            .limits(limits)
            .roots(roots)
            .offline(args.offline)
            // A page is fetched at the user's request, so visit times do not matter.
            .politeness(Politeness {
                visit_times: false,
                longest_wait: Some(limits.total),
                ..Politeness::default()
            })
            // The program ends after the answer, so it cannot refresh a file later.
            .answers_while_refreshing(false);
        builder = match &store {
            Some(store) => builder.store(Arc::clone(store) as Arc<dyn Store>),
            None => builder.store(Arc::new(MemoryStore::new())),
        };
        if let Some(proxy) = proxy {
            builder = builder.proxy(proxy);
        }
        if let Some(resolve) = resolve {
            builder = builder.resolve(resolve);
        }
        if let Some(age) = args.max_age {
            builder = builder.max_age(age);
        }
        let client = {
            let _inside = runtime.enter();
            builder.build().map_err(|error| Error::new(format!("could not start: {error}")))?
        };
        Ok(Self { client, runtime, store, asked: args.max_age.map(|_| RefCell::default()) })
    }

    /// Starts a decision.
    pub(crate) fn ask(
        &self,
        crawler: &NamedCrawler,
        dialect: &Dialect,
        url: &[u8],
    ) -> PendingDecision {
        let url = match url_with_site(url) {
            Ok(url) => url.to_owned(),
            Err(error) => return PendingDecision(Err(error)),
        };
        let (client, crawler, dialect) = (self.client.clone(), crawler.shared_crawler(), *dialect);
        let first = self.first_question(Origin::of(&url).ok().flatten());
        PendingDecision(Ok(self.runtime.spawn(async move {
            let Some(first) = first else {
                return client.check_as(crawler.clone(), &dialect, &url).await;
            };
            let mut own = None;
            let is_answered = first
                .get_or_try_init(|| async {
                    let decision =
                        own.insert(client.check_as(crawler.clone(), &dialect, &url).await);
                    // A URL that needs no robots.txt asks for none.
                    match decision {
                        Ok(decision) if decision.source() == RecordSource::Nothing => Err(()),
                        decision => Ok(decision.is_ok()),
                    }
                })
                .await;
            match (own, is_answered) {
                (Some(decision), _) => decision,
                (None, Ok(true)) => {
                    client.without_max_age().check_as(crawler.clone(), &dialect, &url).await
                }
                (None, _) => client.check_as(crawler.clone(), &dialect, &url).await,
            }
        })))
    }

    /// The first question about an origin in this run. The maximum age concerns only that one: the
    /// other questions wait for it and use its result.
    fn first_question(&self, origin: Option<Origin>) -> Option<Arc<OnceCell<bool>>> {
        let mut asked = self.asked.as_ref()?.borrow_mut();
        Some(Arc::clone(asked.entry(origin?).or_default()))
    }

    /// Waits for a decision.
    pub(crate) fn wait(&self, pending: PendingDecision, url: &[u8]) -> Result<Decision, Error> {
        let decision = self.runtime.block_on(pending.0?).unwrap_or(Err(CheckError::Ended));
        decision.map_err(|error| match error {
            CheckError::InvalidUrl(error) => bad_url(url, &error),
            other => Error::new(other.to_string()),
        })
    }

    /// The record of an origin. Fetches robots.txt if necessary.
    pub(crate) fn record(&self, origin: &Origin) -> Result<Arc<OriginRecord>, Error> {
        let first = self.first_question(Some(origin.clone()));
        let is_answered = first.as_ref().is_some_and(|first| first.initialized());
        let later = is_answered.then(|| self.client.without_max_age());
        let record = self.runtime.block_on(later.as_ref().unwrap_or(&self.client).record(origin));
        if let Some(first) = first.filter(|_| record.is_ok()) {
            let _ = first.set(true);
        }
        record.map_err(|error| Error::new(error.to_string()))
    }

    /// The record of an origin. Fetches robots.txt in any case; offline, returns the stored record.
    pub(crate) fn refresh(&self, origin: &Origin) -> Result<Arc<OriginRecord>, Error> {
        let record = self.runtime.block_on(self.client.refresh(origin));
        record.map_err(|error| Error::new(error.to_string()))
    }

    /// Starts a task on the thread of this client.
    pub(crate) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        drop(self.runtime.spawn(task));
    }

    /// Sends the head of a request as it is, and returns the status and the field `Location`.
    pub(crate) fn raw_status(
        &self,
        url: &Url,
        head: &[u8],
    ) -> Result<(u16, Option<String>), Failure> {
        self.runtime.block_on(self.client.raw_status(url, head))
    }

    /// Fetches a page politely, if its robots.txt allows it.
    pub(crate) fn page(&self, url: &[u8]) -> Result<FetchedPage, PageError> {
        let text = text_of(url)?;
        self.runtime.block_on(self.client.get(text)).map_err(|error| self.page_error(url, error))
    }

    /// Reports on the use of a page.
    pub(crate) fn rights(&self, crawler: &Crawler, url: &[u8]) -> Result<Report, Error> {
        let text = text_of(url).and_then(|_| url_with_site(url))?;
        let report = self.runtime.block_on(collect(&self.client, crawler, text));
        report.map_err(|error| self.page_error(url, error).error)
    }

    fn page_error(&self, url: &[u8], error: TurnError) -> PageError {
        match error {
            TurnError::Check(CheckError::InvalidUrl(error)) => bad_url(url, &error).into(),
            TurnError::Scheme => bad_url(url, &error).into(),
            TurnError::Disallowed(decision) | TurnError::Unreachable { decision, .. } => {
                PageError::disallowed(decision)
            }
            TurnError::TooLong { ref url, again_in } => {
                self.turn_error(url, again_in, &error).into()
            }
            TurnError::Busy { ref url, .. } | TurnError::Held { ref url } => {
                Error::new(format!("{}: {error}", quoted(url))).into()
            }
            other => Error::new(other.to_string()).into(),
        }
    }

    /// The error of a turn that comes after the timeout.
    fn turn_error(&self, url: &str, again_in: Duration, error: &TurnError) -> Error {
        let record = Origin::of(url).ok().flatten().and_then(|origin| self.record(&origin).ok());
        let back_off = record.and_then(|record| record.back_off());
        let cause = match back_off.filter(|back_off| back_off.until > SystemClock.now()) {
            Some(back_off) => format!(
                "the last page request got 429, 503 or no response; no page is requested until {}",
                time(back_off.until.seconds())
            ),
            None => "the site requires this pause between requests".to_owned(),
        };
        let page = quoted(url);
        let most = TOTAL.most;
        let hint = (again_in < most).then(|| {
            format!("`--timeout {}` waits longer, up to this number of seconds", most.as_secs())
        });
        Error::new(format!("{page} was not fetched: {error}; {cause}")).with_optional_hint(hint)
    }

    /// Writes the store to disk and closes it, with warnings about it.
    pub(crate) fn close(self, messages: &mut Messages) {
        let Self { client, runtime, store, asked: _ } = self;
        drop(client);
        if let Some(store) = store {
            for warning in store::close(runtime, store) {
                messages.warning(warning);
            }
        }
    }
}

/// The reason that a page was not fetched.
pub(crate) struct PageError {
    pub(crate) error: Error,
    /// The decision that disallows the page, or a redirect to it.
    pub(crate) decision: Option<Box<Decision>>,
}

impl PageError {
    fn disallowed(decision: Box<Decision>) -> Self {
        let page = quoted(decision.url().as_str());
        let hint = decision.record().and_then(|record| failure_hint(record));
        let error = Error::new(match decision.fault() {
            Some(fault) => format!("{page} was not fetched: {fault}"),
            None => format!("{page} may not be fetched: {decision}"),
        });
        Self { error: error.with_optional_hint(hint), decision: Some(decision) }
    }
}

impl From<Error> for PageError {
    fn from(error: Error) -> Self {
        Self { error, decision: None }
    }
}

impl PendingDecision {
    /// Whether [`LiveClient::wait`] returns without waiting.
    pub(crate) fn is_ready(&self) -> bool {
        self.0.as_ref().is_ok_and(JoinHandle::is_finished) || self.0.is_err()
    }
}

/// The text of a URL with a site. A text that is not a URL is an error in every dialect, because it
/// has no robots.txt.
fn url_with_site(url: &[u8]) -> Result<&str, Error> {
    check_for_site(url)?;
    text_of(url).map_err(|error| match url {
        [b'/' | b'?', ..] => error.with_hint(
            "a site is needed, as in `https://shop.example/x`; `--robots FILE` checks paths",
        ),
        _ => error,
    })
}

/// The error that a page was fetched without success.
pub(crate) fn failure_of(page: &FetchedPage) -> Option<Error> {
    let failure = page.failure()?;
    let error = Error::new(format!("{}: {failure}", quoted(page.url().as_str())));
    Some(error.with_optional_hint(remedy(failure, page.hops().len() > 1)))
}

/// The warning that the User-Agent header of the arguments does not name the crawler.
pub(crate) fn header_warning(args: &LiveArgs, crawler: &NamedCrawler) -> Option<String> {
    let header = args.user_agent.as_deref()?;
    (!is_named(header, crawler)).then(|| {
        "the User-Agent header contains none of the agents: sites cannot see which rules apply"
            .to_owned()
    })
}

fn is_named(header: &str, crawler: &NamedCrawler) -> bool {
    let header = header.to_ascii_lowercase();
    let holds = |token: &ProductToken| header.contains(&token.as_str().to_ascii_lowercase());
    crawler.crawler().ignores_robots() || crawler.crawler().tokens().iter().any(holds)
}

/// The default User-Agent header. It is that of Verger for every crawler, because a site may answer
/// another program differently.
const HEADER: &str = concat!("verger/", env!("CARGO_PKG_VERSION"));

#[cfg(test)]
mod tests {
    use super::*;

    fn crawler(agent: &str) -> NamedCrawler {
        NamedCrawler::agent(agent, &Dialect::RFC9309)
    }

    #[test]
    fn a_header_names_the_agent_by_its_product_token() {
        assert!(is_named("Mozilla/5.0 (compatible; bot/2.0)", &crawler("Bot")));
        assert!(is_named("Mozilla/5.0 (compatible; bot/2.0)", &crawler("Bot/1.0")));
        assert!(!is_named("Mozilla/5.0 (compatible; other/2.0)", &crawler("Bot/1.0")));
        assert!(!is_named("Mozilla/5.0", &crawler("Mozilla/5.0 (compatible; Bot/1.0)")));
    }
}
