//! WARC and ARC files: records of gzip, zstd and plain files, also of damaged ones.
//!
//! This reader is our own. The crate `fastwarc` was considered: it has no place to continue after a
//! damaged member, and depends on the unmaintained crate `encoding`. Archives of years contain
//! damaged members, and a bulk run must list them and go on.

mod arc;
mod digest;
mod http;
mod members;
mod record;

pub(crate) use digest::{Digest, RecordId};
pub(crate) use http::response;
pub(crate) use record::{Found, Record, WarcReader};
