//! One store, several access profiles: what one has made of an answer is not believed by another.

use std::sync::Arc;
use std::time::Duration;

use libtest_mimic::Trial;
use verger::access::Profile;
use verger::{Crawler, Reason};
use verger_fetch::decision::Source;
use verger_fetch::store::{MemoryStore, Store};
use verger_testkit::server::{Answer, Lookup, Service, Setup, Site};

use crate::world::{HandClock, NOW, client, client_of, origin, run, shop, start, trials};

pub(crate) fn tests() -> Vec<Trial> {
    trials(
        "profiles",
        [
            ("what_another_access_profile_made_of_an_answer_is_not_believed", other_profile),
            ("since_when_another_profile_sees_an_outage_counts_for_nothing", outage_of_another),
            ("what_came_by_a_hop_that_one_crawler_may_take_is_not_for_another", hop_of_another),
            ("a_failure_is_one_in_every_access_profile_that_takes_it_for_one", failure_of_all),
        ],
    )
}

fn other_profile() {
    run(async {
        for (answer, requests) in [(Answer::new(403), 2), (Answer::rules(), 2)] {
            let world = start(shop(answer)).await;
            let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
            let check = async |profile, offline| {
                let client = client(&world).store(Arc::clone(&store)).access(profile);
                let client = client.offline(offline).build().unwrap();
                client.check("http://shop.example/y").await.unwrap()
            };
            let is_403 =
                check(Profile::RFC9309, false).await.record().unwrap().answer().status == Some(403);
            // Nothing is known of what strict would have made of it.
            assert_eq!(check(Profile::STRICT, true).await.source(), Source::Offline);
            assert_eq!(check(Profile::STRICT, false).await.is_allowed(), !is_403);
            assert!(check(Profile::RFC9309, false).await.is_allowed());
            assert_eq!(world.record().requests.len(), requests + 1);
            let mut own = Profile::RFC9309;
            own.retry_first += Duration::from_secs(1);
            assert!(check(own, false).await.is_allowed());
            assert_eq!(
                world.record().requests.len(),
                requests + 2,
                "a row of one's own is another"
            );
        }
    });
}

fn outage_of_another() {
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
        // There a missing file is an outage; one that lasts for 30 days allows everything in both.
        let record = client(&missing, Profile::AMAZONBOT).refresh(&origin()).await.unwrap();
        assert!(record.state().failing_since().is_some());
        clock.set(NOW + 40 * 24 * 3_600);
        let decision = client(&down, Profile::RFC9309).check(x).await.unwrap();
        assert_eq!((decision.is_allowed(), decision.reason()), (false, Reason::Unreachable));
    });
}

fn hop_of_another() {
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

fn failure_of_all() {
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
