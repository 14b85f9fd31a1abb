//! The machine of the figures.

use std::process::Command;
use std::{fs, thread};

/// A description of the machine and the compiler, in one line.
pub(crate) fn description() -> String {
    let cpu = fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| model(&text));
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let rustc = Command::new("rustc").arg("--version").output().ok();
    let rustc = rustc.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    let cpu = cpu.unwrap_or_else(|| "a processor that does not say its name".to_owned());
    let rustc = rustc.filter(|text| !text.is_empty()).unwrap_or_else(|| "rustc".to_owned());
    format!("{cpu}, {cores} cores, {} {}, {rustc}", std::env::consts::OS, std::env::consts::ARCH)
}

/// The load average of the last minute, if the system reports it and it is above one.
pub(crate) fn busy() -> Option<f64> {
    let load: f64 = fs::read_to_string("/proc/loadavg").ok()?.split(' ').next()?.parse().ok()?;
    (load > 1.0).then_some(load)
}

fn model(cpuinfo: &str) -> Option<String> {
    let line = cpuinfo.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}
