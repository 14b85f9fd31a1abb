//! Expected answers of every access profile during an outage, from the table in `docs/access.md`.

/// Access to a site whose file disallows `/private`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// Everything is disallowed.
    Nothing,
    /// The rules of the file, fresh or as the copy.
    Rules,
    /// Everything is allowed.
    Everything,
}
use Answer::{Everything, Nothing, Rules};

/// An access profile.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    with_copy: Ladder,
    without_copy: Ladder,
    /// Age in days from which the copy is not used (REP-CACHE-14).
    copy_days: u64,
}

/// Answers from a number of counted hours on. Daily failures of the site count 24 hours each, in
/// `google` one hour.
type Ladder = &'static [(u64, Answer)];

impl Row {
    /// Answer after a failure of the site. `counted` is the length of the outage in hours,
    /// `copy_age` the age of the copy in days.
    pub(crate) fn after_failure(&self, copy_age: Option<u64>, counted: u64) -> Answer {
        let has_copy = copy_age.is_some_and(|age| age < self.copy_days);
        let ladder = if has_copy { self.with_copy } else { self.without_copy };
        ladder.iter().rfind(|(begin, _)| counted >= *begin).unwrap().1
    }

    /// Answer after failures on this day and on this number of days before.
    pub(crate) fn after_days(&self, copy_age: Option<u64>, days: u64) -> Answer {
        if self.name == "google" && days >= 30 {
            // A more restrictive step can also begin by the clock (REP-CACHE-26).
            return Nothing;
        }
        self.after_failure(copy_age, days * self.gap())
    }

    /// Answer if a fetch is due and the crawler itself cannot send it (REP-CACHE-28).
    pub(crate) fn after_own_fault(&self, copy_age: Option<u64>) -> Answer {
        let has_copy = copy_age.is_some_and(|age| age < self.copy_days);
        if has_copy && self.with_copy[0].1 == Rules { Rules } else { Nothing }
    }

    /// Most hours that one failure adds (REP-CACHE-25).
    pub(crate) fn gap(&self) -> u64 {
        if self.name == "google" { 1 } else { 24 }
    }
}

const MONTH: u64 = 30 * 24;
const CLOSED: Ladder = &[(0, Nothing)];
const COPY: Ladder = &[(0, Rules)];
const OPEN: Ladder = &[(0, Everything)];
const OPEN_AFTER_A_MONTH: Ladder = &[(0, Nothing), (MONTH, Everything)];

/// Every profile that `verger check --help` lists.
pub(crate) const PROFILES: [Row; 11] = [
    row("rfc9309", COPY, OPEN_AFTER_A_MONTH),
    row("google", &[(0, Nothing), (12, Rules)], &[(0, Nothing), (12, Everything)]),
    row("google-old", &[(0, Nothing), (MONTH, Rules)], OPEN_AFTER_A_MONTH),
    row("koster1996", CLOSED, CLOSED),
    row("book", CLOSED, CLOSED),
    row("orig1994", COPY, OPEN_AFTER_A_MONTH),
    row("rep2019", COPY, OPEN_AFTER_A_MONTH),
    row("yandex", OPEN, OPEN),
    Row { copy_days: 30, ..row("amazonbot", COPY, OPEN) },
    row("strict", COPY, OPEN_AFTER_A_MONTH),
    row("archive", COPY, OPEN),
];

const fn row(name: &'static str, with_copy: Ladder, without_copy: Ladder) -> Row {
    Row { name, with_copy, without_copy, copy_days: u64::MAX }
}
