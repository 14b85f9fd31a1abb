//! Captures of an input in any format, and those of tables.

use arrow_array::{Array as _, ArrayRef};
use verger::access::Outcome;
use verger_fetch::http::{HeaderMap, HeaderValue, header};

use crate::capture::{Capture, CaptureReader, Content, Final, Place, Unknown};
use crate::cells::{as_text, bytes, bytes_at, ranks, read_statuses, text_at, url_of};
use crate::error::{Result, shown};
use crate::format::Format;
use crate::input::Unit;
use crate::job::{Skip, Task};
use crate::table::{Columns, Wanted};

impl CaptureReader {
    /// Reads the captures of a unit. Others are counted, damaged ones also listed.
    pub(crate) fn read(
        &self,
        unit: &Unit,
        task: &mut Task<'_>,
        mut each: impl FnMut(&mut Task<'_>, Capture) -> Result<()>,
    ) -> Result<()> {
        task.input = Some(shown(&unit.path));
        match unit.format {
            Format::Warc | Format::Arc | Format::Wacz => self.read_warc(unit, task, &mut each),
            Format::Index => self.read_index(unit, task, &mut each),
            _ => self.read_table(unit, task, &mut each),
        }
    }

    fn read_table(
        &self,
        unit: &Unit,
        task: &mut Task<'_>,
        each: &mut dyn FnMut(&mut Task<'_>, Capture) -> Result<()>,
    ) -> Result<()> {
        let columns = Columns {
            wanted: vec![
                Wanted::required(&["url", "origin"]),
                // Otherwise each row would be a fetch without a response.
                Wanted::optional(&["robots", "body", "content"]).required_or(&STATUS),
                Wanted::optional(&STATUS),
                Wanted::optional(&["time", "fetch_time"]),
                Wanted::optional(&["location", "fetch_redirect"]),
                Wanted::optional(if self.reads_ranks { &["rank"] } else { &[] }),
            ],
            ..Columns::default()
        };
        let name = unit.name();
        let mut number = 0;
        columns.read(unit, task, |task, batch| {
            let urls = columns.typed(unit, &batch, 0, as_text)?;
            let robots = columns.typed(unit, &batch, 1, bytes)?;
            let statuses = columns.typed(unit, &batch, 2, read_statuses)?;
            // A line of JSON without a time is a row without the column.
            let has_time = |row: usize| {
                let is_given =
                    |array: &ArrayRef| unit.format != Format::JsonLines || !array.is_null(row);
                batch.columns[3].as_ref().is_some_and(is_given)
            };
            let times = columns.typed(unit, &batch, 3, crate::time::column)?;
            let locations = columns.typed(unit, &batch, 4, as_text)?;
            let ranks = columns.typed(unit, &batch, 5, ranks)?;
            let capture_of = |row: usize, place: Place| {
                let url = text_at(urls.as_ref(), row).and_then(url_of);
                let url = url.ok_or("expected a URL or an origin")?;
                let body = bytes_at(robots.as_ref(), row);
                let given = statuses.as_ref().map_or(Ok(None), |all| all[row]);
                let status = match given.map_err(|()| "expected a status from 0 to 999")? {
                    Some(status) => Some(status).filter(|status| *status > 0),
                    // The text of a file came from a successful fetch.
                    None => body.is_some().then_some(200),
                };
                let time = times.as_ref().and_then(|times| times[row]);
                let time = time.or((!has_time(row)).then_some(self.default_time));
                let time = time.ok_or("expected a time")?;
                let mut headers = HeaderMap::new();
                let location = text_at(locations.as_ref(), row);
                if let Some(location) = location.and_then(|it| HeaderValue::from_str(it).ok()) {
                    headers.insert(header::LOCATION, location);
                }
                let content = match (status, body) {
                    // A row about a fetch without a response.
                    (None, _) => Content::Final(Final::new(Outcome::Network, Vec::new())),
                    // A 200 without a text: the file is not in the table.
                    (Some(200..=299), None) => Content::Final(Final::unknown(Unknown::Truncated)),
                    (Some(status), body) => {
                        self.content(&url, status, &headers, body.unwrap_or_default(), false)
                    }
                };
                let rank = ranks.as_ref().and_then(|ranks| ranks[row]);
                let (url, id, digest, content_type) = (url.to_string(), None, None, None);
                Ok(Capture { url, time, place, status, id, digest, content_type, rank, content })
            };
            for (row, &at) in batch.places.iter().enumerate() {
                let place = Place::of(task, number, at);
                number += 1;
                task.count("rows.read", 1);
                match capture_of(row, place) {
                    Ok(capture) => each(task, capture)?,
                    Err(message) => task.skip(&Skip::new(&name, at, "broken_row", message))?,
                }
            }
            Ok(())
        })
    }
}

/// Names of the column of statuses.
const STATUS: [&str; 2] = ["status", "fetch_status"];
