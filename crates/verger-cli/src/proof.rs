//! Proofs of who sent requests, with or without look-ups.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

use verger_fetch::background::Background;
use verger_fetch::client::{Clock as _, RobotsClient, SystemClock};
use verger_fetch::net::DnsResolver;
use verger_identity::net::Lookups;
use verger_identity::{Identifier, Identity, KeySet, Lists, Request, TrustedProxies, limits};

use crate::args::ProofArgs;
use crate::console::Messages;
use crate::error::Error;
use crate::input::{read_regular, read_whole, shown};
use crate::limits::LISTS_BYTES;

/// Everything that is the same for all requests.
pub(crate) struct Session {
    pub(crate) identifier: Identifier,
    lookups: Option<Lookups>,
    pub(crate) runtime: Background,
}

impl Session {
    /// Reads the lists and key sets of the arguments, and prepares look-ups unless they are off.
    pub(crate) fn open(args: &ProofArgs) -> Result<Self, Error> {
        let lists = match &args.lists {
            None => Lists::bundled().clone(),
            Some(directory) => read_lists(directory)?,
        };
        if lists.is_empty() {
            let error = Error::new("expected a directory with lists of addresses, but found none");
            return Err(error.with_hint("`verger identity update DIR` fetches them"));
        }
        let mut identifier = Identifier::new(lists);
        for (url, path) in &args.key_set {
            let keys = KeySet::read(&read_whole(path, limits::KEY_SET_BYTES)?);
            let keys = keys.map_err(|error| Error::new(format!("{}: {error}", shown(path))))?;
            identifier.add_key_set(url, keys);
        }
        if !args.trusted_proxy.is_empty() {
            let proxies = TrustedProxies::new(args.trusted_proxy.clone(), &args.proxy_header);
            identifier.proxies = Some(proxies);
        }
        let failed = |error: io::Error| {
            Error::io("start", "look-ups", &error).with_hint("`--offline` looks up nothing")
        };
        let runtime = Background::start().map_err(failed)?;
        let mut lookups = None;
        if !args.offline {
            let _inside = runtime.enter();
            let resolver = Arc::new(DnsResolver::system().map_err(failed)?);
            lookups = Some(Lookups::new(robots_client()?, resolver));
        }
        Ok(Self { identifier, lookups, runtime })
    }

    /// Identifies the client of a request.
    pub(crate) async fn identify(&self, request: &Request) -> Identity<'_> {
        match &self.lookups {
            Some(lookups) => lookups.identify(&self.identifier, request).await,
            None => self.identifier.identify(request, SystemClock.now()),
        }
    }
}

/// Warns that requests are much newer than the copies of lists that they were compared with.
pub(crate) fn warn_of_outdated_list(messages: &mut Messages) {
    let days = limits::MAX_LIST_AGE.as_secs() / (24 * 60 * 60);
    messages.warning(format!(
        "a request is more than {days} days newer than the copy of a list of addresses"
    ));
    let hint = "`verger identity update DIR` fetches the lists for `--lists DIR`";
    messages.hint(hint.to_owned());
}

/// A robots client with default settings that stores nothing on disk.
pub(crate) fn robots_client() -> Result<RobotsClient, Error> {
    let identity =
        verger_fetch::fetch::Identity::new(concat!("verger/", env!("CARGO_PKG_VERSION")));
    let identity = identity.map_err(|error| Error::new(error.to_string()))?;
    let client = RobotsClient::builder(verger::Crawler::new("verger"), identity).build();
    client.map_err(|error| Error::new(format!("could not start: {error}")))
}

/// Reads the lists of a directory: its files `*.json`.
pub(crate) fn read_lists(directory: &Path) -> Result<Lists, Error> {
    let mut lists = Lists::default();
    let failed = |error: io::Error| Error::io("read", &shown(directory), &error);
    for entry in fs::read_dir(directory).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.extension().is_some_and(|end| end == "json") {
            let text = read_regular(&path, LISTS_BYTES)?;
            let read = lists.read(&String::from_utf8_lossy(&text));
            read.map_err(|error| Error::new(format!("{}: {error}", shown(&path))))?;
        }
    }
    Ok(lists)
}
