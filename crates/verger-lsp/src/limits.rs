//! All limits of the language server, with their reasons.

use std::time::Duration;

/// Time without a change before a file is analysed. People who type pause for less.
pub(crate) const PAUSE: Duration = Duration::from_millis(300);

/// Maximum bytes of a message. A longer one ends the server. A robots.txt of 500 KiB, the size that
/// crawlers read, takes a few megabytes even if every byte is escaped.
pub(crate) const MESSAGE_BYTES: usize = 256 * 1024 * 1024;

/// Maximum bytes of a header line of a message. Those of the protocol have a few dozen.
pub(crate) const HEADER_BYTES: u64 = 4_096;

/// Maximum bytes of a `verger.toml`, as in `verger lint`.
pub(crate) const CONFIG_BYTES: u64 = 1024 * 1024;

/// Maximum bytes of a robots.txt from git or from a folder, to compare or to test. Crawlers read
/// 500 KiB.
pub(crate) const ROBOTS_BYTES: u64 = 16 * 1024 * 1024;

/// Maximum number of diagnostics of a file in an editor. Editors become slow with many; the message
/// of the last one has the number of the others.
pub(crate) const DIAGNOSTICS: usize = 1_000;

/// Maximum number of rules in the outline of a file, more than anybody reads. Editors ask for it
/// after each key.
pub(crate) const SYMBOLS: usize = 5_000;

/// Maximum number of other places of a diagnostic.
pub(crate) const RELATED: usize = 20;

/// Maximum work of the questions of a hover, in units of `verger-analysis`: a fraction of a second.
/// An answer that needs more is unknown.
pub(crate) const HOVER_WORK: u64 = 30_000_000;

/// Maximum number of lines in the list of contenders, rules and names of an answer.
pub(crate) const LISTED: usize = 10;

/// Maximum number of changes of a comparison that are shown in the file.
pub(crate) const CHANGES: usize = 200;

/// Time for the diff of formatted lines. After it, the diff is coarser, but as correct.
pub(crate) const DIFF_TIME: Duration = Duration::from_secs(2);

/// Maximum number of findings for which actions are offered at once: more than a menu shows.
pub(crate) const ACTION_FINDINGS: usize = 50;
