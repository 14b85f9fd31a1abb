//! Parts of the tests of all stores.

#[path = "../../../verger-fetch/tests/fetch/common/records.rs"]
pub(crate) mod records;
