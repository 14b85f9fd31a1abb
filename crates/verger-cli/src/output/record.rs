//! Records of the store as text.

use std::io::{self, Write};

use verger::{Untrusted, quoted};
use verger_json::record::{Basis, OutageKeys};
use verger_json::stored_record::{BackOffKeys, RecordReport};

use crate::record_report::{EntryReport, FetchedRecord, MeaningKeys, Summary};
use crate::sentence::{counted, time};

/// Writes a line of a list.
pub(crate) fn write_entry(out: &mut impl Write, entry: &EntryReport<'_>) -> io::Result<()> {
    let origin = Untrusted::new(entry.origin);
    let reader = reader_words(entry.access_profile, entry.identity);
    match &entry.summary {
        Summary::Readable { access, status, tried_at, bytes, .. } => {
            let (access, status) = (Untrusted::new(access), status_words(*status));
            let tried_at = time(*tried_at);
            writeln!(out, "{origin}  {access}  {status}  {tried_at}  {bytes} bytes  {reader}")
        }
        Summary::Unreadable { error } => {
            writeln!(out, "{origin}  {}  {reader}", Untrusted::new(&error.message))
        }
    }
}

/// The access profile of a record, and the identity that fetched it.
fn reader_words(profile: &str, identity: &str) -> String {
    let (profile, name) = (Untrusted::new(profile), Untrusted::new(identity));
    if identity.is_empty() { profile.to_string() } else { format!("{profile}, as {name}") }
}

/// Writes the result of a fetch, its meaning, and the file.
pub(crate) fn write_fetch(out: &mut impl Write, report: &FetchedRecord<'_>) -> io::Result<()> {
    let FetchedRecord { record, meaning } = report;
    writeln!(out, "origin: {}", record.record.origin)?;
    write_facts(out, record)?;
    let (access, why) = meaning_words(meaning);
    let profile = meaning.access_profile;
    write!(out, "meaning: {access}, by access profile {profile}")?;
    match (why, meaning.copy_of) {
        (Some(why), None) => writeln!(out, ": {why}")?,
        (Some(why), Some(copy)) => {
            write!(out, ": {why}, and the copy is of {}", time(copy))?;
            match &meaning.last_try {
                Some(tried) => writeln!(out, "; last try {tried}")?,
                None => writeln!(out)?,
            }
        }
        (None, _) => writeln!(out)?,
    }
    writeln!(out, "valid until: {}", time(meaning.valid_until))?;
    write_body(out, record)
}

/// The access in words, and its reason unless it is the file itself.
fn meaning_words(meaning: &MeaningKeys) -> (&'static str, Option<&'static str>) {
    let access = match (meaning.access, meaning.stale) {
        ("rules", Some("during_outage" | "not_refreshed")) => "the rules of the last copy apply",
        ("rules", _) => "the rules of the file apply",
        ("allow_all", _) => "everything is allowed",
        ("disallow_all", _) => "nothing is allowed",
        (other, _) => other,
    };
    let why = match (meaning.reason, meaning.stale) {
        (Some("unavailable"), _) => Some("robots.txt is unavailable"),
        (Some("redirect_limit"), _) => Some("robots.txt has too many redirects"),
        (Some("unreachable"), _) => Some("robots.txt is unreachable"),
        (Some(other), _) => Some(other),
        (None, Some("during_outage")) => Some("robots.txt cannot be fetched"),
        (None, Some("while_refreshing")) => Some("it is about to be fetched again"),
        (None, Some("not_refreshed")) => Some("this client could not fetch it again"),
        (None, other) => other,
    };
    (access, why)
}

/// Writes a record: its meaning, its source, and the file.
pub(crate) fn write_record(out: &mut impl Write, report: &RecordReport<'_>) -> io::Result<()> {
    writeln!(out, "origin: {}", report.record.origin)?;
    let reader = reader_words(report.access_profile, report.identity);
    writeln!(out, "access: {}, by access profile {reader}", Untrusted::new(report.access))?;
    write_facts(out, report)?;
    write_body(out, report)
}

/// An outage in words.
fn outage_words(outage: OutageKeys) -> String {
    let OutageKeys { failing_since, failing_for, failures, .. } = outage;
    let since = time(failing_since);
    // Seconds below 2 minutes, minutes below 2 hours, hours below 2 days, then days.
    let length = match failing_for {
        0..=119 => format!("{failing_for} s"),
        120..=7_199 => format!("{} min", failing_for / 60),
        7_200..=172_799 => format!("{} h", failing_for / 3_600),
        _ => format!("{} days", failing_for / 86_400),
    };
    let plural = if failures == 1 { "" } else { "es" };
    format!("failing since {since}; {length} counted over {failures} failed fetch{plural}")
}

/// A back-off in words.
fn back_off_words(back_off: BackOffKeys) -> String {
    let BackOffKeys { until, refusals, .. } = back_off;
    let (until, pages) = (time(until), counted(refusals, "page"));
    format!("none requested until {until}, after {pages} with 429, 503 or no response")
}

fn write_facts(out: &mut impl Write, report: &RecordReport<'_>) -> io::Result<()> {
    let record = &report.record;
    let was_tried = record.basis == Basis::Fetch;
    writeln!(out, "status: {}", status_words(record.status))?;
    let times = [
        ("tried", was_tried.then_some(record.tried_at)),
        ("fetched", record.fetched_at),
        ("fresh until", record.fresh_until),
        // A try that was due before this one will not come.
        ("next try", report.next_try.filter(|&next| next > record.tried_at)),
    ];
    for (name, seconds) in times {
        if let Some(seconds) = seconds {
            writeln!(out, "{name}: {}", time(seconds))?;
        }
    }
    if let Some(outage) = record.outage.map(outage_words) {
        writeln!(out, "outage: {outage}")?;
    }
    if let Some(back_off) = report.back_off.map(back_off_words) {
        writeln!(out, "pages: {back_off}")?;
    }
    if let Some(failure) = &record.failure {
        writeln!(out, "failure: {}", failure.message)?;
    }
    for hop in &record.hops {
        writeln!(out, "redirect: {} {}", hop.status, Untrusted::new(hop.url))?;
    }
    if record.basis == Basis::Nothing {
        return Ok(());
    }
    writeln!(out, "from: {}", Untrusted::new(record.final_url))?;
    let fields = [
        ("etag", &report.etag),
        ("last-modified", &report.last_modified),
        ("media type", &report.media_type),
    ];
    for (name, field) in fields {
        if let Some(field) = field.text {
            writeln!(out, "{name}: {}", quoted(field))?;
        }
    }
    for (name, is_set) in [
        ("cut at the size limit", record.truncated),
        ("redirected from https to http", record.downgraded),
        ("looks like an HTML page", record.html),
    ] {
        if is_set {
            writeln!(out, "note: {name}")?;
        }
    }
    writeln!(out, "body: {} bytes, SHA-256 {}", record.bytes, record.sha256)
}

fn write_body(out: &mut impl Write, report: &RecordReport<'_>) -> io::Result<()> {
    match report.body.text {
        None | Some([]) => Ok(()),
        Some(body) => {
            writeln!(out)?;
            write_escaped(out, body)
        }
    }
}

/// Writes the lines of a foreign text, escaped.
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
