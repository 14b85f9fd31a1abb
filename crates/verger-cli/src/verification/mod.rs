//! Verification of an answer of `check` against an archived robots.txt (`docs/json.md`).
//!
//! # Flow
//!
//! `decision.rs` reads an answer as a [`SavedDecision`], and rejects duplicate keys.
//! `consistency.rs` compares its claims with each other: crawler, URL, access, order of times.
//! `archive.rs` compares the length and hash of the file with the archived one. `verdict.rs` checks
//! the URL against that file again. Every mismatch is a [`Finding`].
//!
//! An answer is not signed. So claims that only the server could confirm are not verified: status,
//! failure, redirects, access profile, length of an outage. Nothing is fetched, and no clock is
//! read.

mod archive;
mod consistency;
mod decision;
mod verdict;

use std::fmt;

use serde::Serialize;
use serde_json::Value;
use verger_json::Foreign;

pub(crate) use self::archive::Archive;
pub(crate) use self::decision::{SavedDecision, json_error};
use crate::error::Error;
use crate::sentence::quoted;

/// The result of verifying one answer.
#[derive(Debug, Serialize)]
pub(crate) struct Verification<'d> {
    /// The line on which the answer begins.
    pub(crate) line: usize,
    #[serde(flatten)]
    pub(crate) url: Foreign<&'d [u8]>,
    pub(crate) holds: bool,
    /// Whether the rules of the file decide. Otherwise the file proves nothing about the fetch.
    pub(crate) by_rules: bool,
    pub(crate) findings: Vec<Finding>,
}

impl<'d> Verification<'d> {
    /// Verifies every claim of an answer.
    ///
    /// # Errors
    ///
    /// The file is not in the archive, and the answer is consistent otherwise.
    pub(crate) fn of(
        saved: &'d SavedDecision,
        line: usize,
        archive: &mut Archive,
    ) -> Result<Self, Error> {
        let mut findings = consistency::check(saved);
        match archive.check(saved, &mut findings) {
            Ok(body) => verdict::check(saved, &body, archive, &mut findings),
            Err(error) if findings.is_empty() => return Err(error),
            // The answer fails with any file.
            Err(_) => {}
        }
        Ok(Self {
            line,
            url: Foreign::new("url", saved.keys.url.as_bytes()),
            holds: findings.is_empty(),
            by_rules: saved.decision.access == "rules",
            findings,
        })
    }
}

/// A claim that does not hold.
#[derive(Debug, Serialize)]
pub(crate) struct Finding {
    /// The key in the answer: `rule.line`.
    pub(crate) item: String,
    #[serde(skip_serializing_if = "Value::is_null")]
    claimed: Value,
    /// The correct value; absent when the key should be absent or several values are possible.
    #[serde(skip_serializing_if = "Value::is_null")]
    found: Value,
    message: String,
}

impl Finding {
    /// A value that differs from the correct one.
    fn differs(item: impl Into<String>, claimed: Value, found: Value) -> Self {
        let message = format!("claimed {}, but found {}", shown(&claimed), shown(&found));
        Self { item: item.into(), claimed, found, message }
    }

    /// A value that is impossible for a reason.
    fn impossible(item: impl Into<String>, claimed: Value, why: impl fmt::Display) -> Self {
        let message = format!("claimed {}, but {why}", shown(&claimed));
        Self { item: item.into(), claimed, found: Value::Null, message }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.item, self.message)
    }
}

/// A JSON value in a sentence.
fn shown(value: &Value) -> String {
    match value {
        Value::Null => "nothing".to_owned(),
        Value::String(text) => quoted(text),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        other => quoted(&other.to_string()),
    }
}
