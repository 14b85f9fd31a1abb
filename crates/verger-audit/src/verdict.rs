//! Verdicts about requests, and their flags.

use serde::{Serialize, Serializer};

/// Declares the verdicts with their names.
macro_rules! verdicts {
    ($($(#[$doc:meta])* $value:ident = $name:literal;)*) => {
        /// The verdict about one request: the first that applies.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        #[expect(clippy::exhaustive_enums, reason = "a request has exactly one of these verdicts")]
        pub enum Verdict { $($(#[$doc])* #[serde(rename = $name)] $value,)* }

        impl Verdict {
            /// All verdicts, in the order in which they apply.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$value),*];

            /// The name in JSON and on the command line: `disallowed_known`.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$value => $name,)* }
            }
        }
    };
}

verdicts! {
    /// A browser, a library or a tool.
    #[default]
    NotACrawler = "not_a_crawler";
    /// A proof of identity that the operator publishes failed.
    Impostor = "impostor";
    /// A request for robots.txt itself.
    RobotsTxt = "robots_txt";
    /// A fetcher for the request of a person.
    UserTriggered = "user_triggered";
    /// Not decided: the text that was in force for the crawler is not known.
    Unknown = "unknown";
    /// Nothing in force for the crawler forbids the URL.
    Allowed = "allowed";
    /// The crawler has no copy of robots.txt, because the server failed to send it.
    CouldNotRead = "could_not_read";
    /// Forbidden only by a rule newer than the crawler's copy.
    Grace = "grace";
    /// Forbidden, and the crawler did not ask, or not again in time.
    DisallowedUnread = "disallowed_unread";
    /// Forbidden by a rule that the crawler had received.
    DisallowedKnown = "disallowed_known";
}

impl Verdict {
    /// Whether the crawler did what robots.txt forbids, although it could have known.
    pub const fn is_accusation(self) -> bool {
        matches!(self, Self::DisallowedUnread | Self::DisallowedKnown)
    }
}

/// Facts about a request beside its verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
#[expect(clippy::struct_excessive_bools, reason = "independent facts about a request")]
pub struct Flags {
    /// The identity was not proved for this request, or for the fetch of robots.txt on which the
    /// verdict rests.
    pub unproved: bool,
    /// The request came too early after the earlier ones, by a `Crawl-delay`, `Max-Crawl-Rate` or
    /// `Request-rate` that the crawler had received.
    pub too_fast: bool,
    /// The last fetch of robots.txt, or this one, got a status 4xx, although there was a file. Most
    /// crawlers read it as permission.
    pub refused_robots_txt: bool,
    /// A line before it in the log has a fetch of robots.txt at a later time.
    pub backwards: bool,
}

/// Numbers of requests by verdict. Serialized, it is an object without the zeros.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts([u64; Verdict::ALL.len()]);

impl Counts {
    /// The number of requests with a verdict.
    pub const fn get(&self, verdict: Verdict) -> u64 {
        self.0[verdict as usize]
    }

    /// The number of all requests.
    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }

    /// The verdicts with requests, in their order.
    pub fn iter(&self) -> impl Iterator<Item = (Verdict, u64)> + use<'_> {
        Verdict::ALL.into_iter().map(|it| (it, self.get(it))).filter(|(_, requests)| *requests > 0)
    }

    /// Adds a request with a verdict.
    pub const fn add(&mut self, verdict: Verdict) {
        self.0[verdict as usize] += 1;
    }

    /// Adds other counts, such as those of another row of a report.
    pub fn merge(&mut self, other: &Self) {
        for (sum, more) in self.0.iter_mut().zip(other.0) {
            *sum += more;
        }
    }
}

impl Serialize for Counts {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(self.iter())
    }
}
