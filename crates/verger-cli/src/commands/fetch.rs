//! `verger fetch`: what a site answers for its robots.txt, and what that means.

use std::io::{self, IsTerminal as _, Write};
use std::sync::Arc;

use verger::Dialect;
use verger::access::Kind;
use verger_fetch::record::OriginRecord;
use verger_json::{AnswerError, Values};

use crate::args::Fetch;
use crate::console::{Out, Talk, written};
use crate::error::Error;
use crate::exit::ExitStatus;
use crate::hints::after_failure;
use crate::kept::{Fetched, Kept, MeaningKeys};
use crate::last_copy;
use crate::live::Live;
use crate::output::{write_escaped, write_fetched};
use crate::quote::quoted;
use crate::url_text::origin_of;

pub(super) fn run(args: &Fetch, out: &mut Out, talk: &mut Talk) -> ExitStatus {
    if args.body && args.urls.len() > 1 {
        let count = args.urls.len();
        let message = format!("expected one URL with `--body`, but found {count}");
        return talk.fail(&Error::new(message));
    }
    let live = match Live::open(&args.live, None, &Dialect::default()) {
        Ok(live) => live,
        Err(error) => return talk.fail(&error),
    };
    let json = args.format.values();
    let mut session = Session { live, json, is_first: true, status: ExitStatus::Success };
    let result = if args.body {
        session.fetch_body(args, out, talk)
    } else {
        session.fetch_all(args, out, talk)
    };
    for notice in session.live.close() {
        talk.warning(notice);
    }
    talk.finish();
    written(result, session.status, talk)
}

struct Session {
    live: Live,
    /// `None`: for people.
    json: Option<Values>,
    is_first: bool,
    status: ExitStatus,
}

impl Session {
    fn fetch_all(&mut self, args: &Fetch, out: &mut Out, talk: &mut Talk) -> io::Result<()> {
        let mut hint = None;
        for url in &args.urls {
            let url = url.as_encoded_bytes();
            match self.fetch(url) {
                Ok(record) => {
                    self.report(&record, true, out)?;
                    out.flush()?;
                    self.warn_unasked(&record, talk);
                    // A hint is for people.
                    if hint.is_none() && self.json.is_none() {
                        hint = after_failure(&record);
                    }
                }
                Err(error) => self.fail(url, &error, out, talk)?,
            }
            // The next one may take a while.
            out.flush()?;
        }
        if let Some(hint) = hint {
            talk.hint(hint);
        }
        if let Some(json) = &self.json {
            json.finish(out)?;
        }
        out.flush()
    }

    /// The file to standard output, and the rest to standard error.
    fn fetch_body(&mut self, args: &Fetch, out: &mut Out, talk: &mut Talk) -> io::Result<()> {
        let mut told = Vec::new();
        for url in &args.urls {
            let url = url.as_encoded_bytes();
            let record = match self.fetch(url) {
                Ok(record) => record,
                Err(error) => {
                    self.fail(url, &error, &mut told, talk)?;
                    continue;
                }
            };
            self.report(&record, false, &mut told)?;
            self.warn_unasked(&record, talk);
            // To programs the meaning says so.
            if let Some(warning) =
                last_copy::warning(self.live.client(), &record).filter(|_| self.json.is_none())
            {
                talk.warning(warning);
            }
            let file = record.file_for(self.live.client().read_options());
            let body = file.map(|file| file.body.as_bytes()).unwrap_or_default();
            if io::stdout().is_terminal() {
                write_escaped(out, body)?;
            } else {
                out.write_all(body)?;
            }
        }
        if let Some(json) = &self.json {
            json.finish(&mut told)?;
        }
        talk.block(&told);
        out.flush()
    }

    fn fetch(&self, url: &[u8]) -> Result<Arc<OriginRecord>, Error> {
        self.live.refresh(&origin_of(url)?)
    }

    fn report(
        &mut self,
        record: &OriginRecord,
        with_body: bool,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let client = self.live.client();
        let status = match client.access(record).kind() {
            _ if client.fault(record).is_some() => ExitStatus::Error,
            Kind::Rules | Kind::AllowAll => ExitStatus::Success,
            Kind::DisallowAll | Kind::Unknown => ExitStatus::Finding,
        };
        self.status = self.status.max(status);
        let kept = Kept::of(record, record.file_for(client.read_options()).map(|file| &**file));
        let kept = if with_body { kept } else { kept.without_body() };
        let fetched = Fetched { kept, meaning: MeaningKeys::of(record, client) };
        let is_first = std::mem::take(&mut self.is_first);
        match &mut self.json {
            Some(json) => json.write(out, &fetched),
            None if is_first => write_fetched(out, &fetched),
            None => {
                writeln!(out)?;
                write_fetched(out, &fetched)
            }
        }
    }

    /// Tells people that the site was not asked; programs find it in the failure.
    fn warn_unasked(&self, record: &OriginRecord, talk: &mut Talk) {
        if let Some(failure) = self.live.client().fault(record).filter(|_| self.json.is_none()) {
            let url = quoted(&record.origin().robots_url());
            talk.error(&Error::new(format!("could not fetch {url}: {failure}")));
        }
    }

    fn fail(
        &mut self,
        url: &[u8],
        error: &Error,
        out: &mut impl Write,
        talk: &mut Talk,
    ) -> io::Result<()> {
        self.status = ExitStatus::Error;
        if let Some(json) = &mut self.json {
            return json.write(out, &AnswerError::new(Some(url), None, error.to_string()));
        }
        out.flush()?;
        talk.error_at("", error);
        Ok(())
    }
}
