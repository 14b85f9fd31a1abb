//! Parts of the tests of all stores.

#[path = "../../../verger-fetch/tests/common/records.rs"]
pub(crate) mod records;
