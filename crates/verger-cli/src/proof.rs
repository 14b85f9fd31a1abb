//! Proofs of who sent requests, with or without look-ups.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, HashSet};
use std::fmt::Display;
use std::io;
use std::path::Path;
use std::slice;
use std::sync::Arc;

use verger_fetch::background::Background;
use verger_fetch::client::{Clock as _, RobotsClient, SystemClock};
use verger_fetch::fetch::Identity as FetchIdentity;
use verger_fetch::net::DnsResolver;
use verger_identity::net::{Lookups, read_lists};
use verger_identity::{
    Claim, Evidence, Identifier, Identity, KeySet, Lists, LookedUp, Pending, Reason, Request,
    TrustedProxies, limits,
};

use crate::args::ProofArgs;
use crate::console::Messages;
use crate::error::Error;
use crate::input::{read_whole, shown};
use crate::limits::BATCH_LOOK_UPS;

/// Days after which a copy of a list is outdated.
const OUTDATED_DAYS: u64 = limits::MAX_LIST_AGE.as_secs() / (24 * 60 * 60);

/// Everything that is the same for all requests.
pub(crate) struct Session {
    pub(crate) identifier: Identifier,
    lookups: Option<Lookups>,
    pub(crate) runtime: Background,
    /// The addresses and key sets that were looked up.
    asked: RefCell<HashSet<String>>,
    /// Tokens of the crawlers whose gaps are of interest; all if there are none.
    pub(crate) agents: Vec<String>,
    /// Gaps of the lists, as sentences.
    gaps: RefCell<BTreeSet<String>>,
    /// Whether an address was that of a proxy.
    has_proxies: Cell<bool>,
}

impl Session {
    /// Reads the lists and key sets of the arguments, and prepares look-ups unless they are off.
    pub(crate) fn open(args: &ProofArgs) -> Result<Self, Error> {
        let lists = lists(args.lists.as_deref())?.into_owned();
        let mut identifier = Identifier::new(lists);
        identifier.authorities.clone_from(&args.authority);
        for (url, path) in &args.key_set {
            let keys = KeySet::read(&read_whole(path, limits::KEY_SET_BYTES)?);
            identifier.add_key_set(url, keys.map_err(|error| in_file(path, error))?);
        }
        identifier.proxies = TrustedProxies::new(args.trusted_proxy.clone(), &args.proxy_header);
        let failed = |error: io::Error| {
            Error::io("start", "look-ups", &error).with_hint("`--offline` looks up nothing")
        };
        let runtime = Background::start().map_err(failed)?;
        let mut lookups = None;
        if !args.offline {
            let _inside = runtime.enter();
            let resolver = Arc::new(DnsResolver::system().map_err(failed)?);
            lookups = Some(Lookups::new(robots_client(&runtime)?, resolver));
        }
        let (asked, agents, gaps, has_proxies) = Default::default();
        Ok(Self { identifier, lookups, runtime, asked, agents, gaps, has_proxies })
    }

    /// Identifies the client of a request.
    pub(crate) async fn identify(&self, request: &Request) -> Identity<'_> {
        let pending = self.identifier.begin(request, SystemClock.now());
        let identity = match &self.lookups {
            Some(lookups) if self.may_look_up(&pending) => lookups.finish(pending).await,
            _ => pending.finish(&LookedUp::default()),
        };
        self.note_gaps(&identity);
        identity
    }

    fn note_gaps(&self, identity: &Identity<'_>) {
        let mut gaps = self.gaps.borrow_mut();
        let is_asked = |claim: &&Claim<'_>| is_in(&self.agents, claim.crawler.token());
        for proof in identity.claims.iter().filter(is_asked).map(|claim| &claim.addresses) {
            let lists = match (proof.reason, proof.evidence.as_deref()) {
                (Some(Reason::NoList), _) => {
                    gaps.insert(format!("addresses are {proof}"));
                    continue;
                }
                (Some(Reason::Proxy), None) => {
                    self.has_proxies.set(true);
                    continue;
                }
                (_, Some(Evidence::Listed { list, .. })) => slice::from_ref(list),
                (_, Some(Evidence::NotListed { lists })) => lists,
                _ => continue,
            };
            if lists.iter().any(|list| list.is_outdated) {
                gaps.insert(format!(
                    "a request is more than {OUTDATED_DAYS} days newer than the copy of a list of addresses"
                ));
            }
        }
    }

    fn may_look_up(&self, pending: &Pending<'_>) -> bool {
        let address = pending.address().map(|address| address.to_string());
        let needed = address.into_iter().chain(pending.key_sets().map(|(url, _)| url.to_owned()));
        are_within(&mut self.asked.borrow_mut(), needed, BATCH_LOOK_UPS)
    }

    /// Warns of gaps of the lists and of look-ups that were left out.
    pub(crate) fn warn(&self, messages: &mut Messages) {
        if self.asked.borrow().len() >= BATCH_LOOK_UPS {
            let message = format!("only {BATCH_LOOK_UPS} addresses and key sets were looked up");
            messages.warning(message);
        }
        if self.has_proxies.get() {
            let what = "`--trusted-proxy` names the networks of your proxies";
            messages.hint(format!(
                "{what}, and `--proxy-header` the field with the address of the client"
            ));
        }
        let gaps = self.gaps.borrow();
        if !gaps.is_empty() {
            for gap in &*gaps {
                messages.warning(gap);
            }
            let hint = "`verger identity update DIR` fetches the lists for `--lists DIR`";
            messages.hint(hint.to_owned());
        }
    }
}

/// Whether a token is one of these; all are if there are none.
pub(crate) fn is_in(tokens: &[String], token: &str) -> bool {
    tokens.is_empty() || tokens.iter().any(|it| it.eq_ignore_ascii_case(token))
}

/// The lists of `--lists`, or those of this release.
pub(crate) fn lists(directory: Option<&Path>) -> Result<Cow<'static, Lists>, Error> {
    let Some(directory) = directory else { return Ok(Cow::Borrowed(Lists::bundled())) };
    let hint = "`verger identity update DIR` fetches lists; without `--lists`, those of this release are used";
    let failed = |error: String| Error::new(error).with_hint(hint);
    let lists = read_lists(directory).map_err(failed)?;
    if lists.is_empty() {
        let expected = "expected a directory with lists of addresses, but found none in";
        return Err(failed(format!("{expected} {}", shown(directory))));
    }
    Ok(Cow::Owned(lists))
}

/// Whether look-ups are known ones, or within a limit of different ones.
fn are_within(
    asked: &mut HashSet<String>,
    mut needed: impl Iterator<Item = String>,
    most: usize,
) -> bool {
    needed.all(|it| asked.contains(&it) || (asked.len() < most && asked.insert(it)))
}

/// An error of the text of a file.
pub(crate) fn in_file(path: &Path, error: impl Display) -> Error {
    Error::new(format!("{}: {error}", shown(path)))
}

/// A robots client with default settings that stores nothing on disk.
pub(crate) fn robots_client(runtime: &Background) -> Result<RobotsClient, Error> {
    let identity = FetchIdentity::new(concat!("verger/", env!("CARGO_PKG_VERSION")));
    let identity = identity.map_err(|error| Error::new(error.to_string()))?;
    let _inside = runtime.enter();
    let client = RobotsClient::builder(verger::Crawler::new("verger"), identity).build();
    client.map_err(|error| Error::new(format!("could not start: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn different_look_ups_of_a_batch_are_limited() {
        let mut asked = HashSet::new();
        for (needed, expected) in [
            (&["192.0.2.1", "https://a.test"][..], true),
            (&["192.0.2.1"], true),
            (&["192.0.2.2"], false),
            (&["https://a.test", "https://b.test"], false),
            (&["https://a.test", "192.0.2.1"], true),
            (&[], true),
        ] {
            let needed = needed.iter().map(|&it| it.to_owned());
            assert_eq!(are_within(&mut asked, needed, 2), expected);
        }
        assert_eq!(asked.len(), 2);
    }
}
