//! The one-shot answer: one pass over the bytes, without tables or allocations.

use crate::agent::{Name, names};
use crate::crawler::{AsCrawler, CrawlerRef, Step};
use crate::dialect::{Dialect, GroupsTaken};
use crate::group::{Grouping, Place};
use crate::limits;
use crate::parse::{Field, Input, Piece, Receiver, RuleKind, parse};
use crate::rule::{Contest, Match};
use crate::search::{Searched, with_room};

/// Whether a crawler may fetch a URL according to a robots.txt, in the default dialect, RFC 9309.
///
/// Use it for a single question. For several questions about the same file, parse it once
/// ([`Robots`](crate::Robots)). Both always agree.
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
    /// As parsing and one [`check`](crate::Robots::check). Nothing is allocated, with these
    /// exceptions: a file in UTF-16; a crawler with more than
    /// [`ONE_SHOT_TOKENS`](crate::limits::ONE_SHOT_TOKENS) tokens, including the product words of
    /// its header; a target of more than [`TARGET_BYTES`](crate::limits::TARGET_BYTES) that is not
    /// in normal form; such a literal of more than [`LITERAL_BYTES`](crate::limits::LITERAL_BYTES)
    /// after a `*`.
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
        self.answer(robots.as_ref(), crawler.as_crawler(), url.as_ref())
    }

    fn answer(&self, robots: &[u8], crawler: CrawlerRef<'_>, url: &[u8]) -> bool {
        if crawler.token_count(self) > limits::ONE_SHOT_TOKENS {
            return self.parse(robots).check(&crawler, url).is_allowed();
        }
        let target = match self.target(crawler, url) {
            Ok(target) => target,
            Err(reason) => return reason.allows(),
        };
        let input = Input::read(robots, self);
        if input.allows_all() {
            return true;
        }
        target.in_normal_form(|target| {
            with_room(target, |target| OneShot::new(*self, crawler, target).read(&input))
        })
    }
}

/// Follows every step of the group selection at once: the deciding step is known only at the end of
/// the file.
struct OneShot<'a> {
    dialect: Dialect,
    target: Searched<'a>,
    grouping: Grouping,
    steps: [Option<(Step<'a>, Track)>; limits::ONE_SHOT_STEPS],
    star: Track,
    ignores_star: bool,
    /// Whether any track wants the rules of the current group. Most groups are for other crawlers.
    wants_rules: bool,
}

/// The state of the groups that one step, or `*`, selects.
#[derive(Clone, Copy)]
struct Track {
    /// Whether the current group is selected.
    current: bool,
    /// Whether any group was selected so far.
    named: bool,
    taken: GroupsTaken,
    contest: Contest<()>,
}

impl Track {
    const fn new(taken: GroupsTaken, dialect: &Dialect) -> Self {
        let contest = Contest::new(dialect.precedence);
        Self { current: false, named: false, taken, contest }
    }

    fn leave_group(&mut self) {
        self.current = false;
    }

    fn select_group(&mut self) {
        let is_over = self.named && !self.current && self.taken == GroupsTaken::First;
        if !is_over {
            self.current = true;
            self.named = true;
        }
    }

    fn wants_rules(&self) -> bool {
        self.current && !self.contest.is_settled()
    }
}

impl<'a> OneShot<'a> {
    fn new(dialect: Dialect, crawler: CrawlerRef<'a>, target: Searched<'a>) -> Self {
        let mut one_shot = Self {
            grouping: Grouping::new(&dialect),
            star: Track::new(dialect.star_groups, &dialect),
            ignores_star: crawler.ignores_star(),
            dialect,
            target,
            steps: [None; limits::ONE_SHOT_STEPS],
            wants_rules: false,
        };
        for (slot, step) in one_shot.steps.iter_mut().zip(crawler.steps(&dialect)) {
            *slot = Some((step, Track::new(dialect.named_groups, &dialect)));
        }
        one_shot
    }

    fn tracks(&mut self) -> impl Iterator<Item = &mut Track> {
        let steps = self.steps.iter_mut().map_while(|slot| slot.as_mut());
        steps.map(|(_, track)| track).chain(core::iter::once(&mut self.star))
    }

    fn read(&mut self, input: &Input<'_>) -> bool {
        let dialect = self.dialect;
        parse(input, &dialect, self);
        self.allows()
    }

    /// Determines the group of a rule; a rule that applies to all crawlers opens a new group.
    #[inline]
    fn place_rule(&mut self) -> Place {
        let place = self.grouping.rule();
        if place == Place::NewStarGroup {
            self.tracks().for_each(Track::leave_group);
            self.star.select_group();
            self.update_wants_rules();
        }
        place
    }

    fn update_wants_rules(&mut self) {
        let wants_rules = self.tracks().any(|track| track.wants_rules());
        self.wants_rules = wants_rules;
    }

    /// Compares a rule with the target, for all tracks that want it.
    fn compare(&mut self, kind: RuleKind, pattern: &[u8]) {
        if let Some(found) = Match::of(kind, pattern, &mut self.target, &self.dialect) {
            self.tracks()
                .filter(|track| track.wants_rules())
                .for_each(|track| track.contest.offer(found, ()));
            self.update_wants_rules();
        }
    }

    /// The verdict of the first step that a group names, else that of `*`.
    fn allows(&mut self) -> bool {
        if self.ignores_star {
            self.star.named = false;
        }
        let decisive = self.tracks().find(|track| track.named);
        decisive.and_then(|track| track.contest.winner()).is_none_or(|(allowed, ())| allowed)
    }
}

impl<'t> Receiver<'t> for OneShot<'_> {
    const GROUPS_ONLY: bool = true;

    fn user_agent(&mut self, field: Field<'t>) {
        if self.grouping.user_agent() {
            self.tracks().for_each(Track::leave_group);
        }
        let rule = self.dialect.agent_match;
        for name in names(field.value, &self.dialect) {
            if name == Name::Star {
                self.star.select_group();
            }
            for (step, track) in self.steps.iter_mut().map_while(|slot| slot.as_mut()) {
                if step.tokens().any(|token| name.is(token.as_bytes(), rule)) {
                    track.select_group();
                }
            }
        }
        self.update_wants_rules();
    }

    #[inline]
    fn rule(&mut self, kind: RuleKind, field: Field<'t>) {
        if self.place_rule() != Place::NoGroup && self.wants_rules {
            self.compare(kind, field.value.bytes);
        }
    }

    #[inline]
    fn passes_rules(&self) -> bool {
        !self.wants_rules && self.grouping.is_among_rules()
    }

    fn oversized_rule(&mut self, _field: Field<'t>) {
        self.place_rule();
    }

    fn other(&mut self, field: Field<'t>) {
        self.grouping.other(field.key.bytes);
    }

    fn blank(&mut self, _line: Piece<'t>) {
        self.grouping.blank();
    }
}
