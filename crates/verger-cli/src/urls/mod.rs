//! URLs of a site from lists and sitemaps.
//!
//! [`read_list`] and [`read_sitemaps`] pass each URL, as it is written, to a function.
//! Data that begins with the mark of gzip is decompressed. Nothing is collected, so memory does not
//! grow with the number of URLs. An error is a sentence with escaped foreign text, without a final
//! stop.
//!
//! The protocol of sitemaps: <https://www.sitemaps.org/protocol.html>.

mod list;
mod sitemap;
mod sitemaps;

pub(crate) use list::read_list;
pub(crate) use sitemaps::{SitemapTotals, read_sitemaps};

/// Data compressed with gzip.
#[cfg(test)]
fn compressed(data: &[u8]) -> Vec<u8> {
    use std::io::Write as _;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(data).expect("memory");
    encoder.finish().expect("memory")
}
