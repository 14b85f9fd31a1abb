//! Indexes of archives: they select the records of robots.txt, so that only these are read.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use arrow_array::cast::AsArray as _;
use arrow_array::types::UInt64Type;
use arrow_array::{Array as _, ArrayRef};
use arrow_schema::DataType;
use serde::{Deserialize, Serialize};
use verger::Origin;

use crate::error::{Error, Result, brief};
use crate::format::{Format, format_of};
use crate::input::{Part, Unit, relative};
use crate::job::{Counts, Job, Skip, Task};
use crate::limits::SELECTED_RECORDS;
use crate::shuffle::{ShuffleWriter, read_all};
use crate::table::{Columns, Wanted, as_text, text_at};

/// The folder of Common Crawl's archives with robots.txt files. They also have the targets of
/// redirects.
const ROBOTS_FOLDER: &str = "/robotstxt/";

/// The place of a selected record.
#[derive(Debug, Serialize, Deserialize)]
struct Selected {
    /// The number of the unit of its index.
    index: usize,
    /// The name of its archive, relative to a base.
    name: String,
    range: Range<u64>,
}

/// Replaces the units of indexes by units of archives with the selected records.
pub(crate) fn select(
    units: &mut Vec<Unit>,
    base: Option<&Path>,
    job: &Job,
) -> Result<(Vec<PathBuf>, Counts)> {
    let is_index = |unit: &Unit| matches!(unit.format, Format::Index | Format::ColumnarIndex);
    let indexes: Vec<Unit> = units.extract_if(.., |unit| is_index(unit)).collect();
    if indexes.is_empty() {
        return Ok((Vec::new(), Counts::new()));
    }
    let (files, counts) = job.stage(
        "select",
        indexes.len(),
        |_| Ok(0),
        |task| {
            let path = task.path.clone();
            let mut out = ShuffleWriter::new(&path, 1)?;
            select_of(&indexes[task.number], task, |selected| out.add(0, &selected))?;
            out.finish()
        },
    )?;
    let mut archives: BTreeMap<_, Vec<Range<u64>>> = BTreeMap::new();
    let mut count = 0;
    read_all(&files, 0, |Selected { index, name, range }| {
        count += 1;
        if count > SELECTED_RECORDS {
            let error = format!("expected at most {SELECTED_RECORDS} records from indexes");
            return Err(Error::new(error).with_hint("run the files of the index one by one"));
        }
        let path = relative(&name, base, &indexes[index].path);
        let path = path.ok_or_else(|| Error::new("expected a relative name of an archive"))?;
        archives.entry(path).or_default().push(range);
        Ok(())
    })?;
    for (path, mut ranges) in archives {
        ranges.sort_by_key(|range| (range.start, range.end));
        ranges.dedup_by_key(|range| range.start);
        let part = Part::Records(ranges.into());
        units.push(Unit { path, format: Format::Warc, part });
    }
    Ok((files, counts))
}

/// Selects the records of a unit of an index.
fn select_of(
    unit: &Unit,
    task: &mut Task<'_>,
    mut each: impl FnMut(&Selected) -> Result<()>,
) -> Result<()> {
    // The path alone is a small column.
    let urls: &[&str] = match unit.format {
        Format::Index => &["url"],
        _ => &["url_path", "url"],
    };
    let columns = Columns {
        wanted: vec![
            Wanted::required(urls),
            Wanted::required(&["warc_filename", "filename"]),
            Wanted::required(&["warc_record_offset", "offset"]),
            Wanted::required(&["warc_record_length", "length"]),
        ],
        ..Columns::default()
    };
    let name = unit.name();
    columns.read(unit, task, |task, batch| {
        let urls = columns.typed(unit, &batch, 0, as_text)?;
        let names = columns.typed(unit, &batch, 1, as_text)?;
        let numbers = |array: &ArrayRef| arrow_cast::cast(array, &DataType::UInt64).ok();
        let starts = columns.typed(unit, &batch, 2, numbers)?;
        let lengths = columns.typed(unit, &batch, 3, numbers)?;
        let number = |array: &Option<ArrayRef>, row: usize| {
            let array = array.as_ref()?.as_primitive::<UInt64Type>();
            (!array.is_null(row)).then(|| array.value(row))
        };
        task.count("index.rows", batch.rows as u64);
        for row in 0..batch.rows {
            let (url, archive) = (text_at(urls.as_ref(), row), text_at(names.as_ref(), row));
            let is_robots = url.is_some_and(is_robots);
            if !is_robots && !archive.is_some_and(|name| name.contains(ROBOTS_FOLDER)) {
                continue;
            }
            let range = number(&starts, row).zip(number(&lengths, row));
            let range = range.and_then(|(start, length)| Some(start..start.checked_add(length)?));
            let message = match (archive, range) {
                (Some(name), _) if format_of(Path::new(name)) != Some(Format::Warc) => {
                    format!("expected the name of a WARC file, but found `{}`", brief(name))
                }
                (Some(name), _) if relative(name, None, &unit.path).is_none() => {
                    format!("expected a relative name of a file, but found `{}`", brief(name))
                }
                (Some(name), Some(range)) if !range.is_empty() => {
                    task.count("index.selected", 1);
                    let (index, name) = (task.number, name.to_owned());
                    each(&Selected { index, name, range })?;
                    continue;
                }
                _ => "expected the name of a file, an offset and a length".to_owned(),
            };
            task.skip(&Skip::new(&name, batch.places[row], "broken_row", &message))?;
        }
        Ok(())
    })
}

/// Whether a URL or its path is that of a robots.txt.
fn is_robots(url: &str) -> bool {
    url == "/robots.txt" || Origin::of_robots_url(url).ok().flatten().is_some()
}
