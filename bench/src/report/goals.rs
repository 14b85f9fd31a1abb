//! The table at the top: goals and results.

use super::table::{Table, figure, percent, time, times};
use crate::growth::{Curve, Shape};
use crate::hostile::{CHECK, MEMORY, PARSE};
use crate::load;
use crate::measure::Measured;
use crate::plan::Work;
use crate::results::Results;
use crate::worst::Worst;

/// One line: a work, Verger's figure, the best peer, and whether floor and aim are met.
#[derive(Clone, Debug, Default)]
struct Goal {
    work: &'static str,
    ours: String,
    best: String,
    ratio: String,
    floor: String,
    aim: String,
}

/// All lines that were measured.
pub(super) fn table(results: &Results) -> Table {
    let mut table =
        Table::new(&["work", "Verger", "best peer", "Verger is faster", "the floor", "the aim"]);
    let works = [Work::OneShot, Work::Parse, Work::Compile, Work::Hot, Work::Cold];
    let mut goals: Vec<Goal> = works.iter().filter_map(|&work| of_work(work, results)).collect();
    goals.extend(results.growth.iter().filter_map(|(shape, curves)| of_growth(*shape, curves)));
    goals.extend(of_policies(results));
    goals.extend(of_worst(results));
    goals.extend(of_program(results));
    for goal in goals {
        let Goal { work, ours, best, ratio, floor, aim } = goal;
        table.row([work.to_owned(), ours, best, ratio, floor, aim]);
    }
    table
}

/// A sentence, marked by whether it is true.
fn is(met: bool, what: &str) -> String {
    format!("{what}: {}", if met { "met" } else { "**missed**" })
}

fn is_within(millis: f64, limit: f64) -> String {
    is(millis <= limit, &format!("≤ {limit} ms"))
}

fn of_work(work: Work, results: &Results) -> Option<Goal> {
    let all = results.work(work)?;
    let ours = all.first().filter(|one| one.is_ours)?;
    let best =
        all.iter().filter(|one| !one.is_ours).min_by(|a, b| a.time().total_cmp(&b.time()))?;
    let beside = |name: &str, wanted: f64| floor(all, ours, name, wanted);
    let now = ours.time();
    let (work, floor, aim) = match work {
        Work::OneShot => (
            "one-shot",
            beside("fast-robots, simple", 1.7),
            is(now <= 1_900.0, "≤ 1.9 µs for a file"),
        ),
        Work::Parse => {
            let rate = results.mean_bytes() / now;
            ("parse", beside("fast-robots, simple", 1.25), is(rate >= 1.6, "≥ 1.6 GB/s"))
        }
        Work::Compile => (
            "parse and compile for one crawler",
            beside("robotxt", 2.0),
            is(now <= 4_000.0, "≤ 4 µs for a file"),
        ),
        Work::Hot => (
            "match, hot",
            beside("fast-robots, compiled", 2.0),
            is(now <= 60.0 && ours.p99() <= 250.0, "≤ 60 ns, p99 of files ≤ 250 ns"),
        ),
        _ => (
            "match, cold",
            beside("fast-robots, compiled", 2.5),
            is(now <= 350.0, "≤ 350 ns in random order"),
        ),
    };
    let (ratio, best) = (times(best.times(ours)), format!("{}: {}", best.name, time(best.time())));
    Some(Goal { work, ours: time(now), best, ratio, floor, aim })
}

fn floor(all: &[Measured], ours: &Measured, name: &str, wanted: f64) -> String {
    let Some(peer) = all.iter().find(|one| one.name == name) else {
        return format!("{name} was not measured");
    };
    let ratio = peer.times(ours);
    is(ratio >= wanted, &format!("{} {name}; is {}", times_at_least(wanted), times(ratio)))
}

fn times_at_least(wanted: f64) -> String {
    format!("≥ {wanted} x")
}

fn of_growth(shape: Shape, curves: &[Curve]) -> Option<Goal> {
    let ours = curves.first().filter(|curve| curve.is_ours)?;
    let (small, large) = (ours.at(10)?, ours.at(100_000)?);
    // A peer with wrong answers is not compared.
    let right = curves.iter().filter(|curve| !curve.is_ours && curve.wrong() == 0.0);
    let best = right
        .filter_map(|curve| Some((curve, curve.at(100_000)?)))
        .min_by(|(_, a), (_, b)| a.total_cmp(b));
    let compiled = curves.iter().find(|curve| curve.peer == "fast-robots, compiled");
    let factor = large / small;
    let (work, floor, aim) = match shape {
        Shape::Prefixes => {
            let is_never_slower = compiled.is_some_and(|compiled| {
                ours.points.iter().all(|point| {
                    compiled.at(point.rules).is_none_or(|theirs| point.nanos <= theirs)
                })
            });
            (
                "100,000 rules, prefixes",
                is(is_never_slower, "never slower than fast-robots, compiled"),
                is(small <= 40.0 && large <= 100.0, "10 rules ≤ 40 ns, 100,000 ≤ 100 ns"),
            )
        }
        Shape::Wildcards => (
            "100,000 rules, 30 % wildcards",
            is(factor <= 8.0, &format!("≤ 8 x of 10 rules; is {}", times(factor))),
            is(factor <= 4.0 && small <= 40.0, "10 rules ≤ 40 ns, 100,000 ≤ 4 x of that"),
        ),
    };
    let (best, ratio) = best.map_or_else(
        || ("no other peer without wrong answers".to_owned(), String::new()),
        |(curve, theirs)| (format!("{}: {}", curve.peer, time(theirs)), times(theirs / large)),
    );
    Some(Goal { work, ours: time(large), best, ratio, floor, aim })
}

fn of_policies(results: &Results) -> Vec<Goal> {
    let mut goals = Vec::new();
    if let Some(policies) = results.policies {
        let factor = policies.times();
        goals.push(Goal {
            work: "bytes of a policy",
            ours: format!("{} of its patterns + 64", times(factor)),
            floor: is(factor <= 1.2, "≤ 1.2 x the patterns + 64"),
            aim: is(factor <= 0.9, "≤ 0.9 x the patterns + 64"),
            ..Goal::default()
        });
    }
    if let Some(load) = results.load {
        let (start, bytes) = load::GRANTED;
        let what = format!("≤ {start} ns + 1 ns for {bytes} bytes; {} are", percent(load.granted));
        goals.push(Goal {
            work: "load a policy from bytes",
            ours: format!("{} for {} bytes", time(load.mean), figure(load.bytes)),
            aim: is(load.granted >= 0.99, &what),
            ..Goal::default()
        });
    }
    goals
}

fn of_worst(results: &Results) -> Vec<Goal> {
    let worst = |works: &[&str]| {
        let of_these = results.worst.iter().filter(|worst| works.contains(&worst.work));
        of_these.max_by_key(|worst| worst.time).map(millis)
    };
    let mut goals = Vec::new();
    if let Some(millis) = worst(&["check of a parsed file", "check of a policy"]) {
        goals.push(Goal {
            work: "worst check, 500 KiB of rules, URL of 8 KiB",
            ours: time(millis * 1e6),
            floor: is_within(millis, CHECK.floor),
            aim: is_within(millis, CHECK.aim),
            ..Goal::default()
        });
    }
    if let Some(millis) = worst(&["parse"]) {
        let peak = results.peak.as_ref().map(|peak| peak.times);
        let memory = peak.map(|times| format!(", {} x the input", figure(times)));
        goals.push(Goal {
            work: "worst parse, 500 KiB",
            ours: format!("{}{}", time(millis * 1e6), memory.unwrap_or_default()),
            floor: is(
                millis <= PARSE.floor && peak.is_none_or(|times| times <= MEMORY),
                &format!("≤ {} ms, memory ≤ {MEMORY} x the input", PARSE.floor),
            ),
            aim: is_within(millis, PARSE.aim),
            ..Goal::default()
        });
    }
    goals
}

fn millis(worst: &Worst) -> f64 {
    worst.time.as_secs_f64() * 1e3
}

fn of_program(results: &Results) -> Vec<Goal> {
    let mut goals = Vec::new();
    if let Some(rate) = results.batch {
        goals.push(Goal {
            work: "`verger check --batch`",
            ours: format!("{} verdicts/s", figure(rate)),
            aim: is(rate >= 1.5e6, "≥ 1.5 M verdicts/s"),
            ..Goal::default()
        });
    }
    for tier in &results.tiers {
        let (work, granted) = match tier.name {
            "memory" => ("decision, store in memory", 500.0),
            _ => ("decision, store in SQLite", 12_000.0),
        };
        goals.push(Goal {
            work,
            ours: time(tier.decision),
            aim: is(tier.decision <= granted, &format!("≤ {}", time(granted))),
            ..Goal::default()
        });
    }
    goals
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(name: &str, is_ours: bool, nanos: f64) -> Measured {
        Measured { name: name.into(), is_ours, rounds: vec![nanos; 3], sites: Vec::new() }
    }

    #[test]
    fn a_floor_is_a_ratio_beside_a_named_peer() {
        let ours = measured("verger", true, 100.0);
        let all = [ours.clone(), measured("robotxt", false, 150.0)];
        assert_eq!(floor(&all, &ours, "robotxt", 1.5), "≥ 1.5 x robotxt; is 1.50 x: met");
        assert_eq!(floor(&all, &ours, "robotxt", 2.0), "≥ 2 x robotxt; is 1.50 x: **missed**");
        assert_eq!(floor(&all, &ours, "other", 2.0), "other was not measured");
    }
}
