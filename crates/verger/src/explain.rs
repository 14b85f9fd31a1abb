//! The whole story of a verdict: every rule that matched, and why it lost.

use alloc::vec::Vec;
use core::fmt;

use crate::crawler::AsCrawler;
use crate::dialect::Precedence;
use crate::robots::{Group, Robots, Rule, Selected};
use crate::rule::Match;
use crate::search::{Searched, with_room};
use crate::untrusted::Untrusted;
use crate::verdict::Verdict;

/// A verdict with all the rules that matched.
#[derive(Clone)]
#[non_exhaustive]
pub struct Explanation<'r> {
    /// The verdict, the same as [`Robots::check`] gives.
    pub verdict: Verdict<'r>,
    /// What the rules were compared with, in the dialect's normal form; `None` when no rule was
    /// asked.
    pub target: Option<Vec<u8>>,
    /// Every rule that matched, in file order, the deciding one among them.
    pub contenders: Vec<Contender<'r>>,
}

impl fmt::Debug for Explanation<'_> {
    /// The target as text, escaped.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let target = self
            .target
            .as_ref()
            .map(|it| Untrusted::new(it).limited_to(crate::limits::QUOTED_CHARS));
        f.debug_struct("Explanation")
            .field("verdict", &self.verdict)
            .field("target", &target)
            .field("contenders", &self.contenders)
            .finish()
    }
}

/// A rule that matched.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Contender<'r> {
    /// The rule.
    pub rule: Rule<'r>,
    /// The group it stands in.
    pub group: Group<'r>,
    /// The length that counts: octets of the pattern's normal form, `*` and `$` included.
    pub length: usize,
    /// Whether it matches only because an allowed index page allows its directory (REP-MATCH-30).
    pub by_directory: bool,
    /// Whether it decided, or why it lost.
    pub standing: Standing,
}

/// Whether a rule that matched decided, or why it lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Standing {
    /// It decided.
    Decides,
    /// An earlier rule matched, and the first match decides.
    Later,
    /// The deciding rule's pattern is longer.
    Shorter,
    /// The deciding rule is as long and allows: a tie allows (REP-AMB-35).
    LosesTie,
    /// The deciding rule is as long, of the same kind, and stands earlier in the file.
    Repeats,
}

impl Standing {
    /// Whether the rule decided.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::Robots;
    ///
    /// let robots = Robots::parse("User-agent: *\nDisallow: /a\nAllow: /a/b\n");
    /// let contenders = robots.explain("ExampleBot", "/a/b").contenders;
    /// let decider = contenders.iter().find(|contender| contender.standing.decides());
    /// assert_eq!(decider.expect("a rule decided").rule.to_string(), "Allow: /a/b");
    /// ```
    pub const fn decides(self) -> bool {
        matches!(self, Self::Decides)
    }

    /// The name in JSON output: `loses_tie`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Decides => "decides",
            Self::Later => "later",
            Self::Shorter => "shorter",
            Self::LosesTie => "loses_tie",
            Self::Repeats => "repeats",
        }
    }
}

impl fmt::Display for Standing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Decides => "decides",
            Self::Later => "matches later, and the first match decides",
            Self::Shorter => "is shorter",
            Self::LosesTie => "is as long, and a tie allows",
            Self::Repeats => "is as long and says the same again",
        })
    }
}

impl Robots {
    /// Whether a crawler may fetch a URL, with every rule that matched and why it lost.
    ///
    /// # Complexity
    ///
    /// As [`check`](Self::check), and a list of the rules that match.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::{Robots, Standing};
    ///
    /// let robots = Robots::parse("User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /x\n");
    /// let explanation = robots.explain("ExampleBot", "https://shop.example/a/b");
    /// assert_eq!(explanation.target.as_deref(), Some(&b"/a/b"[..]));
    /// let standings: Vec<_> = explanation.contenders.iter().map(|c| c.standing).collect();
    /// assert_eq!(standings, [Standing::Shorter, Standing::Decides]);
    /// ```
    pub fn explain<C, U>(&self, crawler: &C, url: &U) -> Explanation<'_>
    where
        C: AsCrawler + ?Sized,
        U: AsRef<[u8]> + ?Sized,
    {
        let (target, selected) = match self.question(crawler.as_crawler(), url.as_ref()) {
            Ok(question) => question,
            Err(reason) => {
                let verdict = Verdict::without_robots(reason);
                return Explanation { verdict, target: None, contenders: Vec::new() };
            }
        };
        target.in_normal_form(|target| {
            with_room(target, |mut target| self.explain_target(&mut target, &selected))
        })
    }

    fn explain_target(&self, target: &mut Searched<'_>, selected: &[Selected]) -> Explanation<'_> {
        let verdict = self.decide(target, selected, Some);
        let mut matches = Vec::new();
        let dialect = self.dialect();
        for group in selected.iter().map(|&chosen| self.group(chosen)) {
            for rule in group.rules() {
                if let Some(found) = Match::of(rule.kind(), rule.pattern(), target, &dialect) {
                    matches.push((rule, group, found));
                }
            }
        }
        let winner = matches.iter().find(|(rule, ..)| Some(*rule) == verdict.rule()).copied();
        let contenders = matches
            .into_iter()
            .map(|(rule, group, found)| Contender {
                rule,
                group,
                length: found.length,
                by_directory: found.by_directory,
                standing: match winner {
                    Some((decider, _, best)) if decider != rule => {
                        why(dialect.precedence, found, best)
                    }
                    _ => Standing::Decides,
                },
            })
            .collect();
        Explanation { verdict, target: Some(target.text().to_vec()), contenders }
    }
}

fn why(precedence: Precedence, loser: Match, winner: Match) -> Standing {
    match precedence {
        Precedence::FirstMatch => Standing::Later,
        Precedence::LongestPattern if loser.length < winner.length => Standing::Shorter,
        Precedence::LongestPattern if loser.allows == winner.allows => Standing::Repeats,
        Precedence::LongestPattern => Standing::LosesTie,
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;
    use crate::Dialect;

    #[track_caller]
    fn check(dialect: Dialect, rules: &str, url: &str, expected: &[(usize, Standing)]) {
        let robots = dialect.parse(&alloc::format!("User-agent: *\n{rules}"));
        let explanation = robots.explain("a", url);
        let found: Vec<_> = explanation
            .contenders
            .iter()
            .map(|contender| (contender.rule.position().line, contender.standing))
            .collect();
        assert_eq!(found, expected);
        let verdict = robots.check("a", url);
        assert_eq!(explanation.verdict.rule(), verdict.rule());
        assert_eq!(explanation.verdict.is_allowed(), verdict.is_allowed());
    }

    #[test]
    fn losers_are_told_why() {
        let rules = "Disallow: /a\nDisallow: /ab\nAllow: /ab\nAllow: /*b\nDisallow: /z\n";
        check(
            Dialect::RFC9309,
            rules,
            "/ab",
            &[
                (2, Standing::Shorter),
                (3, Standing::LosesTie),
                (4, Standing::Decides),
                (5, Standing::Repeats),
            ],
        );
        check(
            Dialect::BAIDU,
            rules,
            "/ab",
            &[
                (2, Standing::Decides),
                (3, Standing::Later),
                (4, Standing::Later),
                (5, Standing::Later),
            ],
        );
    }

    #[test]
    fn without_a_question_nothing_contends() {
        let robots = Robots::parse("User-agent: *\nDisallow: /\n");
        let explanation = robots.explain("a", "mailto:x");
        assert_eq!(explanation.target, None);
        assert!(explanation.contenders.is_empty());
        assert_eq!(robots.explain("a", "/%61").target, Some(vec![b'/', b'a']));
    }
}
