//! The combined directives of a page for one crawler, and the vendors' rules for contradictions.

use std::fmt;
use std::str::FromStr;

use verger::UnknownName;

use crate::directive::{Directive, Limit};
use crate::statement::Statement;
use verger::access::Timestamp;

/// The effective directives for one crawler, with their statements: [`Page::directives`].
///
/// [`Page::directives`]: crate::Page::directives
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PageDirectives<'p> {
    /// The effective directives, in a fixed order.
    pub effective: Vec<Effective<'p>>,
    /// All statements for this crawler, including invalid and overruled ones.
    pub statements: Vec<&'p Statement>,
}

/// An effective directive.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Effective<'p> {
    /// The directive. Shorthands are expanded: `none` is `noindex` and `nofollow`, `max-snippet:0`
    /// is `nosnippet`.
    pub directive: Directive,
    /// The statements of it, headers before meta elements; never empty.
    pub statements: Vec<&'p Statement>,
}

impl<'p> PageDirectives<'p> {
    /// Combines statements, all of which are for the crawler.
    ///
    /// REP-PAGE-24: those for every crawler and those for its names add up.
    pub(crate) fn combine(statements: Vec<&'p Statement>, combine: &Combine) -> Self {
        let obeyed: Vec<_> = statements.iter().copied().filter(|it| it.ignored.is_none()).collect();
        let effective = Stated { statements: &obeyed, combine }.effective();
        Self { effective, statements }
    }

    /// Whether the page itself may be shown in results at this time.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::Crawler;
    /// use verger::access::Timestamp;
    /// use verger_page::{Combine, Page};
    ///
    /// let mut page = Page::new();
    /// page.read_header("X-Robots-Tag", "unavailable_after: 1 Jan 2030 00:00:00 GMT");
    /// let found = page.directives(&Crawler::new("ExampleBot"), &Combine::GOOGLE);
    /// assert!(found.may_index(Timestamp::from_seconds(1_893_455_999)));
    /// assert!(!found.may_index(Timestamp::from_seconds(1_893_456_001)));
    /// ```
    pub fn may_index(&self, now: Timestamp) -> bool {
        !self.noindex() && self.unavailable_after().is_none_or(|end| now <= end)
    }

    /// Whether the page must not be shown in results. With `indexifembedded` it may be shown when
    /// embedded in another page.
    pub fn noindex(&self) -> bool {
        self.has(Directive::NoIndex)
    }

    /// Whether links of the page must not be followed.
    pub fn nofollow(&self) -> bool {
        self.has(Directive::NoFollow)
    }

    /// The time after which the page is not shown in results.
    pub fn unavailable_after(&self) -> Option<Timestamp> {
        self.effective.iter().find_map(|it| match it.directive {
            Directive::UnavailableAfter(time) => Some(time),
            _ => None,
        })
    }

    /// Whether a directive with this value is effective.
    pub fn has(&self, directive: Directive) -> bool {
        self.effective.iter().any(|it| it.directive == directive)
    }
}

impl fmt::Display for PageDirectives<'_> {
    /// As a list for a meta element; `all` without effective directives.
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

/// The statements for one crawler before their combination.
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
        // REP-PAGE-25: no snippet is less than a short one.
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
            // Directives about directories that no longer exist have no effect (noodp, noydir,
            // noyaca).
            .chain(
                [D::NoSiteLinksSearchBox, D::NoAi, D::NoImageAi, D::NoMl].map(|it| self.any(it)),
            );
        found.flatten().collect()
    }

    /// REP-PAGE-20: the result of `noarchive` together with `nocache`.
    fn caches(&self) -> (Option<Effective<'p>>, Option<Effective<'p>>) {
        use Directive as D;
        let noarchive = self.unless_permitted(D::NoArchive, &[D::NoArchive], &[D::Archive]);
        let nocache = self.any(D::NoCache);
        if noarchive.is_some() && nocache.is_some() && self.combine.is_nocache_alone {
            return (None, self.stated(D::NoCache, &[D::NoCache, D::NoArchive]));
        }
        (noarchive, nocache)
    }

    fn any(&self, directive: Directive) -> Option<Effective<'p>> {
        self.stated(directive, &[directive])
    }

    /// The directive, if any of these is stated.
    fn stated(&self, directive: Directive, any: &[Directive]) -> Option<Effective<'p>> {
        let is_any = |statement: &&&Statement| {
            statement.parsed.is_ok_and(|directive| any.contains(&directive))
        };
        let statements: Vec<_> = self.statements.iter().filter(is_any).copied().collect();
        (!statements.is_empty()).then_some(Effective { directive, statements })
    }

    /// The same, unless a permissive one wins (REP-PAGE-21, REP-PAGE-25).
    fn unless_permitted(
        &self,
        directive: Directive,
        any: &[Directive],
        permits: &[Directive],
    ) -> Option<Effective<'p>> {
        let is_permitted = self.combine.is_permissive && self.stated(directive, permits).is_some();
        if is_permitted { None } else { self.stated(directive, any) }
    }

    /// The directive with the smallest value.
    fn least<T: Ord>(&self, value: impl Fn(Directive) -> Option<T>) -> Option<Effective<'p>> {
        let all = self.statements.iter().filter_map(|statement| statement.parsed.ok());
        let (_, directive) = all
            .filter_map(|it| Some((value(it)?, it)))
            .min_by(|left, right| left.0.cmp(&right.0))?;
        self.any(directive)
    }
}

/// Combination of contradictory directives (REP-AMB-57).
///
/// A published row, like a dialect.
///
/// # Examples
///
/// ```
/// use verger::Crawler;
/// use verger_page::{Combine, Page};
///
/// let mut page = Page::new();
/// page.read_header("X-Robots-Tag", "noindex, index");
/// let bot = Crawler::new("ExampleBot");
/// assert!(page.directives(&bot, &Combine::GOOGLE).noindex());
/// assert!(!page.directives(&bot, &Combine::YANDEX).noindex());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Combine {
    /// Name of the row.
    pub name: &'static str,
    /// Whether of two opposites the permissive one wins: `index`, `follow`, `archive`, and `all`
    /// for the first two (REP-PAGE-21). Otherwise the restrictive one wins (REP-PAGE-25).
    is_permissive: bool,
    /// Whether of `nocache` and `noarchive` only the former applies, the less restrictive one
    /// (REP-PAGE-20).
    is_nocache_alone: bool,
}

impl Combine {
    /// Google: the more restrictive wins (REP-PAGE-25). The default.
    pub const GOOGLE: Self = Self { name: "google", is_permissive: false, is_nocache_alone: false };

    /// Bing: as Google, but `nocache` beside `noarchive` is `nocache` alone (REP-PAGE-20).
    pub const BING: Self = Self { name: "bing", is_nocache_alone: true, ..Self::GOOGLE };

    /// Yandex: of two opposites the permissive one wins (REP-PAGE-21). Its reading of several
    /// numbers is undocumented; the smallest applies.
    pub const YANDEX: Self = Self { name: "yandex", is_permissive: true, ..Self::GOOGLE };

    /// The published rows.
    pub const PUBLISHED: [Self; 3] = [Self::GOOGLE, Self::BING, Self::YANDEX];
}

impl FromStr for Combine {
    type Err = UnknownName;

    /// Finds the published row with a name; ASCII case does not matter.
    ///
    /// # Errors
    ///
    /// No published row has the name. The error lists all of them.
    fn from_str(name: &str) -> Result<Self, UnknownName> {
        let row = Self::PUBLISHED.into_iter().find(|row| row.name.eq_ignore_ascii_case(name));
        let choices = || Self::PUBLISHED.map(|row| row.name);
        row.ok_or_else(|| UnknownName::new("a way to combine", name, choices()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_found_by_name() {
        for row in Combine::PUBLISHED {
            assert_eq!(row.name.to_uppercase().parse(), Ok(row));
        }
        let error = "x".parse::<Combine>().unwrap_err();
        assert_eq!(
            error.to_string(),
            "expected a way to combine (google, bing, yandex), but found `x`"
        );
    }
}
