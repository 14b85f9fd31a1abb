//! Questions about all URLs, and about given ones.

pub(crate) mod analysis;
pub(crate) mod canonical;
pub(crate) mod changes;
pub(crate) mod compare;
pub(crate) mod count;
pub(crate) mod coverage;
pub(crate) mod crawlers;
pub(crate) mod dead;
pub(crate) mod files;
pub(crate) mod findings;
pub(crate) mod frequent;
pub(crate) mod pattern_state;
pub(crate) mod prefixes;
pub(crate) mod redundant;
pub(crate) mod url_changes;
