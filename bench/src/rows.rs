//! Rows of files, crawlers and URLs in a plain loop: the peer of the benchmark of columns
//! (`integrations/python/bench`), which starts the program.

use std::hint::black_box;
use std::time::Instant;

use verger::Dialect;
use verger_testkit::corpus::corpus;
use verger_testkit::golden::answers;

use crate::Result;
use crate::set::path;

/// Answers the questions to Google's library in a loop on the crate robotxt, and in one on the
/// engine. Each file is parsed once for each crawler. Prints rows and nanoseconds as JSON.
///
/// # Errors
///
/// If the data is absent or damaged.
pub fn rows() -> Result {
    let damaged = |error: std::io::Error| error.to_string();
    let absent = "the corpus and golden answers are not beside the project";
    let files = corpus().map_err(damaged)?.ok_or(absent)?;
    let answers = answers().map_err(damaged)?.ok_or(absent)?;
    let questions: Vec<(&[u8], &str, &[String])> = answers
        .iter()
        .flat_map(|about| {
            let file = files[&about.file].as_slice();
            about.verdicts.iter().map(move |(agent, _)| (file, agent.as_str(), &about.urls[..]))
        })
        .collect();
    let rows: usize = questions.iter().map(|(_, _, urls)| urls.len()).sum();

    let start = Instant::now();
    for (file, agent, urls) in &questions {
        let robots = robotxt::Robots::parse(file, *agent);
        for url in *urls {
            black_box(robots.is_allowed(&path(url)));
        }
    }
    let robotxt = start.elapsed().as_nanos();

    let start = Instant::now();
    for (file, agent, urls) in &questions {
        let policy = Dialect::RFC9309.policy(*file, *agent);
        for url in *urls {
            black_box(policy.is_allowed(url.as_str()));
        }
    }
    let verger = start.elapsed().as_nanos();
    println!("{{\"rows\": {rows}, \"robotxt\": {robotxt}, \"verger\": {verger}}}");
    Ok(())
}
