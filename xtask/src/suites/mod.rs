//! `cargo xtask test`: the default and the thorough suite.

mod default;
mod thorough;

use std::fmt::Write as _;
use std::fs;
use std::thread::{self, JoinHandle};
use std::time::Instant;

use crate::arguments::Arguments;
use crate::setup::{self, Need};
use crate::shell::Result;

/// A step of a suite.
struct Step {
    name: &'static str,
    /// Skipped if one of these is missing.
    needs: &'static [&'static Need],
    /// Some of its tests skip themselves if one of these is missing.
    uses: &'static [&'static Need],
    run: fn(&Arguments) -> Result,
}

impl Step {
    /// A step that needs only Rust.
    const fn new(name: &'static str, run: fn(&Arguments) -> Result) -> Self {
        Self { name, needs: &[], uses: &[], run }
    }

    fn all_needs(&self) -> impl Iterator<Item = &'static Need> {
        self.needs.iter().chain(self.uses).copied()
    }
}

/// Result of a step.
enum End {
    Passed,
    Failed(String),
    /// The missing tool.
    Skipped(&'static str),
}

/// Runs the suite selected by the arguments.
///
/// # Errors
///
/// If a step fails. The default suite stops there; the thorough one continues.
pub(crate) fn run(arguments: &Arguments) -> Result {
    let is_thorough = arguments.has("thorough");
    let steps = chosen(is_thorough, arguments.text("only"))?;
    let needs: Vec<_> = steps.iter().flat_map(|step| step.all_needs()).collect();
    // Installing waits for the network most of the time. The first steps need nothing.
    let mut setup = Some(thread::spawn({
        let (needs, installs) = (needs.clone(), arguments.has("setup"));
        move || if installs { setup::install(&needs) } else { Ok(()) }
    }));
    let start = Stopwatch::start();
    let mut ends = Vec::new();
    for step in steps {
        if step.all_needs().next().is_some()
            && let Some(setup) = setup.take()
        {
            join(setup)?;
            setup::report(&needs)?;
        }
        println!("\n== {}", step.name);
        let watch = Stopwatch::start();
        let end = perform(step, arguments);
        println!("{}", line(step.name, &end, &watch.read()));
        let is_last = matches!(end, End::Failed(_)) && !is_thorough;
        ends.push((step.name, end, watch.read()));
        if is_last {
            break;
        }
    }
    if let Some(setup) = setup {
        join(setup)?;
    }
    println!();
    // Repeated at the end, where it is read.
    setup::report(&needs)?;
    conclude(&ends, &start.read())
}

fn join(setup: JoinHandle<Result>) -> Result {
    setup.join().map_err(|_| "a thread panicked".to_owned())?
}

fn chosen(is_thorough: bool, only: Option<&str>) -> Result<Vec<&'static Step>> {
    let steps = || default::STEPS.iter().chain(thorough::STEPS);
    let Some(names) = only else {
        let count = if is_thorough { usize::MAX } else { default::STEPS.len() };
        return Ok(steps().take(count).collect());
    };
    let step = |name| {
        steps().find(|step| step.name == name).ok_or_else(|| {
            let names: Vec<_> = steps().map(|step| step.name).collect();
            format!("no suite has a step {name:?}\nhint: the steps are {}", names.join(", "))
        })
    };
    names.split(',').map(step).collect()
}

fn perform(step: &Step, arguments: &Arguments) -> End {
    if let Some(missing) = step.needs.iter().find(|need| !need.is_there()) {
        return End::Skipped(missing.name());
    }
    match (step.run)(arguments) {
        Ok(()) => End::Passed,
        Err(error) => End::Failed(error),
    }
}

/// Prints the result and the duration of every step.
fn conclude(ends: &[(&str, End, String)], time: &str) -> Result {
    println!("Steps:");
    for (name, end, time) in ends {
        println!("{}", line(name, end, time));
    }
    println!("All steps: {time}\n");
    let named = |is_wanted: fn(&End) -> bool| -> Vec<&str> {
        ends.iter().filter(|(_, end, _)| is_wanted(end)).map(|(name, ..)| *name).collect()
    };
    let failed = named(|end| matches!(end, End::Failed(_)));
    let (passed, skipped) =
        (named(|end| matches!(end, End::Passed)), named(|end| matches!(end, End::Skipped(_))));
    println!("{} passed, {} failed, {} skipped", passed.len(), failed.len(), skipped.len());
    if failed.is_empty() { Ok(()) } else { Err(format!("failed: {}", failed.join(", "))) }
}

/// `  tests                 passed   61 s, 110 s of CPU`.
fn line(name: &str, end: &End, time: &str) -> String {
    let (word, reason) = match end {
        End::Passed => ("passed", ""),
        End::Failed(error) => ("FAILED", error.as_str()),
        End::Skipped(missing) => return format!("  {name:22} SKIPPED  missing: {missing}"),
    };
    let mut line = format!("  {name:22} {word:8} {time}");
    if !reason.is_empty() {
        // Writing to a string cannot fail.
        let _ = write!(line, "\n      {}", reason.replace('\n', "\n      "));
    }
    line
}

/// Time since a start: real time, and on Linux the CPU time of the programs that were run.
struct Stopwatch {
    start: Instant,
    cpu: Option<u64>,
}

impl Stopwatch {
    fn start() -> Self {
        Self { start: Instant::now(), cpu: children_cpu() }
    }

    fn read(&self) -> String {
        let real = self.start.elapsed().as_secs();
        match (self.cpu, children_cpu()) {
            (Some(before), Some(now)) => format!("{real} s, {} s of CPU", now - before),
            _ => format!("{real} s"),
        }
    }
}

/// CPU seconds of all finished child processes.
fn children_cpu() -> Option<u64> {
    /// Ticks of `/proc` per second, on every Linux in use.
    const TICKS: u64 = 100;
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    // The fields after the name, which is in parentheses; user and system time are the 14th and
    // 15th.
    let fields = stat.rsplit_once(')')?.1.split_whitespace().skip(13).take(2);
    let ticks: Option<Vec<u64>> = fields.map(|field| field.parse().ok()).collect();
    Some(ticks?.iter().sum::<u64>() / TICKS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_step_fails_the_suite_and_a_skipped_one_does_not() {
        let ends = |second| [("a", End::Passed, "1 s".to_owned()), ("b", second, "2 s".to_owned())];
        assert_eq!(conclude(&ends(End::Skipped("tool")), ""), Ok(()));
        let failed = conclude(&ends(End::Failed("why".to_owned())), "");
        assert_eq!(failed, Err("failed: b".to_owned()));
    }

    #[test]
    fn the_reason_of_a_failure_is_below_its_line() {
        let failed = End::Failed("one\ntwo".to_owned());
        let expected = "  format                 FAILED   3 s\n      one\n      two";
        assert_eq!(line("format", &failed, "3 s"), expected);
    }

    #[test]
    fn steps_of_either_suite_can_be_chosen() {
        let names = |only| {
            chosen(false, Some(only)).map(|steps| steps.iter().map(|step| step.name).collect())
        };
        assert_eq!(names("format"), Ok(vec!["format"]));
        assert_eq!(names("miri,format"), Ok(vec!["miri", "format"]));
        assert!(names("miri,x").is_err_and(|error: String| error.contains("format, tidy")));
    }

    #[test]
    fn names_of_steps_are_different() {
        let steps = chosen(true, None).unwrap();
        let names: std::collections::BTreeSet<_> = steps.iter().map(|step| step.name).collect();
        assert_eq!(names.len(), steps.len());
    }
}
