//! Numbers through the facade `metrics`.

use std::time::Duration;

use metrics::{counter, histogram};

/// The calls of Redis.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Call {
    BackOff,
    Claim,
    Get,
    LastAnswer,
    List,
    Ping,
    Policy,
    Release,
    Remove,
    Renew,
    Replace,
    Turn,
    Versions,
}

impl Call {
    const fn name(self) -> &'static str {
        match self {
            Self::BackOff => "back_off",
            Self::Claim => "claim",
            Self::Get => "get",
            Self::LastAnswer => "last_answer",
            Self::List => "list",
            Self::Ping => "ping",
            Self::Policy => "policy",
            Self::Release => "release",
            Self::Remove => "remove",
            Self::Renew => "renew",
            Self::Replace => "replace",
            Self::Turn => "turn",
            Self::Versions => "versions",
        }
    }
}

/// Counts a call that Redis answered.
pub(crate) fn answered(call: Call, time: Duration, is_ok: bool) {
    count(call, if is_ok { "ok" } else { "error" });
    histogram!("verger_redis_seconds", "call" => call.name()).record(time);
}

/// Counts a call without an answer.
pub(crate) fn failed(call: Call, time: Duration) {
    count(call, "failed");
    histogram!("verger_redis_seconds", "call" => call.name()).record(time);
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
    counter!("verger_redis_calls_total", "call" => call.name(), "result" => result).increment(1);
}
