//! Settings of the service: `verger.toml`, then the environment, then flags.
//!
//! # Flow
//!
//! All settings are the rows of one table in `keys.rs`, by which the file is read, too. `arguments.rs`
//! makes flags and environment variables from it. The result is a list of texts for each name, with
//! its source; [`Settings`] has the values.

mod arguments;
mod keys;
mod shown;

use std::path::PathBuf;

pub use self::arguments::{Action, command, parse};
pub use self::keys::Settings;
use crate::error::{StartError, quoted};

/// A setting as given.
#[derive(Clone, Debug)]
pub(crate) struct SettingText {
    pub(crate) name: &'static str,
    pub(crate) texts: Vec<String>,
    pub(crate) source: Source,
}

/// The source of a setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    File(String),
    Environment,
    Flag,
}

impl Default for Settings {
    fn default() -> Self {
        Self::of(&[]).unwrap_or_else(|_| unreachable!("the defaults are valid"))
    }
}

/// A setting, if it is given.
#[derive(Clone, Copy)]
struct Given<'t>(Option<&'t SettingText>);

impl<'t> Given<'t> {
    fn read<T>(self, read: impl FnOnce(Self) -> Result<T, StartError>) -> Result<T, StartError> {
        read(self)
    }

    fn one<T>(
        self,
        default: T,
        parse: impl FnOnce(&'t str) -> Result<T, String>,
    ) -> Result<T, StartError> {
        let Some(given) = self.0 else { return Ok(default) };
        let text = given.texts.first().map(String::as_str).unwrap_or_default();
        parse(text).map_err(|error| given.error(&error))
    }

    fn all<T>(self, parse: impl Fn(&str) -> Result<T, String>) -> Result<Vec<T>, StartError> {
        let Some(given) = self.0 else { return Ok(Vec::new()) };
        let values = given.texts.iter().map(|text| parse(text));
        values.collect::<Result<_, _>>().map_err(|error| given.error(&error))
    }

    fn path(self) -> Result<Option<PathBuf>, StartError> {
        self.one(None, |text| Ok(Some(text.into())))
    }

    fn named<T: Default>(self, what: &str, find: fn(&str) -> Option<T>) -> Result<T, StartError> {
        let error = |name| format!("expected {what}, but found {}", quoted(name));
        self.one(T::default(), |name| find(name).ok_or_else(|| error(name)))
    }

    fn number<T: TryFrom<u64>>(self, default: u64) -> Result<T, StartError> {
        let number = self.one(default, |text| {
            text.parse().map_err(|_| format!("expected a whole number, but found {}", quoted(text)))
        })?;
        T::try_from(number).map_err(|_| StartError::new("the number is too large"))
    }
}

impl SettingText {
    fn error(&self, error: &str) -> StartError {
        StartError::new(format!("{}: {error}", self.place()))
    }

    /// The place of the setting: a flag, a variable, or a key of a file.
    fn place(&self) -> String {
        match &self.source {
            Source::Flag => format!("--{}", flag(self.name)),
            Source::Environment => format!("environment variable {}", variable(self.name)),
            Source::File(path) => format!("{path}, key `serve.{}`", self.name),
        }
    }
}

/// The flag of a setting, without `--`.
pub(crate) fn flag(name: &str) -> String {
    name.replace('_', "-")
}

/// The environment variable of a setting.
pub(crate) fn variable(name: &str) -> String {
    format!("VERGER_SERVE_{}", name.to_ascii_uppercase())
}

#[cfg(test)]
mod tests {
    use super::keys::{SERVE, ServeKind};
    use super::*;

    fn given(name: &'static str, text: &str) -> Result<Settings, StartError> {
        let texts = vec![text.to_owned()];
        Settings::of(&[SettingText { name, texts, source: Source::Flag }])
    }

    #[test]
    fn defaults_are_valid_and_local() {
        let settings = Settings::default();
        assert_eq!(settings.listen.len(), 2);
        assert!(settings.listen.iter().all(|address| address.ip().is_loopback()));
        assert_eq!((settings.max_urls, settings.store.as_str()), (1_000, "memory"));
    }

    #[test]
    fn every_setting_of_the_table_has_an_effect() {
        for key in SERVE {
            let text = match (key.kind, key.name) {
                (_, "listen") => "127.0.0.1:1".to_owned(),
                (_, "host") => "robots.example".to_owned(),
                (_, "allow_net") => "10.0.0.0/8".to_owned(),
                (_, "dialect") => "google".to_owned(),
                (_, "access") => "strict".to_owned(),
                (ServeKind::Number(_, most), _) => most.to_string(),
                (ServeKind::Name(names), _) => names[names.len() - 1].to_owned(),
                _ => "x".to_owned(),
            };
            let shown = |settings: Settings| format!("{settings:?}");
            let changed = shown(given(key.name, &text).unwrap());
            assert_ne!(changed, shown(Settings::default()), "{}", key.name);
        }
    }

    #[test]
    fn the_book_has_every_setting() {
        let page = include_str!("../../../../docs/service.md");
        for key in SERVE {
            let is_row = |line: &str| {
                line.starts_with(&format!("| `{}` |", key.name)) && line.contains(key.about)
            };
            assert!(page.lines().any(is_row), "{}: {}", key.name, key.about);
        }
    }

    #[test]
    fn errors_name_place_and_value() {
        for (name, text, expected) in [
            (
                "listen",
                "8730",
                "--listen: expected an address and port such as 127.0.0.1:8730, but found `8730`",
            ),
            ("dialect", "x", "--dialect: expected a dialect, but found `x`"),
            ("user_agent", "a\nb", "--user-agent: "),
            ("from", "a\nb", "--from: "),
            ("log_level", "verger=x", "--log-level: expected levels such as "),
            ("allow_net", "x", "--allow-net: "),
            ("host", "a b", "--host: expected a host name, but found `a b`"),
        ] {
            let error = given(name, text).unwrap_err().to_string();
            assert!(error.starts_with(expected), "{error}");
        }
        let none = SettingText {
            name: "listen",
            texts: Vec::new(),
            source: Source::File("verger.toml".to_owned()),
        };
        let error = Settings::of(&[none]).unwrap_err().to_string();
        assert!(error.starts_with("verger.toml, key `serve.listen`: "), "{error}");
    }
}
