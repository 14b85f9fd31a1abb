//! Prints the hostile inputs with their expected answers as JSON lines, for the npm package.
//!
//! Bytes are in Base64. Inputs larger than a quarter of the size limit are left out.
#![expect(clippy::print_stdout, reason = "the output is the result")]

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;
use verger_testkit::hostile::{self, LIMIT};
use verger_testkit::suite::{Case, NamedCrawler};

fn main() {
    for case in hostile::suite().verdicts {
        let Case { file, name, robots, crawler: NamedCrawler::Token(agent), url, .. } = &case
        else {
            continue;
        };
        // The cases about agents name them by literal tokens; elsewhere such text can be a header
        // (REP-AMB-13).
        if file == "agents.toml" || robots.len() > LIMIT / 4 {
            continue;
        }
        let expect = case.expect.iter().map(|(dialect, it)| (dialect, it.allowed));
        let question = json!({
            "robots": STANDARD.encode(robots),
            "agent": STANDARD.encode(agent),
            "url": STANDARD.encode(url),
            "expect": expect.collect::<BTreeMap<_, _>>(),
        });
        println!(
            "{}",
            json!({ "id": name, "bytes": STANDARD.encode(robots), "questions": [question] })
        );
    }
}
