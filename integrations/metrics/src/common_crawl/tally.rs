//! Sums over captures.

use std::collections::{BTreeMap, BTreeSet};

use super::{CaptureStatistics, RulesetClass};
use crate::fetched::Fetched;
use crate::table::{Kind, Table, Value};

/// Sums over captures, one for each host.
#[derive(Clone, Debug, Default)]
pub(crate) struct Captures {
    hosts: u64,
    /// By the class of [`status_class`].
    classes: BTreeMap<&'static str, u64>,
    /// Lines and files by directive, also `(comment line)` and so on.
    directives: BTreeMap<&'static str, [u64; 2]>,
    unknown: BTreeMap<String, [u64; 2]>,
    /// Hosts by agent in lower case, then by class of its rule set.
    agents: BTreeMap<String, [u64; 4]>,
}

impl Captures {
    /// Adds a host; `None` if there is no capture.
    pub(crate) fn add(&mut self, capture: Option<(&Fetched<'_>, &CaptureStatistics)>) {
        self.hosts += 1;
        let class = capture.map_or(NO_CAPTURE, |(fetched, counts)| status_class(fetched, counts));
        *self.classes.entry(class).or_default() += 1;
        let Some((_, counts)) = capture else { return };
        let lines = [
            ("(bom stripped)", u64::from(counts.bom_stripped)),
            ("(comment line)", counts.comment_lines),
            ("(empty line)", counts.empty_lines),
            ("(unknown directive)", counts.unknown_directives.values().sum()),
            ("(unknown line)", counts.unknown_lines),
        ];
        let known = CaptureStatistics::DIRECTIVES.map(|name| (name, counts.count_of(name)));
        for (name, count) in lines.into_iter().chain(known).filter(|(_, count)| *count > 0) {
            let [sum, files] = self.directives.entry(name).or_default();
            (*sum, *files) = (*sum + count, *files + 1);
        }
        for (name, count) in &counts.unknown_directives {
            let [sum, files] = self.unknown.entry(name.clone()).or_default();
            (*sum, *files) = (*sum + count, *files + 1);
        }
        let agents: BTreeSet<(String, RulesetClass)> =
            counts.rulesets.iter().map(|(name, it)| (name.to_lowercase(), it.class())).collect();
        let mut last = None;
        for (name, class) in agents {
            let is_new = last.as_ref() != Some(&name);
            last = Some(name.clone());
            let sums = self.agents.entry(name).or_default();
            // Spellings of a name are one agent, with the classes of all of them.
            sums[0] += u64::from(is_new);
            sums[1 + class as usize] += 1;
        }
    }

    pub(crate) fn merge(&mut self, other: Self) {
        self.hosts += other.hosts;
        for (class, count) in other.classes {
            *self.classes.entry(class).or_default() += count;
        }
        sum(&mut self.directives, other.directives);
        sum(&mut self.unknown, other.unknown);
        sum(&mut self.agents, other.agents);
    }

    pub(crate) fn tables(&self) -> Vec<Table> {
        vec![
            self.status_counts(),
            self.directive_counts(),
            self.unknown_counts(),
            self.agent_counts(),
        ]
    }

    fn status_counts(&self) -> Table {
        let row = |class: &&'static str| {
            let count = self.classes.get(class).copied().unwrap_or_default();
            vec![(*class).into(), count.into(), Value::share(count, self.hosts)]
        };
        Table {
            name: "robotstxt_status_counts",
            columns: &[("status", Kind::Text), ("hosts", Kind::Count), ("share", Kind::Share)],
            rows: STATUS_CLASSES.iter().map(row).collect(),
        }
    }

    fn directive_counts(&self) -> Table {
        let rows = by_frequency(&self.directives).into_iter();
        let row = |(name, [count, files]): (&&str, &[u64; 2])| {
            vec![(*name).into(), (*count).into(), (*files).into()]
        };
        Table { name: "directive_counts", columns: COUNTS, rows: rows.map(row).collect() }
    }

    fn unknown_counts(&self) -> Table {
        let rows = by_frequency(&self.unknown).into_iter();
        let row = |(name, [count, files]): (&String, &[u64; 2])| {
            vec![name.as_str().into(), (*count).into(), (*files).into()]
        };
        Table { name: "unknown_directives", columns: COUNTS, rows: rows.map(row).collect() }
    }

    fn agent_counts(&self) -> Table {
        let row = |(name, sums): (&String, &[u64; 4])| {
            let percent = match Value::share(sums[0], self.hosts) {
                Value::Share(share) => Value::Share(100.0 * share),
                other => other,
            };
            let mut row = vec![name.as_str().into(), sums[0].into(), percent];
            row.extend(sums[1..].iter().map(|count| Value::Count(*count)));
            row
        };
        Table {
            name: "robotstxt_user_agents",
            columns: &[
                ("useragent", Kind::Text),
                ("cnt", Kind::Count),
                ("%", Kind::Share),
                ("disallow-all", Kind::Count),
                ("allow-all", Kind::Count),
                ("allow-part", Kind::Count),
            ],
            rows: by_frequency(&self.agents).into_iter().map(row).collect(),
        }
    }
}

/// The published class of a capture by its status, then by its content.
fn status_class(fetched: &Fetched<'_>, counts: &CaptureStatistics) -> &'static str {
    match fetched.status {
        Some(403) => "HTTP forbidden",
        Some(429 | 500..=599) => "HTTP defer visits",
        Some(300..=399) => "HTTP redirect not resolved",
        Some(200) | None if !has_text_type(fetched) => "MIME not a robots.txt",
        Some(200) | None if counts.rulesets.is_empty() => "Robots.txt no rules",
        Some(200) | None => "Robots.txt with rules",
        Some(_) => "HTTP allow all",
    }
}

/// Whether the media type may be that of a robots.txt. More types may than are counted.
fn has_text_type(fetched: &Fetched<'_>) -> bool {
    if let Some(detected) = fetched.detected_type.filter(|it| !it.is_empty()) {
        let is_text = detected.starts_with("text/") && detected != "text/html";
        return is_text || matches!(detected, "message/rfc822" | "plain/text");
    }
    let header = fetched.content_type.unwrap_or_default().to_ascii_lowercase();
    let mut after = header.split("text").skip(1);
    header.is_empty() || after.any(|after| !after.starts_with("/html"))
}

fn sum<K: Ord, const N: usize>(sums: &mut BTreeMap<K, [u64; N]>, more: BTreeMap<K, [u64; N]>) {
    for (key, counts) in more {
        let sums = sums.entry(key).or_insert([0; N]);
        for (sum, count) in sums.iter_mut().zip(counts) {
            *sum += count;
        }
    }
}

fn by_frequency<K, const N: usize>(sums: &BTreeMap<K, [u64; N]>) -> Vec<(&K, &[u64; N])> {
    let mut rows: Vec<_> = sums.iter().collect();
    rows.sort_by_key(|(_, counts)| std::cmp::Reverse(counts[0]));
    rows
}

const COUNTS: &[(&str, Kind)] =
    &[("directive", Kind::Text), ("cnt", Kind::Count), ("files", Kind::Count)];

const NO_CAPTURE: &str = "No robots.txt capture";

/// The published columns of status counts, in their order.
const STATUS_CLASSES: [&str; 8] = [
    NO_CAPTURE,
    "HTTP forbidden",
    "HTTP defer visits",
    "HTTP allow all",
    "HTTP redirect not resolved",
    "MIME not a robots.txt",
    "Robots.txt no rules",
    "Robots.txt with rules",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(files: &[Option<(u16, &str)>]) -> Captures {
        let mut captures = Captures::default();
        for file in files {
            let fetched = file.map(|(status, text)| {
                let body = text.as_bytes();
                Fetched { body, status: Some(status), ..Fetched::default() }
            });
            let counts = fetched.map(|fetched| CaptureStatistics::of(&fetched).unwrap());
            captures.add(fetched.as_ref().zip(counts.as_ref()));
        }
        captures
    }

    const FILES: [Option<(u16, &str)>; 10] = [
        None,
        Some((200, "User-agent: A\nDisallow: /\n\nUser-agent: a\nAllow: /\n")),
        Some((200, "Sitemap: /s\nfoo: x\n")),
        Some((200, "<html>")),
        Some((403, "")),
        Some((404, "")),
        Some((401, "")),
        Some((429, "")),
        Some((503, "")),
        Some((301, "")),
    ];

    #[test]
    fn statuses_have_the_published_classes() {
        let table = tally(&FILES).tables().swap_remove(0);
        let counts: Vec<_> = table.rows.iter().map(|row| row[1].clone()).collect();
        assert_eq!(counts, [1, 1, 2, 2, 1, 0, 2, 1].map(Value::Count));
        assert_eq!(table.rows[7][2], Value::Share(0.1));
    }

    #[test]
    fn more_media_types_may_be_a_robots_txt_than_are_counted() {
        let cases = [
            ("", true),
            ("text/plain", true),
            ("TEXT/css", true),
            ("text/html; charset=utf-8", false),
            ("text/html, text/plain", true),
            ("application/json", false),
        ];
        for (header, expected) in cases {
            let content_type = Some(header);
            let fetched = Fetched { content_type, ..Fetched::default() };
            assert_eq!(has_text_type(&fetched), expected, "{header}");
            let detected_type = Some("application/xhtml+xml");
            assert!(!has_text_type(&Fetched { detected_type, ..fetched }));
        }
    }

    #[test]
    fn spellings_of_an_agent_are_one_host_and_all_their_classes() {
        let table = tally(&FILES).tables().swap_remove(3);
        assert_eq!(
            table.to_json_lines(),
            "{\"useragent\":\"a\",\"cnt\":1,\"%\":10,\"disallow-all\":1,\"allow-all\":1,\"allow-part\":0}\n"
        );
    }

    #[test]
    fn merged_tallies_are_the_tally_of_all_files() {
        let mut merged = tally(&FILES[4..]);
        merged.merge(tally(&FILES[..4]));
        assert_eq!(merged.tables(), tally(&FILES).tables());
    }
}
