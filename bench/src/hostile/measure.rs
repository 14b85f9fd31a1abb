//! Measurement of one case: the best time of several runs.

use std::hint::black_box;
use std::time::{Duration, Instant};

use verger::{Dialect, Robots};
use verger_testkit::hostile::{AGENT, LIMIT};

use super::cases::Case;
use crate::statistics::share;

/// Cost of a case in a dialect. Times are for 500 KiB: those of longer texts are scaled down.
#[derive(Clone, Debug)]
pub(crate) struct Cost {
    /// Time to parse.
    pub(crate) parse: Duration,
    /// Time to check the most expensive URL of the case with the parsed file.
    pub(crate) check: Duration,
    /// The same with the compiled policy.
    pub(crate) policy: Duration,
    /// The same with the one-shot answer.
    pub(crate) one_shot: Duration,
    /// Diagnostics, every record's value, and the extensions for the URL.
    pub(crate) extensions: Duration,
}

/// Measures a case.
pub(crate) fn measure(case: &Case, dialect: Dialect) -> Cost {
    let bytes = &*case.robots;
    let counting = bytes.len().min(dialect.byte_limit.unwrap_or(usize::MAX));
    let scale = |time: Duration| time.mul_f64(share(LIMIT, counting.max(LIMIT)));
    let most_expensive = |ask: &dyn Fn(&[u8])| {
        case.urls.iter().map(|url| best(|| ask(url))).max().unwrap_or_default()
    };
    let parse = best(|| drop(black_box(dialect.parse(bytes))));
    let robots = dialect.parse(bytes);
    let check = most_expensive(&|url| {
        black_box(robots.check(AGENT, url).is_allowed());
    });
    let policy = robots.policy(AGENT);
    let policy = most_expensive(&|url| {
        black_box(policy.is_allowed(url));
    });
    let one_shot = most_expensive(&|url| {
        black_box(dialect.is_allowed(bytes, AGENT, url));
    });
    let extensions = most_expensive(&|url| read_all(&robots, url));
    Cost {
        parse: scale(parse),
        check: scale(check),
        policy: scale(policy),
        one_shot: scale(one_shot),
        extensions: scale(extensions),
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

/// The shortest of several runs. Long work is run once.
fn best(mut run: impl FnMut()) -> Duration {
    const RUNS: u32 = 5;
    const LONG: Duration = Duration::from_millis(200);
    let mut best = Duration::MAX;
    let mut all = Duration::ZERO;
    for _ in 0..RUNS {
        let start = Instant::now();
        run();
        let time = start.elapsed();
        best = best.min(time);
        all += time;
        if all > LONG {
            break;
        }
    }
    best
}
