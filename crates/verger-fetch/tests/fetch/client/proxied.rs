//! The party at fault when a fetch through a proxy fails (REP-CACHE-28).

use std::sync::Arc;
#[cfg(feature = "http2")]
use std::{io, net::SocketAddr};

use verger::Origin;
use verger::access::Profile;
use verger_fetch::failure::{Broken, Failure, NetworkError, ProxyError};
use verger_fetch::net::Proxy;
#[cfg(feature = "http2")]
use verger_fetch::net::{BoxFuture, BoxStream, Dial};
use verger_fetch::store::{MemoryStore, Store};
use verger_testkit::server::{Lookup, Script, ScriptedResponse, Service, Setup, Site};
#[cfg(feature = "http2")]
use {
    crate::client::world::Net,
    tokio::io::{AsyncReadExt as _, AsyncWriteExt as _},
    verger_testkit::server::PUBLIC,
};

use crate::client::world::{HandClock, NOW, client, origin, run, short, start};

const DAY: u64 = 24 * 60 * 60;
const OTHER: &str = "other.example";

/// A proxy that answers everything with this, and a site that answers without it.
fn setup(proxy: impl Into<Script>) -> Setup {
    setup_of(Site::always(proxy.into()))
}

/// The same with this proxy.
fn setup_of(proxy: Site) -> Setup {
    let other = "93.184.216.35".parse().unwrap();
    let site = Service::Http(Site::always(ScriptedResponse::rules().script()));
    Setup::web("proxy.example", proxy)
        .name(OTHER, [Lookup::addresses([other])])
        .place_at((other, 80).into(), site)
}

fn of(host: &str) -> Origin {
    Origin::from_parts("http", host, None).unwrap()
}

/// The day on which a site that is checked every day through the proxy becomes allowed, and the
/// failure of the first day. If the network is proved, another host has responded through the proxy
/// before.
async fn opens(
    setup: Setup,
    proxy: &str,
    profile: &Profile,
    is_proved: bool,
) -> (Option<u64>, Option<Failure>) {
    let world = start(setup).await;
    let (clock, store) = (HandClock::at(NOW), Arc::new(MemoryStore::new()));
    let builder = || {
        let store: Arc<dyn Store> = store.clone();
        client(&world).limits(short()).access(*profile).clock(clock.clone()).store(store)
    };
    let direct = builder().build().unwrap();
    let proxied = builder().proxy(Proxy::new(proxy).unwrap()).build().unwrap();
    let mut first = None;
    for day in 0..=40 {
        clock.set(NOW + day * (DAY + 300));
        // Of another client with the same store: that network may have no proxy.
        direct.refresh(&of(OTHER)).await.unwrap();
        if is_proved {
            proxied.report_available(&of(OTHER), 200);
        }
        // A response of a proxy for one site proves nothing for another.
        proxied.refresh(&of("third.example")).await.unwrap();
        let record = proxied.refresh(&origin()).await.unwrap();
        let failure = record.last().and_then(|last| last.failure.clone());
        first = first.or(failure);
        let decision = proxied.check("http://shop.example/").await.unwrap();
        if decision.is_allowed() {
            return (Some(day), first);
        }
    }
    (None, first)
}

const PROXY: &str = "http://u:p@proxy.example:80";

#[test]
fn a_site_stays_disallowed_while_the_proxy_rejects_requests() {
    for status in [400, 401, 403, 405, 407] {
        run(async {
            let answer = setup(ScriptedResponse::new(status).script());
            let found = opens(answer, PROXY, &Profile::RFC9309, true).await;
            let failure = Failure::Network(NetworkError::Proxy(ProxyError::Status(status)));
            assert_eq!(found, (None, Some(failure)));
        });
    }
}

#[test]
fn a_site_stays_disallowed_while_the_proxy_is_unreachable() {
    for proxy in ["http://nowhere.example:3128", "http://127.0.0.1:1"] {
        for profile in [Profile::RFC9309, Profile::ARCHIVE, Profile::YANDEX] {
            run(async {
                let setup = setup(ScriptedResponse::rules().script());
                let (day, failure) = opens(setup, proxy, &profile, true).await;
                assert_eq!(day, None, "{proxy}");
                let is_proxy = matches!(failure, Some(Failure::Network(NetworkError::Proxy(_))));
                assert!(is_proxy, "{failure:?}");
            });
        }
    }
}

#[test]
fn a_proxy_that_generates_404_opens_no_site() {
    for status in [404, 410] {
        for profile in [Profile::RFC9309, Profile::ARCHIVE, Profile::YANDEX] {
            run(async {
                let answer = setup(ScriptedResponse::new(status).script());
                let found = opens(answer, PROXY, &profile, true).await;
                let failure = Failure::Network(NetworkError::Proxy(ProxyError::Generated(status)));
                assert_eq!(found, (None, Some(failure)), "{status}");
            });
        }
    }
}

#[test]
fn a_404_counts_through_a_proxy_that_gives_another_error_for_unknown_hosts() {
    for status in [404, 410] {
        run(async {
            let proxy = Site::new().host("x.invalid", ScriptedResponse::new(502).script());
            let setup = setup_of(proxy.any(ScriptedResponse::new(status).script()));
            let found = opens(setup, PROXY, &Profile::RFC9309, false).await;
            assert_eq!(found, (Some(0), Some(Failure::Status(status))));
        });
    }
}

#[test]
fn a_gateway_error_counts_only_after_an_answer_from_another_host() {
    for status in [500, 502, 503, 504] {
        run(async {
            let answer = || setup(ScriptedResponse::new(status).script());
            let (day, failure) = opens(answer(), PROXY, &Profile::RFC9309, false).await;
            assert_eq!((day, failure), (None, Some(Failure::Status(status))));
            let (day, _) = opens(answer(), PROXY, &Profile::RFC9309, true).await;
            assert_eq!(day, Some(30));
        });
    }
    // Also after silence.
    run(async {
        let silent = || setup(Script::new());
        assert_eq!(opens(silent(), PROXY, &Profile::RFC9309, false).await.0, None);
        assert_eq!(opens(silent(), PROXY, &Profile::RFC9309, true).await.0, Some(30));
    });
}

#[test]
fn profiles_that_allow_at_once_need_an_answer_from_another_host_first() {
    for profile in [Profile::ARCHIVE, Profile::YANDEX] {
        run(async {
            let answer = || setup(ScriptedResponse::new(502).script());
            assert_eq!(opens(answer(), PROXY, &profile, false).await.0, None);
            assert_eq!(opens(answer(), PROXY, &profile, true).await.0, Some(0));
        });
    }
}

/// Portals that redirect every request to a login.
fn portals() -> [Site; 4] {
    let portal = || ScriptedResponse::redirect(302, "http://login.example/").script();
    let login = |response: ScriptedResponse| Site::new().host("login.example", response.script());
    [
        Site::always(portal()),
        Site::always(ScriptedResponse::new(302).script()),
        login(ScriptedResponse::new(200).body("<p>Log in</p>")).any(portal()),
        login(ScriptedResponse::new(403).field("Via", "1.1 p")).any(portal()),
    ]
}

#[test]
fn a_portal_that_redirects_every_request_opens_no_site() {
    for profile in [Profile::RFC9309, Profile::ARCHIVE, Profile::YANDEX] {
        for portal in portals() {
            run(async {
                let found = opens(setup_of(portal), PROXY, &profile, false).await;
                let failure = Failure::Network(NetworkError::Proxy(ProxyError::Generated(302)));
                assert_eq!(found, (None, Some(failure)), "{profile:?}");
            });
        }
    }
}

#[test]
fn a_redirect_of_the_site_is_followed_through_a_proxy_without_marks() {
    run(async {
        let proxy = Site::new()
            .host("x.invalid", ScriptedResponse::new(502).script())
            .host("www.shop.example", ScriptedResponse::rules().script())
            .any(ScriptedResponse::redirect(301, "http://www.shop.example/robots.txt").script());
        let world = start(setup_of(proxy)).await;
        let client = client(&world).proxy(Proxy::new(PROXY).unwrap()).build().unwrap();
        let decision = client.check("http://shop.example/x").await.unwrap();
        assert!(decision.file().is_some(), "{decision}");
    });
}

#[test]
fn endless_redirects_are_a_fault_of_a_proxy_that_may_have_made_them() {
    let endless = || ScriptedResponse::redirect(302, "/robots.txt");
    let generated = Failure::Network(NetworkError::Proxy(ProxyError::Generated(302)));
    let no_redirect = Failure::BrokenRedirect(Broken::NoRedirect);
    let error = || ScriptedResponse::new(502);
    for (of_no_site, of_site, failure, is_fault) in [
        (error(), endless(), Failure::RedirectLimit, false),
        (ScriptedResponse::new(404), endless(), Failure::RedirectLimit, false),
        (error(), ScriptedResponse::new(302), Failure::BrokenRedirect(Broken::NoLocation), false),
        (endless(), endless(), generated.clone(), true),
        (ScriptedResponse::new(200), endless(), generated, true),
        // The proxy is not asked about these.
        (error(), ScriptedResponse::new(300), no_redirect, true),
    ] {
        run(async {
            let proxy = Site::new().host("x.invalid", of_no_site.script()).any(of_site.script());
            let world = start(setup_of(proxy)).await;
            let client = client(&world).proxy(Proxy::new(PROXY).unwrap()).build().unwrap();
            let decision = client.check("http://shop.example/x").await.unwrap();
            assert_eq!(decision.failure(), Some(&failure), "{decision}");
            let fault = is_fault.then_some(&failure);
            assert_eq!(decision.fault(), fault, "{decision}");
            assert_eq!(client.fault(decision.record().unwrap()), fault, "{decision}");
            assert_eq!(decision.record().unwrap().has_fault(), is_fault, "{decision}");
        });
    }
}

#[test]
fn a_file_stays_in_force_if_the_proxy_answers_itself() {
    for status in [403, 404, 407, 410] {
        kept_despite(Site::always(ScriptedResponse::new(status).script()));
    }
    portals().into_iter().for_each(kept_despite);
}

fn kept_despite(answers: Site) {
    run(async {
        let site = Setup::web("shop.example", Site::always(ScriptedResponse::rules().script()));
        let proxy = "93.184.216.36".parse().unwrap();
        let world = site
            .name("proxy.example", [Lookup::addresses([proxy])])
            .place_at((proxy, 80).into(), Service::Http(answers));
        let world = start(world).await;
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        let builder = || client(&world).store(Arc::clone(&store));
        let direct = builder().build().unwrap();
        direct.refresh(&origin()).await.unwrap();
        let proxied = builder().proxy(Proxy::new(PROXY).unwrap()).build().unwrap();
        let record = proxied.refresh(&origin()).await.unwrap();
        assert!(record.has_fault());
        for client in [&direct, &proxied] {
            let decision = client.check("http://shop.example/x").await.unwrap();
            assert!(decision.file().is_some());
        }
    });
}

#[test]
fn a_fault_of_the_proxy_starts_no_back_off() {
    run(async {
        // It forwards robots.txt, and then requires a password.
        let proxy = Site::new()
            .once(ScriptedResponse::rules().script())
            .any(ScriptedResponse::new(407).script());
        let world = start(Setup::web("proxy.example", proxy)).await;
        let client = client(&world).proxy(Proxy::new(PROXY).unwrap()).build().unwrap();
        for _ in 0..2 {
            let page = client.get("http://shop.example/y").await.unwrap();
            let expected = NetworkError::Proxy(ProxyError::Status(407));
            assert_eq!(page.failure(), Some(&Failure::Network(expected)));
            let record = page.decision().record().unwrap();
            assert!(record.back_off().is_none());
        }
    });
}

/// A dialler to a proxy that supports only tunnels.
#[cfg(feature = "http2")]
#[derive(Debug)]
struct Tunnels(Net);

#[cfg(feature = "http2")]
impl Dial for Tunnels {
    fn dial(&self, to: SocketAddr) -> BoxFuture<'_, io::Result<BoxStream>> {
        let (ours, mut theirs) = tokio::io::duplex(64 * 1024);
        let net = self.0.clone();
        assert_eq!(to, (PUBLIC, 80).into());
        tokio::spawn(async move {
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                head.push(theirs.read_u8().await?);
            }
            assert!(head.starts_with(b"CONNECT shop.example:443 HTTP/1.1\r\n"));
            let mut site = net.dial((PUBLIC, 443).into()).await?;
            theirs.write_all(b"HTTP/1.0 200 OK\r\n\r\n").await?;
            tokio::io::copy_bidirectional(&mut theirs, &mut site).await
        });
        Box::pin(async move { Ok(Box::new(ours) as BoxStream) })
    }
}

#[cfg(feature = "http2")]
#[test]
fn http2_works_through_a_tunnel() {
    run(async {
        let head = [(":status", "200"), ("x-robots-tag", "noindex"), ("content-type", "text/html")];
        let setup = crate::client::http2::speaking(&head, b"<p>x</p>").host("proxy.example");
        let world = start(setup).await;
        let client = client(&world)
            .dial(Arc::new(Tunnels(Net(Arc::clone(&world)))))
            .proxy(Proxy::new(PROXY).unwrap())
            .http2_for_robots(true)
            .build()
            .unwrap();
        let page = client.get("https://shop.example/x").await.unwrap();
        assert_eq!((page.failure(), page.body()), (None, &b"<p>x</p>"[..]));
        assert!(page.hops().iter().all(|hop| hop.reached && hop.peer.is_none()));
    });
}
