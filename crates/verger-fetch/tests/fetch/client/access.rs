//! The meaning of fetches, through the client: the copy, the first failure and the last one;
//! lifetimes of answers; times of retries.

use std::collections::BTreeMap;
use std::sync::Arc;

use verger::Origin;
use verger::access::{Kind, Profile, Stale};
use verger_fetch::client::RobotsClientBuilder;
use verger_fetch::store::{MemoryStore, Store};
use verger_testkit::server::{Lookup, Script, ScriptedResponse, Service, Setup, Site, World};
use verger_testkit::suite::{Fetch, Fresh, Retry, expiring_at_once};

use crate::client::world::{HandClock, NOW, client, origin, short, start};

const HOST: &str = "shop.example";
const OTHER: &str = "other.example";

/// Each profile with its expected value.
fn each<T>(expect: &BTreeMap<String, T>) -> impl Iterator<Item = (Profile, &T)> {
    expect.iter().map(|(name, expected)| (Profile::named(name).unwrap(), expected))
}

pub(crate) async fn holds(fetch: &Fetch) -> Result<(), String> {
    let tag = if fetch.outcome == "not-modified" { "\"1\"" } else { "" };
    let good =
        ScriptedResponse::rules().field("ETag", tag).field("Cache-Control", "max-age=0").script();
    let good = start(Setup::web(HOST, Site::always(good))).await;
    let bad = start(setup(&fetch.outcome)?).await;
    for (profile, expected) in each(&fetch.expect) {
        let profile = expiring_at_once(profile);
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        let clock = HandClock::at(NOW);
        let client = |world| {
            let builder = client(world).limits(short()).access(profile);
            builder.store(Arc::clone(&store)).clock(clock.clone()).build().unwrap()
        };
        if let Some(age) = fetch.copy_minutes {
            clock.set(NOW - age * 60);
            client(&good).refresh(&origin()).await.unwrap();
        }
        let failing = client(&bad);
        // REP-CACHE-28: without an answer of another host, the client's own network may be down.
        failing.report_available(&Origin::from_parts("http", OTHER, None).unwrap(), 200);
        // REP-CACHE-25: the length of an outage is counted over its failed fetches.
        let gap = usize::try_from(profile.outage_gap.as_secs() / 60).unwrap();
        let since =
            (0..fetch.failing_minutes).step_by(gap).map(|past| fetch.failing_minutes - past);
        for minutes in since.chain([0]) {
            clock.set(NOW - minutes * 60);
            if fetch.outcome == "disallowed-hop" {
                failing.check(&format!("http://{OTHER}/")).await.unwrap();
            }
            failing.refresh(&origin()).await.unwrap();
        }
        if fetch.site_available {
            failing.report_available(&origin(), 200);
        }
        let decision = failing.check(&format!("http://{HOST}/")).await.unwrap();
        let access = decision.access();
        let found = match (access.kind(), access.stale()) {
            (Kind::Rules, Some(Stale::DuringOutage | Stale::NotRefreshed)) => "copy",
            (Kind::Rules, _) => "rules",
            (Kind::AllowAll, _) => "allow",
            (Kind::DisallowAll, _) => "disallow",
            (Kind::Unknown, _) => "unknown",
        };
        if found != expected {
            return Err(format!("{profile}: expected {expected}, but found {found}"));
        }
    }
    Ok(())
}

/// A site with this outcome of its fetches.
fn setup(outcome: &str) -> Result<Setup, String> {
    let site = |answer: ScriptedResponse| Setup::web(HOST, Site::always(answer.script()));
    Ok(match outcome {
        "200" => site(ScriptedResponse::rules()),
        "204" => site(ScriptedResponse::new(204)),
        "accepted-empty" => site(ScriptedResponse::new(202)),
        "not-modified" => site(ScriptedResponse::new(304)),
        "redirect-limit" => site(ScriptedResponse::redirect(301, "/robots.txt")),
        "broken-redirect" => site(ScriptedResponse::new(302)),
        "disallowed-hop" => {
            let other = "93.184.216.35".parse().unwrap();
            site(ScriptedResponse::redirect(301, format!("http://{OTHER}/x")))
                .name(OTHER, [Lookup::addresses([other])])
                .place_at(
                    (other, 80).into(),
                    Service::Http(Site::always(ScriptedResponse::rules().script())),
                )
        }
        "network" => Setup::new().host(HOST).place(80, Service::Raw(Script::new().then_reset())),
        // An internal address.
        "refused" => Setup::new().name(HOST, [Lookup::addresses(["10.0.0.1".parse().unwrap()])]),
        // If the body matters, it has rules.
        status => match status.parse() {
            Ok(status) => site(ScriptedResponse::new(status).body("User-agent: *\nDisallow: /x\n")),
            Err(_) => return Err(format!("expected an outcome of a fetch, but found `{status}`")),
        },
    })
}

/// A response with these header fields.
fn with(answer: ScriptedResponse, headers: &[[String; 2]]) -> Site {
    let answer = headers.iter().fold(answer, |answer, [name, value]| answer.field(name, value));
    Site::always(answer.script())
}

/// A new client at this time.
fn fresh_client(world: &Arc<World>, now: u64) -> RobotsClientBuilder {
    client(world).limits(short()).clock(HandClock::at(now))
}

pub(crate) async fn is_fresh(fresh: &Fresh) -> Result<(), String> {
    let world = start(Setup::web(HOST, with(ScriptedResponse::rules(), &fresh.headers))).await;
    for (profile, expected) in each(&fresh.expect) {
        let client = fresh_client(&world, fresh.received).access(profile).build().unwrap();
        let record = client.refresh(&origin()).await.unwrap();
        let found = record.state().fresh_until().map(|until| until.seconds() - fresh.received);
        if found != Some(*expected) {
            return Err(format!("{profile}: expected {expected} s, but found {found:?}"));
        }
    }
    Ok(())
}

pub(crate) async fn is_tried_again(retry: &Retry) -> Result<(), String> {
    let plain = start(Setup::web(HOST, with(ScriptedResponse::new(503), &[]))).await;
    let last = start(Setup::web(HOST, with(ScriptedResponse::new(503), &retry.headers))).await;
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let clock = HandClock::at(retry.received);
    let client = |world| {
        let builder = fresh_client(world, retry.received).store(Arc::clone(&store));
        builder.clock(clock.clone()).build().unwrap()
    };
    let failing = client(&plain);
    for left in (1..retry.failures).rev() {
        // Each when it is due: earlier requests do not count.
        clock.set(retry.received - u64::from(left) * 2 * 60 * 60);
        failing.refresh(&origin()).await.unwrap();
    }
    clock.set(retry.received);
    let client = client(&last);
    let state = client.refresh(&origin()).await.unwrap().state();
    if state.failures() != retry.failures {
        return Err(format!(
            "expected {} failures, but found {}",
            retry.failures,
            state.failures()
        ));
    }
    let wait = state.next_try().seconds() - retry.received;
    if !(retry.least..=retry.most).contains(&wait) {
        let (least, most) = (retry.least, retry.most);
        return Err(format!("expected from {least} to {most} s, but found {wait}"));
    }
    Ok(())
}
