//! Writes the output for a file.
#![allow(
    clippy::all,
    clippy::pedantic,
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::allow_attributes
)]
use verger_enforce::*;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let text = std::fs::read(&a[1]).unwrap();
    let robots = verger::Robots::parse(&text);
    let plan = Plan::of(
        &robots,
        &Options { agents: a[3..].to_vec(), ..Options::default() },
        verger::access::Timestamp::EPOCH,
    )
    .unwrap();
    let t = Target::ALL.into_iter().find(|t| t.name() == a[2]).unwrap();
    println!(
        "{}",
        plan.emit(
            t,
            &Choices {
                answer: Answer::Status(403),
                sha256: "0",
                approximate: true,
                proxies: (&[], "")
            }
        )
        .unwrap()
        .text
    );
}
