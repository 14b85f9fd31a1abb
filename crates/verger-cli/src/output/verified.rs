//! What came of a verification, for people.

use std::io::{self, Write};

use verger::Untrusted;

use crate::console::Palette;
use crate::verification::Verified;

/// Writes a line for each item that does not hold, or one that says that everything does.
pub(crate) fn write_verified(
    out: &mut impl Write,
    palette: Palette,
    place: &str,
    verified: &Verified<'_>,
) -> io::Result<()> {
    let (line, url) = (verified.line, Untrusted::new(verified.url.text));
    if verified.holds {
        let style = palette.allow;
        let note = if verified.by_rules { "" } else { "  the file plays no part in it" };
        return writeln!(out, "{style}holds{style:#}  {place}:{line}  {url}{note}");
    }
    let style = palette.disallow;
    let mut findings = verified.findings.iter();
    findings.try_for_each(|it| writeln!(out, "{style}fails{style:#}  {place}:{line}  {url}  {it}"))
}
