//! How directives that contradict each other are combined: a row of choices for each vendor.

use std::fmt;
use std::str::FromStr;

use verger::UnknownName;

/// How directives that contradict each other are combined (REP-AMB-57).
///
/// A value, as a dialect is: take a published row, or make your own.
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
/// assert!(page.directives(&bot, &Combine::GOOGLE).restricts_indexing());
/// assert!(!page.directives(&bot, &Combine::YANDEX).restricts_indexing());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_structs, reason = "users make their own rows")]
pub struct Combine {
    /// What the row is called by.
    pub name: &'static str,
    /// Which of two opposites wins, such as `index` and `noindex`.
    pub opposites: Opposites,
    /// What `nocache` and `noarchive` are together.
    pub caches: Caches,
}

/// Which of two opposites wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "one of two wins")]
pub enum Opposites {
    /// The one that forbids (REP-PAGE-25).
    Restrictive,
    /// The one that permits: `index`, `follow`, `archive`, and `all` for the first two (REP-PAGE-21).
    Permissive,
}

/// What `nocache` and `noarchive` are together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "either both hold or one does")]
pub enum Caches {
    /// Both hold.
    Both,
    /// Only `nocache`, which is the less restrictive, holds (REP-PAGE-20).
    NoCache,
}

impl Combine {
    /// Google: the more restrictive wins (REP-PAGE-25). The default.
    pub const GOOGLE: Self =
        Self { name: "google", opposites: Opposites::Restrictive, caches: Caches::Both };

    /// Bing: as Google, but `nocache` beside `noarchive` is `nocache` alone (REP-PAGE-20).
    pub const BING: Self = Self { name: "bing", caches: Caches::NoCache, ..Self::GOOGLE };

    /// Yandex: of two opposites the permissive one wins (REP-PAGE-21). What it makes of numbers nobody
    /// says; the smaller one holds.
    pub const YANDEX: Self =
        Self { name: "yandex", opposites: Opposites::Permissive, ..Self::GOOGLE };

    /// The published rows.
    pub const PUBLISHED: [Self; 3] = [Self::GOOGLE, Self::BING, Self::YANDEX];

    /// The published row of a name; ASCII case does not matter.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger_page::Combine;
    ///
    /// assert_eq!(Combine::named("bing"), Some(Combine::BING));
    /// assert_eq!(Combine::named("gopher"), None);
    /// ```
    pub fn named(name: &str) -> Option<Self> {
        name.parse().ok()
    }
}

impl FromStr for Combine {
    type Err = UnknownName;

    /// The published row of a name, as [`named`](Self::named).
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

impl Default for Combine {
    fn default() -> Self {
        Self::GOOGLE
    }
}

impl fmt::Display for Combine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_found_by_name() {
        for row in Combine::PUBLISHED {
            assert_eq!(Combine::named(row.name), Some(row));
        }
        assert_eq!(Combine::named("Google"), Some(Combine::GOOGLE));
        let error = "x".parse::<Combine>().unwrap_err();
        assert_eq!(
            error.to_string(),
            "expected a way to combine (google, bing, yandex), but found `x`"
        );
        assert_eq!(Combine::default().to_string(), "google");
    }
}
