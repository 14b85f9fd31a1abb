//! The robots.txt of a line of a batch.

use std::path::Path;

use verger::Dialect;

use super::line::{Source, decode};
use crate::error::Error;
use crate::input::{place, read_regular_robots};
use crate::robots_file::RobotsFile;

/// A robots.txt, and what it was made from.
pub(super) struct Parsed {
    pub(super) source: Source,
    pub(super) dialect: Dialect,
    pub(super) file: RobotsFile,
}

impl Parsed {
    pub(super) fn read(source: Source, dialect: Dialect) -> Result<Self, Error> {
        let parse = |name, bytes: &[u8]| RobotsFile::parse(name, bytes, &dialect);
        let file = match &source {
            Source::Text(text) => parse(String::new(), text.as_bytes()),
            Source::Base64(text) => parse(String::new(), &decode("robots_b64", text)?),
            Source::File(name) => {
                let path = Path::new(name);
                parse(place(path), &read_regular_robots(path, &dialect)?)
            }
        };
        Ok(Self { source, dialect, file })
    }
}
