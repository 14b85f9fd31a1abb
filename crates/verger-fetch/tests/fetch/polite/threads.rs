//! Values and futures of the client can move between threads.

use std::sync::Arc;

use verger::{Crawler, Dialect, Origin};
use verger_fetch::background::Background;
use verger_fetch::client::{
    BuildError, CheckError, FetchedPage, Permit, RobotsClient, RobotsClientBuilder, SitemapUrl,
    TurnError,
};
use verger_fetch::decision::Decision;
use verger_fetch::failure::NetworkError;
use verger_fetch::fetch::{Identity, IdentityError};
use verger_fetch::guard::{Guard, Refusal};
use verger_fetch::limits::{self, LimitError, LimitReached, Limits};
#[cfg(feature = "dns")]
use verger_fetch::net::DnsResolver;
use verger_fetch::net::{Proxy, Roots};
use verger_fetch::polite::{Pace, Politeness};
use verger_fetch::record::{OriginRecord, ReadOptions};
use verger_fetch::store::{MemoryStore, StoreError};

const fn is_for_threads<T: Send + Sync + 'static>() {}

#[test]
fn values_are_shared_between_threads() {
    is_for_threads::<Background>();
    is_for_threads::<BuildError>();
    is_for_threads::<CheckError>();
    is_for_threads::<Decision>();
    #[cfg(feature = "dns")]
    is_for_threads::<DnsResolver>();
    is_for_threads::<Guard>();
    is_for_threads::<Identity>();
    is_for_threads::<IdentityError>();
    is_for_threads::<LimitError>();
    is_for_threads::<LimitReached>();
    is_for_threads::<Limits>();
    is_for_threads::<MemoryStore>();
    is_for_threads::<NetworkError>();
    is_for_threads::<Pace>();
    is_for_threads::<FetchedPage>();
    is_for_threads::<Permit>();
    is_for_threads::<Politeness>();
    is_for_threads::<Proxy>();
    is_for_threads::<limits::Range<usize>>();
    is_for_threads::<OriginRecord>();
    is_for_threads::<Refusal>();
    is_for_threads::<RobotsClient>();
    is_for_threads::<RobotsClientBuilder>();
    is_for_threads::<Roots>();
    is_for_threads::<SitemapUrl>();
    is_for_threads::<StoreError>();
    is_for_threads::<TurnError>();
    is_for_threads::<ReadOptions>();
}

/// A runtime with several threads can run them.
#[test]
fn futures_can_be_sent_between_threads() {
    const fn is_sent<T: Send>(_: &T) {}
    // Compilation is the test.
    let _ = |client: &RobotsClient, crawler: &Arc<Crawler>, origin: &Origin| {
        is_sent(&client.check("/"));
        is_sent(&client.check_as(crawler.clone(), &Dialect::RFC9309, "/"));
        is_sent(&client.check_all(["/"]));
        is_sent(&client.turn("/"));
        is_sent(&client.get("/"));
        is_sent(&client.record(origin));
        is_sent(&client.refresh(origin));
        is_sent(&client.sitemaps(origin));
    };
}
