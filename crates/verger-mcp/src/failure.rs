//! Errors of tools, in a form that an agent can act on.

use std::time::Duration;

use serde_json::{Value, json};
use verger::{Untrusted, without_credentials};
use verger_fetch::client::{CheckError, TurnError};
use verger_fetch::decision::Decision;
use verger_fetch::failure::{DnsError, Failure, NetworkError};
use verger_fetch::guard::RefusalReason;

/// An error in place of a result.
#[derive(Debug)]
pub(crate) struct ToolError {
    kind: &'static str,
    message: String,
    hint: &'static str,
    final_url: Option<String>,
    retry_in: Option<Duration>,
}

impl ToolError {
    pub(crate) fn new(kind: &'static str, message: impl Into<String>, hint: &'static str) -> Self {
        Self { kind, message: message.into(), hint, final_url: None, retry_in: None }
    }

    /// Names the URL that failed: after redirects, it is not that of the call.
    pub(crate) fn at(self, url: &str) -> Self {
        let url = without_credentials(url.as_bytes());
        Self { final_url: Some(String::from_utf8_lossy(&url).into_owned()), ..self }
    }

    /// Arguments that do not fit the schema.
    pub(crate) fn arguments(message: impl Into<String>) -> Self {
        Self::new("invalid_arguments", message, "correct the arguments and call again")
    }

    /// A page without a usable response.
    pub(crate) fn of_failure(failure: &Failure) -> Self {
        let message = failure.to_string();
        match failure {
            Failure::Refused(refusal) if refusal.reason() == RefusalReason::Port => {
                Self::new("forbidden_address", message, "do not retry: this port is never fetched")
            }
            Failure::Refused(_) => Self::new(
                "forbidden_address",
                message,
                "do not retry: only the operator can allow private networks (--allow-net)",
            ),
            failure if failure.is_fault() => {
                Self::new("client", message, "tell the operator: the fault is not the site's")
            }
            _ => Self::new(
                "network",
                message,
                "the site gave no usable answer; try later, or go on without",
            ),
        }
    }

    /// A URL that may not be fetched because its robots.txt is unreachable.
    pub(crate) fn of_unreachable(decision: &Decision) -> Self {
        let url = decision.url().as_str();
        if let Some(fault) = decision.fault() {
            return Self::of_failure(fault).at(url);
        }
        let message = Untrusted::new(&decision.to_string()).to_string();
        let retry_in = retry_in(decision);
        let hint = match retry_in {
            None => "check the spelling of the host",
            _ => "without robots.txt nothing may be fetched; try later, or go on without this site",
        };
        Self { retry_in, ..Self::new("unreachable", message, hint) }.at(url)
    }

    /// The structured form.
    pub(crate) fn json(&self) -> Value {
        let mut error = json!({"kind": self.kind, "message": self.message, "hint": self.hint});
        if let Some(url) = &self.final_url {
            error["final_url"] = url.as_str().into();
        }
        if let Some(wait) = self.retry_in {
            error["retry_in_seconds"] = wait.as_secs().max(1).into();
        }
        json!({ "error": error })
    }
}

/// Time until robots.txt may be reachable; `None` if waiting does not help, as for an unknown host.
pub(crate) fn retry_in(decision: &Decision) -> Option<Duration> {
    let unknown = Failure::Network(NetworkError::Dns(DnsError::NoSuchName));
    decision.retry_in().filter(|_| decision.failure() != Some(&unknown))
}

impl From<CheckError> for ToolError {
    fn from(error: CheckError) -> Self {
        TurnError::Check(error).into()
    }
}

impl From<TurnError> for ToolError {
    fn from(error: TurnError) -> Self {
        let (kind, hint) = match &error {
            TurnError::Check(CheckError::InvalidUrl(_)) => (
                "invalid_url",
                "give an absolute http or https URL, such as https://shop.example/a",
            ),
            TurnError::Unreachable { decision, .. } => return Self::of_unreachable(decision),
            TurnError::Scheme => ("invalid_url", "only http and https URLs can be fetched"),
            TurnError::TooLong { .. } => {
                ("wait", "the site asks for a pause; call again after retry_in_seconds")
            }
            _ => ("busy", "wait a few seconds and call again"),
        };
        let message = Untrusted::new(&error.to_string()).to_string();
        let result = Self { retry_in: error.retry_in(), ..Self::new(kind, message, hint) };
        match &error {
            TurnError::Busy { url, .. } | TurnError::TooLong { url, .. } | TurnError::Held { url } => {
                result.at(url)
            }
            _ => result,
        }
    }
}
