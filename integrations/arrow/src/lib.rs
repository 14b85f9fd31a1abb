//! robots.txt ([RFC 9309](https://www.rfc-editor.org/rfc/rfc9309)) in columns: kernels over Arrow
//! arrays, for Spark, `DuckDB`, Polars, `DataFusion` and everything else that speaks Arrow.
//!
//! ```
//! use arrow_array::{Array as _, BinaryArray, StringArray};
//! use verger::Dialect;
//!
//! let robots = BinaryArray::from_vec(vec![b"User-agent: *\nDisallow: /cart\n"]);
//! let agent = StringArray::from(vec!["ExampleBot"]);
//! let urls = StringArray::from(vec![Some("https://shop.example/cart"), Some("/"), None]);
//! let allowed = verger_arrow::check(&robots, &agent, &urls, Dialect::RFC9309)?;
//! assert_eq!(allowed.iter().collect::<Vec<_>>(), [Some(false), Some(true), None]);
//! # Ok::<_, verger_arrow::Error>(())
//! ```
//!
//! # Columns
//!
//! - Text may be `Utf8`, `LargeUtf8`, `Utf8View`, `Binary`, `LargeBinary`, `BinaryView`, or a
//!   dictionary of one of them. robots.txt files are best kept as binary: their encoding is the
//!   engine's matter.
//! - Agents are product tokens, or headers that contain one. They are read without a registry: a
//!   crawler's documented fallbacks (`Googlebot` for `Googlebot-Image`) do not count. `verger bulk
//!   --agent` knows them.
//! - All columns have the same number of rows. A column of one row is a constant.
//! - A row with a null in one of its columns has a null as its answer.
//! - A bad row never ends the job: a policy that is damaged gives a null, and its error is in the
//!   column `error` of the detailed kernels. A null is never an "allowed".
//! - Each distinct text of a call is parsed once for each of its crawlers. Rows need no order, but
//!   equal neighbours are fastest.
//!
//! # Flow
//!
//! [`column::Column`] gives rows of any type as bytes. [`distinct::Distinct`] numbers equal values.
//! Each kernel parses or compiles a value when it meets it for the first time.

mod check;
mod column;
mod diff;
mod distinct;
mod error;
mod lint;
mod metrics;
mod origin;
mod packs;
mod read_ahead;
mod statements;
mod structs;

pub use check::{check, check_detailed, check_policies, check_policies_detailed, compile};
pub use diff::{diff, difference};
pub use error::Error;
pub use lint::lint;
pub use metrics::metrics;
pub use origin::{OriginReader, origins};
pub use packs::{changes, pack_metrics, table, tables};
pub use read_ahead::{READ_AHEAD, read_ahead};
pub use statements::{sitemaps, statements};
pub use structs::structs;

pub(crate) use column::{Column, rows};
pub(crate) use distinct::Distinct;

/// Types of the structs that kernels return, for engines that need them before the first call.
pub mod types {
    pub use crate::check::detail_fields as details;
    pub use crate::diff::fields as diff;
    pub use crate::lint::fields as lint;
    pub use crate::metrics::fields as metrics;
    pub use crate::packs::{change_fields as changes, fields as pack};
    pub use crate::statements::statement_fields as statement;
}
