//! The choices an access profile is made of.

/// What an outcome means (REP-ACCESS-19 and the table above it).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Meaning {
    /// The body is the file.
    Rules,
    /// There is no file: no restriction. A result like a file, and as long fresh (REP-CACHE-4).
    AllowAll,
    /// Everything is forbidden. A result like a file, and as long fresh (REP-CACHE-4).
    DisallowAll,
    /// Nothing is known, and there is an outage: what follows is for the [`Ladder`] to say.
    Unreachable,
}

/// What holds while an outage lasts, one step after the other. When the steps begin is for the
/// profile to say ([`outage_later`](super::Profile::outage_later),
/// [`outage_end`](super::Profile::outage_end)).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_structs, reason = "three steps, as the texts have them at most")]
pub struct Ladder {
    /// From the first failure on.
    pub at_first: Step,
    /// From [`outage_later`](super::Profile::outage_later) on.
    pub later: Step,
    /// From [`outage_end`](super::Profile::outage_end) on, until the site answers.
    pub in_the_end: Step,
}

impl Ladder {
    /// The same from the first failure on.
    ///
    /// # Examples
    ///
    /// ```
    /// use verger::access::{Ladder, Profile, Step};
    ///
    /// assert_eq!(Profile::ARCHIVE.outage_without_copy, Ladder::always(Step::Allow));
    /// ```
    pub const fn always(step: Step) -> Self {
        Self { at_first: step, later: step, in_the_end: step }
    }
}

/// One step of a [`Ladder`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Step {
    /// Everything is forbidden. The texts of 1996 and the book say "defer", which is the same for
    /// whoever asks (REP-CACHE-13).
    Disallow,
    /// No restriction.
    Allow,
    /// The last good copy. Without one, everything is forbidden.
    Copy,
    /// No restriction if the site is otherwise there, else everything is forbidden (REP-CACHE-10,
    /// REP-CACHE-22).
    AllowIfSiteAvailable,
}
