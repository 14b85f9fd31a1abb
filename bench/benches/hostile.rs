//! Cost of hostile inputs, in time and memory: the worst of all entries and families.
//!
//! # Flow
//!
//! [`verger_bench::hostile`] supplies inputs and measures the engine, as the best of several runs.
//! This prints the ten worst cases for each kind of work, and the worst of all with its budget.
//! Nothing fails here: the reader of the tables decides.
//!
//! An argument selects the cases whose name contains it: `cargo bench --bench hostile -- r034`.

use std::env;

use verger::Dialect;
use verger_bench::hostile::{self, Allocated, Cost};

fn main() {
    // Cargo adds `--bench`; `--test` means a single run as a test.
    let arguments: Vec<String> = env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument == "--test") {
        return;
    }
    let wanted = arguments.into_iter().find(|argument| !argument.starts_with('-'));
    let mut cases = hostile::of_suite();
    cases.extend(hostile::families());
    cases.retain(|case| wanted.as_ref().is_none_or(|wanted| case.name.contains(wanted)));
    let simd = if cfg!(feature = "simd") { "with" } else { "without" };
    let mut worst = Vec::new();
    for dialect in [Dialect::RFC9309, Dialect::GOOGLE] {
        let costs: Vec<Cost> =
            cases.iter().map(|case| hostile::measure(case, dialect, count)).collect();
        let title = format!("dialect {dialect}, {simd} simd, {} cases", cases.len());
        println!("{}", hostile::ten_worst(&title, &costs));
        worst.push((dialect, costs));
    }
    println!("{}", hostile::worst_of_all(&worst));
}

fn count(work: &mut dyn FnMut()) -> Allocated {
    let counted = allocation_counter::measure(work);
    let held = u64::try_from(counted.bytes_current).unwrap_or(0);
    Allocated { peak: counted.bytes_max, count: counted.count_total, held }
}
