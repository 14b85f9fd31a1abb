//! Requests about a file, and their answers.

use lsp_server::{ErrorCode, Request};
use lsp_types::{Position, Range};
use serde::Deserialize;
use serde_json::{Value, json};
use verger::Robots;

use crate::actions::{Actions, format};
use crate::compare::{changes, committed};
use crate::completion::complete;
use crate::groups::symbols;
use crate::hover::{check, explain};
use crate::snapshot::{Snapshot, has_tests};
use crate::tests_file;

/// Why there is no answer.
pub(crate) type Failure = (ErrorCode, String);

/// The commands.
pub(crate) const CHECK: &str = "verger.check";
pub(crate) const COMPARE: &str = "verger.compare";

/// The methods about an open file, without commands.
pub(crate) const METHODS: [&str; 5] = [
    "textDocument/codeAction",
    "textDocument/completion",
    "textDocument/documentSymbol",
    FORMAT,
    "textDocument/hover",
];

/// The method of the formatter.
pub(crate) const FORMAT: &str = "textDocument/formatting";

/// The file that a request is about.
pub(crate) fn uri_of(params: &Value) -> Option<&str> {
    params.pointer("/textDocument/uri").or(params.pointer("/arguments/0"))?.as_str()
}

/// Answers a request with one of the methods. `None` if it needs the analysis, and that was ended.
pub(crate) fn answer(
    Request { method, params, .. }: &Request,
    snapshot: &Snapshot,
    goes_on: &dyn Fn() -> bool,
) -> Result<Option<Value>, Failure> {
    let text = &snapshot.text;
    // The engine decodes UTF-16, whose places would be others.
    let is_same = |robots: &Robots| text.content.as_bytes().starts_with(robots.text());
    let robots = || Some(Robots::parse(&text.content)).filter(is_same);
    let offset = || read::<Position>(params, "/position").map(|it| text.offset(it));
    let hover = |(value, span)| {
        let contents = json!({ "kind": "markdown", "value": value });
        json!({ "contents": contents, "range": text.range(span) })
    };
    Ok(Some(match (method.as_str(), has_tests(&snapshot.uri)) {
        ("textDocument/hover", true) => {
            tests_file::explain(snapshot, offset()?).map_or(Value::Null, hover)
        }
        ("textDocument/hover", false) => {
            let offset = offset()?;
            robots().and_then(|robots| explain(&robots, offset)).map_or(Value::Null, hover)
        }
        ("textDocument/completion", true) => Value::Array(tests_file::complete(text, offset()?)),
        ("textDocument/completion", false) => {
            let (settings, _) = snapshot.settings();
            Value::Array(complete(text, offset()?, settings.origin.as_ref()))
        }
        (_, true) => Value::Null,
        ("textDocument/codeAction", _) => {
            let range = read::<Range>(params, "/range")?;
            let Some(report) = snapshot.report(goes_on) else { return Ok(None) };
            Value::Array(Actions { snapshot, text, report, context: &params["context"] }.at(range))
        }
        ("textDocument/documentSymbol", _) => {
            Value::Array(robots().map_or(Vec::new(), |robots| symbols(&robots, text)))
        }
        // `FORMAT`.
        _ => json!(format(text)),
    }))
}

/// Runs a command: `[URI, URL, CRAWLER]`, or `[URI, REVISION]`. The answer is a text for people. A
/// comparison sets the changes that it finds.
pub(crate) fn command(
    params: &Value,
    snapshot: &Snapshot,
    compared: &mut Vec<Value>,
) -> Result<Option<Value>, String> {
    let argument = |at: usize| params["arguments"][at].as_str().filter(|it| !it.is_empty());
    if has_tests(&snapshot.uri) {
        return Err("expected a robots.txt, but found a file of tests".to_owned());
    }
    let answer = match params["command"].as_str() {
        Some(CHECK) => {
            let url = argument(1).filter(|_| params["arguments"][3].is_null());
            let url = url.ok_or("expected a URL and at most one crawler")?;
            check(&Robots::parse(&snapshot.text.content), url, argument(2))?
        }
        Some(COMPARE) => {
            let path = snapshot.path.as_deref();
            let path = path.ok_or("this file has no path, so git has no version of it")?;
            let revision = argument(1).unwrap_or("HEAD");
            let (changes, summary) = changes(&committed(path, revision)?, &snapshot.text, revision);
            *compared = changes;
            summary
        }
        _ => return Err("expected a command of verger-lsp".to_owned()),
    };
    Ok(Some(Value::String(answer)))
}

/// Reads a parameter.
pub(crate) fn read<'a, T: Deserialize<'a>>(params: &'a Value, pointer: &str) -> Result<T, Failure> {
    T::deserialize(params.pointer(pointer).unwrap_or(&Value::Null))
        .map_err(|error| (ErrorCode::InvalidParams, format!("`{pointer}`: {error}")))
}
