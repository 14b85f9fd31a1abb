//! All limits, with their reasons.

/// Maximum length of one regular expression in bytes, without the text around it. nginx reads
/// parameters of at most 4,096 bytes.
pub(crate) const EXPRESSION_BYTES: usize = 3_600;

/// Maximum length of one regular expression for Cloudflare in bytes, so that names and conditions fit
/// into one rule of at most 4,096 characters.
pub(crate) const CLOUDFLARE_BYTES: usize = 1_000;

/// Maximum length of the output in bytes. The largest of 4,231 real files, with 31,843 rules, needs
/// less; servers read the output at each start.
pub const OUTPUT_BYTES: usize = 64 * 1024 * 1024;

/// Maximum number of canonical targets of a proof for each list of rules.
pub const TARGETS: usize = 20_000;

/// Number of requests as a browser, which show whether the rules hit others.
pub(crate) const BROWSER_CASES: usize = 20;

/// Maximum work of a proof with other spellings, in comparisons of one pattern: about a second.
pub(crate) const PROOF: usize = 1_000_000;
