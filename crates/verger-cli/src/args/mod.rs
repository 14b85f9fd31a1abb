//! The arguments and their help.

mod audit;
mod cache;
mod check;
mod coverage;
mod crawler;
mod crawlers;
mod diff;
mod enforce;
mod fetch;
mod fmt;
mod generate;
mod identify;
mod inspect;
mod lint;
mod live;
mod manual;
mod page;
mod programs;
mod rights;
mod robots;
mod test;
mod urls;
mod verify;
mod watch;

use std::error::Error as _;
use std::ffi::OsString;
use std::io::{self, Write as _};
use std::time::Duration;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::error::{ContextKind, ContextValue};
use clap::{CommandFactory as _, Parser, Subcommand, ValueEnum};
use verger::Untrusted;

use crate::console::{Messages, output_status};
use crate::error::ExitStatus;
pub(crate) use audit::{Audit, AuditFormat};
pub(crate) use cache::{Cache, CacheAction, StoreArgs};
pub(crate) use check::{Check, Format};
pub(crate) use coverage::{Coverage, CoverageFormat};
pub(crate) use crawler::CrawlerArgs;
pub(crate) use crawlers::{Crawlers, CrawlersAction};
pub(crate) use diff::{Diff, DiffFormat, FailOn};
pub(crate) use enforce::Enforce;
pub(crate) use fetch::Fetch;
pub(crate) use fmt::Fmt;
pub(crate) use generate::{Answer, Generate, PolicyArgs};
pub(crate) use identify::{Identify, Identity, KeyFile, ProofArgs};
pub(crate) use inspect::Inspect;
pub(crate) use lint::{Lint, LintFormat};
pub(crate) use live::{LiveArgs, ProxyArg};
pub(crate) use manual::{Completions, Man};
pub(crate) use page::Page;
pub(crate) use programs::{PROGRAMS, is_name};
pub(crate) use rights::Rights;
pub(crate) use robots::Robots;
pub(crate) use test::{Test, TestFormat};
pub(crate) use urls::UrlArgs;
pub(crate) use verify::Verify;
pub(crate) use watch::{Watch, WatchFormat};

/// A parsed command line.
#[derive(Debug, Parser)]
#[command(
    name = "verger",
    version,
    about = "Check robots.txt files, and explain which URLs a crawler may fetch",
    after_long_help = format!("{}\n\n{EXAMPLES}", programs::help()),
    arg_required_else_help = true
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Check(Box<Check>),
    Inspect(Box<Inspect>),
    Lint(Box<Lint>),
    Fmt(Fmt),
    Diff(Box<Diff>),
    Coverage(Box<Coverage>),
    Audit(Box<Audit>),
    Enforce(Box<Enforce>),
    Test(Box<Test>),
    Generate(Box<Generate>),
    Watch(Box<Watch>),
    Fetch(Box<Fetch>),
    Page(Box<Page>),
    Rights(Box<Rights>),
    Verify(Verify),
    Robots(Robots),
    Cache(Cache),
    Crawlers(Crawlers),
    Identify(Box<Identify>),
    #[command(subcommand)]
    Identity(Identity),
    Completions(Completions),
    Man(Man),
}

/// Format of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    /// Human-readable text
    Text,
    /// JSON
    Json,
}

/// The definition of the command line, to generate documentation from it.
pub(crate) fn command() -> clap::Command {
    Cli::command()
}

/// A parser of the names of values, each with a line of help.
fn named<V: Clone + Send + Sync + 'static, const N: usize>(
    values: [(V, &'static str); N],
    name_of: fn(&V) -> &'static str,
) -> impl TypedValueParser<Value = V> {
    let names = values.each_ref().map(|(it, help)| PossibleValue::new(name_of(it)).help(*help));
    PossibleValuesParser::new(names).try_map(move |name| {
        let mut all = values.iter().map(|(value, _)| value);
        let found = all.find(|value| name_of(value).eq_ignore_ascii_case(&name));
        found.cloned().ok_or("expected a known name")
    })
}

/// Reads a command line, which begins with the name of the program.
///
/// # Errors
///
/// Help or the version was requested, or an argument is invalid. The text has been printed; the
/// error is the exit status.
pub(crate) fn parse(arguments: Vec<OsString>) -> Result<Cli, ExitStatus> {
    let shown: Vec<String> = arguments
        .iter()
        .map(|argument| Untrusted::new(argument.as_encoded_bytes()).to_string())
        .collect();
    let is_inert = arguments.iter().zip(&shown).all(|(argument, shown)| argument == shown.as_str());
    let error = match Cli::try_parse_from(arguments) {
        Ok(cli) => return Ok(cli),
        Err(error) if is_inert => with_hint(error),
        // The message contains arguments without escaping, so the escaped arguments are parsed for
        // it. If their error is of another kind, the message is built from the first error.
        Err(error) => match Cli::try_parse_from(shown) {
            Err(escaped) if escaped.kind() == error.kind() => escaped,
            _ => escaped(&error).with_cmd(&command()),
        },
    };
    let printed = error.print().and_then(|()| io::stdout().flush());
    if error.use_stderr() {
        return Err(ExitStatus::Error);
    }
    Err(output_status(printed, ExitStatus::Success, &mut Messages::stderr()))
}

/// A number of seconds, minutes, hours or days.
fn duration(text: &str) -> Result<Duration, &'static str> {
    let units = [("s", 1), ("m", 60), ("h", 60 * 60), ("d", 24 * 60 * 60)];
    let parts = units.iter().find_map(|(unit, seconds)| Some((text.strip_suffix(unit)?, seconds)));
    let found =
        parts.and_then(|(number, seconds)| number.parse::<u64>().ok()?.checked_mul(*seconds));
    found
        .map(Duration::from_secs)
        .ok_or("expected a number with a unit, such as `90s`, `10m`, `1h` or `2d`")
}

/// The error of an unknown command with a hint at separate programs.
fn with_hint(mut error: clap::Error) -> clap::Error {
    let name = match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(name)) => name.clone(),
        _ => return error,
    };
    if let Some(hint) = programs::hint(&name) {
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![hint.into()]));
    }
    error
}

/// The error with its known texts escaped.
fn escaped(error: &clap::Error) -> clap::Error {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(Untrusted::new(text)),
        _ => None,
    };
    let of = (text(ContextKind::InvalidArg), text(ContextKind::InvalidValue), error.source());
    let (Some(argument), Some(value), Some(cause)) = of else {
        return clap::Error::new(error.kind());
    };
    let cause = cause.to_string();
    let cause = Untrusted::new(&cause);
    let message = format!(
        "invalid value '{value}' for '{argument}': {cause}\n\nFor more information, try '--help'.\n"
    );
    clap::Error::raw(error.kind(), message)
}

const EXAMPLES: &str = "\
Examples:
  Check a URL against a robots.txt file:
    verger check --robots robots.txt --agent GPTBot https://shop.example/cart

  Explain the answer:
    verger check --robots robots.txt --agent GPTBot --explain https://shop.example/cart

  Check a URL against the robots.txt of its site:
    verger check --agent GPTBot https://shop.example/cart

  Find and fix problems of a file:
    verger lint --fix robots.txt

  Show the manual page of a command:
    verger man check | man -l -

Exit codes:
  0  success; for `check`: all URLs are allowed; for `lint`: no errors or warnings
  1  for `check`: at least one URL is disallowed; for `lint`: at least one error or warning
  2  an error; for `check`: at least one URL could not be checked

The help of each command lists its own exit codes.";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_is_consistent() {
        command().debug_assert();
    }

    #[test]
    fn every_flag_has_a_help() {
        fn visit(command: &clap::Command) {
            for argument in command.get_arguments() {
                assert!(
                    argument.get_help().is_some(),
                    "{}: {}",
                    command.get_name(),
                    argument.get_id()
                );
            }
            assert!(command.get_about().is_some(), "{}", command.get_name());
            command.get_subcommands().for_each(visit);
        }
        visit(&command());
    }
}
