//! Many concurrent checks, and cancelled ones.

use std::sync::Arc;

use tokio::task::JoinSet;
use verger::Reason;
use verger::access::Profile;
use verger_fetch::decision::RecordSource;
use verger_fetch::failure::Failure;
use verger_fetch::limits::{BODY, FETCHES};
use verger_fetch::record::{Miss, RecordKey};
use verger_fetch::store::{Lookup, MemoryStore, Pending, Store, StoreError, StoreErrorKind};
use verger_testkit::server::{ScriptedResponse, Service, Setup, Site};

use crate::client::world::{HandClock, NOW, client, key, origin, run, shop, start};

#[test]
fn an_unknown_origin_is_fetched_once_for_10_000_checks() {
    run(async {
        let world = start(shop(ScriptedResponse::rules())).await;
        let client = client(&world).build().unwrap();
        let mut tasks = JoinSet::new();
        for at in 0..10_000 {
            let client = client.clone();
            tasks.spawn(async move { client.check(&format!("http://shop.example/x{at}")).await });
        }
        while let Some(done) = tasks.join_next().await {
            assert!(!done.unwrap().unwrap().is_allowed());
        }
        assert_eq!(world.record().requests.len(), 1);
    });
}

#[test]
fn check_all_keeps_the_order_and_fetches_each_origin_once() {
    run(async {
        // More origins than concurrent fetches, with the URLs of each far apart.
        const ORIGINS: usize = FETCHES + 50;
        let mut setup =
            Setup::new().place(80, Service::Http(Site::always(ScriptedResponse::rules().script())));
        for at in 0..ORIGINS {
            setup = setup.host(&format!("h{at}.example"));
        }
        let world = start(setup).await;
        let client = client(&world).build().unwrap();
        let url = |question: usize| match question {
            7 => "no URL".to_owned(),
            8 => "mailto:a@shop.example".to_owned(),
            _ if question.is_multiple_of(3) => format!("http://h{}.example/x", question % ORIGINS),
            _ => format!("http://h{}.example/y{question}", question % ORIGINS),
        };
        let urls: Vec<String> = (0..3 * ORIGINS).map(url).collect();
        let answers = client.check_all(&urls).await;
        assert_eq!(answers.len(), urls.len());
        for (url, answer) in urls.iter().zip(answers) {
            match answer {
                Ok(decision) => {
                    assert_eq!(decision.url().as_str(), url);
                    assert_eq!(decision.is_allowed(), !url.ends_with("/x"), "{url}");
                }
                Err(error) => {
                    assert_eq!((url.as_str(), error.to_string().is_empty()), ("no URL", false));
                }
            }
        }
        assert_eq!(world.record().requests.len(), ORIGINS);
    });
}

#[test]
fn sitemaps_come_from_the_file_in_force() {
    const SITEMAP: &str = "Sitemap: /map.xml\n";
    run(async {
        let file = ScriptedResponse::new(200).body(SITEMAP.repeat(2)).script();
        let good = start(Setup::web("shop.example", Site::always(file))).await;
        let down = start(shop(ScriptedResponse::new(503))).await;
        for (profile, remains) in [(Profile::RFC9309, true), (Profile::GOOGLE, false)] {
            let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
            let clock = HandClock::at(NOW);
            let client = |world| {
                let client = client(world).store(Arc::clone(&store)).access(profile);
                client.clock(clock.clone()).build().unwrap()
            };
            let found = client(&good).sitemaps(&origin()).await.unwrap();
            let [sitemap] = &*found else { panic!("{found:?}") };
            assert_eq!(sitemap.url.as_deref(), Some("http://shop.example/map.xml"));
            assert_eq!(sitemap.raw, b"/map.xml");
            // In an outage one profile uses the copy, the other does not.
            clock.set(NOW + 25 * 3_600);
            let found = client(&down).sitemaps(&origin()).await.unwrap();
            assert_eq!(!found.is_empty(), remains, "{profile}");
        }
    });
}

/// A store that stores records, but returns none.
#[derive(Debug)]
struct Faulty(MemoryStore, fn() -> Result<Lookup, StoreError>);

impl Store for Faulty {
    forward!(0: put, remove, list, clear);

    fn get<'a>(&'a self, _: &'a RecordKey) -> Pending<'a, Lookup> {
        Box::pin(async { (self.1)() })
    }
}

#[test]
fn checks_are_answered_even_if_the_store_loses_records() {
    run(async {
        let world = start(shop(ScriptedResponse::rules())).await;
        // One that finds nothing, and one without room: memory answers for both.
        let damage = || Ok(Lookup::Missing(Miss::Damaged));
        let damaged: Arc<dyn Store> = Arc::new(Faulty(MemoryStore::new(), damage));
        let full: Arc<dyn Store> = Arc::new(MemoryStore::bounded(1));
        for (store, requests) in [(damaged, 1), (full, 2)] {
            let client = client(&world).store(store).build().unwrap();
            for _ in 0..2 {
                assert!(!client.check("http://shop.example/x").await.unwrap().is_allowed());
            }
            assert_eq!(world.record().requests.len(), requests);
        }
    });
}

#[test]
fn an_unreadable_record_is_not_overwritten_and_allows_nothing() {
    run(async {
        let newer = || Ok(Lookup::Missing(Miss::Newer { version: 4 }));
        let failing = || Err(StoreError::new(StoreErrorKind::Io, "a read failed"));
        for get in [newer, failing] as [fn() -> Result<Lookup, StoreError>; 2] {
            // The site is down, and the stored copy may forbid URLs that this profile allows.
            let world = start(shop(ScriptedResponse::new(503))).await;
            let store = Arc::new(Faulty(MemoryStore::new(), get));
            let shared = Arc::clone(&store) as Arc<dyn Store>;
            let client = client(&world).access(Profile::ARCHIVE).store(shared).build().unwrap();
            for _ in 0..2 {
                assert!(!client.check("http://shop.example/x").await.unwrap().is_allowed());
            }
            let kept = store.0.list(None, usize::MAX).await.unwrap();
            assert!(kept.is_empty(), "nothing is written over what was not read");
        }
    });
}

#[test]
fn an_offline_client_sends_nothing() {
    run(async {
        let world = start(shop(ScriptedResponse::rules())).await;
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        let client = |offline| client(&world).store(Arc::clone(&store)).offline(offline).build();
        let decision = client(true).unwrap().check("http://shop.example/y").await.unwrap();
        assert_eq!((decision.is_allowed(), decision.reason()), (false, Reason::Unreachable));
        assert_eq!(decision.source(), RecordSource::Offline);
        let shown = "disallowed: robots.txt cannot be fetched, so everything is disallowed \
                     until it can be (offline, and no record of this origin is stored)";
        assert_eq!(decision.to_string(), shown);
        assert_eq!(decision.failure(), Some(&Failure::Offline { has_record: false }));
        assert_eq!(world.record().connections, 0);
        assert!(store.get(&key()).await.unwrap().found().is_none(), "nothing is stored");
        let silent = client(true).unwrap();
        assert!(silent.refresh(&origin()).await.unwrap().file().is_none());
        assert!(silent.sitemaps(&origin()).await.unwrap().is_empty());
        assert!(silent.get("http://shop.example/robots.txt").await.is_err());
        assert_eq!(world.record().connections, 0);

        let decision = client(false).unwrap().check("http://shop.example/y").await.unwrap();
        assert_eq!((decision.is_allowed(), decision.source()), (true, RecordSource::Fetch));
        let decision = client(true).unwrap().check("http://shop.example/y").await.unwrap();
        assert_eq!((decision.is_allowed(), decision.source()), (true, RecordSource::Store));
        assert_eq!(world.record().requests.len(), 1);
    });
}

#[test]
fn a_refusal_of_the_guard_is_not_shared_with_other_clients() {
    run(async {
        let private = verger_testkit::server::Lookup::addresses(["10.0.0.1".parse().unwrap()]);
        let world = start(Setup::new().name("shop.example", [private])).await;
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        let client = client(&world).store(Arc::clone(&store)).build().unwrap();
        let decision = client.check("http://shop.example/").await.unwrap();
        assert_eq!(decision.reason(), Reason::Unreachable);
        assert!(store.get(&key()).await.unwrap().found().is_none(), "others may go there");
        let again = client.check("http://shop.example/").await.unwrap();
        assert_eq!(again.source(), RecordSource::Store);
    });
}

#[test]
fn a_rule_that_is_cut_by_the_size_limit_is_ignored() {
    const HEAD: &str = "User-agent: *\nDisallow: /\n";
    run(async {
        for (rule, cut, is_allowed) in [
            // The rest of it would allow everything.
            ("Allow: /public/\n", "Allow: /".len(), false),
            // Only its line end is beyond the limit.
            ("Allow: /x\n", "Allow: /x".len(), true),
        ] {
            let filled = BODY.default - HEAD.len() - cut - 1;
            let body = format!("{HEAD}{}\n{rule}# more", "#".repeat(filled));
            let world = start(shop(ScriptedResponse::new(200).body(body))).await;
            let client = client(&world).build().unwrap();
            let decision = client.check("http://shop.example/x").await.unwrap();
            assert_eq!(decision.is_allowed(), is_allowed, "{rule:?}");
            assert!(decision.file().unwrap().is_truncated());
        }
    });
}
