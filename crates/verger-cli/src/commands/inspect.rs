//! `verger inspect`: what a robots.txt says.

use std::io::{self, Write as _};

use verger_json::Values;

use crate::args::{Inspect, InspectFormat};
use crate::asker::{self, Asker};
use crate::console::{Out, Talk, written};
use crate::error::Error;
use crate::exit::ExitStatus;
use crate::hints::after_failure;
use crate::input::{is_stdin, place, read_robots, shown};
use crate::inspection::Inspection;
use crate::last_copy;
use crate::live::{Live, nameless};
use crate::output::write_inspection;
use crate::quote::quoted;
use crate::robots_file::RobotsFile;
use crate::url_text::{has_port, hint_for, origin_of};

pub(super) fn run(args: &Inspect, out: &mut Out, talk: &mut Talk) -> ExitStatus {
    let (file, asker) = match open(args, talk) {
        Ok(opened) => opened,
        Err(error) => return talk.fail(&error),
    };
    for (_, remark) in asker.iter().flat_map(|asker| asker::remarks(asker, &args.reading.dialect)) {
        remark.say("", talk);
    }
    let result = write(args, &Inspection::of(&file, asker.as_ref()), out);
    written(result, ExitStatus::Success, talk)
}

fn open(args: &Inspect, talk: &mut Talk) -> Result<(RobotsFile, Option<Asker>), Error> {
    let asker = asker::of_args(&args.crawler)?;
    let name = args.file.as_os_str().as_encoded_bytes();
    let file = if is_url(args) {
        fetch(args, asker.as_ref(), talk)?
    } else {
        if let Some(flag) = args.live.first_given() {
            let found = shown(&args.file);
            let error = Error::new(format!("expected a URL with `{flag}`, but found {found}"));
            let is_file = is_stdin(&args.file) || args.file.exists();
            return Err(error.with_hint_of(hint_for(name).filter(|_| !is_file)));
        }
        let bytes = read_robots(&args.file, &args.reading.dialect).map_err(|error| {
            let is_site = has_port(name) && !args.file.exists();
            if is_site { error.with_hint_of(hint_for(name)) } else { error }
        })?;
        RobotsFile::parse(place(&args.file), &bytes, &args.reading.dialect)
    };
    Ok((file, asker))
}

/// Whether a site is meant: a URL of the web, and no file of that name.
fn is_url(args: &Inspect) -> bool {
    let text = args.file.to_string_lossy();
    let scheme = text.split_once("://").map(|(scheme, _)| scheme.to_ascii_lowercase());
    matches!(scheme.as_deref(), Some("http" | "https" | "ftp")) && !args.file.exists()
}

/// The robots.txt of a site, through the store.
fn fetch(args: &Inspect, asker: Option<&Asker>, talk: &mut Talk) -> Result<RobotsFile, Error> {
    let origin = origin_of(args.file.as_os_str().as_encoded_bytes())?;
    let dialect = &args.reading.dialect;
    let live = Live::open(&args.live, asker, dialect)?;
    let record = live.record(&origin);
    let copy = record.as_ref().ok().and_then(|record| last_copy::warning(live.client(), record));
    let options = live.client().read_options().clone();
    live.close().iter().for_each(|notice| talk.warning(notice));
    if let Some(warning) = asker.and_then(|asker| nameless(&args.live, asker)) {
        talk.warning(warning);
    }
    let record = record?;
    let name = origin.robots_url();
    let Some(file) = record.file_for(&options) else {
        let failure = record.last_for(&options).and_then(|last| last.failure.as_ref());
        let why = failure.map_or_else(|| "there is none".to_owned(), ToString::to_string);
        let error = Error::new(format!("could not read {}: {why}", quoted(&name)));
        return Err(error.with_hint_of(after_failure(&record)));
    };
    if let Some(warning) = copy {
        talk.warning(warning);
    }
    Ok(RobotsFile::parse(name, file.body.as_bytes(), dialect))
}

fn write(args: &Inspect, inspection: &Inspection<'_>, out: &mut Out) -> io::Result<()> {
    match args.format {
        InspectFormat::Text => {
            let palette = out.palette();
            write_inspection(out, palette, inspection)?;
        }
        InspectFormat::Json => Values::lines().write(out, inspection)?,
    }
    out.flush()
}
