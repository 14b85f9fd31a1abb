//! The order of the logs, and gaps between them.

use std::fs;
use std::io::{self, BufRead as _};
use std::path::Path;

use verger::access::Timestamp;
use verger_audit::log::{LogOptions, first_request};

use crate::args::Audit;
use crate::audit_history::{digits_of_time, time_of_name};
use crate::error::Error;
use crate::input::{is_stdin, open, place, shown};

/// Advice about the logs of several servers, as a hint.
const SORT: &str = "sort the lines of several servers by time first: by `sort`, or by \
                    `jq -sc 'sort_by(.FIELD)[]'` for JSON; docs/audit.md has a command for each format";

/// The error about a line with a fetch that [contradicts](verger_audit::Judged::contradicts) an
/// accusation. What a crawler received is known only from the lines before its request, so a late
/// line of a fetch of robots.txt can lead to a wrong accusation.
pub(super) fn not_in_order(log: &str, line: u64, time: Timestamp) -> Error {
    let what = "a fetch of robots.txt, after lines with later requests that it may justify";
    let error = format!("{log}:{line}: expected lines in order of time, but found {what} ({time})");
    Error::new(error).with_hint(SORT)
}

/// A log, with a warning if the one before it is missing.
type Log<'a> = (&'a Path, Option<String>);

/// The logs in the order of their first requests, because the judgement depends on the order.
/// Standard input is the last.
pub(super) fn in_order_of_time<'a>(
    args: &'a Audit,
    options: &LogOptions,
) -> Result<Vec<Log<'a>>, Error> {
    let mut stdin = io::stdin().lock();
    let heads = args.logs.iter().map(|path| {
        let head = if is_stdin(path) {
            // What it has at once stays in its buffer.
            first_request(stdin.fill_buf().unwrap_or_default(), options)
        } else if fs::metadata(path).is_ok_and(|it| !it.is_file() && !it.is_dir()) {
            // A pipe can be read only once, and a log is read from its beginning again.
            let error = Error::new(format!("expected a regular file, but found {}", shown(path)));
            return Err(error.with_hint("a pipe can be standard input: `… | verger audit -`"));
        } else {
            first_request(open(path)?, options)
        };
        Ok((head, path.as_path()))
    });
    let mut heads = heads.collect::<Result<Vec<_>, Error>>()?;
    heads.sort_by_key(|(head, path)| {
        (is_stdin(path), head.as_ref().map_or(u64::MAX, |(time, _)| time.seconds()))
    });
    let (heads, paths): (Vec<_>, Vec<_>) = heads.into_iter().unzip();
    let is_again = |at: &usize| heads[*at].is_some() && heads[..*at].contains(&heads[*at]);
    if let Some(at) = (0..heads.len()).find(is_again) {
        let what = "another log begins with the same line";
        return Err(Error::new(format!("{}: {what}", place(paths[at])))
            .with_hint(format!("each log is given once, also if it is compressed; {SORT}")));
    }
    let gaps = gaps(&paths);
    Ok(paths.into_iter().zip(gaps).collect())
}

/// A warning for each log of a rotation if one before it is missing: by its number, or because more
/// time than usual is between the dates.
fn gaps(paths: &[&Path]) -> Vec<Option<String>> {
    let names: Vec<_> = paths.iter().map(|path| RotatedName::of(path)).collect();
    // The log before it in its rotation, and their distance.
    let step = |at: usize| {
        let name = names[at].as_ref()?;
        let is_before = |it: &usize| names[*it].as_ref().is_some_and(|it| it.series == name.series);
        let before = (0..at).rev().find(is_before)?;
        Some((name, before, name.number.abs_diff(names[before].as_ref()?.number)))
    };
    let steps: Vec<_> = (0..paths.len()).map(step).collect();
    let gap = |at: usize| {
        let (name, before, step) = steps[at]?;
        let of_series = steps.iter().flatten().filter(|it| it.0.series == name.series && it.2 > 0);
        let usual = if name.is_dated { of_series.map(|it| it.2).min()? } else { 1 };
        let (from, to) = (place(paths[before]), place(paths[at]));
        // Times of a rotation differ by seconds, months by days.
        (2 * step >= 3 * usual).then(|| format!("a log is missing between {from} and {to}"))
    };
    (0..paths.len()).map(gap).collect()
}

/// The name of a log in a rotation: `access.log`, `access.log.1`, `access.log.2.gz`, or with a
/// date, such as `access.log-20260901.gz`, perhaps with an hour or a time.
struct RotatedName {
    /// The path without the number; with `0` for all digits if it is dated.
    series: String,
    /// Seconds if it is dated.
    number: u64,
    is_dated: bool,
}

impl RotatedName {
    fn of(path: &Path) -> Option<Self> {
        let name = path.to_str()?;
        let name = name.strip_suffix(".gz").unwrap_or(name);
        let starts = name.char_indices().filter(|(at, c)| {
            c.is_ascii_digit() && !name[..*at].ends_with(|c: char| c.is_ascii_digit())
        });
        let date = { starts }.find_map(|(at, _)| time_of_rotation(&name[at..]));
        let (name, number) = if let Some(date) = date {
            (name.replace(|c: char| c.is_ascii_digit(), "0"), date.seconds())
        } else {
            let parts = name.rsplit_once('.').and_then(|(stem, number)| {
                // A longer number is a time or a process.
                Some((stem.to_owned(), number.parse::<u16>().ok()?.into()))
            });
            parts.unwrap_or_else(|| (name.to_owned(), 0))
        };
        Some(Self { series: name, number, is_dated: date.is_some() })
    }
}

/// The time at the beginning of a part of a name. Unlike that of a history, it can end with the
/// hour (the number of a file of its day looks the same, which costs at most a needless warning), or
/// be the seconds since 1970, as by `rotatelogs`, also after the date, as by `dateformat
/// -%Y%m%d-%s` of logrotate.
fn time_of_rotation(name: &str) -> Option<Timestamp> {
    let (digits, _) = digits_of_time(name);
    match (digits.len(), digits.starts_with("20")) {
        // The date and the hour of IIS.
        (8, false) => None,
        (10, false) => Some(Timestamp::from_seconds(digits.parse().ok()?)),
        (10, true) => Some(time_of_name(&(digits + "00"))?.0),
        (18, true) => Some(Timestamp::from_seconds(digits[8..].parse().ok()?)),
        _ => Some(time_of_name(&digits)?.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hole_in_a_rotation_is_a_gap() {
        for (names, expected) in [
            (&["access.log.3.gz", "access.log.1", "access.log"][..], &[1][..]),
            (&["access.log.2.gz", "access.log"], &[1]),
            (&["access.log.2.gz", "access.log.1", "access.log"], &[]),
            (&["a/access.log.2", "b/access.log", "other.log", "b/access.log.1"], &[]),
            (&["app.1.log", "app.4.log"], &[]),
            (&["access.log-20260831.gz", "access.log-20260901", "access.log-20260903"], &[2]),
            (&["ex-2026-09-06.log", "ex-2026-09-13.log", "ex-2026-09-20.log"], &[]),
            (&["ex-2026-01-01.log", "ex-2026-02-01.log", "ex-2026-03-01.log"], &[]),
            (&["a.log-2026091008", "a.log-2026091009.gz", "a.log-2026091011.gz"], &[2]),
            (&["a-2026-09-10-22.log", "a-2026-09-10-23.log", "a-2026-09-11-01.log"], &[2]),
            (&["a.log-2026091022", "a.log-2026091023", "a.log-2026091100"], &[]),
            (
                &[
                    "a.log-20260910-1789002001.gz",
                    "a.log-20260910-1789005602",
                    "a.log-20260910-1789012801",
                ],
                &[2],
            ),
            (
                &[
                    "a.log-20260910-1789081201",
                    "a.log-20260911-1789084802",
                    "a.log-20260911-1789088401",
                ],
                &[],
            ),
            (&["access.log.1789462800", "access.log.1789466400", "access.log.1789473600"], &[2]),
            // Of two dates, nothing is usual.
            (&["access.log-20260801", "access.log-20260901", "access.log"], &[]),
            (&["u_ex260930.log", "u_ex261001.log", "access.log.1788220800", "-"], &[]),
        ] {
            let paths: Vec<_> = names.iter().map(Path::new).collect();
            let gaps = gaps(&paths);
            let found: Vec<_> = (0..names.len()).filter(|at| gaps[*at].is_some()).collect();
            assert_eq!(found, expected, "{names:?}");
        }
    }
}
