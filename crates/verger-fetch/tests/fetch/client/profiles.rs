//! One store, several access profiles and identities: each has its own record (REP-CACHE-29).

use std::sync::Arc;
use std::time::Duration;

use verger::access::Profile;
use verger::{Crawler, Reason};
use verger_fetch::decision::RecordSource;
use verger_fetch::fetch::Identity;
use verger_fetch::limits::Limits;
use verger_fetch::store::{MemoryStore, Store};
use verger_testkit::server::{Lookup, ScriptedResponse, Service, Setup, Site};

use crate::client::world::{
    HandClock, NOW, client, client_of, client_with, origin, run, shop, start,
};

#[test]
fn a_record_belongs_to_one_profile_and_one_identity() {
    run(async {
        let world = start(shop(ScriptedResponse::new(403))).await;
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        let check = async |profile, user_agent| {
            let client = client_with(&world, Identity::new(user_agent).unwrap());
            let client = client.store(Arc::clone(&store)).access(profile).build().unwrap();
            client.check("http://shop.example/y").await.unwrap()
        };
        let mut custom = Profile::STRICT;
        custom.retry_first += Duration::from_secs(1);
        let profiles = [(Profile::RFC9309, true), (Profile::STRICT, false), (custom, false)];
        for user_agent in ["ExampleBot/1.0", "OtherBot/1.0"] {
            for (profile, is_allowed) in profiles {
                for source in [RecordSource::Fetch, RecordSource::Store, RecordSource::Store] {
                    let decision = check(profile, user_agent).await;
                    let found = (decision.is_allowed(), decision.source());
                    assert_eq!(found, (is_allowed, source), "{profile} {user_agent}");
                }
            }
        }
        // The version of a crawler is not its identity.
        assert_eq!(check(Profile::RFC9309, "ExampleBot/2.0").await.source(), RecordSource::Store);
        assert_eq!(world.record().requests.len(), 6);
    });
}

#[test]
fn a_back_off_belongs_to_the_origin() {
    run(async {
        let world = start(shop(ScriptedResponse::rules())).await;
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        let client = |profile, user_agent| {
            let client = client_with(&world, Identity::new(user_agent).unwrap());
            client.store(Arc::clone(&store)).access(profile).build().unwrap()
        };
        let url = "http://shop.example/y";
        let wait = Duration::from_secs(600);
        let ours = client(Profile::RFC9309, "ExampleBot/1.0");
        ours.check(url).await.unwrap();
        ours.report_page(&origin(), Some(503), Some(wait)).await;
        let others = [(Profile::GOOGLE, "ExampleBot/1.0"), (Profile::RFC9309, "OtherBot/1.0")];
        for (profile, user_agent) in others {
            let other = client(profile, user_agent);
            assert_eq!(other.check(url).await.unwrap().delay(), wait);
        }
        ours.report_page(&origin(), Some(200), None).await;
        let other = client(Profile::GOOGLE, "ExampleBot/1.0");
        assert_eq!(other.check(url).await.unwrap().delay(), Duration::ZERO);
    });
}

#[test]
fn a_smaller_redirect_limit_affects_only_its_client() {
    run(async {
        let hop = |at: u8| {
            (format!("/{at}"), ScriptedResponse::redirect(301, format!("/{}", at + 1)).script())
        };
        let rules = ScriptedResponse::new(200).body("User-agent: *\nDisallow: /\n").script();
        let start_hop = ScriptedResponse::redirect(301, "/1").script();
        let site =
            (1..6).map(hop).fold(Site::new(), |site, (path, script)| site.path(&path, script));
        let site = site.path("/robots.txt", start_hop).path("/6", rules);
        let world = start(Setup::web("shop.example", site)).await;
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        let mut patient = Profile::RFC9309;
        patient.redirects = 10;
        let limits = |redirects| Limits { redirects, ..Limits::default() };
        let client = |limits| {
            let client = client(&world).store(Arc::clone(&store)).access(patient);
            client.limits(limits).build().unwrap()
        };
        let (short, usual) = (client(limits(5)), client(limits(10)));
        let x = "http://shop.example/x";
        assert_eq!(short.check(x).await.unwrap().reason(), Reason::RedirectLimit);
        assert_eq!(usual.check(x).await.unwrap().reason(), Reason::Rule);
    });
}

#[test]
fn a_fetch_that_fails_before_it_is_due_does_not_change_the_state() {
    run(async {
        // 408 is a failure in some profiles, a result in others.
        let asks_for_time = ScriptedResponse::new(503).field("Retry-After", "120");
        for answer in [ScriptedResponse::new(503), ScriptedResponse::new(408), asks_for_time] {
            let world = start(shop(answer)).await;
            for profile in Profile::ALL {
                let clock = HandClock::at(NOW);
                let client = client(&world).access(profile).clock(clock.clone()).build().unwrap();
                let first = client.refresh(&origin()).await.unwrap().state();
                if first.failures() == 0 {
                    continue;
                }
                let mut again = first;
                for second in 1..20 {
                    clock.set(NOW + second);
                    let record = client.refresh(&origin()).await.unwrap();
                    assert_eq!(record.last().unwrap().tried_at.seconds(), NOW + second);
                    again = record.state();
                }
                assert_eq!(again, first, "{profile}");
                // A due one counts.
                clock.set(first.next_try().seconds());
                let due = client.refresh(&origin()).await.unwrap().state();
                assert_eq!(due.failures(), 2, "{profile}");
            }
        }
    });
}

#[test]
fn a_hop_that_is_disallowed_to_one_crawler_affects_no_other() {
    run(async {
        let other = "93.184.216.35".parse().unwrap();
        let rules = ScriptedResponse::new(200).body("User-agent: A\nDisallow: /r2.txt\n").script();
        let site = Site::new().path("/robots.txt", rules).path(
            "/r2.txt",
            ScriptedResponse::new(200).body("User-agent: *\nDisallow: /\n").script(),
        );
        let redirect = ScriptedResponse::redirect(301, "http://other.example/r2.txt").script();
        let world = start(
            Setup::web("shop.example", Site::always(redirect))
                .name("other.example", [Lookup::addresses([other])])
                .place_at((other, 80).into(), Service::Http(site)),
        )
        .await;
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        let check = async |crawler: &str, url: &str| {
            let client = client_of(&world, Crawler::new(crawler)).store(Arc::clone(&store));
            let client = client.access(Profile::GOOGLE).build().unwrap();
            client.check(url).await.unwrap().is_allowed()
        };
        assert!(check("A", "http://other.example/x").await);
        assert!(check("A", "http://shop.example/x").await, "the hop counts as 404");
        assert!(!check("B", "http://shop.example/x").await);
    });
}
