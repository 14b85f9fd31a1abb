//! All limits of this crate, with their reasons.

/// Bytes of a TDMRep file or of a licence. Published ones have a few kilobytes; a larger document
/// is a finding.
pub const DOCUMENT_BYTES: usize = 1024 * 1024;

/// Entries of a TDMRep file, and attributes of a licence. The largest published files have
/// hundreds.
pub const ENTRIES: usize = 10_000;

/// Elements and texts of a licence.
pub(crate) const NODES: u32 = 20_000;

/// Declarations of namespaces in a licence. The format needs one.
pub(crate) const NAMESPACES: usize = 1_000;

/// Licences that are fetched for one page. Each is a request to a site; pages name one or two.
pub const LICENSES: usize = 8;

/// Findings of a report; a document can repeat a mistake very often. The uses still count the rest.
pub const FINDINGS: usize = 200;

/// Lines of a robots.txt that are quoted for one statement. Files have a few; the others count, too.
pub(crate) const LINES: usize = 50;

/// Characters of a quoted text in a report.
pub(crate) const QUOTED_CHARS: usize = 256;
