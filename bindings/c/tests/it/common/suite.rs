//! The conformance suite.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use super::package;

/// Reads the suite.
pub(crate) fn suite() -> Value {
    let file = package().join("../../testdata/verger-testdata.json");
    let text = std::fs::read_to_string(file).expect("a readable suite");
    serde_json::from_str(&text).expect("valid JSON")
}

/// The bytes of a case, which can contain a mark in place of repeated text.
pub(crate) fn decoded(case: &Value, key: &str) -> Vec<u8> {
    let encoded = || case[format!("{key}_b64")].as_str().expect("text or base64");
    let bytes = case[key].as_str().map_or_else(
        || STANDARD.decode(encoded()).expect("valid base64"),
        |text| text.as_bytes().to_vec(),
    );
    let repeat = &case["repeat"];
    let (Some(mark), Some(text)) = (repeat["mark"].as_str(), repeat["text"].as_str()) else {
        return bytes;
    };
    let count = usize::try_from(repeat["count"].as_u64().expect("a count")).expect("a count");
    let text = text.repeat(count);
    let mut out = Vec::new();
    let mut rest = bytes.as_slice();
    while let Some(at) = rest.windows(mark.len()).position(|window| window == mark.as_bytes()) {
        out.extend_from_slice(&rest[..at]);
        out.extend_from_slice(text.as_bytes());
        rest = &rest[at + mark.len()..];
    }
    out.extend_from_slice(rest);
    out
}
