//! The file of an answer: its length and hash, compared with the archived file.

use serde_json::Value;
use verger_fetch::limits::BODY;
use verger_fetch::record::Body;

use super::{Archive, Claim, Finding};
use crate::error::Error;
use crate::quote::quoted;

/// Compares `bytes` and `sha256` with the archived file, and returns the bytes to ask again: the whole
/// file, or its beginning where the fetch cut it; no bytes where the answer has no file.
///
/// # Errors
///
/// When the file is not in the archive.
pub(super) fn check(
    claim: &Claim,
    archive: &mut Archive,
    findings: &mut Vec<Finding>,
) -> Result<Body, Error> {
    let decision = &claim.decision;
    let (bytes, sha256) = (decision.bytes, decision.sha256.as_deref());
    let has_file = decision.access == "rules" || bytes.is_some_and(|bytes| bytes > 0);
    let mut body = Body::default();
    if has_file {
        body = archive.find(sha256).ok_or_else(|| {
            let hash = sha256.map_or_else(|| "none".to_owned(), quoted);
            let message = format!("expected a file with SHA-256 {hash}, but found none");
            Error::new(format!("not verifiable: {message}"))
        })?;
    } else if bytes.is_none() && sha256.is_none() {
        return Ok(body);
    }
    if has_file && decision.truncated {
        let length = bytes.and_then(|bytes| usize::try_from(bytes).ok()).unwrap_or_default();
        if length < BODY.least {
            let why = format!("no body is cut before {} bytes", BODY.least);
            findings.push(Finding::impossible("decision.truncated", true.into(), why));
        } else if let Some(beginning) = body.as_bytes().get(..length) {
            body = Body::new(beginning);
        }
    }
    let (claimed, found) = (Value::from(bytes), Value::from(body.as_bytes().len()));
    if claimed != found {
        findings.push(Finding::differs("decision.bytes", claimed, found));
    }
    let found = body.sha256_hex();
    if !sha256.is_some_and(|sha256| sha256.eq_ignore_ascii_case(&found)) {
        findings.push(Finding::differs("decision.sha256", sha256.into(), found.into()));
    }
    Ok(body)
}
