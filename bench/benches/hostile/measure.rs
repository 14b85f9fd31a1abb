//! Measuring one case: the best of several runs, and the peak of memory.
//!
//! Times err on the dark side: the counting allocator copies a block whenever it grows, where the
//! system's own often need not.

use std::hint::black_box;
use std::time::{Duration, Instant};

use allocation_counter::AllocationInfo;
use verger::diagnostic::Diagnostic;
use verger::parse::Encoding;
use verger::{Dialect, Robots};
use verger_testkit::hostile::{AGENT, LIMIT, MEMORY_PLUS};

use crate::cases::Case;

/// What a case costs in a dialect. Times are for 500 KiB: those of longer texts are scaled down.
pub(crate) struct Cost {
    pub(crate) name: String,
    pub(crate) parse: Duration,
    pub(crate) check: Duration,
    pub(crate) one_shot: Duration,
    /// Diagnostics, every record's value, and what extensions say of the URL.
    pub(crate) extensions: Duration,
    /// Peak of parsing, less the constant that the promise grants, by the bytes that count.
    pub(crate) memory: f64,
    /// Allocations of the one-shot.
    pub(crate) allocations: u64,
}

/// Measures a case.
pub(crate) fn measure(case: &Case, dialect: Dialect) -> Cost {
    let bytes = &*case.robots;
    let counting = bytes.len().min(dialect.byte_limit.unwrap_or(usize::MAX));
    let scale = |time: Duration| time.mul_f64(ratio(LIMIT, counting.max(LIMIT)));
    let dearest = |ask: &dyn Fn(&[u8])| {
        let costs = case.urls.iter().map(|url| best(|| ask(url)));
        costs.max_by_key(|(time, _)| *time).unwrap_or_default()
    };
    let (parse, parsing) = best(|| drop(black_box(dialect.parse(bytes))));
    let robots = dialect.parse(bytes);
    let (check, _) = dearest(&|url| {
        black_box(robots.check(AGENT, url).is_allowed());
    });
    let (one_shot, asking) = dearest(&|url| {
        black_box(dialect.is_allowed(bytes, AGENT, url));
    });
    let (extensions, _) = dearest(&|url| read_all(&robots, url));
    let is_utf16 = matches!(robots.encoding(), Encoding::Utf16Le | Encoding::Utf16Be);
    let peak = usize::try_from(parsing.bytes_max).unwrap_or(usize::MAX);
    Cost {
        name: case.name.clone(),
        parse: scale(parse),
        check: scale(check),
        one_shot: scale(one_shot),
        extensions: scale(extensions),
        memory: ratio(peak.saturating_sub(MEMORY_PLUS), counting),
        // Decoding UTF-16 is what may allocate.
        allocations: if dialect.utf16 && is_utf16 { 0 } else { asking.count_total },
    }
}

fn read_all(robots: &Robots, url: &[u8]) {
    let mut noticed = 0_usize;
    robots.diagnose(&mut |_: Diagnostic| noticed += 1);
    black_box(noticed);
    black_box(robots.sitemaps().len());
    black_box(robots.content_usage(AGENT, url));
    black_box(robots.content_signals(AGENT, url));
    if let Ok(url) = std::str::from_utf8(url) {
        black_box(robots.clean_url(url).len());
    }
}

/// The shortest of several runs, and what the first one allocated; of long ones a single run has to do.
fn best(mut run: impl FnMut()) -> (Duration, AllocationInfo) {
    const RUNS: u32 = 5;
    const LONG: Duration = Duration::from_millis(200);
    let mut best = Duration::MAX;
    let mut all = Duration::ZERO;
    let mut memory = None;
    for _ in 0..RUNS {
        let start = Instant::now();
        let allocated = allocation_counter::measure(&mut run);
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
