//! A large number of sites: each is fetched once, none delays another, and the work of a client is
//! bounded.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::time::timeout;
use verger::Reason;
use verger_fetch::decision::RecordSource;
use verger_fetch::limits::{FETCH_QUEUE, Limits, TOTAL};
use verger_fetch::store::{MemoryStore, Store};
use verger_testkit::server::{Lookup, PUBLIC, ScriptedResponse, Service, Setup, Site};

use crate::client::world::{Gate, Net, client, patient, run, start, until};

const URL: &str = "http://shop.example/x";

#[test]
fn each_of_a_thousand_origins_gets_one_request_for_many_checks() {
    const ORIGINS: usize = 1_000;
    const QUESTIONS: usize = 10;
    const HANGS: usize = 500;
    let urls = |hangs: bool| {
        (0..QUESTIONS).flat_map(move |question| {
            let origins = (0..ORIGINS).filter(move |&at| hangs || at != HANGS);
            origins.map(move |at| format!("http://h{at}.example/{question}"))
        })
    };
    run(async {
        let other = "93.184.216.35".parse().unwrap();
        let site = || Service::Http(Site::always(ScriptedResponse::rules().script()));
        let mut setup = Setup::new().place(80, site()).place_at((other, 80).into(), site());
        for at in 0..ORIGINS {
            let address = if at == HANGS { other } else { PUBLIC };
            setup = setup.name(&format!("h{at}.example"), [Lookup::addresses([address])]);
        }
        let world = start(setup).await;
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        let gate = Arc::new(Gate {
            net: Net(Arc::clone(&world)),
            at: (other, 80).into(),
            open: Semaphore::new(0),
        });
        let builder = client(&world).store(Arc::clone(&store)).limits(patient());
        let online = builder.dial(gate.clone()).build().unwrap();
        let all = tokio::spawn(async move { online.check_all(urls(true)).await });

        let offline = client(&world).store(store).offline(true).build().unwrap();
        let asked = || world.record().requests.len();
        until("a request for each other origin", || async { asked() == ORIGINS - 1 }).await;
        until("an answer for all others", || async {
            let answers = offline.check_all(urls(false).take(ORIGINS - 1)).await;
            answers.iter().flatten().filter(|answer| answer.is_allowed()).count() == ORIGINS - 1
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
        assert_eq!(asked(), ORIGINS);
    });
}

#[test]
fn a_full_queue_refuses_fetches_and_stored_records_still_answer() {
    run(async {
        let setup = Setup::web("shop.example", Site::always(ScriptedResponse::rules().script()));
        let setup = (0..FETCH_QUEUE)
            .fold(setup, |setup, at| setup.name(&format!("h{at}.example"), [Lookup::Never]));
        let world = start(setup).await;
        let limits = Limits { dns: TOTAL.most, ..Limits::default() };
        let client = client(&world).limits(limits).build().unwrap();
        assert!(!client.check(URL).await.unwrap().is_allowed());
        for at in 0..FETCH_QUEUE {
            let url = format!("http://h{at}.example/");
            // Cancelled at once: the fetch continues.
            tokio::select! {
                biased;
                answer = client.check(&url) => panic!("{answer:?}"),
                () = std::future::ready(()) => {}
            }
        }
        let busy = client.check("http://other.example/").await;
        let busy = busy.unwrap_err();
        let expected =
            format!("{FETCH_QUEUE} fetches of robots.txt wait or run already, which is the limit");
        assert_eq!(busy.to_string(), expected);
        // Joining a fetch takes no place in the queue.
        let joined = client.check("http://h7.example/other");
        assert!(timeout(Duration::from_millis(20), joined).await.is_err());
        // Stored records still answer.
        let decision = client.check(URL).await.unwrap();
        assert_eq!((decision.reason(), decision.source()), (Reason::Rule, RecordSource::Store));
    });
}
