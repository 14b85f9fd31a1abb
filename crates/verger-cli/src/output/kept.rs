//! What a store keeps, for people.

use std::fmt;
use std::io::{self, Write};

use verger::Untrusted;
use verger_json::record::{Basis, OutageKeys};

use crate::kept::{BackOffKeys, Fetched, Found, Kept, Listed, MeaningKeys};
use crate::quote::quoted;
use crate::time::time;

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
///
/// What the last fetch alone would mean is not told: the meaning says what holds, and why.
pub(crate) fn write_fetched(out: &mut impl Write, fetched: &Fetched<'_>) -> io::Result<()> {
    let Fetched { kept, meaning } = fetched;
    writeln!(out, "origin: {}", kept.record.origin)?;
    write_facts(out, kept)?;
    let (what, why) = in_words(meaning);
    let profile = meaning.access_profile;
    write!(out, "meaning: {what}, by access profile {profile}")?;
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
    write_body(out, kept)
}

/// What holds, and why if not because the site says so.
fn in_words(meaning: &MeaningKeys) -> (&'static str, Option<&'static str>) {
    let what = match (meaning.access, meaning.stale) {
        ("rules", Some("during_outage" | "not_refreshed")) => "the rules of the last copy hold",
        ("rules", _) => "the rules of the file hold",
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
    (what, why)
}

/// Writes a record: what it means, where it came from, and the file.
pub(crate) fn write_kept(out: &mut impl Write, kept: &Kept<'_>) -> io::Result<()> {
    writeln!(out, "origin: {}", kept.record.origin)?;
    let judge = kept.access_profile.map_or_else(String::new, |profile| {
        format!(", by access profile {}", Untrusted::new(profile))
    });
    writeln!(out, "access: {}{judge}", Untrusted::new(kept.access))?;
    write_facts(out, kept)?;
    for other in &kept.other_profiles {
        let (profile, access) = (Untrusted::new(other.access_profile), other.access);
        write!(out, "also {profile}: {access}")?;
        if let Some(outage) = other.outage.map(Outage) {
            write!(out, ", {outage}")?;
        }
        match other.next_try {
            Some(next) => writeln!(out, ", next try {}", time(next))?,
            None => writeln!(out)?,
        }
    }
    write_body(out, kept)
}

/// An outage in words.
struct Outage(OutageKeys);

impl fmt::Display for Outage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let OutageKeys { failing_since, failing_for, failures, .. } = self.0;
        let since = time(failing_since);
        // Seconds below 2 minutes, minutes below 2 hours, hours below 2 days, then days.
        let length = match failing_for {
            0..=119 => format!("{failing_for} s"),
            120..=7_199 => format!("{} min", failing_for / 60),
            7_200..=172_799 => format!("{} h", failing_for / 3_600),
            _ => format!("{} days", failing_for / 86_400),
        };
        let plural = if failures == 1 { "" } else { "es" };
        write!(f, "failing since {since}; {length} counted over {failures} failed fetch{plural}")
    }
}

impl fmt::Display for BackOffKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { until, refusals } = *self;
        let plural = if refusals == 1 { "" } else { "s" };
        let until = time(until);
        write!(
            f,
            "left alone until {until}, after {refusals} page{plural} with 429, 503 or no response"
        )
    }
}

fn write_facts(out: &mut impl Write, kept: &Kept<'_>) -> io::Result<()> {
    let record = &kept.record;
    let was_tried = record.basis == Basis::Fetch;
    writeln!(out, "status: {}", status_words(record.status))?;
    let times = [
        ("tried", was_tried.then_some(record.tried_at)),
        ("fetched", record.fetched_at),
        ("fresh until", record.fresh_until),
        // One that was due before this try is not to come.
        ("next try", kept.next_try.filter(|&next| next > record.tried_at)),
    ];
    for (name, seconds) in times {
        if let Some(seconds) = seconds {
            writeln!(out, "{name}: {}", time(seconds))?;
        }
    }
    if let Some(outage) = record.outage.map(Outage) {
        writeln!(out, "outage: {outage}")?;
    }
    if let Some(back_off) = kept.back_off {
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
