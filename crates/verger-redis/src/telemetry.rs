//! Numbers through the facade `metrics`.

use std::time::Duration;

use metrics::{counter, histogram};

/// The name of a call of Redis, a label.
pub(crate) type Call = &'static str;

/// Counts a call by its result, and records its duration if it was sent.
pub(crate) fn called(call: Call, result: &'static str, time: Option<Duration>) {
    counter!("verger_redis_calls_total", "call" => call, "result" => result).increment(1);
    if let Some(time) = time {
        histogram!("verger_redis_seconds", "call" => call).record(time);
    }
}

/// Counts a damaged or forged value.
pub(crate) fn damaged() {
    counter!("verger_redis_damaged_total").increment(1);
}
