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
        Found::Summary { access, status, tried_at, bytes, .. } => {
            let (access, status) = (Untrusted::new(access), status_words(*status));
            writeln!(out, "{origin}  {access}  {status}  {}  {bytes} bytes", time(*tried_at))
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
    let record = &kept.record;
    writeln!(out, "origin: {}", record.origin)?;
    let profile = kept.access_profile;
    let judge = if profile.is_empty() {
        String::new()
    } else {
        format!(", by access profile {}", Untrusted::new(profile))
    };
    writeln!(out, "access: {}{judge}", Untrusted::new(kept.access))?;
    writeln!(out, "status: {}", status_words(record.status))?;
    let times = [
        ("tried", Some(record.tried_at)),
        ("fetched", record.fetched_at),
        ("fresh until", record.fresh_until),
        ("failing since", record.failing_since),
        ("next try", Some(kept.next_try)),
    ];
    for (name, seconds) in times {
        if let Some(seconds) = seconds {
            writeln!(out, "{name}: {}", time(seconds))?;
        }
    }
    if let Some(failure) = record.failure {
        writeln!(out, "failure: {}", Untrusted::new(failure))?;
    }
    for hop in &record.hops {
        writeln!(out, "redirect: {} {}", hop.status, Untrusted::new(hop.url))?;
    }
    writeln!(out, "from: {}", Untrusted::new(record.final_url))?;
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
        ("cut at the size limit", record.truncated),
        ("redirected from https to http", record.downgraded),
        ("looks like a page", record.html),
    ] {
        if is_set {
            writeln!(out, "note: {name}")?;
        }
    }
    writeln!(out, "body: {} bytes, SHA-256 {}", record.bytes, record.sha256)
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
