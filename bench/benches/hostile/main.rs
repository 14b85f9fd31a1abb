//! What hostile inputs cost, in time and memory: the worst of all entries and families.
//!
//! # Flow
//!
//! `cases.rs` and `families.rs` give inputs, `measure.rs` asks the engine and takes the best of several
//! runs, `table.rs` prints for each kind of work the ten worst cases and the worst of all beside its
//! budget. Nothing fails here: who reads the tables decides.
//!
//! An argument keeps only the cases whose name holds it: `cargo bench --bench hostile -- R034`.

mod cases;
mod families;
mod measure;
mod table;

use std::env;

use verger::Dialect;

use measure::Cost;

fn main() {
    // Cargo adds `--bench`; `--test` is what runs a benchmark once to see that it works.
    let arguments: Vec<String> = env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument == "--test") {
        return;
    }
    let wanted = arguments.into_iter().find(|argument| !argument.starts_with('-'));
    let mut cases = cases::of_entries();
    cases.extend(families::all());
    cases.retain(|case| wanted.as_ref().is_none_or(|wanted| case.name.contains(wanted)));
    let memchr = if cfg!(feature = "memchr") { "with" } else { "without" };
    let mut worst = Vec::new();
    for dialect in [Dialect::RFC9309, Dialect::GOOGLE] {
        let costs: Vec<Cost> = cases.iter().map(|case| measure::measure(case, dialect)).collect();
        let title = format!("dialect {dialect}, {memchr} memchr, {} cases", cases.len());
        println!("{}", table::ten_worst(&title, &costs));
        worst.push((dialect, costs));
    }
    println!("{}", table::worst_of_all(&worst));
}
