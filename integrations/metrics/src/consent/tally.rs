//! Sums over files.

use std::collections::BTreeMap;

use super::{Consent, Restriction, Restrictions};
use crate::table::{Kind, Table, Value};

/// Sums over files, for both readings.
#[derive(Clone, Debug, Default)]
pub(crate) struct Consents {
    star: Agent,
    all: Agent,
    agents: BTreeMap<String, Agent>,
}

#[derive(Clone, Debug, Default)]
struct Agent {
    /// Files that name it.
    observed: u64,
    /// Files by the restriction that it has there.
    own: Sums,
    /// Files that name it, by the restriction of agents that they do not name.
    star: Sums,
}

/// None, some, all as published; none, some, all, undecided by the engine.
type Sums = [u64; 7];

impl Consents {
    pub(crate) fn add(&mut self, consent: &Consent) {
        self.all.observed += 1;
        self.star.observed += u64::from(consent.names_star);
        add(&mut self.all.own, consent.all_agents);
        add(&mut self.star.own, consent.star);
        for (name, restrictions) in &consent.agents {
            let agent = self.agents.entry(name.clone()).or_default();
            agent.observed += 1;
            add(&mut agent.own, *restrictions);
            add(&mut agent.star, consent.star);
        }
    }

    pub(crate) fn merge(&mut self, other: Self) {
        self.star.merge(&other.star);
        self.all.merge(&other.all);
        for (name, agent) in other.agents {
            self.agents.entry(name).or_default().merge(&agent);
        }
    }

    pub(crate) fn tables(&self) -> Vec<Table> {
        vec![self.table("consent_published", 0), self.table("consent_verger", 3)]
    }

    /// The sums of a reading, which begin at an index.
    fn table(&self, name: &'static str, reading: usize) -> Table {
        let row = |name: &str, observed: u64, sums: &Sums| {
            let mut row = vec![name.into(), observed.into()];
            let of = |class: Restriction| Value::Count(sums[reading + class as usize]);
            row.extend([Restriction::All, Restriction::Some, Restriction::None].map(of));
            if reading > 0 {
                row.push(Value::Count(sums[6]));
            }
            row
        };
        let mut agents: Vec<_> = self.agents.iter().collect();
        agents.sort_by_key(|(_, agent)| std::cmp::Reverse(agent.observed));
        let mut rows = vec![
            row("*All Agents*", self.all.observed, &self.all.own),
            row("*", self.star.observed, &self.star.own),
        ];
        rows.extend(agents.into_iter().map(|(name, agent)| {
            // A file that does not name the agent has the rules of `*` for it.
            let mut sums = agent.own;
            for (at, sum) in sums.iter_mut().enumerate() {
                *sum += self.star.own[at] - agent.star[at];
            }
            row(name, agent.observed, &sums)
        }));
        Table { name, columns: if reading > 0 { COLUMNS } else { &COLUMNS[..5] }, rows }
    }
}

impl Agent {
    fn merge(&mut self, other: &Self) {
        self.observed += other.observed;
        for at in 0..self.own.len() {
            self.own[at] += other.own[at];
            self.star[at] += other.star[at];
        }
    }
}

fn add(sums: &mut Sums, restrictions: Restrictions) {
    sums[restrictions.published as usize] += 1;
    sums[restrictions.verger.map_or(6, |class| 3 + class as usize)] += 1;
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
    use verger::Dialect;

    const FILES: [&str; 4] = [
        "User-agent: a\nDisallow: /\n",
        "User-agent: *\nDisallow: /\n",
        "User-agent: *\nDisallow: /x\nUser-agent: b\nAllow: /\n",
        "",
    ];

    fn tally(files: &[&str]) -> Consents {
        let mut consents = Consents::default();
        for file in files {
            consents.add(&Consent::of(file.as_bytes(), Dialect::RFC9309).unwrap());
        }
        consents
    }

    #[test]
    fn an_unnamed_agent_has_the_restriction_of_the_star() {
        let lines = tally(&FILES).tables()[0].to_json_lines();
        let expected = [
            "{\"agent\":\"*All Agents*\",\"observed\":4,\"all\":1,\"some\":2,\"none\":1}",
            "{\"agent\":\"*\",\"observed\":2,\"all\":1,\"some\":1,\"none\":2}",
            "{\"agent\":\"a\",\"observed\":1,\"all\":2,\"some\":1,\"none\":1}",
            "{\"agent\":\"b\",\"observed\":1,\"all\":1,\"some\":0,\"none\":3}",
        ];
        assert_eq!(lines.lines().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn merged_tallies_are_the_tally_of_all_files() {
        let mut merged = tally(&FILES[2..]);
        merged.merge(tally(&FILES[..2]));
        assert_eq!(merged.tables(), tally(&FILES).tables());
    }
}
