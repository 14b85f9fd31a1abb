//! Reading a `verger.toml` by the table of keys.

use std::collections::BTreeMap;

use toml::Spanned;
use toml::de::{DeTable, DeValue};
use verger::diagnostic::Severity;
use verger::limits::QUOTED_CHARS;
use verger::{Origin, Untrusted};

use super::key::{FILE, Key, Names, SEVERITIES, Value};
use super::serve::{SERVE, ServeKind};
use super::{Config, ConfigError};

pub(super) fn config(text: &str) -> Result<Config, ConfigError> {
    let file = DeTable::parse(text).map_err(|error| {
        let message = Untrusted::new(error.message()).to_string();
        ConfigError::new(text, error.span().unwrap_or_default(), message)
    })?;
    let mut reader = Reader { text, config: Config::default(), errors: Vec::new() };
    reader.table(file.get_ref(), FILE);
    // In the order of the file, not of the keys.
    match reader.errors.into_iter().min_by_key(|error| error.span.start) {
        Some(error) => Err(error),
        None => Ok(reader.config),
    }
}

struct Reader<'t> {
    text: &'t str,
    config: Config,
    errors: Vec<ConfigError>,
}

impl Reader<'_> {
    fn table(&mut self, table: &DeTable<'_>, keys: &'static [Key]) {
        for (name, value) in table {
            let Some(key) = keys.iter().find(|key| key.name == name.get_ref()) else {
                let known = keys.iter().map(|key| key.name).collect();
                self.unknown("a key", name, known);
                continue;
            };
            match key.value {
                Value::Table(keys) => match value.get_ref() {
                    DeValue::Table(table) => self.table(table, keys),
                    _ => self.wrong("a table", value),
                },
                Value::Names(names, set) => {
                    let list = self.names(value, names);
                    set(&mut self.config, list);
                }
                Value::Name(names, set) => {
                    if let Some(name) = self.name(value, names) {
                        set(&mut self.config, &name);
                    }
                }
                Value::Severities => match value.get_ref() {
                    DeValue::Table(table) => self.config.severity = self.severities(table),
                    _ => self.wrong("a table of rules with severities", value),
                },
                Value::Texts(set) => {
                    let list = self.texts(value);
                    set(&mut self.config, list);
                }
                Value::Origin => self.config.origin = self.origin(value),
                Value::Serve => match value.get_ref() {
                    DeValue::Table(table) => self.serve(table),
                    _ => self.wrong("a table", value),
                },
            }
        }
    }

    /// The settings of the service.
    fn serve(&mut self, table: &DeTable<'_>) {
        for (name, value) in table {
            let Some(key) = SERVE.iter().find(|key| key.name == name.get_ref()) else {
                let known = SERVE.iter().map(|key| key.name).collect();
                self.unknown("a key", name, known);
                continue;
            };
            let texts = match (key.kind, value.get_ref()) {
                (ServeKind::Texts(_), _) => self.texts(value),
                (ServeKind::Text(_), DeValue::String(text)) => vec![text.clone().into_owned()],
                (ServeKind::Text(_), _) => {
                    self.wrong("a text", value);
                    continue;
                }
                (ServeKind::Name(names), _) => {
                    let known = |text: &str| names.contains(&text);
                    match value.get_ref() {
                        DeValue::String(text) if known(text) => vec![text.clone().into_owned()],
                        DeValue::String(text) => {
                            let name = Spanned::new(value.span(), text.clone());
                            self.unknown("a format", &name, names.to_vec());
                            continue;
                        }
                        _ => {
                            self.wrong("a text", value);
                            continue;
                        }
                    }
                }
                (ServeKind::Number { least, most }, DeValue::Integer(number)) => {
                    let read = u64::from_str_radix(number.as_str(), number.radix());
                    match read {
                        Ok(read) if (least..=most).contains(&read) => vec![read.to_string()],
                        _ => {
                            let found =
                                Untrusted::new(number.as_str()).limited_to(QUOTED_CHARS).quoted();
                            let message = format!(
                                "expected a number from {least} to {most}, but found {found}"
                            );
                            self.errors.push(ConfigError::new(self.text, value.span(), message));
                            continue;
                        }
                    }
                }
                (ServeKind::Number { .. }, _) => {
                    self.wrong("a whole number", value);
                    continue;
                }
            };
            self.config.serve.insert(key.name, texts);
        }
    }

    /// The names of an array; unknown ones are errors.
    fn names(&mut self, value: &Spanned<DeValue<'_>>, names: Names) -> Vec<String> {
        let DeValue::Array(array) = value.get_ref() else {
            self.wrong("an array of names", value);
            return Vec::new();
        };
        array.iter().filter_map(|value| self.name(value, names)).collect()
    }

    /// The texts of an array.
    fn texts(&mut self, value: &Spanned<DeValue<'_>>) -> Vec<String> {
        let DeValue::Array(array) = value.get_ref() else {
            self.wrong("an array of texts", value);
            return Vec::new();
        };
        let mut texts = Vec::new();
        for value in array {
            match value.get_ref() {
                DeValue::String(text) => texts.push(text.clone().into_owned()),
                _ => self.wrong("a text", value),
            }
        }
        texts
    }

    fn name(&mut self, value: &Spanned<DeValue<'_>>, names: Names) -> Option<String> {
        let DeValue::String(name) = value.get_ref() else {
            self.wrong(&format!("the name of {}", names.what()), value);
            return None;
        };
        let known = names.all();
        if known.contains(&&**name) {
            return Some(name.clone().into_owned());
        }
        self.unknown(names.what(), &Spanned::new(value.span(), name.clone()), known);
        None
    }

    fn severities(&mut self, table: &DeTable<'_>) -> BTreeMap<String, Severity> {
        let mut found = BTreeMap::new();
        for (rule, value) in table {
            if crate::rule(rule.get_ref()).is_none() {
                self.unknown(Names::Rules.what(), rule, Names::Rules.all());
            }
            let name = self.name(value, Names::Severities);
            let severity = SEVERITIES.into_iter().find(|it| Some(it.name()) == name.as_deref());
            found.extend(severity.map(|severity| (rule.get_ref().clone().into_owned(), severity)));
        }
        found
    }

    fn origin(&mut self, value: &Spanned<DeValue<'_>>) -> Option<Origin> {
        let DeValue::String(origin) = value.get_ref() else {
            self.wrong("an origin such as `https://shop.example`", value);
            return None;
        };
        let parsed = origin.parse::<Origin>().map_err(|error| {
            let message = format!("expected an origin such as `https://shop.example`: {error}");
            self.errors.push(ConfigError::new(self.text, value.span(), message));
        });
        parsed.ok()
    }

    fn wrong(&mut self, expected: &str, found: &Spanned<DeValue<'_>>) {
        let kind = match found.get_ref() {
            DeValue::String(_) => "a string",
            DeValue::Integer(_) | DeValue::Float(_) => "a number",
            DeValue::Boolean(_) => "a boolean",
            DeValue::Datetime(_) => "a date",
            DeValue::Array(_) => "an array",
            DeValue::Table(_) => "a table",
        };
        let message = format!("expected {expected}, but found {kind}");
        self.errors.push(ConfigError::new(self.text, found.span(), message));
    }

    fn unknown(
        &mut self,
        expected: &str,
        name: &Spanned<std::borrow::Cow<'_, str>>,
        known: Vec<&'static str>,
    ) {
        let found = name.get_ref();
        let shown = Untrusted::new(&**found).limited_to(QUOTED_CHARS).quoted();
        let message = format!("expected {expected}, but found {shown}");
        let mut error = ConfigError::new(self.text, name.span(), message);
        error.unknown = Some((found.clone().into_owned(), known));
        self.errors.push(error);
    }
}

#[cfg(test)]
mod tests {
    use verger::Dialect;

    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let found = match config(text) {
            Ok(config) => format!("{config:?}"),
            Err(error) => {
                let position = error.position();
                format!("{}:{}: {error}", position.line, position.column)
            }
        };
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn all_values_are_read() {
        let text = "[lint]\nselect = ['syntax', 'nul']\nignore = []\nportable = ['bing']\n\
                    origin = 'https://shop.example'\nseverity.nul = 'note'\n";
        let settings = config(text).unwrap().settings();
        assert_eq!(settings.select, ["syntax", "nul"]);
        assert_eq!(settings.portable, [Dialect::BING]);
        assert_eq!(
            settings.origin.as_ref().map(ToString::to_string).as_deref(),
            Some("https://shop.example")
        );
        assert_eq!(settings.severity["nul"], Severity::Note);
        assert_eq!(settings.unknown_name(), None);
        let exclude = config("lint.exclude = ['a/b', '*.bak']").unwrap().exclude;
        assert_eq!(exclude, Some(vec!["a/b".to_owned(), "*.bak".to_owned()]));
        check("lint.exclude = 'a'", "1:16: expected an array of texts, but found a string");
        check("lint.exclude = [1]", "1:17: expected a text, but found a number");
        assert!(config("").unwrap().settings().select.is_empty());
    }

    #[test]
    fn other_values_change_the_profile() {
        let text = "[lint]\nprofile = 'google'\nignore = ['nul']\nportable = ['bing']\n";
        let settings = config(text).unwrap().settings();
        assert_eq!(settings.ignore, ["yandex-limit", "nul"]);
        assert_eq!(settings.portable, [Dialect::BING]);
        assert_eq!(settings.severity_of(crate::rule("not-honoured").unwrap()), Severity::Warning);
    }

    #[test]
    fn problems_have_positions() {
        check("[lint]\nprofile = 'goggle'\n", "2:11: expected a profile, but found `goggle`");
        check("[lint]\nselct = []\n", "2:1: expected a key, but found `selct`");
        check("[lnt]\n", "1:2: expected a key, but found `lnt`");
        check("lint = 1\n", "1:8: expected a table, but found a number");
        check("[lint]\nignore = ['nil']\n", "2:11: expected a rule or category, but found `nil`");
        check("[lint]\nignore = 'nul'\n", "2:10: expected an array of names, but found a string");
        check(
            "[lint]\nignore = [1]\n",
            "2:11: expected the name of a rule or category, but found a number",
        );
        check("[lint.severity]\nx = 'note'\n", "2:1: expected a rule, but found `x`");
        check("[lint.severity]\nnul = 'fatal'\n", "2:7: expected a severity, but found `fatal`");
        check("[lint]\nportable = ['bong']\n", "2:13: expected a dialect, but found `bong`");
    }

    #[test]
    fn settings_of_the_service_are_read_by_their_types() {
        let text =
            "[serve]\nlisten = ['127.0.0.1:1']\nmax_urls = 20\nlog = 'json'\nstore = 'memory'\n";
        let serve = config(text).unwrap().serve;
        assert_eq!(serve["listen"], ["127.0.0.1:1"]);
        assert_eq!((&*serve["max_urls"][0], &*serve["log"][0]), ("20", "json"));
        check("[serve]\nlisen = []\n", "2:1: expected a key, but found `lisen`");
        check("[serve]\nlisten = 'x'\n", "2:10: expected an array of texts, but found a string");
        check("[serve]\nstore = 1\n", "2:9: expected a text, but found a number");
        check("[serve]\nlog = 'xml'\n", "2:7: expected a format, but found `xml`");
        check(
            "[serve]\nmax_urls = -1\n",
            "2:12: expected a number from 1 to 10000, but found `-1`",
        );
        check(
            "[serve]\nmax_urls = 99999999999999999999\n",
            "2:12: expected a number from 1 to 10000, but found `99999999999999999999`",
        );
        check("[serve]\nrate = 'x'\n", "2:8: expected a whole number, but found a string");
        check("serve = 1\n", "1:9: expected a table, but found a number");
    }

    #[test]
    fn the_first_problem_of_the_file_is_reported() {
        check("[lint]\nz = 1\na = 1\n", "2:1: expected a key, but found `z`");
        assert!(config("[lint]\norigin = 'shop'\n").is_err());
        assert!(config("[lint\n").is_err_and(|error| error.position().line == 1));
    }

    #[test]
    fn foreign_text_in_messages_is_escaped() {
        check("\"\\u202e\\u001b\" = 1\n", r"1:1: expected a key, but found `\u{202e}\x1b`");
    }

    #[test]
    fn unknown_names_have_the_known_ones() {
        let error = config("[lint]\nselct = []\n").unwrap_err();
        let (name, known) = error.unknown_name().unwrap();
        assert_eq!((name, known.contains(&"select")), ("selct", true));
    }
}
