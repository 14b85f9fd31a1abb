//! Crawlers, for module `verger`. It takes literal tokens; the known crawlers are in
//! `verger/tools`.

use verger::limits::QUOTED_CHARS;
use verger::{Crawler, TokenProblem, Untrusted};
use wasm_bindgen::prelude::*;

use crate::arguments::Agent;
use crate::input;
use crate::json::Json;
use crate::values;

/// The crawler of a User-Agent header, or `{"error": …}`.
#[wasm_bindgen]
pub fn crawler(header: usize) -> String {
    input::with([header], |[header]| {
        match Crawler::from_user_agent(&String::from_utf8_lossy(header)) {
            Ok(crawler) => Json::object_of(|json| values::crawler(json, &crawler)),
            Err(found) => error(format_args!("agent: {found}")),
        }
    })
}

/// The problem of the tokens of a crawler; `None` without one.
#[wasm_bindgen]
pub fn token_error(kind: u8, tokens: usize) -> Option<String> {
    input::with([tokens], |[tokens]| {
        let Agent::Crawler(crawler) = Agent::of(kind, tokens) else { return None };
        let found = crawler.check_tokens().err()?;
        Some(match found.problem() {
            Some(TokenProblem::NeverNamed { .. }) => {
                let text = Untrusted::new(found.found()).limited_to(QUOTED_CHARS);
                format!(
                    "tokens: expected product tokens such as `ExampleBot`, but found `{text}`; \
                     `new Crawler(…)` reads a User-Agent header"
                )
            }
            _ => format!("tokens: {found}"),
        })
    })
}

fn error(message: impl std::fmt::Display) -> String {
    Json::object_of(|json| json.key("error").text(message))
}
