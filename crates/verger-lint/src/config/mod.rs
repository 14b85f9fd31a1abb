//! Settings from a `verger.toml`.
//!
//! # Flow
//!
//! [`Config::parse`] reads table `lint` into the fields of [`Config`], so an unknown key or name is
//! an error with its position. The JSON schema for editors is made of the same fields (feature
//! `schema`). [`Config::file_of`] finds the file.

mod exclude;

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::LazyLock;

use serde::de::{self, Deserialize, Deserializer, Error as _, IgnoredAny, Visitor};
use verger::diagnostic::Severity;
use verger::{Dialect, Origin};

use crate::profile::Profile;
use crate::rule::Category;
use crate::rules::RULES;
use crate::settings::Settings;
use crate::toml_error::TomlError;

/// The contents of a `verger.toml`, which the flags of a command line may change. Absent values are
/// `None`.
///
/// # Examples
///
/// ```
/// use verger_lint::Config;
///
/// let mut config = Config::parse("[lint]\nignore = ['policy']\n[lint.severity]\nnul = 'error'\n")?;
/// config.ignore = Some(vec!["syntax".to_owned()]);
/// let settings = config.settings();
/// assert_eq!(settings.ignore, ["syntax"]);
/// assert_eq!(settings.severity.len(), 1);
/// # Ok::<(), verger_lint::TomlError>(())
/// ```
#[derive(Clone, Debug, Default, serde::Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(description = "Settings of `verger lint`.")
)]
#[serde(default, deny_unknown_fields, expecting = "a table")]
#[expect(clippy::exhaustive_structs, reason = "a command line has the same values")]
pub struct Config {
    /// Settings for one reader of the file, which the other values change.
    #[serde(deserialize_with = "one::<PROFILES, _, _>")]
    #[cfg_attr(feature = "schema", schemars(with = "Name<PROFILES>"))]
    pub profile: Option<Profile>,
    /// Rules and categories to run. Default: those of the profile, otherwise all except category
    /// `audit`; `portability` only for the dialects of `portable`.
    #[serde(deserialize_with = "all::<RULES_AND_CATEGORIES, _, _>")]
    #[cfg_attr(
        feature = "schema",
        schemars(with = "std::collections::BTreeSet<Name<RULES_AND_CATEGORIES>>")
    )]
    pub select: Option<Vec<String>>,
    /// Rules and categories to skip, in addition to those of the profile. Overrides `select`.
    #[serde(deserialize_with = "all::<RULES_AND_CATEGORIES, _, _>")]
    #[cfg_attr(
        feature = "schema",
        schemars(with = "std::collections::BTreeSet<Name<RULES_AND_CATEGORIES>>")
    )]
    pub ignore: Option<Vec<String>>,
    /// Severities of rules, instead of their own.
    #[serde(deserialize_with = "severities")]
    #[cfg_attr(
        feature = "schema",
        schemars(with = "BTreeMap<Name<RULES_ONLY>, Name<SEVERITIES>>")
    )]
    pub severity: BTreeMap<String, Severity>,
    /// Dialects that must read the file as RFC 9309 does: enables the rules of category
    /// `portability` for them.
    #[serde(deserialize_with = "all::<DIALECTS, _, _>")]
    #[cfg_attr(feature = "schema", schemars(with = "std::collections::BTreeSet<Name<DIALECTS>>"))]
    pub portable: Option<Vec<Dialect>>,
    /// Origin of the site, such as `https://shop.example`, for rules about absolute URLs.
    #[serde(deserialize_with = "origin")]
    #[cfg_attr(
        feature = "schema",
        schemars(with = "String", regex(pattern = "^[a-z]+://[^/?#]+$"))
    )]
    pub origin: Option<Origin>,
    /// Files and folders to skip in folders: a name such as `fixtures`, or a path from the folder
    /// of this file such as `sites/*-test`. A `*` means any characters except `/`.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<String>"))]
    pub exclude: Option<Vec<String>>,
}

/// Settings of the program verger.
#[derive(serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "verger.toml"))]
#[serde(deny_unknown_fields, expecting = "a table")]
struct File {
    #[serde(default)]
    lint: Config,
    /// The policy of `verger generate`, which reads it.
    #[serde(default, rename = "policy")]
    #[cfg_attr(feature = "schema", schemars(with = "BTreeMap<String, PolicyValue>"))]
    _policy: IgnoredAny,
    /// Settings of `verger-serve`, which reads them.
    #[serde(default, rename = "serve")]
    #[cfg_attr(feature = "schema", schemars(with = "BTreeMap<String, ()>"))]
    _serve: IgnoredAny,
}

/// An answer, a list of paths or URLs, or a switch.
#[cfg(feature = "schema")]
#[derive(schemars::JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "only its schema is used")]
enum PolicyValue {
    Answer(String),
    List(Vec<String>),
    Switch(bool),
}

/// The JSON schema of `verger.toml`, for editors: keys, names of rules and dialects.
#[cfg(feature = "schema")]
pub fn schema() -> schemars::Schema {
    // Whether an absent default is written as null depends on features of other crates.
    let drop_none = |schema: &mut schemars::Schema| {
        if matches!(schema.get("default"), Some(default) if default.is_null()) {
            schema.remove("default");
        }
    };
    schemars::generate::SchemaSettings::draft07()
        .with_transform(schemars::transform::RecursiveTransform(drop_none))
        .into_generator()
        .into_root_schema_for::<File>()
}

/// A name of a set.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Name<const SET: usize>(String);

const PROFILES: usize = 0;
const RULES_AND_CATEGORIES: usize = 1;
const RULES_ONLY: usize = 2;
const SEVERITIES: usize = 3;
const DIALECTS: usize = 4;

/// The sets: their description, and their names.
static SETS: LazyLock<[(&str, Vec<&str>); 5]> = LazyLock::new(|| {
    let rules = || RULES.iter().map(|rule| rule.code);
    [
        ("a profile", Profile::ALL.map(Profile::name).to_vec()),
        ("a rule or category", Category::ALL.iter().map(|it| it.name()).chain(rules()).collect()),
        ("a rule", rules().collect()),
        ("a severity", SEVERITY.map(Severity::name).to_vec()),
        ("a dialect", Dialect::PUBLISHED.iter().map(|it| it.name).collect()),
    ]
});

const SEVERITY: [Severity; 3] = [Severity::Note, Severity::Warning, Severity::Error];

impl<'de, const SET: usize> Deserialize<'de> for Name<SET> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(Set::<SET>)
    }
}

struct Set<const SET: usize>;

impl<const SET: usize> Visitor<'_> for Set<SET> {
    type Value = Name<SET>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the name of {}", SETS[SET].0)
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<Name<SET>, E> {
        let known = &SETS[SET].1;
        if known.contains(&name) {
            Ok(Name(name.into()))
        } else {
            Err(E::unknown_variant(name, known))
        }
    }
}

#[cfg(feature = "schema")]
impl<const SET: usize> schemars::JsonSchema for Name<SET> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        SETS[SET].0.trim_start_matches("a ").replace(' ', "-").into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "enum": SETS[SET].1 })
    }
}

fn one<'de, const SET: usize, T: FromStr, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    Ok(Name::<SET>::deserialize(deserializer)?.0.parse().ok())
}

fn all<'de, const SET: usize, T: FromStr, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Vec<T>>, D::Error> {
    let names = Vec::<Name<SET>>::deserialize(deserializer)?;
    Ok(Some(names.into_iter().filter_map(|name| name.0.parse().ok()).collect()))
}

fn severities<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<String, Severity>, D::Error> {
    let names = BTreeMap::<Name<RULES_ONLY>, Name<SEVERITIES>>::deserialize(deserializer)?;
    let severity = |name: &str| SEVERITY.into_iter().find(|it| it.name() == name);
    Ok(names.into_iter().filter_map(|(rule, name)| Some((rule.0, severity(&name.0)?))).collect())
}

fn origin<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Origin>, D::Error> {
    String::deserialize(deserializer)?.parse().map(Some).map_err(|error| {
        D::Error::custom(format!("expected an origin such as `https://shop.example`: {error}"))
    })
}

impl Config {
    /// Reads a `verger.toml`.
    ///
    /// # Errors
    ///
    /// The first problem in the file: bytes that are not UTF-8, wrong syntax, an unknown key or
    /// name, or a value of another type.
    pub fn parse(text: impl AsRef<[u8]>) -> Result<Self, TomlError> {
        let text = text.as_ref();
        let text = str::from_utf8(text)
            .map_err(|error| TomlError::not_utf_8(text, error.valid_up_to()))?;
        let file: File = toml::from_str(text).map_err(|error| {
            let offset = error.span().unwrap_or_default().start;
            TomlError::of_sets(text, offset, error.message(), SETS.as_slice())
        })?;
        Ok(file.lint)
    }

    /// The path of the `verger.toml` for a file with this absolute path: the nearest one in its
    /// folder or above, also if it cannot be read, which is an error: its settings would be
    /// missing.
    pub fn file_of(path: &Path) -> Option<PathBuf> {
        let mut files = path.ancestors().skip(1).map(|folder| folder.join("verger.toml"));
        // Also a link without a target.
        files.find(|file| file.symlink_metadata().is_ok())
    }

    /// Whether files with this path are skipped in a search. The path is relative to the folder of
    /// the `verger.toml`, with `/` between its parts.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger_lint::Config;
    ///
    /// let config = Config::parse("lint.exclude = ['fixtures', 'sites/*-test']")?;
    /// assert!(config.excludes("a/fixtures/robots.txt"));
    /// assert!(config.excludes("sites/shop-test/robots.txt"));
    /// assert!(!config.excludes("sites/shop/robots.txt"));
    /// # Ok::<(), verger_lint::TomlError>(())
    /// ```
    pub fn excludes(&self, path: &str) -> bool {
        exclude::excludes(self.exclude.as_deref().unwrap_or_default(), path)
    }

    /// The settings of the linter.
    pub fn settings(self) -> Settings {
        let mut settings = self.profile.map(Profile::settings).unwrap_or_default();
        if let Some(select) = self.select {
            settings.select = select;
        }
        settings.ignore.extend(self.ignore.unwrap_or_default());
        settings.severity.extend(self.severity);
        if let Some(portable) = self.portable {
            settings.portable = portable;
        }
        settings.origin = self.origin;
        settings
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let found = match Config::parse(text) {
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
        let settings = Config::parse(text).unwrap().settings();
        assert_eq!(settings.select, ["syntax", "nul"]);
        assert_eq!(settings.portable, [Dialect::BING]);
        assert_eq!(
            settings.origin.as_ref().map(ToString::to_string).as_deref(),
            Some("https://shop.example")
        );
        assert_eq!(settings.severity["nul"], Severity::Note);
        assert_eq!(settings.unknown_name(), None);
        let exclude = Config::parse("lint.exclude = ['a/b', '*.bak']").unwrap().exclude;
        assert_eq!(exclude, Some(vec!["a/b".to_owned(), "*.bak".to_owned()]));
        check("lint.exclude = 'a'", "1:16: expected an array, but found a string");
        check("lint.exclude = [1]", "1:17: expected a string, but found the integer `1`");
        assert!(Config::parse("").unwrap().settings().select.is_empty());
    }

    #[test]
    fn other_values_change_the_profile() {
        let text = "[lint]\nprofile = 'google'\nignore = ['nul']\nportable = ['bing']\n";
        let settings = Config::parse(text).unwrap().settings();
        assert_eq!(settings.ignore, ["yandex-limit", "nul"]);
        assert_eq!(settings.portable, [Dialect::BING]);
        assert_eq!(settings.severity["crawl-delay-ignored"], Severity::Warning);
    }

    #[test]
    fn problems_have_positions() {
        check("[lint]\nprofile = 'goggle'\n", "2:11: expected a profile, but found `goggle`");
        check("[lint]\nselct = []\n", "2:1: expected a key, but found `selct`");
        check("[lnt]\n", "1:2: expected a key, but found `lnt`");
        check("lint = 1\n", "1:8: expected a table, but found the integer `1`");
        check("[lint]\nignore = ['nil']\n", "2:11: expected a rule or category, but found `nil`");
        check("[lint]\nignore = 'nul'\n", "2:10: expected an array, but found a string");
        check(
            "[lint]\nignore = [1]\n",
            "2:11: expected the name of a rule or category, but found the integer `1`",
        );
        check("lint.severity = 1\n", "1:17: expected a table, but found the integer `1`");
        check("[lint.severity]\nx = 'note'\n", "2:1: expected a rule, but found `x`");
        check("[lint.severity]\nnul = 'fatal'\n", "2:7: expected a severity, but found `fatal`");
        check("[lint]\nportable = ['bong']\n", "2:13: expected a dialect, but found `bong`");
    }

    #[test]
    fn wrong_syntax_and_origins_are_errors() {
        assert!(Config::parse("[lint]\norigin = 'shop'\n").is_err());
        assert!(Config::parse("[lint\n").is_err_and(|error| error.position().line == 1));
        let error = Config::parse(b"\n\xff").unwrap_err();
        assert_eq!((error.position().line, error.position().column), (2, 1));
        assert_eq!(error.to_string(), "expected UTF-8, but found other bytes");
    }

    #[test]
    fn foreign_text_in_messages_is_escaped() {
        check("\"\\u202e\\u001b\" = 1\n", r"1:1: expected a key, but found `\u{202e}\x1b`");
    }

    #[test]
    fn unknown_names_have_the_known_ones() {
        let error = Config::parse("[lint]\nselct = []\n").unwrap_err();
        let (name, known) = error.unknown_name().unwrap();
        assert_eq!((name, known.iter().any(|it| it == "select")), ("selct", true));
    }
}
