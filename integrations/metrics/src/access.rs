//! Whether a file closes the whole site, for many crawlers.

use std::collections::HashMap;

use verger::{AsCrawler, Crawler, Robots};
use verger_analysis::{Analysis, Budget, PatternState};

use crate::limits::CRAWLERS;

/// The share of a site that an agent must not use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(clippy::exhaustive_enums, reason = "a share is nothing, everything or between")]
pub enum Restriction {
    /// Nothing is disallowed.
    None,
    /// Something is disallowed.
    Some,
    /// Everything is disallowed.
    All,
}

impl Restriction {
    /// The name in columns: `all`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Some => "some",
            Self::All => "all",
        }
    }
}

/// The restrictions of one file for crawlers. Those that obey the same groups share an analysis.
pub(crate) struct Accesses<'r> {
    pub(crate) robots: &'r Robots,
    /// By the indices of the groups.
    known: HashMap<Vec<usize>, Option<Restriction>>,
    /// The number of crawlers.
    asked: usize,
}

impl<'r> Accesses<'r> {
    pub(crate) fn of(robots: &'r Robots) -> Self {
        Self { robots, known: HashMap::new(), asked: 0 }
    }

    /// The restriction of a crawler that obeys robots.txt; `None` if it was not decided.
    pub(crate) fn of_crawler<C: AsCrawler + ?Sized>(
        &mut self,
        crawler: &C,
        budget: &mut Budget,
    ) -> Option<Restriction> {
        self.asked += 1;
        if self.asked > CRAWLERS {
            return None;
        }
        let groups: Vec<usize> =
            self.robots.groups_for(crawler).map(|group| group.index()).collect();
        let analyse = || match Analysis::new(self.robots, crawler).pattern_state("/", budget) {
            PatternState::Open { .. } | PatternState::Empty => Some(Restriction::None),
            PatternState::Closed { .. } => Some(Restriction::All),
            PatternState::Mixed { .. } => Some(Restriction::Some),
            _ => None,
        };
        *self.known.entry(groups).or_insert_with(analyse)
    }

    /// Whether a group that names the crawler, or one of its fallbacks, applies to it.
    pub(crate) fn is_named(&self, crawler: &Crawler) -> bool {
        self.robots
            .groups_for(crawler)
            .any(|group| group.found_by().is_some_and(|agent| !agent.is_star()))
    }
}
