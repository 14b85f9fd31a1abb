//! Short constructors for the expected answers of an entry.

use super::check::{AGENT, Answers, Check, ORIGIN, Part};
use super::expect::Expect;
use super::recipe::{Recipe, text};

/// A row of a table: a path and query under [`ORIGIN`], and the answers for [`AGENT`].
pub(super) type Probe = (&'static [u8], Answers);

/// Returns the URL of a path under [`ORIGIN`].
pub(super) fn url(path: impl Into<Recipe>) -> Recipe {
    text(ORIGIN).then(path)
}

/// Returns the claim that the entry, as robots text, gives these answers for [`AGENT`].
pub(super) fn answers(path: impl Into<Recipe>, allowed: Answers) -> Expect {
    answers_as(AGENT, path, allowed)
}

/// Returns the claim that the entry, as robots text, gives these answers for an agent.
pub(super) fn answers_as(
    agent: impl Into<Recipe>,
    path: impl Into<Recipe>,
    allowed: Answers,
) -> Expect {
    Expect::Verdict(Check {
        robots: Part::Entry,
        agent: Part::Given(agent.into()),
        url: Part::Given(url(path)),
        allowed,
    })
}

/// Returns the claim that the entry, as agent, gets these answers from a robots text.
pub(super) fn robots_answers(
    robots: impl Into<Recipe>,
    path: &'static str,
    allowed: Answers,
) -> Expect {
    Expect::Verdict(Check {
        robots: Part::Given(robots.into()),
        agent: Part::Entry,
        url: Part::Given(url(path)),
        allowed,
    })
}

/// Returns the claims of a row of probes.
pub(super) fn probes(probes: &[Probe]) -> Vec<Expect> {
    probes.iter().map(|&(path, allowed)| answers(path, allowed)).collect()
}
