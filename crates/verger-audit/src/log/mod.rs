//! The reader of access logs.

mod escape;
mod format;
mod json;
mod reader;
mod request;

pub use reader::{LogTotals, read_log};
pub use request::Request;
