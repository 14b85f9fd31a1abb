//! Instruction counts of hot paths, and their growth on the worst inputs.
//!
//! # Flow
//!
//! Callgrind counts the instructions of each function below, once, without the construction of its
//! arguments. `inputs.rs` has the inputs of hot paths, `families.rs` the worst inputs, in two
//! sizes. `cargo xtask counts` runs this, compares the counts of [`paths`] with
//! `bench/budgets.txt`, and those of [`growth`] with each other.
//!
//! # Scope
//!
//! A count does not depend on the load of the machine, but on compiler and processor features. With
//! allocations, it also depends slightly on earlier allocations, even on the length of the folder's
//! name. It does not include effects of caches. Hot paths are named in `bench/budgets.txt` by the
//! function here and its input: `ordinary` is a file of typical size and shape, `literal` and
//! `wildcards` are few rules, those of `500k` fill a file of 500 KiB. `harness` is Gungraun, with a
//! separate program as runner.

#![expect(missing_docs, reason = "Gungraun's macros make public functions, which nobody can call")]

mod families;
mod inputs;

use std::hint::black_box;

use gungraun::prelude::*;
use verger::{Policy, Robots};

use families::{Asked, Compiled, Parsed, once, text, url};
use inputs::{
    AGENT, CLEAN, ESCAPED, FILLING, WILDCARDS, asked_before, many, nothing, ordinary, policy,
};

#[library_benchmark]
#[bench::ordinary(ordinary())]
fn one_shot(text: String) -> bool {
    black_box(verger::is_allowed(&text, AGENT, CLEAN))
}

#[library_benchmark]
#[bench::ordinary(ordinary())]
#[bench::rules_500k(many(FILLING, 0))]
fn parse(text: String) -> Robots {
    black_box(Robots::parse(&text))
}

#[library_benchmark]
#[bench::ordinary(ordinary())]
#[bench::rules_1k(many(1_000, 30))]
fn parse_and_compile(text: String) -> Policy {
    black_box(policy(&text))
}

#[library_benchmark]
#[bench::ordinary(asked_before(Robots::parse(&ordinary())))]
fn check_file(robots: Robots) -> (bool, Robots) {
    (black_box(robots.check(AGENT, CLEAN).is_allowed()), robots)
}

#[library_benchmark]
#[bench::literal(policy(&many(10, 0)))]
#[bench::wildcards(policy(WILDCARDS))]
#[bench::ordinary(policy(&ordinary()))]
#[bench::literal_500k(policy(&many(FILLING, 0)))]
#[bench::wildcards_500k(policy(&many(FILLING, 30)))]
fn check(policy: Policy) -> (bool, Policy) {
    (black_box(policy.check(CLEAN).is_allowed()), policy)
}

#[library_benchmark]
#[bench::clean(nothing(), CLEAN)]
#[bench::escaped(nothing(), ESCAPED)]
fn target(policy: Policy, url: &str) -> (bool, Policy) {
    (black_box(policy.check(black_box(url)).is_allowed()), policy)
}

#[library_benchmark]
#[bench::ordinary(policy(&ordinary()))]
#[bench::wildcards_500k(policy(&many(FILLING, 30)))]
fn load(policy: Policy) -> (bool, Policy) {
    (black_box(Policy::from_bytes(policy.as_bytes()).is_ok()), policy)
}

/// A kind of work, on every family: unchanged, with twice the text, with twice the URL.
macro_rules! works {
    ($families:tt; $($name:ident: $input:ty => $output:ty, $work:expr;)*) => { $(
        #[library_benchmark]
        #[benches::once(args = $families, setup = once)]
        #[benches::text(args = $families, setup = text)]
        #[benches::url(args = $families, setup = url)]
        fn $name(input: $input) -> ($output, $input) {
            let work: fn(&$input) -> $output = $work;
            (black_box(work(black_box(&input))), input)
        }
    )* };
}

works! {
    [
        "absent-byte", "sixteen-stars", "near-misses", "distinct-words", "distinct-grams", "escaped-path",
        "escaped-rules", "nested-prefixes", "shrinking-prefixes", "one-octet-differs", "all-match", "stars-everywhere", "many-groups", "agents-that-ask", "junk",
    ];
    grow_one_shot: Asked => bool, |asked| verger::is_allowed(&asked.text, AGENT, &asked.url);
    grow_parse: Asked => Robots, |asked| Robots::parse(&asked.text);
    grow_check: Parsed => bool, |parsed| parsed.robots.check(AGENT, &parsed.url).is_allowed();
    grow_compile: Parsed => Policy, |parsed| parsed.robots.policy(AGENT);
    grow_policy: Compiled => bool, |compiled| compiled.policy.check(&compiled.url).is_allowed();
}

library_benchmark_group!(
    name = paths,
    benchmarks = [one_shot, parse, parse_and_compile, check_file, check, target, load]
);

library_benchmark_group!(
    name = growth,
    benchmarks = [grow_one_shot, grow_parse, grow_check, grow_compile, grow_policy]
);

main!(library_benchmark_groups = [paths, growth]);
