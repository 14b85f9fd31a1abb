//! All limits of the engine, with their reasons.
//!
//! The limits of a dialect are fields of [`Dialect`](crate::Dialect); their values are here.

use core::time::Duration;

/// Bytes of robots.txt that count by default: 500 KiB.
///
/// RFC 9309 section 2.5 requires parsers to read at least this much, and Google's service reads
/// exactly this much (REP-SYNTAX-8).
pub const BODY_BYTES: usize = 500 * 1024;

/// Maximum number of bytes of a text in any dialect, also in one without a limit: 4 GiB less one
/// byte.
///
/// Positions in the text are 32-bit offsets.
pub const SOURCE_BYTES: usize = u32::MAX as usize;

/// Bytes of a line that count in dialect `google`; the rest of the line is dropped and the
/// beginning is used (REP-SYNTAX-7). Google's line buffer has 8 x 2083 bytes with its terminator.
pub(crate) const GOOGLE_LINE_BYTES: usize = 8 * 2083 - 1;

/// Characters of a rule in dialect `yandex`; a longer rule is an error and is ignored
/// (REP-SYNTAX-7).
pub(crate) const YANDEX_RULE_CHARS: usize = 1024;

/// Maximum number of product tokens from the comments of a User-Agent header, and as many from the
/// rest; further ones are ignored. Each may cost a scan of all user-agent lines. HTTP servers
/// accept headers of about 8 KiB, and real ones have fewer than 50 words (REP-AMB-13).
pub(crate) const HEADER_WORDS: usize = 256;

/// Maximum number of a crawler's tokens that are compared with each user-agent line to skip groups
/// for others. For a longer list, as of a long header, the whole file is parsed and its agents are
/// sorted.
pub(crate) const FILTERED_TOKENS: usize = 16;

/// Maximum number of bytes of a target whose normal form is written on the stack. A longer target
/// that is not in normal form is allocated. RFC 9110 section 4.1 recommends support for URLs of
/// 8,000 bytes; this is twice as much.
pub(crate) const TARGET_BYTES: usize = 16 * 1024;

/// Maximum number of bytes of a pattern's literal part whose normal form is written on the stack. A
/// longer one is allocated, which costs little compared with the search for it.
pub(crate) const LITERAL_BYTES: usize = 512;

/// Minimum number of agent lines for an index: from this number on, a parsed robots.txt sorts them,
/// and a crawler's groups are found by binary search. Sorting costs as much as dozens of scans, and
/// most files are parsed for a few crawlers; below this number a scan takes less than a
/// microsecond.
pub(crate) const INDEXED_AGENTS: usize = 128;

/// Maximum number of stored diagnostics; further ones are only counted. A file of junk must not
/// cost more than its bytes.
pub const DIAGNOSTICS: usize = 1_000;

/// Maximum number of quoted characters of foreign text in a message.
pub const QUOTED_CHARS: usize = 200;

/// Maximum crawl delay in seconds: 24 hours. A longer one saturates (REP-EXT-4).
pub(crate) const CRAWL_DELAY_SECONDS: u64 = 24 * 60 * 60;

/// Default lifetime of a site's file in [`RobotRules`](crate::RobotRules), in seconds: one year, as
/// in WWW::RobotRules (REP-AMB-51).
pub(crate) const FRESHNESS_SECONDS: u64 = 365 * 24 * 60 * 60;

/// Number of octets after a UTF-16 mark that must contain a NUL; otherwise the text is not UTF-16
/// (REP-AMB-20). Keys and line ends are ASCII, so the first 32 characters of a robots.txt contain
/// one.
pub(crate) const UTF16_PROOF_BYTES: usize = 64;

/// Minimum frequency of NULs for UTF-16 without a byte order mark: one NUL in this number of bytes.
/// English text has one in two. In a file with fewer, each NUL is reported (REP-AMB-21).
pub(crate) const BYTES_PER_NUL: usize = 10;

/// Maximum number of bytes of a sitemap URL; of a longer one only the raw text is available, and it
/// is reported. Sitemap consumers accept URLs of about 2 KiB; this limit leaves room and prevents
/// abuse.
pub(crate) const SITEMAP_URL_BYTES: usize = 8 * 1024;

/// Maximum number of characters of an obeyed `Clean-param` line (REP-EXT-20).
pub(crate) const CLEAN_PARAM_CHARS: usize = 500;

/// Maximum number of bytes of a host name in an origin: 253 visible characters (RFC 1035 section
/// 2.3.4).
pub const HOST_BYTES: usize = 253;

/// Maximum number of bytes of a label of a host name (RFC 1035 section 2.3.4).
pub const LABEL_BYTES: usize = 63;

/// Maximum number of bytes of a URL's authority, including credentials: many times the length of a
/// host, and small enough to bound the work of IDNA, which is not linear.
pub const AUTHORITY_BYTES: usize = 4 * 1024;

/// Maximum lifetime of a fetch result in any access profile, also in a custom one: 30 days, the
/// longest of any row (REP-AMB-18).
pub(crate) const FRESHNESS: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// Maximum age of an expired result that may answer during a refresh: 24 hours, the RFC's limit for
/// a copy (REP-CACHE-4).
pub(crate) const ANSWER_WHILE_REFRESHING: Duration = Duration::from_secs(24 * 60 * 60);

/// Maximum wait between two tries during an outage, before jitter: 24 hours. With a longer
/// `Retry-After`, a site or an impostor could exclude itself for a long time
/// (REP-CACHE-21).
pub const RETRY: Duration = Duration::from_secs(24 * 60 * 60);

/// Maximum time between two failed fetches that counts towards the length of an outage, in any
/// access profile: 24 hours. A month of silence between two failures is not a month of outage
/// (REP-CACHE-25).
pub(crate) const OUTAGE_GAP: Duration = Duration::from_secs(24 * 60 * 60);

/// Maximum number of consecutive redirects: five, the minimum of RFC 9309 section 2.3.1.2, and
/// Google's number (REP-ACCESS-23).
pub(crate) const REDIRECTS: u8 = 5;
