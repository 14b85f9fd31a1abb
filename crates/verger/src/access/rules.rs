//! Rules for [`Access::verdict`](super::Access::verdict): a parsed file, a compiled policy, or no
//! file.

use crate::dialect::Dialect;
use crate::policy::{Policy, PolicyRef, PolicyVerdict};
use crate::robots::Robots;
use crate::verdict::Verdict;

/// The rules of one robots.txt, for [`Access::verdict`](super::Access::verdict).
///
/// | type | verdict | meaning |
/// |---|---|---|
/// | `&Robots` | [`Verdict`] | a parsed file |
/// | [`PolicyRef`], `&Policy` | [`PolicyVerdict`] | a compiled file, for the crawler for which it was compiled |
/// | `&Dialect` | [`Verdict`] | no file; the dialect defines the URLs that need no file |
/// | `Option` of one of these | the same | `None` is no file in the default dialect |
///
/// The trait is sealed: other types cannot implement it.
pub trait Rules: sealed::Check<Self::Verdict> {
    /// The type of the answer.
    type Verdict;
}

impl<'r> Rules for &'r Robots {
    type Verdict = Verdict<'r>;
}

impl Rules for &Dialect {
    type Verdict = Verdict<'static>;
}

impl<'a> Rules for PolicyRef<'a> {
    type Verdict = PolicyVerdict<'a>;
}

impl<'a> Rules for &'a Policy {
    type Verdict = PolicyVerdict<'a>;
}

impl<R: Rules> Rules for Option<R> {
    type Verdict = R::Verdict;
}

mod sealed {
    use crate::crawler::CrawlerRef;
    use crate::dialect::Dialect;
    use crate::policy::{Policy, PolicyRef, PolicyVerdict};
    use crate::robots::Robots;
    use crate::verdict::{Reason, Verdict};

    /// The methods that [`Access::verdict`](crate::access::Access::verdict) needs.
    #[expect(unnameable_types, reason = "sealed: used only inside the crate")]
    pub trait Check<V>: Copy {
        /// The answer of the rules; `None` if there are no rules.
        fn check(self, crawler: CrawlerRef<'_>, url: &[u8]) -> Option<V>;

        /// The reason why a URL needs no rules.
        fn exemption(self, crawler: CrawlerRef<'_>, url: &[u8]) -> Option<Reason>;

        /// An answer without a rule.
        fn without_rule(allowed: bool, reason: Reason) -> V;
    }

    impl<'r> Check<Verdict<'r>> for &'r Robots {
        fn check(self, crawler: CrawlerRef<'_>, url: &[u8]) -> Option<Verdict<'r>> {
            Some(Robots::check(self, &crawler, url))
        }

        fn exemption(self, crawler: CrawlerRef<'_>, url: &[u8]) -> Option<Reason> {
            self.dialect().target(crawler, url).err()
        }

        fn without_rule(allowed: bool, reason: Reason) -> Verdict<'r> {
            Verdict::without_rule(allowed, reason)
        }
    }

    impl Check<Verdict<'static>> for &Dialect {
        fn check(self, _: CrawlerRef<'_>, _: &[u8]) -> Option<Verdict<'static>> {
            None
        }

        fn exemption(self, crawler: CrawlerRef<'_>, url: &[u8]) -> Option<Reason> {
            self.target(crawler, url).err()
        }

        fn without_rule(allowed: bool, reason: Reason) -> Verdict<'static> {
            Verdict::without_rule(allowed, reason)
        }
    }

    impl<'a> Check<PolicyVerdict<'a>> for PolicyRef<'a> {
        fn check(self, crawler: CrawlerRef<'_>, url: &[u8]) -> Option<PolicyVerdict<'a>> {
            if crawler.ignores_robots() {
                return Some(Self::without_rule(true, Reason::CrawlerIgnoresRobots));
            }
            Some(Self::check(self, url))
        }

        fn exemption(self, crawler: CrawlerRef<'_>, url: &[u8]) -> Option<Reason> {
            let ignores = crawler.ignores_robots().then_some(Reason::CrawlerIgnoresRobots);
            ignores.or_else(|| Self::exemption(self, url))
        }

        fn without_rule(allowed: bool, reason: Reason) -> PolicyVerdict<'a> {
            PolicyVerdict::without_rule(allowed, reason, &[])
        }
    }

    impl<'a> Check<PolicyVerdict<'a>> for &'a Policy {
        fn check(self, crawler: CrawlerRef<'_>, url: &[u8]) -> Option<PolicyVerdict<'a>> {
            Check::check(self.as_policy_ref(), crawler, url)
        }

        fn exemption(self, crawler: CrawlerRef<'_>, url: &[u8]) -> Option<Reason> {
            Check::exemption(self.as_policy_ref(), crawler, url)
        }

        fn without_rule(allowed: bool, reason: Reason) -> PolicyVerdict<'a> {
            PolicyRef::without_rule(allowed, reason)
        }
    }

    impl<V, R: Check<V>> Check<V> for Option<R> {
        fn check(self, crawler: CrawlerRef<'_>, url: &[u8]) -> Option<V> {
            self?.check(crawler, url)
        }

        fn exemption(self, crawler: CrawlerRef<'_>, url: &[u8]) -> Option<Reason> {
            match self {
                Some(rules) => rules.exemption(crawler, url),
                None => Dialect::default().target(crawler, url).err(),
            }
        }

        fn without_rule(allowed: bool, reason: Reason) -> V {
            R::without_rule(allowed, reason)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::string::ToString;

    use super::*;
    use crate::access::{Outcome, Profile, State, Timestamp};
    use crate::{Crawler, Reason};

    const START: Timestamp = Timestamp::from_seconds(1_700_000_000);

    #[test]
    fn a_file_and_its_policy_have_the_same_verdicts_in_every_state() {
        let outcomes = [
            Outcome::Success,
            Outcome::Status(404),
            Outcome::Status(403),
            Outcome::Status(503),
            Outcome::RedirectLimit,
            Outcome::Network,
        ];
        let crawlers = [
            Crawler::new("a"),
            Crawler::new("b"),
            Crawler::new("b").without_star(),
            Crawler::new("a").without_robots(),
        ];
        let urls =
            ["http://h/x", "http://h/y", "http://h/robots.txt", "mailto:a@h", "ftp://h/x", "/x"];
        let text = "User-agent: a\nDisallow: /x\n\nUser-agent: *\nDisallow: /\n";
        let mut reasons = BTreeSet::new();
        for dialect in Dialect::PUBLISHED {
            for crawler in &crawlers {
                let robots = dialect.parse(text);
                let policy = robots.policy(crawler);
                let short = policy.without_explanation();
                let bytes = policy.as_bytes();
                let decoded = PolicyRef::from_bytes(bytes).expect("a policy");
                for profile in Profile::ALL {
                    let known = outcomes
                        .iter()
                        .map(|&outcome| State::UNKNOWN.after(&profile, outcome, START, 0));
                    for state in known.chain([State::UNKNOWN]) {
                        let access = state.access(&profile, START, false);
                        for url in urls {
                            let expected = access
                                .verdict(&robots, crawler, url)
                                .map(|verdict| (verdict.is_allowed(), verdict.reason()));
                            for policy in [decoded, short.as_policy_ref()] {
                                let found = access.verdict(policy, crawler, url);
                                let found =
                                    found.map(|verdict| (verdict.is_allowed(), verdict.reason()));
                                assert_eq!(
                                    found, expected,
                                    "{dialect} {profile} {crawler:?} {url}"
                                );
                            }
                            let sentence = access.verdict(&robots, crawler, url);
                            assert_eq!(
                                access.verdict(&policy, crawler, url).map(|it| it.to_string()),
                                sentence.map(|it| it.to_string()),
                            );
                            reasons
                                .insert(expected.map(|(allowed, reason)| (allowed, reason.name())));
                        }
                    }
                }
            }
        }
        // Unknown; and allowed or disallowed for each reason of the lists above.
        let is_seen =
            |expected: (bool, Reason)| reasons.contains(&Some((expected.0, expected.1.name())));
        assert!(reasons.contains(&None));
        for reason in [
            (false, Reason::Rule),
            (true, Reason::NoRuleMatches),
            (true, Reason::NoGroup),
            (true, Reason::RobotsTxtItself),
            (true, Reason::NoRobotsForScheme),
            (true, Reason::CrawlerIgnoresRobots),
            (true, Reason::Unavailable),
            (false, Reason::Unavailable),
            (true, Reason::Unreachable),
            (false, Reason::Unreachable),
            (false, Reason::RedirectLimit),
        ] {
            assert!(is_seen(reason), "{reason:?}");
        }
    }
}
