//! Settings: the rules to run, their severities, and the dialects that count.

use std::collections::BTreeMap;

use verger::access::Timestamp;
use verger::diagnostic::Severity;
use verger::{Dialect, Origin};

use crate::rule::{Category, Rule};

/// The choice of rules. The default runs all rules except those of category portability, which
/// need [`portable`](Self::portable) dialects, and of category audit, which need their name in
/// [`select`](Self::select).
///
/// [`Profile`](crate::Profile) has ready choices.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Settings {
    /// The rules or categories to run, by name; empty for all.
    pub select: Vec<String>,
    /// The rules or categories to skip, by name. It outranks `select`.
    pub ignore: Vec<String>,
    /// Severities of rules, by code, instead of the defaults.
    pub severity: BTreeMap<String, Severity>,
    /// Dialects that must read the file as RFC 9309 does.
    pub portable: Vec<Dialect>,
    /// The origin of the file, such as `https://shop.example`, for rules about absolute URLs.
    pub origin: Option<Origin>,
    /// The time, for the age of the list of crawlers. Without it, the age does not count.
    pub now: Option<Timestamp>,
}

impl Settings {
    /// Whether a rule is selected.
    pub(crate) fn runs(&self, rule: &Rule) -> bool {
        let names = |list: &[String]| {
            list.iter().any(|name| name == rule.code || name == rule.category.name())
        };
        let is_asked = match rule.category {
            Category::Portability => !self.portable.is_empty(),
            Category::Audit => names(&self.select),
            _ => true,
        };
        is_asked && (self.select.is_empty() || names(&self.select)) && !names(&self.ignore)
    }

    /// The severity of the findings of a rule, unless it is set.
    pub(crate) fn severity_of(&self, rule: &Rule, usual: Severity) -> Severity {
        self.severity.get(rule.code).copied().unwrap_or(usual)
    }

    /// The first name in the settings that is neither a rule nor a category.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger_lint::Settings;
    ///
    /// let mut settings = Settings::default();
    /// settings.ignore = vec!["groups".to_owned(), "dead-rules".to_owned()];
    /// assert_eq!(settings.unknown_name(), Some("dead-rules"));
    /// ```
    pub fn unknown_name(&self) -> Option<&str> {
        let names = self.select.iter().chain(&self.ignore).chain(self.severity.keys());
        let is_known = |name: &str| {
            crate::rule(name).is_some() || Category::ALL.iter().any(|it| it.name() == name)
        };
        names.map(String::as_str).find(|name| !is_known(name))
    }
}
