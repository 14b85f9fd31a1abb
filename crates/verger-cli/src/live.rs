//! The robots client, as the arguments want it.

use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinHandle;
use verger::{Crawler, Dialect, Origin, ProductToken};
use verger_fetch::background::Background;
use verger_fetch::client::{
    CheckError, Clock as _, FetchedPage, RobotsClient, SystemClock, TurnError,
};
use verger_fetch::decision::Decision;
use verger_fetch::fetch::Identity;
use verger_fetch::guard::Guard;
use verger_fetch::limits::{Limits, TOTAL};
use verger_fetch::polite::Politeness;
use verger_fetch::record::OriginRecord;
use verger_fetch::store::{MemoryStore, SqliteStore, Store};

use crate::agent_text::names_in;
use crate::args::LiveArgs;
use crate::asker::{Asker, has_empty_token, named_crawler};
use crate::error::Error;
use crate::hints::after_failure;
use crate::proxy;
use crate::quote::quoted;
use crate::time::time;
use crate::told_store::{self, ToldStore};
use crate::trust;
use crate::url_text::{self, bad_url, hint_for, text_of};

/// A client, and the store on disk that has to be closed behind it.
pub(crate) struct Live {
    client: RobotsClient,
    runtime: Background,
    store: Option<Arc<ToldStore<SqliteStore>>>,
}

/// A question that has been asked, and perhaps answered meanwhile.
pub(crate) struct Asked(Result<JoinHandle<Result<Decision, CheckError>>, Error>);

impl Live {
    /// A client that says who it is by the arguments, or by who asks; where nobody in particular does,
    /// it is Verger.
    pub(crate) fn open(
        args: &LiveArgs,
        asker: Option<&Asker>,
        dialect: &Dialect,
    ) -> Result<Self, Error> {
        // The flags have been read as what they are; only a token may be no header.
        let bad = |error: &dyn std::fmt::Display| {
            Error::new(error.to_string()).with_hint("`--user-agent HEADER` says who asks")
        };
        let header = args.user_agent.clone().unwrap_or_else(|| header(asker));
        if asker.is_some_and(has_empty_token) {
            let error = Error::new("expected an agent to ask sites with, but found an empty text");
            return Err(
                error.with_hint("`--agent GPTBot` asks for the crawler whose token is `GPTBot`")
            );
        }
        let mut identity = Identity::new(&header).map_err(|error| bad(&error))?;
        if let Some(from) = &args.from {
            identity = identity.with_from(from).map_err(|error| bad(&error))?;
        }
        let guard =
            args.allow_net.iter().fold(Guard::new(), |guard, net| guard.with_allowed_net(*net));
        let mut limits = Limits::default();
        if let Some(total) = args.timeout {
            limits = limits.with_timeout(total).map_err(|error| bad(&error))?;
        }
        if let Some(number) = args.max_connections_per_address {
            limits = limits.with_per_address(number).map_err(|error| bad(&error))?;
        }
        let roots = trust::roots(args)?;
        let proxy = proxy::proxy(args)?;
        let runtime = Background::start().map_err(|error| {
            let error = Error::starting("a thread that fetches", &error);
            error.with_hint("too many processes or too little memory: see `ulimit -a`")
        })?;
        let store = told_store::open(args, &limits, &runtime)?.map(Arc::new);
        let crawler = asker.and_then(|asker| named_crawler(asker).ok());
        let mut access = args.access;
        if crawler.is_none() {
            // Who asks for many crawlers, or for one without a name, judges no redirect by the rules for
            // one (REP-ACCESS-22).
            access.disallowed_hop = None;
        }
        let crawler = crawler.unwrap_or_else(|| Crawler::new("verger"));
        let mut builder = RobotsClient::builder(crawler, identity)
            .dialect(*dialect)
            .access(access)
            .guard(guard)
            .limits(limits)
            .roots(roots)
            .offline(args.offline)
            // Who asks for a page at a prompt wants it now.
            .politeness(
                Politeness::default().with_visit_times(false).with_longest_wait(limits.total()),
            )
            // The program ends with its answer.
            .answers_while_refreshing(false);
        builder = match &store {
            Some(store) => builder.store(Arc::clone(store) as Arc<dyn Store>),
            None => builder.store(Arc::new(MemoryStore::new())),
        };
        if let Some(proxy) = proxy {
            builder = builder.proxy(proxy);
        }
        if let Some(age) = args.max_age {
            builder = builder.max_age(age);
        }
        let client = {
            let _inside = runtime.enter();
            builder.build().map_err(|error| not_started(&error))?
        };
        Ok(Self { client, runtime, store })
    }

    /// Asks without waiting for the answer.
    pub(crate) fn ask(&self, asker: &Asker, dialect: &Dialect, url: &[u8]) -> Asked {
        let url = match text_to_check(url) {
            Ok(url) => url.to_owned(),
            Err(error) => return Asked(Err(error)),
        };
        let (client, crawler, dialect) = (self.client.clone(), asker.shared_crawler(), *dialect);
        Asked(Ok(self
            .runtime
            .spawn(async move { client.check_as(&crawler, &dialect, &url).await })))
    }

    /// Waits for the answer.
    pub(crate) fn wait(&self, asked: Asked, url: &[u8]) -> Result<Decision, Error> {
        let decision = self.runtime.block_on(asked.0?).unwrap_or(Err(CheckError::Ended));
        decision.map_err(|error| match error {
            CheckError::InvalidUrl(error) => bad_url(url, &error),
            other => Error::new(other.to_string()),
        })
    }

    /// What is known of an origin, fetched where it has to be.
    pub(crate) fn record(&self, origin: &Origin) -> Result<Arc<OriginRecord>, Error> {
        let record = self.runtime.block_on(self.client.record(origin));
        record.map_err(|error| Error::new(error.to_string()))
    }

    /// The same, fetched in any case; offline, what is kept.
    pub(crate) fn refresh(&self, origin: &Origin) -> Result<Arc<OriginRecord>, Error> {
        let record = self.runtime.block_on(self.client.refresh(origin));
        record.map_err(|error| Error::new(error.to_string()))
    }

    /// A page, fetched politely where its robots.txt lets the crawler in.
    pub(crate) fn page(&self, url: &[u8]) -> Result<FetchedPage, NoPage> {
        let text = text_of(url)?;
        self.runtime.block_on(self.client.get(text)).map_err(|error| match error {
            TurnError::Check(CheckError::InvalidUrl(error)) => bad_url(url, &error).into(),
            TurnError::Scheme => bad_url(url, &error).into(),
            TurnError::Disallowed(decision) | TurnError::Unreachable { decision, .. } => {
                NoPage::disallowed(decision)
            }
            TurnError::TooLong { ref url, again_in } => self.too_long(url, again_in, &error).into(),
            TurnError::Busy { ref url, .. } | TurnError::Held { ref url } => {
                Error::new(format!("{}: {error}", quoted(url))).into()
            }
            other => Error::new(other.to_string()).into(),
        })
    }

    /// Why a turn comes later than it is waited for.
    fn too_long(&self, url: &str, again_in: Duration, error: &TurnError) -> Error {
        let record = Origin::of(url).ok().flatten().and_then(|origin| self.record(&origin).ok());
        let back_off = record.and_then(|record| record.back_off());
        let cause = match back_off.filter(|back_off| back_off.until > SystemClock.now()) {
            Some(back_off) => format!(
                "the site answered 429 or 503 to the last page, or not at all, and is left alone until {}",
                time(back_off.until.seconds())
            ),
            None => "the site asks for this pause between requests".to_owned(),
        };
        let page = quoted(url);
        let most = TOTAL.most;
        let hint = (again_in < most).then(|| {
            format!("`--timeout {}` waits longer, up to that many seconds", most.as_secs())
        });
        Error::new(format!("{page} was not fetched: {error}; {cause}")).with_hint_of(hint)
    }

    /// The robots client.
    pub(crate) const fn client(&self) -> &RobotsClient {
        &self.client
    }

    /// Closes the store; what befell it. What was put is on disk then.
    pub(crate) fn close(self) -> Vec<String> {
        let Self { client, runtime, store } = self;
        drop(client);
        if let Some(store) = store {
            return told_store::close(runtime, store);
        }
        drop(runtime);
        Vec::new()
    }
}

/// Why a page was not fetched.
pub(crate) struct NoPage {
    pub(crate) error: Error,
    /// What disallows it, or a page on the way to it.
    pub(crate) decision: Option<Box<Decision>>,
}

impl NoPage {
    fn disallowed(decision: Box<Decision>) -> Self {
        let page = quoted(decision.url().as_str());
        let hint = decision.record().and_then(|record| after_failure(record));
        let error = Error::new(format!("{page} may not be fetched: {decision}"));
        Self { error: error.with_hint_of(hint), decision: Some(decision) }
    }
}

impl From<Error> for NoPage {
    fn from(error: Error) -> Self {
        Self { error, decision: None }
    }
}

impl Asked {
    /// Whether the answer is there.
    pub(crate) fn is_answered(&self) -> bool {
        self.0.as_ref().is_ok_and(JoinHandle::is_finished) || self.0.is_err()
    }
}

fn not_started(error: &dyn std::fmt::Display) -> Error {
    Error::new(format!("could not start: {error}"))
}

/// The text of a URL to be checked. One that is no URL would need no robots.txt, whatever the dialect finds
/// in it.
fn text_to_check(url: &[u8]) -> Result<&str, Error> {
    url_text::check(url, &Dialect::RFC9309).map_err(|error| match hint_for(url) {
        // Without the path that it offers beside them.
        Some(sites) => error.with_hint(sites),
        None => error,
    })?;
    text_of(url).map_err(|error| match url {
        [b'/' | b'?', ..] => error.with_hint(
            "a site is needed, as in `https://shop.example/x`; paths are checked with `--robots FILE`",
        ),
        _ => error,
    })
}

/// What to say of a User-Agent header that does not name who asks.
pub(crate) fn nameless(args: &LiveArgs, asker: &Asker) -> Option<String> {
    let header = args.user_agent.as_deref()?;
    (!is_named(header, asker)).then(|| {
        "the User-Agent header has none of the agents in it: sites cannot tell whose rules are obeyed"
            .to_owned()
    })
}

fn is_named(header: &str, asker: &Asker) -> bool {
    let header = header.to_ascii_lowercase();
    let holds = |token: &ProductToken| header.contains(&token.as_str().to_ascii_lowercase());
    // Of an agent that is a header itself, one of the product tokens is enough.
    let names = |token: &ProductToken| match names_in(token) {
        Some(names) => names.tokens().iter().any(holds),
        None => holds(token),
    };
    asker.crawler().tokens().iter().any(names)
}

/// The token and a version, as headers have them; an agent that is a header itself stays as it is.
fn header(asker: Option<&Asker>) -> String {
    let version = env!("CARGO_PKG_VERSION");
    match asker.and_then(|asker| asker.crawler().tokens().first()) {
        Some(token) if names_in(token).is_some() => {
            format!("{} (verger/{version})", token.as_str())
        }
        Some(token) => format!("{}/0 (verger/{version})", token.as_str()),
        None => format!("verger/{version}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asker(agent: &str) -> Asker {
        Asker::chain(vec![agent.into()])
    }

    #[test]
    fn the_header_begins_with_the_agent() {
        let version = env!("CARGO_PKG_VERSION");
        let of = |agent| header(Some(&asker(agent)));
        assert_eq!(of("Bot"), format!("Bot/0 (verger/{version})"));
        assert_eq!(of("MJ12bot"), format!("MJ12bot/0 (verger/{version})"));
        assert_eq!(of("Bot/1.0 (+https://x)"), format!("Bot/1.0 (+https://x) (verger/{version})"));
        assert_eq!(header(None), format!("verger/{version}"));
    }

    #[test]
    fn a_header_names_the_agent_by_its_product_token() {
        assert!(is_named("Mozilla/5.0 (compatible; bot/2.0)", &asker("Bot")));
        assert!(is_named("Mozilla/5.0 (compatible; bot/2.0)", &asker("Bot/1.0")));
        assert!(!is_named("Mozilla/5.0 (compatible; other/2.0)", &asker("Bot/1.0")));
        assert!(!is_named("Mozilla/5.0", &asker("Mozilla/5.0 (compatible; Bot/1.0)")));
    }
}
