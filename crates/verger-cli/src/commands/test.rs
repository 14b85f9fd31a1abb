//! `verger test`: tests a robots.txt.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use verger_json::Values;

use crate::args::{Test, TestFormat};
use crate::console::Console;
use crate::crawler::typo_note;
use crate::error::{Error, ExitStatus};
use crate::input::{is_stdin, place, read_whole, shown};
use crate::limits::{TESTS_BYTES, WATCH_PAUSE};
use crate::output::{write_junit, write_tests};
use crate::site_tests::{Evaluation, TestFile, TestReport, proposal};
use crate::source::Source;

pub(super) fn run(args: &Test, console: &mut Console) -> Result<ExitStatus, Error> {
    if args.init {
        return init(args, console);
    }
    if !args.watch {
        return test(args, console);
    }
    if is_stdin(&args.file) {
        let error = Error::new("expected a file of tests with `--watch`, but found standard input");
        return Err(error);
    }
    loop {
        // Before the run, so that a change during it is noticed.
        let seen = watched(args);
        if let Err(error) = test(args, console) {
            console.messages.fail(&error);
        }
        while watched(args) == seen {
            std::thread::sleep(WATCH_PAUSE);
        }
    }
}

/// Writes a proposal of tests.
fn init(args: &Test, console: &mut Console) -> Result<ExitStatus, Error> {
    let name = args.robots.clone().unwrap_or_else(|| OsString::from("robots.txt"));
    let source = Source::new(&name);
    let file = source.load(&args.reading.dialect, None, &args.live, &mut console.messages)?;
    // Standard input has no name for the next run.
    let name = name.to_str().filter(|name| *name != "-");
    let text = proposal(&file, name);
    Ok(console.finish(ExitStatus::Success, |out| {
        use std::io::Write as _;
        out.write_all(text.as_bytes())
    }))
}

/// Runs all tests once.
fn test(args: &Test, console: &mut Console) -> Result<ExitStatus, Error> {
    let bytes = read_whole(&args.file, TESTS_BYTES).map_err(|error| {
        if is_stdin(&args.file) || args.file.exists() {
            return error;
        }
        error.with_hint("`verger test --init --robots robots.txt` proposes tests")
    })?;
    let place = place(&args.file);
    let text = String::from_utf8(bytes)
        .map_err(|_| Error::new(format!("expected UTF-8 in {}", shown(&args.file))))?;
    let tests = TestFile::parse(&text, &place, &args.reading.dialect)?;
    let source = source(args, &tests);
    let file = source.load(&args.reading.dialect, None, &args.live, &mut console.messages)?;
    if let Some(warning) = file.truncation() {
        console.messages.warning(warning);
    }
    let mut names: Vec<&String> = tests.tests.iter().flat_map(|test| &test.crawlers).collect();
    names.sort_unstable();
    names.dedup();
    for note in names.iter().filter_map(|name| typo_note(name, &[file.robots()])) {
        console.messages.note(note);
    }
    let mut evaluation = Evaluation {
        robots: &file,
        origin: source.origin(),
        folder: folder(args),
        live: &args.live,
        messages: &mut console.messages,
        headers: HashMap::new(),
    };
    let results = evaluation.run(&tests, &text);
    let report = TestReport::new(place, file.name().to_owned(), results);
    let palette = console.out.palette;
    Ok(console.finish(report.exit_status(), |out| match args.format {
        TestFormat::Text => write_tests(out, palette, &report),
        TestFormat::Json => Values::lines().write(out, &report),
        TestFormat::Junit => write_junit(out, &report),
    }))
}

/// The robots.txt. A name in the file of tests is relative to its folder.
fn source(args: &Test, tests: &TestFile) -> Source {
    if let Some(name) = &args.robots {
        return Source::new(name);
    }
    let name = tests.robots.as_deref().unwrap_or("robots.txt");
    if name.contains("://") || name.starts_with("git:") {
        return Source::new(name.as_ref());
    }
    Source::File(folder(args).join(name))
}

/// The folder of the file of tests.
fn folder(args: &Test) -> &Path {
    if is_stdin(&args.file) { Path::new("") } else { args.file.parent().unwrap_or(Path::new("")) }
}

/// The times and sizes of the watched files.
fn watched(args: &Test) -> Vec<Option<(SystemTime, u64)>> {
    let tests = std::fs::read_to_string(&args.file).ok();
    let tests = tests.and_then(|text| TestFile::parse(&text, "", &args.reading.dialect).ok());
    let robots = match (&tests, &args.robots) {
        (Some(tests), _) => source(args, tests).regular_path().map(Path::to_owned),
        (None, Some(name)) => Some(PathBuf::from(name)),
        (None, None) => None,
    };
    let paths = [Some(args.file.clone()), robots];
    let state = |path: PathBuf| {
        let found = path.metadata().ok()?;
        Some((found.modified().ok()?, found.len()))
    };
    paths.into_iter().map(|path| path.and_then(state)).collect()
}
