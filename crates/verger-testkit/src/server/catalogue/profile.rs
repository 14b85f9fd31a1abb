//! Classes in other access profiles, derived from those of the default profile (docs/access.md).
//!
//! This is an independent copy of the published profiles, so that the engine's table is not tested
//! against itself. Differences by status, not by class, are set at the entry
//! ([`Attack::elsewhere`](super::Attack)).

use std::time::Duration;

use super::expect::{Ask, Class};

/// Effect of outages in a profile.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outage {
    /// Everything is disallowed, or an older copy applies.
    Forbids,
    /// Everything is allowed, unless there is a copy.
    AllowsWithoutCopy,
    /// Everything is allowed.
    Allows,
}

/// One access profile.
pub(super) struct Profile<'a> {
    name: Option<&'a str>,
    outage: Outage,
    /// The class of too many redirects.
    redirect_limit: Class,
    /// Maximum freshness of an answer.
    pub(super) longest: Duration,
}

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

impl<'a> Profile<'a> {
    /// The profile of this name; otherwise the default one.
    pub(super) fn named(name: Option<&'a str>) -> Self {
        let mut row = Self {
            name,
            outage: Outage::Forbids,
            redirect_limit: Class::RedirectLimit,
            longest: DAY,
        };
        match name {
            // REP-CACHE-15.
            Some("yandex") => row.outage = Outage::Allows,
            // REP-CACHE-14, REP-ACCESS-28.
            Some("amazonbot" | "archive") => row.outage = Outage::AllowsWithoutCopy,
            // REP-ACCESS-28.
            Some("strict") => row.redirect_limit = Class::Unreachable,
            // REP-AMB-18.
            Some("google" | "google-old") => row.longest = DAY * 30,
            Some("koster1996") => row.longest = DAY * 7,
            _ => {}
        }
        row
    }

    /// The correct classes for an ask. `has_asked`: it is not the first one.
    pub(super) fn classes(&self, ask: &Ask, has_asked: bool) -> Vec<Class> {
        let elsewhere = ask.elsewhere.iter().find(|(name, _)| Some(*name) == self.name);
        if let Some((_, class)) = elsewhere {
            return vec![*class];
        }
        let mut all = Vec::new();
        for &class in &ask.classes {
            // REP-CACHE-28: a refusal of the client's guard is not an outage.
            let is_outage = class == Class::Unreachable;
            match class {
                Class::RedirectLimit => all.push(self.redirect_limit),
                _ if is_outage && self.outage == Outage::Allows => all.push(Class::Allow),
                _ if is_outage && self.outage == Outage::AllowsWithoutCopy => {
                    all.push(Class::Allow);
                    // The earlier result is the copy.
                    all.extend(has_asked.then_some(class));
                }
                _ => all.push(class),
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outages_follow_the_profile() {
        use Class::{Allow, Blocked, RedirectLimit, Rules, Unreachable};
        for (profile, classes, has_asked, expected) in [
            (None, vec![Rules, Unreachable], false, vec![Rules, Unreachable]),
            (Some("google"), vec![Blocked], false, vec![Blocked]),
            (Some("yandex"), vec![Rules, Unreachable], true, vec![Rules, Allow]),
            (Some("archive"), vec![Unreachable], false, vec![Allow]),
            (Some("archive"), vec![Blocked], false, vec![Blocked]),
            (Some("archive"), vec![Unreachable], true, vec![Allow, Unreachable]),
            (Some("amazonbot"), vec![RedirectLimit], false, vec![RedirectLimit]),
            (Some("strict"), vec![RedirectLimit], false, vec![Unreachable]),
        ] {
            let ask = Ask { url: String::new(), is_refetch: false, classes, elsewhere: Vec::new() };
            assert_eq!(Profile::named(profile).classes(&ask, has_asked), expected, "{profile:?}");
        }
    }
}
