//! The robots.txt files of many sites in one object, as in the book (REP-AGENT-40).
//!
//! # Flow
//!
//! [`RobotRules::parse`] takes a robots.txt with its URL and stores it for its site;
//! [`RobotRules::allowed`] checks a URL with the file of its site. Time is an argument.
//!
//! # Differences from Perl
//!
//! In [`Dialect::ORIG1994`] the answers are those of Perl's WWW::RobotRules 6.02, for rule values
//! that begin with `/` and URLs that its URI module does not change. These differ:
//!
//! - Rule values that do not begin with `/`: Perl resolves them against the URL of the robots.txt
//!   (`tmp` is `/tmp`, and an absolute URL of the same site counts); here they match nothing.
//! - URLs that the URI module would rewrite to their canonical form: `http://h` and `http://h?q`
//!   have an empty path in Perl, which only an empty rule matches, and the path `/` here; a host in
//!   upper case, a port with leading zeros and an empty port (`http://h:/`) are other sites in Perl
//!   and the same site here; a percent-encoded host is the same site in Perl and another one here.
//! - White space, `<…>`, `<URL:…>` and `"…"` around a URL: Perl removes them; here the permission
//!   is unknown.
//! - A URL without a scheme is allowed in Perl; here its permission is unknown.
//! - A robots.txt URL without a host makes Perl die; here the file is not stored. A scheme that the
//!   URI module does not know also makes Perl die; here the file is stored.
//! - `fresh_until` 0: Perl treats it as missing and adds a year; here it is the year 1970.
//! - More than 500 KiB: Perl reads everything; here the dialect's byte limit applies.
//! - Perl returns −1 for both unknown and stale.
//! - An empty name, the name `0`, and names that begin with `/`: Perl cannot use them.
//! - Perl's counters of visits do not exist here: they do not affect the answer.

use alloc::collections::BTreeMap;

use crate::crawler::{AsCrawler, Crawler, short_token};
use crate::dialect::{Dialect, Scope};
use crate::limits;
use crate::robots::Robots;
use crate::site::Site;
use crate::verdict::Verdict;

/// The robots.txt files of many sites, for one crawler.
///
/// Times are seconds since 1970, UTC.
///
/// # Examples
///
/// ```
/// use verger::{Dialect, RobotRules};
///
/// let now = 1_000_000_000;
/// let mut rules = RobotRules::in_dialect("ExampleBot/1.0", Dialect::BOOK);
/// rules.parse("http://shop.example/robots.txt", "User-agent: *\nDisallow: /tmp\n", None, now);
///
/// assert_eq!(rules.allowed("http://shop.example/x", now).is_allowed(), Some(true));
/// assert_eq!(rules.allowed("http://shop.example/tmp/x", now).is_allowed(), Some(false));
/// assert_eq!(rules.allowed("http://other.example/", now).is_allowed(), None);
/// ```
#[derive(Clone, Debug)]
pub struct RobotRules {
    crawler: Crawler,
    dialect: Dialect,
    files: BTreeMap<Site, File>,
}

#[derive(Clone, Debug)]
struct File {
    site: Site,
    robots: Robots,
    fresh_until: u64,
}

impl RobotRules {
    /// Creates an empty object for a crawler in the default dialect, RFC 9309.
    ///
    /// The name is a product token or begins with one: only the first word counts, without its
    /// version, so `ExampleBot/1.0 (x)` is `ExampleBot` (REP-AGENT-41). [`Robots::check`] differs:
    /// it tries every product token of a User-Agent header, those in the comment first. A header
    /// that imitates a browser begins with `Mozilla`; [`Crawler::from_user_agent`] reads its
    /// product tokens.
    pub fn new(name: &str) -> Self {
        Self::in_dialect(name, Dialect::RFC9309)
    }

    /// Creates an empty object for a crawler in a dialect.
    pub fn in_dialect(name: &str, dialect: Dialect) -> Self {
        Self { crawler: Crawler::new(short_token(name)), dialect, files: BTreeMap::new() }
    }

    /// Changes the name of the crawler, and removes all files unless the name is the same
    /// (REP-AGENT-41).
    pub fn rename(&mut self, name: &str) {
        let crawler = Crawler::new(short_token(name));
        if crawler != self.crawler {
            self.crawler = crawler;
            self.files.clear();
        }
    }

    /// Stores a robots.txt for the site that it was fetched from, and replaces an older one.
    ///
    /// `fresh_until` is the last second at which it is fresh; the default is a year from `now`.
    /// Returns `false` if the URL has no host; the file is not stored then.
    ///
    /// # Complexity
    ///
    /// As [`Dialect::parse`], and logarithmic in the number of sites. Files are never removed
    /// automatically; use [`forget`](Self::forget).
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::RobotRules;
    ///
    /// let mut rules = RobotRules::new("ExampleBot/1.0");
    /// let now = 1_700_000_000;
    /// assert!(rules.parse("https://shop.example/robots.txt", "User-agent: *\nDisallow: /x\n", None, now));
    /// assert_eq!(rules.allowed("https://shop.example/x", now).is_allowed(), Some(false));
    /// assert!(rules.robots("https://shop.example/").is_some());
    ///
    /// // Another name removes all files.
    /// rules.rename("OtherBot");
    /// assert!(rules.is_empty() && !rules.forget("https://shop.example/"));
    /// ```
    pub fn parse<U, T>(&mut self, url: &U, content: &T, fresh_until: Option<u64>, now: u64) -> bool
    where
        U: AsRef<[u8]> + ?Sized,
        T: AsRef<[u8]> + ?Sized,
    {
        let Some(site) = Site::of(url.as_ref()).filter(Site::has_host) else {
            return false;
        };
        let fresh_until =
            fresh_until.unwrap_or_else(|| now.saturating_add(limits::FRESHNESS_SECONDS));
        let robots = self.dialect.parse(content);
        let key = self.key(site.clone());
        self.files.insert(key, File { site, robots, fresh_until });
        true
    }

    /// Whether the crawler may fetch a URL, according to the files at a time.
    ///
    /// # Complexity
    ///
    /// As [`Robots::check`], and the logarithm of the number of sites.
    pub fn allowed<U: AsRef<[u8]> + ?Sized>(&self, url: &U, now: u64) -> Permission<'_> {
        let url = url.as_ref();
        let crawler = self.crawler.as_crawler();
        // URLs that need no file are answered without one.
        if let Err(reason) = self.dialect.target(crawler, url) {
            return Permission::Fresh(Verdict::without_robots(reason));
        }
        let file = Site::of(url).and_then(|site| self.files.get(&self.key(site)));
        let Some(file) = file else { return Permission::Unknown };
        let read = |rule| self.local(rule, &file.site);
        let verdict = file.robots.check_with(crawler, url, read);
        if now > file.fresh_until { Permission::Stale(verdict) } else { Permission::Fresh(verdict) }
    }

    /// The stored file for the site of a URL.
    pub fn robots<U: AsRef<[u8]> + ?Sized>(&self, url: &U) -> Option<&Robots> {
        let site = Site::of(url.as_ref())?;
        self.files.get(&self.key(site)).map(|file| &file.robots)
    }

    /// Removes the file for the site of a URL. Returns whether there was one.
    pub fn forget<U: AsRef<[u8]> + ?Sized>(&mut self, url: &U) -> bool {
        let site = Site::of(url.as_ref());
        site.is_some_and(|site| self.files.remove(&self.key(site)).is_some())
    }

    /// The number of sites with a stored file.
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Whether no file is stored.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    fn key(&self, site: Site) -> Site {
        match self.dialect.scope {
            Scope::Origin => site,
            Scope::HostPort => site.without_scheme(),
        }
    }

    /// REP-AGENT-41: a rule that begins with `//` names a host, and counts only for that host.
    fn local<'r>(&self, rule: &'r [u8], site: &Site) -> Option<&'r [u8]> {
        let Some(reference) = rule.strip_prefix(b"//").filter(|_| self.dialect.network_path_rules)
        else {
            return Some(rule);
        };
        let end = reference.iter().position(|octet| matches!(octet, b'/' | b'?'));
        let (authority, path) = reference.split_at(end.unwrap_or(reference.len()));
        let path: &[u8] = if path.is_empty() { b"/" } else { path };
        site.is_named_by(authority).then_some(path)
    }
}

/// The permission for a URL, as far as the stored files show it.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::exhaustive_enums, reason = "fresh, stale, unknown")]
pub enum Permission<'r> {
    /// The verdict of a fresh file, or of a URL that needs no file.
    Fresh(Verdict<'r>),
    /// The verdict of a file that is no longer fresh.
    Stale(Verdict<'r>),
    /// There is no file for the site.
    Unknown,
}

impl Permission<'_> {
    /// Whether the URL may be fetched; `None` if a file must be fetched first.
    ///
    /// WWW::RobotRules answers 1, 0 and −1.
    pub const fn is_allowed(&self) -> Option<bool> {
        match self {
            Self::Fresh(verdict) => Some(verdict.is_allowed()),
            Self::Stale(_) | Self::Unknown => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn perl(name: &str) -> RobotRules {
        RobotRules::in_dialect(name, Dialect::ORIG1994)
    }

    const NOW: u64 = 1_000;

    #[test]
    fn the_name_is_its_first_word_without_version() {
        for name in
            ["FooBot", "FooBot/1.2", "FooBot/1.2 [http://foobot.int; foo@bot.int]", " FooBot x"]
        {
            assert_eq!(perl(name).crawler.tokens()[0].as_str(), "FooBot", "{name}");
        }
    }

    #[test]
    fn unknown_stale_and_fresh_are_distinct() {
        let mut rules = RobotRules::new("a");
        assert!(matches!(rules.allowed("http://h/", NOW), Permission::Unknown));
        assert!(rules.parse("http://h/robots.txt", "User-agent: *\nDisallow: /", Some(NOW), NOW));
        assert_eq!(rules.allowed("http://h/", NOW).is_allowed(), Some(false));
        let later = rules.allowed("http://h/", NOW + 1);
        assert!(matches!(later, Permission::Stale(verdict) if !verdict.is_allowed()));
        assert_eq!(later.is_allowed(), None);
        assert!(rules.parse("http://h/robots.txt", "", None, NOW));
        assert_eq!(
            rules.allowed("http://h/", NOW + limits::FRESHNESS_SECONDS).is_allowed(),
            Some(true)
        );
        assert_eq!(
            rules.allowed("http://h/", NOW + limits::FRESHNESS_SECONDS + 1).is_allowed(),
            None
        );
    }

    #[test]
    fn urls_that_need_no_file_are_always_known() {
        let rules = RobotRules::new("a");
        assert_eq!(rules.allowed("mailto:x", NOW).is_allowed(), Some(true));
        assert_eq!(rules.allowed("http://h/robots.txt", NOW).is_allowed(), Some(true));
        assert_eq!(perl("a").allowed("http://h/robots.txt", NOW).is_allowed(), None);
        assert_eq!(perl("a").allowed("ftp://h/x", NOW).is_allowed(), Some(true));
    }

    #[test]
    fn sites_follow_the_scope_of_the_dialect() {
        let mut rules = RobotRules::new("a");
        let mut old = perl("a");
        for rules in [&mut rules, &mut old] {
            assert!(rules.parse(
                "http://h:443/robots.txt",
                "User-agent: *\nDisallow: /x",
                None,
                NOW
            ));
        }
        assert_eq!(rules.allowed("https://h/x", NOW).is_allowed(), None);
        assert_eq!(old.allowed("https://h/x", NOW).is_allowed(), Some(false));
        assert!(old.robots("https://h/").is_some());
        assert_eq!(old.len(), 1);
        assert!(old.forget("https://h/") && !old.forget("https://h/") && !old.forget("/x"));
        assert!(old.is_empty());
    }

    #[test]
    fn renaming_to_another_robot_removes_everything() {
        let mut rules = RobotRules::new("a/1");
        assert!(rules.parse("http://h/robots.txt", "", None, NOW));
        rules.rename("a/2");
        assert_eq!(rules.len(), 1);
        rules.rename("b");
        assert!(rules.is_empty());
    }

    #[test]
    fn a_file_without_a_site_is_not_stored() {
        let mut rules = RobotRules::new("a");
        for url in ["/robots.txt", "http:///robots.txt", "mailto:x"] {
            assert!(!rules.parse(url, "", None, NOW), "{url}");
        }
    }

    #[test]
    fn a_rule_with_a_host_counts_at_that_host_only() {
        let text = "User-agent: *\nDisallow: //h/a\nDisallow: //i/b\nDisallow: //H:80\n";
        let mut rules = perl("a");
        assert!(rules.parse("http://h/robots.txt", text, None, NOW));
        assert!(rules.parse("http://i/robots.txt", text, None, NOW));
        assert_eq!(rules.allowed("http://i/a", NOW).is_allowed(), Some(true));
        assert_eq!(rules.allowed("http://i/b", NOW).is_allowed(), Some(false));
        assert_eq!(rules.allowed("http://h/b", NOW).is_allowed(), Some(false));
        // Without a host to compare with, the same rule is a path.
        assert!(!Dialect::ORIG1994.parse(text).check("a", "http://h//h/a").is_allowed());
    }
}
