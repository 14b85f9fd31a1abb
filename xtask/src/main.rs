//! Verger's own commands: `cargo xtask --help`.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "commands talk to people")]

mod bench;
mod conformance;
mod counts;
mod coverage;
mod fuzz;
mod generate;
mod histories;
mod kills;
mod miri;
mod mutants;
mod previous;
mod scale;
mod setup;
mod shell;
mod soak;
mod test;
mod tidy;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Verger's own commands.
#[derive(Debug, Parser)]
#[command(bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Runs everything CI runs.
    Test {
        /// First install what only tests need, saying what and why.
        #[arg(long)]
        setup: bool,
    },
    /// Measures Verger beside its peers; `cargo xtask bench --help` says what and how.
    #[command(disable_help_flag = true)]
    Bench {
        /// What the program of `bench/` is asked for.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Reckons what a hundred million origins take; `cargo xtask scale --help` says from what.
    #[command(disable_help_flag = true)]
    Scale {
        /// What the program of `bench/` is asked for.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Runs the conformance suite and prints passed/total per file and dialect.
    Conformance,
    /// Runs fuzz targets from their committed seeds.
    Fuzz {
        /// The target; all when absent.
        target: Option<String>,
        /// Seconds for each target.
        #[arg(long, default_value_t = fuzz::SECONDS)]
        seconds: u64,
    },
    /// Writes the generated files anew.
    Generate {
        /// Write nothing; fail when a file is out of date.
        #[arg(long)]
        check: bool,
    },
    /// Checks what no other tool does: clauses, file sizes, independence of oracles.
    Tidy,
    /// Counts the instructions of hot paths and of worst inputs (needs Valgrind and gungraun-runner).
    Counts {
        /// Make the counts of hot paths their new budgets.
        #[arg(long)]
        write: bool,
    },
    /// Measures the branch coverage of the engine (needs a nightly toolchain and cargo-llvm-cov).
    Coverage,
    /// Kills processes that share a store, and looks at what they leave.
    Kills {
        /// How many times.
        #[arg(long, default_value_t = 1_000)]
        count: u32,
    },
    /// Compares the records of the robots client with a naive model, on random histories.
    Histories {
        /// Number of histories.
        #[arg(long, default_value_t = 200_000)]
        count: u64,
        /// Seed of the first history.
        #[arg(long)]
        seed: Option<u64>,
        /// Plants faults in a copy of the project instead, and expects the model to notice each.
        #[arg(long, conflicts_with_all = ["count", "seed"])]
        plant: bool,
    },
    /// Runs the robots client against faults at random, and compares every answer with a model.
    Soak {
        /// Seconds of real time; some days of the client's clock for each.
        #[arg(long, default_value_t = 300)]
        seconds: u64,
        /// Other faults for another number.
        #[arg(long)]
        seed: Option<u64>,
    },
    /// Tests policies and what takes octets for numbers on machines of another kind, which Miri plays (needs a nightly toolchain).
    Miri,
    /// Runs the release before and this one on one store (builds the one before from the history).
    Previous,
    /// Looks for surviving mutants in the heart of the engine (needs cargo-mutants).
    Mutants,
}

fn main() -> ExitCode {
    let done = match Arguments::parse().command {
        Command::Test { setup } => test::run(setup),
        Command::Bench { arguments } => bench::run(&arguments),
        Command::Scale { arguments } => scale::run(&arguments),
        Command::Conformance => conformance::run(),
        Command::Fuzz { target, seconds } => fuzz::run(target.as_deref(), seconds),
        Command::Generate { check } => generate::run(check),
        Command::Tidy => tidy::run(),
        Command::Counts { write } => counts::run(write),
        Command::Coverage => coverage::run(),
        Command::Kills { count } => kills::run(count),
        Command::Soak { seconds, seed } => soak::run(seconds, seed),
        Command::Histories { plant: true, .. } => histories::plant(),
        Command::Histories { count, seed, .. } => histories::run(count, seed),
        Command::Miri => miri::run(),
        Command::Previous => previous::run(),
        Command::Mutants => mutants::run(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
