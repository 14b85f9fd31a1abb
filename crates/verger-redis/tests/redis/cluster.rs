//! A Redis Cluster of three nodes. One of them is killed.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;
use verger_fetch::polite::{Reservation, TurnRequest};
use verger_fetch::store::{Claim, Lookup, Store as _};
use verger_redis::{RedisOptions, RedisStore};
use verger_testkit::shared::say;

use crate::common::records::{key, number_of, record};
use crate::contract;
use crate::fleet::number;
use crate::server::{NODES, Server, run, start_cluster, until};
use crate::site::{Site, client};

#[test]
fn a_cluster_keeps_the_contract_and_survives_the_loss_of_a_node() {
    // The small one fails over in some seconds, so only the thorough suite waits for it.
    let replicas = number("VERGER_FLEET_REPLICAS", 0) > 0;
    let hosts = 60;
    let Some(mut nodes) = start_cluster(replicas) else { return };
    let site = Site::start();
    run(async {
        let urls: Vec<String> = nodes.iter().map(Server::url).collect();
        let open = || {
            let options = RedisOptions::new("ExampleBot");
            RedisStore::open_cluster(urls.iter().map(|url| &**url), options).unwrap()
        };
        let store = Arc::new(open());
        contract::replaces_only_the_expected_record(&*store).await;
        contract::finds_lists_and_removes_records(&*store).await;
        contract::lists_the_current_file(&*store).await;
        store.clear().await.unwrap();

        let client = client(site.address(), 0).store(store.clone()).build().unwrap();
        let check = async |host: &str| {
            let begun = Instant::now();
            for (path, expected) in [("no", false), ("yes", true)] {
                let url = format!("http://{host}/{path}");
                let decision = client.check(&url).await.unwrap();
                assert_eq!(decision.is_allowed(), expected, "{decision}");
            }
            begun.elapsed()
        };
        for number in 0..hosts {
            check(&format!("h{number}.example")).await;
        }
        assert_eq!(site.fetches(), hosts);
        for node in &nodes[..NODES] {
            assert!(node.tell::<usize>(&[b"DBSIZE"]) > 0, "each node has a part");
        }

        nodes[0].kill();
        let begun = Instant::now();
        let mut slowest = Duration::ZERO;
        for number in 0..hosts {
            slowest = slowest.max(check(&format!("h{number}.example")).await);
            slowest = slowest.max(check(&format!("new{number}.example")).await);
        }
        // The other parts are not affected.
        let mut alive = 0;
        for number in 0..hosts {
            let host = format!("h{number}.example");
            let origin = crate::site::key(&host);
            if matches!(store.get(&origin).await, Ok(found) if found.clone().found().is_some()) {
                alive += 1;
                let claim = store.claim(&origin, Duration::from_secs(1)).await.unwrap();
                assert!(matches!(claim, Claim::Granted(_)), "{host}");
                let request = TurnRequest::new(Duration::ZERO, Duration::from_secs(1));
                let turn = store.turns().reserve(origin.origin(), &request).await.unwrap();
                assert!(matches!(turn, Reservation::Granted { .. }), "{host}");
            }
        }
        say(&format!(
            "a node of {} killed: {} checks in {:?}, the slowest {slowest:?}; {alive} of {hosts} \
             records are read; {} fetches for {} origins",
            nodes.len(),
            4 * hosts,
            begun.elapsed(),
            site.fetches(),
            2 * hosts
        ));
        assert!(alive >= hosts / 2, "{alive}");
        assert!(site.fetches() <= 2 * hosts, "warm origins are not fetched again");
        assert!(slowest < Duration::from_secs(10), "{slowest:?}");

        if replicas {
            let begun = Instant::now();
            until("the failover", async || {
                let mut found = 0;
                for number in 0..hosts {
                    let origin = crate::site::key(&format!("h{number}.example"));
                    found += usize::from(store.get(&origin).await.is_ok());
                }
                found == hosts
            })
            .await;
            say(&format!("after the failover all is read again: {:?}", begun.elapsed()));
        } else {
            nodes[0].restart();
        }
        let all = async || {
            for number in 0..20 {
                let host = format!("again{number}.example");
                if store.put(record(&host, 1)).await.is_err() {
                    return false;
                }
                let found = store.get(&key(&host)).await.ok().and_then(Lookup::found);
                if found.and_then(|found| number_of(&found, &host)) != Some(1) {
                    return false;
                }
            }
            true
        };
        until("the whole Cluster", all).await;
    });
}
