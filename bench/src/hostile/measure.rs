//! Measurement of one case: the best time of several runs, and the peak of memory.
//!
//! The counter of allocations is an argument, because a counting allocator replaces the system's,
//! and a program that compares times must not have one. With such an allocator, times are too high:
//! it copies a block whenever it grows, which the system's often avoids.

use std::hint::black_box;
use std::time::{Duration, Instant};

use verger::{Dialect, Robots};
use verger_testkit::hostile::{AGENT, LIMIT, MEMORY_PLUS};

use super::cases::Case;

/// Allocations of some work.
#[derive(Clone, Copy, Debug, Default)]
pub struct Allocated {
    /// Peak of allocated bytes.
    pub peak: u64,
    /// Number of allocations.
    pub count: u64,
    /// Bytes that remain allocated.
    pub held: u64,
}

/// Does some work and counts its allocations.
pub type Count = fn(&mut dyn FnMut()) -> Allocated;

/// Cost of a case in a dialect. Times are for 500 KiB: those of longer texts are scaled down.
#[derive(Clone, Debug)]
pub struct Cost {
    /// The name of the case.
    pub name: String,
    /// Time to parse.
    pub parse: Duration,
    /// Time to check the most expensive URL of the case with the parsed file.
    pub check: Duration,
    /// The same with the compiled policy.
    pub policy: Duration,
    /// The same with the one-shot answer.
    pub one_shot: Duration,
    /// Diagnostics, every record's value, and the extensions for the URL.
    pub extensions: Duration,
    /// Peak of parsing, minus the documented constant, divided by the length of the decoded text.
    pub memory: f64,
}

/// Measures a case.
pub fn measure(case: &Case, dialect: Dialect, count: Count) -> Cost {
    let bytes = &*case.robots;
    let counting = bytes.len().min(dialect.byte_limit.unwrap_or(usize::MAX));
    let scale = |time: Duration| time.mul_f64(ratio(LIMIT, counting.max(LIMIT)));
    let most_expensive = |ask: &dyn Fn(&[u8])| {
        let costs = case.urls.iter().map(|url| best(count, || ask(url)));
        costs.max_by_key(|(time, _)| *time).unwrap_or_default()
    };
    let (parse, parsing) = best(count, || drop(black_box(dialect.parse(bytes))));
    let robots = dialect.parse(bytes);
    let (check, _) = most_expensive(&|url| {
        black_box(robots.check(AGENT, url).is_allowed());
    });
    let policy = robots.policy(AGENT);
    let (policy, _) = most_expensive(&|url| {
        black_box(policy.is_allowed(url));
    });
    let (one_shot, _) = most_expensive(&|url| {
        black_box(dialect.is_allowed(bytes, AGENT, url));
    });
    let (extensions, _) = most_expensive(&|url| read_all(&robots, url));
    let peak = usize::try_from(parsing.peak).unwrap_or(usize::MAX);
    Cost {
        name: case.name.clone(),
        parse: scale(parse),
        check: scale(check),
        policy: scale(policy),
        one_shot: scale(one_shot),
        extensions: scale(extensions),
        memory: ratio(peak.saturating_sub(MEMORY_PLUS), counting),
    }
}

fn read_all(robots: &Robots, url: &[u8]) {
    let mut noticed = 0_usize;
    robots.diagnose(|_| noticed += 1);
    black_box(noticed);
    black_box(robots.sitemaps().count());
    black_box(robots.content_usage(AGENT, url));
    black_box(robots.content_signals(AGENT, url));
    if let Ok(url) = std::str::from_utf8(url) {
        black_box(robots.clean_url(url).len());
    }
}

/// The shortest of several runs, and the allocations of the first. Long work is run once.
fn best(count: Count, mut run: impl FnMut()) -> (Duration, Allocated) {
    const RUNS: u32 = 5;
    const LONG: Duration = Duration::from_millis(200);
    let mut best = Duration::MAX;
    let mut all = Duration::ZERO;
    let mut memory = None;
    for _ in 0..RUNS {
        let start = Instant::now();
        let allocated = count(&mut run);
        let time = start.elapsed();
        memory.get_or_insert(allocated);
        best = best.min(time);
        all += time;
        if all > LONG {
            break;
        }
    }
    (best, memory.unwrap_or_default())
}

#[expect(clippy::cast_precision_loss, reason = "a ratio is read to two digits")]
fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}
