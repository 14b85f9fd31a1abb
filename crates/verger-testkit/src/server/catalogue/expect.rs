//! The asks and claims of an entry, and the observations of a client's test.

use std::time::Duration;

/// Result of a fetch of robots.txt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// A whole body, perhaps empty, whose rules apply.
    Rules,
    /// A body cut at the client's limit; the rules up to its last whole line apply (REP-ACCESS-33).
    RulesTruncated,
    /// There is no robots.txt: everything is allowed (4xx).
    Allow,
    /// Too many redirects: everything is allowed (REP-ACCESS-23).
    RedirectLimit,
    /// Nothing reliable: everything is disallowed, or an older copy applies.
    Unreachable,
    /// The client's policy forbade a name, an address, a port or a scheme. Equivalent to
    /// [`Class::Unreachable`], with a reason.
    Blocked,
    /// The URL itself was rejected with an error, and nothing was sent.
    Invalid,
    /// No verdict: the client is overloaded.
    Busy,
}

/// Additional information about a fetch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flag {
    /// A redirect from https to http.
    Downgraded,
    /// The body looks like an HTML page.
    SoftHtml,
}

/// One check by the client.
#[derive(Clone, Debug)]
pub struct Ask {
    /// The URL to check; its robots.txt is fetched.
    pub url: String,
    /// Whether the client fetches again instead of answering from its cache. A cached record may
    /// make the request conditional.
    pub is_refetch: bool,
    /// The correct classes in the default access profile. The first is preferred.
    pub classes: Vec<Class>,
    /// Different classes in other access profiles: name of the profile, and class.
    pub elsewhere: Vec<(&'static str, Class)>,
}

/// A claim in addition to the classes and the general claims (see [`super::Attack::judge`]).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// This is the body, if the class is [`Class::Rules`].
    Body(Vec<u8>),
    /// Minimum and maximum number of HTTP requests, for all asks together.
    Requests(usize, usize),
    /// The requests are exactly for these URLs, in this order. A default port is omitted.
    Visits(Vec<String>),
    /// Maximum number of dials.
    Dials(usize),
    /// No request and no command contains these bytes, in any case.
    NeverSent(&'static str),
    /// No request has a field of this name with a longer value, in bytes.
    FieldAtMost(&'static str, usize),
    /// The last ask reports the flag.
    Reports(Flag),
    /// No ask reports the flag.
    ReportsNot(Flag),
    /// Minimum and maximum freshness of the answer.
    Fresh(Duration, Duration),
    /// The server's Retry-After is limited to a day, or ignored.
    RetryWithinDay,
    /// The server's Retry-After is invalid and ignored, or read as zero.
    RetryIgnored,
    /// The fetch ends before the deadline, because of a size limit or a shorter timeout.
    BeforeDeadline,
}

/// The server's Retry-After, as the client understood it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Retry {
    /// The client does not report it, and it is not checked.
    #[default]
    Unreported,
    /// Absent or invalid.
    Never,
    /// After this time.
    After(Duration),
}

/// The client's result for one [`Ask`]. A test fills in the available values; `None`, empty and
/// unreported values are not checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observed {
    /// The class of the result.
    pub class: Class,
    /// The decoded body whose rules apply; `None` also if there is no such body.
    pub body: Option<Vec<u8>>,
    /// The reported flags; `None` if the client does not report flags.
    pub flags: Option<Vec<Flag>>,
    /// Freshness of the answer.
    pub fresh_for: Option<Duration>,
    /// Time of the next attempt.
    pub retry: Retry,
    /// Texts displayed or logged by the client.
    pub shown: Vec<String>,
    /// Duration of the fetch, and the client's deadline for it.
    pub time: Option<(Duration, Duration)>,
}

impl Observed {
    /// Returns an observation of the class only.
    pub fn new(class: Class) -> Self {
        Self {
            class,
            body: None,
            flags: None,
            fresh_for: None,
            retry: Retry::Unreported,
            shown: Vec::new(),
            time: None,
        }
    }
}
