//! Prints the hostile inputs with their expected answers as JSON lines, for the npm package.
//!
//! Bytes are in Base64. Inputs larger than a quarter of the size limit are left out.
#![expect(clippy::print_stdout, reason = "the output is the result")]

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;
use verger_testkit::hostile::{self, LIMIT, Layer};

fn main() {
    for entry in hostile::all() {
        let bytes = entry.bytes();
        if bytes.len() > LIMIT / 4 {
            continue;
        }
        let questions: Vec<_> = entry
            .questions(&bytes)
            // Entries name crawlers by literal tokens; elsewhere such text can be a header
            // (REP-AMB-13).
            .filter(|it| entry.layer != Layer::Agent && it.robots.len() <= LIMIT / 4)
            .map(|it| {
                json!({
                    "robots": STANDARD.encode(&it.robots),
                    "agent": STANDARD.encode(&it.agent),
                    "url": STANDARD.encode(&it.url),
                    "expect": { "rfc9309": it.allowed.rfc9309, "google": it.allowed.google },
                })
            })
            .collect();
        println!(
            "{}",
            json!({ "id": entry.id, "bytes": STANDARD.encode(&bytes), "questions": questions })
        );
    }
}
