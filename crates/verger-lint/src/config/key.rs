//! The keys of `verger.toml`, as data.

use verger::Dialect;
use verger::diagnostic::Severity;

use super::Config;
use crate::profile::Profile;
use crate::rule::Category;
use crate::rules::RULES;

/// A key with its meaning.
pub(super) struct Key {
    pub(super) name: &'static str,
    pub(super) value: Value,
    /// A sentence for the JSON schema.
    pub(super) about: &'static str,
}

/// The type of a value.
pub(super) enum Value {
    /// A table with these keys.
    Table(&'static [Key]),
    /// An array of names, and the function that stores them.
    Names(Names, fn(&mut Config, Vec<String>)),
    /// One name, and the function that stores it.
    Name(Names, fn(&mut Config, &str)),
    /// A table of names of rules, each with the name of a severity.
    Severities,
    /// An array of texts, and the function that stores them.
    Texts(fn(&mut Config, Vec<String>)),
    /// An origin such as `https://shop.example`.
    Origin,
    /// The settings of the service.
    Serve,
}

/// A set of names.
#[derive(Clone, Copy)]
pub(super) enum Names {
    RulesAndCategories,
    Rules,
    Severities,
    Dialects,
    Profiles,
}

impl Names {
    /// The singular, with an article.
    pub(super) const fn what(self) -> &'static str {
        match self {
            Self::RulesAndCategories => "a rule or category",
            Self::Rules => "a rule",
            Self::Severities => "a severity",
            Self::Dialects => "a dialect",
            Self::Profiles => "a profile",
        }
    }

    /// All names of the set.
    pub(super) fn all(self) -> Vec<&'static str> {
        let rules = RULES.iter().map(|rule| rule.code);
        match self {
            Self::RulesAndCategories => {
                Category::ALL.iter().map(|category| category.name()).chain(rules).collect()
            }
            Self::Rules => rules.collect(),
            Self::Severities => SEVERITIES.iter().map(|severity| severity.name()).collect(),
            Self::Dialects => Dialect::PUBLISHED.iter().map(|dialect| dialect.name).collect(),
            Self::Profiles => Profile::ALL.map(Profile::name).to_vec(),
        }
    }
}

pub(super) const SEVERITIES: [Severity; 3] = [Severity::Note, Severity::Warning, Severity::Error];

/// The keys of the file.
pub(super) const FILE: &[Key] = &[
    Key { name: "lint", value: Value::Table(LINT), about: "Settings of `verger lint`." },
    Key { name: "serve", value: Value::Serve, about: "Settings of `verger serve`." },
];

const LINT: &[Key] = &[
    Key {
        name: "profile",
        value: Value::Name(Names::Profiles, |it, name| it.profile = name.parse().ok()),
        about: "Settings for one reader of the file, which the other values change.",
    },
    Key {
        name: "select",
        value: Value::Names(Names::RulesAndCategories, |it, names| it.select = Some(names)),
        about: "Rules and categories to run. Default: those of the profile, otherwise all except \
                category `audit`; `portability` only for the dialects of `portable`.",
    },
    Key {
        name: "ignore",
        value: Value::Names(Names::RulesAndCategories, |it, names| it.ignore = Some(names)),
        about: "Rules and categories to skip, in addition to those of the profile. Overrides \
                `select`.",
    },
    Key {
        name: "severity",
        value: Value::Severities,
        about: "Severities of rules, instead of their own.",
    },
    Key {
        name: "portable",
        value: Value::Names(Names::Dialects, |it, names| {
            it.portable = Some(names.iter().filter_map(|name| name.parse().ok()).collect());
        }),
        about: "Dialects that must read the file as RFC 9309 does: enables the rules of category \
                `portability` for them.",
    },
    Key {
        name: "exclude",
        value: Value::Texts(|it, patterns| it.exclude = Some(patterns)),
        about: "Files and folders to skip in folders: a name such as `fixtures`, or a path from the \
                folder of this file such as `sites/*-test`. A `*` means any characters except `/`.",
    },
    Key {
        name: "origin",
        value: Value::Origin,
        about: "Origin of the site, such as `https://shop.example`, for rules about absolute URLs.",
    },
];
