//! `RobotRules`, compared with a simple list of sites.

use std::collections::BTreeMap;

use arbitrary::{Result, Unstructured};
use verger::dialect::Scope;
use verger::{Crawler, Dialect, Origin, Permission, Reason, RobotRules};
use verger_testkit::generate::case;

use super::site::{Site, SiteUrl};
use crate::input::published;

/// Stores a file for each text separately: only the stored file is found.
pub(super) fn check_each(urls: &[&str]) {
    for url in urls {
        let mut rules = RobotRules::new("a");
        assert!(rules.is_empty() && rules.robots(url).is_none() && !rules.forget(url));
        let is_stored = rules.parse(url, "User-agent: *\nDisallow: /", None, 0);
        assert_eq!(rules.len(), usize::from(is_stored), "{url:?}");
        assert_eq!(rules.robots(url).is_some(), is_stored, "{url:?}");
        let before = RobotRules::new("a").allowed(url, 0).is_allowed();
        let now = rules.allowed(url, 0).is_allowed();
        match before {
            None => assert_eq!(now, is_stored.then_some(false), "{url:?}"),
            Some(_) => assert_eq!(now, before, "{url:?} needs no file"),
        }
        assert_eq!(rules.forget(url), is_stored, "{url:?}");
        assert!(rules.is_empty());
    }
}

/// Predicts the results of a sequence of stored files and checks, in a chosen dialect.
pub(super) fn check_session(choices: &mut Unstructured<'_>) -> Result<()> {
    let dialects: Vec<Dialect> = published().collect();
    let dialect = *choices.choose(&dialects)?;
    let name = *choices.choose(&NAMES)?;
    let mut session = Session {
        rules: RobotRules::in_dialect(name, dialect),
        dialect,
        name: short(name),
        files: BTreeMap::new(),
        now: u64::from(choices.arbitrary::<u8>()?),
    };
    for _ in 0..MOST_STEPS {
        if choices.is_empty() {
            break;
        }
        session.step(choices)?;
        assert_eq!(session.rules.len(), session.files.len());
        assert_eq!(session.rules.is_empty(), session.files.is_empty());
    }
    Ok(())
}

const MOST_STEPS: usize = 24;

const NAMES: [&str; 6] = ["a", "a/1", "bot x", " Robot/1.0 (y)", "", "YandexBot"];

struct Session {
    rules: RobotRules,
    dialect: Dialect,
    name: String,
    files: BTreeMap<Site, File>,
    now: u64,
}

struct File {
    site: Site,
    text: Vec<u8>,
    fresh_until: u64,
}

impl Session {
    fn step(&mut self, choices: &mut Unstructured<'_>) -> Result<()> {
        let kind: u8 = choices.arbitrary()?;
        match kind % 8 {
            0 | 1 => self.parse(choices),
            2..=4 => self.ask(choices),
            5 => {
                let SiteUrl { url, site } = SiteUrl::choose(choices, "/")?;
                let known = self.files.get(&self.key(site.clone()));
                let text = self.rules.robots(&url).map(|robots| robots.text().to_vec());
                // A file that begins with a UTF-16 mark has another text.
                let is_plain = known.is_none_or(|file| !matches!(file.text[..], [0xFE | 0xFF, ..]));
                if is_plain {
                    assert_eq!(text, known.map(|file| file.text.clone()), "{url}");
                }
                Ok(())
            }
            6 => {
                let SiteUrl { url, site } = SiteUrl::choose(choices, "/")?;
                let key = self.key(site);
                assert_eq!(self.rules.forget(&url), self.files.remove(&key).is_some(), "{url}");
                Ok(())
            }
            _ => {
                self.now = self.now.wrapping_add(u64::from(choices.arbitrary::<u8>()?));
                if kind > 0xF0 {
                    let name = *choices.choose(&NAMES)?;
                    self.rules.rename(name);
                    // REP-AGENT-41: a different name clears all files.
                    if short(name) != self.name {
                        self.files.clear();
                        self.name = short(name);
                    }
                }
                Ok(())
            }
        }
    }

    fn parse(&mut self, choices: &mut Unstructured<'_>) -> Result<()> {
        let SiteUrl { url, site } = SiteUrl::choose(choices, "/robots.txt")?;
        let fresh_until: Option<u8> = choices.arbitrary()?;
        let fresh_until = fresh_until.map(u64::from);
        let text = case(choices.arbitrary()?, 0).robots;
        assert!(self.rules.parse(&url, &text, fresh_until, self.now), "{url}");
        let fresh_until = fresh_until.unwrap_or(self.now + YEAR);
        self.files.insert(self.key(site.clone()), File { site, text, fresh_until });
        Ok(())
    }

    fn ask(&self, choices: &mut Unstructured<'_>) -> Result<()> {
        let path = *choices.choose(&PATHS)?;
        let SiteUrl { url, site } = SiteUrl::choose(choices, path)?;
        self.check_origin(&url, &site);
        let later = if choices.ratio(1, 8)? { YEAR } else { 0 };
        let now = self.now + later;
        let found = self.rules.allowed(&url, now);

        let crawler = Crawler::new(self.name.as_str());
        // An empty file shows which URLs need none.
        let without = self.dialect.parse("").check(&crawler, &url).reason();
        if without != Reason::NoGroup {
            let is_fresh =
                matches!(&found, Permission::Fresh(verdict) if verdict.reason() == without);
            assert!(is_fresh, "{url}: {found:?}");
            return Ok(());
        }
        let Some(file) = self.files.get(&self.key(site)) else {
            assert!(matches!(found, Permission::Unknown), "{url}: {found:?}");
            return Ok(());
        };
        let is_fresh = now <= file.fresh_until;
        assert_eq!(matches!(found, Permission::Fresh(_)), is_fresh, "{url}: {found:?}");
        assert_eq!(matches!(found, Permission::Stale(_)), !is_fresh, "{url}: {found:?}");
        if let Permission::Fresh(verdict) | Permission::Stale(verdict) = found {
            let expected = self.allows(file, &crawler, url.as_bytes());
            assert_eq!(verdict.is_allowed(), expected, "{url}: {verdict}");
        }
        Ok(())
    }

    /// Whether a file allows a URL. Rules may name a host (REP-AGENT-41).
    fn allows(&self, file: &File, crawler: &Crawler, url: &[u8]) -> bool {
        let robots = self.dialect.parse(&file.text);
        if !self.dialect.network_path_rules {
            return robots.check(crawler, url).is_allowed();
        }
        let mut text = b"User-agent: *\n".to_vec();
        for rule in robots.groups_for(crawler).flat_map(|group| group.rules()) {
            if let Some(pattern) = local(file, rule.pattern()) {
                text.extend([rule.kind().name().as_bytes(), b":", pattern, b"\n"].concat());
            }
        }
        self.dialect.parse(&text).check(crawler, url).is_allowed()
    }

    /// The key of a stored file.
    fn key(&self, site: Site) -> Site {
        if self.dialect.scope == Scope::Origin { site } else { site.without_scheme() }
    }

    /// For URLs as simple as these, a site read from text equals the parsed origin.
    fn check_origin(&self, url: &str, site: &Site) {
        for (key, file) in &self.files {
            let kept = &file.site;
            let origin = |site: &Site| Origin::of(&site.url()).ok().flatten();
            assert_eq!(origin(kept) == origin(site), kept == site, "{url} and {key:?}");
        }
        assert_eq!(Origin::of(url), Origin::of(&site.url()), "{url}");
    }
}

/// REP-AMB-51, in seconds.
const YEAR: u64 = 365 * 24 * 60 * 60;

const PATHS: [&str; 12] = [
    "",
    "/",
    "/a",
    "/b",
    "/ab",
    "/robots.txt",
    "?a",
    "/robots.txt?",
    "/a/b",
    "//h/a",
    "#/a",
    "/%61",
];

/// The pattern without a host, if it is for the file's site.
fn local<'p>(file: &File, pattern: &'p [u8]) -> Option<&'p [u8]> {
    let Some(rest) = pattern.strip_prefix(b"//") else { return Some(pattern) };
    let end = rest.iter().position(|octet| b"/?".contains(octet)).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    let is_here = file.site.is_at(&String::from_utf8_lossy(authority));
    is_here.then_some(if path.is_empty() { b"/" } else { path })
}

/// The first word without version (REP-AGENT-41).
fn short(name: &str) -> String {
    let word = name.split_ascii_whitespace().next().unwrap_or_default();
    word.split('/').next().unwrap_or_default().to_owned()
}
