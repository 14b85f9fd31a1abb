//! Profiles: settings for one reader, as data.

use std::str::FromStr;

use verger::diagnostic::Severity::{Error, Note, Warning};
use verger::{Dialect, UnknownName};

use crate::rules::RULES;
use crate::settings::Settings;

/// Settings for one reader of the file.
///
/// # Examples
///
/// ```
/// use verger_lint::{Profile, lint};
///
/// let profile: Profile = "lighthouse".parse()?;
/// let report = lint(b"User-agent: *\nDisallow: cart\n", &profile.settings());
/// assert_eq!(report.findings[0].rule.code, "lighthouse");
/// # Ok::<(), verger::UnknownName>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Profile {
    /// Google's crawlers: its library must read the file as RFC 9309 does, limits of others do not
    /// count, and records that Google ignores are warnings.
    Google,
    /// Bing's crawler: the same for Bing.
    Bing,
    /// Yandex's crawlers: the same for Yandex. A file above its size limit is an error, because
    /// Yandex ignores it, and a blank line that ends a group there is a warning. `YandexBot` is a
    /// search engine for `blocks-search-engine`.
    Yandex,
    /// Only the problems that the audit `robots-txt` of Lighthouse reports, on the same lines.
    Lighthouse,
    /// Every published dialect must read the file as RFC 9309 does; notes are warnings, and
    /// warnings are errors.
    Strict,
}

impl Profile {
    /// All profiles.
    pub const ALL: [Self; 5] =
        [Self::Google, Self::Bing, Self::Yandex, Self::Lighthouse, Self::Strict];

    /// The name in lower case: `google`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Google => "google",
            Self::Bing => "bing",
            Self::Yandex => "yandex",
            Self::Lighthouse => "lighthouse",
            Self::Strict => "strict",
        }
    }

    /// The settings.
    pub fn settings(self) -> Settings {
        let mut settings = Settings::default();
        let (dialects, ignore, severity): (&[Dialect], &[&str], &[_]) = match self {
            Self::Google => {
                (&[Dialect::GOOGLE], &["yandex-limit"], &[("crawl-delay-ignored", Warning)])
            }
            Self::Bing => (&[Dialect::BING], &["google-limit", "yandex-limit"], &[]),
            Self::Yandex => (
                &[Dialect::YANDEX],
                &["google-limit"],
                &[
                    ("yandex-limit", Error),
                    ("crawl-delay-ignored", Warning),
                    ("blank-line-in-group", Warning),
                ],
            ),
            Self::Lighthouse => {
                settings.select = vec![self.name().to_owned()];
                (&[], &[], &[])
            }
            Self::Strict => {
                let raised = |severity| if severity == Note { Warning } else { Error };
                let raised = RULES.iter().map(|rule| (rule.code.to_owned(), raised(rule.severity)));
                settings.severity = raised.collect();
                // The first one is RFC 9309, which is compared with the others.
                (&Dialect::PUBLISHED[1..], &[], &[])
            }
        };
        settings.portable = dialects.to_vec();
        settings.ignore = ignore.iter().map(|&code| code.to_owned()).collect();
        settings.severity.extend(severity.iter().map(|&(code, it)| (code.to_owned(), it)));
        settings
    }
}

impl FromStr for Profile {
    type Err = UnknownName;

    /// The profile with this name; ASCII case does not matter.
    fn from_str(name: &str) -> Result<Self, UnknownName> {
        let found = Self::ALL.into_iter().find(|it| it.name().eq_ignore_ascii_case(name));
        found.ok_or_else(|| UnknownName::new("a profile", name, Self::ALL.map(Self::name)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profiles_name_rules_that_exist() {
        for profile in Profile::ALL {
            assert_eq!(profile.settings().unknown_name(), None, "{profile:?}");
            assert_eq!(profile.name().to_uppercase().parse(), Ok(profile));
        }
        assert!("bong".parse::<Profile>().is_err());
    }

    #[test]
    fn a_blank_line_that_ends_a_group_is_a_warning_for_yandex() {
        let rule = crate::rule("blank-line-in-group").expect("a rule");
        assert_eq!(Profile::Yandex.settings().severity_of(rule, rule.severity), Warning);
        assert_eq!(Profile::Google.settings().severity_of(rule, rule.severity), Note);
    }

    #[test]
    fn strict_has_no_notes() {
        let settings = Profile::Strict.settings();
        assert!(RULES.iter().all(|rule| settings.severity_of(rule, rule.severity) > Note));
    }
}
