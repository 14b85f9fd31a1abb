//! All limits, with their reasons.

/// Maximum length of one regular expression in bytes, without the text around it. nginx reads
/// parameters of at most 4,096 bytes.
pub(crate) const EXPRESSION_BYTES: usize = 3_600;

/// Maximum length of one regular expression for Cloudflare in bytes, so that names and conditions
/// fit into one rule of at most 4,096 characters.
pub(crate) const CLOUDFLARE_BYTES: usize = 1_000;

/// Maximum length of one rule of Cloudflare in characters, by its documentation.
pub(crate) const CLOUDFLARE_RULE: usize = 4_096;

/// Maximum length of an expression of Anubis in bytes: Google's CEL reads no longer one.
pub(crate) const CEL_BYTES: usize = 100_000;

/// Maximum number of lines of an expression of Anubis: with more, the comparisons inside of others
/// are more than Google's CEL reads.
pub(crate) const CEL_LINES: usize = 200;

/// Maximum length of a page of `HAProxy` in bytes: it sends an empty answer if the page is not
/// within its buffer of 16 KiB.
pub(crate) const PAGE_BYTES: usize = 15_000;

/// Maximum length of the name of a crawler in bytes. Servers limit the length of an expression, and
/// no User-Agent header has a longer name.
pub(crate) const NAME_BYTES: usize = 256;

/// Maximum number of names in a note; the note has the number of all.
pub(crate) const NOTED_NAMES: usize = 10;

/// Maximum length of the output in bytes. The largest of 4,231 real files, with 31,843 rules, needs
/// less; servers read the output at each start.
pub const OUTPUT_BYTES: usize = 64 * 1024 * 1024;

/// Maximum number of canonical targets of a proof for each list of rules.
pub const TARGETS: usize = 20_000;

/// Number of requests for targets of other lists of rules, which show whether rules hit others.
pub(crate) const SHARED_CASES: usize = 20;

/// Number of requests of every crawler after the first one with the same rules. A server can know
/// only some of their names.
pub(crate) const FEW_CASES: usize = 5;

/// Maximum work of a proof with other spellings, in comparisons of one pattern: about a second.
pub(crate) const PROOF: usize = 1_000_000;
