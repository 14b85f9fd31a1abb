//! The Web Almanac's tables over HTTP Archive's custom metric `robots_txt`.
//!
//! # Scope
//!
//! The tables of 2025 for one client and one rank: keep a tally for each of them. Every file counts as
//! one site.
//!
//! # References
//!
//! `sql/2025/seo` and `sql/2025/generative-ai` of
//! <https://github.com/HTTPArchive/almanac.httparchive.org>.

use std::collections::BTreeMap;

use crate::http_archive::RobotsTxt;
use crate::table::{Kind, Table, Value};

/// Sums for the Almanac's tables.
#[derive(Clone, Debug, Default)]
pub(crate) struct Almanac {
    sites: u64,
    with_status: u64,
    with_200: u64,
    with_rules: u64,
    statuses: BTreeMap<Option<u16>, u64>,
    /// Files with a status by size: empty, up to 100, 200, 300, 400, 500 KiB, larger.
    sizes: [u64; 7],
    agents: BTreeMap<String, Agent>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Agent {
    /// Sites that name it.
    named: u64,
    /// Sites with records for it.
    ruled: u64,
    /// Sites with records for it and status 200.
    ruled_with_200: u64,
}

impl Almanac {
    /// Adds a site; `None` if its robots.txt could not be fetched.
    pub(crate) fn add(&mut self, metric: Option<&RobotsTxt>) {
        self.sites += 1;
        let Some(metric) = metric else {
            *self.statuses.entry(None).or_default() += 1;
            return;
        };
        let is_200 = metric.status == Some(200);
        *self.statuses.entry(metric.status).or_default() += 1;
        if metric.status.is_some() {
            self.with_status += 1;
            let kib = |limit: u64| metric.size <= limit * 1024;
            let bin = [0, 100, 200, 300, 400, 500].into_iter().position(kib);
            self.sizes[bin.unwrap_or(6)] += 1;
        }
        self.with_200 += u64::from(is_200);
        let has_rules = DIRECTIVES.iter().any(|name| metric.by_type.contains_key(*name));
        self.with_rules += u64::from(is_200 && has_rules);
        for (name, counts) in &metric.by_useragent {
            if !self.agents.contains_key(name) {
                self.agents.insert(name.clone(), Agent::default());
            }
            let Some(agent) = self.agents.get_mut(name) else { continue };
            agent.named += 1;
            // The query finds names in the text of a JSON object, where quotes, backslashes and
            // controls are escaped.
            let is_found = !name.is_empty() && !name.contains(is_escaped);
            if is_found && RULES.iter().any(|rule| counts.contains_key(*rule)) {
                agent.ruled += 1;
                agent.ruled_with_200 += u64::from(is_200);
            }
        }
    }

    pub(crate) fn merge(&mut self, other: Self) {
        self.sites += other.sites;
        self.with_status += other.with_status;
        self.with_200 += other.with_200;
        self.with_rules += other.with_rules;
        for (status, count) in other.statuses {
            *self.statuses.entry(status).or_default() += count;
        }
        for (sum, count) in self.sizes.iter_mut().zip(other.sizes) {
            *sum += count;
        }
        for (name, more) in other.agents {
            let agent = self.agents.entry(name).or_default();
            agent.named += more.named;
            agent.ruled += more.ruled;
            agent.ruled_with_200 += more.ruled_with_200;
        }
    }

    pub(crate) fn tables(&self) -> Vec<Table> {
        vec![self.statuses(), self.sizes(), self.usage(), self.with_robots_txt(), self.named()]
    }

    fn statuses(&self) -> Table {
        let mut rows: Vec<_> = self.statuses.iter().collect();
        rows.sort_by(|one, other| other.1.cmp(one.1).then(one.0.cmp(other.0)));
        let rows = rows.into_iter().map(|(status, count)| {
            let status = status.map_or(Value::Null, |status| Value::Text(status.to_string()));
            vec![status, Value::Count(*count), Value::share(*count, self.sites)]
        });
        Table {
            name: "robots_txt_status_codes",
            columns: &[("status_code", Kind::Text), ("total", Kind::Count), ("pct", Kind::Share)],
            rows: rows.collect(),
        }
    }

    fn sizes(&self) -> Table {
        let mut row = vec![Value::Count(self.with_status)];
        row.extend(self.sizes.map(|count| Value::share(count, self.with_status)));
        row.push(Value::Count(self.sizes[6]));
        Table {
            name: "robots_txt_size",
            columns: &[
                ("sites", Kind::Count),
                ("pct_0", Kind::Share),
                ("pct_0_100", Kind::Share),
                ("pct_100_200", Kind::Share),
                ("pct_200_300", Kind::Share),
                ("pct_300_400", Kind::Share),
                ("pct_400_500", Kind::Share),
                ("pct_gt500", Kind::Share),
                ("count_gt500", Kind::Count),
            ],
            rows: vec![row],
        }
    }

    fn usage(&self) -> Table {
        let rows = self.by_frequency(|agent| agent.named).into_iter().map(|(name, agent)| {
            vec![name.into(), agent.named.into(), Value::share(agent.named, self.sites)]
        });
        Table {
            name: "robots_txt_user_agent_usage",
            columns: &[("user_agent", Kind::Text), ("sites", Kind::Count), ("pct", Kind::Share)],
            rows: rows.collect(),
        }
    }

    fn with_robots_txt(&self) -> Table {
        Table {
            name: "sites_with_robots_txt",
            columns: &[
                ("sites", Kind::Count),
                ("sites_with_robots_txt", Kind::Count),
                ("pct_sites_with_robots_txt", Kind::Share),
            ],
            rows: vec![vec![
                self.sites.into(),
                self.with_rules.into(),
                Value::share(self.with_rules, self.sites),
            ]],
        }
    }

    fn named(&self) -> Table {
        let rows = self.by_frequency(|agent| agent.ruled).into_iter().map(|(name, agent)| {
            vec![
                name.into(),
                self.sites.into(),
                self.with_200.into(),
                agent.ruled.into(),
                agent.ruled_with_200.into(),
                Value::share(agent.ruled, self.sites),
                Value::share(agent.ruled_with_200, self.with_200),
            ]
        });
        Table {
            name: "user_agent_named",
            columns: &[
                ("agent", Kind::Text),
                ("total_sites", Kind::Count),
                ("total_sites_200", Kind::Count),
                ("sites_with_agent", Kind::Count),
                ("sites_with_agent_among_200", Kind::Count),
                ("pct_of_all_sites", Kind::Share),
                ("pct_of_sites_with_200", Kind::Share),
            ],
            rows: rows.collect(),
        }
    }

    /// Agents with a count, most frequent first.
    fn by_frequency(&self, count: impl Fn(&Agent) -> u64) -> Vec<(&str, &Agent)> {
        let agents = self.agents.iter().map(|(name, agent)| (&**name, agent));
        let mut agents: Vec<_> = agents.filter(|(_, agent)| count(agent) > 0).collect();
        // Stable: names stay in order.
        agents.sort_by_key(|(_, agent)| std::cmp::Reverse(count(agent)));
        agents
    }
}

fn is_escaped(letter: char) -> bool {
    matches!(letter, '"' | '\\' | '\0'..='\u{1f}')
}

/// Types of records that make a file a robots.txt.
const DIRECTIVES: [&str; 6] =
    ["allow", "disallow", "crawl_delay", "noindex", "sitemap", "user_agent"];

/// Types of records for an agent that count as naming it.
const RULES: [&str; 5] = ["allow", "disallow", "crawl_delay", "noindex", "other"];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fetched::Fetched;

    fn tally(files: &[Option<(&str, Option<u16>)>]) -> Almanac {
        let mut almanac = Almanac::default();
        for file in files {
            let metric = file.map(|(text, status)| {
                let body = text.as_bytes();
                RobotsTxt::of(&Fetched { body, status, ..Fetched::default() }).unwrap()
            });
            almanac.add(metric.as_ref());
        }
        almanac
    }

    fn lines(almanac: &Almanac, name: &str) -> String {
        let tables = almanac.tables();
        tables.iter().find(|table| table.name == name).expect("a table").to_json_lines()
    }

    #[test]
    fn sizes_are_bins_of_sites_with_a_status() {
        let over = "a".repeat(500 * 1024 + 1);
        let even = "a".repeat(100 * 1024);
        let files = [
            Some(("", Some(200))),
            Some(("a", Some(404))),
            Some((&*even, Some(200))),
            Some((&*over, Some(200))),
            Some(("a", None)),
            None,
        ];
        assert_eq!(
            lines(&tally(&files), "robots_txt_size"),
            "{\"sites\":4,\"pct_0\":0.25,\"pct_0_100\":0.5,\"pct_100_200\":0,\"pct_200_300\":0,\
             \"pct_300_400\":0,\"pct_400_500\":0,\"pct_gt500\":0.25,\"count_gt500\":1}\n"
        );
    }

    #[test]
    fn an_agent_without_records_is_used_but_not_named() {
        let text = "User-agent: a\nSitemap: /s\nUser-agent: b\nDisallow: /\n";
        let files = [Some((text, Some(200))), Some(("User-agent: B\nnonsense", Some(404)))];
        let almanac = tally(&files);
        assert_eq!(
            lines(&almanac, "robots_txt_user_agent_usage"),
            "{\"user_agent\":\"b\",\"sites\":2,\"pct\":1}\n\
             {\"user_agent\":\"a\",\"sites\":1,\"pct\":0.5}\n"
        );
        assert_eq!(
            lines(&almanac, "user_agent_named"),
            "{\"agent\":\"b\",\"total_sites\":2,\"total_sites_200\":1,\"sites_with_agent\":2,\
             \"sites_with_agent_among_200\":1,\"pct_of_all_sites\":1,\"pct_of_sites_with_200\":1}\n"
        );
        assert_eq!(
            lines(&almanac, "sites_with_robots_txt"),
            "{\"sites\":2,\"sites_with_robots_txt\":1,\"pct_sites_with_robots_txt\":0.5}\n"
        );
    }

    #[test]
    fn merged_tallies_are_the_tally_of_all_files() {
        let files = [
            Some(("User-agent: a\nAllow: /", Some(200))),
            None,
            Some(("User-agent: a\nUser-agent: b\nAllow: /", Some(503))),
            Some(("", None)),
        ];
        let mut merged = tally(&files[2..]);
        merged.merge(tally(&files[..2]));
        assert_eq!(merged.tables(), tally(&files).tables());
    }
}
