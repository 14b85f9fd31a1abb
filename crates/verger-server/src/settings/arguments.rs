//! The command line, the environment and the file.

use std::collections::BTreeMap;
use std::error::Error as _;
use std::ffi::{OsStr, OsString};
use std::fmt::{Display, Write as _};
use std::iter::once;
use std::path::{Path, PathBuf};

use clap::error::{ContextKind, ContextValue};
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches as _};
use clap_complete::Shell;
use serde::Deserialize;
use serde::de::IgnoredAny;
use toml::Spanned;
use verger::{LineIndex, Untrusted, quoted};

use super::{Settings, definition};
use crate::error::{StartError, read_text};
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

/// Flags that are not settings.
#[derive(Args)]
struct Options {
    /// File with table `[serve]`. Default: verger.toml in the current folder, if it exists
    #[arg(long, value_name = "FILE", env = "VERGER_SERVE_CONFIG")]
    config: Option<PathBuf>,
    /// Print all settings with their sources, as verger.toml, and stop
    #[arg(long)]
    show_config: bool,
    /// Check all settings and the files that they name, and stop
    #[arg(long)]
    check_config: bool,
    /// Print the manual page, and stop
    #[arg(long)]
    man: bool,
    /// Print the completion script for a shell, and stop
    #[arg(long, value_name = "SHELL")]
    completions: Option<Shell>,
}

/// The definition of the command line.
pub fn command() -> Command {
    let with_variable = |command: Command, arg: &Arg| {
        let name = arg.get_id().as_str();
        command.mut_arg(name, |arg| arg.env(variable(name)).hide_default_value(true))
    };
    let command = Settings::augment_args(Options::augment_args(Command::new("verger-serve")));
    let settings = definition();
    let command = settings.get_arguments().fold(command, with_variable);
    command
        .version(env!("CARGO_PKG_VERSION"))
        .about("Answer over HTTP which URLs crawlers may fetch, with evidence")
        .after_long_help(EXAMPLES)
}

/// The environment variable of a setting or flag.
fn variable(name: &str) -> String {
    let name = name.trim_start_matches('-').replace('-', "_");
    format!("VERGER_SERVE_{}", name.to_ascii_uppercase())
}

/// Reads a command line, which begins with the name of the program; then the environment and the
/// file.
///
/// # Errors
///
/// The inner error is one of a value or of the file, the outer one of the command line.
pub fn parse(
    arguments: impl IntoIterator<Item = OsString>,
) -> Result<Result<Action, StartError>, clap::Error> {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    match command().try_get_matches_from(&arguments) {
        Ok(matches) => Ok(action(&Options::from_arg_matches(&matches)?, &arguments)),
        Err(error) => bad_value(error, &arguments).map(Err),
    }
}

/// The error of the value of a flag or variable. Others are returned.
fn bad_value(error: clap::Error, arguments: &[OsString]) -> Result<StartError, clap::Error> {
    let Some(ContextValue::String(flag)) = error.get(ContextKind::InvalidArg) else {
        return Err(error);
    };
    let Some(cause) = error.source() else { return Err(error) };
    let flag = flag.split(' ').next().unwrap_or_default();
    let is_given = |text: &OsString| text.as_encoded_bytes().starts_with(flag.as_bytes());
    let place = if arguments.iter().any(is_given) {
        flag.to_owned()
    } else {
        format!("environment variable {}", variable(flag))
    };
    Ok(StartError::new(format!("{place}: {cause}")))
}

fn action(options: &Options, arguments: &[OsString]) -> Result<Action, StartError> {
    match (options.man, options.completions) {
        (true, _) => return Ok(Action::Man),
        (false, Some(shell)) => return Ok(Action::Completions(shell)),
        (false, None) => {}
    }
    let path = options.config.as_deref().unwrap_or(Path::new("verger.toml"));
    let file = read(path, options.config.is_some())?;
    // The values of the file are the defaults of flags and variables.
    let with_default =
        |command: Command, (name, texts)| command.mut_arg(name, |arg| arg.default_values(texts));
    let read = file.clone().into_iter().fold(command(), with_default);
    let read = read.try_get_matches_from(arguments).and_then(|matches| {
        let settings = Settings::from_arg_matches(&matches)?;
        Ok((Box::new(settings), matches))
    });
    let (settings, matches) = read.map_err(|error| StartError::new(error.to_string()))?;
    if settings.listen.is_empty() {
        return Err(StartError::new("missing an address and port in `listen`"));
    }
    Ok(match (options.show_config, options.check_config) {
        (true, _) => Action::ShowConfig(shown(&matches, path, &file)),
        (false, true) => Action::CheckConfig(settings),
        (false, false) => Action::Serve(settings),
    })
}

/// Settings of a file: texts by name.
type FileSettings = BTreeMap<String, Vec<String>>;

/// The table `[serve]` of a file; empty if an optional file does not exist.
fn read(path: &Path, is_required: bool) -> Result<FileSettings, StartError> {
    if !is_required && matches!(path.try_exists(), Ok(false)) {
        return Ok(BTreeMap::new());
    }
    let text = read_text(path, CONFIG_BYTES)?;
    checked(&text).map_err(|(start, error)| {
        let shown = quoted(path.as_os_str().as_encoded_bytes());
        let place = LineIndex::new(text.as_bytes()).position(start);
        let message = format!("{shown}, line {}, column {}: {error}", place.line, place.column);
        StartError::new(message).with_hint("`verger-serve --help` lists all settings")
    })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
struct File {
    #[serde(default)]
    serve: BTreeMap<Spanned<String>, Spanned<FileValue>>,
    #[serde(default, rename = "lint")]
    _lint: IgnoredAny,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a text, a whole number or an array of texts")]
enum FileValue {
    Text(String),
    Number(i64),
    Texts(Vec<String>),
}

/// The settings of the text of a file, each with a valid value. An error has the offset of its
/// place.
fn checked(text: &str) -> Result<FileSettings, (usize, String)> {
    let file: File = toml::from_str(text).map_err(|error| {
        let message = Untrusted::new(error.message()).to_string();
        (error.span().unwrap_or_default().start, message)
    })?;
    let definition = definition();
    let setting = |(name, value): (Spanned<String>, Spanned<FileValue>)| {
        let (name_at, value_at) = (name.span().start, value.span().start);
        let name = name.into_inner();
        let Some(arg) = definition.get_arguments().find(|arg| *arg.get_id() == name) else {
            return Err((name_at, format!("expected a key, but found {}", quoted(&name))));
        };
        let is_list = matches!(arg.get_action(), ArgAction::Append);
        let texts = match value.into_inner() {
            FileValue::Texts(texts) if is_list => texts,
            FileValue::Text(text) if !is_list && !is_number(arg) => vec![text],
            FileValue::Number(number) if is_number(arg) => vec![number.to_string()],
            _ if is_list => return Err((value_at, "expected an array of texts".to_owned())),
            _ if is_number(arg) => return Err((value_at, "expected a whole number".to_owned())),
            _ => return Err((value_at, "expected a text".to_owned())),
        };
        let flag = name.replace('_', "-");
        let given = texts.iter().map(|text| format!("--{flag}={text}"));
        let given = once("verger-serve".to_owned()).chain(given);
        match definition.clone().try_get_matches_from(given) {
            Ok(_) => Ok((name, texts)),
            Err(error) => Err((value_at, cause(&error))),
        }
    };
    file.serve.into_iter().map(setting).collect()
}

/// Whether the value of a setting is a number in a file, and not a text.
fn is_number(arg: &Arg) -> bool {
    arg.get_value_names().is_some_and(|names| names == ["NUMBER"])
}

/// The cause of an error about a value.
fn cause(error: &clap::Error) -> String {
    let message = error.to_string();
    let line = message.lines().next().unwrap_or_default();
    let shown = |cause: &dyn Display| Untrusted::new(&cause.to_string()).to_string();
    error.source().map_or_else(|| shown(&line.trim_start_matches("error: ")), |cause| shown(&cause))
}

/// The settings as a `verger.toml`; defaults are comments.
fn shown(matches: &ArgMatches, path: &Path, file: &FileSettings) -> String {
    let mut out = String::from("[serve]\n");
    for arg in definition().get_arguments() {
        let name = arg.get_id().as_str();
        // Writing to a string does not fail.
        let _ = match matches.value_source(name) {
            Some(ValueSource::CommandLine) => writeln!(out, "# set by a flag"),
            Some(ValueSource::EnvVariable) => writeln!(out, "# set by {}", variable(name)),
            _ if file.contains_key(name) => {
                let path = path.as_os_str().as_encoded_bytes();
                writeln!(out, "# set in {}", Untrusted::new(path))
            }
            _ => {
                let _ = writeln!(out, "# {name}: default");
                continue;
            }
        };
        let is_list = matches!(arg.get_action(), ArgAction::Append);
        let text = |text: &OsStr| {
            let text = text.to_string_lossy();
            match text.parse::<u64>() {
                Ok(number) if is_number(arg) => number.to_string(),
                _ => Untrusted::new(&*text).json().to_string(),
            }
        };
        let texts: Vec<_> = matches.get_raw(name).into_iter().flatten().map(text).collect();
        let shown = if is_list { format!("[{}]", texts.join(", ")) } else { texts.concat() };
        let _ = writeln!(out, "{name} = {shown}");
    }
    out
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

    fn parsed(arguments: &[&str]) -> Result<Action, StartError> {
        parse(["verger-serve"].iter().chain(arguments).map(OsString::from)).unwrap()
    }

    #[test]
    fn errors_name_place_and_value() {
        for (flag, expected) in [
            (
                "--listen=8730",
                "--listen: expected an address and port such as 127.0.0.1:8730, but found `8730`",
            ),
            ("--dialect=x", "--dialect: expected a dialect, but found `x`"),
            ("--user-agent=a\nb", "--user-agent: "),
            ("--from=a\nb", "--from: "),
            ("--log-level=verger=x", "--log-level: expected levels such as "),
            ("--allow-net=x", "--allow-net: "),
            ("--host=a b", "--host: expected a host name, but found `a b`"),
        ] {
            let error = parsed(&[flag]).unwrap_err().to_string();
            assert!(error.starts_with(expected), "{error}");
        }
    }

    #[test]
    fn settings_of_a_file_are_checked() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("verger.toml");
        let config = ["--config", path.to_str().unwrap(), "--check-config"];
        let error = || parsed(&config).unwrap_err().to_string();
        assert!(error().contains("could not read"));
        let of_folder = parsed(&["--config", folder.path().to_str().unwrap()]);
        assert!(of_folder.unwrap_err().to_string().contains("is not a regular file"));
        for (text, expected) in [
            ("[serve]\nlisen = []", "2, column 1: expected a key, but found `lisen`"),
            ("[serve]\nlisten = 'x'", "2, column 10: expected an array of texts"),
            ("[serve]\nlisten = ['x']", "2, column 10: expected an address and port such as"),
            ("[serve]\nlisten = [1]", "2, column 10: expected a text, a whole number or an array"),
            ("[serve]\nstore = []", "2, column 9: expected a text"),
            ("[serve]\nstore = 5", "2, column 9: expected a text"),
            ("[serve]\nrate = '5'", "2, column 8: expected a whole number"),
            ("[serve]\nlog = 'xml'", "2, column 7: invalid value 'xml' for '--log <FORMAT>'"),
            ("[serve]\nmax_urls = -1", "2, column 12: "),
            ("[serve]\nmax_urls = 10001", "2, column 12: 10001 is not in 1..=10000"),
            ("[serve]\nmax_urls = 99999999999999999999", "2, column 12: "),
            ("[serve]\nrate = 'x'", "2, column 8: "),
            ("[srve]", "1, column 2: unknown field `srve`, expected `serve` or `lint`"),
            ("serve = 1", "1, column 9: "),
        ] {
            std::fs::write(&path, text).unwrap();
            let error = error();
            assert!(error.contains(&format!(", line {expected}")), "{text}: {error}");
        }
        std::fs::write(&path, "[serve]\nlisten = []").unwrap();
        assert_eq!(error(), "missing an address and port in `listen`");
        std::fs::write(&path, "#".repeat(1_100_000)).unwrap();
        assert!(error().contains("expected at most 1048576 bytes"));
        // The linter reads the other table.
        for text in ["", "[lint]\nselct = 1\n", "[serve]\nlisten = ['127.0.0.1:1']\nstore = 'x'"] {
            std::fs::write(&path, text).unwrap();
            assert!(matches!(parsed(&config), Ok(Action::CheckConfig(_))), "{text}");
        }
    }

    #[test]
    fn shown_settings_are_a_valid_file_with_the_same_values() {
        let flags = [
            "--listen=127.0.0.1:1,[::1]:2",
            "--max-urls=007",
            "--user-agent=a \"b\"",
            "--host=10",
            "--store=5",
            "--show-config",
        ];
        let Ok(Action::ShowConfig(shown)) = parsed(&flags) else { panic!("no settings") };
        assert!(shown.contains("# set by a flag\nmax_urls = 7\n"), "{shown}");
        assert!(shown.contains("# rate: default\n"), "{shown}");
        let read = checked(&shown).unwrap();
        assert_eq!(read["listen"], ["127.0.0.1:1", "[::1]:2"]);
        assert_eq!(read["user_agent"], ["a \"b\""]);
        assert_eq!(read["host"], ["10"]);
        assert_eq!(read["store"], ["5"]);
        assert_eq!(read.len(), 5);
    }
}
