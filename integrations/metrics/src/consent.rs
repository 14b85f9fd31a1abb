//! How much of a site each agent may use: all, some or nothing, as in studies of consent.
//!
//! # Scope
//!
//! Two answers for each agent that a file names. One is [published](published): that of the Data
//! Provenance Initiative's script, from the text of the rules. The other is the engine's, for all URLs
//! of the site. They differ, for instance, on `Disallow: /*` (some, all), on `Disallow: /` with an
//! `Allow` that has no effect (some, all), and on rules with `?` only (none, some).
//!
//! # References
//!
//! S. Longpre et al., *Consent in Crisis* (2024), <https://arxiv.org/abs/2407.14933>;
//! `src/web_analysis/parse_robots.py` of
//! <https://github.com/Data-Provenance-Initiative/Data-Provenance-Collection>.

mod published;
mod tally;

use std::collections::BTreeMap;

use verger::{Dialect, Robots};
use verger_analysis::{Budget, unnamed_crawler};

use crate::access::Accesses;
use crate::fetched::TooLarge;
pub(crate) use tally::Consents;

/// The share of a site that an agent must not use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(clippy::exhaustive_enums, reason = "the classes are published")]
pub enum Restriction {
    /// Nothing is disallowed.
    None,
    /// Something is disallowed.
    Some,
    /// Everything is disallowed.
    All,
}

impl Restriction {
    /// The published name: `all`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Some => "some",
            Self::All => "all",
        }
    }

    /// The restriction of all agents together: all, if everything is disallowed for each of them, and
    /// some, if anything is for one.
    fn of_all(agents: impl IntoIterator<Item = Self>) -> Self {
        let (mut least, mut most) = (Self::All, Self::None);
        for agent in agents {
            (least, most) = (agent.min(least), agent.max(most));
        }
        match (least, most) {
            (Self::All, _) => Self::All,
            (_, Self::None) => Self::None,
            _ => Self::Some,
        }
    }
}

/// The restrictions of one file.
///
/// # Examples
///
/// ```
/// use verger::Dialect;
/// use verger_metrics::{Consent, Restriction};
///
/// let text = b"User-agent: GPTBot\nDisallow: /*\n\nUser-agent: *\nDisallow: /cart\n";
/// let consent = Consent::of(text, Dialect::RFC9309)?;
/// let gptbot = consent.agents["GPTBot"];
/// assert_eq!(gptbot.published, Restriction::Some);
/// assert_eq!(gptbot.verger, Some(Restriction::All));
/// assert_eq!(consent.star.verger, Some(Restriction::Some));
/// assert_eq!(consent.all_agents.verger, Some(Restriction::Some));
/// # Ok::<(), verger_metrics::TooLarge>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Consent {
    /// The agents that the file names, except `*`, in the spelling of their first user-agent line.
    pub agents: BTreeMap<String, Restrictions>,
    /// Those of an agent that the file does not name.
    pub star: Restrictions,
    /// Whether the file names `*`.
    pub names_star: bool,
    /// `*All Agents*`: those of all agents together, with the ones that the file does not name.
    pub all_agents: Restrictions,
}

/// The restrictions of an agent by both readings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Restrictions {
    /// That of the Data Provenance Initiative's script.
    pub published: Restriction,
    /// The engine's, in the requested dialect; `None` if it was not decided.
    pub verger: Option<Restriction>,
}

impl Consent {
    /// The restrictions of a file.
    ///
    /// # Errors
    ///
    /// If the rules of all agents exceed [`limits::FILE_BYTES`](crate::limits::FILE_BYTES).
    ///
    /// # Complexity
    ///
    /// An analysis for each distinct set of groups that agents obey, of at most
    /// [`limits::CRAWLERS`](crate::limits::CRAWLERS) agents.
    pub fn of(body: &[u8], dialect: Dialect) -> Result<Self, TooLarge> {
        let text = String::from_utf8_lossy(body);
        let published = published::File::of(&text)?;
        let robots: Robots = dialect.parse(body);
        let (mut accesses, mut budget) = (Accesses::of(&robots), Budget::default());
        let unnamed = unnamed_crawler(&[&robots]);
        let star = Restrictions {
            published: published.star(),
            verger: accesses.of_crawler(&unnamed, &mut budget),
        };
        let agents: BTreeMap<String, Restrictions> = published
            .agents()
            .map(|(name, published)| {
                let verger = accesses.of_crawler(name, &mut budget);
                (name.to_owned(), Restrictions { published, verger })
            })
            .collect();
        let each = || agents.values().copied().chain([star]);
        let verger: Option<Vec<Restriction>> = each().map(|it| it.verger).collect();
        let all_agents = Restrictions {
            published: Restriction::of_all(each().map(|it| it.published)),
            verger: verger.map(Restriction::of_all),
        };
        Ok(Self { agents, star, names_star: published.names_star(), all_agents })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn both(text: &str, agent: &str) -> (&'static str, &'static str) {
        let consent = Consent::of(text.as_bytes(), Dialect::RFC9309).unwrap();
        let found = if agent == "*" { consent.star } else { consent.agents[agent] };
        (found.published.name(), found.verger.expect("a small file").name())
    }

    #[test]
    fn the_readings_differ_where_the_text_of_rules_is_not_their_meaning() {
        let cases = [
            ("Disallow: /", ("all", "all")),
            ("Disallow:", ("none", "none")),
            ("Disallow: /a", ("some", "some")),
            ("Disallow: /*", ("some", "all")),
            ("Disallow: /\nAllow: /a", ("some", "some")),
            ("Disallow: /a\nAllow: /a", ("none", "none")),
            ("Disallow: /\nAllow: /", ("none", "none")),
            ("Disallow: /?x", ("none", "some")),
            ("Disallow:\nDisallow:", ("some", "none")),
            ("Allow: /", ("none", "none")),
        ];
        for (rules, expected) in cases {
            let text = format!("User-agent: a\n{rules}\n");
            assert_eq!(both(&text, "a"), expected, "{rules}");
        }
    }

    #[test]
    fn agents_beyond_the_limit_are_undecided() {
        let groups: Vec<_> =
            (0..4_500).map(|it| format!("User-agent: a{it:04}\nDisallow: /{it}\n")).collect();
        let consent = Consent::of(groups.concat().as_bytes(), Dialect::RFC9309).unwrap();
        let decided = consent.agents.values().filter(|it| it.verger.is_some()).count();
        // One of the limit is the agent that the file does not name.
        assert_eq!((decided, consent.agents.len()), (3_999, 4_500));
        assert_eq!(
            (consent.star.verger, consent.all_agents.verger),
            (Some(Restriction::None), None)
        );
        assert_eq!(consent.all_agents.published, Restriction::Some);
    }

    #[test]
    fn all_agents_are_closed_only_if_unnamed_ones_are() {
        let of = |text: &str| Consent::of(text.as_bytes(), Dialect::RFC9309).unwrap().all_agents;
        let all = of("User-agent: a\nDisallow: /\nUser-agent: *\nDisallow: /\n");
        assert_eq!(all.published, Restriction::All);
        assert_eq!(all.verger, Some(Restriction::All));
        let some = of("User-agent: a\nDisallow: /\n");
        assert_eq!((some.published, some.verger), (Restriction::Some, Some(Restriction::Some)));
        assert_eq!(of("").published, Restriction::None);
        assert_eq!(of("User-agent: *\nDisallow: /a").published, Restriction::Some);
    }
}
