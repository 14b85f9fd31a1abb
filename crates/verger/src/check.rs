//! Checking a URL with a parsed robots.txt, and the explanation of the verdict: every rule that
//! matched, and why it lost.
//!
//! # Flow
//!
//! [`Robots::check`] reads the target of the URL, selects the groups for the crawler, finds the
//! deciding rule among their rules, and returns a verdict that borrows from the text. The one-shot
//! answer does the same with an outline that has only the groups that may apply.

use alloc::vec::Vec;
use core::fmt;

use crate::crawler::{AsCrawler, CrawlerRef};
use crate::dialect::{Dialect, Precedence};
use crate::limits;
use crate::parse::Input;
use crate::robots::{Group, Outline, Robots, Rule, Selected, outline_for};
use crate::rule::{Contest, Match};
use crate::search::{Searched, with_room};
use crate::target::Target;
use crate::verdict::{Reason, Verdict};

impl Robots {
    /// Whether a crawler may fetch a URL, and why.
    ///
    /// The crawler is a product token, the word by which robots.txt files name it (`GPTBot`), or a
    /// [`Crawler`](crate::Crawler). Any other text (`GPTBot/1.1`) is read as a User-Agent header:
    /// its product tokens are tried in order, those in the comment first, without the names that
    /// browsers share ([`Crawler::from_user_agent`](crate::Crawler::from_user_agent) returns them).
    /// Dialect `google` takes every text as a literal token: no group names `GPTBot/1.1` there.
    /// Pass the product token if you know it.
    ///
    /// The URL is an absolute URL, or a target that begins with `/` or `?`. Any other text is
    /// disallowed ([`Reason::NotAUrl`]), except in dialect `google`: `shop.example/cart`, or
    /// arguments in the wrong order. The URL is cut and brought into the dialect's normal form;
    /// nothing else changes it. Pass the URL that your client will request
    /// (`Url::parse(text)?.as_str()` with crate url): a parser turns `/x/../cart` into another
    /// path. The caller ensures that the URL belongs to the origin of this robots.txt
    /// ([`Origin`](crate::Origin)).
    ///
    /// # Complexity
    ///
    /// O(pattern + URL) for each rule of the groups that apply. Finding the groups is logarithmic
    /// in the number of agents; it is linear in dialects that compare parts of names.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::Robots;
    ///
    /// let robots = Robots::parse("User-agent: *\nDisallow: /*.pdf$\n");
    /// assert!(!robots.check("ExampleBot", "https://shop.example/a.pdf").is_allowed());
    /// assert!(robots.check("ExampleBot", "https://shop.example/a.pdf?page=2").is_allowed());
    /// assert!(!robots.check("ExampleBot", "/%61.pdf").is_allowed());
    ///
    /// // Misuse: a URL without its scheme, and the arguments in the wrong order.
    /// assert!(!robots.check("ExampleBot", "shop.example/a.html").is_allowed());
    /// assert!(!robots.check("https://shop.example/a.html", "ExampleBot").is_allowed());
    /// ```
    pub fn check<C, U>(&self, crawler: &C, url: &U) -> Verdict<'_>
    where
        C: AsCrawler + ?Sized,
        U: AsRef<[u8]> + ?Sized,
    {
        self.verdict(crawler.as_crawler(), url.as_ref())
    }

    /// Not generic, as the other functions with the work of generic ones: it is compiled and
    /// optimised here, and not in each crate that calls it.
    fn verdict(&self, crawler: CrawlerRef<'_>, url: &[u8]) -> Verdict<'_> {
        self.check_with(crawler, url, Some)
    }

    /// Whether a crawler may fetch a URL: [`check`](Self::check) without the reason.
    pub fn is_allowed<C, U>(&self, crawler: &C, url: &U) -> bool
    where
        C: AsCrawler + ?Sized,
        U: AsRef<[u8]> + ?Sized,
    {
        self.check(crawler, url).is_allowed()
    }

    /// [`check`](Self::check), where `read` may replace a pattern or remove a rule.
    pub(crate) fn check_with<'r>(
        &'r self,
        crawler: CrawlerRef<'_>,
        url: &[u8],
        read: impl Fn(&'r [u8]) -> Option<&'r [u8]>,
    ) -> Verdict<'r> {
        match self.target_and_groups(crawler, url) {
            Err(reason) => Verdict::without_robots(reason),
            Ok((target, selected)) => target.in_normal_form(|target| {
                with_room(target, |mut target| self.decide(&mut target, &selected, read))
            }),
        }
    }

    /// The target and the groups that apply; or the reason for an answer without rules.
    pub(crate) fn target_and_groups<'u>(
        &self,
        crawler: CrawlerRef<'_>,
        url: &'u [u8],
    ) -> Result<(Target<'u>, Vec<Selected>), Reason> {
        let target = self.dialect().target(crawler, url)?;
        if self.allows_all {
            return Err(Reason::Unavailable);
        }
        let selected = self.outline().select(crawler);
        if selected.is_empty() { Err(Reason::NoGroup) } else { Ok((target, selected)) }
    }

    /// Finds the deciding rule.
    pub(crate) fn decide<'r>(
        &'r self,
        target: &mut Searched<'_>,
        selected: &[Selected],
        read: impl Fn(&'r [u8]) -> Option<&'r [u8]>,
    ) -> Verdict<'r> {
        let decided = decide(self.outline(), target, selected, read);
        Verdict::of_file(self, decided, selected.first().copied())
    }

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
        self.explanation(crawler.as_crawler(), url.as_ref())
    }

    fn explanation(&self, crawler: CrawlerRef<'_>, url: &[u8]) -> Explanation<'_> {
        let (target, selected) = match self.target_and_groups(crawler, url) {
            Ok(found) => found,
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

/// Whether the deciding rule allows, and its group and index; `None` if no rule matches.
#[inline]
fn decide<'r>(
    outline: Outline<'r>,
    target: &mut Searched<'_>,
    selected: &[Selected],
    read: impl Fn(&'r [u8]) -> Option<&'r [u8]>,
) -> Option<(bool, (Selected, usize))> {
    let dialect = outline.dialect;
    let mut contest = Contest::new(dialect.precedence);
    for &group in selected {
        for (at, rule) in outline.indexed_rules(group) {
            let Some(raw) = read(&outline.text[rule.pattern().range()]) else { continue };
            if let Some(found) = Match::of(rule.kind, raw, target, dialect) {
                contest.offer(found, (group, at));
                if contest.is_settled() {
                    return contest.winner();
                }
            }
        }
    }
    contest.winner()
}

/// Whether a crawler may fetch a URL according to a robots.txt, in the default dialect, RFC 9309.
///
/// Use it for a single question. For several questions about the same file, parse it once
/// ([`Robots`]). Both always agree.
///
/// # Examples
///
/// ```
/// let robots = "User-agent: *\nDisallow: /cart\n";
/// assert!(!verger::is_allowed(robots, "GPTBot", "https://shop.example/cart"));
/// assert!(verger::is_allowed(robots, "GPTBot", "https://shop.example/"));
/// ```
pub fn is_allowed<B, C, U>(robots: &B, crawler: &C, url: &U) -> bool
where
    B: AsRef<[u8]> + ?Sized,
    C: AsCrawler + ?Sized,
    U: AsRef<[u8]> + ?Sized,
{
    Dialect::RFC9309.is_allowed(robots, crawler, url)
}

impl Dialect {
    /// Whether a crawler may fetch a URL according to a robots.txt, in this dialect.
    ///
    /// # Complexity
    ///
    /// As parsing and one [`check`](Robots::check), but the text is not copied, and rules of groups
    /// for other crawlers are skipped.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::{Crawler, Dialect};
    ///
    /// let robots = "User-agent: Googlebot\nDisallow: /\n\nUser-agent: *\nAllow: /\n";
    /// let crawler = Crawler::chain(["Googlebot-Image", "Googlebot"]);
    /// assert!(!Dialect::GOOGLE.is_allowed(robots, &crawler, "https://shop.example/logo.png"));
    /// ```
    pub fn is_allowed<B, C, U>(&self, robots: &B, crawler: &C, url: &U) -> bool
    where
        B: AsRef<[u8]> + ?Sized,
        C: AsCrawler + ?Sized,
        U: AsRef<[u8]> + ?Sized,
    {
        self.answer_once(robots.as_ref(), crawler.as_crawler(), url.as_ref())
    }

    fn answer_once(&self, robots: &[u8], crawler: CrawlerRef<'_>, url: &[u8]) -> bool {
        if crawler.token_count(self) > limits::FILTERED_TOKENS {
            return self.parse(robots).is_allowed(&crawler, url);
        }
        let target = match self.target(crawler, url) {
            Ok(target) => target,
            Err(reason) => return reason.allows(),
        };
        let input = Input::read(robots, self);
        // A file that allows everything because of its size has an empty outline.
        outline_for(&input, self, crawler, |outline| {
            let selected = outline.select(crawler);
            target.in_normal_form(|target| {
                with_room(target, |mut target| decide(outline, &mut target, &selected, Some))
                    .is_none_or(|(allowed, _)| allowed)
            })
        })
    }

    /// Whether the answer depends on a robots.txt: not for crawlers that ignore it, for schemes
    /// without one, and for robots.txt itself (REP-MATCH-6, REP-ACCESS-8).
    ///
    /// [`Access::verdict`](crate::access::Access::verdict) gives the answer in both cases.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::Dialect;
    ///
    /// let dialect = Dialect::RFC9309;
    /// assert!(dialect.needs_robots("ExampleBot", "https://shop.example/cart"));
    /// assert!(!dialect.needs_robots("ExampleBot", "https://shop.example/robots.txt"));
    /// assert!(!dialect.needs_robots("ExampleBot", "mailto:a@shop.example"));
    /// ```
    pub fn needs_robots<C, U>(&self, crawler: &C, url: &U) -> bool
    where
        C: AsCrawler + ?Sized,
        U: AsRef<[u8]> + ?Sized,
    {
        self.target(crawler.as_crawler(), url.as_ref()).is_ok()
    }

    /// Whether a text is an absolute URL or a path. For any other text the answer is
    /// [`Reason::NotAUrl`] (REP-AMB-62). Dialect `google` finds a path in any text.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::Dialect;
    ///
    /// assert!(Dialect::RFC9309.reads_url("https://shop.example/cart"));
    /// assert!(Dialect::RFC9309.reads_url("/cart"));
    /// assert!(!Dialect::RFC9309.reads_url("shop.example/cart"));
    /// assert!(Dialect::GOOGLE.reads_url("shop.example/cart"));
    /// ```
    pub fn reads_url<U: AsRef<[u8]> + ?Sized>(&self, text: &U) -> bool {
        !matches!(self.reading().target(text.as_ref()), Err(Reason::NotAUrl))
    }

    /// The target for the comparison with rules; or the reason why no rule applies.
    pub(crate) fn target<'u>(
        &self,
        crawler: CrawlerRef<'_>,
        url: &'u [u8],
    ) -> Result<Target<'u>, Reason> {
        if crawler.ignores_robots() {
            return Err(Reason::CrawlerIgnoresRobots);
        }
        self.reading().target(url)
    }
}

/// A verdict with all the rules that matched.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Explanation<'r> {
    /// The verdict, the same as that of [`Robots::check`].
    pub verdict: Verdict<'r>,
    /// The target in the dialect's normal form; `None` if no rules were compared.
    pub target: Option<Vec<u8>>,
    /// Every rule that matched, in file order, including the deciding one.
    pub contenders: Vec<Contender<'r>>,
}

/// A rule that matched.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Contender<'r> {
    /// The rule.
    pub rule: Rule<'r>,
    /// Its group.
    pub group: Group<'r>,
    /// The length for the comparison of rules: octets of the pattern's normal form, including `*`
    /// and `$`.
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
    /// The deciding rule is as long, of the same kind, and earlier in the file.
    Repeats,
}

impl Standing {
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
    fn losing_rules_have_a_reason() {
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
    fn there_are_no_contenders_without_a_comparison() {
        let robots = Robots::parse("User-agent: *\nDisallow: /\n");
        let explanation = robots.explain("a", "mailto:x");
        assert_eq!(explanation.target, None);
        assert!(explanation.contenders.is_empty());
        assert_eq!(robots.explain("a", "/%61").target, Some(vec![b'/', b'a']));
    }
}
