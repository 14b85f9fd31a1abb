//! Flags and environment variables, made from the table of settings; and the file.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

use clap::builder::PossibleValuesParser;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use clap_complete::Shell;
use verger::LineIndex;

use super::keys::{self, SERVE, ServeKey, ServeKind};
use super::shown::shown;
use super::{SettingText, Settings, Source, flag, variable};
use crate::error::{StartError, quoted, read_text};
use crate::limits::CONFIG_BYTES;

/// The request of a command line.
#[derive(Debug)]
#[expect(clippy::exhaustive_enums, reason = "the program does one of these")]
pub enum Action {
    /// Run the service.
    Serve(Box<Settings>),
    /// Write the settings, as this `verger.toml`, and stop.
    ShowConfig(String),
    /// Check the settings and stop.
    CheckConfig(Box<Settings>),
    /// Write the manual page and stop.
    Man,
    /// Write the completion script for a shell and stop.
    Completions(Shell),
}

/// The definition of the command line.
pub fn command() -> Command {
    let mut command = Command::new("verger-serve")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Answer over HTTP which URLs crawlers may fetch, with evidence")
        .after_long_help(EXAMPLES)
        .arg(
            Arg::new("config")
                .long("config")
                .value_name("FILE")
                .env("VERGER_SERVE_CONFIG")
                .value_parser(value_parser!(OsString))
                .help("File with table [serve]. Default: verger.toml in the current folder, if it exists"),
        )
        .arg(action("show-config", "Print all settings with their sources, as verger.toml, and stop"))
        .arg(action("check-config", "Check all settings and the files that they name, and stop"))
        .arg(action("man", "Print the manual page, and stop"))
        .arg(
            Arg::new("completions")
                .long("completions")
                .value_name("SHELL")
                .value_parser(value_parser!(Shell))
                .help("Print the completion script for a shell, and stop"),
        );
    for key in SERVE {
        command = command.arg(argument(key));
    }
    command
}

fn action(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).action(ArgAction::SetTrue).help(help)
}

/// The flag of a setting.
fn argument(key: &'static ServeKey) -> Arg {
    let help = key.about.strip_suffix('.').unwrap_or(key.about);
    let arg = Arg::new(key.name).long(flag(key.name)).env(variable(key.name)).help(help);
    match key.kind {
        ServeKind::Text(value) => arg.value_name(value),
        ServeKind::Texts(value) => {
            arg.value_name(value).action(ArgAction::Append).value_delimiter(',')
        }
        ServeKind::Number(least, most) => {
            arg.value_name("NUMBER").value_parser(value_parser!(u64).range(least..=most))
        }
        ServeKind::Name(names) => {
            arg.value_name("FORMAT").value_parser(PossibleValuesParser::new(names))
        }
    }
}

/// Reads a command line, which begins with the name of the program; then the environment and the
/// file.
///
/// # Errors
///
/// The inner error is one of the command line, the outer one of another value.
pub fn parse(
    arguments: impl IntoIterator<Item = OsString>,
) -> Result<Result<Action, StartError>, clap::Error> {
    let mut matches = command().try_get_matches_from(arguments)?;
    if matches.get_flag("man") {
        return Ok(Ok(Action::Man));
    }
    if let Some(shell) = matches.remove_one("completions") {
        return Ok(Ok(Action::Completions(shell)));
    }
    let is_set = |name| matches.get_flag(name);
    let (shows, checks) = (is_set("show-config"), is_set("check-config"));
    Ok(settings(&mut matches).and_then(|texts| {
        let settings = Box::new(Settings::of(&texts)?);
        Ok(match (shows, checks) {
            (true, _) => Action::ShowConfig(shown(&texts)),
            (false, true) => Action::CheckConfig(settings),
            (false, false) => Action::Serve(settings),
        })
    }))
}

/// All given settings.
fn settings(matches: &mut ArgMatches) -> Result<Vec<SettingText>, StartError> {
    let given = matches.remove_one::<OsString>("config");
    let (path, is_required) = match &given {
        Some(path) => (Path::new(path), true),
        None => (Path::new("verger.toml"), false),
    };
    let shown = path.to_string_lossy().into_owned();
    let mut file = read(path, is_required)?;
    let mut texts = Vec::new();
    for key in SERVE {
        let source = matches.value_source(key.name);
        let by_flag = match key.kind {
            ServeKind::Number(..) => {
                matches.remove_many::<u64>(key.name).map(|it| it.map(|it| it.to_string()).collect())
            }
            _ => matches.remove_many::<String>(key.name).map(Iterator::collect),
        };
        let by_file = file.remove(key.name);
        let found = match (by_flag, source, by_file) {
            (Some(texts), Some(ValueSource::EnvVariable), _) => Some((texts, Source::Environment)),
            (Some(texts), ..) => Some((texts, Source::Flag)),
            (None, _, Some(texts)) => Some((texts, Source::File(shown.clone()))),
            (None, _, None) => None,
        };
        texts.extend(found.map(|(texts, source)| SettingText { name: key.name, texts, source }));
    }
    Ok(texts)
}

/// The table `[serve]` of a file; empty if an optional file does not exist.
fn read(path: &Path, is_required: bool) -> Result<BTreeMap<&'static str, Vec<String>>, StartError> {
    if !is_required && matches!(path.try_exists(), Ok(false)) {
        return Ok(BTreeMap::new());
    }
    let text = read_text(path, CONFIG_BYTES)?;
    keys::read(&text).map_err(|(start, error)| {
        let shown = quoted(path.as_os_str().as_encoded_bytes());
        let place = LineIndex::new(text.as_bytes()).position(start);
        let message = format!("{shown}, line {}, column {}: {error}", place.line, place.column);
        StartError::new(message).with_hint("`verger-serve --help` lists all settings")
    })
}

const EXAMPLES: &str = "\
Settings:
  Each setting is a flag, an environment variable, or a key of table [serve] in verger.toml.
  A flag overrides the environment, which overrides the file.

Examples:
  Serve this machine, with records in memory:
    verger-serve

  Ask it:
    curl 'http://127.0.0.1:8730/v1/check?agent=GPTBot&url=https://shop.example/cart'

  Keep records in a file, which other processes may share:
    verger-serve --store /var/lib/verger/store.sqlite

  Serve a network, with a token for its clients:
    openssl rand -hex 32 > tokens && chmod 600 tokens
    verger-serve --listen 0.0.0.0:8730 --host robots.internal --token-file tokens

  Print the settings in force:
    verger-serve --show-config

Exit codes:
  0  the service was stopped by SIGINT or SIGTERM
  2  it could not start";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_is_valid() {
        command().debug_assert();
    }

    #[test]
    fn bad_files_are_errors_with_places() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("verger.toml");
        let error = |path: &Path| {
            let arguments = ["verger-serve".into(), "--config".into(), path.into()];
            parse(arguments).unwrap().unwrap_err().to_string()
        };
        assert!(error(&path).contains("could not read"));
        assert!(error(folder.path()).contains("is not a regular file"));
        std::fs::write(&path, "[serve]\nmax_urls = -1\n").unwrap();
        assert!(error(&path).contains("line 2, column 12: expected a number from 1 to 10000"));
        std::fs::write(&path, "#".repeat(1_100_000)).unwrap();
        assert!(error(&path).contains("expected at most 1048576 bytes"));
    }
}
