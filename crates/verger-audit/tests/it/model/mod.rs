//! The judgement against a naive model ([`naive`]) on random logs ([`world`]): several crawlers and
//! sites, changing files, outages, clocks that go back, logs that begin in the middle, a CDN in front.
//!
//! `VERGER_CASES` multiplies their number; step `audit` of the thorough suite runs 100,000. A difference
//! is shown with its seed and the requests that it needs.

mod naive;
mod world;

use std::borrow::Cow;
use std::collections::BTreeMap;

use verger::access::Timestamp;
use verger_audit::log::Request;
use verger_audit::{Audit, History, Options, Report, Verdict, Version};
use verger_identity::{Identifier, Lists};
use verger_testkit::generate::cases;
use verger_testkit::parallel;
use verger_testkit::shrink::fewer;

use self::world::{Event, Kind, LISTS, ORIGINS, Served, VISITORS, World};

/// Random logs of the default suite. Step `audit` multiplies them by 250.
const LOGS: u64 = 400;

/// Differences that are shown.
const SHOWN: usize = 3;

/// Requests by row of the report, proof and verdict.
type Rows = BTreeMap<(String, bool, &'static str), u64>;

#[test]
fn the_judgement_agrees_with_the_naive_model() {
    let identifier = identifier();
    let results = parallel::map(0..cases(LOGS), |seed| {
        let world = World::new(seed);
        let difference = difference(&world, &identifier).map(|_| seed);
        let verdicts = (0..world.events.len()).map(|index| naive::verdict(&world, index));
        let mut counts = BTreeMap::<_, u64>::new();
        verdicts.for_each(|verdict| *counts.entry(verdict.name()).or_default() += 1);
        (difference, counts)
    });
    let mut counts = BTreeMap::<_, u64>::new();
    for (verdict, count) in results.iter().flat_map(|(_, counts)| counts) {
        *counts.entry(*verdict).or_default() += count;
    }
    // Otherwise the logs would show little.
    for verdict in Verdict::ALL {
        assert!(counts.get(verdict.name()).is_some_and(|count| *count > 10), "{counts:?}");
    }
    let differing: Vec<u64> = results.iter().filter_map(|(seed, _)| *seed).collect();
    let shown = differing.iter().take(SHOWN).map(|seed| {
        let world = shrunk(World::new(*seed), |world| difference(world, &identifier).is_some());
        let difference = difference(&world, &identifier).expect("it still differs");
        format!("seed {seed}: {difference}\n{world}\n")
    });
    let shown: String = shown.collect();
    assert!(differing.is_empty(), "{} of {} logs differ\n{shown}", differing.len(), results.len());
}

/// The first difference between the judgement and the model.
fn difference(world: &World, identifier: &Identifier) -> Option<String> {
    let histories = ORIGINS
        .iter()
        .zip(&world.sites)
        .map(|(origin, versions)| (origin.parse().expect("an origin"), history(versions)));
    let options = Options { robots_at_edge: world.is_at_edge, ..Options::default() };
    let mut audit = Audit::new(histories.collect(), identifier, options);
    let mut rows = Rows::new();
    for (index, event) in world.events.iter().enumerate() {
        let expected = naive::verdict(world, index);
        let found = judge(&mut audit, world, index);
        if found.0 != expected {
            let (expected, found) = (expected.name(), found.0.name());
            return Some(format!("expected {expected}, found {found} for\n  {event}"));
        }
        if let Some(claim) = world.claim(event) {
            if !claim.is_proved && !found.1 {
                return Some(format!("a request without proof is not unproved\n  {event}"));
            }
            let row = (claim.tokens[0].to_owned(), claim.is_proved, expected.name());
            *rows.entry(row).or_default() += 1;
        }
    }
    let found = rows_of(&audit.finish());
    (found != rows).then(|| format!("the report has {found:?}, expected {rows:?}"))
}

/// The verdict of the audit, and whether it is unproved.
fn judge(audit: &mut Audit<'_>, world: &World, index: usize) -> (Verdict, bool) {
    let event = &world.events[index];
    let host = ORIGINS.get(event.host).filter(|_| event.host < world.sites.len());
    let host = host.map_or("other.example", |origin| &origin["https://".len()..]);
    let (target, method, status) = match event.kind {
        Kind::Fetch { status, is_get, target } => {
            (target.to_owned(), if is_get { "GET" } else { "HEAD" }, status)
        }
        Kind::Visit { path, is_absolute } => {
            let before = if is_absolute { format!("https://{host}") } else { String::new() };
            (before + path, "GET", Some(200))
        }
    };
    // A reader of logs takes the host of an absolute target.
    let has_host = world.has_hosts || target.starts_with("https");
    let request = Request {
        line: index as u64 + 1,
        at: Some(timestamp(event.at)),
        peer: World::address(event).parse().ok(),
        host: has_host.then(|| Cow::Borrowed(host.as_bytes())),
        scheme: None,
        method: Cow::Borrowed(method.as_bytes()),
        target: Cow::Borrowed(target.as_bytes()),
        status,
        user_agent: Some(Cow::Borrowed(VISITORS[event.visitor].header.as_bytes())),
        headers: Vec::new(),
        raw: b"",
    };
    let judged = audit.add(&request, None);
    (judged.verdict, judged.flags.is_unproved)
}

fn rows_of(report: &Report) -> Rows {
    let rows = report.crawlers.iter().flat_map(|crawler| {
        let counts = Verdict::ALL.map(|verdict| (verdict.name(), crawler.verdicts.get(verdict)));
        counts.map(|(verdict, count)| ((crawler.token.clone(), crawler.is_proved, verdict), count))
    });
    rows.filter(|(_, count)| *count > 0).collect()
}

fn history(versions: &[world::Version]) -> History {
    let mut history = History::new();
    for version in versions {
        let served = match &version.served {
            Served::Text(text) => verger_audit::Served::Text(text.as_bytes().into()),
            Served::Absent => verger_audit::Served::Absent,
            Served::Unknown => verger_audit::Served::Unknown,
        };
        history.add(Version::new(timestamp(version.from), served, String::new()));
    }
    history
}

/// Lists for all crawlers of the logs, copied before them.
fn identifier() -> Identifier {
    let mut lists = Lists::default();
    for (url, prefix) in LISTS {
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
        world.sites[site] = fewer(&world.sites[site].clone(), |versions| {
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
