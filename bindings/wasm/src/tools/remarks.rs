//! Diagnostics, and statements about the use of content.

use verger::LineIndex;
use wasm_bindgen::prelude::*;

use crate::arguments::dialect;
use crate::input;
use crate::json::Json;
use crate::tools::crawlers::crawler;
use crate::values;

/// Remarks about a file.
#[wasm_bindgen]
pub fn diagnostics(index: usize, text: usize) -> String {
    let robots = input::with([text], |[text]| dialect(index).parse(text));
    let lines = LineIndex::new(robots.text());
    Json::of(|json| {
        json.array(robots.diagnostics().list, |json, found| {
            json.object(|json| {
                json.key("code").text(found.code());
                json.key("severity").text(found.severity().name());
                json.key("message").text(found);
                values::position(json, found.span, &lines);
            });
        });
    })
}

/// The `Content-Signal` statements of a file for an agent about a URL.
#[wasm_bindgen]
pub fn content_signals(index: usize, kind: u8, text: usize, agent: usize, url: usize) -> String {
    input::with([text, agent, url], |[text, agent, url]| {
        let robots = dialect(index).parse(text);
        let crawler = crawler(kind, agent, &robots.dialect());
        let signals = robots.content_signals(&*crawler, url);
        Json::object_of(|json| {
            for (key, word) in signals.stated() {
                json.key(key).text(word);
            }
        })
    })
}

/// The `Content-Usage` preferences of a file for an agent about a URL; `null` if it is disallowed.
#[wasm_bindgen]
pub fn content_usage(index: usize, kind: u8, text: usize, agent: usize, url: usize) -> String {
    input::with([text, agent, url], |[text, agent, url]| {
        let robots = dialect(index).parse(text);
        let crawler = crawler(kind, agent, &robots.dialect());
        let usage = robots.content_usage(&*crawler, url);
        Json::of(|json| {
            json.option(usage, |json, usage| {
                json.object(|json| {
                    for (key, token) in usage.stated() {
                        json.key(key).text(token);
                    }
                });
            });
        })
    })
}

/// A URL without the parameters that a file declares irrelevant; `None` if it is not UTF-8.
#[wasm_bindgen]
pub fn clean_url(index: usize, text: usize, url: usize) -> Option<String> {
    input::with([text, url], |[text, url]| {
        Some(dialect(index).parse(text).clean_url(str::from_utf8(url).ok()?).into_owned())
    })
}
