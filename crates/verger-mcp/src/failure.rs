//! Errors of tools, in a form that an agent can act on.

use std::time::Duration;

use serde::Serialize;
use serde_json::{Value, json};
use verger::{Untrusted, without_credentials};
use verger_fetch::client::{CheckError, TurnError};
use verger_fetch::decision::Decision;
use verger_fetch::failure::Failure;

/// An error in place of a result.
#[derive(Debug, Serialize)]
pub(crate) struct ToolError {
    kind: &'static str,
    message: String,
    hint: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    final_url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_in_seconds: Option<u64>,
}

impl ToolError {
    pub(crate) fn new(kind: &'static str, message: impl Into<String>, hint: &'static str) -> Self {
        Self { kind, message: message.into(), hint, final_url: None, retry_in_seconds: None }
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
        let (kind, hint) = match failure {
            Failure::Refused(_) => (
                "forbidden_address",
                "do not retry: only the operator can allow private networks (--allow-net), and no \
                 one the ports of other protocols",
            ),
            failure if failure.is_fault() => {
                ("client", "tell the operator: the fault is not the site's")
            }
            _ => ("network", "the site gave no usable answer; try later, or go on without"),
        };
        Self::new(kind, failure.to_string(), hint)
    }

    /// A fault in the fetch of the robots.txt of a URL, which can have redirected.
    pub(crate) fn of_fault(decision: &Decision) -> Option<Self> {
        let mut error = Self::of_failure(decision.fault()?);
        let redirected = decision.last().filter(|it| !it.redirects.is_empty());
        let Some(last) = redirected else { return Some(error.at(decision.url().as_str())) };
        error.message = format!("robots.txt redirects, and {}", error.message);
        Some(error.at(&last.final_url))
    }

    /// A URL that may not be fetched because its robots.txt is unreachable.
    pub(crate) fn of_unreachable(decision: &Decision) -> Self {
        if let Some(error) = Self::of_fault(decision) {
            return error;
        }
        let message = Untrusted::new(&decision.to_string()).to_string();
        let hint = "without robots.txt nothing may be fetched: check the spelling of the host, try \
                    later, or go on without this site";
        let error = Self::new("unreachable", message, hint).at(decision.url().as_str());
        Self { retry_in_seconds: decision.retry_in().map(seconds), ..error }
    }

    /// The structured form.
    pub(crate) fn json(&self) -> Value {
        json!({ "error": self })
    }
}

/// The whole seconds after which a wait is over, at least one.
pub(crate) fn seconds(wait: Duration) -> u64 {
    (wait.as_secs() + u64::from(wait.subsec_nanos() > 0)).max(1)
}

impl<E: Into<TurnError>> From<E> for ToolError {
    fn from(error: E) -> Self {
        let error = error.into();
        let later = "wait a few seconds and call again";
        let (kind, hint, url) = match &error {
            TurnError::Check(CheckError::InvalidUrl(_)) | TurnError::Scheme => {
                let hint = "give an absolute http or https URL, such as https://shop.example/a";
                ("invalid_url", hint, None)
            }
            TurnError::Unreachable { decision, .. } => return Self::of_unreachable(decision),
            TurnError::TooLong { url, .. } => {
                let hint = "requests to this site pause, because it asked for that or has failed: \
                            call again after `retry_in_seconds`";
                ("wait", hint, Some(url))
            }
            TurnError::Busy { url, .. } | TurnError::Held { url } => ("busy", later, Some(url)),
            _ => ("busy", later, None),
        };
        let message = Untrusted::new(&error.to_string()).to_string();
        let retry_in_seconds = error.retry_in().map(seconds);
        let result = Self { retry_in_seconds, ..Self::new(kind, message, hint) };
        match url {
            Some(url) => result.at(url),
            None => result,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_has_the_same_length_in_the_message_and_as_a_number() {
        let url = "https://user:secret@shop.example/a".to_owned();
        let again_in = Duration::from_millis(99_200);
        let error = ToolError::from(TurnError::TooLong { url, again_in }).json()["error"].take();
        assert_eq!(error["message"], "the next request is possible in 100 s");
        assert_eq!(error["retry_in_seconds"], 100);
        assert_eq!(error["final_url"], "https://shop.example/a");
    }
}
