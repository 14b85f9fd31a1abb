//! Every hostile entry behaves as it claims, judged through the engine's public API.
//!
//! # Flow
//!
//! Each entry of `verger_testkit::hostile` is a test, named by its id and what it is, so
//! `cargo test -p verger-testkit --test hostile -- R034` runs one. [`judge`] asks the engine all that
//! the entry claims; `always.rs` adds what holds for every input in every dialect: no panic, three
//! ways to one answer, bounded memory, a one-shot that allocates nothing. A test tells all that is
//! wrong, not only the first.
//!
//! # Scope
//!
//! Everything that an entry asks of the engine runs on a stack of [`STACK`] bytes. Budgets of time are
//! for the benchmark in `bench/`: a timer in a test fails for other people's reasons. What the command
//! line writes is judged with `hostile::judge_output`.

mod agents;
mod always;
mod extensions;
mod judge;
mod notices;
mod pages;
mod shown;
mod urls;
mod verdicts;

use std::collections::BTreeSet;
use std::process::ExitCode;
use std::thread;

use libtest_mimic::{Arguments, Failed, Trial};
use verger_testkit::hostile::{self, Entry};

use judge::judge;

/// Bytes of stack for everything that one entry asks.
///
/// The deepest of it without optimisation is sorting and formatting in the standard library, and the
/// URL parser; what the engine puts on the stack is a few kilobytes, whatever the input. A recursion
/// of one frame per byte, line, rule or star would need megabytes for these inputs.
const STACK: usize = 64 * 1024;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    // The default hook walks the stack for a backtrace, which takes more of it than there is.
    std::panic::set_hook(Box::new(|panic| verger_testkit::shared::say(&panic.to_string())));
    let mut trials: Vec<Trial> = hostile::all().map(entry_behaves).collect();
    trials.push(Trial::test("claims about the program are left to the command line", left_over));
    trials.push(Trial::test("members of a class of URLs have one target", urls::classes_agree));
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn entry_behaves(entry: Entry) -> Trial {
    let kind = format!("{:?}", entry.layer).to_lowercase();
    let name = format!("{} {}", entry.id, entry.what);
    Trial::test(name, move || {
        // Made outside: how an input is written down is not judged.
        let bytes = entry.bytes();
        report(&on_small_stack(move || judge(&entry, &bytes))?)
    })
    .with_kind(kind)
}

fn on_small_stack<T: Send + 'static>(
    run: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Failed> {
    let thread = thread::Builder::new().stack_size(STACK).spawn(run)?;
    thread.join().map_err(|_| Failed::from("it panicked; see above"))
}

fn report(complaints: &judge::Complaints) -> Result<(), Failed> {
    let all = complaints.all();
    if all.is_empty() { Ok(()) } else { Err(all.join("\n").into()) }
}

/// Names, pipes and closed streams are matters of a program, and of it alone.
fn left_over() -> Result<(), Failed> {
    let left: BTreeSet<&str> = hostile::all()
        .filter(|entry| entry.expect.iter().any(judge::is_about_the_program))
        .map(|entry| entry.id)
        .collect();
    let known = BTreeSet::from(["O162", "O163", "O164", "O170", "O171"]);
    if left == known { Ok(()) } else { Err(format!("left to the command line: {left:?}").into()) }
}
