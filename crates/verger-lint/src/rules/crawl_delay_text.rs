//! # crawl-delay-text
//!
//! A `Crawl-delay` has text after its number.
//!
//! ## Why is this a problem?
//!
//! The value is a number of seconds. Some readers ignore the text, others ignore the line. A unit
//! such as `minutes` has no effect.
//!
//! ## Example
//!
//! ```text
//! User-agent: *
//! Crawl-delay: 1 second
//! Disallow: /cart
//! ```
//!
//! Use instead:
//!
//! ```text
//! User-agent: *
//! Crawl-delay: 1
//! Disallow: /cart
//! ```
//!
//! ## Fix
//!
//! Writes the number of seconds, if the text is a unit of seconds or minutes. Unsafe: more
//! readers honour the line.
//!
//! ## References
//!
//! REP-EXT-4.

use verger::extension::Extension;

use super::prelude::*;

pub(super) fn check(file: &File<'_>, findings: &mut Findings<'_, '_>) {
    for record in file.robots.records() {
        if let Ok(Extension::CrawlDelay(_)) = record.extension()
            && let Some(blank) = record.value().iter().position(u8::is_ascii_whitespace)
        {
            let value = record.span();
            let text = Span { start: value.start + blank + 1, end: value.end };
            let text = file.show(file.span_of(file.part(text).trim_ascii()));
            let message = format!("the text {text} after the number does not count");
            findings.add(value, message, |finding| finding.fix(number_of_seconds(file, value)));
        }
    }
}

/// A fix that writes the value of a `Crawl-delay` with a unit as a number of seconds.
pub(super) fn number_of_seconds(file: &File<'_>, value: Span) -> Option<Fix> {
    let text = str::from_utf8(file.part(value)).ok()?;
    let is_digit = |letter: char| letter.is_ascii_digit() || letter == '.';
    let (number, unit) = text.split_at(text.find(|letter| !is_digit(letter))?);
    let factor = match &*unit.trim_start().to_ascii_lowercase() {
        "s" | "s." | "sec" | "sec." | "secs" | "second" | "seconds" => 1.0,
        "m" | "min" | "min." | "mins" | "minute" | "minutes" => 60.0,
        _ => return None,
    };
    let milliseconds = (1_000.0 * factor * number.parse::<f64>().ok()?).round();
    let seconds = (milliseconds / 1_000.0).to_string();
    let title = format!("write `{seconds}`");
    milliseconds.is_finite().then(|| Fix::replace(Safety::Unsafe, title, value, seconds))
}
