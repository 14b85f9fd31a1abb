//! Whether an answer of `check` holds against an archived robots.txt, and what of it does not
//! (`docs/json.md`).
//!
//! # Flow
//!
//! A [`Claim`] is read (`claim.rs`), of which no key may stand twice (`distinct.rs`). Its circumstances are
//! compared with each other (`circumstances.rs`): who asked, the way to the file, what the fetch means
//! (`fetches.rs`), the times (`times.rs`). Its file is compared with the archived one, and the question is asked
//! again of that (`reading.rs`). What does not hold is a [`Finding`].
//!
//! Nothing is fetched, and no clock is read.

mod archive;
mod circumstances;
mod claim;
mod distinct;
mod fetches;
mod reading;
mod times;

use std::fmt;

use serde::Serialize;
use serde_json::Value;

pub(crate) use archive::Archive;
pub(crate) use claim::{Claim, unreadable};

use crate::error::Error;
use crate::foreign::Foreign;
use crate::quote::quoted;

/// What came of the verification of one answer.
#[derive(Debug, Serialize)]
pub(crate) struct Verified<'c> {
    /// The line on which the answer begins.
    pub(crate) line: usize,
    #[serde(flatten)]
    pub(crate) url: Foreign<&'c [u8]>,
    pub(crate) holds: bool,
    /// Whether the answer rests on the rules of the file.
    pub(crate) by_rules: bool,
    pub(crate) findings: Vec<Finding>,
}

impl<'c> Verified<'c> {
    /// Looks at everything that an answer claims.
    ///
    /// # Errors
    ///
    /// When its file is not in the archive, and nothing else of it is found not to hold.
    pub(crate) fn of(claim: &'c Claim, line: usize, archive: &mut Archive) -> Result<Self, Error> {
        let mut findings = circumstances::check(claim);
        match reading::check(claim, archive) {
            Ok(found) => findings.extend(found),
            Err(error) if findings.is_empty() => return Err(error),
            // It does not hold whatever the file says.
            Err(_) => {}
        }
        Ok(Self {
            line,
            url: Foreign::new("url", claim.keys.url.as_bytes()),
            holds: findings.is_empty(),
            by_rules: claim.decision.access == "rules",
            findings,
        })
    }
}

/// One item that does not hold.
#[derive(Debug, Serialize)]
pub(crate) struct Finding {
    /// Where it stands in the answer: `rule.line`.
    pub(crate) item: String,
    #[serde(skip_serializing_if = "Value::is_null")]
    claimed: Value,
    /// What it would be if it held; absent where nothing should be there, and where more than one
    /// value would do.
    #[serde(skip_serializing_if = "Value::is_null")]
    found: Value,
    message: String,
}

impl Finding {
    /// Something else was found.
    fn differs(item: impl Into<String>, claimed: Value, found: Value) -> Self {
        let message = format!("claimed {}, but found {}", Shown(&claimed), Shown(&found));
        Self { item: item.into(), claimed, found, message }
    }

    /// It cannot be, for a reason.
    fn impossible(item: impl Into<String>, claimed: Value, why: impl fmt::Display) -> Self {
        let message = format!("claimed {}, but {why}", Shown(&claimed));
        Self { item: item.into(), claimed, found: Value::Null, message }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.item, self.message)
    }
}

/// A JSON value in a sentence.
struct Shown<'v>(&'v Value);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Value::Null => f.write_str("nothing"),
            Value::String(text) => f.write_str(&quoted(text)),
            Value::Bool(_) | Value::Number(_) => self.0.fmt(f),
            other => f.write_str(&quoted(&other.to_string())),
        }
    }
}
