//! `verger verify`: decisions against an archived robots.txt.

use std::io;

use serde_json::Value;
use serde_json::value::RawValue;
use verger::LineIndex;
use verger_fetch::record::Body;
use verger_json::Foreign;

use super::check::AnswerWriter;
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
            return Err(Error::new("missing `--robots FILE` or `--archive DIR`"));
        }
    };
    let writer = AnswerWriter::new(args.format, console.palette, true);
    let mut run = Run { archive, place: place(&args.decision), writer };
    let result = run.verify_all(&decisions, console);
    console.messages.finish();
    Ok(output_status(result, run.writer.tally.status, &mut console.messages))
}

struct Run {
    archive: Archive,
    /// The file of decisions before a line number.
    place: String,
    writer: AnswerWriter,
}

impl Run {
    fn verify_all(&mut self, bytes: &[u8], console: &mut Console) -> io::Result<()> {
        let text = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
        let lines = LineIndex::new(text);
        // Every value is a slice of the text.
        let line_of = |value: &RawValue| {
            lines.position(value.get().as_ptr().addr() - text.as_ptr().addr()).line as u64
        };
        let mut is_empty = true;
        // After invalid JSON, nothing can be read.
        for value in serde_json::Deserializer::from_slice(text).into_iter::<&RawValue>() {
            let answers = match value {
                Ok(raw) => serde_json::from_str(raw.get()).unwrap_or_else(|_| vec![raw]),
                Err(error) => {
                    is_empty = false;
                    self.fail(None, error.line() as u64, &json_error(&error), console)?;
                    Vec::new()
                }
            };
            is_empty &= answers.is_empty();
            for answer in answers {
                self.verify(answer, line_of(answer), console)?;
            }
        }
        if is_empty {
            self.fail(None, 1, &Error::new("the input has no decision"), console)?;
        }
        self.writer.finish(&mut console.out)
    }

    fn verify(&mut self, answer: &RawValue, line: u64, console: &mut Console) -> io::Result<()> {
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
        self.writer.tally.verdict(holds);
        let url = Foreign::new("url", url.unwrap_or_default());
        let by_rules = answer["decision"]["access"] == "rules";
        let verification = Verification { line, url, holds, by_rules, findings };
        if let Some(json) = &mut self.writer.json {
            return json.write(&mut console.out, &verification);
        }
        let palette = console.palette;
        write_verification(&mut console.out, palette, &self.place, &verification)
    }

    fn fail(
        &mut self,
        url: Option<&[u8]>,
        line: u64,
        error: &Error,
        console: &mut Console,
    ) -> io::Result<()> {
        self.writer.fail(url, Some((&self.place, line)), error, console)
    }
}

/// The error without its position, which is relative to a part of the input.
pub(super) fn json_error(error: &serde_json::Error) -> Error {
    let text = error.to_string();
    Error::new(format!("bad JSON: {}", brief(text.split(" at line ").next().unwrap_or_default())))
}
