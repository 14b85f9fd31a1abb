//! HTTP Archive's custom metric `robots_txt`.
//!
//! # Flow
//!
//! The body is decoded and loses its comments, [as in JavaScript](text); lines become records by a
//! pattern that ignores RFC 9309: a line whose first octet is white space is no record.
//!
//! # Scope
//!
//! Two names are lost in the original, because objects of JavaScript inherit properties with these
//! names: `constructor` and `__proto__`. Here they are counted like others.
//!
//! # References
//!
//! `dist/robots_txt.js` of <https://github.com/HTTPArchive/custom-metrics>.

mod text;

use std::collections::{BTreeMap, HashMap};

use crate::fetched::{Fetched, Memory, TooLarge};
use text::{decode, is_line_end, is_space, without_comments};

/// HTTP Archive's custom metric `robots_txt` of one file.
///
/// # Examples
///
/// ```
/// use verger_metrics::{Fetched, RobotsTxt};
///
/// let body = b"User-agent: GPTBot\nUser-Agent: CCBot\nDisallow: / # everything\nSitemap: /s.xml\n";
/// let metric = RobotsTxt::of(&Fetched { body, status: Some(200), ..Fetched::default() })?;
/// assert_eq!((metric.status, metric.comment_count), (Some(200), 1));
/// assert_eq!(metric.by_type["user_agent"], 2);
/// // Agents are in lower case; sitemaps belong to none.
/// assert_eq!(metric.by_useragent["ccbot"]["disallow"], 1);
/// assert!(!metric.by_useragent["ccbot"].contains_key("sitemap"));
/// # Ok::<(), verger_metrics::TooLarge>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RobotsTxt {
    /// `redirected`.
    pub redirected: Option<bool>,
    /// `status`.
    pub status: Option<u16>,
    /// `content_type`.
    pub content_type: Option<String>,
    /// `size`: UTF-16 code units of the decoded text, without a byte order mark.
    pub size: u64,
    /// `comment_count`.
    pub comment_count: u64,
    /// `record_counts.by_type`: records by key, in lower case, with `_` for `-`. Lines that are no
    /// record are `other`.
    pub by_type: BTreeMap<String, u64>,
    /// `record_counts.by_useragent`: for each agent, in lower case, the records of its groups by key.
    pub by_useragent: BTreeMap<String, BTreeMap<String, u64>>,
}

impl RobotsTxt {
    /// The metric of a response.
    ///
    /// # Errors
    ///
    /// If the counts for each agent exceed [`limits::FILE_BYTES`](crate::limits::FILE_BYTES).
    pub fn of(fetched: &Fetched<'_>) -> Result<Self, TooLarge> {
        let text = decode(fetched.body);
        let size = text.chars().map(|letter| letter.len_utf16() as u64).sum();
        let (kept, comment_count) = without_comments(&text);
        let mut metric = Self {
            redirected: fetched.redirected,
            status: fetched.status,
            content_type: fetched.content_type.filter(|it| !it.is_empty()).map(str::to_owned),
            size,
            comment_count,
            ..Self::default()
        };
        let lowered = kept.trim_matches(is_space).to_lowercase();
        let mut groups = Groups::default();
        for line in lowered.split(['\n', '\r']).filter(|line| !line.is_empty()) {
            let (key, value) = record(line).unwrap_or((OTHER, line));
            let name = key.replace('-', "_");
            groups.add(key, value, &name)?;
            *metric.by_type.entry(name).or_default() += 1;
        }
        metric.by_useragent = groups.finish()?;
        Ok(metric)
    }

    /// `size_kib`.
    #[expect(clippy::cast_precision_loss, reason = "no file has 2^53 octets")]
    pub fn size_kib(&self) -> f64 {
        self.size as f64 / 1024.0
    }

    /// `over_google_limit`: more than 500 KiB.
    pub fn over_google_limit(&self) -> bool {
        self.size > 500 * 1024
    }
}

/// The type of a line that is no record.
const OTHER: &str = "other";

/// Key and value of a record: a key of letters, digits, `_` and `-`, and a colon.
fn record(line: &str) -> Option<(&str, &str)> {
    let is_key =
        |it: char| it.is_ascii_lowercase() || it.is_ascii_digit() || matches!(it, '_' | '-');
    let end = line.find(|it| !is_key(it)).filter(|end| *end > 0)?;
    let value = line[end..].trim_start_matches(is_space).strip_prefix(':')?;
    let value = value.trim_start_matches(is_space);
    // `.` matches no line end, and the pattern must match up to the end.
    (!value.contains(is_line_end)).then(|| (&line[..end], value.trim_end_matches(is_space)))
}

/// Counts for each agent.
struct Groups<'t> {
    numbers: HashMap<&'t str, usize>,
    agents: Vec<(&'t str, BTreeMap<String, u64>)>,
    /// The agents of the group, also twice; each record counts for each of them.
    current: Vec<usize>,
    /// Records of the group by key.
    counts: BTreeMap<String, u64>,
    follows_agent: bool,
    memory: Memory,
}

impl Default for Groups<'_> {
    fn default() -> Self {
        Self {
            numbers: HashMap::new(),
            agents: Vec::new(),
            current: Vec::new(),
            counts: BTreeMap::new(),
            follows_agent: false,
            memory: Memory::of_file(),
        }
    }
}

impl<'t> Groups<'t> {
    fn add(&mut self, key: &str, value: &'t str, name: &str) -> Result<(), TooLarge> {
        let is_agent = key == "user-agent";
        if is_agent {
            if !self.follows_agent {
                self.close()?;
            }
            let next = self.agents.len();
            let number = *self.numbers.entry(value).or_insert(next);
            if number == next {
                self.agents.push((value, BTreeMap::new()));
            }
            self.current.push(number);
        } else if key != "sitemap" {
            *self.counts.entry(name.to_owned()).or_default() += 1;
        }
        self.follows_agent = is_agent;
        Ok(())
    }

    /// Ends a group.
    fn close(&mut self) -> Result<(), TooLarge> {
        let counts = std::mem::take(&mut self.counts);
        for agent in std::mem::take(&mut self.current) {
            for (name, count) in &counts {
                // Also for a count that exists: this bounds the time, too.
                self.memory.take(1, name.len())?;
                *self.agents[agent].1.entry(name.clone()).or_default() += count;
            }
        }
        Ok(())
    }

    fn finish(mut self) -> Result<BTreeMap<String, BTreeMap<String, u64>>, TooLarge> {
        self.close()?;
        Ok(self.agents.into_iter().map(|(agent, counts)| (agent.to_owned(), counts)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn metric(text: &str) -> RobotsTxt {
        RobotsTxt::of(&Fetched::from(text.as_bytes())).unwrap()
    }

    fn types(text: &str) -> Vec<(String, u64)> {
        metric(text).by_type.into_iter().collect()
    }

    #[test]
    fn the_size_is_in_utf_16_units_after_decoding() {
        assert_eq!(metric("é𝄞").size, 3);
        assert_eq!(RobotsTxt::of(&Fetched::from(&b"\xef\xbb\xbfa\xff"[..])).unwrap().size, 2);
        let limit = "a".repeat(500 * 1024);
        assert!(!metric(&limit).over_google_limit());
        assert!(metric(&format!("{limit}a")).over_google_limit());
        assert!((metric("abcdefgh").size_kib() - 8.0 / 1024.0).abs() < 1e-12);
    }

    #[test]
    fn a_line_is_a_record_only_if_its_key_begins_it() {
        let cases = [
            ("Allow: /", "allow"),
            ("a\n Allow: /", "other"),
            ("Allow : /", "allow"),
            ("Allow\u{a0}: /", "allow"),
            ("User agent: *", "other"),
            ("Allow /", "other"),
            (": /", "other"),
            ("other: x", "other"),
            // The Kelvin sign is `k` in lower case.
            ("\u{212a}ey: x", "key"),
            ("User_Agent: x", "user_agent"),
            ("Content-Signal: search=yes", "content_signal"),
            ("clé: x", "other"),
            // `.` does not match a line separator.
            ("allow: /a\u{2028}b", "other"),
            ("allow: \u{2028}b", "allow"),
        ];
        for (text, expected) in cases {
            let found = types(text);
            assert_eq!(found.last().map(|(name, _)| &**name), Some(expected), "{text:?}");
        }
    }

    #[test]
    fn a_group_is_every_agent_of_a_run_and_sitemaps_end_the_run() {
        let text = "Allow: /\nUser-agent: A\nUser-agent: B\nDisallow: /\nSitemap: /s\nUser-agent: c\n\
                    Sitemap: /t\nUser-agent: a\nnonsense\nDisallow: /x\nuser_agent: d\nDisallow: /y\n";
        let found = metric(text).by_useragent;
        let counts = |agent: &str| -> Vec<(&str, u64)> {
            found[agent].iter().map(|(name, count)| (&**name, *count)).collect()
        };
        assert_eq!(counts("a"), [("disallow", 3), ("other", 1), ("user_agent", 1)]);
        assert_eq!(counts("b"), [("disallow", 1)]);
        assert_eq!(counts("c"), []);
        assert_eq!(found.len(), 3);
    }

    #[test]
    fn an_agent_named_twice_in_a_run_counts_twice() {
        let found = metric("User-agent: a\nUser-agent: A\nDisallow: /\n").by_useragent;
        assert_eq!(found["a"]["disallow"], 2);
    }

    #[test]
    fn a_comment_joins_no_lines_and_a_fragment_is_no_comment() {
        let found = metric("User-agent: a # x\nDisallow: /#top\n  # y\nAllow: /\n");
        assert_eq!(found.comment_count, 2);
        assert_eq!(found.by_useragent["a"]["disallow"], 1);
        assert_eq!(found.by_useragent["a"]["allow"], 1);
    }

    #[test]
    fn a_file_with_a_product_of_agents_and_records_is_refused() {
        let agents: Vec<_> = (0..20_000).map(|it| format!("user-agent: {it}\n")).collect();
        let records: Vec<_> = (0..20_000).map(|it| format!("k{it}: x\n")).collect();
        let text = agents.concat() + &records.concat();
        assert_eq!(RobotsTxt::of(&Fetched::from(text.as_bytes())), Err(TooLarge));
    }
}
