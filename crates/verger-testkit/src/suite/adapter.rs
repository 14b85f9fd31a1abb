//! Adapters: interfaces that answer the cases of the suite, for one runner.

use verger::{Crawler, Dialect, Policy, Verdict};

use super::case::{Case, NamedCrawler};

/// An interface that answers cases. It may skip a case that it cannot express, but never changes
/// one.
pub trait Adapter {
    /// Its name in reports.
    fn name(&self) -> &'static str;

    /// Answers a case in a dialect.
    fn answer(&mut self, case: &Case, dialect: Dialect) -> AdapterOutcome;
}

/// Result of an adapter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AdapterOutcome {
    /// An answer.
    Answer(AdapterAnswer),
    /// The interface cannot express the question, for this reason.
    Skip(&'static str),
    /// It failed to answer.
    Broken(String),
}

/// An answer, as far as the interface reports it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdapterAnswer {
    /// Whether the URL may be fetched.
    pub allowed: bool,
    /// The line of the deciding rule, if reported: `Some(None)` if no rule decides.
    pub line: Option<Option<usize>>,
    /// The reason, if reported.
    pub reason: Option<String>,
}

impl NamedCrawler {
    /// The crawler.
    pub fn to_crawler(&self) -> Crawler {
        match self {
            Self::Token(token) => Crawler::new(token.as_str()),
            Self::Chain(tokens) => Crawler::chain(tokens.iter().map(String::as_str)),
            Self::Union(tokens) => Crawler::union(tokens.iter().map(String::as_str)),
        }
    }
}

/// `Dialect::parse` and `Robots::check`; `explain` must agree.
#[derive(Clone, Copy, Debug, Default)]
pub struct Library;

impl Adapter for Library {
    fn name(&self) -> &'static str {
        "library"
    }

    fn answer(&mut self, case: &Case, dialect: Dialect) -> AdapterOutcome {
        let robots = dialect.parse(&case.robots);
        let crawler = case.crawler.to_crawler();
        let verdict = robots.check(&crawler, &case.url);
        let explained = robots.explain(&crawler, &case.url).verdict;
        if explained.is_allowed() != verdict.is_allowed() || explained.rule() != verdict.rule() {
            return AdapterOutcome::Broken(format!(
                "check says {verdict}, explain says {explained}"
            ));
        }
        AdapterOutcome::Answer(AdapterAnswer {
            allowed: verdict.is_allowed(),
            line: Some(verdict.rule().map(|rule| rule.position().line)),
            reason: Some(verdict.reason().name().to_owned()),
        })
    }
}

/// `Dialect::policy`, read from its bytes, with and without explanations. `Robots::policy` must be
/// equal.
#[derive(Clone, Copy, Debug, Default)]
pub struct Compiled;

impl Adapter for Compiled {
    fn name(&self) -> &'static str {
        "policy"
    }

    fn answer(&mut self, case: &Case, dialect: Dialect) -> AdapterOutcome {
        let robots = dialect.parse(&case.robots);
        let crawler = case.crawler.to_crawler();
        let verdict = robots.check(&crawler, &case.url);
        let kept = dialect.policy(&case.robots, &crawler).as_bytes().to_vec();
        if kept != robots.policy(&crawler).as_bytes() {
            return AdapterOutcome::Broken(
                "another policy than that of the parsed file".to_owned(),
            );
        }
        let policy = match Policy::from_bytes(&kept) {
            Ok(policy) => policy,
            Err(error) => return AdapterOutcome::Broken(error.to_string()),
        };
        let found = policy.check(&case.url);
        if let Err(difference) = explains_alike(&found, &verdict) {
            return AdapterOutcome::Broken(difference);
        }
        let bare = policy.without_explanation();
        let short = bare.check(&case.url);
        if (short.is_allowed(), short.reason(), short.line(), short.rule(), short.group_line())
            != (found.is_allowed(), found.reason(), found.line(), None, None)
        {
            return AdapterOutcome::Broken(format!("with explanation {found}, without {short}"));
        }
        AdapterOutcome::Answer(AdapterAnswer {
            allowed: found.is_allowed(),
            line: Some(found.line()),
            reason: Some(found.reason().name().to_owned()),
        })
    }
}

/// Whether a policy explains a verdict in the same way as the robots.txt.
///
/// # Errors
///
/// The difference.
pub fn explains_alike(found: &Verdict<'_>, verdict: &Verdict<'_>) -> Result<(), String> {
    let rule = found.rule().map(|rule| (rule.kind(), rule.pattern(), rule.position(), rule.span()));
    let expected =
        verdict.rule().map(|rule| (rule.kind(), rule.pattern(), rule.position(), rule.span()));
    let (group, wanted) = (found.group_line(), verdict.group_line());
    if rule != expected || group != wanted {
        return Err(format!("expected {expected:?} of {verdict}, but found {rule:?}, {group:?}"));
    }
    // A policy does not store which user-agent line starts a group.
    let mut expected = verdict.to_string();
    if let Some(agent) = verdict.group().and_then(|group| group.joined_by()) {
        let joined = format!(", joined by line {})", agent.position().line);
        expected = expected.strip_suffix(&joined).unwrap_or(&expected).to_owned() + ")";
    }
    let found = found.to_string();
    if found != expected {
        return Err(format!("expected `{expected}`, but found `{found}`"));
    }
    Ok(())
}

/// `Dialect::is_allowed`.
#[derive(Clone, Copy, Debug, Default)]
pub struct OneShot;

impl Adapter for OneShot {
    fn name(&self) -> &'static str {
        "one-shot"
    }

    fn answer(&mut self, case: &Case, dialect: Dialect) -> AdapterOutcome {
        let allowed = dialect.is_allowed(&case.robots, &case.crawler.to_crawler(), &case.url);
        AdapterOutcome::Answer(AdapterAnswer { allowed, line: None, reason: None })
    }
}
