//! Patterns as texts of symbols with stars, and policies as lists of them.

pub(crate) mod decision_list;
pub(crate) mod fresh_letter;
pub(crate) mod glob;
pub(crate) mod index;
pub(crate) mod merge;
