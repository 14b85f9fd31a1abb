//! What the tests of all stores have in common.

#[path = "../../../verger-fetch/tests/common/records.rs"]
pub(crate) mod records;
