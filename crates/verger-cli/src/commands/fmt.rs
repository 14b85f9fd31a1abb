//! `verger fmt`: formats robots.txt files.

use std::io::{self, Write as _};

use verger::{Untrusted, quoted};
use verger_lint::{Formatted, Skip};

use crate::args::Fmt;
use crate::console::{Console, output_status};
use crate::error::{Error, ExitStatus};
use crate::output::write_edits;
use crate::replace_file::write_back;
use crate::robots_sources::RobotsSource;
use crate::sentence::counted;

pub(super) fn run(args: &Fmt, console: &mut Console) -> Result<ExitStatus, Error> {
    let sources = RobotsSource::all(&args.files, args.stdin_filename.as_deref())?;
    if let Some(url) = sources.iter().find(|source| matches!(source, RobotsSource::Url(_))) {
        let name = quoted(url.name());
        let error = Error::new(format!("expected a file, but found the URL {name}"));
        return Err(
            error.with_hint("`verger fetch --body URL | verger fmt -` formats the file of a site")
        );
    }
    let is_file =
        |source: &RobotsSource| matches!(source, RobotsSource::File(_) | RobotsSource::Found(_));
    let mut status = ExitStatus::Success;
    let (mut changed, mut failed, mut result) = (0, 0, Ok(()));
    for source in &sources {
        match source.read() {
            Ok(text) => {
                let formatted = Formatted::of(&text);
                let is_written = is_file(source) && !args.check && !args.diff;
                let lines_of = if is_written { &formatted.text } else { &text };
                show_skipped(source, lines_of, &formatted, console);
                let is_changed = formatted.text != text;
                if args.check || args.diff {
                    if is_changed {
                        changed += 1;
                        status = status.max(ExitStatus::Finding);
                        result = show_change(args, source, &text, &formatted.text, console);
                    }
                } else if let Err(error) =
                    write_back(source, &text, &formatted.text, &mut console.out)
                {
                    failed += 1;
                    status = console.messages.fail(&error);
                } else {
                    changed += usize::from(is_changed);
                }
            }
            Err(error) => {
                failed += 1;
                console.messages.error_at("", &error);
                status = ExitStatus::Error;
            }
        }
        if result.is_err() {
            break;
        }
    }
    let result = result.and_then(|()| console.out.flush());
    let has_files = sources.iter().any(is_file);
    let done = sources.len() - failed;
    if has_files && done > 0 && result.is_ok() {
        console.messages.note(summary(args, changed, done));
    }
    Ok(output_status(result, status, &mut console.messages))
}

/// Shows what would change: the diff, or the name.
fn show_change(
    args: &Fmt,
    source: &RobotsSource,
    old: &[u8],
    new: &[u8],
    console: &mut Console,
) -> io::Result<()> {
    let palette = console.palette;
    if args.diff {
        return write_edits(&mut console.out, palette, usize::MAX, source.name(), old, new);
    }
    writeln!(console.out, "{}", Untrusted::new(source.name()))
}

/// Explains the lines that are not canonical, with numbers of lines of `text`.
fn show_skipped(source: &RobotsSource, text: &[u8], formatted: &Formatted, console: &mut Console) {
    let Some((line, reason)) = formatted.skipped.first() else { return };
    let line = formatted.original_line(text, *line);
    let name = Untrusted::new(source.name());
    let place = match formatted.skipped.len() {
        _ if line == 0 => "the file stays".to_owned(),
        1 => format!("line {line} stays"),
        2 => format!("line {line} and another one stay"),
        count => format!("line {line} and {} others stay", count - 1),
    };
    let reason = match reason {
        Skip::Meaning => "a published dialect would read the formatted text differently",
        Skip::Proofs => {
            "the maximum number of proofs that the formatted text has the same meaning was reached"
        }
        _ => "it is in UTF-16, or longer than Verger reads",
    };
    console.messages.note(format_args!("{name}: {place} unchanged, because {reason}"));
}

/// The numbers of files without an error.
fn summary(args: &Fmt, changed: usize, all: usize) -> String {
    match (changed, args.check || args.diff) {
        (0, _) => format!("{} already formatted", counted(all, "file")),
        (_, true) => format!("{} would change", counted(changed, "file")),
        (_, false) => format!("{} changed", counted(changed, "file")),
    }
}
