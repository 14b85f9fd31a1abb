//! Events that show that the crawler's own network works, and others (REP-CACHE-28a).

use std::sync::Arc;

use verger::Origin;
use verger::access::Profile;
use verger_fetch::client::RobotsClient;
use verger_fetch::guard::Guard;
use verger_fetch::net::Proxy;
use verger_fetch::store::{MemoryStore, SqliteOptions, SqliteStore, Store};
use verger_testkit::server::{Lookup, ScriptedResponse, Service, Setup, Site};

use crate::client::world::{NOW, client, run, start};

const INSIDE: &str = "http://inside.example";
const OTHER: &str = "http://other.example";
const PROXY: &str = "http://proxy.example:80";

/// An event before the first failure to resolve the name of a site.
#[derive(Clone, Copy, Debug)]
enum Event {
    Nothing,
    Fetched(&'static str),
    Page(&'static str),
    /// By the HTTP stack of the crawler.
    Reported(&'static str),
    /// By a worker of a service.
    Released,
    Imported,
    /// Through a proxy, whose pages have this header field.
    Relayed(&'static str),
}

async fn happen(event: Event, client: &RobotsClient) {
    let of = |text: &str| text.parse::<Origin>().unwrap();
    match event {
        Event::Nothing => {}
        Event::Fetched(origin) => drop(client.refresh(&of(origin)).await.unwrap()),
        Event::Page(origin) => {
            let page = client.get(&format!("{origin}/page")).await.unwrap();
            assert!(page.is_success(), "{page:?}");
        }
        Event::Reported(origin) => client.report_available(&of(origin), 200),
        Event::Released => drop(client.report_page(&of(OTHER), Some(200), None).await),
        Event::Imported => {
            let robots = "User-agent: *\nDisallow:\n".into();
            client.import(&of(OTHER), robots, client.now()).await.unwrap();
            // Its record is written again.
            client.report_page(&of(OTHER), None, None).await;
        }
        Event::Relayed(_) => drop(client.refresh(&of(OTHER)).await.unwrap()),
    }
}

#[test]
fn rep_cache_28a_only_an_answer_from_a_public_address_is_a_proof() {
    let net = "10.0.0.0/8".parse().unwrap();
    for (event, here, shared) in [
        (Event::Nothing, false, false),
        (Event::Fetched(OTHER), true, true),
        (Event::Fetched(INSIDE), false, false),
        (Event::Page(INSIDE), false, false),
        (Event::Reported(OTHER), true, false),
        (Event::Reported(INSIDE), false, false),
        (Event::Released, false, false),
        (Event::Imported, false, false),
        (Event::Relayed(""), false, false),
        (Event::Relayed("Via"), true, false),
    ] {
        for is_sqlite in [false, true] {
            run(async {
                let folder = tempfile::tempdir().unwrap();
                let path = folder.path().join("store.sqlite");
                let store: Arc<dyn Store> = if is_sqlite {
                    Arc::new(SqliteStore::open(&path, SqliteOptions::default()).await.unwrap())
                } else {
                    Arc::new(MemoryStore::new())
                };
                let mut rules = ScriptedResponse::rules();
                if let Event::Relayed(mark @ "Via") = event {
                    rules = rules.field(mark, "1.1 proxy");
                }
                // The gateway error is that of the proxy.
                let failing = ScriptedResponse::new(502).script();
                let site = || {
                    let site = Site::new().host("ours.example", failing.clone());
                    site.any(rules.clone().script())
                };
                let inside = "10.0.0.1".parse().unwrap();
                let setup = Setup::web("other.example", site())
                    .name("inside.example", [Lookup::addresses([inside])])
                    .host("proxy.example")
                    .place_at((inside, 80).into(), Service::Http(site()));
                let world = start(setup).await;
                let builder = || client(&world).access(Profile::ARCHIVE).store(Arc::clone(&store));
                let is_inside = matches!(
                    event,
                    Event::Fetched(INSIDE) | Event::Page(INSIDE) | Event::Reported(INSIDE)
                );
                let ours = match event {
                    Event::Relayed(_) => builder().proxy(Proxy::new(PROXY).unwrap()),
                    _ if is_inside => builder().guard(Guard::new().with_allowed_net(net)),
                    _ => builder(),
                };
                let (ours, theirs) = (ours.build().unwrap(), builder().build().unwrap());
                assert_eq!(ours.now().seconds(), NOW);
                happen(event, &ours).await;
                // Another site for each client, because the first failure is a result for both.
                for (name, client, expected) in [("theirs", &theirs, shared), ("ours", &ours, here)]
                {
                    let url = format!("http://{name}.example/");
                    let decision = client.check(&url).await.unwrap();
                    assert_eq!(decision.is_allowed(), expected, "{event:?} {is_sqlite}: {name}");
                }
            });
        }
    }
}
