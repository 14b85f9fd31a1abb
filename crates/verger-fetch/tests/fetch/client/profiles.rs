//! One store, several access profiles: the state of one does not affect another.

use std::sync::Arc;
use std::time::Duration;

use verger::access::Profile;
use verger::{Crawler, Reason};
use verger_fetch::decision::Source;
use verger_fetch::limits::Limits;
use verger_fetch::store::{MemoryStore, Store};
use verger_testkit::server::{Answer, Lookup, Service, Setup, Site};

use crate::client::world::{HandClock, NOW, client, client_of, origin, run, shop, start};

#[test]
fn each_access_profile_interprets_the_same_fetch() {
    run(async {
        for (answer, is_403) in [(Answer::new(403), true), (Answer::rules(), false)] {
            let world = start(shop(answer)).await;
            let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
            let check = async |profile, offline| {
                let client = client(&world).store(Arc::clone(&store)).access(profile);
                let client = client.offline(offline).build().unwrap();
                client.check("http://shop.example/y").await.unwrap()
            };
            let mut custom = Profile::STRICT;
            custom.retry_first += Duration::from_secs(1);
            assert!(check(Profile::RFC9309, false).await.is_allowed());
            for _ in 0..20 {
                for offline in [true, false] {
                    assert!(check(Profile::RFC9309, offline).await.is_allowed());
                    for strict in [Profile::STRICT, custom] {
                        let decision = check(strict, offline).await;
                        assert_eq!(decision.source(), Source::Store);
                        assert_eq!(decision.is_allowed(), !is_403);
                    }
                }
            }
            assert_eq!(world.record().requests.len(), 1);
        }
    });
}

const DAY: u64 = 24 * 60 * 60;

/// Fails until an outage with a copy is 31 days long for RFC 9309, while Google checks too.
#[test]
fn a_check_in_another_profile_keeps_the_copy_of_an_outage() {
    run(async {
        let good = start(shop(Answer::new(200).body("User-agent: *\nDisallow: /private\n"))).await;
        let down = start(shop(Answer::new(503))).await;
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        let clock = HandClock::at(NOW);
        let check = async |world, profile| {
            let client = client(world).store(Arc::clone(&store)).access(profile);
            let client = client.clock(clock.clone()).build().unwrap();
            client.check("http://shop.example/private").await.unwrap()
        };
        assert!(!check(&good, Profile::RFC9309).await.is_allowed());
        for day in 1..=40 {
            clock.set(NOW + day * DAY);
            assert!(!check(&down, Profile::GOOGLE).await.is_allowed(), "day {day}");
            let decision = check(&down, Profile::RFC9309).await;
            assert_eq!((decision.is_allowed(), decision.reason()), (false, Reason::Rule));
        }
    });
}

#[test]
fn a_profile_that_was_used_once_counts_the_fetches_of_others() {
    run(async {
        let down = start(shop(Answer::new(503))).await;
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        let clock = HandClock::at(NOW);
        let client = |profile| {
            let client = client(&down).store(Arc::clone(&store)).access(profile);
            client.clock(clock.clone()).build().unwrap()
        };
        let (rfc, strict) = (client(Profile::RFC9309), client(Profile::STRICT));
        let x = "http://shop.example/x";
        rfc.check(x).await.unwrap();
        // It checks once, without a fetch, and then not for a month.
        assert!(!strict.check(x).await.unwrap().is_allowed());
        for day in 1..=30 {
            clock.set(NOW + day * DAY);
            rfc.check(x).await.unwrap();
        }
        let requests = down.record().requests.len();
        let decision = strict.check(x).await.unwrap();
        assert_eq!(decision.state().outage_length(), Duration::from_secs(30 * DAY));
        assert_eq!((decision.is_allowed(), decision.reason()), (true, Reason::Unreachable));
        assert_eq!(down.record().requests.len(), requests);
    });
}

#[test]
fn a_smaller_redirect_limit_affects_only_its_client() {
    run(async {
        let hop =
            |at: u8| (format!("/{at}"), Answer::redirect(301, format!("/{}", at + 1)).script());
        let rules = Answer::new(200).body("User-agent: *\nDisallow: /\n").script();
        let start_hop = Answer::redirect(301, "/1").script();
        let site =
            (1..6).map(hop).fold(Site::new(), |site, (path, script)| site.path(&path, script));
        let site = site.path("/robots.txt", start_hop).path("/6", rules);
        let world = start(Setup::web("shop.example", site)).await;
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        let mut patient = Profile::RFC9309;
        patient.redirects = 10;
        let limits = |most| Limits::default().with_redirects(most).unwrap();
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
        let asks_for_time = Answer::new(503).field("Retry-After", "120");
        for answer in [Answer::new(503), Answer::new(408), asks_for_time] {
            let world = start(shop(answer)).await;
            for profile in Profile::ALL {
                let clock = HandClock::at(NOW);
                let client = client(&world).access(profile).clock(clock.clone()).build().unwrap();
                let first = client.refresh(&origin()).await.unwrap().state(client.read_options());
                if first.failures() == 0 {
                    continue;
                }
                let mut again = first;
                for second in 1..20 {
                    clock.set(NOW + second);
                    let record = client.refresh(&origin()).await.unwrap();
                    assert_eq!(record.last().unwrap().tried_at.seconds(), NOW + second);
                    again = record.state(client.read_options());
                }
                assert_eq!(again, first, "{profile}");
                // A due one counts.
                clock.set(first.next_try().seconds());
                let due = client.refresh(&origin()).await.unwrap().state(client.read_options());
                assert_eq!(due.failures(), 2, "{profile}");
            }
        }
    });
}

#[test]
fn the_outage_of_another_profile_does_not_count() {
    run(async {
        let missing = start(shop(Answer::new(404))).await;
        let down = start(shop(Answer::new(503))).await;
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        let clock = HandClock::at(NOW);
        let client = |world, profile| {
            let client = client(world).store(Arc::clone(&store)).access(profile);
            client.clock(clock.clone()).build().unwrap()
        };
        let x = "http://shop.example/x";
        // In one profile a missing file is an outage; after 30 days both allow everything.
        let amazonbot = client(&missing, Profile::AMAZONBOT);
        let record = amazonbot.refresh(&origin()).await.unwrap();
        assert!(record.state(amazonbot.read_options()).failing_since().is_some());
        clock.set(NOW + 40 * DAY);
        let decision = client(&down, Profile::RFC9309).check(x).await.unwrap();
        assert_eq!((decision.is_allowed(), decision.reason()), (false, Reason::Unreachable));
    });
}

#[test]
fn a_hop_that_is_disallowed_to_one_crawler_affects_no_other() {
    run(async {
        let other = "93.184.216.35".parse().unwrap();
        let rules = Answer::new(200).body("User-agent: A\nDisallow: /r2.txt\n").script();
        let site = Site::new()
            .path("/robots.txt", rules)
            .path("/r2.txt", Answer::new(200).body("User-agent: *\nDisallow: /\n").script());
        let redirect = Answer::redirect(301, "http://other.example/r2.txt").script();
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

#[test]
fn one_failed_fetch_counts_in_several_access_profiles() {
    run(async {
        let world = start(shop(Answer::new(503))).await;
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        for profile in [Profile::RFC9309, Profile::GOOGLE, Profile::STRICT, Profile::RFC9309] {
            let client = client(&world).store(Arc::clone(&store)).access(profile).build().unwrap();
            assert!(!client.check("http://shop.example/").await.unwrap().is_allowed());
        }
        assert_eq!(world.record().requests.len(), 1);
    });
}
