//! Tables for people: the ten worst cases of each kind of work, and the worst of all.

use std::fmt::Write as _;
use std::time::Duration;

use verger::Dialect;
use verger_testkit::hostile::MEMORY_TIMES;

use super::measure::Cost;

/// A kind of work: its name, its figure, and the limit of the figure.
struct Kind {
    name: &'static str,
    figure: fn(&Cost) -> f64,
    budget: f64,
}

/// Required and desired maximum of a figure.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limit {
    pub(crate) floor: f64,
    pub(crate) aim: f64,
}

/// Milliseconds for parsing 500 KiB.
pub(crate) const PARSE: Limit = Limit { floor: 10.0, aim: 5.0 };

/// Milliseconds for checking a URL of 8 KiB against 500 KiB of rules.
pub(crate) const CHECK: Limit = Limit { floor: 40.0, aim: 20.0 };

/// Memory of a parsed file, divided by its length.
#[expect(clippy::cast_precision_loss, reason = "a small number")]
pub(crate) const MEMORY: f64 = MEMORY_TIMES as f64;

const KINDS: [Kind; 6] = [
    Kind { name: "parse, ms per 500 KiB", figure: |cost| millis(cost.parse), budget: PARSE.floor },
    Kind { name: "check, ms per 500 KiB", figure: |cost| millis(cost.check), budget: CHECK.floor },
    Kind {
        name: "policy, ms per 500 KiB",
        figure: |cost| millis(cost.policy),
        budget: CHECK.floor,
    },
    // One pass and one check.
    Kind {
        name: "one-shot, ms per 500 KiB",
        figure: |cost| millis(cost.one_shot),
        budget: PARSE.floor + CHECK.floor,
    },
    // No figure is documented; linear work remains far below this.
    Kind {
        name: "diagnostics and extensions, ms per 500 KiB",
        figure: |cost| millis(cost.extensions),
        budget: 100.0,
    },
    Kind { name: "memory of parse, times the input", figure: |cost| cost.memory, budget: MEMORY },
];

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// Number of rows of a table.
const ROWS: usize = 10;

/// The ten worst cases of each kind of work.
#[must_use]
pub fn ten_worst(title: &str, costs: &[Cost]) -> String {
    let mut out = format!("# {title}\n");
    for kind in KINDS {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "\n{} (budget {})", kind.name, kind.budget);
        for cost in ranked(costs, &kind).into_iter().take(ROWS) {
            let _ = writeln!(out, "{}", row(cost, &kind));
        }
    }
    out
}

/// The worst case of each kind of work in each dialect.
#[must_use]
pub fn worst_of_all(all: &[(Dialect, Vec<Cost>)]) -> String {
    let mut out = String::from("# the worst of all\n");
    for kind in KINDS {
        let _ = writeln!(out, "\n{} (budget {})", kind.name, kind.budget);
        for (dialect, costs) in all {
            if let Some(cost) = ranked(costs, &kind).first() {
                let _ = writeln!(out, "{} [{dialect}]", row(cost, &kind));
            }
        }
    }
    out
}

/// The cases with a figure that is not 0, the worst first.
fn ranked<'c>(costs: &'c [Cost], kind: &Kind) -> Vec<&'c Cost> {
    let mut ranked: Vec<&Cost> = costs.iter().filter(|cost| (kind.figure)(cost) > 0.0).collect();
    ranked.sort_by(|a, b| (kind.figure)(b).total_cmp(&(kind.figure)(a)));
    ranked
}

fn row(cost: &Cost, kind: &Kind) -> String {
    let figure = (kind.figure)(cost);
    let mark = if figure > kind.budget { "MISSED" } else { "" };
    format!("{figure:12.2}  {mark:6}  {}", cost.name)
}
