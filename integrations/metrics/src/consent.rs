//! The share of a site that each named agent must not use, as in studies of consent.
//!
//! # References
//!
//! The classes are those of S. Longpre et al., *Consent in Crisis* (2024),
//! <https://arxiv.org/abs/2407.14933>, decided by the engine for all URLs of a site.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use verger::Dialect;
use verger_analysis::{Budget, unnamed_crawler};

use crate::access::{Accesses, Restriction};
use crate::table::{self, Kind, Table};

/// The restrictions of one file; `None` if one was not decided.
///
/// # Examples
///
/// ```
/// use verger::Dialect;
/// use verger_metrics::{Consent, Restriction};
///
/// let text = b"User-agent: GPTBot\nDisallow: /*\n\nUser-agent: *\nDisallow: /cart\n";
/// let consent = Consent::of(text, Dialect::RFC9309);
/// assert_eq!(consent.agents["GPTBot"], Some(Restriction::All));
/// assert_eq!(consent.star, Some(Restriction::Some));
/// assert_eq!(consent.all_agents, Some(Restriction::Some));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Consent {
    /// The agents that the file names, except `*`, in the spelling of their first user-agent line.
    pub agents: BTreeMap<String, Option<Restriction>>,
    /// That of an agent that the file does not name.
    pub star: Option<Restriction>,
    /// Whether the file names `*`.
    pub names_star: bool,
    /// That of all agents together, with the ones that the file does not name: all, if everything
    /// is disallowed for each of them, and some, if anything is for one.
    pub all_agents: Option<Restriction>,
}

impl Consent {
    /// The restrictions of a file.
    ///
    /// # Complexity
    ///
    /// An analysis for each distinct set of groups that agents obey, of at most
    /// [`limits::CRAWLERS`](crate::limits::CRAWLERS) agents.
    pub fn of(body: &[u8], dialect: Dialect) -> Self {
        let robots = dialect.parse(body);
        Self::of_agents(&mut Accesses::of(&robots), &mut Budget::default())
    }

    fn of_agents(accesses: &mut Accesses<'_>, budget: &mut Budget) -> Self {
        let star = of_others(accesses, budget);
        let robots = accesses.robots;
        let (mut agents, mut seen, mut names_star) = (BTreeMap::new(), BTreeSet::new(), false);
        for agent in robots.groups().flat_map(|group| group.agents()) {
            let name = String::from_utf8_lossy(agent.name());
            if agent.is_star() {
                names_star = true;
            } else if !name.is_empty() && seen.insert(name.to_ascii_lowercase()) {
                agents.insert(name.to_string(), accesses.of_crawler(&*name, budget));
            }
        }
        let all: Option<BTreeSet<_>> = agents.values().copied().chain([star]).collect();
        let all_agents = all.and_then(|all| match all.len() {
            1 => all.first().copied(),
            _ => Some(Restriction::Some),
        });
        Self { agents, star, names_star, all_agents }
    }

    /// Whether everything is disallowed for every agent, named or not; `None` if that was not
    /// decided.
    pub(crate) fn closes_site(accesses: &mut Accesses<'_>, budget: &mut Budget) -> Option<bool> {
        let is_open = |it: &Option<Restriction>| it.is_some_and(|it| it != Restriction::All);
        // Most files are open to agents that they do not name: the others need no analysis.
        let star = of_others(accesses, budget);
        if is_open(&star) {
            return Some(false);
        }
        let agents = Self::of_agents(accesses, budget).agents;
        if agents.values().any(is_open) {
            return Some(false);
        }
        agents.values().chain([&star]).all(Option::is_some).then_some(true)
    }
}

/// The restriction of agents that the file does not name.
fn of_others(accesses: &mut Accesses<'_>, budget: &mut Budget) -> Option<Restriction> {
    accesses.of_crawler(&unnamed_crawler(&[accesses.robots]), budget)
}

/// Sums over files.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Consents {
    star: Agent,
    all: Agent,
    agents: BTreeMap<String, Agent>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Agent {
    /// Files that name it.
    observed: u64,
    /// Files by the restriction that it has there.
    own: Sums,
    /// Files that name it, by the restriction of agents that they do not name.
    star: Sums,
}

/// None, some, all, undecided.
type Sums = [u64; 4];

impl Consents {
    pub(crate) fn add(&mut self, consent: &Consent) {
        self.all.observed += 1;
        self.star.observed += u64::from(consent.names_star);
        add(&mut self.all.own, consent.all_agents);
        add(&mut self.star.own, consent.star);
        for (name, restriction) in &consent.agents {
            let agent = self.agents.entry(name.clone()).or_default();
            agent.observed += 1;
            add(&mut agent.own, *restriction);
            add(&mut agent.star, consent.star);
        }
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        self.all.merge(&other.all);
        self.star.merge(&other.star);
        for (name, agent) in &other.agents {
            self.agents.entry(name.clone()).or_default().merge(agent);
        }
    }

    pub(crate) fn tables(&self) -> Vec<Table> {
        let row = |name: &str, observed: u64, [none, some, all, undecided]: Sums| {
            let counts = [observed, all, some, none, undecided];
            [name.into()].into_iter().chain(counts.map(Into::into)).collect()
        };
        let mut agents: Vec<_> = self.agents.iter().collect();
        agents.sort_by_key(|(_, agent)| Reverse(agent.observed));
        let mut rows = vec![
            row("*All Agents*", self.all.observed, self.all.own),
            row("*", self.star.observed, self.star.own),
        ];
        rows.extend(agents.into_iter().map(|(name, agent)| {
            // A file that does not name the agent has the rules of `*` for it.
            let mut sums = agent.own;
            for (at, sum) in sums.iter_mut().enumerate() {
                *sum += self.star.own[at] - agent.star[at];
            }
            row(name, agent.observed, sums)
        }));
        vec![Table { name: "consent", columns: COLUMNS, rows }]
    }
}

impl Agent {
    fn merge(&mut self, other: &Self) {
        self.observed += other.observed;
        table::add(&mut self.own, &other.own);
        table::add(&mut self.star, &other.star);
    }
}

fn add(sums: &mut Sums, restriction: Option<Restriction>) {
    sums[restriction.map_or(3, |it| it as usize)] += 1;
}

const COLUMNS: &[(&str, Kind)] = &[
    ("agent", Kind::Text),
    ("observed", Kind::Count),
    ("all", Kind::Count),
    ("some", Kind::Count),
    ("none", Kind::Count),
    ("undecided", Kind::Count),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn consent(text: &str) -> Consent {
        Consent::of(text.as_bytes(), Dialect::RFC9309)
    }

    #[test]
    fn a_restriction_is_the_meaning_of_the_rules() {
        use Restriction::{All, None, Some};
        let cases = [
            ("Disallow: /", All),
            ("Disallow:", None),
            ("Disallow: /a", Some),
            ("Disallow: /*", All),
            ("Disallow: /\nAllow: /a", Some),
            ("Disallow: /a\nAllow: /a", None),
            ("Disallow: /\nAllow: /", None),
            ("Disallow: /?x", Some),
            ("Allow: /", None),
        ];
        for (rules, expected) in cases {
            let found = consent(&format!("User-agent: a\n{rules}\n")).agents["a"];
            assert_eq!(found, Option::Some(expected), "{rules}");
        }
    }

    #[test]
    fn spellings_are_one_agent_with_the_first_name() {
        let found = consent("User-agent: A/1.0\nUser-agent: *\nDisallow: /\nuser-agent: a\n");
        assert!(found.agents.keys().eq(["A"]) && found.names_star, "{found:?}");
    }

    #[test]
    fn agents_beyond_the_limit_are_undecided() {
        let groups: Vec<_> =
            (0..4_500).map(|it| format!("User-agent: a-{it:04}\nDisallow: /{it}\n")).collect();
        let consent = consent(&groups.concat());
        let decided = consent.agents.values().flatten().count();
        // One of the limit is the agent that the file does not name.
        assert_eq!((decided, consent.agents.len()), (3_999, 4_500));
        assert_eq!((consent.star, consent.all_agents), (Some(Restriction::None), None));
    }

    #[test]
    fn all_agents_are_closed_only_if_unnamed_ones_are() {
        for (text, expected) in [
            ("User-agent: a\nDisallow: /\nUser-agent: *\nDisallow: /\n", Restriction::All),
            ("User-agent: a\nDisallow: /\n", Restriction::Some),
            ("", Restriction::None),
            ("User-agent: *\nDisallow: /a", Restriction::Some),
        ] {
            assert_eq!(consent(text).all_agents, Some(expected), "{text}");
        }
    }

    const FILES: [&str; 4] = [
        "User-agent: a\nDisallow: /\n",
        "User-agent: *\nDisallow: /\n",
        "User-agent: *\nDisallow: /x\nUser-agent: b\nAllow: /\n",
        "",
    ];

    fn tally(files: &[&str]) -> Consents {
        let mut consents = Consents::default();
        for file in files {
            consents.add(&consent(file));
        }
        consents
    }

    #[test]
    fn an_unnamed_agent_has_the_restriction_of_the_star() {
        let lines = tally(&FILES).tables()[0].to_json_lines();
        let expected = [
            ("*All Agents*", [4, 1, 2, 1]),
            ("*", [2, 1, 1, 2]),
            ("a", [1, 2, 1, 1]),
            ("b", [1, 1, 0, 3]),
        ]
        .map(|(agent, [observed, all, some, none])| {
            format!(
                "{{\"agent\":\"{agent}\",\"observed\":{observed},\"all\":{all},\"some\":{some},\
                 \"none\":{none},\"undecided\":0}}"
            )
        });
        assert_eq!(lines.lines().collect::<Vec<_>>(), expected);
    }
}
