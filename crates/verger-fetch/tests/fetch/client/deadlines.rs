//! Every check ends in time: beside silent sites and names, with a stalled store, and if the fetch
//! is not polled. The clock is tokio's, paused while there is work.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};
use verger::Crawler;
use verger_fetch::client::{CheckError, RobotsClient, RobotsClientBuilder};
use verger_fetch::decision::{Decision, RecordSource};
use verger_fetch::failure::DnsError;
use verger_fetch::fetch::Identity;
use verger_fetch::limits::{FETCHES, Limits};
use verger_fetch::net::{BoxFuture, BoxStream, Dial, Resolve};
use verger_fetch::record::{OriginRecord, RecordKey};
use verger_fetch::store::{self, MemoryStore, Pending, Store};

const LIMIT: Duration = Duration::from_secs(2);

/// An Internet where port 8080 answers, port 80 accepts and is silent, and names that begin with
/// `n` are never resolved. All have one address.
#[derive(Debug, Default)]
struct Quiet;

impl Resolve for Quiet {
    fn resolve<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<Vec<IpAddr>, DnsError>> {
        Box::pin(async move {
            if name.starts_with('n') {
                std::future::pending::<()>().await;
            }
            Ok(vec![[93, 184, 216, 34].into()])
        })
    }
}

impl Dial for Quiet {
    fn dial(&self, to: SocketAddr) -> BoxFuture<'_, io::Result<BoxStream>> {
        Box::pin(async move {
            let (ours, mut theirs) = tokio::io::duplex(4096);
            tokio::spawn(async move {
                if to.port() == 80 {
                    std::future::pending::<()>().await;
                }
                let mut request = [0; 4096];
                let _ = theirs.read(&mut request).await;
                let body = "User-agent: *\nDisallow: /private\n";
                let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len());
                let _ = theirs.write_all(format!("{head}{body}").as_bytes()).await;
            });
            Ok(Box::new(ours) as BoxStream)
        })
    }
}

/// A store with one operation that never ends.
#[derive(Debug)]
struct Stalling {
    store: MemoryStore,
    stalls: &'static str,
}

impl Stalling {
    async fn stall(&self, operation: &str) {
        if operation == self.stalls {
            std::future::pending::<()>().await;
        }
    }
}

impl Store for Stalling {
    forward!(store: remove, list, clear);

    fn get<'a>(&'a self, key: &'a RecordKey) -> Pending<'a, store::Lookup> {
        Box::pin(async move {
            self.stall("get").await;
            self.store.get(key).await
        })
    }

    fn put(&self, record: Arc<OriginRecord>) -> Pending<'_, ()> {
        Box::pin(async move {
            self.stall("put").await;
            self.store.put(record).await
        })
    }

    fn replace(
        &self,
        old: Option<Arc<OriginRecord>>,
        new: Arc<OriginRecord>,
    ) -> Pending<'_, store::Replaced> {
        Box::pin(async move {
            self.stall("replace").await;
            self.store.replace(old, new).await
        })
    }
}

/// Dials only with a permit.
#[derive(Debug)]
struct Gate(Semaphore);

impl Dial for Gate {
    fn dial(&self, to: SocketAddr) -> BoxFuture<'_, io::Result<BoxStream>> {
        Box::pin(async move {
            self.0.acquire().await.unwrap().forget();
            Quiet.dial(to).await
        })
    }
}

fn builder() -> RobotsClientBuilder {
    let identity = Identity::new("ExampleBot/1.0").unwrap();
    RobotsClient::builder(Crawler::new("ExampleBot"), identity)
        .resolve(Arc::new(Quiet))
        .dial(Arc::new(Quiet))
        .limits(Limits::default().with_timeout(LIMIT).unwrap())
}

fn run<T>(future: impl Future<Output = T>) -> T {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.enable_all().start_paused(true).build().unwrap().block_on(future)
}

/// Prints a figure.
#[expect(clippy::print_stderr, reason = "figures are for people")]
fn print(figure: &str) {
    eprintln!("{figure}");
}

/// The result of a check, which must come within its limit plus a tenth.
async fn in_time(client: &RobotsClient, url: &str) -> Result<Decision, CheckError> {
    let begun = Instant::now();
    let answer = client.check(url).await;
    let spent = begun.elapsed();
    assert!(spent <= LIMIT * 11 / 10, "{url}: {spent:?}");
    answer
}

/// Checks many sites at once; each check must end in time.
fn ask(
    client: &RobotsClient,
    urls: impl Iterator<Item = String>,
) -> JoinSet<Result<Decision, CheckError>> {
    let mut asked = JoinSet::new();
    for url in urls {
        let client = client.clone();
        asked.spawn(async move { in_time(&client, &url).await });
    }
    asked
}

fn silent(count: usize) -> impl Iterator<Item = String> {
    (0..count).map(|at| format!("http://s{at}.example/"))
}

const HEALTHY: &str = "http://healthy.example:8080/private";

#[test]
fn a_site_that_shares_its_address_with_300_silent_sites_answers_in_time() {
    run(async {
        let client = builder().build().unwrap();
        let asked = ask(&client, silent(300));
        sleep(Duration::from_millis(1)).await;
        let begun = Instant::now();
        let decision = in_time(&client, HEALTHY).await.unwrap();
        assert!(decision.file().is_some());
        print(&format!("a healthy site beside 300 silent ones: {:?}", begun.elapsed()));
        // No check is rejected, and a second check knows that the site is unreachable.
        let answers = asked.join_all().await;
        let is_late = |answer: &Result<_, _>| matches!(answer, Err(CheckError::Late(LIMIT)));
        assert!(answers.iter().all(|answer| answer.is_ok() || is_late(answer)));
        sleep(LIMIT).await;
        for answer in ask(&client, silent(300)).join_all().await {
            assert_eq!(answer.unwrap().source(), RecordSource::Store);
        }
    });
}

#[test]
fn a_page_arrives_in_time_if_300_silent_sites_share_its_address() {
    run(async {
        let client = builder().build().unwrap();
        client.check(HEALTHY).await.unwrap();
        let _asked = ask(&client, silent(300));
        sleep(Duration::from_millis(1)).await;
        let begun = Instant::now();
        let page = client.get("http://healthy.example:8080/").await.unwrap();
        let spent = begun.elapsed();
        assert!(page.is_success());
        assert!(spent <= LIMIT * 3 / 2, "{spent:?}");
        print(&format!("its page: {spent:?}"));
    });
}

#[test]
fn checks_of_thousands_of_silent_names_end_in_time_and_delay_no_later_check() {
    run(async {
        let client = builder().build().unwrap();
        let names = (0..3_000).map(|at| format!("http://n{at}.example/"));
        let asked = ask(&client, names);
        sleep(Duration::from_millis(1)).await;
        let busy = in_time(&client, HEALTHY).await.err();
        let text = format!("{FETCHES} fetches run already, which is the limit");
        assert_eq!(busy.map(|error| error.to_string()), Some(text));
        let answered = asked.join_all().await.into_iter().flatten();
        print(&format!("of 3000 silent names {} have been asked", answered.count()));
        let begun = Instant::now();
        assert!(in_time(&client, HEALTHY).await.unwrap().file().is_some());
        print(&format!("a healthy site after them: {:?}", begun.elapsed()));
    });
}

#[test]
fn a_store_that_stalls_in_any_operation_adds_at_most_a_tenth_to_the_timeout() {
    for stalls in ["get", "put", "replace"] {
        run(async {
            let store = Stalling { store: MemoryStore::new(), stalls };
            let client = builder().store(Arc::new(store)).build().unwrap();
            for url in ["http://s.example/", HEALTHY, "http://n.example/", "http://t.example/"] {
                let decision = in_time(&client, url).await.unwrap();
                assert_eq!(decision.file().is_some(), url == HEALTHY, "{stalls}");
                // Until the store is used again.
                sleep(LIMIT * 9).await;
            }
        });
    }
}

#[test]
fn urls_of_one_origin_get_the_same_error_and_wait_once() {
    run(async {
        let client = builder().build().unwrap();
        let names = (0..10 * FETCHES).map(|at| format!("http://n{at}.example/"));
        let _asked = ask(&client, names);
        sleep(Duration::from_millis(1)).await;
        let begun = Instant::now();
        let robots = HEALTHY.replace("/private", "/robots.txt");
        let answers = client.check_all([HEALTHY, HEALTHY, HEALTHY, &robots]).await;
        let spent = begun.elapsed();
        assert!(spent <= LIMIT * 11 / 10, "{spent:?}");
        let (robots, others) = answers.split_last().unwrap();
        let errors: Vec<_> = others.iter().map(|it| it.as_ref().err().cloned()).collect();
        assert!(matches!(errors[0], Some(CheckError::Busy(_))), "{errors:?}");
        assert!(errors.iter().all(|it| *it == errors[0]), "{errors:?}");
        // It needs no response of the site.
        assert!(robots.as_ref().unwrap().is_allowed());
    });
}

#[test]
fn a_check_that_waits_for_an_unpolled_runtime_has_time_left_to_fetch() {
    for url in [HEALTHY, "http://s.example/"] {
        let theirs = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let gate = Arc::new(Gate(Semaphore::new(0)));
        let client = theirs.block_on(async {
            let client = builder().dial(gate.clone()).build().unwrap();
            let first = client.clone();
            tokio::spawn(async move { first.check(url).await });
            // Until their fetch runs.
            for _ in 0..100 {
                tokio::task::yield_now().await;
            }
            client
        });
        gate.0.add_permits(9);
        run(async {
            let decision = in_time(&client, url).await.unwrap();
            assert_eq!(decision.file().is_some(), url == HEALTHY);
        });
        drop(theirs);
    }
}
