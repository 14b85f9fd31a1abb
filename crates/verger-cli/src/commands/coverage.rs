//! `verger coverage`: counts the URLs of a site by the rules that decide them.

use verger_analysis::{Analysis, unnamed_crawler};
use verger_json::{NamedCrawler, Values};

use crate::args::{Coverage, CoverageFormat};
use crate::by_crawler::ByCrawler;
use crate::console::Console;
use crate::coverage_report::CoverageReport;
use crate::crawler::{self, show_remarks};
use crate::error::{Error, ExitStatus};
use crate::input::read_stdin_once;
use crate::output::{write_coverage, write_coverage_html};
use crate::robots_place::{RobotsPlace, refuse_live_args};
use crate::site_urls::SiteUrls;

pub(super) fn run(args: &Coverage, console: &mut Console) -> Result<ExitStatus, Error> {
    let dialect = &args.reading.dialect;
    let crawler = crawler::from_args(&args.crawler, dialect)?;
    // The requests of a crawler are judged by its rules.
    let of_log = args.site.log_agent.as_ref();
    let crawler = crawler.or_else(|| Some(NamedCrawler::agent(of_log?, dialect)));
    let place = RobotsPlace::new(&args.file);
    if !matches!(place, RobotsPlace::Site(_)) && !SiteUrls::needs_network(&args.site) {
        refuse_live_args(&args.live, &args.file)?;
    }
    if !args.site.are_given() {
        let error = Error::new("missing the URLs of the site");
        return Err(error.with_hint("`--sitemap FILE|URL`, `--urls FILE` or `--log FILE`"));
    }
    read_stdin_once(args.site.lists().chain([args.file.as_ref()]))?;
    let file = place.load(dialect, crawler.as_ref(), &args.live, &mut console.messages)?;
    if let Some(warning) = file.truncation() {
        console.messages.warning(warning);
    }
    if let Some(crawler) = &crawler {
        show_remarks(crawler, &[file.robots()], dialect, &mut console.messages);
    }
    let others = unnamed_crawler(&[file.robots()]);
    let analysis =
        Analysis::new(file.robots(), crawler.as_ref().map_or(&others, |crawler| crawler.crawler()));
    let mut coverage = analysis.coverage(std::iter::empty::<(&[u8], u64)>());
    let (origin, robots) = (place.origin(), file.robots());
    let urls = SiteUrls { args: &args.site, live: &args.live, origin, robots };
    let mut requests = ByCrawler::new(file.robots(), args.by_crawler);
    let totals = urls.read(&mut console.messages, &mut |url, header| {
        coverage.add(url, 1);
        if let Some(header) = header {
            requests.add(url, header);
        }
    })?;
    let is_complete = totals.unread_sitemaps == 0;
    let mut report =
        CoverageReport::of(file.name(), crawler.as_ref(), &analysis, &coverage, totals);
    report.inputs = args.site.names();
    report.log_agent = args.site.log_agent.as_deref();
    if crawler.is_none() {
        report.own_group = requests.own_group();
    }
    report.crawlers = requests.rows();
    let palette = console.palette;
    let status = if is_complete { ExitStatus::Success } else { ExitStatus::Error };
    Ok(console.finish(status, |out| match args.format {
        CoverageFormat::Text => write_coverage(out, palette, &report),
        CoverageFormat::Json => Values::lines().write(out, &report),
        CoverageFormat::Html => write_coverage_html(out, &report),
    }))
}
