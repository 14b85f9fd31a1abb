//! `verger verify`: decisions against an archived robots.txt.

use std::io::{self, Write as _};

use serde_json::Value;
use serde_json::value::RawValue;
use verger::LineIndex;
use verger_fetch::record::Body;
use verger_json::{AnswerError, Foreign, Values};

use crate::args::Verify;
use crate::console::{Console, output_status};
use crate::error::{Error, ExitStatus};
use crate::input::{place, read_stdin_once, read_whole};
use crate::limits::{DECISIONS_BYTES, ROBOTS_BYTES};
use crate::output::write_verification;
use crate::sentence::brief;
use crate::verification::{Archive, Verification, findings};

pub(super) fn run(args: &Verify, console: &mut Console) -> Result<ExitStatus, Error> {
    read_stdin_once([&args.decision].into_iter().chain(&args.robots))?;
    let decisions = read_whole(&args.decision, DECISIONS_BYTES)?;
    let archive = match (&args.robots, &args.archive) {
        (Some(robots), _) => Archive::Single(Body::new(read_whole(robots, ROBOTS_BYTES)?)),
        (None, Some(archive)) => {
            Archive::of_directory(archive, |error| console.messages.warning(error))?
        }
        (None, None) => {
            return Err(Error::new("expected `--robots` or `--archive`, but found neither"));
        }
    };
    let (place, json) = (place(&args.decision), args.format.values());
    let mut run = Run { archive, place, json, status: ExitStatus::Success };
    let result = run.verify_all(&decisions, console);
    console.messages.finish();
    Ok(output_status(result, run.status, &mut console.messages))
}

struct Run {
    archive: Archive,
    /// The file of decisions before a line number.
    place: String,
    /// `None` for text.
    json: Option<Values>,
    status: ExitStatus,
}

impl Run {
    fn verify_all(&mut self, bytes: &[u8], console: &mut Console) -> io::Result<()> {
        let text = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
        let lines = LineIndex::new(text);
        // Every value is a slice of the text.
        let line_of = |value: &RawValue| {
            lines.position(value.get().as_ptr().addr() - text.as_ptr().addr()).line
        };
        let mut is_empty = true;
        // After invalid JSON, nothing can be read.
        for value in serde_json::Deserializer::from_slice(text).into_iter::<&RawValue>() {
            let answers = match value {
                Ok(raw) => serde_json::from_str(raw.get()).unwrap_or_else(|_| vec![raw]),
                Err(error) => {
                    is_empty = false;
                    self.fail(None, error.line(), &json_error(&error), console)?;
                    Vec::new()
                }
            };
            is_empty &= answers.is_empty();
            for answer in answers {
                self.verify(answer, line_of(answer), console)?;
            }
        }
        if is_empty {
            self.fail(None, 1, &Error::new("expected a decision, but found none"), console)?;
        }
        if let Some(json) = &self.json {
            json.finish(&mut console.out)?;
        }
        console.out.flush()
    }

    fn verify(&mut self, answer: &RawValue, line: usize, console: &mut Console) -> io::Result<()> {
        let answer: Value = match serde_json::from_str(answer.get()) {
            Ok(answer) => answer,
            Err(error) => return self.fail(None, line, &json_error(&error), console),
        };
        let url = answer["url"].as_str().map(str::as_bytes);
        let findings = match findings(&answer, &self.archive) {
            Ok(findings) => findings,
            Err(error) => return self.fail(url, line, &error, console),
        };
        let holds = findings.is_empty();
        if !holds {
            self.status = self.status.max(ExitStatus::Finding);
        }
        let url = Foreign::new("url", url.unwrap_or_default());
        let by_rules = answer["decision"]["access"] == "rules";
        let verification = Verification { line, url, holds, by_rules, findings };
        if let Some(json) = &mut self.json {
            return json.write(&mut console.out, &verification);
        }
        let palette = console.out.palette;
        write_verification(&mut console.out, palette, &self.place, &verification)
    }

    fn fail(
        &mut self,
        url: Option<&[u8]>,
        line: usize,
        error: &Error,
        console: &mut Console,
    ) -> io::Result<()> {
        self.status = ExitStatus::Error;
        if let Some(json) = &mut self.json {
            let error = AnswerError::new(url, Some(line as u64), error.to_string());
            return json.write(&mut console.out, &error);
        }
        console.out.flush()?;
        console.messages.error_at(&format!("{}:{line}: ", self.place), error);
        Ok(())
    }
}

/// The error without its position, which is relative to a part of the input.
fn json_error(error: &serde_json::Error) -> Error {
    let text = error.to_string();
    Error::new(format!("bad JSON: {}", brief(text.split(" at line ").next().unwrap_or_default())))
}
