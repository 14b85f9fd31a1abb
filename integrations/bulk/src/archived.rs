//! Captures of WARC and ARC records. A damaged one is unknown, so that earlier rules do not remain
//! in force.

use std::io;
use std::path::Path;

use verger_fetch::fetch::sent_url;
use verger_fetch::http::header;
use verger_fetch::url::Url;

use crate::capture::{Capture, CaptureReader, Content, Final, Original, Place, Unknown};
use crate::error::{Error, Result, is_damage};
use crate::input::Unit;
use crate::job::{Skip, Task};
use crate::warc::{Digest, Found, Record, RecordId, WarcReader, response};

impl CaptureReader {
    pub(crate) fn read_warc(
        &self,
        unit: &Unit,
        task: &mut Task<'_>,
        each: &mut dyn FnMut(&mut Task<'_>, Capture) -> Result<()>,
    ) -> Result<()> {
        let name = unit.name();
        let opened = unit.open().and_then(|file| WarcReader::new(file, &name));
        self.read_records(opened, (&name, 0), &mut 0, task, each)
    }

    /// Reads the records of a file, or of a part of an archive that begins at a place. `number` is
    /// that of the next record.
    pub(crate) fn read_records(
        &self,
        opened: io::Result<WarcReader>,
        (name, start): (&str, u64),
        number: &mut u64,
        task: &mut Task<'_>,
        each: &mut dyn FnMut(&mut Task<'_>, Capture) -> Result<()>,
    ) -> Result<()> {
        let failed = |error: io::Error| Error::io("read", Path::new(name), &error);
        let mut reader = match opened {
            Ok(reader) => reader,
            Err(error) if is_damage(&error) => {
                return task.skip(&Skip::new(name, start, "broken", &error.to_string()));
            }
            Err(error) => return Err(failed(error)),
        };
        while let Some(Found { at, record, damage }) = reader.next().map_err(failed)? {
            let at = start + at;
            let place = Place::of(task, *number, at);
            let skip = |task: &mut Task<'_>, kind, message: &str| {
                task.skip(&Skip::new(name, at, kind, message).of_record(place.number))
            };
            let is_damaged = damage.is_some();
            if let Some(message) = damage {
                skip(task, "broken", &message)?;
            }
            match record.map_or(Ok(None), |record| self.of_record(&record, place, is_damaged, task))
            {
                Ok(Some(capture)) => {
                    if let Content::Final(Final { outcome: Err(why), .. }) = &capture.content
                        && !is_damaged
                        && (capture.origin().is_some() || *why == Unknown::Broken)
                    {
                        let message = match why {
                            Unknown::Truncated => "the archive has only a part of the response",
                            Unknown::Undecodable => {
                                "the body cannot be decoded by its `Content-Encoding`"
                            }
                            Unknown::OriginalMissing => {
                                "expected a revisit record that names its original"
                            }
                            _ => "expected an HTTP response",
                        };
                        skip(task, why.name(), &format!("{message}; the rules are unknown"))?;
                    }
                    each(task, capture)?;
                }
                Err((kind, message)) if !is_damaged => skip(task, kind, message)?,
                Ok(None) | Err(_) => {}
            }
            *number += 1;
            task.advance(1)?;
        }
        Ok(())
    }

    /// The capture of a record; `None` for a record of another type. That of a damaged record is
    /// unknown, so that earlier rules do not remain in force.
    fn of_record(
        &self,
        record: &Record,
        place: Place,
        is_damaged: bool,
        task: &mut Task<'_>,
    ) -> std::result::Result<Option<Capture>, (&'static str, &'static str)> {
        let kind = record.field("WARC-Type").unwrap_or_default().to_ascii_lowercase();
        let mut count = |name: &str| {
            if !is_damaged {
                task.count(&format!("records.{name}"), 1);
            }
        };
        match kind.as_str() {
            "response" | "revisit" => count(&kind),
            "warcinfo" | "request" | "metadata" | "resource" | "conversion" | "continuation" => {
                count(&kind);
                return Ok(None);
            }
            _ => return Err(("unknown_type", "expected a known `WARC-Type`")),
        }
        let target = record.url("WARC-Target-URI");
        let target = target.ok_or(("broken", "expected a field `WARC-Target-URI`"))?;
        let Some(url) = sent_url(target).filter(|url| matches!(url.scheme(), "http" | "https"))
        else {
            // Names and DNS records are usual in archives.
            if sent_url(target).is_some() {
                count("not_http");
                return Ok(None);
            }
            return Err(("broken", "expected a URL in `WARC-Target-URI`"));
        };
        let time = record.field("WARC-Date").and_then(crate::time::parse);
        let time = time.ok_or(("broken", "expected a time in `WARC-Date`"))?;
        let digest = record.field("WARC-Payload-Digest").map(Digest::of_field);
        let (status, content_type, content) = if is_damaged {
            (None, None, Content::Final(Final::unknown(Unknown::Broken)))
        } else if kind == "revisit" {
            let (status, content) = self.of_revisit(record, &url, digest.clone());
            (status, None, content)
        } else {
            self.of_response(record, &url, digest.as_ref())
        };
        let id = record.url("WARC-Record-ID").map(RecordId::of_field);
        let url = url.to_string();
        let rank = None;
        Ok(Some(Capture { url, time, place, status, id, digest, content_type, rank, content }))
    }

    fn of_response(
        &self,
        record: &Record,
        url: &Url,
        digest: Option<&Digest>,
    ) -> (Option<u16>, Option<String>, Content) {
        let Some(response) = response(&record.block, digest) else {
            return (None, None, Content::Final(Final::unknown(Unknown::Broken)));
        };
        // The rest of a segment is in continuation records.
        let is_truncated = ["WARC-Truncated", "WARC-Segment-Number"]
            .iter()
            .any(|name| record.field(name).is_some())
            // ARC files of Common Crawl from 2012.
            || response.headers.contains_key("x-commoncrawl-contenttruncated")
            || response.is_incomplete
            || record.is_cut;
        let content_type = response.headers.get(header::CONTENT_TYPE);
        let content_type =
            content_type.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
        let status = response.status;
        let content = self.content(url, status, &response.headers, response.body, is_truncated);
        // The end that is missing may be the reason.
        let content = match content {
            Content::Final(end)
                if end.outcome.is_err() && (is_truncated || response.is_coded_short) =>
            {
                Content::Final(Final::unknown(Unknown::Truncated))
            }
            content => content,
        };
        (Some(status), content_type, content)
    }

    fn of_revisit(
        &self,
        record: &Record,
        url: &Url,
        digest: Option<Digest>,
    ) -> (Option<u16>, Content) {
        let is_unmodified =
            record.field("WARC-Profile").unwrap_or_default().contains("server-not-modified");
        let own = response(&record.block, None);
        let status = own.as_ref().map(|response| response.status);
        // Without a file, the status decides. An empty page has the digest of an empty file.
        if let Some(own) = own.filter(|own| !is_unmodified && !(200..300).contains(&own.status)) {
            let content = self.content(url, own.status, &own.headers, Vec::new(), false);
            return (status, content);
        }
        let date = record.field("WARC-Refers-To-Date");
        let id = record.url("WARC-Refers-To").map(RecordId::of_field);
        // The digest of a 304 is that of its empty body.
        let digest = digest.filter(|_| !is_unmodified);
        let time = date.and_then(crate::time::parse);
        let is_unmodified = is_unmodified && id.is_none() && date.is_none();
        if id.is_none() && digest.is_none() && time.is_none() && !is_unmodified {
            return (status, Content::Final(Final::unknown(Unknown::OriginalMissing)));
        }
        let of = record.url("WARC-Refers-To-Target-URI").and_then(sent_url);
        let url = of.as_ref().unwrap_or(url).to_string();
        (status, Content::Revisit { url, original: Original { id, digest, time, is_unmodified } })
    }
}
