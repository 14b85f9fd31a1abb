//! Every number the engine is bounded by, with its reason.
//!
//! A limit of a dialect is a field of [`Dialect`](crate::Dialect); its value stands here.

use core::time::Duration;

/// Bytes of robots.txt that count by default: 500 KiB.
///
/// RFC 9309 section 2.5 asks parsers for a limit of at least this much, and Google's service uses
/// exactly this much (REP-SYNTAX-8).
pub const BODY_BYTES: usize = 500 * 1024;

/// The largest text any dialect reads, also one without a limit of its own: 4 GiB less one byte.
///
/// Places in the text are kept as 32-bit offsets.
pub const SOURCE_BYTES: usize = u32::MAX as usize;

/// Bytes of a line that count in dialect `google`; the rest of the line is dropped and what
/// remains is used (REP-SYNTAX-7). Google's line buffer holds 8 x 2083 bytes with its terminator.
pub const GOOGLE_LINE_BYTES: usize = 8 * 2083 - 1;

/// Characters of a rule in dialect `yandex`; a longer rule is an error and is ignored
/// (REP-SYNTAX-7).
pub const YANDEX_RULE_CHARS: usize = 1024;

/// Product tokens in the comments of a User-Agent header that are looked for, and as many outside; further ones are
/// ignored. Each may cost a scan of all user-agent lines. HTTP servers accept headers of about 8 KiB, and real ones
/// hold fewer than 50 words (REP-AMB-13).
pub const HEADER_WORDS: usize = 256;

/// Tokens of a crawler that the one-shot answer keeps track of without allocating, and that
/// [`Dialect::policy`](crate::Dialect::policy) compares user-agent lines with. For a longer list the file is parsed.
pub const ONE_SHOT_TOKENS: usize = 16;

/// Each of these tokens is a step of looking for groups, and the dialect may add a fallback.
pub(crate) const ONE_SHOT_STEPS: usize = ONE_SHOT_TOKENS + 1;

/// Bytes of a target that are written down in normal form on the stack; for a longer one that is not in normal
/// form, room is allocated. RFC 9110 section 4.1 wants URLs of 8,000 bytes to work; this is twice as much.
pub const TARGET_BYTES: usize = 16 * 1024;

/// Bytes of a literal part of a pattern that are written down in normal form on the stack, before it is
/// searched for; for a longer one room is allocated, which costs little beside a search for so much.
pub const LITERAL_BYTES: usize = 512;

/// From this many agent lines on, a parsed robots.txt keeps them sorted, so that finding a
/// crawler's groups is a binary search. Sorting costs as much as dozens of scans, and most files are parsed for
/// a few crawlers; below this number a scan takes less than a microsecond.
pub const INDEXED_AGENTS: usize = 128;

/// Diagnostics that are kept; more are counted. A file of junk must not cost more than its bytes.
pub const DIAGNOSTICS: usize = 1_000;

/// Characters of foreign text quoted in a message.
pub const QUOTED_CHARS: usize = 200;

/// The longest crawl-delay, in seconds: 24 hours. A longer one saturates (REP-EXT-4).
pub const CRAWL_DELAY_SECONDS: u64 = 24 * 60 * 60;

/// How long the file of a site is fresh for [`RobotRules`](crate::RobotRules) by default, in seconds: the
/// year of WWW::RobotRules (REP-AMB-51).
pub const FRESHNESS_SECONDS: u64 = 365 * 24 * 60 * 60;

/// Octets after a mark of UTF-16 among which there must be a NUL, or else the text is not UTF-16
/// (REP-AMB-20). Keys and line ends are ASCII, so the first 32 characters of a robots.txt hold one.
pub(crate) const UTF16_PROOF_BYTES: usize = 64;

/// From one NUL in so many bytes on, a file is told to be UTF-16 without a byte order mark, which has
/// one in two for English; fewer are told one by one (REP-AMB-21).
pub(crate) const BYTES_PER_NUL: usize = 10;

/// Bytes of a sitemap URL that is offered as a URL; a longer one is reported and only its raw text
/// is kept. Sitemap consumers take URLs of about 2 KiB; this leaves room without inviting abuse.
pub const SITEMAP_URL_BYTES: usize = 8 * 1024;

/// Characters of a `Clean-param` line that is honoured (REP-EXT-20).
pub const CLEAN_PARAM_CHARS: usize = 500;

/// Bytes of a host name in an origin: RFC 1035 section 2.3.4 allows 253 visible characters.
pub const HOST_BYTES: usize = 253;

/// Bytes of one label of a host name: RFC 1035 section 2.3.4.
pub const LABEL_BYTES: usize = 63;

/// Bytes of a URL's authority, credentials included, that are looked at: many times what a host can
/// have, and little enough that IDNA, which is not linear, cannot be made to work for long.
pub const AUTHORITY_BYTES: usize = 4 * 1024;

/// The longest time for which a fetch result is fresh in any access profile, also in one of the
/// user's own: 30 days, the longest that any row has (REP-AMB-18).
pub const FRESHNESS: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// The age up to which an expired result may answer while it is being fetched anew: 24 hours, the
/// RFC's limit for a copy (REP-CACHE-4).
pub const ANSWER_WHILE_REFRESHING: Duration = Duration::from_secs(24 * 60 * 60);

/// The longest wait between two tries during an outage, before jitter: 24 hours. A longer
/// `Retry-After` would let a site, or whoever answers for it, switch itself off (REP-CACHE-21).
pub const RETRY: Duration = Duration::from_secs(24 * 60 * 60);

/// Longest time between two failed fetches that counts towards the length of an outage, in any access
/// profile: 24 hours. A month of silence between two failures is not a month of outage (REP-CACHE-25).
pub const OUTAGE_GAP: Duration = Duration::from_secs(24 * 60 * 60);

/// Redirects that are followed in a row: five, the least that RFC 9309 section 2.3.1.2 asks for, and
/// what Google follows (REP-ACCESS-23).
pub const REDIRECTS: u8 = 5;
