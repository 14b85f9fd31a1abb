//! Every hostile entry has its expected properties, checked through the engine's public API.
//!
//! # Flow
//!
//! Each entry of `verger_testkit::hostile` is a test, named by its id and description, so `cargo
//! test -p verger-testkit --test hostile -- R034` runs one. [`judge`] checks all claims of the
//! entry. `always.rs` adds general properties of every input in every dialect: no panic, equal
//! answers of three interfaces, limited memory, no allocation by the one-shot answer. A test
//! reports all problems, not only the first.
//!
//! # Scope
//!
//! The engine runs on a stack of [`STACK`] bytes. The benchmark in `bench/` has the time budgets,
//! because timers in tests fail for unrelated reasons. `hostile::judge_output` checks the command
//! line's output.

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

/// Size of the stack for each entry, in bytes.
///
/// In a debug build, sorting and formatting in the standard library and the URL parser need most of
/// it. The engine needs a few kilobytes for any input. A recursion with one frame per byte, line,
/// rule or star would need megabytes for these inputs.
const STACK: usize = 64 * 1024;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    // The default hook prints a backtrace, for which the stack is too small.
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
        // Built outside of the small stack, because building is not tested.
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

/// Names, pipes and closed streams concern only a program.
fn left_over() -> Result<(), Failed> {
    let left: BTreeSet<&str> = hostile::all()
        .filter(|entry| entry.expect.iter().any(judge::is_about_the_program))
        .map(|entry| entry.id)
        .collect();
    let known = BTreeSet::from(["O162", "O163", "O164", "O170", "O171"]);
    if left == known { Ok(()) } else { Err(format!("left to the command line: {left:?}").into()) }
}
