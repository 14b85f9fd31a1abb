//! Requests about a file, and their answers.

use lsp_server::ErrorCode;
use lsp_types::{Position, Range};
use serde::Deserialize;
use serde_json::{Value, json};
use verger::Robots;
use verger_lint::Report;

use crate::actions::{Actions, format};
use crate::compare::{changes, committed};
use crate::completion::complete;
use crate::hover::{check, explain};
use crate::snapshot::Snapshot;
use crate::symbols::symbols;
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
    "textDocument/formatting",
    "textDocument/hover",
];

/// The message about a method that the server does not have.
pub(crate) const NO_METHOD: &str = "verger-lsp does not have this method";

/// The file that a request is about.
pub(crate) fn uri_of(params: &Value) -> Option<&str> {
    params.pointer("/textDocument/uri").or(params.pointer("/arguments/0"))?.as_str()
}

/// Answers a request. `None` if it needs the report of the analysis, and there is none yet. A
/// comparison sets the changes that it finds.
pub(crate) fn answer(
    method: &str,
    params: &Value,
    snapshot: &Snapshot,
    report: Option<&Report>,
    compared: &mut Option<Vec<Value>>,
) -> Result<Option<Value>, Failure> {
    let text = &snapshot.text;
    // The engine decodes UTF-16, whose places would be others.
    let robots =
        || Some(Robots::parse(text.as_str())).filter(|it| text.bytes().starts_with(it.text()));
    let offset = || read::<Position>(params, "/position").map(|it| text.offset(it));
    Ok(Some(match method {
        "textDocument/hover" => {
            let offset = offset()?;
            let found = if snapshot.has_tests() {
                tests_file::explain(snapshot, offset)
            } else {
                robots().and_then(|robots| explain(&robots, offset))
            };
            let hover = |(value, span)| {
                let contents = json!({ "kind": "markdown", "value": value });
                json!({ "contents": contents, "range": text.range(span) })
            };
            found.map_or(Value::Null, hover)
        }
        "textDocument/completion" => Value::Array(if snapshot.has_tests() {
            tests_file::complete(text, offset()?)
        } else {
            complete(text, offset()?, snapshot.settings().0.origin.as_ref())
        }),
        "workspace/executeCommand" => return command(params, snapshot, compared).map(Some),
        _ if snapshot.has_tests() && METHODS.contains(&method) => Value::Null,
        "textDocument/codeAction" => {
            let range = read::<Range>(params, "/range")?;
            let Some(report) = report else { return Ok(None) };
            let (uri, context) = (&snapshot.uri, &params["context"]);
            let (settings, _) = snapshot.settings();
            Value::Array(Actions { uri, text, report, settings, context }.at(range))
        }
        "textDocument/formatting" => json!(format(text)),
        "textDocument/documentSymbol" => {
            Value::Array(robots().map_or(Vec::new(), |robots| symbols(&robots, text)))
        }
        _ => return Err((ErrorCode::MethodNotFound, NO_METHOD.to_owned())),
    }))
}

/// Runs a command: `[URI, URL, CRAWLER]`, or `[URI, REVISION]`. The answer is a text for people.
fn command(
    params: &Value,
    snapshot: &Snapshot,
    compared: &mut Option<Vec<Value>>,
) -> Result<Value, Failure> {
    let wrong = |message: String| (ErrorCode::InvalidParams, message);
    let argument = |at: usize| params["arguments"][at].as_str().filter(|it| !it.is_empty());
    if snapshot.has_tests() {
        return Err(wrong("expected a robots.txt, but found a file of tests".to_owned()));
    }
    match params["command"].as_str() {
        Some(CHECK) => {
            let url = argument(1).filter(|_| params["arguments"][3].is_null());
            let url =
                url.ok_or_else(|| wrong("expected a URL and at most one crawler".to_owned()))?;
            let answer = check(&Robots::parse(snapshot.text.as_str()), url, argument(2));
            answer.map(Value::String).map_err(wrong)
        }
        Some(COMPARE) => {
            let no_path = || "this file has no path, so git has no version of it".to_owned();
            let path = snapshot.path.as_deref().ok_or_else(no_path).map_err(wrong)?;
            let revision = argument(1).unwrap_or("HEAD");
            let base = committed(path, revision).map_err(wrong)?;
            let (changes, summary) = changes(&base, &snapshot.text, revision);
            *compared = Some(changes);
            Ok(Value::String(summary))
        }
        _ => Err(wrong("expected a command of verger-lsp".to_owned())),
    }
}

/// Reads a parameter.
pub(crate) fn read<'a, T: Deserialize<'a>>(params: &'a Value, pointer: &str) -> Result<T, Failure> {
    T::deserialize(params.pointer(pointer).unwrap_or(&Value::Null))
        .map_err(|error| (ErrorCode::InvalidParams, format!("`{pointer}`: {error}")))
}
