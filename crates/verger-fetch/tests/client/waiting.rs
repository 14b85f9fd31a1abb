//! Questions that wait, and those that do not: while a file is refreshed, in a crowd of sites, and where
//! there is too much to do.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use libtest_mimic::Trial;
use tokio::sync::Semaphore;
use tokio::time::timeout;
use verger::access::Stale;
use verger::{Origin, Reason};
use verger_fetch::client::CheckError;
use verger_fetch::decision::Source;
use verger_fetch::limits::{DNS, FETCH_QUEUE, Limits};
use verger_fetch::net::{BoxFuture, BoxStream, Dial};
use verger_fetch::store::{MemoryStore, Store};
use verger_testkit::server::{Answer, Lookup, PUBLIC, Script, Service, Setup, Site, Step};

use crate::world::{HandClock, NOW, Net, client, run};

pub(crate) fn tests() -> Vec<Trial> {
    let tests: [(&str, fn()); 5] = [
        ("an_old_file_answers_while_it_is_fetched_once_and_the_new_one_answers_next", refreshed),
        (
            "an_old_file_does_not_answer_where_that_is_switched_off_nor_after_24_hours",
            not_refreshed,
        ),
        ("a_thousand_origins_of_a_hundred_questions_each_are_a_thousand_requests", crowd),
        ("when_nobody_waits_any_more_the_fetch_still_lands", left_alone),
        ("beyond_the_queue_a_client_is_busy_and_what_is_kept_still_answers", busy),
    ];
    let trial = |(name, test): (&str, fn())| {
        Trial::test(format!("waiting::{name}"), move || {
            test();
            Ok(())
        })
    };
    tests.into_iter().map(trial).collect()
}

const URL: &str = "http://shop.example/x";

/// Longer than anything here takes, even on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

fn origin() -> Origin {
    Origin::from_parts("http", "shop.example", None).unwrap()
}

/// A site that first forbids /x, for an hour, and then nothing.
fn changing() -> Setup {
    let old = Answer::rules().field("Cache-Control", "max-age=3600").script();
    let new = Answer::new(200).script();
    let slow = Script::of(Step::Pause(Duration::from_millis(50)));
    let site = Site::new().once(old).any(slow.then_all(new));
    Setup::web("shop.example", site)
}

async fn until<F: Future<Output = bool>>(what: &str, mut holds: impl FnMut() -> F) {
    let all = async {
        while !holds().await {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    assert!(timeout(PATIENCE, all).await.is_ok(), "{what} did not come about");
}

fn refreshed() {
    run(async {
        let world = Arc::new(changing().start().await.unwrap());
        let clock = HandClock::at(NOW);
        let client = client(&world).clock(clock.clone()).build().unwrap();
        assert!(!client.check(URL).await.unwrap().is_allowed());

        // An hour later, and as late as may be.
        clock.set(NOW + 24 * 3600 - 1);
        let mut answers = tokio::task::JoinSet::new();
        for _ in 0..100 {
            let client = client.clone();
            answers.spawn(async move { client.check(URL).await.unwrap() });
        }
        while let Some(answer) = answers.join_next().await {
            let decision = answer.unwrap();
            assert_eq!((decision.is_allowed(), decision.source()), (false, Source::Store));
            assert_eq!(decision.access().stale(), Some(Stale::WhileRefreshing));
        }
        until("the new file", || async { client.check(URL).await.unwrap().is_allowed() }).await;
        let decision = client.check(URL).await.unwrap();
        assert_eq!((decision.source(), decision.access().stale()), (Source::Store, None));
        assert_eq!(world.record().requests.len(), 2);
    });
}

fn not_refreshed() {
    for (answers, later) in [(false, 3600), (true, 24 * 3600)] {
        run(async {
            let world = Arc::new(changing().start().await.unwrap());
            let clock = HandClock::at(NOW);
            let builder = client(&world).answers_while_refreshing(answers);
            let client = builder.clock(clock.clone()).build().unwrap();
            assert!(!client.check(URL).await.unwrap().is_allowed());
            clock.set(NOW + later);
            let decision = client.check(URL).await.unwrap();
            assert_eq!((decision.is_allowed(), decision.source()), (true, Source::Fetch));
        });
    }
}

/// Dials one address only when it is let.
#[derive(Debug)]
struct Gate {
    net: Net,
    at: SocketAddr,
    open: Semaphore,
}

impl Dial for Gate {
    fn dial(&self, to: SocketAddr) -> BoxFuture<'_, io::Result<BoxStream>> {
        Box::pin(async move {
            if to == self.at {
                self.open.acquire().await.unwrap().forget();
            }
            self.net.dial(to).await
        })
    }
}

fn crowd() {
    const ORIGINS: usize = 1_000;
    const QUESTIONS: usize = 100;
    const HANGS: usize = 500;
    let urls = |hangs: bool| {
        (0..QUESTIONS).flat_map(move |question| {
            let origins = (0..ORIGINS).filter(move |&at| hangs || at != HANGS);
            origins.map(move |at| format!("http://h{at}.example/{question}"))
        })
    };
    run(async {
        let other = "93.184.216.35".parse().unwrap();
        let site = || Service::Http(Site::always(Answer::rules().script()));
        let mut setup = Setup::new().place(80, site()).place_at((other, 80).into(), site());
        for at in 0..ORIGINS {
            let address = if at == HANGS { other } else { PUBLIC };
            setup = setup.name(&format!("h{at}.example"), [Lookup::addresses([address])]);
        }
        let world = Arc::new(setup.start().await.unwrap());
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        let gate = Arc::new(Gate {
            net: Net(Arc::clone(&world)),
            at: (other, 80).into(),
            open: Semaphore::new(0),
        });
        let most = Duration::from_secs(30);
        let limits =
            Limits::default().with_connect(most).and_then(|some| some.with_connect_all(most));
        let builder = client(&world).store(Arc::clone(&store)).limits(limits.unwrap());
        let online = builder.dial(gate.clone()).build().unwrap();
        let all = tokio::spawn(async move { online.check_all(urls(true)).await });

        let offline = client(&world).store(store).offline(true).build().unwrap();
        until("an answer for all others", || async {
            let answers = offline.check_all(urls(false).take(ORIGINS - 1)).await;
            answers.iter().all(|answer| answer.as_ref().is_ok_and(|answer| answer.is_allowed()))
        })
        .await;
        assert!(!all.is_finished(), "the site that hangs has answered");

        gate.open.add_permits(1);
        let answers = all.await.unwrap();
        assert_eq!(answers.len(), ORIGINS * QUESTIONS);
        for (answer, url) in answers.iter().zip(urls(true)) {
            let decision = answer.as_ref().unwrap();
            assert_eq!((decision.url().as_str(), decision.is_allowed()), (url.as_str(), true));
        }
        assert_eq!(world.record().requests.len(), ORIGINS);
    });
}

fn left_alone() {
    run(async {
        let world = Arc::new(changing().start().await.unwrap());
        let gate = Arc::new(Gate {
            net: Net(Arc::clone(&world)),
            at: (PUBLIC, 80).into(),
            open: Semaphore::new(0),
        });
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        let client = client(&world).store(Arc::clone(&store)).dial(gate.clone()).build().unwrap();
        let asker = tokio::spawn({
            let client = client.clone();
            async move { client.check(URL).await }
        });
        until("a look-up", || async { !world.record().lookups.is_empty() }).await;
        asker.abort();
        assert!(asker.await.unwrap_err().is_cancelled());
        // Not even the client is there any more.
        drop(client);
        gate.open.add_permits(1);
        until("a record", || async { store.get(&origin()).await.unwrap().found().is_some() }).await;
        assert_eq!(world.record().requests.len(), 1);
    });
}

fn busy() {
    run(async {
        let setup = Setup::web("shop.example", Site::always(Answer::rules().script()));
        let setup = (0..FETCH_QUEUE)
            .fold(setup, |setup, at| setup.name(&format!("h{at}.example"), [Lookup::Never]));
        let world = Arc::new(setup.start().await.unwrap());
        let limits = Limits::default().with_dns(DNS.most).unwrap();
        let client = client(&world).limits(limits).build().unwrap();
        assert!(!client.check(URL).await.unwrap().is_allowed());
        for at in 0..FETCH_QUEUE {
            let url = format!("http://h{at}.example/");
            // Asked, and given up at once: the fetch goes on.
            tokio::select! {
                biased;
                answer = client.check(&url) => panic!("{answer:?}"),
                () = std::future::ready(()) => {}
            }
        }
        let busy = client.check("http://other.example/").await;
        assert_eq!(busy.unwrap_err(), CheckError::Busy);
        // Who joins a fetch takes no place in the queue.
        let joined = client.check("http://h7.example/other");
        assert!(timeout(Duration::from_millis(20), joined).await.is_err());
        // And what is kept still answers.
        let decision = client.check(URL).await.unwrap();
        assert_eq!((decision.reason(), decision.source()), (Reason::Rule, Source::Store));
    });
}
