//! `verger-bench-counts`: compares instruction counts with their budgets, and checks the growth on
//! the worst inputs.
//!
//! # Flow
//!
//! Standard input is the output of the bench `counts`, a line of JSON for each count. Counts of hot
//! paths are compared with [`BUDGETS`]; `--write` makes them the new budgets. Worst inputs have
//! three counts: unchanged, with twice the text, and with twice the URL; their ratio is checked.
//!
//! `cargo xtask counts` runs both.
//!
//! # Scope
//!
//! Budgets are valid for one compiler. With another one, counts above budget are reported but are
//! not a failure; ratios are always checked.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "it prints a table")]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};

use serde_json::Value;

/// Budgets of hot paths, in instructions.
const BUDGETS: &str = "budgets.txt";

/// Maximum ratio of a count to its budget: 3 % for changes of linker, allocator or `std`.
const ALLOWANCE: f64 = 1.03;

/// Maximum ratio for twice the input: linear work takes twice as much, quadratic work four times.
const GROWTH: f64 = 2.2;

/// Counts, by `function id`, and for worst inputs by `function kind family`.
type Counts = BTreeMap<String, u64>;

type Result<T = ()> = std::result::Result<T, String>;

fn main() -> ExitCode {
    let write = std::env::args().any(|argument| argument == "--write");
    match std::io::read_to_string(std::io::stdin())
        .map_err(|error| error.to_string())
        .and_then(|counts| run(&counts, write))
    {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Compares; with `write`, the counts of hot paths become their new budgets.
fn run(counts: &str, write: bool) -> Result {
    let (paths, growth) = counted(counts)?;
    let version = Command::new("rustc").arg("--version").output();
    let compiler = version.map_err(|error| format!("rustc: {error}"))?.stdout;
    let compiler = String::from_utf8_lossy(&compiler);
    let compiler = format!("{} on {}", compiler.trim(), std::env::consts::ARCH);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(BUDGETS);
    let failed = |error| format!("{BUDGETS}: {error}");
    if write {
        let before = fs::read_to_string(&path).map_err(failed)?;
        fs::write(&path, written(&before, &compiler, &paths)).map_err(failed)?;
        println!("{BUDGETS}: {} budgets", paths.len());
    }
    let budgets = fs::read_to_string(&path).map_err(failed)?;
    let is_same_compiler = budgets.lines().any(|line| line == by(&compiler));
    let budgets = read(&budgets)?;
    let over = over_budget(&paths, &budgets)?;
    let under = far_below(&paths, &budgets);
    if !under.is_empty() {
        println!("below their budgets, which could be lowered: {}", under.join(", "));
    }
    let steep = too_steep(&growth)?;
    if !over.is_empty() && !is_same_compiler {
        println!(
            "NOT JUDGED: budgets are of another compiler than {compiler}: {}",
            over.join(", ")
        );
    }
    let mut found = Vec::new();
    if is_same_compiler && !over.is_empty() {
        let hint = "where that is meant, `cargo xtask counts --write` writes new budgets";
        found.push(format!("too many instructions: {}; {hint}", over.join(", ")));
    }
    if !steep.is_empty() {
        found.push(format!("not linear: {}", steep.join(", ")));
    }
    if found.is_empty() { Ok(()) } else { Err(found.join("\n")) }
}

/// The counts of hot paths, and those of worst inputs.
fn counted(output: &str) -> Result<(Counts, Counts)> {
    let (mut paths, mut growth) = (Counts::new(), Counts::new());
    for line in output.lines().filter(|line| line.starts_with('{')) {
        let (group, name, count) = counted_in(line)
            .ok_or_else(|| format!("expected a count of Gungraun, but found {line}"))?;
        if group == "growth" { &mut growth } else { &mut paths }.insert(name, count);
    }
    if paths.is_empty() {
        return Err("expected counts of hot paths, but found none".to_owned());
    }
    Ok((paths, growth))
}

/// Group, name and count from a line of the bench.
fn counted_in(line: &str) -> Option<(String, String, u64)> {
    let line: Value = serde_json::from_str(line).ok()?;
    let text = |key: &str| line.get(key)?.as_str();
    let count = line.pointer("/profiles/0/data/total/metrics/Ir/values/new")?.as_u64()?;
    let (group, function, id) = (text("group")?, text("function_name")?, text("id")?);
    let name = if group == "growth" {
        // `once_3`, of `(once("family"))`.
        let (kind, _) = id.rsplit_once('_')?;
        format!("{function} {kind} {}", text("description")?.split('"').nth(1)?)
    } else {
        format!("{function} {id}")
    };
    Some((group.to_owned(), name, count))
}

fn by(compiler: &str) -> String {
    format!("# by {compiler}")
}

/// The first line of the counts; the lines before it are written by people.
const COUNTS: &str = "# Instructions of hot paths, written by `cargo xtask counts --write`.";

fn written(before: &str, compiler: &str, counts: &Counts) -> String {
    let (floors, _) = before.split_once(COUNTS).unwrap_or_default();
    let mut text = format!("{floors}{COUNTS}\n{}\n", by(compiler));
    for (name, count) in counts {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{name} = {count}");
    }
    text
}

fn read(budgets: &str) -> Result<Counts> {
    let (_, counts) = budgets.split_once(COUNTS).unwrap_or_default();
    let lines = counts.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let counts = lines.map(|line| {
        let (name, count) = line.split_once(" = ")?;
        Some((name.to_owned(), count.parse().ok()?))
    });
    counts.collect::<Option<_>>().ok_or_else(|| format!("{BUDGETS}: expected `name = count`"))
}

/// Prints hot paths with their budgets; returns those above.
fn over_budget(counts: &Counts, budgets: &Counts) -> Result<Vec<String>> {
    println!("{:>12} {:>12}  {:<6} hot path", "instructions", "budget", "");
    let mut over = Vec::new();
    for (name, &count) in counts {
        let budget = *budgets.get(name).ok_or_else(|| no_budget(name))?;
        let is_over = ratio(count, budget) > ALLOWANCE;
        println!("{count:12} {budget:12}  {:6} {name}", if is_over { "OVER" } else { "" });
        if is_over {
            over.push(format!("{name} ({count} for {budget})"));
        }
    }
    match budgets.keys().find(|name| !counts.contains_key(*name)) {
        Some(name) => Err(format!("{BUDGETS}: `{name}` was not counted")),
        None => Ok(over),
    }
}

/// Hot paths so far below their budget that it no longer detects regressions.
fn far_below(counts: &Counts, budgets: &Counts) -> Vec<String> {
    let is_far = |(name, count): &(&String, &u64)| {
        budgets.get(*name).is_some_and(|&budget| ratio(budget, **count) > ALLOWANCE)
    };
    let text = |(name, count): (&String, &u64)| format!("{name} ({count})");
    counts.iter().filter(is_far).map(text).collect()
}

fn no_budget(name: &str) -> String {
    format!("{BUDGETS}: no budget for `{name}`; `cargo xtask counts --write` writes one")
}

/// Prints the growth on the worst inputs; returns excessive growth.
fn too_steep(counts: &Counts) -> Result<Vec<String>> {
    println!("\n{:>12} {:>8} {:>8}  work and family", "instructions", "2 x text", "2 x URL");
    let mut steep = Vec::new();
    let mut compared = 0;
    for (name, &once) in counts {
        let Some((work, family)) = name.split_once(" once ") else { continue };
        let mut times = [0.0; 2];
        for (times, kind) in times.iter_mut().zip(["text", "url"]) {
            let name = format!("{work} {kind} {family}");
            let count = counts.get(&name).ok_or_else(|| format!("`{name}` was not counted"))?;
            *times = ratio(*count, once);
            compared += 1;
            if *times > GROWTH {
                steep.push(format!("{name} ({times:.2} times as many)"));
            }
        }
        println!("{once:12} {:8.2} {:8.2}  {work} {family}", times[0], times[1]);
    }
    if compared == 0 { Err("no worst input was counted".into()) } else { Ok(steep) }
}

#[expect(clippy::cast_precision_loss, reason = "a ratio is read to two digits")]
fn ratio(count: u64, of: u64) -> f64 {
    count as f64 / of.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(all: &[(&str, u64)]) -> Counts {
        all.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect()
    }

    #[test]
    fn budgets_are_read_as_they_are_written() {
        let all = counts(&[("check literal", 2_018), ("parse ordinary", 97_737)]);
        let before = format!("a: b >= 2\n\n{COUNTS}\ncheck literal = 7\n");
        let text = written(&before, "rustc 1", &all);
        assert_eq!(read(&text), Ok(all));
        assert!(text.starts_with("a: b >= 2\n\n"), "{text}");
        assert!(text.lines().any(|line| line == by("rustc 1")));
        assert!(read(&format!("{COUNTS}\ncheck 7")).is_err());
    }

    #[test]
    fn a_count_is_over_its_budget_beyond_the_allowance() {
        let budgets = counts(&[("a", 1_000), ("b", 1_000)]);
        let over = over_budget(&counts(&[("a", 1_030), ("b", 1_031)]), &budgets);
        assert_eq!(over, Ok(vec!["b (1031 for 1000)".to_owned()]));
        assert!(over_budget(&counts(&[("a", 1), ("c", 1)]), &budgets).is_err(), "no budget");
        assert!(over_budget(&counts(&[("a", 1)]), &budgets).is_err(), "not counted");
    }

    #[test]
    fn quadratic_growth_is_too_steep() {
        let grown = |twice: u64| {
            too_steep(&counts(&[("f once x", 100), ("f text x", twice), ("f url x", 100)]))
        };
        assert_eq!(grown(220), Ok(Vec::new()));
        assert_eq!(grown(400), Ok(vec!["f text x (4.00 times as many)".to_owned()]));
        assert!(too_steep(&counts(&[("f once x", 100)])).is_err());
        assert!(too_steep(&Counts::new()).is_err());
    }

    #[test]
    fn a_line_of_the_bench_names_its_count() {
        let line = |group: &str, id: &str, description: &str| {
            counted_in(&format!(
                r#"{{"group":"{group}","function_name":"f","id":"{id}","description":"{description}",
                "profiles":[{{"data":{{"total":{{"metrics":{{"Ir":{{"values":{{"new":7}}}}}}}}}}}}]}}"#
            ))
        };
        let named = |group: &str, name: &str| Some((group.to_owned(), name.to_owned(), 7));
        assert_eq!(line("paths", "x", "(x())"), named("paths", "f x"));
        assert_eq!(line("growth", "url_3", r#"(url(\"w-x\"))"#), named("growth", "f url w-x"));
        assert_eq!(counted_in("{}"), None);
    }
}
