//! `verger test`: tests a robots.txt.

use std::ffi::OsString;
use std::path::Path;

use verger::{Robots, Untrusted, quoted};
use verger_analysis::OTHERS;
use verger_json::site_tests::{TestFile, TestKeys, TestReport, UrlProblem};
use verger_json::{NamedCrawler, Values};

use crate::args::{Test, TestFormat};
use crate::console::Console;
use crate::crawler::show_remarks;
use crate::error::{Error, ExitStatus};
use crate::input::{self, below, bytes_of, is_stdin, read_whole, shown};
use crate::limits::TESTS_BYTES;
use crate::output::{write_annotation, write_annotations, write_tests};
use crate::robots_place::RobotsPlace;
use crate::site_tests::{at_place, proposal, write_junit};
use crate::test_site::TestSite;
use crate::url_check::{self, is_url};

pub(super) fn run(args: &Test, console: &mut Console) -> Result<ExitStatus, Error> {
    if args.init { init(args, console) } else { test(args, console) }
}

/// Writes a proposal of tests.
fn init(args: &Test, console: &mut Console) -> Result<ExitStatus, Error> {
    if let Some(file) = &args.file {
        let error = format!("expected no file with `--init`, but found {}", shown(file));
        let hint =
            "`--robots FILE` names the robots.txt, and `> FILE` writes the proposal to a file";
        return Err(Error::new(error).with_hint(hint));
    }
    let name = args.robots.clone().unwrap_or_else(|| OsString::from("robots.txt"));
    let place = RobotsPlace::new(&name);
    let file = place.load(&args.reading.dialect, None, &args.live, &mut console.messages)?;
    // Standard input has no name for the next run.
    let name = name.to_str().filter(|name| *name != "-");
    let (text, is_cut) = proposal(file.robots(), name);
    if is_cut {
        let name = file.name();
        console
            .messages
            .note(format_args!("{name} is long: these tests do not protect all of its lines"));
    }
    Ok(console.finish(ExitStatus::Success, |out| {
        use std::io::Write as _;
        out.write_all(text.as_bytes())
    }))
}

/// Runs all tests.
fn test(args: &Test, console: &mut Console) -> Result<ExitStatus, Error> {
    let tests_name = input::place(args.file());
    let annotated = input::place(&below(args.file()));
    let mut tests = match read_tests(args, &tests_name) {
        Err(error) if args.format == TestFormat::Github => {
            let status = console.messages.fail(&error);
            return Ok(console.finish(status, |out| write_annotation(out, &annotated, &error)));
        }
        tests => tests?,
    };
    let is_literal = |name: &str| args.tokens.iter().any(|token| token.eq_ignore_ascii_case(name));
    let is_in_tests = |token: &&String| tests.crawlers().any(|it| it.eq_ignore_ascii_case(token));
    if let Some(token) = args.tokens.iter().find(|token| !is_in_tests(token)) {
        let found = quoted(token);
        return Err(Error::new(format!("expected a crawler of the tests, but found {found}")));
    }
    let place = robots_place(args, &tests);
    let file = place.load(&args.reading.dialect, None, &args.live, &mut console.messages)?;
    if let Some(warning) = file.truncation() {
        console.messages.warning(warning);
    }
    let dialect = &args.reading.dialect;
    let mut names: Vec<&str> = tests.crawlers().filter(|name| *name != OTHERS).collect();
    names.sort_unstable();
    names.dedup();
    for name in names {
        let crawler = match name {
            _ if is_literal(name) => NamedCrawler::token(name),
            _ => NamedCrawler::agent(name, dialect),
        };
        show_remarks(&crawler, &[file.robots()], dialect, &mut console.messages);
    }
    let origin = place.origin();
    let mut site = TestSite {
        robots: file.robots(),
        origin: origin.clone(),
        folder: folder(args),
        live: &args.live,
        messages: &mut console.messages,
    };
    tests.tokens.clone_from(&args.tokens);
    let report = tests.run(file.robots(), origin.as_ref(), &mut site);
    let palette = console.palette;
    Ok(console.finish(exit_status(&report), |out| match args.format {
        TestFormat::Text => write_tests(out, palette, [&tests_name, file.name()], &report),
        TestFormat::Json => {
            Values::lines().write(out, &TestKeys::of(&tests_name, file.name(), &report))
        }
        TestFormat::Junit => write_junit(out, &tests_name, &report),
        TestFormat::Github => write_annotations(out, &annotated, &report),
    }))
}

fn read_tests(args: &Test, place: &str) -> Result<TestFile, Error> {
    let bytes = read_whole(args.file(), TESTS_BYTES).map_err(|error| {
        if is_stdin(args.file()) || args.file().exists() {
            return error;
        }
        error.with_hint(proposal_hint(args))
    })?;
    let text = String::from_utf8(bytes)
        .map_err(|_| Error::new(format!("expected UTF-8 in {}", shown(args.file()))))?;
    let check_url = |url: &[u8]| {
        url_check::check(url, &args.reading.dialect).map_err(|error| UrlProblem {
            message: error.to_string(),
            hint: error.hint().map(str::to_owned),
        })
    };
    TestFile::parse(&text, &check_url).map_err(|error| {
        let error = at_place(&error, place);
        let is_robots = error.hint().is_none() && Robots::parse(&text).groups().next().is_some();
        let flag = [b"--robots ", bytes_of(args.file())].concat();
        if is_robots { error.with_hint(format!("did you mean {}?", quoted(&flag))) } else { error }
    })
}

/// The hint that tests can be proposed, if there is a robots.txt.
fn proposal_hint(args: &Test) -> String {
    let folder = folder(args);
    let beside = folder.join("robots.txt");
    let name = args.robots.as_deref().unwrap_or(beside.as_os_str());
    let is_file = matches!(RobotsPlace::new(name), RobotsPlace::File(_));
    if is_file && !is_stdin(name.as_ref()) && !Path::new(name).exists() {
        let name = shown(Path::new(name));
        return format!(
            "`verger test --init` proposes tests, but there is no {name}: `--robots` names a file or \
             a URL"
        );
    }
    // The tests name it relative to their folder.
    let local = Path::new(name).strip_prefix(folder).ok();
    let local = local.filter(|_| is_file && folder != Path::new(""));
    let file = args.file();
    let of_local = local.zip(file.file_name().map(Path::new));
    let (robots, file) = of_local.unwrap_or((Path::new(name), file));
    let [robots, file] = [robots, file].map(|it| Untrusted::new(bytes_of(it)));
    if of_local.is_some() {
        let folder = shown(folder);
        return format!(
            "in {folder}, `verger test --init --robots {robots} > {file}` proposes tests"
        );
    }
    format!("`verger test --init --robots {robots} > {file}` proposes tests")
}

/// The most severe status of all tests. A skipped test is no finding.
fn exit_status(report: &TestReport) -> ExitStatus {
    match report.counts() {
        _ if report.has_errors() => ExitStatus::Error,
        [_, 0, ..] => ExitStatus::Success,
        _ => ExitStatus::Finding,
    }
}

/// The robots.txt. A name in the file of tests is relative to its folder.
fn robots_place(args: &Test, tests: &TestFile) -> RobotsPlace {
    if let Some(name) = &args.robots {
        return RobotsPlace::new(name);
    }
    let name = tests.robots.as_deref().unwrap_or("robots.txt");
    if is_url(Path::new(name)) || name.starts_with("git:") {
        return RobotsPlace::new(name.as_ref());
    }
    RobotsPlace::File(folder(args).join(name))
}

/// The folder of the file of tests.
fn folder(args: &Test) -> &Path {
    let folder = args.file().parent().filter(|_| !is_stdin(args.file()));
    folder.unwrap_or(Path::new(""))
}
