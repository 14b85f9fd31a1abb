//! All limits of the linter, with their reasons.

/// Maximum number of bytes that are parsed to prove that the formatted file has the same meaning:
/// about a second. It bounds hostile files, in which many blank lines have a meaning.
pub(crate) const FORMATTING_BYTES: usize = 64 * 1024 * 1024;

/// Number of comparisons of meaning that a file always has when it is formatted, even if they parse
/// more than [`FORMATTING_BYTES`]. A usual file needs two.
pub(crate) const FORMATTING_PROOFS: usize = 16;

/// Number of comparisons of meaning in succession that may refuse edits of one kind, such as blank
/// lines below rules, before all others of the kind are dropped. Halving finds a single edit of a
/// million that may not be made by 21 refusals.
pub(crate) const FORMATTING_REFUSALS: usize = 32;

/// Maximum number of comparisons of meaning for the safe fixes of a file. Nearly every file needs
/// one; the most for a file of the corpus is 27. Files need more if a rule is repeated after lines
/// that some dialects do not read.
pub(crate) const PROOFS_OF_FIXES: usize = 50;

/// Maximum number of findings of one rule in a file. The report counts the others.
///
/// Nobody reads more, and a hostile file of 500 KiB has 100,000. Few real files have more. Fixes
/// until none is left are not limited.
pub(crate) const FINDINGS_PER_RULE: usize = 1_000;

/// Maximum work of all questions about the meaning of a file, in the units of `verger-analysis`:
/// about a second. Rules without an answer have no finding.
pub(crate) const WORK: u64 = 150_000_000;

/// Maximum work for proofs that fixes change no answer, in the same units. A fix without proof is
/// unsafe.
pub(crate) const PROOF_WORK: u64 = 150_000_000;

/// Maximum number of comparisons of two policies in proofs. Each takes a fraction of a millisecond
/// to prepare, which [`PROOF_WORK`] does not contain.
pub(crate) const PROOF_COMPARISONS: usize = 5_000;

/// Maximum number of crawlers with different rules that are analysed. A file with more is analysed
/// for the first ones. The most in a corpus of 4,231 files is about 500.
pub(crate) const CRAWLERS: usize = 1_024;

/// Maximum number of rules of all analysed crawlers together. The largest real file has 31,843
/// rules; groups that apply to many crawlers are counted for each.
pub(crate) const ANALYSED_RULES: usize = 200_000;

/// Bytes of a robots.txt that Google's service reads: 500 KiB (REP-SYNTAX-8).
pub(crate) const GOOGLE_BYTES: usize = 500 * 1024;

/// Bytes of the longest robots.txt that Yandex reads, if its 500 KB are 500 KiB (REP-SYNTAX-8).
pub(crate) const YANDEX_BYTES: usize = 500 * 1024;

/// The same, if its 500 KB are 500,000 bytes. The documentation does not define the unit.
pub(crate) const YANDEX_DECIMAL_BYTES: usize = 500_000;

/// Maximum number of times that a file is linted and fixed. Fixes of the same place are applied one
/// after the other, and without a rule, another one can become redundant. Nearly all files need
/// three.
pub(crate) const FIX_PASSES: usize = 40;

/// Maximum number of passes of the formatter. The second one changes something only if the first
/// dropped edits.
pub(crate) const FORMATTING_PASSES: usize = 8;

/// Maximum number of crawlers in the help of `operator-as-agent`.
pub(crate) const OPERATOR_CRAWLERS: usize = 4;

/// Maximum number of bytes of a bracket in a regular expression. It bounds hostile patterns with
/// many brackets that have no end; real ones are short.
pub(crate) const OPERATOR_BYTES: usize = 64;

/// Maximum number of labelled rules, and of labelled records, of `group-drops-star`.
pub(crate) const DROPPED_LABELS: usize = 3;

/// Number of `Disallow` lines that `redundant-rule` compares with each `Allow` without an effect.
/// It bounds the time of hostile files with thousands of both. Of real groups, 2.5 % have more.
pub(crate) const COMPARED_RULES: usize = 64;

/// Maximum number of named crawlers for which a file is compared in a dialect of no vendor.
pub(crate) const READERS: usize = 8;

/// Maximum number of characters of a quoted text in a message: about half a line of a terminal.
pub(crate) const QUOTED_CHARS: usize = 60;

/// Maximum number of characters of a message in rendered text. Messages of rules are shorter,
/// except those with a long URL.
#[cfg(feature = "render")]
pub(crate) const MESSAGE_CHARS: usize = 500;

/// Maximum number of further places that are drawn with a finding. More are counted.
#[cfg(feature = "render")]
pub(crate) const LABELS: usize = 5;

/// Bytes that are shown before a mark far to the right in a long line.
#[cfg(feature = "render")]
pub(crate) const CHARS_BEFORE_MARK: usize = 60;

/// Maximum number of unknown categories of use that a message shows. The vocabularies of all drafts
/// together have fewer; a value of a hostile file may have thousands.
pub(crate) const SHOWN_CATEGORIES: usize = 10;

/// Maximum number of similar names for an unknown one.
pub(crate) const SIMILAR_NAMES: usize = 3;

/// Maximum number of characters of an unknown name that are compared with known names. Those are
/// shorter, and the comparison takes time proportional to the product of both lengths.
pub(crate) const NAME_CHARS: usize = 64;

/// Maximum number of known names that a suggestion lists for an unknown one. The table `policy` has
/// 15 keys.
pub(crate) const NAMES_LISTED: usize = 16;
