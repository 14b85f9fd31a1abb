//! Politeness: turns, pauses, back-off and the polite fetch, on a clock that jumps.
#![expect(clippy::unwrap_used, reason = "a site that cannot be set up has failed the test")]

mod agreement;
#[cfg(feature = "metrics")]
mod counted;
mod pages;
mod refusing;
mod site;
mod threads;
mod turns;

/// The resident memory of this process, if the system reports it.
fn resident_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().trim_end_matches(" kB").parse().ok()
}
