//! An independent, simple implementation of the `rfc9309` dialect.
//!
//! This crate has no dependency, so it shares no code with the engine, and its author had not read
//! the engine. It was written from the reference texts alone (clause numbers such as
//! `REP-SYNTAX-10` refer to them), so a difference is a mistake in one of the two or a gap in the
//! texts. It is written for clarity, not speed.
//!
//! [`check_with`] adds one deliberate mistake, to prove that a comparison detects it.

// Files, from the bottom up: a file uses only files above it (`cargo xtask tidy`).
//
// - `bug.rs`: deliberate mistakes
// - `text.rs`, `lines.rs`: the text of a file; its records
// - `agents.rs`, `groups.rs`: names of crawlers; formation and selection of groups
// - `url.rs`, `normal.rs`: the target of a URL; normal form
// - `glob.rs`: patterns

mod agents;
mod bug;
mod glob;
mod groups;
mod lines;
mod normal;
mod text;
mod url;

pub use self::bug::Bug;

use self::lines::Rule;
use self::url::Target;

/// An answer of the naive matcher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NaiveAnswer {
    /// Whether the URL may be fetched.
    pub allowed: bool,
    /// The line of the deciding rule, counted from 1; `None` when no rule decides.
    pub line: Option<usize>,
    /// Reason of the answer.
    pub reason: Reason,
}

/// Reason of a [`NaiveAnswer`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The rule at [`NaiveAnswer::line`] decides.
    Rule,
    /// A group applies, but none of its rules matches: allowed.
    NoRuleMatches,
    /// No group names a token of the chain and there is no `*` group: allowed.
    NoGroup,
    /// The target is exactly `/robots.txt`: always allowed.
    RobotsTxtItself,
    /// The URL's scheme has no host that could serve a robots.txt: allowed.
    NoRobotsForScheme,
    /// The text is neither a URL nor a path: disallowed.
    NotAUrl,
}

/// Answers a question about one robots.txt, one crawler and one URL.
///
/// `tokens` is a chain, most specific first: the first token that is the name of a group decides
/// which groups apply. If there is no such token, the `*` groups apply.
pub fn check(robots: &[u8], tokens: &[&str], url: &[u8]) -> NaiveAnswer {
    check_with(robots, tokens, url, None)
}

/// Like [`check`], with one deliberate mistake.
pub fn check_with(robots: &[u8], tokens: &[&str], url: &[u8], bug: Option<Bug>) -> NaiveAnswer {
    let target = match url::target(url, bug) {
        Target::Path(target) => target,
        // REP-AMB-52: a scheme without a host has no robots.txt, so nothing is disallowed.
        Target::NoRobots => return allowed(Reason::NoRobotsForScheme),
        // REP-AMB-62: an unintelligible URL is disallowed.
        Target::NotAUrl => {
            return NaiveAnswer { allowed: false, line: None, reason: Reason::NotAUrl };
        }
    };
    // REP-MATCH-20: the subject is compared in its normal form.
    let subject = normal::subject(&target, bug);
    // REP-AMB-10: exactly this path, without query, is exempt from every rule.
    if subject == b"/robots.txt" && bug != Some(Bug::RobotsTxtNotExempt) {
        return allowed(Reason::RobotsTxtItself);
    }
    let records = lines::records(&text::text(robots), bug);
    let groups = groups::form(&records, bug);
    // REP-AGENT-20: no group applies, so no rules apply.
    let Some(rules) = groups::applying(&groups, tokens, bug) else {
        return allowed(Reason::NoGroup);
    };
    match deciding(&rules, &subject, bug) {
        Some(rule) => {
            NaiveAnswer { allowed: rule.allow, line: Some(rule.line), reason: Reason::Rule }
        }
        // REP-MATCH-8: no rule matches.
        None => allowed(Reason::NoRuleMatches),
    }
}

/// An answer without a deciding rule.
fn allowed(reason: Reason) -> NaiveAnswer {
    NaiveAnswer { allowed: true, line: None, reason }
}

/// The deciding rule among `rules`, which are in file order.
fn deciding<'a>(rules: &'a [Rule], subject: &[u8], bug: Option<Bug>) -> Option<&'a Rule> {
    let mut best: Option<(&Rule, usize)> = None;
    for rule in rules {
        let Some(length) = matching_length(rule, subject, bug) else {
            continue;
        };
        let wins = match best {
            None => true,
            Some(_) if bug == Some(Bug::FirstMatchWins) => false,
            // REP-AMB-35: for equal lengths, the kind that wins ties replaces the other kind. Of
            // two rules of the same kind, the earlier one decides.
            Some((old, old_length)) if length == old_length => {
                let winner_of_ties = bug != Some(Bug::TieGoesToDisallow);
                rule.allow == winner_of_ties && old.allow != winner_of_ties
            }
            // REP-MATCH-10: the longer rule decides, not the longer match.
            Some((_, old_length)) => length > old_length,
        };
        if wins {
            best = Some((rule, length));
        }
    }
    best.map(|(rule, _)| rule)
}

/// The length of a rule for comparison if it matches, else `None`.
fn matching_length(rule: &Rule, subject: &[u8], bug: Option<Bug>) -> Option<usize> {
    // REP-MATCH-14: an empty pattern never decides.
    if rule.pattern.is_empty() {
        let with_bug = bug == Some(Bug::EmptyDisallowMatchesAll) && !rule.allow;
        return with_bug.then_some(0);
    }
    let pattern = normal::pattern(&rule.pattern, bug);
    // REP-AMB-9: a pattern that starts with neither can never match.
    if !pattern.starts_with(b"/") && !pattern.starts_with(b"*") {
        return None;
    }
    if !glob::matches(&pattern, subject) {
        return None;
    }
    // REP-MATCH-11, REP-MATCH-12: bytes of the normal form, including operators.
    if bug == Some(Bug::RawLength) { Some(rule.pattern.len()) } else { Some(pattern.len()) }
}
