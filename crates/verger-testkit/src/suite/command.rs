//! The command line as an adapter: one batch for all cases.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use verger::Dialect;

use super::adapter::{Adapter, AdapterAnswer, AdapterOutcome};
use super::case::{Case, NamedCrawler};

/// A running `verger check --batch -`.
#[derive(Debug)]
pub struct CommandLine {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl CommandLine {
    /// Starts the batch.
    ///
    /// # Errors
    ///
    /// If the program cannot be started.
    pub fn start(program: &Path) -> std::io::Result<Self> {
        let mut child = Command::new(program)
            .args(["check", "--batch", "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // Its summary of errors is irrelevant to the suite.
            .stderr(Stdio::null())
            .spawn()?;
        let input = child.stdin.take();
        let output = child.stdout.take().ok_or_else(|| std::io::Error::other("no output"))?;
        Ok(Self { child, input, output: BufReader::new(output) })
    }

    fn ask(&mut self, question: &Value) -> std::io::Result<Value> {
        let input = self.input.as_mut().ok_or_else(|| std::io::Error::other("no input"))?;
        writeln!(input, "{question}")?;
        input.flush()?;
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        serde_json::from_str(&line).map_err(std::io::Error::other)
    }
}

impl Adapter for CommandLine {
    fn name(&self) -> &'static str {
        "command line"
    }

    fn answer(&mut self, case: &Case, dialect: Dialect) -> AdapterOutcome {
        let mut question = json!({
            "robots_b64": STANDARD.encode(&case.robots),
            "dialect": dialect.name,
        });
        match std::str::from_utf8(&case.url) {
            Ok(url) => question["url"] = url.into(),
            Err(_) => question["url_b64"] = STANDARD.encode(&case.url).into(),
        }
        match &case.crawler {
            NamedCrawler::Token(token) => question["token"] = token.as_str().into(),
            NamedCrawler::Chain(tokens) => question["agents"] = json!(tokens),
            NamedCrawler::Union(tokens) => {
                question["agents"] = json!(tokens);
                question["union"] = true.into();
            }
        }
        match self.ask(&question) {
            Err(error) => AdapterOutcome::Broken(error.to_string()),
            Ok(answer) => read(&answer),
        }
    }
}

fn read(answer: &Value) -> AdapterOutcome {
    // The program rejects a text that the library disallows, with a suggestion (REP-AMB-62).
    if let Some(reason) = answer["error"]["reason"].as_str() {
        let reason = Some(reason.to_owned());
        return AdapterOutcome::Answer(AdapterAnswer { allowed: false, line: Some(None), reason });
    }
    let (Some(allowed), Some(reason)) = (answer["allowed"].as_bool(), answer["reason"].as_str())
    else {
        return AdapterOutcome::Broken(answer.to_string());
    };
    let line = answer["rule"]["line"].as_u64().and_then(|line| usize::try_from(line).ok());
    AdapterOutcome::Answer(AdapterAnswer {
        allowed,
        line: Some(line),
        reason: Some(reason.to_owned()),
    })
}

impl Drop for CommandLine {
    fn drop(&mut self) {
        // The end of its input ends the batch.
        self.input = None;
        let _ = self.child.wait();
    }
}
