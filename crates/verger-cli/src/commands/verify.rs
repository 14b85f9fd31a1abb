//! `verger verify`: decisions against an archived robots.txt.

use std::io::{self, Write as _};

use serde_json::value::RawValue;
use verger::LineIndex;
use verger_json::{AnswerError, Values};

use crate::args::Verify;
use crate::console::{Console, Messages, output_status};
use crate::error::{Error, ExitStatus};
use crate::input::{place, read_stdin_once, read_whole};
use crate::limits::DECISIONS_BYTES;
use crate::output::write_verification;
use crate::sentence::quoted;
use crate::verification::{Archive, SavedDecision, Verification, json_error};

pub(super) fn run(args: &Verify, console: &mut Console) -> Result<ExitStatus, Error> {
    let (mut session, decisions) = Session::open(args, &mut console.messages)?;
    let result = session.verify_all(&decisions, console);
    if let (Some(version), true) = (&session.other_version, session.status != ExitStatus::Success) {
        let (made, here) = (quoted(version), env!("CARGO_PKG_VERSION"));
        console.messages.warning(format_args!(
            "the decision was made by Verger {made}, and this is {here}: the difference can be a change \
             between these versions"
        ));
    }
    if session.by_access > 0 {
        let count = session.by_access;
        let noun =
            if count == 1 { "decision that holds rests" } else { "decisions that hold rest" };
        console.messages.hint(format!(
            "{count} {noun} on the claimed `access`: `verify` confirms only that each is consistent \
             with it; the file proves nothing about the fetch"
        ));
    }
    console.messages.finish();
    Ok(output_status(result, session.status, &mut console.messages))
}

struct Session {
    archive: Archive,
    /// The file of decisions before a line number.
    place: String,
    /// `None` for text.
    json: Option<Values>,
    status: ExitStatus,
    /// Number of answers in text that hold and that the claimed access decides.
    by_access: u64,
    /// A different version that made a decision which does not hold.
    other_version: Option<String>,
}

impl Session {
    fn open(args: &Verify, messages: &mut Messages) -> Result<(Self, Vec<u8>), Error> {
        read_stdin_once([&args.decision].into_iter().chain(&args.robots))?;
        let decisions = read_whole(&args.decision, DECISIONS_BYTES)?;
        let archive = match (&args.robots, &args.archive) {
            (Some(robots), _) => Archive::of_file(robots)?,
            (None, Some(archive)) => {
                Archive::of_directory(archive, |error| messages.warning(error))?
            }
            (None, None) => {
                return Err(Error::new("expected `--robots` or `--archive`, but found neither"));
            }
        };
        let json = args.format.values();
        let session = Self {
            archive,
            place: place(&args.decision),
            json,
            status: ExitStatus::Success,
            by_access: 0,
            other_version: None,
        };
        Ok((session, decisions))
    }

    fn verify_all(&mut self, bytes: &[u8], console: &mut Console) -> io::Result<()> {
        let text = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
        let lines = LineIndex::new(text);
        let line_of = |offset: usize| lines.position(offset).line;
        let mut values = serde_json::Deserializer::from_slice(text).into_iter::<&RawValue>();
        let mut is_empty = true;
        loop {
            let begin = values.byte_offset();
            let Some(value) = values.next() else { break };
            let raw = match value {
                Ok(raw) => raw.get(),
                // After invalid JSON, nothing can be read.
                Err(error) => {
                    is_empty = false;
                    self.fail(None, error.line(), &json_error(&error), console)?;
                    break;
                }
            };
            let begin =
                begin + text[begin..].iter().take_while(|it| it.is_ascii_whitespace()).count();
            let Ok(answers) = serde_json::from_str::<Vec<&RawValue>>(raw) else {
                is_empty = false;
                self.verify(raw, line_of(begin), console)?;
                continue;
            };
            is_empty &= answers.is_empty();
            for answer in answers {
                // Both are slices of one text, which begins at `begin`.
                let inside = answer.get().as_ptr().addr() - raw.as_ptr().addr();
                self.verify(answer.get(), line_of(begin + inside), console)?;
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

    fn verify(&mut self, answer: &str, line: usize, console: &mut Console) -> io::Result<()> {
        let saved = match SavedDecision::read(answer) {
            Ok(saved) => saved,
            Err(error) => return self.fail(None, line, &error, console),
        };
        let verification = match Verification::of(&saved, line, &mut self.archive) {
            Ok(verification) => verification,
            Err(error) => {
                let url = saved.keys.url.as_bytes();
                return self.fail(Some(url), line, &error, console);
            }
        };
        if !verification.holds {
            self.status = self.status.max(ExitStatus::Finding);
            let version = &saved.decision.verger;
            if version != env!("CARGO_PKG_VERSION") {
                self.other_version.get_or_insert_with(|| version.clone());
            }
        }
        if let Some(json) = &mut self.json {
            return json.write(&mut console.out, &verification);
        }
        let is_by_access = matches!(&*saved.decision.access, "allow_all" | "disallow_all");
        self.by_access += u64::from(verification.holds && is_by_access);
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
            return json.write(
                &mut console.out,
                &AnswerError::new(url, Some(line as u64), error.to_string()),
            );
        }
        console.out.flush()?;
        console.messages.error_at(&format!("{}:{line}: ", self.place), error);
        Ok(())
    }
}
