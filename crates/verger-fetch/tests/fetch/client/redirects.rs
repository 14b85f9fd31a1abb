//! Redirects through the client: their number, from https to http, and to URLs known to be
//! disallowed.

use std::sync::Arc;

use verger::access::{Meaning, Profile};
use verger::{Dialect, Reason};
use verger_fetch::decision::Decision;
use verger_fetch::failure::{Broken, Failure};
use verger_fetch::limits::Limits;
use verger_fetch::record::RedirectChain;
use verger_fetch::store::{MemoryStore, SqliteOptions, SqliteStore, Store};
use verger_testkit::server::{Lookup, PUBLIC, ScriptedResponse, Service, Setup, Site, Tls, World};

use crate::client::world::{HandClock, NOW, client, run, start};

#[test]
fn rep_access_23_the_smaller_limit_of_profile_and_client_applies() {
    let redirects = 7;
    let path = |at: usize| if at == 0 { "/robots.txt".to_owned() } else { format!("/{at}") };
    let site = (0..redirects).fold(Site::new(), |site, at| {
        site.path(&path(at), ScriptedResponse::redirect(302, path(at + 1)).script())
    });
    let setup =
        Setup::web("shop.example", site.path(&path(redirects), ScriptedResponse::rules().script()));
    let (of_six, of_ten) = (Some(6), Some(10));
    for (own, limit, denies, expected, requests) in [
        (None, 5, false, Reason::RedirectLimit, 6),
        (None, 10, false, Reason::RedirectLimit, 6),
        (of_six, 10, false, Reason::RedirectLimit, 7),
        (of_ten, 5, true, Reason::RedirectLimit, 6),
        (of_ten, 10, true, Reason::Rule, 8),
        (Some(0), 5, true, Reason::RedirectLimit, 1),
    ] {
        run(async {
            let mut profile = if denies { Profile::STRICT } else { Profile::RFC9309 };
            profile.redirects = own.unwrap_or(profile.redirects);
            let limits = Limits { redirects: limit, ..Limits::default() };
            let world = start(setup.clone()).await;
            let client = client(&world).access(profile).limits(limits).build().unwrap();
            let decision = client.check("http://shop.example/x").await.unwrap();
            assert_eq!(decision.reason(), expected, "{own:?} {limit}");
            let is_allowed = profile.redirect_limit == Meaning::AllowAll;
            assert_eq!(decision.is_allowed(), is_allowed, "{own:?} {limit}");
            assert_eq!(world.record().requests.len(), requests, "{own:?} {limit}");
        });
    }
}

#[test]
fn rep_access_28_strict_follows_no_redirect_from_https_to_http() {
    let there = ScriptedResponse::redirect(302, "http://shop.example/robots.txt").script();
    let setup = Setup::web("shop.example", Site::always(ScriptedResponse::rules().script()))
        .place(443, Service::Https(Tls::default(), Site::always(there)));
    for (profile, allowed, requests) in
        [(Profile::RFC9309, true, 2), (Profile::ARCHIVE, true, 2), (Profile::STRICT, false, 1)]
    {
        run(async {
            let world = start(setup.clone()).await;
            let client = client(&world).access(profile).build().unwrap();
            let decision = client.check("https://shop.example/").await.unwrap();
            assert_eq!(decision.is_allowed(), allowed, "{profile}");
            let chain = RedirectChain::of(decision.file(), decision.last());
            assert!(chain.downgraded, "{profile}");
            let why = (!allowed).then_some(Failure::BrokenRedirect(Broken::Downgrade));
            assert_eq!(decision.failure(), why.as_ref(), "{profile}");
            assert_eq!(world.record().requests.len(), requests, "{profile}");
        });
    }
}

const ASKED: &str = "http://shop.example/x";
const OTHER: &str = "http://other.example/";

/// A host that redirects to a URL of another one, whose robots.txt disallows it.
fn redirecting_to_a_disallowed_url() -> Setup {
    let other = "93.184.216.35".parse().unwrap();
    let redirect = ScriptedResponse::redirect(301, "http://other.example/x/robots.txt").script();
    Setup::new()
        .name("shop.example", [Lookup::addresses([PUBLIC])])
        .place(80, Service::Http(Site::always(redirect)))
        .name("other.example", [Lookup::addresses([other])])
        .place_at(
            (other, 80).into(),
            Service::Http(Site::always(ScriptedResponse::rules().script())),
        )
}

/// One client learns the rules of the other host, `later` seconds before the next client is
/// redirected.
async fn check_redirected(
    profile: Profile,
    store: &Arc<dyn Store>,
    knows: bool,
    later: u64,
) -> (Decision, Arc<World>) {
    let world = start(redirecting_to_a_disallowed_url()).await;
    let clock = HandClock::at(NOW);
    let client = || {
        let builder = client(&world).access(profile).store(Arc::clone(store));
        builder.clock(clock.clone()).build().unwrap()
    };
    if knows {
        client().check(OTHER).await.unwrap();
    }
    clock.set(NOW + later);
    (client().check(ASKED).await.unwrap(), world)
}

#[test]
fn rep_access_22_google_treats_a_hop_that_is_known_to_be_disallowed_as_404() {
    for (profile, reason, requests) in [
        (Profile::RFC9309, Reason::Rule, 3),
        (Profile::GOOGLE, Reason::Unavailable, 2),
        (Profile::GOOGLE_OLD, Reason::Unavailable, 2),
        (Profile::STRICT, Reason::Rule, 3),
    ] {
        run(async {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("store");
            let sqlite = SqliteStore::open(&path, SqliteOptions::default()).await.unwrap();
            let stores: [Arc<dyn Store>; 2] = [Arc::new(MemoryStore::new()), Arc::new(sqlite)];
            for store in stores {
                let (decision, world) = check_redirected(profile, &store, true, 60).await;
                assert_eq!(decision.reason(), reason, "{profile}");
                assert_eq!(world.record().requests.len(), requests, "{profile}");
            }
        });
    }
}

#[test]
fn rep_amb_47_a_hop_to_a_robots_txt_is_never_disallowed() {
    run(async {
        let file = ScriptedResponse::new(200).body("User-agent: *\nDisallow: /\n").script();
        let there = ScriptedResponse::redirect(301, "https://shop.example/robots.txt").script();
        let setup = Setup::web("shop.example", Site::always(there))
            .place(443, Service::Https(Tls::default(), Site::always(file)));
        let world = start(setup).await;
        let client = client(&world).access(Profile::GOOGLE).dialect(Dialect::GOOGLE);
        let client = client.build().unwrap();
        for scheme in ["https", "http"] {
            let decision = client.check(&format!("{scheme}://shop.example/x")).await.unwrap();
            assert_eq!(
                (decision.is_allowed(), decision.reason()),
                (false, Reason::Rule),
                "{scheme}"
            );
        }
        // No rules were involved, so the record is stored.
        let decision = client.check("http://shop.example/x").await.unwrap();
        assert_eq!(decision.source(), verger_fetch::decision::RecordSource::Store);
    });
}

#[test]
fn rep_access_22_unknown_or_expired_rules_disallow_no_hop() {
    const DAY: u64 = 24 * 60 * 60;
    for (knows, later, requests) in [(false, 0, 2), (true, DAY, 3)] {
        run(async {
            let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
            let (decision, world) = check_redirected(Profile::GOOGLE, &store, knows, later).await;
            assert_eq!(decision.reason(), Reason::Rule, "{later}");
            assert_eq!(world.record().requests.len(), requests, "nothing is fetched to know it");
        });
    }
}
