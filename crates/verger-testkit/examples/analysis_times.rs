//! Times of the analysis on the corpus of real files: for each file, all questions about single
//! rules, and the comparison of each policy with itself, for each crawler that the file names.
//!
//! ```sh
//! cargo run --release -p verger-testkit --example analysis_times            # dialect rfc9309
//! cargo run --release -p verger-testkit --example analysis_times -- google
//! ```

use std::process::ExitCode;
use std::time::{Duration, Instant};

use verger::{Dialect, Robots};
use verger_analysis::{Analysis, compare, named_crawlers};
use verger_testkit::corpus::corpus;

/// The slowest files that are listed.
const SLOWEST: usize = 10;

/// The results for a file.
#[derive(Default)]
struct Results {
    time: Duration,
    crawlers: usize,
    rules: usize,
    dead: usize,
    redundant: usize,
    /// Questions without an answer, and policies that are not proved to equal themselves.
    undecided: usize,
}

fn main() -> ExitCode {
    let name = std::env::args().nth(1).unwrap_or_else(|| "rfc9309".to_owned());
    let Ok(dialect) = name.parse::<Dialect>() else {
        return fail(&format!("expected the name of a dialect, but found `{name}`"));
    };
    let files = match corpus() {
        Ok(Some(files)) => files,
        Ok(None) => return fail("the corpus is not there"),
        Err(error) => return fail(&error.to_string()),
    };
    let mut found: Vec<(String, Results)> =
        files.iter().map(|(site, text)| (site.clone(), results(&dialect.parse(text)))).collect();
    found.sort_by_key(|(_, results)| results.time);
    report(&found);
    ExitCode::SUCCESS
}

fn results(robots: &Robots) -> Results {
    let start = Instant::now();
    let mut results = Results::default();
    let mut crawlers = named_crawlers(&[robots]);
    crawlers.push("*");
    for crawler in crawlers {
        let analysis = Analysis::new(robots, crawler);
        let (dead, redundant) = (analysis.dead_rules(), analysis.redundant_rules());
        results.crawlers += 1;
        results.rules += analysis.rules().len();
        results.dead += dead.found.len();
        results.redundant += redundant.found.len();
        results.undecided += dead.undecided.len() + redundant.undecided.len();
        results.undecided += usize::from(!compare(&analysis, &analysis).is_equal());
    }
    results.time = start.elapsed();
    results
}

#[expect(clippy::print_stdout, reason = "a report")]
fn report(found: &[(String, Results)]) {
    let sum = |of: fn(&Results) -> usize| found.iter().map(|(_, it)| of(it)).sum::<usize>();
    let total: Duration = found.iter().map(|(_, results)| results.time).sum();
    println!(
        "{} files, {} crawlers, {} rules: {} dead, {} redundant, {} undecided, in {total:.2?}",
        found.len(),
        sum(|it| it.crawlers),
        sum(|it| it.rules),
        sum(|it| it.dead),
        sum(|it| it.redundant),
        sum(|it| it.undecided)
    );
    for per_mille in [500, 900, 990, 999] {
        if let Some((_, results)) = found.get(found.len() * per_mille / 1000) {
            println!("{} per mille within {:.2?}", per_mille, results.time);
        }
    }
    for (site, Results { time, crawlers, rules, .. }) in found.iter().rev().take(SLOWEST) {
        println!("{time:>10.2?}  {crawlers:>4} crawlers  {rules:>7} rules  {site}");
    }
}

#[expect(clippy::print_stderr, reason = "a report")]
fn fail(message: &str) -> ExitCode {
    eprintln!("error: {message}");
    ExitCode::FAILURE
}
