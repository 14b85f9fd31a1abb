//! Verdicts.

use std::ffi::{CStr, c_char};

use engine::Reason;

use crate::text::Text;

/// The kind of a rule.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleKind {
    /// No rule decided.
    None = 0,
    /// `Allow`.
    Allow = 1,
    /// `Disallow`.
    Disallow = 2,
}

/// The answer for one URL.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Verdict {
    /// Whether the crawler may fetch the URL.
    pub allowed: bool,
    /// Whether a later question may have another answer because robots.txt could not be fetched.
    pub temporary: bool,
    /// The reason, a static name that ends in NUL: `rule`, `no_rule_matches`, `no_group`,
    /// `robots_txt_itself`, `not_a_url`, ….
    pub reason: *const c_char,
    /// The kind of the deciding rule.
    pub kind: RuleKind,
    /// The pattern of the deciding rule as in the file. It is valid as long as the object that was
    /// asked. Empty if no rule decided, or for a policy without explanation.
    pub pattern: Text,
    /// The line of the deciding rule, from 1; 0 if no rule decided.
    pub line: usize,
    /// The column of the rule's pattern in bytes, from 1; 0 if unknown.
    pub column: usize,
    /// The number of the user-agent line by which the group applies, from 1; 0 if no group applies
    /// or it is unknown.
    pub group_line: usize,
}

impl Verdict {
    /// The verdict of a call that failed.
    pub(crate) const FAILURE: Self = Self {
        allowed: false,
        temporary: false,
        reason: c"failed".as_ptr(),
        kind: RuleKind::None,
        pattern: Text::EMPTY,
        line: 0,
        column: 0,
        group_line: 0,
    };
}

impl From<&engine::Verdict<'_>> for Verdict {
    fn from(verdict: &engine::Verdict<'_>) -> Self {
        let (allowed, rule, line) = (verdict.is_allowed(), verdict.rule(), verdict.line());
        Self {
            allowed,
            temporary: verdict.reason().is_temporary(),
            reason: name(verdict.reason()).as_ptr(),
            // Without its explanation a policy still has the line of each rule.
            kind: match rule.map(|rule| rule.kind()) {
                None if line.is_none() => RuleKind::None,
                Some(engine::RuleKind::Allow) => RuleKind::Allow,
                None if allowed => RuleKind::Allow,
                // Also an empty rule in a dialect where it allows.
                Some(engine::RuleKind::Disallow) | None => RuleKind::Disallow,
            },
            pattern: rule.map_or(Text::EMPTY, |rule| Text::new(rule.pattern())),
            line: line.unwrap_or_default(),
            column: rule.map_or(0, |rule| rule.position().column),
            group_line: verdict.group_line().unwrap_or_default(),
        }
    }
}

/// The engine's name of a reason, ending in NUL.
fn name(reason: Reason) -> &'static CStr {
    match reason {
        Reason::Rule => c"rule",
        Reason::NoRuleMatches => c"no_rule_matches",
        Reason::NoGroup => c"no_group",
        Reason::RobotsTxtItself => c"robots_txt_itself",
        Reason::Unavailable => c"unavailable",
        Reason::Unreachable => c"unreachable",
        Reason::RedirectLimit => c"redirect_limit",
        Reason::NoRobotsForScheme => c"no_robots_for_scheme",
        Reason::NotAUrl => c"not_a_url",
        Reason::CrawlerIgnoresRobots => c"crawler_ignores_robots",
        _ => c"other",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_have_the_names_of_the_engine() {
        for &reason in Reason::ALL {
            assert_eq!(name(reason).to_str(), Ok(reason.name()));
        }
    }
}
