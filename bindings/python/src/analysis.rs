//! Exact answers about all URLs for one crawler. `verger.analysis` gives them a form.

use std::sync::Arc;

use pyo3::prelude::*;
use verger_analysis::{Analysis, Budget, Comparison, DeadCause, PatternState, Undecided};

use crate::group::Rule;
use crate::robots::Robots;
use crate::text::{self, bytes};
use crate::verdict::Verdict;

/// A rule about which a question is undecided, and the reason.
type UndecidedRule = (Rule, String);

#[derive(IntoPyObject)]
pub(crate) struct DeadRule {
    rule: Rule,
    cause: &'static str,
    overridden_by: Vec<Rule>,
}

#[derive(IntoPyObject)]
pub(crate) struct RedundantRule {
    rule: Rule,
    because_of: Vec<Rule>,
    by_default: bool,
}

#[derive(IntoPyObject)]
pub(crate) struct Example {
    url: String,
    is_shortest: bool,
    verdict: Verdict,
}

#[derive(IntoPyObject)]
pub(crate) struct State {
    state: &'static str,
    open: Option<Example>,
    closed: Option<Example>,
    undecided: Option<String>,
}

#[derive(IntoPyObject)]
pub(crate) struct Change {
    direction: &'static str,
    url: String,
    is_shortest: bool,
    before: Verdict,
    after: Verdict,
}

#[derive(IntoPyObject)]
pub(crate) struct Compared {
    result: &'static str,
    changes: Vec<Change>,
    undecided: Option<String>,
}

/// The rules that decide no URL.
#[pyfunction]
pub(crate) fn dead_rules(
    py: Python<'_>,
    robots: &Robots,
    agent: &Bound<'_, PyAny>,
) -> PyResult<(Vec<DeadRule>, Vec<UndecidedRule>)> {
    let agent = robots.agent(agent)?;
    let crawler = agent.as_ref();
    let findings =
        py.detach(|| Analysis::new(&robots.inner, &crawler).dead_rules(&mut Budget::default()));
    let dead = findings.found.into_iter().map(|dead| {
        let (cause, overridden_by) = match dead.cause {
            DeadCause::Empty => ("empty", Vec::new()),
            DeadCause::MatchesNothing => ("matches_nothing", Vec::new()),
            DeadCause::RobotsTxt => ("robots_txt", Vec::new()),
            DeadCause::Overridden(rules) => ("overridden", rules),
            _ => ("other", Vec::new()),
        };
        let overridden_by = overridden_by.into_iter().map(Rule::of).collect();
        DeadRule { rule: Rule::of(dead.rule), cause, overridden_by }
    });
    Ok((dead.collect(), undecided(findings.undecided)))
}

/// The rules that can be removed without a change.
#[pyfunction]
pub(crate) fn redundant_rules(
    py: Python<'_>,
    robots: &Robots,
    agent: &Bound<'_, PyAny>,
) -> PyResult<(Vec<RedundantRule>, Vec<UndecidedRule>)> {
    let agent = robots.agent(agent)?;
    let crawler = agent.as_ref();
    let findings = py
        .detach(|| Analysis::new(&robots.inner, &crawler).redundant_rules(&mut Budget::default()));
    let redundant = findings.found.into_iter().map(|found| RedundantRule {
        rule: Rule::of(found.rule),
        because_of: found.because_of.into_iter().map(Rule::of).collect(),
        by_default: found.by_default,
    });
    Ok((redundant.collect(), undecided(findings.undecided)))
}

/// The answers for all URLs that a pattern matches.
#[pyfunction]
pub(crate) fn pattern_state(
    py: Python<'_>,
    robots: &Robots,
    agent: &Bound<'_, PyAny>,
    pattern: &Bound<'_, PyAny>,
    origin: Option<&str>,
) -> PyResult<State> {
    let (agent, pattern) = (robots.agent(agent)?, bytes("pattern", pattern)?);
    let (crawler, origin) = (agent.as_ref(), origin.map(text::origin).transpose()?);
    let found = py.detach(|| {
        let analysis = Analysis::new(&robots.inner, &crawler);
        let analysis = match &origin {
            Some(origin) => analysis.with_origin(origin),
            None => analysis,
        };
        analysis.pattern_state(&*pattern, &mut Budget::default())
    });
    let example = |example: verger_analysis::Example<'_>| Example {
        url: example.witness.url().to_owned(),
        is_shortest: example.witness.is_shortest(),
        verdict: Verdict::new(&example.verdict, Some(&robots.inner)),
    };
    let (state, open, closed, undecided) = match found {
        PatternState::Open { example: one } => ("open", Some(example(one)), None, None),
        PatternState::Closed { example: one } => ("closed", None, Some(example(one)), None),
        PatternState::Mixed { open, closed } => {
            ("mixed", Some(example(open)), Some(example(closed)), None)
        }
        PatternState::Empty => ("empty", None, None, None),
        PatternState::Undecided(reason) => ("undecided", None, None, Some(reason.to_string())),
        _ => ("undecided", None, None, Some("an unknown state".to_owned())),
    };
    Ok(State { state, open, closed, undecided })
}

#[derive(IntoPyObject)]
pub(crate) struct Coverage {
    allowed: u64,
    disallowed: u64,
    no_rule: u64,
    robots_txt: u64,
    not_urls: u64,
    rules: Vec<(Rule, u64)>,
    unmentioned: Vec<(String, u64)>,
}

/// Numbers of URLs by the rules that decide them.
#[pyfunction]
pub(crate) fn coverage(
    py: Python<'_>,
    robots: &Robots,
    agent: &Bound<'_, PyAny>,
    urls: &Bound<'_, PyAny>,
) -> PyResult<Coverage> {
    let (agent, urls) = (robots.agent(agent)?, text::urls(urls)?);
    let (crawler, urls) = (agent.as_ref(), text::url_octets(&urls)?);
    Ok(py.detach(|| {
        let analysis = Analysis::new(&robots.inner, &crawler);
        let found = analysis.coverage(urls.iter().map(|url| (url, 1)));
        let unmentioned = found.unmentioned_prefixes().into_iter();
        Coverage {
            allowed: found.allowed().urls,
            disallowed: found.disallowed().urls,
            no_rule: found.no_rule().urls,
            robots_txt: found.robots_txt().urls,
            not_urls: found.not_urls().urls,
            rules: found.rules().map(|(rule, count)| (Rule::of(rule), count.urls)).collect(),
            unmentioned: unmentioned.map(|it| (text::shown(&it.prefix), it.count.urls)).collect(),
        }
    }))
}

/// Compares two policies.
#[pyfunction]
pub(crate) fn compare(
    py: Python<'_>,
    before: &Robots,
    after: &Robots,
    agent: &Bound<'_, PyAny>,
    agent_after: &Bound<'_, PyAny>,
    origin: Option<&str>,
) -> PyResult<Compared> {
    let (agent, agent_after) = (before.agent(agent)?, after.agent(agent_after)?);
    let crawlers = [agent.as_ref(), agent_after.as_ref()];
    let origin = origin.map(text::origin).transpose()?;
    let compared = py.detach(|| {
        let analysis = |robots, crawler| {
            let analysis = Analysis::new(robots, crawler);
            match &origin {
                Some(origin) => analysis.with_origin(origin),
                None => analysis,
            }
        };
        let [first, second] = &crawlers;
        let (before, after) = (analysis(&before.inner, first), analysis(&after.inner, second));
        verger_analysis::compare(&before, &after, &mut Budget::default())
    });
    Ok(Compared::of(&compared, &before.inner, &after.inner))
}

impl Compared {
    pub(crate) fn of(
        compared: &Comparison<'_, '_>,
        before: &Arc<verger::Robots>,
        after: &Arc<verger::Robots>,
    ) -> Self {
        let changes = compared.changes.iter().map(|change| Change {
            direction: change.direction().name(),
            url: change.witness().url().to_owned(),
            is_shortest: change.witness().is_shortest(),
            before: Verdict::new(&change.verdict_before(), Some(before)),
            after: Verdict::new(&change.verdict_after(), Some(after)),
        });
        let changes = changes.collect();
        let result = match (compared.is_equal(), compared.changes.is_empty()) {
            (true, _) => "equal",
            (false, false) => "different",
            (false, true) => "undecided",
        };
        Self { result, changes, undecided: compared.incomplete.map(|reason| reason.to_string()) }
    }
}

fn undecided(rules: Vec<(verger::Rule<'_>, Undecided)>) -> Vec<UndecidedRule> {
    rules.into_iter().map(|(rule, reason)| (Rule::of(rule), reason.to_string())).collect()
}
