//! The requests of logs by crawler.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;

use verger::{Crawler, Policy, Robots, Untrusted};
use verger_analysis::unnamed_crawler;
use verger_json::RuleKeys;
use verger_registry::{Crawler as Known, Registry};

use crate::by_header::ByHeader;
use crate::coverage_report::{CoveredRule, CrawlerCoverage};
use crate::limits::{CRAWLERS_LISTED, TOP_RULES};

/// Counts requests by the crawlers that their User-Agent headers name.
pub(crate) struct ByCrawler<'r> {
    robots: &'r Robots,
    rows: Vec<Row>,
    /// Whether requests are judged, for [`rows`](Self::rows).
    is_judged: bool,
    /// The rows of recent headers.
    by_header: ByHeader<usize>,
}

/// The requests of a crawler.
struct Row {
    /// Without rules.
    found: CrawlerCoverage<'static>,
    /// Shared with the rows of the same policy, which most crawlers have.
    policy: Arc<Policy>,
    /// Whether a group other than those for `*` applies to it.
    has_group: bool,
    /// Numbers of requests by the line of the deciding rule.
    rules: HashMap<usize, u64>,
}

impl<'r> ByCrawler<'r> {
    pub(crate) fn new(robots: &'r Robots, is_judged: bool) -> Self {
        Self { robots, rows: Vec::new(), is_judged, by_header: ByHeader::default() }
    }

    /// Counts a request of the site with its User-Agent header, which is empty if there is none.
    pub(crate) fn add(&mut self, url: &[u8], header: &[u8]) {
        if !self.robots.dialect().reads_url(url) {
            return;
        }
        let at = self.by_header.get(header).unwrap_or_else(|| {
            let at = self.row_of(&String::from_utf8_lossy(header));
            self.by_header.insert(header, at)
        });
        let row = &mut self.rows[at];
        row.found.urls += 1;
        if !self.is_judged {
            return;
        }
        let verdict = row.policy.check(url);
        row.found.disallowed += u64::from(!verdict.is_allowed());
        if let Some(line) = verdict.line() {
            *row.rules.entry(line).or_default() += 1;
        }
    }

    /// The row of a header, perhaps a new one.
    fn row_of(&mut self, header: &str) -> usize {
        let find =
            |rows: &[Row], names: &[String]| rows.iter().position(|it| it.found.names == names);
        let mut of = RequestCrawler::of(header, &[self.robots]);
        let is_full = self.rows.len() >= CRAWLERS_LISTED && find(&self.rows, &of.names).is_none();
        let is_other = of.names.is_empty() || is_full;
        if is_other {
            of.names = header.is_empty().then(String::new).into_iter().collect();
            of.crawler = unnamed_crawler(&[self.robots]);
        }
        find(&self.rows, &of.names).unwrap_or_else(|| {
            let RequestCrawler { names, crawler, known } = of;
            let known = known.filter(|_| !is_other);
            let tokens = if is_other { &[][..] } else { crawler.tokens() };
            let tokens = tokens.iter().map(ToString::to_string).collect();
            let mut agents = self.robots.groups_for(&crawler).filter_map(|group| group.found_by());
            let has_group = agents.any(|agent| !agent.is_star());
            let policy = Arc::new(self.robots.policy(&crawler).without_explanation());
            let same = self.rows.iter().find(|row| row.policy == policy);
            let policy = same.map_or(policy, |row| Arc::clone(&row.policy));
            let note = known.and_then(Known::caveat);
            let found =
                CrawlerCoverage { names, tokens, note, urls: 0, disallowed: 0, rules: Vec::new() };
            self.rows.push(Row { found, policy, has_group, rules: HashMap::new() });
            self.rows.len() - 1
        })
    }

    /// The requests of crawlers that groups name.
    pub(crate) fn own_group(&self) -> u64 {
        self.rows.iter().filter(|row| row.has_group).map(|row| row.found.urls).sum()
    }

    /// All rows: crawlers with the most requests first, then the other requests. None if requests
    /// are not judged.
    pub(crate) fn rows(mut self) -> Vec<CrawlerCoverage<'r>> {
        if !self.is_judged {
            return Vec::new();
        }
        let rules = self.robots.groups().flat_map(|group| group.rules());
        let rules: HashMap<usize, _> = rules.map(|rule| (rule.position().line, rule)).collect();
        let is_other = |names: &[String]| names.iter().all(String::is_empty);
        self.rows.sort_by_cached_key(|Row { found, .. }| {
            (is_other(&found.names), Reverse(found.urls), found.names.clone())
        });
        let rows = self.rows.into_iter().map(|row| {
            let mut counts: Vec<(usize, u64)> = row.rules.into_iter().collect();
            counts.sort_by_key(|&(line, urls)| (Reverse(urls), line));
            let top = counts.into_iter().take(TOP_RULES).filter_map(|(line, urls)| {
                let rule = RuleKeys::of(*rules.get(&line)?);
                Some(CoveredRule { rule, urls, usefulness: None })
            });
            CrawlerCoverage { rules: top.collect(), ..row.found }
        });
        rows.collect()
    }
}

/// The crawler of a request.
pub(crate) struct RequestCrawler {
    /// As in [`CrawlerCoverage`]; empty for browsers and unknown crawlers.
    names: Vec<String>,
    pub(crate) crawler: Crawler,
    /// The known crawler, if the header names nothing else.
    known: Option<&'static Known>,
}

impl RequestCrawler {
    /// The names of known crawlers in a header, and a name that only a group of the files has.
    pub(crate) fn of(header: &str, files: &[&Robots]) -> Self {
        let known: Vec<&Known> = Registry::bundled().identify(header).collect();
        let mut names: Vec<String> = known.iter().map(|it| it.token().to_owned()).collect();
        let read = Crawler::from_user_agent(header).unwrap_or_else(|_| Crawler::new(""));
        let groups = files.iter().flat_map(|robots| robots.groups_for(&read));
        let mut agents = groups.filter_map(|group| group.found_by());
        if let Some(agent) = agents.find(|agent| !agent.is_star()) {
            let name = Untrusted::new(agent.name()).to_string();
            let tokens = known.iter().flat_map(|it| it.tokens().iter().chain(it.aliases()));
            if !tokens.chain(&names).any(|token| token.eq_ignore_ascii_case(&name)) {
                names.insert(0, name);
            }
        }
        // Special rules could allow another product too much, so that is another row.
        let has_others = read.tokens().len() > 1;
        let is_special = |it: &Known| it.rules().ignores_star() || it.rules().ignores_robots();
        if has_others && known.iter().copied().any(is_special) {
            let others = read.tokens().iter().map(ToString::to_string);
            names.extend(others.filter(|it| !known.iter().any(|known| known.token() == it)));
        }
        // One known crawler has its fallbacks; several names are read as in `--agent HEADER`.
        let known = known.first().copied().filter(|_| names.len() == 1 && known.len() == 1);
        let reads_headers = files.iter().any(|robots| robots.dialect().reads_headers);
        let crawler = match known {
            Some(one) => one.rules().clone(),
            None => Registry::bundled().resolve(header, reads_headers).rules.into_owned(),
        };
        Self { names, crawler, known }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crawlers_with_a_group_of_their_own_are_found_by_their_headers() {
        let robots = Robots::parse(
            "User-agent: GPTBot\nUser-agent: Googlebot\nDisallow: /\n\nUser-agent: *\nDisallow:\n",
        );
        for (header, expected) in [
            ("Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)", true),
            // Google's crawlers fall back to the group for Googlebot.
            ("Googlebot-Image/1.0", true),
            ("Mozilla/5.0 (compatible; bingbot/2.0)", false),
            ("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0", false),
            ("", false),
        ] {
            let mut requests = ByCrawler::new(&robots, true);
            for _ in 0..2 {
                requests.add(b"/", header.as_bytes());
            }
            assert_eq!(requests.own_group(), if expected { 2 } else { 0 }, "{header}");
        }
    }

    #[test]
    fn special_rules_of_a_crawler_do_not_hold_for_a_header_with_another_product() {
        let robots = Robots::parse("User-agent: *\nDisallow: /\n");
        for (header, disallowed) in [
            ("AdsBot-Google (+http://www.google.com/adsbot.html)", 0),
            ("MyBot/2.0 (like AdsBot-Google)", 1),
            ("MyBot/1.0 (compatible; Google-Safety)", 1),
        ] {
            let mut requests = ByCrawler::new(&robots, true);
            requests.add(b"/", header.as_bytes());
            let rows = requests.rows();
            assert_eq!((rows.len(), rows[0].disallowed), (1, disallowed), "{header}");
        }
    }

    #[test]
    fn sets_of_names_are_limited() {
        let robots = Robots::parse("User-agent: *\nDisallow: /\n");
        let tokens: Vec<&str> = Registry::bundled().crawlers().iter().map(Known::token).collect();
        let mut requests = ByCrawler::new(&robots, true);
        for first in &tokens {
            for second in tokens.iter().take(20) {
                requests.add(b"/", format!("{first}/1.0 {second}/1.0").as_bytes());
            }
        }
        let rows = requests.rows();
        assert_eq!(rows.len(), CRAWLERS_LISTED + 1);
        let last = rows.last().expect("others");
        assert!(last.names.is_empty() && last.urls > 1, "{last:?}");
        assert_eq!(rows.iter().map(|row| row.urls).sum::<u64>(), 20 * tokens.len() as u64);
    }
}
