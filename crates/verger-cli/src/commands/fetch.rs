//! `verger fetch`: fetches the robots.txt of a site, and shows the response and its meaning.

use std::collections::HashMap;
use std::ffi::OsString;
use std::io::{self, IsTerminal as _, Write};
use std::sync::Arc;

use verger::access::Kind;
use verger::{Dialect, Origin, quoted};
use verger_fetch::record::OriginRecord;
use verger_json::stored_record::RecordReport;
use verger_json::{AnswerError, Values};

use crate::args::Fetch;
use crate::console::{Console, Messages, output_status};
use crate::error::{Error, ExitStatus};
use crate::hints::failure_hint;
use crate::live::LiveClient;
use crate::output::{write_escaped, write_fetch};
use crate::record_report::{FetchedRecord, MeaningKeys, copy_warning};
use crate::url_check::origin_of;

pub(super) fn run(args: &Fetch, console: &mut Console) -> Result<ExitStatus, Error> {
    if args.body && args.urls.len() > 1 {
        let count = args.urls.len();
        let message = format!("expected one URL with `--body`, but found {count}");
        return Err(Error::new(message));
    }
    let live = LiveClient::open(&args.live, None, &Dialect::default())?;
    let json = args.format.values();
    let (fetched, status) = (HashMap::new(), ExitStatus::Success);
    let mut session = Session { live, fetched, json, is_first: true, status };
    let result = match &*args.urls {
        [url] if args.body => session.fetch_body(url.as_encoded_bytes(), console),
        urls => session.fetch_all(urls, console),
    };
    session.live.close(&mut console.messages);
    console.messages.finish();
    Ok(output_status(result, session.status, &mut console.messages))
}

struct Session {
    live: LiveClient,
    /// One request for all URLs of an origin.
    fetched: HashMap<Origin, Result<Arc<OriginRecord>, Error>>,
    /// `None` for text.
    json: Option<Values>,
    is_first: bool,
    status: ExitStatus,
}

impl Session {
    fn fetch_all(&mut self, urls: &[OsString], console: &mut Console) -> io::Result<()> {
        let mut hint = None;
        for url in urls {
            let url = url.as_encoded_bytes();
            match self.fetch(url) {
                Ok(record) => {
                    self.report(&record, true, &mut console.out)?;
                    console.out.flush()?;
                    self.show_fault(&record, &mut console.messages);
                    // Hints belong to text.
                    if hint.is_none() && self.json.is_none() {
                        hint = failure_hint(&record);
                    }
                }
                Err(error) => self.fail(url, &error, &mut console.out, &mut console.messages)?,
            }
            // The next fetch can take long.
            console.out.flush()?;
        }
        if let Some(hint) = hint {
            console.messages.hint(hint);
        }
        if let Some(json) = &self.json {
            json.finish(&mut console.out)?;
        }
        console.out.flush()
    }

    /// Writes the file to standard output, and the report to standard error.
    fn fetch_body(&mut self, url: &[u8], console: &mut Console) -> io::Result<()> {
        let mut report = Vec::new();
        match self.fetch(url) {
            Ok(record) => self.write_body(&record, &mut report, console)?,
            Err(error) => self.fail(url, &error, &mut report, &mut console.messages)?,
        }
        if let Some(json) = &self.json {
            json.finish(&mut report)?;
        }
        console.messages.text(&report);
        console.out.flush()
    }

    fn write_body(
        &mut self,
        record: &OriginRecord,
        report: &mut Vec<u8>,
        console: &mut Console,
    ) -> io::Result<()> {
        self.report(record, false, report)?;
        self.show_fault(record, &mut console.messages);
        let client = &self.live.client;
        // JSON has it in `meaning`.
        if let Some(warning) = copy_warning(client, record).filter(|_| self.json.is_none()) {
            console.messages.warning(warning);
        }
        let file = record.file_for(client.read_options());
        let body = file.map(|file| file.body.as_bytes()).unwrap_or_default();
        if io::stdout().is_terminal() {
            write_escaped(&mut console.out, body)
        } else {
            console.out.write_all(body)
        }
    }

    fn fetch(&mut self, url: &[u8]) -> Result<Arc<OriginRecord>, Error> {
        let fetch = |origin: &Origin| self.live.refresh(origin);
        self.fetched.entry(origin_of(url)?).or_insert_with_key(fetch).clone()
    }

    fn report(
        &mut self,
        record: &OriginRecord,
        with_body: bool,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let client = &self.live.client;
        let status = match client.access(record).kind() {
            _ if client.fault(record).is_some() => ExitStatus::Error,
            Kind::Rules | Kind::AllowAll => ExitStatus::Success,
            Kind::DisallowAll | Kind::Unknown => ExitStatus::Finding,
        };
        self.status = self.status.max(status);
        let file = record.file_for(client.read_options()).map(|file| &**file);
        let meaning = MeaningKeys::of(record, client);
        let record = RecordReport::of(record, file);
        let record = if with_body { record } else { record.without_body() };
        let report = FetchedRecord { record, meaning };
        let is_first = std::mem::take(&mut self.is_first);
        match &mut self.json {
            Some(json) => json.write(out, &report),
            None if is_first => write_fetch(out, &report),
            None => {
                writeln!(out)?;
                write_fetch(out, &report)
            }
        }
    }

    /// Shows that the client failed to request robots.txt. JSON has it in `failure`.
    fn show_fault(&self, record: &OriginRecord, messages: &mut Messages) {
        if let Some(failure) = self.live.client.fault(record).filter(|_| self.json.is_none()) {
            let url = quoted(&record.origin().robots_url());
            messages.error(&Error::new(format!("could not fetch {url}: {failure}")));
        }
    }

    fn fail(
        &mut self,
        url: &[u8],
        error: &Error,
        out: &mut impl Write,
        messages: &mut Messages,
    ) -> io::Result<()> {
        self.status = ExitStatus::Error;
        if let Some(json) = &mut self.json {
            return json.write(out, &AnswerError::new(Some(url), None, error.to_string()));
        }
        out.flush()?;
        messages.error_at("", error);
        Ok(())
    }
}
