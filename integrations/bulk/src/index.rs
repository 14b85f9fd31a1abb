//! Indexes of archives: they select the records of robots.txt, so that only these are read.

use std::io::Cursor;
use std::ops::Range;
use std::path::PathBuf;

use arrow_array::cast::AsArray as _;
use arrow_array::types::UInt64Type;
use arrow_array::{Array as _, ArrayRef};
use arrow_schema::DataType;
use verger::Origin;

use crate::capture::{Capture, CaptureReader};
use crate::cells::{as_text, text_at};
use crate::error::{Error, Result, brief, shown};
use crate::format::{is_archive, relative};
use crate::input::Unit;
use crate::job::{Skip, Task};
use crate::limits::{BLOCK_BYTES, JOINED_BYTES, JOINED_GAP, SELECTED_RECORDS};
use crate::remote::ranges;
use crate::table::{Columns, Wanted};
use crate::warc::WarcReader;

/// The folder of Common Crawl's archives with robots.txt files. They also have the targets of
/// redirects.
const ROBOTS_FOLDER: &str = "/robotstxt/";

/// Maximum bytes of a selected record.
const LONGEST: u64 = BLOCK_BYTES as u64;

/// The archive and the place of a selected record.
type Selected = (PathBuf, Range<u64>);

impl CaptureReader {
    /// Reads the captures that a unit of an index selects.
    pub(crate) fn read_index(
        &self,
        unit: &Unit,
        task: &mut Task<'_>,
        each: &mut dyn FnMut(&mut Task<'_>, Capture) -> Result<()>,
    ) -> Result<()> {
        // The path alone is a small column.
        let columns = Columns {
            wanted: vec![
                Wanted::required(&["url_path", "url"]),
                Wanted::required(&["warc_filename", "filename"]),
                Wanted::required(&["warc_record_offset", "offset"]),
                Wanted::required(&["warc_record_length", "length"]),
            ],
            ..Columns::default()
        };
        let name = unit.name();
        let (mut selected, mut number) = (Vec::new(), 0);
        columns.read(unit, task, |task, batch| {
            let urls = columns.typed(unit, &batch, 0, as_text)?;
            let names = columns.typed(unit, &batch, 1, as_text)?;
            let numbers = |array: &ArrayRef| arrow_cast::cast(array, &DataType::UInt64).ok();
            let starts = columns.typed(unit, &batch, 2, numbers)?;
            let lengths = columns.typed(unit, &batch, 3, numbers)?;
            let number_at = |array: &Option<ArrayRef>, row: usize| {
                let array = array.as_ref()?.as_primitive::<UInt64Type>();
                (!array.is_null(row)).then(|| array.value(row))
            };
            task.count("index.rows", batch.rows as u64);
            for row in 0..batch.rows {
                let archive = text_at(names.as_ref(), row).unwrap_or_default();
                let is_robots = text_at(urls.as_ref(), row).is_some_and(is_robots);
                if !is_robots && !archive.contains(ROBOTS_FOLDER) {
                    continue;
                }
                let path = relative(archive, self.base.as_deref(), &unit.path);
                let length = number_at(&lengths, row).filter(|it| (1..=LONGEST).contains(it));
                // Places in files have the bits of a signed number.
                let start =
                    number_at(&starts, row).filter(|it| *it <= i64::MAX.cast_unsigned() - LONGEST);
                let (column, expected) = match (path.filter(|_| is_archive(archive)), start, length)
                {
                    (Some(path), Some(start), Some(length)) => {
                        selected.push((path, start..start + length));
                        continue;
                    }
                    (None, ..) => (1, "the relative name of a WARC or ARC file".to_owned()),
                    (_, None, _) => (2, "an offset in bytes".to_owned()),
                    (.., None) => (3, format!("a length from 1 to {LONGEST} bytes")),
                };
                let found = batch.columns[column].as_ref().map(|it| it.slice(row, 1));
                let found = found.and_then(|it| arrow_cast::cast(&it, &DataType::Utf8).ok());
                let message = match text_at(found.as_ref(), 0) {
                    Some(found) => format!("expected {expected}, but found `{}`", brief(found)),
                    None => format!("missing {expected}"),
                };
                task.skip(&Skip::new(&name, batch.places[row], "broken_row", &message))?;
            }
            if selected.len() >= SELECTED_RECORDS {
                self.read_selected(std::mem::take(&mut selected), &mut number, task, each)?;
            }
            Ok(())
        })?;
        self.read_selected(selected, &mut number, task, each)
    }

    /// Reads records, neighbours with one request.
    fn read_selected(
        &self,
        mut selected: Vec<Selected>,
        number: &mut u64,
        task: &mut Task<'_>,
        each: &mut dyn FnMut(&mut Task<'_>, Capture) -> Result<()>,
    ) -> Result<()> {
        // Of records with one start, the longest has all bytes of the others.
        selected.sort_by(|(path, range), (other, it)| {
            (path, range.start, it.end).cmp(&(other, it.start, range.end))
        });
        selected.dedup_by(|(path, range), (other, it)| path == other && range.start == it.start);
        task.count("index.selected", selected.len() as u64);
        let is_joined = |(path, range): &Selected, (other, it): &Selected| {
            path == other
                && it.start.saturating_sub(range.end) <= JOINED_GAP
                && it.start / JOINED_BYTES == range.start / JOINED_BYTES
        };
        let joined = |group: &[Selected]| {
            let (path, Range { start, end }) = group[0].clone();
            (path, start..group.iter().fold(end, |end, (_, range)| end.max(range.end)))
        };
        let groups = || selected.chunk_by(is_joined);
        for (group, bytes) in groups().zip(ranges(groups().map(joined))) {
            let (path, Range { start, .. }) = &group[0];
            let bytes = bytes.map_err(|error| Error::named(path, &error, true))?;
            let name = path.to_string_lossy();
            task.input = Some(shown(path));
            for (_, range) in group {
                let [from, to] = [range.start, range.end].map(|at| {
                    usize::try_from(at - start).map_or(bytes.len(), |at| at.min(bytes.len()))
                });
                let record = bytes.slice(from..to);
                if record.is_empty() {
                    let message = "the archive ends before this record";
                    task.skip(&Skip::new(&name, range.start, "broken", message))?;
                    continue;
                }
                let reader = WarcReader::new(Box::new(Cursor::new(record)), &name);
                self.read_records(reader, (&name, range.start), number, task, each)?;
            }
        }
        Ok(())
    }
}

/// Whether a URL or its path is that of a robots.txt.
fn is_robots(url: &str) -> bool {
    url == "/robots.txt" || Origin::of_robots_url(url).ok().flatten().is_some()
}
