//! Histories: the versions of one origin's robots.txt become intervals in which rules are in force.
//!
//! The meaning of each capture is that of the robots client: its outcome leads to the next access
//! state ([`verger::access::State`]), and the access at the time of the capture holds until the
//! next capture. A capture whose response is not in the archive gives an interval of unknown
//! access.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use verger::access::{Kind, Meaning, Outcome, Profile, State, Timestamp};

use crate::capture::{Final, Place, Unknown};

/// The result of one capture of an origin's robots.txt, after redirects and revisit records.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Version {
    pub(crate) origin: String,
    pub(crate) time: i64,
    pub(crate) place: Place,
    /// The status of the last response; that of the redirect if its target is missing.
    pub(crate) status: Option<u16>,
    pub(crate) redirects: u8,
    pub(crate) end: Final,
}

/// A time in which the same rules are in force.
#[derive(Clone, Debug)]
pub(crate) struct Interval {
    pub(crate) from: i64,
    pub(crate) until: Option<i64>,
    pub(crate) last_seen: i64,
    pub(crate) captures: u64,
    pub(crate) status: Option<u16>,
    pub(crate) redirects: u8,
    pub(crate) access: Kind,
    /// The reason for an access without rules, for the rules of an earlier capture, or for unknown
    /// access.
    pub(crate) reason: Option<&'static str>,
    /// The file in force, if the access is by rules.
    pub(crate) file: Option<Arc<Final>>,
}

/// The intervals of the versions of one origin, and the number of captures that another one of the
/// same time replaces.
pub(crate) fn intervals(mut versions: Vec<Version>, profile: &Profile) -> (Vec<Interval>, u64) {
    versions.sort_by_key(|version| (version.time, version.place));
    let all = versions.len();
    // Of captures at the same time, the last one of the input counts.
    versions.dedup_by(|next, last| {
        let is_same = next.time == last.time;
        if is_same {
            std::mem::swap(next, last);
        }
        is_same
    });
    let replaced = (all - versions.len()) as u64;
    let mut intervals: Vec<Interval> = Vec::new();
    let mut state = State::UNKNOWN;
    let mut copy = Copied::None;
    for version in versions {
        let next = interval(version, profile, &mut state, &mut copy);
        match intervals.last_mut() {
            Some(last) if last.is_as(&next) => {
                last.last_seen = next.from;
                last.captures += 1;
            }
            last => {
                if let Some(last) = last {
                    last.until = Some(next.from);
                }
                intervals.push(next);
            }
        }
    }
    (intervals, replaced)
}

/// The file that a client would still have during an outage.
enum Copied {
    None,
    File(Arc<Final>),
    /// A later response than any known one is not in the archive.
    Unknown(Unknown),
}

fn interval(version: Version, profile: &Profile, state: &mut State, copy: &mut Copied) -> Interval {
    let Version { time, status, redirects, end, .. } = version;
    let now = Timestamp::from_seconds(u64::try_from(time.div_euclid(1_000_000)).unwrap_or(0));
    let (access, reason) = match end.outcome {
        Err(unknown) => {
            *copy = Copied::Unknown(unknown);
            (Kind::Unknown, Some(unknown.name()))
        }
        Ok(outcome) => {
            let meaning = profile.meaning(outcome);
            *state = state.after(profile, outcome, now);
            let is_file = matches!(
                outcome,
                Outcome::Success | Outcome::AcceptedEmpty | Outcome::Status(200..=299)
            );
            if is_file && meaning == Meaning::Rules {
                *copy = Copied::File(Arc::new(end));
            } else if meaning != Meaning::Unreachable {
                *copy = Copied::None;
            }
            let access = state.access(profile, now);
            let stale = access.stale().map(verger::access::Stale::name);
            match (access.kind(), &copy) {
                // The rules during an outage are those of the response that is missing.
                (_, Copied::Unknown(unknown)) => (Kind::Unknown, Some(unknown.name())),
                (Kind::Unknown, _) => (Kind::Unknown, Some("unreachable")),
                (kind, _) => (kind, access.reason().map(verger::Reason::name).or(stale)),
            }
        }
    };
    let file = match copy {
        Copied::File(file) if access == Kind::Rules => Some(Arc::clone(file)),
        _ => None,
    };
    let access = if access == Kind::Rules && file.is_none() { Kind::Unknown } else { access };
    Interval {
        from: time,
        until: None,
        last_seen: time,
        captures: 1,
        status,
        redirects,
        access,
        reason,
        file,
    }
}

impl Interval {
    /// Whether another interval has the same rules for the same reason.
    fn is_as(&self, other: &Self) -> bool {
        let hash = |it: &Self| it.file.as_ref().map(|file| file.hash);
        (self.access, self.reason, self.status, self.redirects)
            == (other.access, other.reason, other.status, other.redirects)
            && hash(self) == hash(other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: i64 = 86_400_000_000;

    fn version(day: i64, outcome: Result<Outcome, Unknown>, text: &str) -> Version {
        let mut hash = [0; 32];
        hash[..text.len()].copy_from_slice(text.as_bytes());
        Version {
            origin: "https://h".to_owned(),
            time: day * DAY,
            place: Place { unit: 0, number: u64::try_from(day).unwrap(), at: 0 },
            status: Some(200),
            redirects: 0,
            end: Final { outcome, body: text.into(), hash, bytes: text.len() as u64 },
        }
    }

    /// Day, end, access, reason and text of each interval.
    fn of(versions: Vec<Version>, profile: &Profile) -> Vec<(i64, Option<i64>, String)> {
        let (intervals, _) = intervals(versions, profile);
        let shown = intervals.iter().map(|it| {
            let text =
                it.file.as_ref().map(|file| String::from_utf8_lossy(&file.body).into_owned());
            let parts = [Some(it.access.name().to_owned()), it.reason.map(str::to_owned), text];
            let parts: Vec<String> = parts.into_iter().flatten().collect();
            (it.from / DAY, it.until.map(|until| until / DAY), parts.join(" "))
        });
        shown.collect()
    }

    fn expected(list: &[(i64, Option<i64>, &str)]) -> Vec<(i64, Option<i64>, String)> {
        list.iter().map(|&(from, until, text)| (from, until, text.to_owned())).collect()
    }

    #[test]
    fn equal_captures_are_one_interval_and_order_does_not_matter() {
        let file = |day, text| version(day, Ok(Outcome::Success), text);
        let versions =
            vec![file(30, "b"), file(1, "a"), file(20, "a"), file(10, "a"), file(40, "a")];
        let list = [(1, Some(30), "rules a"), (30, Some(40), "rules b"), (40, None, "rules a")];
        assert_eq!(of(versions, &Profile::RFC9309), expected(&list));
        let same = vec![file(1, "a"), file(1, "b")];
        assert_eq!(of(same, &Profile::RFC9309), expected(&[(1, None, "rules b")]));
    }

    #[test]
    fn an_outage_after_a_missing_response_has_unknown_rules() {
        let history = |last: Outcome| {
            vec![
                version(1, Ok(Outcome::Success), "a"),
                version(10, Err(Unknown::Truncated), ""),
                version(20, Ok(Outcome::Status(503)), ""),
                version(21, Ok(Outcome::Network), ""),
                version(30, Ok(last), "b"),
                version(40, Ok(Outcome::Status(503)), ""),
            ]
        };
        let list = [
            (1, Some(10), "rules a"),
            (10, Some(30), "unknown truncated"),
            (30, Some(40), "rules b"),
            (40, None, "rules during_outage b"),
        ];
        for profile in Profile::ALL {
            let found = of(history(Outcome::Success), &profile);
            assert_eq!(found[..3], expected(&list)[..3], "{}", profile.name);
        }
        assert_eq!(of(history(Outcome::Success), &Profile::RFC9309), expected(&list));
        let found = of(history(Outcome::Status(404)), &Profile::RFC9309);
        assert_eq!(found[2].2, "allow_all unavailable");
        assert_ne!(found.last().unwrap().2, "rules during_outage a");
    }

    #[test]
    fn failures_have_the_access_of_the_profile() {
        let history = || {
            vec![
                version(1, Ok(Outcome::Status(503)), ""),
                version(10, Ok(Outcome::Success), "a"),
                version(20, Ok(Outcome::Status(503)), ""),
                version(30, Ok(Outcome::Status(404)), ""),
                version(40, Ok(Outcome::Status(403)), ""),
                version(50, Err(Unknown::Truncated), ""),
            ]
        };
        let mut list = vec![
            (1, Some(10), "disallow_all unreachable"),
            (10, Some(20), "rules a"),
            (20, Some(30), "rules during_outage a"),
            (30, Some(50), "allow_all unavailable"),
            (50, None, "unknown truncated"),
        ];
        assert_eq!(of(history(), &Profile::RFC9309), expected(&list));
        list[3].1 = Some(40);
        list.insert(4, (40, Some(50), "disallow_all unavailable"));
        assert_eq!(of(history(), &Profile::STRICT), expected(&list));
    }
}
