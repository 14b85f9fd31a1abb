//! Methods of [`Robots`] that read its records.

use alloc::borrow::Cow;
use alloc::collections::BTreeSet;
use alloc::vec::Vec;
use core::time::Duration;

use super::address::{Host, License, Sitemap};
use super::clean_param::{CleanParam, clean_url};
use super::record::{Record, RecordKind};
use super::signal::{ContentSignal, Signals};
use super::timing::{MinuteOfDay, RequestRate, Window, parse_crawl_delay};
use super::usage::Usage;
use super::value::{InvalidValue, longest, split_path};
use crate::crawler::AsCrawler;
use crate::group::{Grouping, RulePlace};
use crate::parse::{Event, Field};
use crate::robots::Robots;
use crate::span::Span;

/// Records beside the rules. Each method reads the text once, and selects the groups of a crawler
/// once.
impl Robots {
    /// Every record that is neither a user-agent line nor a rule, in file order, including unknown
    /// ones.
    ///
    /// # Complexity
    ///
    /// One pass over the text; nothing is allocated.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::{Robots, extension::RecordKind};
    ///
    /// let robots = Robots::parse("Sitemap: /s.xml\nUser-agent: a\nCrawl-delay: 5\nDisallow: /\n");
    /// let kinds: Vec<_> = robots.records().map(|record| (record.kind(), record.group())).collect();
    /// assert_eq!(kinds, [(RecordKind::Sitemap, None), (RecordKind::CrawlDelay, Some(0))]);
    /// ```
    pub fn records(&self) -> impl Iterator<Item = Record<'_>> {
        let dialect = self.dialect();
        let mut grouping = Grouping::new(&dialect);
        let mut groups = 0_usize;
        // The span of the nearest agent lines, and whether the next line could continue them.
        let (mut agents, mut is_run) = (Span::default(), false);
        self.events().filter_map(move |event| {
            let (kind, field): (_, Field<'_>) = match event {
                Event::Sitemap(field) => (RecordKind::Sitemap, field),
                Event::Other(field) => (RecordKind::of_key(field.key.bytes), field),
                Event::UserAgent(field) => {
                    let opens = grouping.user_agent();
                    groups += usize::from(opens);
                    let value = field.value.span();
                    let start = if is_run && !opens { agents.start } else { value.start };
                    agents = Span { start, end: value.end };
                    is_run = true;
                    return None;
                }
                Event::Rule(..) | Event::OversizedRule(_) => {
                    is_run = false;
                    groups += usize::from(grouping.rule() == RulePlace::NewStarGroup);
                    return None;
                }
                Event::Blank(_) => {
                    grouping.blank();
                    return None;
                }
                Event::Comment(_) => return None,
                Event::Junk(_) => {
                    is_run = false;
                    return None;
                }
            };
            is_run = false;
            let before_agents = !grouping.agents_seen;
            let is_inside = grouping.other(field.key.bytes);
            let group = is_inside.then(|| groups - 1);
            let Field { key, value, .. } = field;
            Some(Record { robots: self, kind, key, value, group, agents, before_agents })
        })
    }

    /// The records that apply to a crawler, in file order: the records of its groups. A rate or a
    /// window applies only if the agent lines directly above it name the crawler
    /// ([`Record::agents`]). Records of the file are not included.
    ///
    /// # Complexity
    ///
    /// As [`records`](Self::records), and one selection of groups.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::Robots;
    ///
    /// let robots = Robots::parse(
    ///     "Sitemap: /s.xml\nUser-agent: a\nCrawl-delay: 5\nUser-agent: b\nCrawl-delay: 9\nAllow: /\n",
    /// );
    /// let values: Vec<_> = robots.records_for("b").map(|record| record.value()).collect();
    /// assert!(values.contains(&&b"9"[..]) && !values.contains(&&b"/s.xml"[..]));
    /// ```
    pub fn records_for<C: AsCrawler + ?Sized>(
        &self,
        crawler: &C,
    ) -> impl Iterator<Item = Record<'_>> + use<'_, C> {
        let addressing = self.outline().addressing(crawler.as_crawler());
        self.records().filter(move |record| {
            let Some(group) = record.group else { return false };
            if record.kind.is_for_file() {
                return false;
            }
            // REP-AMB-4.
            if record.kind.is_for_nearest_agents() {
                let next = addressing.partition_point(|&(_, value)| value < record.agents.start);
                return addressing.get(next).is_some_and(|&(_, value)| value <= record.agents.end);
            }
            let next = addressing.partition_point(|&(of, _)| of < group);
            addressing.get(next).is_some_and(|&(of, _)| of == group)
        })
    }

    /// The requested delay between two fetches: the first valid `Crawl-delay` of the groups that
    /// apply to the crawler (REP-AMB-53). It is not inherited from `*` (REP-AMB-54).
    ///
    /// # Examples
    ///
    /// ```
    /// use core::time::Duration;
    /// use verger::Robots;
    ///
    /// let robots = Robots::parse("User-agent: a\nCrawl-delay: no\nCrawl-delay: 1.5\nDisallow:\n");
    /// assert_eq!(robots.crawl_delay("a"), Some(Duration::from_millis(1_500)));
    /// assert_eq!(robots.crawl_delay("b"), None);
    /// ```
    pub fn crawl_delay<C: AsCrawler + ?Sized>(&self, crawler: &C) -> Option<Duration> {
        values(self.records_for(crawler), RecordKind::CrawlDelay, parse_crawl_delay).next()
    }

    /// The request rates that apply to a crawler, in file order: those of `Request-rate` and
    /// `Max-Crawl-Rate` (REP-EXT-42).
    pub fn request_rates<C: AsCrawler + ?Sized>(&self, crawler: &C) -> Vec<RequestRate> {
        // Without the parsers of all other records, which small programs do not need.
        let rate = |record: Record<'_>| match record.kind() {
            RecordKind::RequestRate => RequestRate::parse(record.value()).ok(),
            RecordKind::MaxCrawlRate => RequestRate::parse_max_crawl(record.value()).ok(),
            _ => None,
        };
        self.records_for(crawler).filter_map(rate).collect()
    }

    /// The strictest request rate that applies to a crawler at a time of the day; `None` outside of
    /// every window (REP-EXT-12).
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::{Robots, extension::MinuteOfDay};
    ///
    /// let robots = Robots::parse("User-agent: a\nRequest-rate: 5/1m\nRequest-rate: 1/10m 1300-1659\n");
    /// let noon = MinuteOfDay::new(12, 0).expect("exists");
    /// let afternoon = MinuteOfDay::new(14, 0).expect("exists");
    /// assert_eq!(robots.request_rate_at("a", noon).expect("a rate").interval().as_secs(), 12);
    /// assert_eq!(robots.request_rate_at("a", afternoon).expect("a rate").interval().as_secs(), 600);
    /// ```
    pub fn request_rate_at<C: AsCrawler + ?Sized>(
        &self,
        crawler: &C,
        time: MinuteOfDay,
    ) -> Option<RequestRate> {
        let rates = self.request_rates(crawler).into_iter().filter(|rate| rate.holds_at(time));
        rates.max_by_key(RequestRate::interval)
    }

    /// The times of the day at which the site permits requests of a crawler, in file order; empty
    /// for any time.
    pub fn visit_times<C: AsCrawler + ?Sized>(&self, crawler: &C) -> Vec<Window> {
        values(self.records_for(crawler), RecordKind::VisitTime, Window::parse).collect()
    }

    /// The sitemaps of the file, in file order, each once. The iterator borrows only from the file.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::Robots;
    ///
    /// fn sitemap_urls(robots: &Robots) -> impl Iterator<Item = &str> {
    ///     robots.sitemaps().filter_map(|sitemap| sitemap.url())
    /// }
    ///
    /// let robots = Robots::parse("Sitemap: https://shop.example/a.xml\nSitemap: /b.xml\n");
    /// assert!(sitemap_urls(&robots).eq(["https://shop.example/a.xml"]));
    /// ```
    pub fn sitemaps(&self) -> impl Iterator<Item = Sitemap<'_>> {
        self.maps(RecordKind::Sitemap)
    }

    /// The values of another kind of record with the form of a sitemap, each once:
    /// [`RecordKind::Agentmap`] or [`RecordKind::Schemamap`] (REP-AMB-63).
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::{Robots, extension::RecordKind};
    ///
    /// let robots = Robots::parse("User-agent: *\nAgentmap: https://shop.example/agents.json\n");
    /// let urls = robots.maps(RecordKind::Agentmap).map(|map| map.url());
    /// assert!(urls.eq([Some("https://shop.example/agents.json")]));
    /// ```
    pub fn maps(&self, kind: RecordKind) -> impl Iterator<Item = Sitemap<'_>> {
        let mut seen = BTreeSet::new();
        values(self.records(), kind, |value| Ok(Sitemap::new(value)))
            .filter(move |map| seen.insert(map.raw()))
    }

    /// The main mirror of the site: the first valid `Host` of the file (REP-EXT-22).
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::Robots;
    ///
    /// let robots = Robots::parse("User-agent: *\nDisallow:\nHost: shop.example\n");
    /// assert_eq!(robots.host().expect("it is named").name, "shop.example");
    /// ```
    pub fn host(&self) -> Option<Host<'_>> {
        values(self.records(), RecordKind::Host, Host::parse).next()
    }

    /// The licences that apply to a crawler: those of its groups, or if these have no licence,
    /// those before the first user-agent line.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::Robots;
    ///
    /// let robots = Robots::parse(
    ///     "License: https://shop.example/all.xml\n\
    ///      User-agent: a\nLicense: https://shop.example/a.xml\nAllow: /\n\
    ///      User-agent: b\nAllow: /\n",
    /// );
    /// assert_eq!(robots.licenses("a")[0].uri, "https://shop.example/a.xml");
    /// assert_eq!(robots.licenses("b")[0].uri, "https://shop.example/all.xml");
    /// ```
    pub fn licenses<C: AsCrawler + ?Sized>(&self, crawler: &C) -> Vec<License<'_>> {
        let of_groups: Vec<_> =
            values(self.records_for(crawler), RecordKind::License, License::parse).collect();
        if !of_groups.is_empty() {
            return of_groups;
        }
        let early = self.records().take_while(Record::is_before_agents);
        values(early, RecordKind::License, License::parse).collect()
    }

    /// The `Clean-param` records of the file, in file order.
    pub(super) fn clean_params(&self) -> Vec<CleanParam<'_>> {
        let records = self.records().filter(|record| record.kind() == RecordKind::CleanParam);
        records.filter_map(|record| record.clean_param().ok()).collect()
    }

    /// A URL without the parameters that the file's `Clean-param` records declare meaningless, so
    /// that URLs of the same page become equal. The rest of the URL is unchanged.
    ///
    /// # Complexity
    ///
    /// One pass over the text, O(path + URL) for each record, and O(name x log N) for each of N
    /// names and parameters.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::Robots;
    ///
    /// let robots = Robots::parse("Clean-param: ref /some_dir/get_book.pl\n");
    /// assert_eq!(
    ///     robots.clean_url("https://shop.example/some_dir/get_book.pl?ref=site_1&book_id=123"),
    ///     "https://shop.example/some_dir/get_book.pl?book_id=123",
    /// );
    /// assert_eq!(robots.clean_url("https://shop.example/?ref=1"), "https://shop.example/?ref=1");
    /// ```
    pub fn clean_url<'u>(&self, url: &'u str) -> Cow<'u, str> {
        clean_url(url, || self.clean_params())
    }

    /// The site's signals about the use of the content at a URL. They are not inherited from `*`.
    ///
    /// The answer does not depend on the rules: the site's signals also concern content that was
    /// obtained in another way, and no document restricts them to allowed URLs (REP-EXT-30), unlike
    /// the draft for [`content_usage`](Self::content_usage).
    ///
    /// No document defines the combination of several lines. As for
    /// [`content_usage`](Self::content_usage), the line with the longest path decides, and lines
    /// with equally long paths are combined.
    ///
    /// # Complexity
    ///
    /// One pass over the text, and O(path + target) for each `Content-Signal` line.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::{Robots, extension::Preference};
    ///
    /// let robots = Robots::parse("User-agent: *\nContent-Signal: search=yes, ai-train=no\nAllow: /\n");
    /// let signals = robots.content_signals("a", "https://shop.example/");
    /// assert_eq!((signals.search, signals.ai_train), (Preference::Allowed, Preference::Disallowed));
    /// assert_eq!(signals.ai_input, Preference::Unknown);
    /// ```
    pub fn content_signals<C, U>(&self, crawler: &C, url: &U) -> Signals
    where
        C: AsCrawler + ?Sized,
        U: AsRef<[u8]> + ?Sized,
    {
        let lines =
            values(self.records_for(crawler), RecordKind::ContentSignal, ContentSignal::parse);
        let lines = lines.map(|line| (line.path, line.signals()));
        longest(&self.dialect(), url.as_ref(), lines, Signals::default(), Signals::and)
    }

    /// The site's preferences for the use of the content at a URL; `None` if the crawler may not
    /// fetch the URL (REP-EXT-37).
    ///
    /// The line with the longest path decides; lines with equally long paths are combined.
    ///
    /// # Complexity
    ///
    /// A check, one pass over the text, and O(path + target) for each `Content-Usage` line.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::{Robots, extension::Preference};
    ///
    /// let robots = Robots::parse(
    ///     "User-agent: *\nDisallow: /never/\n\
    ///      Content-Usage: train-ai=n\nContent-Usage: /ai-ok/ train-ai=y\n",
    /// );
    /// let usage = |url| robots.content_usage("a", url);
    /// let train_ai = |url| usage(url).map(|usage| usage.preference("train-ai"));
    /// assert_eq!(train_ai("/test"), Some(Preference::Disallowed));
    /// assert_eq!(train_ai("/ai-ok/test"), Some(Preference::Allowed));
    /// assert_eq!(train_ai("/never/test"), None);
    /// ```
    pub fn content_usage<C, U>(&self, crawler: &C, url: &U) -> Option<Usage>
    where
        C: AsCrawler + ?Sized,
        U: AsRef<[u8]> + ?Sized,
    {
        if !self.check(crawler, url).is_allowed() {
            return None;
        }
        let lines = values(self.records_for(crawler), RecordKind::ContentUsage, |value| {
            // REP-EXT-36: preferences that do not parse state nothing, also for their path.
            let (path, preferences) = split_path(value);
            Ok((path, Usage::parse(preferences).unwrap_or_default()))
        });
        Some(longest(&self.dialect(), url.as_ref(), lines, Usage::default(), Usage::and))
    }
}

/// The valid values of the records of one kind.
fn values<'r, T>(
    records: impl Iterator<Item = Record<'r>>,
    kind: RecordKind,
    read: impl Fn(&'r [u8]) -> Result<T, InvalidValue>,
) -> impl Iterator<Item = T> {
    records
        .filter(move |record| record.kind() == kind)
        .filter_map(move |record| read(record.value()).ok())
}
