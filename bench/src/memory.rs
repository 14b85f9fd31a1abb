//! Memory for a file, in bytes.
//!
//! # Flow
//!
//! The lengths of policies are known. The heap of peers can only be measured by an allocator, and a
//! counting one disturbs measurements of time. So [`memory`] runs in a separate program
//! (`verger-bench-memory`), which writes JSON Lines, and [`Held::ask`] starts it.

use std::process::Command;
use std::{env, io};

use serde::{Deserialize, Serialize};
use verger::{Dialect, Robots};

use crate::Result;
use crate::allocations::{Allocated, Count};
use crate::arguments::Arguments;
use crate::hostile;
use crate::peers::{self, Heap};
use crate::set::Set;
use crate::statistics::share;

/// Memory of a peer for all files.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Held {
    pub(crate) peer: String,
    pub(crate) is_ours: bool,
    /// Number of accepted files.
    pub(crate) files: usize,
    /// The bytes of these files.
    pub(crate) source: u64,
    /// Bytes on the heap, without borrowed bytes of the file.
    pub(crate) heap: u64,
    /// Whether the bytes of the file must remain in memory.
    pub(crate) borrows: bool,
}

/// The peak of memory for parsing a hostile file.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Peak {
    pub(crate) case: String,
    /// Peak divided by the length of the file.
    pub(crate) times: f64,
}

/// Policies for one crawler.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Policies {
    pub(crate) count: usize,
    /// Length of the patterns of the applicable rules, as written.
    pub(crate) patterns: usize,
    /// Length of the policies without explanations.
    pub(crate) evaluation: usize,
    /// Length with explanations.
    pub(crate) whole: usize,
}

/// Permitted length of a policy in addition to its patterns, in bytes.
const GRANTED: usize = 64;

impl Policies {
    pub(crate) fn of(set: &Set) -> Self {
        let mut found = Self::default();
        for site in &set.sites {
            let robots = Robots::parse(&site.bytes);
            let groups = robots.groups_for(&set.agent);
            let rules = groups.flat_map(|group| group.rules());
            let policy = robots.policy(&set.agent);
            found.count += 1;
            found.patterns += rules.map(|rule| rule.pattern().len()).sum::<usize>();
            found.evaluation += policy.without_explanation().as_bytes().len();
            found.whole += policy.as_bytes().len();
        }
        found
    }

    /// The ratio of the policies' lengths, minus the permitted constants, to the patterns'.
    pub(crate) fn times(self) -> f64 {
        share(self.evaluation.saturating_sub(GRANTED * self.count), self.patterns)
    }
}

impl Held {
    /// Starts the counting program with the arguments of this one.
    pub(crate) fn ask() -> Result<(Vec<Self>, Option<Peak>)> {
        let message = |error: io::Error| error.to_string();
        let program = env::current_exe()
            .map_err(message)?
            .with_file_name("verger-bench-memory")
            .with_extension(env::consts::EXE_EXTENSION);
        let output =
            Command::new(&program).args(env::args_os().skip(1)).output().map_err(|error| {
                format!(
                    "{}: {error}; hint: build it with `cargo build --release --bins`",
                    program.display()
                )
            })?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).trim_end().to_owned());
        }
        let text = String::from_utf8_lossy(&output.stdout);
        let held = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        let peak = text.lines().find_map(|line| serde_json::from_str(line).ok());
        Ok((held, peak))
    }
}

/// Measures memory with a counting allocator, and writes JSON Lines on standard output.
///
/// # Errors
///
/// If files cannot be read.
pub fn memory(arguments: &Arguments, count: fn(&mut dyn FnMut()) -> Allocated) -> Result {
    let corpus = arguments.corpus()?;
    for heap in peers::heaps() {
        print(&held(&corpus.set, &heap, count));
    }
    let mut cases = hostile::of_suite();
    cases.extend(hostile::families());
    let peaks = cases.iter().map(|case| {
        let bytes = &*case.robots;
        let Allocated { peak, .. } = count(&mut || drop(Dialect::RFC9309.parse(bytes)));
        let peak = usize::try_from(peak).unwrap_or(usize::MAX);
        let counting = bytes.len().min(verger::limits::BODY_BYTES);
        let peak = peak.saturating_sub(verger_testkit::hostile::MEMORY_PLUS);
        Peak { case: case.name.clone(), times: share(peak, counting) }
    });
    if let Some(peak) = peaks.max_by(|a, b| a.times.total_cmp(&b.times)) {
        print(&peak);
    }
    Ok(())
}

fn print(line: &impl Serialize) {
    if let Ok(line) = serde_json::to_string(line) {
        println!("{line}");
    }
}

fn held(set: &Set, heap: &Heap, count: Count) -> Held {
    let mut held = Held {
        peer: heap.name.clone(),
        is_ours: heap.is_ours,
        files: 0,
        source: 0,
        heap: 0,
        borrows: heap.borrows,
    };
    for site in &set.sites {
        if let Some(bytes) = (heap.hold)(site, &set.agent, count) {
            held.files += 1;
            held.source += site.bytes.len() as u64;
            held.heap += bytes;
        }
    }
    held
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::{Corpus, Source};
    use crate::set::Site;

    #[test]
    fn patterns_count_that_apply_to_the_crawler() {
        let robots = "User-agent: *\nDisallow: /abc\n\nUser-agent: Other\nDisallow: /not-this\n";
        let site = Site::new("a.example", robots.into(), Vec::new());
        let policies = Policies::of(&Set { agent: "GPTBot".into(), sites: vec![site] });
        assert_eq!((policies.count, policies.patterns), (1, 4));
        assert!(policies.evaluation > 32 && policies.whole > policies.evaluation, "{policies:?}");
    }

    #[test]
    fn a_policy_without_explanations_is_hardly_longer_than_its_patterns() {
        let source = Source::Generated { seed: 1, sites: 400 };
        let times = Policies::of(&Corpus::open(&source, "GPTBot").unwrap().set).times();
        assert!(times <= 1.2, "{times}");
    }
}
