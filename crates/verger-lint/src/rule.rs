//! Rules of the linter, as data.

use std::fmt;

use verger::diagnostic::Severity;

/// A rule of the linter: one kind of problem. Its check is in `rules/`.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Rule {
    /// A short name that stays the same: `dead-rule`.
    pub code: &'static str,
    /// The severity without settings.
    pub severity: Severity,
    /// The subject.
    pub category: Category,
    /// The source file, whose module documentation is the page of the rule.
    pub(crate) source: &'static str,
}

/// The subject of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Category {
    /// Encoding, lines, keys.
    Syntax,
    /// User-agent lines and groups.
    Groups,
    /// `Allow` and `Disallow`.
    Rules,
    /// All other records.
    Statements,
    /// Size limits of crawlers.
    Limits,
    /// The file as a whole.
    Policy,
    /// Readings of other dialects; reported only for dialects that are asked for.
    Portability,
    /// The responses of a site; see [`lint_responses`](crate::lint_responses).
    Live,
    /// Problems that other tools report; only if a rule or the category is selected by name.
    Audit,
}

impl Rule {
    /// The page of the rule in Markdown: what it finds, why that is a problem, an example, and the
    /// clause or source.
    ///
    /// # Examples
    ///
    /// ```
    /// let rule = verger_lint::rule("misspelt-key").expect("a rule of this name");
    /// assert!(rule.page().starts_with("# misspelt-key"));
    /// ```
    pub fn page(&self) -> String {
        let lines = self.source.lines().map_while(|line| line.strip_prefix("//!"));
        let lines = lines.map(|line| line.strip_prefix(' ').unwrap_or(line));
        lines.flat_map(|line| [line, "\n"]).collect()
    }

    /// The URL of the page in the documentation.
    pub fn url(&self) -> String {
        format!("{}/blob/main/docs/lint.md#{}", env!("CARGO_PKG_REPOSITORY"), self.code)
    }

    /// The first paragraph of the page: the problem in one sentence.
    pub fn summary(&self) -> String {
        let page = self.page();
        let paragraph = page.lines().skip(2).take_while(|line| !line.is_empty());
        paragraph.collect::<Vec<_>>().join(" ")
    }
}

impl Category {
    /// All categories.
    pub const ALL: [Self; 9] = [
        Self::Syntax,
        Self::Groups,
        Self::Rules,
        Self::Statements,
        Self::Limits,
        Self::Policy,
        Self::Portability,
        Self::Live,
        Self::Audit,
    ];

    /// The name in lower case: `syntax`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Syntax => "syntax",
            Self::Groups => "groups",
            Self::Rules => "rules",
            Self::Statements => "statements",
            Self::Limits => "limits",
            Self::Policy => "policy",
            Self::Portability => "portability",
            Self::Live => "live",
            Self::Audit => "audit",
        }
    }
}

impl fmt::Debug for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Rule").field(&self.code).finish()
    }
}
