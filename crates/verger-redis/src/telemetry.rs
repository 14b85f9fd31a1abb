//! Numbers through the facade `metrics`.

use std::time::Duration;

use metrics::{counter, histogram};

/// The name of a call of Redis, a label.
pub(crate) type Call = &'static str;

/// Counts a call that Redis answered.
pub(crate) fn answered(call: Call, time: Duration, is_ok: bool) {
    count(call, if is_ok { "ok" } else { "error" });
    histogram!("verger_redis_seconds", "call" => call).record(time);
}

/// Counts a call without an answer.
pub(crate) fn failed(call: Call, time: Duration) {
    count(call, "failed");
    histogram!("verger_redis_seconds", "call" => call).record(time);
}

/// Counts a call that was not sent because of an earlier failure.
pub(crate) fn refused(call: Call) {
    count(call, "refused");
}

/// Counts a damaged or forged value.
pub(crate) fn damaged() {
    counter!("verger_redis_damaged_total").increment(1);
}

fn count(call: Call, result: &'static str) {
    counter!("verger_redis_calls_total", "call" => call, "result" => result).increment(1);
}
