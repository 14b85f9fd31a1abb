//! A Redis that fails: answers stay right, calls are bounded, and it heals without a restart.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;
use verger_fetch::client::RobotsClient;
use verger_fetch::limits::TIER_AGE;
use verger_fetch::polite::{Reservation, TurnRequest};
use verger_fetch::store::{Claim, Store as _, StoreErrorKind};
use verger_redis::{RedisOptions, RedisStore};

use crate::common::records::{key, record, record_with};
use crate::server::{Server, free_port, run, until};
use crate::site::{DEAD, SLOW, Site, client};

/// Longer than a check with a failing Redis takes: two calls and a fetch, on a busy machine.
const BOUND: Duration = Duration::from_secs(5);

struct World {
    server: Server,
    site: Site,
    store: Arc<RedisStore>,
    client: RobotsClient,
}

impl World {
    fn start() -> Option<Self> {
        let (server, site) = (Server::start()?, Site::start());
        let store = Arc::new(server.store());
        let client = client(site.address(), 0).store(store.clone()).build().unwrap();
        Some(Self { server, site, store, client })
    }

    /// Checks two URLs of a host. Returns the fetches that it took.
    async fn check(&self, host: &str) -> usize {
        let before = self.site.fetches();
        for (path, expected) in [("no", false), ("yes", true)] {
            let begun = Instant::now();
            let url = format!("http://{host}.example/{path}");
            let decision = self.client.check(&url).await.unwrap();
            assert_eq!(decision.is_allowed(), expected, "{decision}");
            assert!(begun.elapsed() < BOUND, "{:?}", begun.elapsed());
        }
        self.site.fetches() - before
    }

    /// Waits until a new record is stored in Redis.
    async fn heals(&self, host: &str) {
        let number = std::cell::Cell::new(0);
        until("a record in Redis", async || {
            number.set(number.get() + 1);
            let host = format!("{host}{}", number.get());
            self.check(&host).await;
            let origin = crate::site::key(&format!("{host}.example"));
            matches!(self.store.get(&origin).await, Ok(it) if it.clone().found().is_some())
        })
        .await;
    }
}

/// Answers while Redis does not: from memory, or after one fetch.
async fn answers_without_redis(world: &World) {
    assert_eq!(world.check("warm").await, 0, "memory answers");
    tokio::time::sleep(TIER_AGE + TIER_AGE / 10).await;
    assert_eq!(world.check("warm").await, 0, "memory answers however old its record is");
    assert_eq!(world.check("cold").await, 1);
    assert_eq!(world.check("cold").await, 0, "the result is in memory");
}

#[test]
fn redis_is_killed_and_restarted() {
    let Some(mut world) = World::start() else { return };
    run(async {
        assert_eq!(world.check("warm").await, 1);
        world.server.kill();
        answers_without_redis(&world).await;
        let begun = Instant::now();
        let error = world.store.get(&key("a.example")).await.unwrap_err();
        assert!(error.kind().is_temporary(), "{error}");
        assert!(begun.elapsed() < Duration::from_secs(2));
        world.server.restart();
        world.heals("new").await;
    });
}

#[test]
fn redis_is_paused() {
    let Some(world) = World::start() else { return };
    run(async {
        assert_eq!(world.check("warm").await, 1);
        world.server.pause();
        answers_without_redis(&world).await;
        // Many calls: most of them fail at once.
        let begun = Instant::now();
        for _ in 0..100 {
            assert!(world.store.get(&key("a.example")).await.is_err());
        }
        assert!(begun.elapsed() < BOUND, "{:?}", begun.elapsed());
        world.server.resume();
        world.heals("new").await;
    });
}

#[test]
fn redis_is_flushed() {
    let Some(world) = World::start() else { return };
    run(async {
        assert_eq!(world.check("warm").await, 1);
        world.server.tell_text("FLUSHALL");
        tokio::time::sleep(TIER_AGE + TIER_AGE / 10).await;
        assert_eq!(world.check("warm").await, 1, "the record was lost");
        world.heals("new").await;
    });
}

#[test]
fn the_memory_of_redis_is_full() {
    let Some(world) = World::start() else { return };
    run(async {
        assert_eq!(world.check("warm").await, 1);
        world.server.tell_text("CONFIG SET maxmemory 1mb");
        world.server.tell_text("CONFIG SET maxmemory-policy noeviction");
        let error = world.store.put(record_with("a.example", 2, vec![b'#'; 100_000])).await;
        assert_eq!(error.unwrap_err().kind(), StoreErrorKind::Full);
        assert_eq!(world.check("cold").await, 1);
        assert_eq!(world.check("cold").await, 0, "the result is in memory");
        // Leases and turns are small, and still work.
        let site = key("a.example");
        let claim = world.store.claim(&site, BOUND).await.unwrap();
        assert!(matches!(claim, Claim::Granted(_)));
        let request = TurnRequest::new(BOUND, BOUND);
        let turn = world.store.turns().reserve(site.origin(), &request).await.unwrap();
        assert!(matches!(turn, Reservation::Granted { .. }));
        world.server.tell_text("CONFIG SET maxmemory 0");
        world.heals("new").await;
    });
}

#[test]
fn connections_are_closed() {
    let Some(world) = World::start() else { return };
    run(async {
        for number in 0..3 {
            world.server.tell_text("CLIENT KILL TYPE normal");
            assert_eq!(world.check(&format!("h{number}")).await, 1);
        }
        world.heals("new").await;
    });
}

#[test]
fn scripts_are_forgotten() {
    let Some(world) = World::start() else { return };
    run(async {
        assert_eq!(world.check("warm").await, 1);
        world.server.tell_text("SCRIPT FLUSH");
        world.store.put(record("a.example", 1)).await.unwrap();
        assert!(world.store.get(&key("a.example")).await.unwrap().found().is_some());
    });
}

#[test]
fn redis_is_a_read_only_replica() {
    let Some(world) = World::start() else { return };
    run(async {
        world.store.put(record("a.example", 1)).await.unwrap();
        // The primary does not exist.
        world.server.tell_text("REPLICAOF 127.0.0.1 1");
        assert!(world.store.get(&key("a.example")).await.unwrap().found().is_some());
        let error = world.store.put(record("a.example", 2)).await.unwrap_err();
        assert_eq!(error.kind(), StoreErrorKind::ReadOnly);
        assert_eq!(world.check("cold").await, 1);
        world.server.tell_text("REPLICAOF NO ONE");
        world.heals("new").await;
    });
}

#[test]
fn redis_wants_a_password() {
    let port = free_port();
    let Some(server) = Server::on_port(port, &["--requirepass", "secret"]) else { return };
    run(async {
        let ready = async || std::net::TcpStream::connect(("127.0.0.1", port)).is_ok();
        until("the server", ready).await;
        let wrong = server.url().replace("redis://", "redis://:wrong@");
        let right = server.url().replace("redis://", "redis://:secret@");
        for (url, is_open) in [(server.url(), false), (wrong, false), (right, true)] {
            let store = RedisStore::open(&url, RedisOptions::new("ExampleBot")).unwrap();
            match store.ping().await {
                Ok(()) => assert!(is_open),
                Err(error) => {
                    assert_eq!((error.kind(), is_open), (StoreErrorKind::Denied, false), "{error}");
                    let shown = format!("{error} {error:?} {store:?}");
                    assert!(!shown.contains("wrong@"), "{shown}");
                }
            }
        }
    });
}

#[test]
fn redis_starts_after_the_client() {
    let port = free_port();
    let site = Site::start();
    run(async {
        let url = format!("redis://127.0.0.1:{port}/");
        let store = Arc::new(RedisStore::open(&url, RedisOptions::new("ExampleBot")).unwrap());
        assert!(store.ping().await.is_err());
        let client = client(site.address(), 0).store(store.clone()).build().unwrap();
        assert!(!client.check("http://a.example/no").await.unwrap().is_allowed());
        let Some(_server) = Server::on_port(port, &[]) else { return };
        until("the connection", async || store.ping().await.is_ok()).await;
    });
}

#[test]
fn slow_and_dead_origins_delay_no_other() {
    let Some(world) = World::start() else { return };
    run(async {
        let mut checks = tokio::task::JoinSet::new();
        for number in 0..100 {
            let kind = match number % 10 {
                0 => SLOW,
                5 => DEAD,
                _ => "good",
            };
            let url = format!("http://{kind}{number}.example/yes");
            let client = world.client.clone();
            checks.spawn(async move {
                let begun = Instant::now();
                let decision = client.check(&url).await.unwrap();
                (kind, decision.is_allowed(), begun.elapsed())
            });
        }
        for (kind, is_allowed, time) in checks.join_all().await {
            assert_eq!(is_allowed, kind != DEAD, "{kind}");
            assert!(kind == SLOW || time < BOUND, "{kind} {time:?}");
        }
    });
}
