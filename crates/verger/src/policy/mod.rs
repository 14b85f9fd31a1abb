//! Compiled policies: the meaning of one robots.txt for one crawler, as one flat string of bytes.
//!
//! # Flow
//!
//! [`Robots::policy`](crate::Robots::policy) and [`Dialect::policy`](crate::Dialect::policy) bring
//! the rules of the groups that apply into normal form (`rules.rs`) and write them as a tree of
//! prefixes (`tree/`). Patterns with wildcards are attached to the node of their literal prefix
//! (`wildcards.rs`); long lists of them have an index. A head (`head.rs`) precedes the tree, and an
//! explanation (`stored_rules.rs`) follows it. A check reads the target of the URL, walks down the
//! tree once, and then compares the wildcard patterns on its way that can still win.
//!
//! # Bytes
//!
//! The bytes are the same in memory, in a file, in a database, on every machine;
//! `docs/policy-format.md` describes them. The format is not permanent: another [`VERSION`] is
//! rejected; rebuild the policy then. [`Policy::from_bytes`](crate::Policy::from_bytes) rejects
//! accidentally corrupted data; it detects every single flipped bit. Forged bytes may give any
//! answer, but they cannot make the evaluation panic, loop, or read outside of the policy.
//!
//! The explanation takes more than half of the bytes;
//! [`without_explanation`](crate::Policy::without_explanation) removes it. Policies save space for
//! long files. The policy of a short file is often longer than the file: for half of the files of
//! the Web with the explanation, for one in fourteen without it.
//!
//! # Contents that a policy does not have
//!
//! Records other than rules: store delays or sitemaps of a file separately. Rules that lost:
//! [`Robots::explain`](crate::Robots::explain) returns them. The file, its age, the crawler, the
//! dialect and the site: store the policy under all of these and the version of this library. A
//! policy also answers for URLs of other sites.
//!
//! # Complexity
//!
//! Building: linear in the bytes of the rules, and O(n log n) comparisons of n patterns with
//! wildcards that begin with the same octets. A check: linear in the target and in the tables on
//! its way, which have at most eight leaves for an octet; in the worst case, each pattern with
//! wildcards and a matching prefix is compared twice. [`Robots::check`](crate::Robots::check)
//! compares each rule once.

mod compile;
pub(crate) mod compiled;
mod head;
mod rules;
#[cfg(test)]
mod tests;
mod tree;
mod wildcards;

pub use head::{PolicyError, VERSION};

pub(crate) use compiled::Policy;
