//! A Redis Cluster of three nodes. One of them is killed.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;
use verger_fetch::polite::{Reservation, TurnRequest, TurnStore as _};
use verger_fetch::store::{Claim, Lookup, Store as _};
use verger_redis::{RedisOptions, RedisStore};
use verger_testkit::shared::say;

use crate::common::records::{number_of, origin, record};
use crate::contract;
use crate::fleet::number;
use crate::server::{Server, free_port, run, until};
use crate::site::{Site, client};

pub(crate) const TESTS: &[(&str, fn())] =
    &[("a_cluster_keeps_the_contract_and_survives_the_loss_of_a_node", survives)];

const NODES: usize = 3;
const SLOTS: usize = 16384;

/// Nodes with a part of the slots each, and with replicas if there are two for each part.
fn start(replicas: bool) -> Vec<Server> {
    let count = if replicas { 2 * NODES } else { NODES };
    let nodes: Vec<(u16, u16, Server)> = (0..count)
        .map(|_| {
            let (port, bus) = (free_port(), free_port());
            let bus_text = bus.to_string();
            let node = Server::on_port(
                port,
                &[
                    "--cluster-enabled",
                    "yes",
                    "--cluster-port",
                    &bus_text,
                    "--cluster-node-timeout",
                    "1000",
                    "--cluster-require-full-coverage",
                    "no",
                ],
            );
            (port, bus, node)
        })
        .collect();
    for (at, (.., node)) in nodes.iter().take(NODES).enumerate() {
        let (from, to) = (SLOTS * at / NODES, SLOTS * (at + 1) / NODES - 1);
        node.tell_text(&format!("CLUSTER ADDSLOTSRANGE {from} {to}"));
        node.tell_text(&format!("CLUSTER SET-CONFIG-EPOCH {}", at + 1));
    }
    for (port, bus, _) in &nodes[1..] {
        nodes[0].2.tell_text(&format!("CLUSTER MEET 127.0.0.1 {port} {bus}"));
    }
    let info = |node: &Server| node.tell::<String>(&[b"CLUSTER", b"INFO"]);
    let await_all = |what: &str| {
        let begun = Instant::now();
        while !nodes.iter().all(|(.., node)| info(node).contains(what)) {
            assert!(begun.elapsed() < crate::server::PATIENCE, "the Cluster is not {what}");
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    await_all("cluster_state:ok");
    await_all(&format!("cluster_known_nodes:{count}"));
    for at in NODES..count {
        let primary: String = nodes[at - NODES].2.tell(&[b"CLUSTER", b"MYID"]);
        nodes[at].2.tell_text(&format!("CLUSTER REPLICATE {primary}"));
    }
    if replicas {
        let begun = Instant::now();
        let is_linked = |node: &Server| {
            node.tell::<String>(&[b"INFO", b"replication"]).contains("master_link_status:up")
        };
        while !nodes[NODES..].iter().all(|(.., node)| is_linked(node)) {
            assert!(begun.elapsed() < crate::server::PATIENCE, "the replicas are not linked");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
    nodes.into_iter().map(|(.., node)| node).collect()
}

fn survives() {
    // The small one fails over in some seconds, so only the thorough suite waits for it.
    let replicas = number("VERGER_FLEET_REPLICAS", 0) > 0;
    let hosts = 60;
    let mut nodes = start(replicas);
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
            let origin = crate::site::origin(&host);
            if matches!(store.get(&origin).await, Ok(found) if found.clone().found().is_some()) {
                alive += 1;
                let claim = store.claim(&origin, Duration::from_secs(1)).await.unwrap();
                assert!(matches!(claim, Claim::Granted(_)), "{host}");
                let request = TurnRequest::new(Duration::ZERO, Duration::from_secs(1));
                let turn = store.turns().reserve(&origin, &request).await.unwrap();
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
                    let origin = crate::site::origin(&format!("h{number}.example"));
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
                let found = store.get(&origin(&host)).await.ok().and_then(Lookup::found);
                if found.and_then(|found| number_of(&found, &host)) != Some(1) {
                    return false;
                }
            }
            true
        };
        until("the whole Cluster", all).await;
    });
}
