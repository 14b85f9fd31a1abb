//! What an entry asks, what must hold, and what a client's test tells of its client.

use std::time::Duration;

/// What a fetch of robots.txt came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// A whole body, to be followed, an empty one too.
    Rules,
    /// A body that was cut at the client's own limit, to be followed up to its last whole line
    /// (REP-ACCESS-33).
    RulesTruncated,
    /// There is no robots.txt: everything is allowed (4xx).
    Allow,
    /// Too many redirects, or a loop: everything is allowed (REP-ACCESS-23).
    RedirectLimit,
    /// Nothing that could be relied on: everything is forbidden, or an older copy holds.
    Unreachable,
    /// The client's own policy forbade a name, an address, a port or a scheme. Means what
    /// [`Class::Unreachable`] means and says why.
    Blocked,
    /// The URL itself was refused with an error, and nothing was sent.
    Invalid,
    /// No verdict: the client is full.
    Busy,
}

/// Something that is told beside the class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flag {
    /// A redirect led from https to http.
    Downgraded,
    /// The body looks like a page for people.
    SoftHtml,
}

/// One question to the client.
#[derive(Clone, Debug)]
pub struct Ask {
    /// A URL to be checked; its robots.txt is what is fetched.
    pub url: String,
    /// The client fetches again and does not answer from what it remembers of this entry. What it
    /// remembers may make the request conditional.
    pub is_afresh: bool,
    /// The classes that are right in the default access profile. Where there are several, the first is
    /// the one to be preferred.
    pub classes: Vec<Class>,
    /// The class in another access profile, where it differs: the profile's name and the class.
    pub elsewhere: Vec<(&'static str, Class)>,
}

/// A claim, over and above the classes and what always holds (see [`super::Entry::judge`]).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// Wherever the class is [`Class::Rules`], this is the body.
    Body(Vec<u8>),
    /// At least and at most so many requests of HTTP, of all asks together.
    Requests(usize, usize),
    /// The requests are for exactly these URLs, in this order. A default port is not written.
    Visits(Vec<String>),
    /// At most so many dials.
    Dials(usize),
    /// No request and no command holds these bytes, whatever their case.
    NeverSent(&'static str),
    /// No request has a field of this name with a value of more bytes.
    FieldAtMost(&'static str, usize),
    /// The flag is told, by the last ask.
    Reports(Flag),
    /// The flag is not told, by any ask.
    ReportsNot(Flag),
    /// The answer is fresh for at least and at most so long.
    Fresh(Duration, Duration),
    /// The server's wish to be asked later is kept within a day, or ignored.
    RetryWithinDay,
    /// The server's wish to be asked later is no such wish, and ignored. Zero is as good.
    RetryIgnored,
    /// The end comes before the deadline for everything: a cap or a shorter limit has made it.
    BeforeDeadline,
}

/// When the server asked to be asked again, as a client understood it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Retry {
    /// The client does not tell, and is not judged by it.
    #[default]
    Untold,
    /// There was no wish, or none that made sense.
    Never,
    /// In so long.
    After(Duration),
}

/// What a client made of one [`Ask`]. A test fills in what its client tells; what is `None`, empty or
/// untold is not judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observed {
    /// What the fetch came to.
    pub class: Class,
    /// The body that is followed, decoded; `None` also where no body is.
    pub body: Option<Vec<u8>>,
    /// The flags that were told; `None` where the client tells no flags.
    pub flags: Option<Vec<Flag>>,
    /// How long the answer is fresh.
    pub fresh_for: Option<Duration>,
    /// When to ask again.
    pub retry: Retry,
    /// Texts that the client shows to people or writes to a log.
    pub shown: Vec<String>,
    /// How long it took, and the client's deadline for all of it.
    pub time: Option<(Duration, Duration)>,
}

impl Observed {
    /// Returns an observation that tells the class and no more.
    pub fn new(class: Class) -> Self {
        Self {
            class,
            body: None,
            flags: None,
            fresh_for: None,
            retry: Retry::Untold,
            shown: Vec::new(),
            time: None,
        }
    }
}
