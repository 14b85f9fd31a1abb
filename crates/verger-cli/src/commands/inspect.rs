//! `verger inspect`: what a robots.txt says.

use std::io::{self, Write as _};

use crate::args::{Inspect, InspectFormat};
use crate::asker::Asker;
use crate::console::{Out, Talk, written};
use crate::error::Error;
use crate::exit::ExitStatus;
use crate::input::{hint_at_fetching, place, read_robots};
use crate::inspection::Inspection;
use crate::output::{JsonAnswers, write_inspection};
use crate::robots_file::RobotsFile;

pub(super) fn run(args: &Inspect, out: &mut Out, talk: &mut Talk) -> ExitStatus {
    let (file, asker) = match open(args) {
        Ok(opened) => opened,
        Err(error) => return talk.fail(&error),
    };
    for (_, problem) in asker.iter().flat_map(|asker| asker.problems(&args.reading.dialect)) {
        talk.warning(problem);
    }
    let result = write(args, &Inspection::of(&file, asker.as_ref()), out);
    written(result, ExitStatus::Success, talk)
}

fn open(args: &Inspect) -> Result<(RobotsFile, Option<Asker>), Error> {
    let asker = Asker::of(&args.crawler)?;
    let bytes = read_robots(&args.file, &args.reading.dialect)
        .map_err(|error| hint_at_fetching(error, &args.file, "verger inspect -"))?;
    Ok((RobotsFile::parse(place(&args.file), &bytes, &args.reading.dialect), asker))
}

fn write(args: &Inspect, inspection: &Inspection<'_>, out: &mut Out) -> io::Result<()> {
    match args.format {
        InspectFormat::Text => {
            let palette = out.palette();
            write_inspection(out, palette, inspection)?;
        }
        InspectFormat::Json => JsonAnswers::lines().write(out, inspection)?,
    }
    out.flush()
}
