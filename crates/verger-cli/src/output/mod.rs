//! Answers and reports as text.

mod audit;
mod audit_csv;
mod audit_html;
mod coverage;
mod coverage_html;
mod coverage_words;
mod crawlers;
mod edits;
mod excerpt;
mod html;
mod inspection;
mod numbers;
mod outline;
mod page;
mod record;
mod rights;
mod tests;
mod text;
mod url_changes;
mod watch;

use std::io::{self, Write};

use verger::Untrusted;

pub(crate) use self::audit::write_audit;
pub(crate) use self::audit_csv::write_audit_csv;
pub(crate) use self::audit_html::write_audit_html;
pub(crate) use self::coverage::write_coverage;
pub(crate) use self::coverage_html::write_coverage_html;
pub(crate) use self::crawlers::{write_crawler, write_crawlers};
pub(crate) use self::edits::write_edits;
pub(crate) use self::inspection::write_inspection;
pub(crate) use self::page::write_page;
pub(crate) use self::record::{write_entry, write_escaped, write_fetch, write_record};
pub(crate) use self::rights::write_rights;
pub(crate) use self::tests::{write_annotation, write_annotations, write_tests};
pub(crate) use self::text::TextWriter;
pub(crate) use self::url_changes::outline_of_diff;
pub(crate) use self::watch::{outline_of_change, outline_of_version};
use crate::console::Palette;
use crate::verification::Verification;

/// Writes a line for each claim that does not hold, or one line if all hold.
pub(crate) fn write_verification(
    out: &mut impl Write,
    palette: Palette,
    place: &str,
    verification: &Verification<'_>,
) -> io::Result<()> {
    let (line, url) = (verification.line, Untrusted::new(verification.url.text));
    if verification.holds {
        let style = palette.allow;
        let note =
            if verification.by_rules { "" } else { "  the answer does not depend on the file" };
        return writeln!(out, "{style}holds{style:#}  {place}:{line}  {url}{note}");
    }
    let style = palette.disallow;
    verification.findings.iter().try_for_each(|it| {
        let (item, message) = (&it.item, &it.message);
        writeln!(out, "{style}fails{style:#}  {place}:{line}  {url}  {item}: {message}")
    })
}
