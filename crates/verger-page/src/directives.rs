//! What a page says to one crawler, taken together.

use std::fmt;

use crate::combine::{Caches, Combine, Opposites};
use crate::directive::Directive;
use crate::statement::Statement;
use crate::time::UnixTime;
use crate::value::{ImagePreview, Limit};

/// What holds for one crawler, and which statements say so: [`Page::directives`].
///
/// [`Page::directives`]: crate::Page::directives
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageDirectives<'p> {
    effective: Vec<Effective<'p>>,
    applicable: Vec<&'p Statement>,
}

/// A directive that holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effective<'p> {
    directive: Directive,
    statements: Vec<&'p Statement>,
}

impl<'p> Effective<'p> {
    /// The directive. Shorthands are spelt out: `none` is `noindex` and `nofollow`, `max-snippet:0` is
    /// `nosnippet`.
    pub const fn directive(&self) -> Directive {
        self.directive
    }

    /// The statements that say so, headers before meta elements; never empty.
    pub fn statements(&self) -> &[&'p Statement] {
        &self.statements
    }
}

impl<'p> PageDirectives<'p> {
    /// Combines statements, all of which are for the crawler.
    ///
    /// REP-PAGE-24: those for everybody and those for its names add up.
    pub(crate) fn combine(applicable: Vec<&'p Statement>, combine: &Combine) -> Self {
        let stated = Stated { statements: &applicable, combine };
        let effective = stated.effective();
        Self { effective, applicable }
    }

    /// The directives that hold, in an order that stays the same.
    pub fn iter(&self) -> impl Iterator<Item = &Effective<'p>> {
        self.effective.iter()
    }

    /// Every statement that is for this crawler, also those that say nothing and those that lost.
    pub fn statements(&self) -> &[&'p Statement] {
        &self.applicable
    }

    /// Whether nothing holds.
    pub fn is_empty(&self) -> bool {
        self.effective.is_empty()
    }

    /// Whether something keeps the page out of the index, now or from some time on: `noindex` or
    /// `unavailable_after`.
    pub fn restricts_indexing(&self) -> bool {
        self.noindex() || self.unavailable_after().is_some()
    }

    /// Whether links of the page must not be followed: `nofollow`.
    pub fn restricts_following(&self) -> bool {
        self.nofollow()
    }

    /// Whether the page may be shown in results at this time, by itself.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::Crawler;
    /// use verger_page::{Combine, Page, UnixTime};
    ///
    /// let mut page = Page::new();
    /// page.read_header("X-Robots-Tag", "unavailable_after: 1 Jan 2030 00:00:00 GMT");
    /// let found = page.directives(&Crawler::new("ExampleBot"), &Combine::GOOGLE);
    /// assert!(found.may_index(UnixTime::from_seconds(1_893_455_999)));
    /// assert!(!found.may_index(UnixTime::from_seconds(1_893_456_001)));
    /// ```
    pub fn may_index(&self, now: UnixTime) -> bool {
        !self.noindex() && self.unavailable_after().is_none_or(|end| now <= end)
    }

    /// Whether the page must not be shown in results. Embedded in another page it may be, where
    /// [`indexifembedded`](Self::indexifembedded) holds too.
    pub fn noindex(&self) -> bool {
        self.has(Directive::NoIndex)
    }

    /// Whether links of the page must not be followed.
    pub fn nofollow(&self) -> bool {
        self.has(Directive::NoFollow)
    }

    /// Whether no text of the page may be shown.
    pub fn nosnippet(&self) -> bool {
        self.has(Directive::NoSnippet)
    }

    /// Whether the page may be indexed where it is embedded in another, in spite of `noindex`.
    pub fn indexifembedded(&self) -> bool {
        self.has(Directive::IndexIfEmbedded)
    }

    /// Characters of a snippet; `None` for as many as one likes, or where
    /// [`nosnippet`](Self::nosnippet) holds.
    pub fn max_snippet(&self) -> Option<u32> {
        self.find(|directive| match directive {
            Directive::MaxSnippet(Limit::AtMost(number)) => Some(number),
            _ => None,
        })
    }

    /// The largest preview of an image that is stated.
    pub fn max_image_preview(&self) -> Option<ImagePreview> {
        self.find(|directive| match directive {
            Directive::MaxImagePreview(preview) => Some(preview),
            _ => None,
        })
    }

    /// Seconds of a video preview; 0 is a still image; `None` for as many as one likes.
    pub fn max_video_preview(&self) -> Option<u32> {
        self.find(|directive| match directive {
            Directive::MaxVideoPreview(Limit::AtMost(number)) => Some(number),
            _ => None,
        })
    }

    /// The time after which the page is not shown.
    pub fn unavailable_after(&self) -> Option<UnixTime> {
        self.find(|directive| match directive {
            Directive::UnavailableAfter(time) => Some(time),
            _ => None,
        })
    }

    /// Whether a directive holds, value included.
    pub fn has(&self, directive: Directive) -> bool {
        self.effective.iter().any(|it| it.directive == directive)
    }

    fn find<T>(&self, of: impl Fn(Directive) -> Option<T>) -> Option<T> {
        self.effective.iter().find_map(|it| of(it.directive))
    }
}

impl fmt::Display for PageDirectives<'_> {
    /// As a list of a meta element would say it; `all` when nothing holds.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.effective.is_empty() {
            return f.write_str("all");
        }
        self.effective.iter().enumerate().try_for_each(|(index, it)| {
            let comma = if index == 0 { "" } else { ", " };
            write!(f, "{comma}{}", it.directive)
        })
    }
}

/// The statements for one crawler, on their way to what holds.
struct Stated<'s, 'p> {
    statements: &'s [&'p Statement],
    combine: &'s Combine,
}

impl<'p> Stated<'_, 'p> {
    fn effective(&self) -> Vec<Effective<'p>> {
        use Directive as D;
        let noindex =
            self.unless_permitted(D::NoIndex, &[D::NoIndex, D::None], &[D::Index, D::All]);
        let embedded = noindex.as_ref().and_then(|_| self.any(D::IndexIfEmbedded));
        let nofollow =
            self.unless_permitted(D::NoFollow, &[D::NoFollow, D::None], &[D::Follow, D::All]);
        let nosnippet = self.stated(D::NoSnippet, &[D::NoSnippet, D::MaxSnippet(Limit::AtMost(0))]);
        // REP-PAGE-25: nothing at all is less than some.
        let max_snippet = match nosnippet {
            Some(_) => None,
            None => self.least(|directive| match directive {
                D::MaxSnippet(limit @ Limit::AtMost(_)) => Some(limit),
                _ => None,
            }),
        };
        let max_image = self.least(|directive| match directive {
            D::MaxImagePreview(preview) => Some(preview),
            _ => None,
        });
        let max_video = self.least(|directive| match directive {
            D::MaxVideoPreview(limit @ Limit::AtMost(_)) => Some(limit),
            _ => None,
        });
        let until = self.least(|directive| match directive {
            D::UnavailableAfter(time) => Some(time),
            _ => None,
        });
        let (noarchive, nocache) = self.caches();
        let found = [noindex, embedded, nofollow, nosnippet, max_snippet, max_image, max_video]
            .into_iter()
            .chain([noarchive, nocache, self.any(D::NoTranslate), self.any(D::NoImageIndex), until])
            // Directories that are gone have no effect (noodp, noydir, noyaca).
            .chain(
                [D::NoSiteLinksSearchBox, D::NoAi, D::NoImageAi, D::NoMl].map(|it| self.any(it)),
            );
        found.flatten().collect()
    }

    /// REP-PAGE-20: what `noarchive` and `nocache` are together.
    fn caches(&self) -> (Option<Effective<'p>>, Option<Effective<'p>>) {
        use Directive as D;
        let noarchive = self.unless_permitted(D::NoArchive, &[D::NoArchive], &[D::Archive]);
        let nocache = self.any(D::NoCache);
        match (noarchive, nocache, self.combine.caches) {
            (Some(_), Some(_), Caches::NoCache) => {
                (None, self.stated(D::NoCache, &[D::NoCache, D::NoArchive]))
            }
            (noarchive, nocache, _) => (noarchive, nocache),
        }
    }

    fn any(&self, directive: Directive) -> Option<Effective<'p>> {
        self.stated(directive, &[directive])
    }

    /// The directive that holds because any of these is stated.
    fn stated(&self, directive: Directive, any: &[Directive]) -> Option<Effective<'p>> {
        let is_any = |statement: &&&Statement| {
            statement.directive().is_some_and(|directive| any.contains(&directive))
        };
        let statements: Vec<_> = self.statements.iter().filter(is_any).copied().collect();
        (!statements.is_empty()).then_some(Effective { directive, statements })
    }

    /// The same, where what permits does not win (REP-PAGE-21, REP-PAGE-25).
    fn unless_permitted(
        &self,
        directive: Directive,
        any: &[Directive],
        permits: &[Directive],
    ) -> Option<Effective<'p>> {
        let is_permitted = match self.combine.opposites {
            Opposites::Restrictive => false,
            Opposites::Permissive => self.stated(directive, permits).is_some(),
        };
        if is_permitted { None } else { self.stated(directive, any) }
    }

    /// The directive with the smallest value.
    fn least<T: Ord>(&self, value: impl Fn(Directive) -> Option<T>) -> Option<Effective<'p>> {
        let all = self.statements.iter().filter_map(|statement| statement.directive());
        let (_, directive) = all
            .filter_map(|it| Some((value(it)?, it)))
            .min_by(|left, right| left.0.cmp(&right.0))?;
        self.any(directive)
    }
}
