//! Common Crawl's statistics of captures of robots.txt.
//!
//! # Flow
//!
//! Captures that are no text, or whose first line begins an HTML page, are left out. The others are
//! counted [line by line](line), without the encoding or the groups of RFC 9309.
//!
//! # References
//!
//! `src/cc-pyspark/robotstxt_statistics.py`, `src/script/get_robotstxt_ranked_list.py` and
//! `src/jupyter/metrics-top-k-sample.ipynb` of <https://github.com/commoncrawl/robotstxt-experiments>.

mod line;
mod tally;

use std::collections::{BTreeMap, BTreeSet};

use crate::fetched::{Fetched, Memory, TooLarge};
use line::{DIRECTIVES, Line, is_html, text_of};
pub(crate) use tally::Captures;

/// Common Crawl's statistics of one capture.
///
/// # Examples
///
/// ```
/// use verger_metrics::{CaptureOutcome, CaptureStatistics, Fetched, RulesetClass};
///
/// let body = b"# Hello\nUser-agent: *\nDisallow: /\nRequest-rate: 1/5\n";
/// let counts = CaptureStatistics::of(&Fetched { body, status: Some(200), ..Fetched::default() })?;
/// assert_eq!((counts.outcome, counts.lines, counts.directives), (CaptureOutcome::Counted, 4, 2));
/// assert_eq!((counts.comment_lines, counts.unknown_directives["request-rate"]), (1, 1));
/// assert_eq!(counts.values["disallow"]["/"], 1);
/// assert_eq!(counts.rulesets["*"].class(), RulesetClass::DisallowAll);
/// # Ok::<(), verger_metrics::TooLarge>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CaptureStatistics {
    /// Whether the lines were counted; if not, only `bom_stripped` has a value.
    pub outcome: CaptureOutcome,
    /// `(bom stripped)`: whether the file began with a byte order mark of UTF-8.
    pub bom_stripped: bool,
    /// All lines. Only a line feed ends one.
    pub lines: u64,
    /// Lines with one of the eight directives that are counted with their values.
    pub directives: u64,
    /// `(comment line)`.
    pub comment_lines: u64,
    /// `(empty line)`.
    pub empty_lines: u64,
    /// `(unknown line)`: anything else without a key.
    pub unknown_lines: u64,
    /// `(unknown directive)`: lines with another key, in lower case.
    pub unknown_directives: BTreeMap<String, u64>,
    /// For each of the eight directives, its values with their counts.
    pub values: BTreeMap<&'static str, BTreeMap<String, u64>>,
    /// `(ruleset)`: the rules of each agent, as written. Of the later groups for several agents only
    /// the last agent has rules: the script begins a new list at each user-agent line after the first
    /// rule.
    pub rulesets: BTreeMap<String, Ruleset>,
}

/// Whether the lines of a capture were counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum CaptureOutcome {
    /// They were.
    #[default]
    Counted,
    /// The status is not 200. One that was not recorded counts as 200.
    NotHttp200,
    /// The media type is no plain text, or the first line begins an HTML page.
    NotPlainText,
    /// The response has no media type. One that was not recorded counts as text.
    NoContentType,
}

impl CaptureOutcome {
    /// The name in columns: `not_http_200`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Counted => "counted",
            Self::NotHttp200 => "not_http_200",
            Self::NotPlainText => "not_plain_text",
            Self::NoContentType => "no_content_type",
        }
    }
}

/// The rules of one agent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Ruleset {
    /// Values of `Allow`, sorted.
    pub allow: Vec<String>,
    /// Values of `Disallow`, sorted.
    pub disallow: Vec<String>,
}

/// The class of a rule set by its text alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(clippy::exhaustive_enums, reason = "the classes are published")]
pub enum RulesetClass {
    /// Only `Disallow: /`.
    DisallowAll,
    /// Only `Disallow:`, or only `Allow` with `/`, `*`, `/*` or nothing.
    AllowAll,
    /// Anything else.
    AllowPart,
}

impl RulesetClass {
    /// The published name: `disallow-all`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::DisallowAll => "disallow-all",
            Self::AllowAll => "allow-all",
            Self::AllowPart => "allow-part",
        }
    }
}

impl Ruleset {
    /// The class.
    pub fn class(&self) -> RulesetClass {
        let only = |rules: &[String]| match rules {
            [one] => Some(one.clone()),
            _ => None,
        };
        match (&*self.allow, &*self.disallow) {
            ([], rules) if only(rules).as_deref() == Some("/") => RulesetClass::DisallowAll,
            ([], rules) if only(rules).as_deref() == Some("") => RulesetClass::AllowAll,
            (rules, []) if only(rules).is_some_and(|it| ALLOW_ALL.contains(&&*it)) => {
                RulesetClass::AllowAll
            }
            _ => RulesetClass::AllowPart,
        }
    }
}

impl CaptureStatistics {
    /// The statistics of a response.
    ///
    /// # Errors
    ///
    /// If the rules of all agents exceed [`limits::FILE_BYTES`](crate::limits::FILE_BYTES).
    pub fn of(fetched: &Fetched<'_>) -> Result<Self, TooLarge> {
        let mut counts = Self { outcome: outcome(fetched), ..Self::default() };
        if counts.outcome != CaptureOutcome::Counted {
            return Ok(counts);
        }
        let stripped = fetched.body.strip_prefix(b"\xef\xbb\xbf");
        counts.bom_stripped = stripped.is_some();
        let body = stripped.unwrap_or(fetched.body);
        let mut lines = body.split_inclusive(|octet| *octet == b'\n').peekable();
        if lines.peek().is_some_and(|line| is_html(line)) {
            counts.outcome = CaptureOutcome::NotPlainText;
            return Ok(counts);
        }
        let mut groups = Groups::default();
        for line in lines {
            // A mark that is followed by nothing is a first line without octets, which ends the file.
            counts.lines += 1;
            match Line::of(line) {
                Line::Empty => counts.empty_lines += 1,
                Line::Comment => counts.comment_lines += 1,
                Line::Unknown => counts.unknown_lines += 1,
                Line::UnknownDirective(key) => {
                    let key = String::from_utf8_lossy(key).to_ascii_lowercase();
                    *counts.unknown_directives.entry(key).or_default() += 1;
                }
                Line::Directive(name, value) => {
                    let value = text_of(value);
                    counts.directives += 1;
                    groups.add(name, &value)?;
                    *counts.values.entry(name).or_default().entry(value).or_default() += 1;
                }
            }
        }
        counts.rulesets = groups.finish();
        Ok(counts)
    }

    /// The number of lines with a directive, such as `disallow`.
    pub fn count_of(&self, directive: &str) -> u64 {
        self.values.get(directive).map_or(0, |values| values.values().sum())
    }

    /// The eight directives that are counted with their values.
    pub const DIRECTIVES: [&str; 8] = DIRECTIVES;
}

fn outcome(fetched: &Fetched<'_>) -> CaptureOutcome {
    if fetched.status.is_some_and(|status| status != 200) {
        return CaptureOutcome::NotHttp200;
    }
    if let Some(detected) = fetched.detected_type.filter(|it| !it.is_empty()) {
        let is_text = TEXT_TYPES.contains(&detected);
        return if is_text { CaptureOutcome::Counted } else { CaptureOutcome::NotPlainText };
    }
    match fetched.content_type {
        None => CaptureOutcome::Counted,
        Some("") => CaptureOutcome::NoContentType,
        Some(value) => {
            let essence = value.split(';').next().unwrap_or_default().trim().to_lowercase();
            let is_text = TEXT_TYPES.contains(&&*essence);
            if is_text { CaptureOutcome::Counted } else { CaptureOutcome::NotPlainText }
        }
    }
}

/// The rules of each agent.
struct Groups {
    current: BTreeSet<String>,
    has_rules: bool,
    rulesets: BTreeMap<String, Ruleset>,
    memory: Memory,
}

impl Default for Groups {
    fn default() -> Self {
        Self {
            current: BTreeSet::new(),
            has_rules: false,
            rulesets: BTreeMap::new(),
            memory: Memory::of_file(),
        }
    }
}

impl Groups {
    fn add(&mut self, directive: &str, value: &str) -> Result<(), TooLarge> {
        match directive {
            "user-agent" => {
                // As published: this stays true after the first rule of the file.
                if self.has_rules {
                    self.current.clear();
                }
                self.current.insert(value.to_owned());
            }
            "allow" | "disallow" => {
                self.has_rules = true;
                self.memory.take(self.current.len(), value.len())?;
                for agent in &self.current {
                    let ruleset = self.rulesets.entry(agent.clone()).or_default();
                    let rules = if directive == "allow" {
                        &mut ruleset.allow
                    } else {
                        &mut ruleset.disallow
                    };
                    rules.push(value.to_owned());
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn finish(mut self) -> BTreeMap<String, Ruleset> {
        for ruleset in self.rulesets.values_mut() {
            ruleset.allow.sort_unstable();
            ruleset.disallow.sort_unstable();
        }
        self.rulesets
    }
}

/// Media types of plain text, as servers write them.
const TEXT_TYPES: [&str; 9] = [
    "text/x-robots",
    "text/plain",
    "message/rfc822",
    "text/text",
    "text/txt",
    "text",
    "plain/text",
    "text/pain",
    "text/plan",
];

/// Values of a single `Allow` that allow everything.
const ALLOW_ALL: [&str; 4] = ["/", "*", "/*", ""];

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(text: &str) -> CaptureStatistics {
        CaptureStatistics::of(&Fetched::from(text.as_bytes())).unwrap()
    }

    #[test]
    fn only_plain_text_with_status_200_is_counted() {
        use CaptureOutcome::{Counted, NoContentType, NotHttp200, NotPlainText};
        let of = |status, content_type, detected_type, body| {
            let fetched = Fetched { body, status, content_type, detected_type, redirected: None };
            CaptureStatistics::of(&fetched).unwrap().outcome
        };
        let body = &b"Allow: /\n"[..];
        assert_eq!(of(None, None, None, body), Counted);
        assert_eq!(of(Some(404), Some("text/plain"), None, body), NotHttp200);
        assert_eq!(of(Some(200), Some("Text/Plain ; charset=x"), None, body), Counted);
        assert_eq!(of(Some(200), Some("text/html"), None, body), NotPlainText);
        assert_eq!(of(Some(200), Some(""), None, body), NoContentType);
        // A detected type outweighs the header.
        assert_eq!(of(Some(200), Some("text/html"), Some("text/plain"), body), Counted);
        assert_eq!(of(Some(200), Some("text/plain"), Some("text/html"), body), NotPlainText);
        assert_eq!(of(Some(200), None, None, b"\xef\xbb\xbf<!doctype html>"), NotPlainText);
        // Only the first line is looked at.
        assert_eq!(of(Some(200), None, None, b"\n<html>\n"), Counted);
    }

    #[test]
    fn only_a_line_feed_ends_a_line() {
        let found = counts("User-agent: a\rDisallow: /\r\n\r\nfoo");
        assert_eq!((found.lines, found.empty_lines, found.unknown_lines), (3, 1, 1));
        assert_eq!((found.count_of("user-agent"), found.count_of("disallow")), (1, 0));
        assert_eq!(counts("").lines, 0);
        let mark = CaptureStatistics::of(&Fetched::from(&b"\xef\xbb\xbf"[..])).unwrap();
        assert!(mark.bom_stripped && mark.lines == 0);
    }

    #[test]
    fn a_group_for_several_agents_is_only_read_before_the_first_rule() {
        let found = counts(
            "User-agent: a\nUser-agent: b\nDisallow: /x\nUser-agent: c\nUser-agent: d\nDisallow: /y\n\
             Allow: /a\n",
        );
        let names: Vec<_> = found.rulesets.keys().map(String::as_str).collect();
        assert_eq!(names, ["a", "b", "d"]);
        assert_eq!(found.rulesets["d"].disallow, ["/y"]);
        assert_eq!(found.rulesets["d"].allow, ["/a"]);
    }

    #[test]
    fn the_class_of_a_rule_set_is_that_of_its_text() {
        use RulesetClass::{AllowAll, AllowPart, DisallowAll};
        let class =
            |rules: &str| counts(&format!("User-agent: *\n{rules}\n")).rulesets["*"].class();
        let cases = [
            ("Disallow: /", DisallowAll),
            ("Disallow: /*", AllowPart),
            ("Disallow: /\nDisallow: /", AllowPart),
            ("Disallow: /\nAllow: /", AllowPart),
            ("Disallow:", AllowAll),
            ("Allow: /", AllowAll),
            ("Allow: *", AllowAll),
            ("Allow: /*", AllowAll),
            ("Allow:", AllowAll),
            ("Allow: /a", AllowPart),
            ("Disallow: /a", AllowPart),
        ];
        for (rules, expected) in cases {
            assert_eq!(class(rules), expected, "{rules}");
        }
    }

    #[test]
    fn a_file_with_a_product_of_agents_and_rules_is_refused() {
        let agents: Vec<_> = (0..20_000).map(|it| format!("user-agent: {it}\n")).collect();
        let text = agents.concat() + &"disallow: /\n".repeat(20_000);
        assert_eq!(CaptureStatistics::of(&Fetched::from(text.as_bytes())), Err(TooLarge));
    }
}
