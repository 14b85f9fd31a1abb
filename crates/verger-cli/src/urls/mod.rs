//! URLs of a site from lists, sitemaps and access logs.
//!
//! [`read_list`], [`read_log`] and [`read_sitemaps`] pass each URL, as it is written, to a function.
//! Data that begins with the mark of gzip is decompressed. Nothing is collected, so memory does not
//! grow with the number of URLs. An error is a sentence with escaped foreign text, without a final
//! stop.
//!
//! The protocol of sitemaps: <https://www.sitemaps.org/protocol.html>.

mod escape;
mod format;
mod gzip;
mod json_log;
mod lines;
mod log;
mod request;
mod sitemap;
mod sitemaps;

pub(crate) use lines::read_list;
pub(crate) use log::{LogTotals, read_log};
pub(crate) use sitemaps::{SitemapTotals, read_sitemaps};
