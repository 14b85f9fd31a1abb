//! Documentation of vendors about their crawlers: fallback chains as data (REP-AGENT-30 to
//! REP-AGENT-32).

use super::Crawler;

/// A crawler according to its vendor's documentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Vendor {
    /// The crawler's token.
    pub name: &'static str,
    /// The tokens it obeys, most specific first. Empty if it does not follow robots.txt.
    pub chain: &'static [&'static str],
    /// Whether it obeys the groups for `*` if no group names it.
    pub falls_back_to_star: bool,
    /// The kind of crawler.
    pub kind: VendorKind,
    /// Further information, including doubts about the source. Empty for an ordinary crawler with a
    /// documented chain.
    pub note: &'static str,
}

/// The kind of crawler of a vendor's token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum VendorKind {
    /// It crawls and follows robots.txt.
    Crawler,
    /// It fetches nothing: the token only controls the use of pages that another crawler fetches.
    ControlToken,
    /// It fetches at the request of a person; it may not apply robots.txt.
    UserTriggered,
    /// It does not follow robots.txt.
    IgnoresRobots,
}

impl Vendor {
    /// The crawler with this name; ASCII case does not matter.
    pub fn named(name: &str) -> Option<&'static Self> {
        VENDORS.iter().find(|vendor| vendor.name.eq_ignore_ascii_case(name))
    }

    /// The crawler with its chain.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::{Vendor, VendorKind};
    ///
    /// let vendor = Vendor::named("adsbot-google").expect("a known crawler");
    /// assert_eq!((vendor.kind, vendor.chain), (VendorKind::Crawler, &["AdsBot-Google"][..]));
    /// assert!(vendor.crawler().ignores_star());
    /// ```
    pub fn crawler(&self) -> Crawler {
        let crawler = Crawler::chain(self.chain.iter().copied());
        let crawler = if self.falls_back_to_star { crawler } else { crawler.without_star() };
        if self.chain.is_empty() { crawler.without_robots() } else { crawler }
    }
}

const fn crawler(name: &'static str, chain: &'static [&'static str]) -> Vendor {
    Vendor { name, chain, falls_back_to_star: true, kind: VendorKind::Crawler, note: "" }
}

const fn without_star(name: &'static str, chain: &'static [&'static str]) -> Vendor {
    Vendor { falls_back_to_star: false, ..crawler(name, chain) }
}

const fn noted(vendor: Vendor, note: &'static str) -> Vendor {
    Vendor { note, ..vendor }
}

const fn control(name: &'static str, chain: &'static [&'static str]) -> Vendor {
    let note = "a control token: it crawls nothing itself, it says what the pages that other crawlers \
                fetch may be used for";
    Vendor { kind: VendorKind::ControlToken, note, ..crawler(name, chain) }
}

const fn user_triggered(
    name: &'static str,
    chain: &'static [&'static str],
    note: &'static str,
) -> Vendor {
    Vendor { kind: VendorKind::UserTriggered, note, ..crawler(name, chain) }
}

const MAY_NOT: &str = "a user-triggered fetcher: it may not apply robots.txt";

/// The crawlers with known chains.
pub const VENDORS: &[Vendor] = &[
    crawler("Googlebot", &["Googlebot"]),
    crawler("Googlebot-Image", &["Googlebot-Image", "Googlebot"]),
    crawler("Googlebot-Video", &["Googlebot-Video", "Googlebot"]),
    crawler("Googlebot-News", &["Googlebot-News", "Googlebot"]),
    crawler("Google-InspectionTool", &["Google-InspectionTool", "Googlebot"]),
    crawler("Storebot-Google", &["Storebot-Google"]),
    crawler("GoogleOther", &["GoogleOther"]),
    noted(
        crawler("GoogleOther-Image", &["GoogleOther-Image", "GoogleOther"]),
        "the fallback to GoogleOther is not confirmed by a source",
    ),
    noted(
        crawler("GoogleOther-Video", &["GoogleOther-Video", "GoogleOther"]),
        "the fallback to GoogleOther is not confirmed by a source",
    ),
    noted(
        crawler("Google-CloudVertexBot", &["Google-CloudVertexBot"]),
        "it may also obey a group for Googlebot; no source confirms it",
    ),
    control("Google-Extended", &["Google-Extended"]),
    without_star("APIs-Google", &["APIs-Google"]),
    without_star("AdsBot-Google", &["AdsBot-Google"]),
    without_star("Mediapartners-Google", &["Mediapartners-Google"]),
    noted(
        without_star("AdsBot-Google-Mobile", &["AdsBot-Google-Mobile"]),
        "it may also obey a group for AdsBot-Google; no source confirms it",
    ),
    Vendor {
        kind: VendorKind::IgnoresRobots,
        note: "it does not follow robots.txt",
        ..without_star("Google-Safety", &[])
    },
    Vendor {
        falls_back_to_star: false,
        ..user_triggered(
            "FeedFetcher-Google",
            &[],
            "a user-triggered fetcher: it does not follow robots.txt",
        )
    },
    crawler("Applebot", &["Applebot", "Googlebot"]),
    control("Applebot-Extended", &["Applebot-Extended"]),
    crawler("bingbot", &["bingbot", "msnbot"]),
    crawler("YandexBot", &["YandexBot", "Yandex"]),
    crawler("Baiduspider", &["Baiduspider"]),
    crawler("Yeti", &["Yeti"]),
    crawler("SeznamBot", &["SeznamBot"]),
    crawler("Amazonbot", &["Amazonbot"]),
    crawler("ClaudeBot", &["ClaudeBot"]),
    crawler("Claude-User", &["Claude-User"]),
    crawler("Claude-SearchBot", &["Claude-SearchBot"]),
    crawler("GPTBot", &["GPTBot"]),
    crawler("OAI-SearchBot", &["OAI-SearchBot"]),
    user_triggered("ChatGPT-User", &["ChatGPT-User"], MAY_NOT),
    crawler("CCBot", &["CCBot"]),
    user_triggered("Perplexity-User", &["Perplexity-User"], MAY_NOT),
    user_triggered("facebookexternalhit", &["facebookexternalhit"], MAY_NOT),
    user_triggered("meta-externalfetcher", &["meta-externalfetcher"], MAY_NOT),
    crawler("meta-externalagent", &["meta-externalagent"]),
    crawler("Bytespider", &["Bytespider"]),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Dialect;

    #[test]
    fn names_are_unique_and_begin_their_chain() {
        for vendor in VENDORS {
            assert_eq!(Vendor::named(vendor.name), Some(vendor));
            assert!(vendor.chain.first().is_none_or(|first| *first == vendor.name));
        }
    }

    /// Fallbacks that two vendors document as part of the group selection are also in their
    /// dialects.
    #[test]
    fn fallbacks_of_dialects_are_those_of_the_chains() {
        for (name, dialect) in [("bingbot", Dialect::BING), ("YandexBot", Dialect::YANDEX)] {
            let fallback = dialect.fallback.expect("a fallback");
            let vendor = Vendor::named(name).expect("known");
            assert!(name.starts_with(fallback.family));
            assert_eq!(vendor.chain.last(), Some(&fallback.name));
        }
    }

    #[test]
    fn every_vendor_of_another_kind_has_a_note() {
        for vendor in VENDORS {
            assert!(
                vendor.kind == VendorKind::Crawler || !vendor.note.is_empty(),
                "{}",
                vendor.name
            );
        }
    }

    #[test]
    fn a_crawler_without_a_chain_ignores_robots_txt() {
        let fetcher = Crawler::named("FeedFetcher-Google").expect("known");
        assert!(fetcher.ignores_robots());
        let ads = Crawler::named("adsbot-google").expect("known");
        assert!(ads.ignores_star() && !ads.ignores_robots());
    }
}
