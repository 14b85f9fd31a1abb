//! `verger inspect`: shows the contents of a robots.txt.

use verger_json::Values;

use crate::args::{Inspect, ReportFormat};
use crate::console::Console;
use crate::crawler::{self, show_remarks};
use crate::error::{Error, ExitStatus};
use crate::inspection::Inspection;
use crate::output::write_inspection;
use crate::robots_place::{RobotsPlace, refuse_live_args};

pub(super) fn run(args: &Inspect, console: &mut Console) -> Result<ExitStatus, Error> {
    let dialect = &args.reading.dialect;
    let crawler = crawler::from_args(&args.crawler, dialect)?;
    let place = RobotsPlace::new(args.file.as_os_str());
    if !matches!(place, RobotsPlace::Site(_)) {
        refuse_live_args(&args.live, args.file.as_os_str())?;
    }
    let file = place.load(dialect, crawler.as_ref(), &args.live, &mut console.messages)?;
    if let Some(crawler) = &crawler {
        show_remarks(crawler, &[file.robots()], dialect, &mut console.messages);
    }
    let inspection = Inspection::of(&file, crawler.as_ref());
    let palette = console.palette;
    Ok(console.finish(ExitStatus::Success, |out| match args.format {
        ReportFormat::Text => write_inspection(out, palette, &inspection),
        ReportFormat::Json => Values::lines().write(out, &inspection),
    }))
}
