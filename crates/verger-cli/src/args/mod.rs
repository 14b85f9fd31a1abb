//! The arguments: what can be asked for, and the help that says so.

mod cache;
mod check;
mod completions;
mod crawler;
mod dialect;
mod fetch;
mod inspect;
mod live;
mod man;
mod page;
mod robots;
mod values;
mod verify;

use std::error::Error as _;
use std::ffi::OsString;
use std::io::{self, Write as _};

use clap::error::{ContextKind, ContextValue};
use clap::{CommandFactory as _, Parser, Subcommand};
use verger::Untrusted;

pub(crate) use cache::{Cache, CacheAction, CacheFormat, StoreArgs};
pub(crate) use check::{Check, Format};
pub(crate) use completions::Completions;
pub(crate) use crawler::CrawlerArgs;
pub(crate) use fetch::Fetch;
pub(crate) use inspect::{Inspect, InspectFormat};
pub(crate) use live::LiveArgs;
pub(crate) use man::Man;
pub(crate) use page::{Page, PageFormat};
pub(crate) use robots::Robots;
pub(crate) use verify::Verify;

use crate::console::{Talk, written};
use crate::exit::ExitStatus;

/// A command line, read.
#[derive(Debug, Parser)]
#[command(
    name = "verger",
    version,
    about = "Reads, checks and explains robots.txt",
    long_about = "Reads, checks and explains robots.txt: which URL a crawler may fetch, and why",
    after_long_help = EXAMPLES,
    arg_required_else_help = true
)]
pub struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Check(Box<Check>),
    Inspect(Box<Inspect>),
    Fetch(Box<Fetch>),
    Page(Box<Page>),
    Verify(Verify),
    Robots(Robots),
    Cache(Cache),
    Completions(Completions),
    Man(Man),
}

/// The definition of the command line, for those who generate something from it.
pub fn command() -> clap::Command {
    Cli::command()
}

/// See [`crate::parse`].
pub(crate) fn parse(arguments: Vec<OsString>) -> Result<Cli, ExitStatus> {
    let shown: Vec<String> = arguments
        .iter()
        .map(|argument| Untrusted::new(argument.as_encoded_bytes()).to_string())
        .collect();
    let is_inert = arguments.iter().zip(&shown).all(|(argument, shown)| argument == shown.as_str());
    let error = match Cli::try_parse_from(arguments) {
        Ok(cli) => return Ok(cli),
        Err(error) if is_inert => error,
        // The message repeats arguments as they are. The same ones escaped make the same message fit
        // to be shown; where they do not, the sentence alone has to do.
        Err(error) => match Cli::try_parse_from(shown) {
            Err(escaped) if escaped.kind() == error.kind() => escaped,
            _ => escaped(&error).with_cmd(&command()),
        },
    };
    let printed = error.print().and_then(|()| io::stdout().flush());
    if error.use_stderr() {
        return Err(ExitStatus::Error);
    }
    Err(written(printed, ExitStatus::Success, &mut Talk::stderr()))
}

/// The same error with its texts escaped, as far as they are known.
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
  May GPTBot fetch this page?
    verger check --robots robots.txt --agent GPTBot https://shop.example/cart

  And why?
    verger check --robots robots.txt --agent GPTBot --explain https://shop.example/cart

  The manual page of a command:
    verger man check | man -l -

Exit status:
  0  nothing is disallowed, or what was asked for is done
  1  some URL is disallowed
  2  something could not be answered, read or written";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_holds_together() {
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
