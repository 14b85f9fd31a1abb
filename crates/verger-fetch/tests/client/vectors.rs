//! The vectors of access, through the client: the copy, the first failure and the last one.

use std::sync::Arc;

use libtest_mimic::{Failed, Trial};
use verger::Origin;
use verger::access::{Kind, Profile, Stale};
use verger_fetch::store::{MemoryStore, Store};
use verger_testkit::server::{Answer, Script, Service, Setup, Site};
use verger_testkit::shared::{Lacking, shared, skip_loudly};
use verger_testkit::suite::{Fetch, Question, load_vectors};

use crate::world::{HandClock, NOW, client, run, short};

pub(crate) fn tests() -> Vec<Trial> {
    let Some(vectors) = shared("spec/access-vectors.jsonl") else {
        let why = "../shared/spec/access-vectors.jsonl is not here";
        skip_loudly("the vectors of access", Lacking::Data, why);
        return Vec::new();
    };
    let suite = load_vectors(vectors.parent().unwrap()).unwrap();
    let mut tests = Vec::new();
    for statement in suite.statements {
        let Question::Fetch(fetch) = statement.question else { continue };
        let name = format!("vectors::{}", statement.name);
        tests.push(Trial::test(name, move || run(holds(&fetch)).map_err(Failed::from)));
    }
    tests
}

const HOST: &str = "shop.example";

async fn holds(fetch: &Fetch) -> Result<(), String> {
    // The client knows of no fetch but its own, so to it no site is otherwise there (REP-CACHE-22).
    if fetch.site_available {
        return Ok(());
    }
    let good = Setup::web(HOST, Site::always(Answer::rules().script()));
    let good = Arc::new(good.start().await.unwrap());
    let bad = Arc::new(setup(&fetch.outcome).start().await.unwrap());
    let origin = Origin::from_parts("http", HOST, None).unwrap();
    for (name, expected) in &fetch.expect {
        let profile = Profile::named(name).unwrap();
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        let clock = HandClock::at(NOW);
        let client = |world| {
            client(world)
                .limits(short())
                .access(profile)
                .store(Arc::clone(&store))
                .clock(clock.clone())
                .build()
                .unwrap()
        };
        if let Some(age) = fetch.copy_minutes {
            clock.set(NOW - age * 60);
            client(&good).refresh(&origin).await.unwrap();
        }
        let failing = client(&bad);
        for minutes in [fetch.failing_minutes, 0] {
            clock.set(NOW - minutes * 60);
            failing.refresh(&origin).await.unwrap();
        }
        let decision = failing.check(&format!("http://{HOST}/")).await.unwrap();
        let access = decision.access();
        let found = match (access.kind(), access.stale()) {
            (Kind::Rules, Some(Stale::DuringOutage)) => "copy",
            (Kind::Rules, _) => "rules",
            (Kind::AllowAll, _) => "allow",
            (Kind::DisallowAll, _) => "disallow",
            (Kind::Unknown, _) => "unknown",
        };
        if found != expected {
            return Err(format!("{name}: expected {expected}, but found {found}"));
        }
    }
    Ok(())
}

/// A site whose fetches end like this.
fn setup(outcome: &str) -> Setup {
    let site = |answer: Answer| Setup::web(HOST, Site::always(answer.script()));
    match outcome {
        "200" => site(Answer::rules()),
        "204" => site(Answer::new(204)),
        "not-modified" => site(Answer::new(304)),
        "redirect-limit" => site(Answer::redirect(301, "/robots.txt")),
        "broken-redirect" => site(Answer::new(302)),
        "network" => Setup::new().host(HOST).place(80, Service::Raw(Script::new().then_reset())),
        "refused" => Setup::new(),
        // Where the body counts, it is one with rules.
        status => site(Answer::new(status.parse().unwrap()).body("User-agent: *\nDisallow: /x\n")),
    }
}
