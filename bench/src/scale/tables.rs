//! The tables of the page.

use super::fleet::Assumptions;
use super::model::Model;
use super::results::{DAILY, EXPONENTS, Results, SIZES};
use crate::report::table::{Table, figure, grouped, percent, time};

/// Numbers of machines that share a crawl.
pub(super) const MACHINES: [f64; 3] = [8.0, 32.0, 128.0];

/// Bytes in a suitable unit.
pub(super) fn bytes(bytes: f64) -> String {
    let units = [(40, "TiB"), (30, "GiB"), (20, "MiB"), (10, "KiB")];
    let sizes = units.map(|(power, name)| (f64::from(power).exp2(), name));
    let unit = sizes.into_iter().find(|(size, _)| bytes >= *size);
    let (size, name) = unit.unwrap_or((1.0, "bytes"));
    format!("{} {name}", figure(bytes / size))
}

/// A part of a core, or of several.
pub(super) fn share(part: f64) -> String {
    let percent = part * 100.0;
    if percent < 0.01 { "<0.01 %".to_owned() } else { format!("{} %", figure(percent)) }
}

pub(super) fn assumptions(assumed: &Assumptions) -> Table {
    let mut table = Table::new(&["what", "value", "source"]);
    let count = |number: f64| grouped(number.round());
    let rows = [
        ("origins", count(assumed.origins), "the task"),
        ("exponent of Zipf's law", figure(assumed.exponent), "assumed; 0.8 and 1.2 below"),
        (
            "questions to the mean origin per day",
            figure(assumed.daily),
            "assumed; 0.1 and 10 below",
        ),
        (
            "origins that have room in the store",
            percent(assumed.size),
            "assumed; 1 % and 10 % below",
        ),
        ("hours until a file expires", count(assumed.expiry * 24.0), "RFC 9309, 2.4"),
        ("bytes of a body", count(assumed.body), "measured, the mean"),
        ("bytes of a policy with explanation", count(assumed.explained), "measured, the mean"),
        ("bytes of a policy without", count(assumed.policy), "measured, the mean"),
        ("bytes of bodies after deduplication", percent(assumed.body_once), "measured, all files"),
        (
            "bytes of policies after deduplication",
            percent(assumed.policy_once),
            "measured, all files",
        ),
        (
            "bytes of metadata beside the body",
            count(assumed.head),
            "calculated from `docs/store.md`, with one hop, a URL of 35 bytes and both validators",
        ),
        (
            "bytes of a key in a store",
            count(assumed.key),
            "assumed: a key of about 70 bytes, its entry, its expiry, rounding by the allocator",
        ),
        (
            "bytes of a reference to deduplicated content",
            count(assumed.reference),
            "a SHA-256; the keys of the contents are not counted",
        ),
        (
            "a GET alone",
            time(assumed.get),
            "assumed from an earlier measurement on a similar machine: 561 bytes, loopback, \
             including round trip and client",
        ),
        ("a GET in a pipeline of a hundred", time(assumed.get_pipelined), "the same"),
        ("a check", time(assumed.check), "measured, policies in memory"),
        (
            "origins in a cache in front of the store",
            percent(assumed.local),
            "assumed, on each machine",
        ),
    ];
    for (what, value, source) in rows {
        table.row([what, &value, source]);
    }
    table
}

/// Simulation and model compared, a row for each law, rate and size.
pub(super) fn simulated(results: &Results) -> Table {
    let half = results.crawls.len() / 2;
    let counts = [0, half].map(|place| grouped(f64::from(results.crawls[place].0.origins)));
    let head = ["exponent", "checks a day", "room"].map(str::to_owned);
    let columns = counts.iter().flat_map(|count| [format!("{count} origins"), "model".into()]);
    let head: Vec<String> = head.into_iter().chain(columns).collect();
    let mut table = Table::new(&head.iter().map(String::as_str).collect::<Vec<_>>());
    for place in 0..half {
        let crawl = results.crawls[place].0;
        for (column, size) in SIZES.into_iter().enumerate() {
            let mut row = vec![figure(crawl.exponent), figure(crawl.daily), percent(size)];
            for place in [place, place + half] {
                let (simulated, modelled) = pair(results, place, column);
                row.extend([simulated, modelled].map(points));
            }
            table.row(row);
        }
    }
    table
}

/// The maximum difference of the two sizes, and of simulation and model; in percentage points.
pub(super) fn distances(results: &Results) -> (f64, f64) {
    let half = results.crawls.len() / 2;
    let (mut scales, mut models) = (0.0_f64, 0.0_f64);
    for place in 0..results.crawls.len() {
        for column in 0..SIZES.len() {
            let (simulated, modelled) = pair(results, place, column);
            let (other, _) = pair(results, place % half, column);
            scales = scales.max((simulated - other).abs() * 100.0);
            models = models.max((simulated - modelled).abs() * 100.0);
        }
    }
    (scales, models)
}

fn pair(results: &Results, place: usize, column: usize) -> (f64, f64) {
    let (crawl, rates) = &results.crawls[place];
    let model = Model {
        origins: f64::from(crawl.origins),
        exponent: crawl.exponent,
        daily: crawl.daily,
        size: SIZES[column],
        expiry: 1.0,
    };
    (rates[column], model.hit_rate())
}

/// Hit rates of all origins by the model, and the remaining fetches.
pub(super) fn modelled(assumed: &Assumptions, sizes: &[f64]) -> Table {
    let head = ["exponent", "checks a day", "room", "hit rate", "fetches per second"];
    let mut table = Table::new(&head);
    for exponent in EXPONENTS {
        for daily in DAILY {
            for &size in sizes {
                let one = Assumptions { exponent, daily, size, ..*assumed };
                let cells = [figure(exponent), figure(daily), percent(size)];
                let rate = points(one.model().hit_rate());
                table.row([cells.into(), vec![rate, figure(one.fetches())]].concat());
            }
        }
    }
    table
}

pub(super) fn memory(assumed: &Assumptions, nodes: &[f64]) -> Table {
    let counts: Vec<String> = nodes.iter().map(|nodes| format!("of {nodes} nodes")).collect();
    let head = ["stored", "all"].into_iter().chain(counts.iter().map(String::as_str));
    let mut table = Table::new(&head.collect::<Vec<_>>());
    let results = assumed.bytes();
    let rows = [
        ("records with bodies", results.records),
        ("records, deduplicated bodies", results.records_once),
        ("policies with explanation", results.explained),
        ("policies without", results.policies),
        ("policies without, deduplicated", results.policies_once),
    ];
    for (name, all) in rows {
        let parts = nodes.iter().map(|nodes| bytes(all / nodes));
        table.row([name.to_owned(), bytes(all)].into_iter().chain(parts));
    }
    table
}

/// Requests to a store, by the number of checks.
pub(super) fn requests(assumed: &Assumptions) -> Table {
    let mut table = Table::new(&[
        "checks a day",
        "GETs per second",
        "of a core, alone",
        "of a core, pipelined",
        "GETs with a cache in front, 8 machines",
        "the same, 32 machines",
        "of a core, the checks",
    ]);
    for daily in DAILY {
        let one = Assumptions { daily, ..*assumed };
        let pipelined = Assumptions { get: assumed.get_pipelined, ..one };
        table.row([
            figure(daily),
            figure(one.checks()),
            share(one.getting()),
            share(pipelined.getting()),
            figure(one.gets(8.0)),
            figure(one.gets(32.0)),
            share(one.checking()),
        ]);
    }
    table
}

/// Fetches of machines without sharing, compared with sharing.
pub(super) fn sharding(assumed: &Assumptions) -> Table {
    let head = MACHINES.map(|machines| format!("{machines} apart"));
    let head =
        ["checks a day", "sharded or shared"].into_iter().chain(head.iter().map(String::as_str));
    let mut table = Table::new(&head.collect::<Vec<_>>());
    for daily in DAILY {
        let one = Assumptions { daily, ..*assumed };
        let apart = MACHINES.map(|machines| figure(one.fetches_apart(machines)));
        table.row([figure(daily), figure(one.fetches())].into_iter().chain(apart));
    }
    table
}

type Change = fn(&mut Assumptions, f64);

/// Effect of each assumption, halved and doubled.
const CHANGES: [(&str, Change); 10] = [
    ("origins", |one, by| one.origins *= by),
    ("questions to the mean origin", |one, by| one.daily *= by),
    ("exponent of Zipf's law", |one, by| one.exponent *= by),
    ("hours until expiry", |one, by| one.expiry *= by),
    ("bytes of a body", |one, by| one.body *= by),
    ("bytes of a policy", |one, by| one.policy *= by),
    ("bytes of metadata", |one, by| one.head *= by),
    ("bytes of a key", |one, by| one.key *= by),
    ("time of a GET", |one, by| one.get *= by),
    ("time of a check", |one, by| one.check *= by),
];

pub(super) fn sensitivity(assumed: &Assumptions) -> Table {
    let mut table = Table::new(&[
        "what changes",
        "records",
        "policies",
        "fetches per second",
        "GETs per second",
        "of a core, GETs",
        "of a core, checks",
    ]);
    table.row(outcome("nothing", assumed));
    for (what, change) in CHANGES {
        for (name, by) in [("half", 0.5), ("double", 2.0)] {
            let mut one = *assumed;
            change(&mut one, by);
            table.row(outcome(&format!("{what}: {name}"), &one));
        }
    }
    // No more than all origins can fit.
    let one = Assumptions { size: assumed.size / 2.0, ..*assumed };
    table.row(outcome("room: half", &one));
    table
}

fn outcome(what: &str, one: &Assumptions) -> Vec<String> {
    let results = one.bytes();
    vec![
        what.to_owned(),
        bytes(results.records),
        bytes(results.policies),
        figure(one.fetches()),
        figure(one.checks()),
        share(one.getting()),
        share(one.checking()),
    ]
}

/// A rate in percent, for comparison.
fn points(rate: f64) -> String {
    format!("{:.2} %", rate * 100.0)
}

#[cfg(test)]
mod tests {
    use super::super::fleet::tests::ROUND;
    use super::*;

    #[test]
    fn bytes_have_the_unit_that_suits_them() {
        let cases =
            [(512.0, "512 bytes"), (1_536.0, "1.50 KiB"), (3.0 * 1024.0_f64.powi(3), "3.00 GiB")];
        for (number, expected) in cases {
            assert_eq!(bytes(number), expected);
        }
    }

    #[test]
    fn every_change_changes_something() {
        // Slow enough to be visible in a share of two digits.
        let first = Assumptions { exponent: 1.0, check: 1e6, get: 1e6, ..ROUND };
        let before = outcome("", &first);
        for (what, change) in CHANGES {
            for by in [0.5, 2.0] {
                let mut one = first;
                change(&mut one, by);
                assert_ne!(outcome("", &one), before, "{what}");
            }
        }
    }
}
