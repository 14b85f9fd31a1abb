//! The published rows. Where a text has a gap, the defaults of the REP-AMB clauses apply.

use core::time::Duration;

use super::profile::{Ladder, Meaning, OutageStep, Profile};
use crate::limits;

impl Profile {
    /// All profiles, the default first.
    pub const ALL: [Self; 11] = [
        Self::RFC9309,
        Self::GOOGLE,
        Self::GOOGLE_OLD,
        Self::KOSTER1996,
        Self::BOOK,
        Self::ORIG1994,
        Self::REP2019,
        Self::YANDEX,
        Self::AMAZONBOT,
        Self::STRICT,
        Self::ARCHIVE,
    ];

    /// RFC 9309 of September 2022, with our defaults for its gaps. The default.
    pub const RFC9309: Self = Self {
        name: "rfc9309",
        no_content: Meaning::Rules,
        partial_content: Meaning::Unreachable,
        accepted_empty: Meaning::Unreachable,
        other_success: Meaning::Rules,
        redirects: limits::REDIRECTS,
        redirect_limit: Meaning::AllowAll,
        broken_redirect: Meaning::Unreachable,
        disallowed_hop: None,
        follow_downgrades: true,
        forbidden: Meaning::AllowAll,
        too_many_requests: Meaning::Unreachable,
        unavailable: Meaning::AllowAll,
        server_error: Meaning::Unreachable,
        other_status: Meaning::Unreachable,
        default_lifetime: DAY,
        floor: Duration::from_secs(5 * 60),
        ceiling: DAY,
        max_age_ceiling: DAY,
        outage_with_copy: Ladder::always(OutageStep::Copy),
        outage_without_copy: Ladder {
            at_first: OutageStep::Disallow,
            later: OutageStep::Disallow,
            in_the_end: OutageStep::Allow,
        },
        outage_later: Duration::from_secs(12 * 60 * 60),
        outage_end: days(30),
        outage_gap: DAY,
        copy_counts_for: None,
        retry_first: Duration::from_secs(60),
        retry_longest: Duration::from_secs(60 * 60),
        retry_after_longest: DAY,
    };

    /// Google's current documentation.
    pub const GOOGLE: Self = Self {
        name: "google",
        partial_content: Meaning::Rules,
        accepted_empty: Meaning::Rules,
        disallowed_hop: Some(Meaning::AllowAll),
        max_age_ceiling: days(30),
        outage_with_copy: Ladder {
            at_first: OutageStep::Disallow,
            later: OutageStep::Copy,
            in_the_end: OutageStep::AllowIfSiteAvailable,
        },
        outage_without_copy: Ladder {
            at_first: OutageStep::Disallow,
            later: OutageStep::Allow,
            in_the_end: OutageStep::AllowIfSiteAvailable,
        },
        // REP-CACHE-25: its second step begins after 12 hours.
        outage_gap: Duration::from_secs(60 * 60),
        ..Self::RFC9309
    };

    /// Google's previous documentation. For a site with 5xx for missing pages, change
    /// [`server_error`](Self::server_error) to [`Meaning::AllowAll`] (REP-ACCESS-27).
    pub const GOOGLE_OLD: Self = Self {
        name: "google-old",
        // REP-CACHE-11.
        outage_with_copy: Ladder {
            at_first: OutageStep::Disallow,
            later: OutageStep::Disallow,
            in_the_end: OutageStep::Copy,
        },
        outage_without_copy: Self::RFC9309.outage_without_copy,
        outage_gap: Self::RFC9309.outage_gap,
        ..Self::GOOGLE
    };

    /// Martijn Koster's drafts of November and December 1996.
    pub const KOSTER1996: Self = Self {
        name: "koster1996",
        forbidden: Meaning::DisallowAll,
        default_lifetime: days(7),
        ceiling: days(7),
        max_age_ceiling: days(7),
        // REP-CACHE-13: "defer", without an end.
        outage_with_copy: Ladder::always(OutageStep::Disallow),
        outage_without_copy: Ladder::always(OutageStep::Disallow),
        ..Self::RFC9309
    };

    /// Section 9.4 of *HTTP: The Definitive Guide*. It finds the week of 1996 too long.
    pub const BOOK: Self = Self {
        name: "book",
        default_lifetime: DAY,
        ceiling: DAY,
        max_age_ceiling: DAY,
        ..Self::KOSTER1996
    };

    /// The standard of 1994, which covers only the file itself.
    pub const ORIG1994: Self = Self { name: "orig1994", ..Self::RFC9309 };

    /// draft-koster-rep-00 of July 2019.
    pub const REP2019: Self =
        Self { name: "rep2019", too_many_requests: Meaning::AllowAll, ..Self::RFC9309 };

    /// Yandex's documentation: everything is allowed without a status 200, also during an outage.
    pub const YANDEX: Self = Self {
        name: "yandex",
        no_content: Meaning::AllowAll,
        partial_content: Meaning::AllowAll,
        accepted_empty: Meaning::AllowAll,
        other_success: Meaning::AllowAll,
        too_many_requests: Meaning::AllowAll,
        outage_with_copy: Ladder::always(OutageStep::Allow),
        outage_without_copy: Ladder::always(OutageStep::Allow),
        ..Self::RFC9309
    };

    /// Amazonbot's documentation: on any failure, the copy of the last 30 days, else no
    /// restriction.
    pub const AMAZONBOT: Self = Self {
        name: "amazonbot",
        forbidden: Meaning::Unreachable,
        unavailable: Meaning::Unreachable,
        outage_without_copy: Ladder::always(OutageStep::Allow),
        copy_counts_for: Some(days(30)),
        ..Self::RFC9309
    };

    /// Ours, for cautious crawlers: 401, 403, too many and broken redirects disallow everything,
    /// and redirects from https to http are broken (REP-ACCESS-28).
    pub const STRICT: Self = Self {
        name: "strict",
        redirect_limit: Meaning::DisallowAll,
        broken_redirect: Meaning::DisallowAll,
        follow_downgrades: false,
        forbidden: Meaning::DisallowAll,
        ..Self::RFC9309
    };

    /// Ours, for archives: treats unreachable sites as unrestricted unless a cached copy says
    /// otherwise (REP-ACCESS-28).
    pub const ARCHIVE: Self = Self {
        name: "archive",
        outage_without_copy: Ladder::always(OutageStep::Allow),
        ..Self::RFC9309
    };
}

const DAY: Duration = days(1);

const fn days(count: u64) -> Duration {
    Duration::from_secs(count * 24 * 60 * 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_found_by_its_name() {
        for row in Profile::ALL {
            assert_eq!(Profile::named(row.name), Some(row));
        }
        assert_eq!(Profile::named("rfc"), None);
        assert_eq!(Profile::default(), Profile::RFC9309);
    }

    #[test]
    fn no_row_exceeds_the_limits() {
        for row in Profile::ALL {
            assert!(row.floor <= row.ceiling && row.ceiling <= row.max_age_ceiling, "{row}");
            assert!(row.max_age_ceiling <= limits::FRESHNESS, "{row}");
            assert!(row.retry_first <= row.retry_longest, "{row}");
            assert!(row.retry_after_longest <= limits::RETRY, "{row}");
            assert!(row.outage_later <= row.outage_end, "{row}");
            assert!(row.outage_gap <= limits::OUTAGE_GAP, "{row}");
        }
    }

    #[test]
    fn a_profile_shows_as_its_name() {
        let shown = std::format!("{:>10}|{:?}", Profile::GOOGLE_OLD, Profile::GOOGLE_OLD);
        assert_eq!(shown, "google-old|Profile(google-old)");
    }
}
