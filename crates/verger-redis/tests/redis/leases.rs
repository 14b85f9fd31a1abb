//! Leases: one process of a fleet fetches.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;
use verger_fetch::store::{Claim, Lease, Store as _};
use verger_redis::RedisStore;

use crate::fleet::{Part, start_part};
use crate::server::{Server, run, until};
use crate::site::{Site, client, key};

async fn claim(store: &RedisStore, time: Duration) -> Result<Box<dyn Lease>, Duration> {
    match store.claim(&key("a.example"), time).await.unwrap() {
        Claim::Granted(lease) => Ok(lease.unwrap()),
        Claim::Held { left } => Err(left),
    }
}

const MINUTE: Duration = Duration::from_secs(60);

#[test]
fn one_client_has_the_lease_until_its_drop() {
    let Some(server) = Server::start() else { return };
    run(async {
        let (ours, theirs) = (server.store(), server.store());
        let lease = claim(&ours, MINUTE).await.unwrap();
        let left = claim(&theirs, MINUTE).await.unwrap_err();
        assert!(left > MINUTE / 2 && left <= MINUTE, "{left:?}");
        assert!(claim(&ours, MINUTE).await.is_err(), "not by the same process either");
        drop(lease);
        until("the release", async || claim(&theirs, MINUTE).await.is_ok()).await;
    });
}

#[test]
fn a_lease_ends_with_its_time() {
    let Some(server) = Server::start() else { return };
    run(async {
        let store = server.store();
        let time = Duration::from_millis(200);
        let first = claim(&store, time).await.unwrap();
        let begun = Instant::now();
        let mut second = None;
        until("the end", async || {
            second = claim(&store, MINUTE).await.ok();
            second.is_some()
        })
        .await;
        assert!(begun.elapsed() > time / 2);
        // The first one is not released in place of the second.
        drop(first);
        tokio::time::sleep(time).await;
        assert!(claim(&store, MINUTE).await.is_err());
    });
}

#[test]
fn a_renewed_lease_continues_and_a_lost_one_is_not_renewed() {
    let Some(server) = Server::start() else { return };
    run(async {
        let store = server.store();
        let lease = claim(&store, Duration::from_millis(500)).await.unwrap();
        assert!(lease.renew(MINUTE).await.unwrap());
        tokio::time::sleep(Duration::from_millis(600)).await;
        assert!(claim(&store, MINUTE).await.is_err());
        server.tell_text("FLUSHALL");
        assert!(!lease.renew(MINUTE).await.unwrap());
        assert!(claim(&store, MINUTE).await.is_ok());
    });
}

#[test]
fn clients_with_one_store_fetch_once() {
    const CLIENTS: usize = 4;
    const HOSTS: usize = 20;
    let (Some(server), site) = (Server::start(), Site::start()) else { return };
    site.set_delay(Duration::from_millis(100));
    run(async {
        let mut checks = tokio::task::JoinSet::new();
        for _ in 0..CLIENTS {
            let store = Arc::new(server.store());
            let client = client(site.address(), 0).store(store).build().unwrap();
            for host in 0..HOSTS {
                let client = client.clone();
                checks.spawn(async move {
                    client.check(&format!("http://h{host}.example/no")).await.unwrap().is_allowed()
                });
            }
        }
        assert!(checks.join_all().await.into_iter().all(|is_allowed| !is_allowed));
        assert_eq!(site.fetches(), HOSTS);
    });
}

#[test]
fn a_client_takes_over_from_a_killed_process() {
    let (Some(server), site) = (Server::start(), Site::start()) else { return };
    let time = Duration::from_secs(2);
    let part = Part::Hold { url: server.url(), time, pause: Duration::ZERO };
    let mut holder = start_part(&part);
    assert_eq!(holder.line(), "held");
    let begun = std::time::Instant::now();
    holder.kill();
    run(async {
        let store = Arc::new(server.store());
        assert!(claim(&store, MINUTE).await.is_err(), "the dead process has it");
        let client = client(site.address(), 0).store(store).build().unwrap();
        assert!(!client.check("http://a.example/no").await.unwrap().is_allowed());
    });
    assert!(begun.elapsed() > time / 2, "{:?}", begun.elapsed());
    assert_eq!(site.fetches(), 1);
}

#[test]
fn a_wrong_clock_changes_no_answer() {
    const HOUR: i64 = 60 * 60;
    for ahead in [HOUR, -HOUR] {
        let (Some(server), site) = (Server::start(), Site::start()) else { return };
        run(async {
            for round in 0..10 {
                // New clients, so that each reads the store.
                for ahead in [0, ahead] {
                    let store = Arc::new(server.store());
                    let client = client(site.address(), ahead).store(store).build().unwrap();
                    for (path, expected) in [("no", false), ("yes", true)] {
                        let url = format!("http://a.example/{path}");
                        let decision = client.check(&url).await.unwrap();
                        assert_eq!(decision.is_allowed(), expected, "{ahead} {round}: {decision}");
                    }
                }
            }
        });
        verger_testkit::shared::say(&format!(
            "a clock {ahead} s ahead: {} fetches for 40 checks",
            site.fetches()
        ));
        assert!(site.fetches() <= 20, "at most one for each client: {}", site.fetches());
    }
}
