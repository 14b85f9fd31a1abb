//! The judgement against a naive model ([`naive`]) on random logs ([`world`]): several crawlers and
//! sites, changing files, outages, clocks that go back, logs that begin in the middle, a CDN in
//! front.
//!
//! `VERGER_CASES` multiplies their number; step `audit` of the thorough suite runs 100,000. A
//! difference is shown with its seed and the requests that it needs.

mod known;
mod naive;
mod texts;
mod world;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::time::Duration;

use verger::access::Timestamp;
use verger_audit::log::Request;
use verger_audit::{Audit, History, Options, Report, Verdict, Version};
use verger_identity::{Identifier, Lists};
use verger_testkit::generate::cases;
use verger_testkit::parallel;
use verger_testkit::shrink::fewer;

use self::naive::Answer;
use self::texts::Served;
use self::world::{Kind, LISTS, ORIGINS, VISITORS, World};

/// Random logs of the default suite. Step `audit` multiplies them by 200.
const LOGS: u64 = 500;

/// Differences that are shown.
const SHOWN: usize = 8;

/// Requests by row of the report, proof and verdict.
type Rows = BTreeMap<(String, bool, &'static str), u64>;

#[test]
fn the_judgement_agrees_with_the_naive_model() {
    let identifier = identifier();
    let results = parallel::map(0..cases(LOGS), |seed| {
        let world = World::new(seed);
        let answers = naive::answers(&world);
        let difference = difference(&world, &answers, &identifier).map(|_| seed);
        let mut counts = BTreeMap::<_, u64>::new();
        for answer in &answers.0 {
            *counts.entry(answer.verdict.name()).or_default() += 1;
        }
        (difference, counts)
    });
    let mut counts = BTreeMap::<_, u64>::new();
    for (verdict, count) in results.iter().flat_map(|(_, counts)| counts) {
        *counts.entry(*verdict).or_default() += count;
    }
    // Otherwise the logs would show little.
    for verdict in Verdict::ALL {
        assert!(counts.get(verdict.name()).is_some_and(|count| *count > 5), "{counts:?}");
    }
    let differing: Vec<u64> = results.iter().filter_map(|(seed, _)| *seed).collect();
    let shown = differing.iter().take(SHOWN).map(|seed| {
        let world = shrunk(World::new(*seed), |world| {
            difference(world, &naive::answers(world), &identifier).is_some()
        });
        let answers = naive::answers(&world);
        let difference = difference(&world, &answers, &identifier).expect("it still differs");
        format!("seed {seed}: {difference}\n{world}\n")
    });
    let shown: String = shown.collect();
    assert!(differing.is_empty(), "{} of {} logs differ\n{shown}", differing.len(), results.len());
}

/// The first difference between the judgement and the model.
fn difference(
    world: &World,
    (answers, preferences): &(Vec<Answer>, u64),
    identifier: &Identifier,
) -> Option<String> {
    let histories = ORIGINS
        .iter()
        .zip(&world.sites)
        .map(|(origin, versions)| (origin.parse().expect("an origin"), history(versions)));
    let options = Options {
        robots_at_edge: world.is_at_edge,
        lifetime: world.lifetime.map(|seconds| Duration::from_secs(seconds.unsigned_abs())),
        ..Options::default()
    };
    let mut audit = Audit::new(histories.collect(), identifier, options);
    let mut rows = Rows::new();
    for (index, (event, expected)) in world.events.iter().zip(answers).enumerate() {
        let found = judge(&mut audit, identifier, world, index);
        if found != *expected {
            return Some(format!("expected {expected:?}, found {found:?} for\n  {event}"));
        }
        if let Some(claim) = world.claim(event) {
            let row = (
                claim.by.tokens[0].to_owned(),
                !expected.flags.contains("unproved"),
                expected.verdict.name(),
            );
            *rows.entry(row).or_default() += 1;
        }
    }
    let report = audit.finish();
    let found: u64 = report.crawlers.iter().map(|crawler| crawler.preferences).sum();
    if found != *preferences {
        return Some(format!("expected {preferences} preferences, found {found}"));
    }
    let found = rows_of(&report);
    (found != rows).then(|| format!("the report has {found:?}, expected {rows:?}"))
}

/// The answer of the audit.
fn judge<'a>(
    audit: &mut Audit<'a>,
    identifier: &'a Identifier,
    world: &World,
    index: usize,
) -> Answer {
    let event = &world.events[index];
    let host = ORIGINS.get(event.host).filter(|_| event.host < world.sites.len());
    let host = host.map_or("other.example", |origin| &origin["https://".len()..]);
    let is_absolute = matches!(event.kind, Kind::Visit { is_absolute: true, .. });
    let method = match event.kind {
        Kind::Fetch { method, .. } => method,
        Kind::Visit { .. } => "GET",
    };
    let mut target = event.target();
    if world.is_without_query {
        target = target.split('?').next().expect("a path");
    }
    let target = if is_absolute { format!("https://{host}{target}") } else { target.to_owned() };
    // The reader of logs takes the host of an absolute target.
    let has_host = world.has_hosts || is_absolute;
    let header = VISITORS[event.visitor].header;
    let judged = audit.add(
        &Request {
            line: index as u64 + 1,
            at: event.has_time.then(|| timestamp(event.at)),
            // It may be that of the end.
            end: event.has_time.then(|| timestamp(event.at)),
            is_local: event.is_local,
            peer: World::address(event).parse().ok(),
            host: has_host.then_some(Cow::Borrowed(host.as_bytes())),
            method: Cow::Borrowed(method.as_bytes()),
            target: Cow::Borrowed(target.as_bytes()),
            status: event.status(),
            body_bytes: known::body_bytes(world, event),
            is_target_unclear: world.is_without_query,
            is_after_loss: event.is_after_gap,
            user_agent: (!header.is_empty()).then_some(Cow::Borrowed(header.as_bytes())),
            ..Request::default()
        },
        |claim| identifier.identify(claim, Timestamp::EPOCH),
    );
    let flags = [
        ("unproved", judged.flags.unproved),
        ("too_fast", judged.flags.too_fast),
        ("refused", judged.flags.refused_robots_txt),
        ("backwards", judged.flags.backwards),
    ];
    Answer {
        verdict: judged.verdict,
        flags: flags.into_iter().filter_map(|(name, is_set)| is_set.then_some(name)).collect(),
        rule: judged.version.map(|(version, _)| version).zip(judged.line),
        received: judged
            .received
            .filter(|_| judged.verdict == Verdict::DisallowedKnown)
            .map(|time| time.seconds().cast_signed()),
    }
}

fn rows_of(report: &Report) -> Rows {
    let mut rows = Rows::new();
    for crawler in &report.crawlers {
        for (verdict, count) in crawler.verdicts.iter() {
            let row = (crawler.token.clone(), crawler.is_proved, verdict.name());
            *rows.entry(row).or_default() += count;
        }
    }
    rows
}

fn history(versions: &[texts::Version]) -> History {
    let mut history = History::new();
    for version in versions {
        let text = match version.served {
            Served::Text(ref text) => Some(text.as_bytes().into()),
            Served::Absent => None,
            Served::Unknown(to) => {
                history.add_gap(timestamp(version.from)..timestamp(to));
                continue;
            }
        };
        history.add(Version { from: timestamp(version.from), text, name: String::new() });
    }
    history
}

/// Lists for all crawlers of the logs, copied before them.
fn identifier() -> Identifier {
    let mut lists = Lists::default();
    for (list, (url, _)) in LISTS.iter().enumerate() {
        let prefix = format!("20.0.{list}.0/24");
        let list = format!(r#"{{"urls":["{url}"],"copied":"2026-01-01","list":["{prefix}"]}}"#);
        lists.read(&list).expect("a list");
    }
    Identifier::new(lists)
}

/// A log without the requests and files that a difference does not need.
fn shrunk(mut world: World, differs: impl Fn(&World) -> bool) -> World {
    world.events =
        fewer(&world.events, |events| differs(&World { events: events.to_vec(), ..world.clone() }));
    for site in 0..world.sites.len() {
        world.sites[site] = fewer(&world.sites[site], |versions| {
            let mut tried = world.clone();
            tried.sites[site] = versions.to_vec();
            differs(&tried)
        });
    }
    world
}

fn timestamp(seconds: i64) -> Timestamp {
    Timestamp::from_seconds(seconds.try_into().expect("a time after 1970"))
}
