//! What a store keeps, for people.

use std::io::{self, Write};

use jiff::Timestamp;
use verger::Untrusted;

use crate::kept::{Fetched, Found, Kept, Listed};
use crate::quote::quoted;

/// Writes a line of a list.
pub(crate) fn write_listed(out: &mut impl Write, listed: &Listed<'_>) -> io::Result<()> {
    let origin = Untrusted::new(listed.origin);
    match &listed.found {
        Found::Summary { access, status, fetched_at, bytes, .. } => {
            let (access, status) = (Untrusted::new(access), status_words(*status));
            writeln!(out, "{origin}  {access}  {status}  {}  {bytes} bytes", time(*fetched_at))
        }
        Found::Miss { error } => writeln!(out, "{origin}  {}", Untrusted::new(&error.message)),
    }
}

/// Writes what was fetched, what it means, and the file.
pub(crate) fn write_fetched(out: &mut impl Write, fetched: &Fetched<'_>) -> io::Result<()> {
    let Fetched { kept, meaning } = fetched;
    write_facts(out, kept)?;
    let profile = meaning.access_profile;
    let what = match meaning.access {
        "rules" => "the rules of the file hold",
        "allow_all" => "everything is allowed",
        "disallow_all" => "nothing is allowed",
        other => other,
    };
    write!(out, "meaning: {what}, by access profile {profile}")?;
    if let Some(reason) = meaning.reason {
        write!(out, ", {reason}")?;
    }
    if let Some(stale) = meaning.stale {
        write!(out, ", {stale}")?;
    }
    writeln!(out)?;
    writeln!(out, "valid until: {}", time(meaning.valid_until))?;
    write_body(out, kept)
}

/// Writes a record: what it means, where it came from, and the file.
pub(crate) fn write_kept(out: &mut impl Write, kept: &Kept<'_>) -> io::Result<()> {
    write_facts(out, kept)?;
    write_body(out, kept)
}

fn write_facts(out: &mut impl Write, kept: &Kept<'_>) -> io::Result<()> {
    writeln!(out, "origin: {}", kept.origin)?;
    writeln!(out, "access: {}", Untrusted::new(kept.access))?;
    writeln!(out, "status: {}", status_words(kept.status))?;
    writeln!(out, "fetched: {}", time(kept.fetched_at))?;
    if let Some(until) = kept.fresh_until {
        writeln!(out, "fresh until: {}", time(until))?;
    }
    if let Some(failure) = kept.failure {
        writeln!(out, "failure: {}", Untrusted::new(failure))?;
    }
    if let Some(since) = kept.failing_since {
        writeln!(out, "failing since: {}", time(since))?;
    }
    writeln!(out, "next try: {}", time(kept.next_try))?;
    for hop in &kept.hops {
        writeln!(out, "redirect: {} {}", hop.status, Untrusted::new(hop.url))?;
    }
    writeln!(out, "from: {}", Untrusted::new(kept.final_url))?;
    let fields = [
        ("etag", &kept.etag),
        ("last-modified", &kept.last_modified),
        ("media type", &kept.media_type),
    ];
    for (name, field) in fields {
        if let Some(field) = field.text {
            writeln!(out, "{name}: {}", quoted(field))?;
        }
    }
    for (name, is_set) in [
        ("cut at the size limit", kept.truncated),
        ("redirected from https to http", kept.downgraded),
        ("looks like a page", kept.html),
    ] {
        if is_set {
            writeln!(out, "note: {name}")?;
        }
    }
    writeln!(out, "body: {} bytes, SHA-256 {}", kept.bytes, kept.sha256)
}

fn write_body(out: &mut impl Write, kept: &Kept<'_>) -> io::Result<()> {
    match kept.body.text {
        None | Some([]) => Ok(()),
        Some(body) => {
            writeln!(out)?;
            write_escaped(out, body)
        }
    }
}

/// Writes the lines of a foreign text.
pub(crate) fn write_escaped(out: &mut impl Write, text: &[u8]) -> io::Result<()> {
    let lines = text.split(|&byte| byte == b'\n');
    let mut lines: Vec<&[u8]> =
        lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line)).collect();
    lines.pop_if(|last| last.is_empty());
    lines.into_iter().try_for_each(|line| writeln!(out, "{}", Untrusted::new(line)))
}

fn status_words(status: Option<u16>) -> String {
    status.map_or_else(|| "no answer".to_owned(), |status| status.to_string())
}

/// A time as people write it; a number that no calendar has stays a number.
pub(crate) fn time(seconds: u64) -> String {
    let time = i64::try_from(seconds).ok().and_then(|seconds| Timestamp::from_second(seconds).ok());
    time.map_or_else(|| seconds.to_string(), |time| time.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_the_calendar_while_it_has_them() {
        assert_eq!(time(0), "1970-01-01T00:00:00Z");
        assert_eq!(time(1_763_700_000), "2025-11-21T04:40:00Z");
        assert_eq!(time(u64::MAX), "18446744073709551615");
    }
}
