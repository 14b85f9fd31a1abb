//! The robots client, as the arguments want it.

use std::path::Path;
use std::sync::Arc;

use verger::Dialect;
use verger_fetch::blocking::RobotsClient;
use verger_fetch::client;
use verger_fetch::decision::Decision;
use verger_fetch::fetch::Identity;
use verger_fetch::guard::Guard;
use verger_fetch::limits::Limits;
use verger_fetch::store::{
    MemoryStore, SqliteOptions, SqliteStore, Store, StoreError, StoreErrorKind,
};

use crate::args::LiveArgs;
use crate::asker::Asker;
use crate::error::Error;
use crate::quote::quoted;
use crate::store_file;

/// A client, and the store on disk that has to be closed behind it.
pub(crate) struct Live {
    client: RobotsClient,
    store: Option<Arc<SqliteStore>>,
}

impl Live {
    pub(crate) fn open(args: &LiveArgs, asker: &Asker, dialect: &Dialect) -> Result<Self, Error> {
        let bad = |error: &dyn std::fmt::Display| Error::new(error.to_string());
        let header = args.user_agent.clone().unwrap_or_else(|| header(asker));
        let mut identity = Identity::new(&header).map_err(|error| bad(&error))?;
        if let Some(from) = &args.from {
            identity = identity.with_from(from).map_err(|error| bad(&error))?;
        }
        let mut guard = Guard::new();
        for net in &args.allow_net {
            let net = net.parse().map_err(|_| {
                let found = quoted(net);
                Error::new(format!("expected a network such as `10.0.0.0/8`, but found {found}"))
            })?;
            guard = guard.allow_net(net);
        }
        let mut limits = Limits::default();
        if let Some(total) = args.timeout {
            limits = limits.with_total(total).map_err(|error| bad(&error))?;
        }
        let store = open_store(args)?;
        let mut builder = client::RobotsClient::builder(asker.crawler().clone(), identity)
            .dialect(*dialect)
            .access(args.access)
            .guard(guard)
            .limits(limits)
            .offline(args.offline)
            // The program ends with its answer.
            .answers_while_refreshing(false);
        builder = match &store {
            Some(store) => builder.store(Arc::clone(store) as Arc<dyn Store>),
            None => builder.store(Arc::new(MemoryStore::new())),
        };
        let client = RobotsClient::new(builder)
            .map_err(|error| Error::new(format!("could not start: {error}")))?;
        Ok(Self { client, store })
    }

    pub(crate) fn check(&self, url: &[u8]) -> Result<Decision, Error> {
        let bad =
            |told: &dyn std::fmt::Display| Error::new(format!("bad URL {}: {told}", quoted(url)));
        let text =
            str::from_utf8(url).map_err(|_| bad(&"expected UTF-8, but found other bytes"))?;
        self.client.check(text).map_err(|error| match error {
            client::CheckError::InvalidUrl(error) => bad(&error),
            other => Error::new(other.to_string()),
        })
    }

    /// What befell the store, and its end: what was put is on disk then.
    pub(crate) fn close(self) -> Vec<String> {
        let Some(store) = self.store else { return Vec::new() };
        store.take_notices().iter().map(ToString::to_string).collect()
    }
}

fn open_store(args: &LiveArgs) -> Result<Option<Arc<SqliteStore>>, Error> {
    if args.store.as_deref() == Some(Path::new("memory")) {
        return Ok(None);
    }
    let path = store_file::path(args.store.as_deref())?;
    let options = SqliteOptions { create: !args.offline, ..SqliteOptions::default() };
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    let runtime = runtime.map_err(|error| Error::new(format!("could not start: {error}")))?;
    let opened: Result<SqliteStore, StoreError> =
        runtime.block_on(SqliteStore::open(&path, options));
    match opened {
        Ok(store) => Ok(Some(Arc::new(store))),
        // Offline, no store is an empty one.
        Err(error) if args.offline && error.kind() == StoreErrorKind::Absent => Ok(None),
        Err(error) => {
            let error = Error::new(error.to_string());
            Err(error.with_hint("`--store memory` does without a store on disk"))
        }
    }
}

/// What to say of a User-Agent header that does not name who asks.
pub(crate) fn nameless(args: &LiveArgs, asker: &Asker) -> Option<String> {
    let header = args.user_agent.as_deref()?.to_ascii_lowercase();
    let names =
        |token: &verger::ProductToken| header.contains(&token.as_str().to_ascii_lowercase());
    let is_named = asker.crawler().tokens().iter().any(names);
    (!is_named).then(|| {
        "the User-Agent header has none of the agents in it: sites cannot tell whose rules are obeyed"
            .to_owned()
    })
}

/// The token and a version, as headers have them.
fn header(asker: &Asker) -> String {
    let token = asker.crawler().tokens().first().map_or("verger", |token| token.as_str());
    format!("{token}/0 (verger/{})", env!("CARGO_PKG_VERSION"))
}
