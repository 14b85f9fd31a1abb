//! `verger rights`: reports every statement on the use of a page.

use verger::Dialect;
use verger_json::{AnswerError, NamedCrawler, Values};

use crate::args::{ReportFormat, Rights};
use crate::console::Console;
use crate::crawler::{by_product_tokens, from_args, show_remarks};
use crate::error::{Error, ExitStatus};
use crate::live::{LiveClient, header_warning};
use crate::output::write_rights;

pub(super) fn run(args: &Rights, console: &mut Console) -> Result<ExitStatus, Error> {
    let dialect = Dialect::default();
    let crawler = from_args(&args.crawler, &dialect)?;
    if let Some(crawler) = &crawler {
        show_remarks(crawler, &[], &dialect, &mut console.messages);
        by_product_tokens(crawler)?;
        if let Some(warning) = header_warning(&args.live, crawler) {
            console.messages.warning(warning);
        }
    }
    let default = NamedCrawler::token("verger");
    let named = crawler.as_ref().unwrap_or(&default);
    let live = LiveClient::open(&args.live, crawler.as_ref(), &dialect)?;
    let url = args.url.as_encoded_bytes();
    let report = live.rights(named.crawler(), url);
    live.close(&mut console.messages);
    let report = match report {
        Ok(report) => report,
        Err(error) if args.format == ReportFormat::Text => return Err(error),
        Err(error) => {
            let error = AnswerError::new(Some(url), None, error.to_string());
            let write = |out: &mut _| Values::lines().write(out, &error);
            return Ok(console.finish(ExitStatus::Error, write));
        }
    };
    let status = if report.is_free() { ExitStatus::Success } else { ExitStatus::Finding };
    let palette = console.palette;
    Ok(console.finish(status, |out| match args.format {
        ReportFormat::Text => write_rights(out, palette, &report),
        ReportFormat::Json => Values::lines().write(out, &report),
    }))
}
