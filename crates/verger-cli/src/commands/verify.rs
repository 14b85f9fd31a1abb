//! `verger verify`: decisions against an archived robots.txt.

use std::io::{self, Write as _};

use serde_json::value::RawValue;
use verger::LineIndex;
use verger_json::{AnswerError, Values};

use crate::args::Verify;
use crate::console::{Out, Talk, written};
use crate::error::Error;
use crate::exit::ExitStatus;
use crate::input::{place, read_stdin_once, read_whole};
use crate::limits::DECISIONS_BYTES;
use crate::output::write_verified;
use crate::quote::quoted;
use crate::verification::{Archive, Claim, Verified, unreadable};

pub(super) fn run(args: &Verify, out: &mut Out, talk: &mut Talk) -> ExitStatus {
    let (mut session, decisions) = match Session::open(args, talk) {
        Ok(opened) => opened,
        Err(error) => return talk.fail(&error),
    };
    let result = session.verify_all(&decisions, out, talk);
    if let (Some(version), true) = (&session.other_version, session.status != ExitStatus::Success) {
        let (made, here) = (quoted(version), env!("CARGO_PKG_VERSION"));
        talk.warning(format_args!(
            "Verger {made} decided, and this is {here}: what differs may have changed in between"
        ));
    }
    if session.by_access > 0 {
        let count = session.by_access;
        let noun = if count == 1 { "answer that holds rests" } else { "answers that hold rest" };
        talk.hint(format!(
            "{count} {noun} on the claimed `access`: `verify` confirms only that each is consistent \
             with it; the file proves nothing about the fetch"
        ));
    }
    talk.finish();
    written(result, session.status, talk)
}

struct Session {
    archive: Archive,
    /// The file of decisions before a line number.
    place: String,
    /// `None`: for people.
    json: Option<Values>,
    status: ExitStatus,
    /// Number of answers, written as text, that hold and that the claimed access decides.
    by_access: u64,
    /// The version that made a decision which does not hold, where it is not this one.
    other_version: Option<String>,
}

impl Session {
    fn open(args: &Verify, talk: &mut Talk) -> Result<(Self, Vec<u8>), Error> {
        read_stdin_once([&args.decision].into_iter().chain(&args.robots))?;
        let decisions = read_whole(&args.decision, DECISIONS_BYTES)?;
        let archive = match (&args.robots, &args.archive) {
            (Some(robots), _) => Archive::of_file(robots)?,
            (None, Some(archive)) => Archive::of_directory(archive, |error| talk.warning(error))?,
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

    fn verify_all(&mut self, bytes: &[u8], out: &mut Out, talk: &mut Talk) -> io::Result<()> {
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
                // Behind what is no JSON nothing can be made out.
                Err(error) => {
                    is_empty = false;
                    self.fail(None, error.line(), &unreadable(&error), out, talk)?;
                    break;
                }
            };
            let begin =
                begin + text[begin..].iter().take_while(|it| it.is_ascii_whitespace()).count();
            let Ok(answers) = serde_json::from_str::<Vec<&RawValue>>(raw) else {
                is_empty = false;
                self.verify(raw, line_of(begin), out, talk)?;
                continue;
            };
            is_empty &= answers.is_empty();
            for answer in answers {
                // Both are slices of one text, which has its beginning at `begin`.
                let inside = answer.get().as_ptr().addr() - raw.as_ptr().addr();
                self.verify(answer.get(), line_of(begin + inside), out, talk)?;
            }
        }
        if is_empty {
            self.fail(None, 1, &Error::new("expected a decision, but found none"), out, talk)?;
        }
        if let Some(json) = &self.json {
            json.finish(out)?;
        }
        out.flush()
    }

    fn verify(
        &mut self,
        answer: &str,
        line: usize,
        out: &mut Out,
        talk: &mut Talk,
    ) -> io::Result<()> {
        let claim = match Claim::read(answer) {
            Ok(claim) => claim,
            Err(error) => return self.fail(None, line, &error, out, talk),
        };
        let verified = match Verified::of(&claim, line, &mut self.archive) {
            Ok(verified) => verified,
            Err(error) => {
                let url = claim.keys.url.as_bytes();
                return self.fail(Some(url), line, &error, out, talk);
            }
        };
        if !verified.holds {
            self.status = self.status.max(ExitStatus::Finding);
            let version = &claim.decision.verger;
            if version != env!("CARGO_PKG_VERSION") {
                self.other_version.get_or_insert_with(|| version.clone());
            }
        }
        if let Some(json) = &mut self.json {
            return json.write(out, &verified);
        }
        let is_by_access = matches!(&*claim.decision.access, "allow_all" | "disallow_all");
        self.by_access += u64::from(verified.holds && is_by_access);
        let palette = out.palette();
        write_verified(out, palette, &self.place, &verified)
    }

    fn fail(
        &mut self,
        url: Option<&[u8]>,
        line: usize,
        error: &Error,
        out: &mut Out,
        talk: &mut Talk,
    ) -> io::Result<()> {
        self.status = ExitStatus::Error;
        if let Some(json) = &mut self.json {
            return json.write(out, &AnswerError::new(url, Some(line as u64), error.to_string()));
        }
        out.flush()?;
        talk.error_at(&format!("{}:{line}: ", self.place), error);
        Ok(())
    }
}
