//! The reader of access logs.
//!
//! # Flow
//!
//! [`read_log`] finds the format of a log by its first line with a request. Each line fills the
//! parts of a request: fields of rows by their place, columns and JSON by their names, of which one
//! table has all. The parts become a [`Request`].
//!
//! # Scope
//!
//! Nothing is guessed. A line that does not fit is counted. A text that a client can choose, such
//! as a user name or the name of a header field, cannot become another part.

mod captures;
mod columns;
mod custom;
mod damage;
mod escape;
mod fields;
mod format;
mod json;
mod reader;
mod request;
mod rows;
mod time;
mod totals;

pub(crate) use escape::hex_unescaped;
pub use format::{LogFormat, LogOptions};
pub use reader::{LogLines, first_request, read_log};
pub use request::Request;
pub(crate) use request::{absolute, path_of, split_port};
pub(crate) use time::before;
pub use time::{LogZone, read_time};
pub use totals::LogTotals;
