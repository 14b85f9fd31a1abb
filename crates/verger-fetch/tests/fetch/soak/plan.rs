//! The response of a site to a fetch of its robots.txt, and the expected outcome.

use fastrand::Rng;
use verger_testkit::server::{Request, Script, ScriptedResponse};

/// The plan for the next fetch.
#[derive(Clone, Debug)]
pub(crate) enum Plan {
    /// The file of this version. With a tag, a client that has it gets a 304.
    File {
        version: u32,
        max_age: Option<u64>,
        has_tag: bool,
        padding: usize,
    },
    Status {
        status: u16,
        max_age: Option<u64>,
        retry_after: Option<u64>,
    },
    /// This number of redirects, and then another plan.
    Redirects(usize, Box<Self>),
    Fault(Fault),
}

/// No response, or an incomplete one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    NoSuchName,
    Refused,
    Reset,
    SilentHead,
    SilentBody,
    CutBody,
    CutChunks,
    BadCoding,
    NoLocation,
    Loop,
}

/// The outcome of a fetch, as known to the site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Came {
    /// The file, new or confirmed.
    File {
        version: u32,
        is_confirmed: bool,
    },
    Status(u16),
    TooManyRedirects,
    BrokenRedirect,
    Nothing,
}

/// The same with the stated times, in seconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Answered {
    pub(crate) came: Came,
    pub(crate) max_age: Option<u64>,
    pub(crate) retry_after: Option<u64>,
}

/// A site between two checks.
#[derive(Debug)]
pub(crate) struct Site {
    pub(crate) plan: Plan,
    /// Requests for its robots.txt since the last check.
    pub(crate) requests: usize,
    pub(crate) answered: Option<Answered>,
}

impl Fault {
    const ALL: [Self; 10] = [
        Self::NoSuchName,
        Self::Refused,
        Self::Reset,
        Self::SilentHead,
        Self::SilentBody,
        Self::CutBody,
        Self::CutChunks,
        Self::BadCoding,
        Self::NoLocation,
        Self::Loop,
    ];

    /// Whether a time limit must end it.
    pub(crate) fn is_silent(self) -> bool {
        matches!(self, Self::SilentHead | Self::SilentBody)
    }

    fn came(self) -> Came {
        match self {
            Self::NoLocation => Came::BrokenRedirect,
            Self::Loop => Came::TooManyRedirects,
            _ => Came::Nothing,
        }
    }
}

impl Plan {
    /// A plan for a site that is up, or for a failing one.
    pub(crate) fn random(random: &mut Rng, version: u32, is_up: bool) -> Self {
        let age = |random: &mut Rng| {
            random
                .bool()
                .then(|| *random.choice(&[0, 60, 3_600, 50_000, 900_000, 9_000_000]).unwrap_or(&0))
        };
        if !is_up {
            return match random.u32(..3) {
                0 => Self::Status {
                    status: *random.choice(&[500, 502, 503, 429]).unwrap_or(&503),
                    max_age: age(random),
                    retry_after: random.bool().then(|| random.u64(..200_000)),
                },
                _ => Self::Fault(*random.choice(&Fault::ALL).unwrap_or(&Fault::Reset)),
            };
        }
        match random.u32(..20) {
            0..=11 => Self::File {
                version,
                max_age: age(random),
                has_tag: random.bool(),
                padding: random.usize(..20_000),
            },
            12..=14 => Self::Status {
                status: *random.choice(&[204, 401, 403, 404, 404, 410, 451]).unwrap_or(&404),
                max_age: age(random),
                retry_after: None,
            },
            15..=17 => {
                let then = Self::File { version, max_age: age(random), has_tag: true, padding: 0 };
                Self::Redirects(random.usize(1..=7), Box::new(then))
            }
            _ => Self::Fault(*random.choice(&Fault::ALL).unwrap_or(&Fault::Reset)),
        }
    }

    /// The name in the tally.
    pub(crate) fn kind(&self) -> String {
        match self {
            Self::File { has_tag, .. } => {
                format!("file{}", if *has_tag { " with a tag" } else { "" })
            }
            Self::Status { status, .. } => format!("status {status}"),
            Self::Redirects(count, _) if *count > 5 => "six redirects or more".to_owned(),
            Self::Redirects(..) => "up to five redirects".to_owned(),
            Self::Fault(fault) => format!("{fault:?}"),
        }
    }

    pub(crate) fn fault(&self) -> Option<Fault> {
        match self {
            Self::Fault(fault) => Some(*fault),
            _ => None,
        }
    }
}

impl Site {
    pub(crate) fn new(plan: Plan) -> Self {
        Self { plan, requests: 0, answered: None }
    }

    /// The outcome for a client that does not reach the server.
    pub(crate) fn answered(&self) -> Answered {
        let nothing = Answered { came: Came::Nothing, max_age: None, retry_after: None };
        self.answered.unwrap_or(nothing)
    }

    /// Answers a request.
    pub(crate) fn answer(&mut self, request: &Request) -> Script {
        let target = request.target();
        let hop = target.strip_prefix("/hop/").and_then(|hop| hop.parse().ok()).unwrap_or(0);
        self.requests += usize::from(hop == 0);
        let mut plan = &self.plan;
        if let Plan::Redirects(count, then) = plan {
            // A client that follows five redirects stops at the sixth.
            if hop < *count {
                self.answered = Some(Answered {
                    came: Came::TooManyRedirects,
                    max_age: None,
                    retry_after: None,
                });
                return ScriptedResponse::redirect(302, format!("/hop/{}", hop + 1)).script();
            }
            plan = then;
        }
        let (script, answered) = answer(plan, request);
        self.answered = Some(answered);
        script
    }
}

fn answer(plan: &Plan, request: &Request) -> (Script, Answered) {
    let fields = |answer: ScriptedResponse, max_age: Option<u64>, retry_after: Option<u64>| {
        let answer = match max_age {
            Some(age) => answer.field("Cache-Control", format!("max-age={age}")),
            None => answer,
        };
        match retry_after {
            Some(wait) => answer.field("Retry-After", wait.to_string()),
            None => answer,
        }
    };
    match plan {
        &Plan::File { version, max_age, has_tag, padding } => {
            let tag = format!("\"v{version}\"");
            let is_confirmed = has_tag && request.field("If-None-Match") == Some(tag.clone());
            let mut answer = if is_confirmed {
                ScriptedResponse::new(304)
            } else {
                let rules = format!("User-agent: *\nDisallow: /v{version}/\n");
                ScriptedResponse::new(200).body(rules + &"#".repeat(padding))
            };
            if has_tag {
                answer = answer.field("ETag", tag);
            }
            let came = Came::File { version, is_confirmed };
            (fields(answer, max_age, None).script(), Answered { came, max_age, retry_after: None })
        }
        &Plan::Status { status, max_age, retry_after } => {
            let answer = fields(ScriptedResponse::new(status), max_age, retry_after);
            (answer.script(), Answered { came: Came::Status(status), max_age, retry_after })
        }
        Plan::Redirects(_, then) => answer(then, request),
        Plan::Fault(fault) => {
            let answered = Answered { came: fault.came(), max_age: None, retry_after: None };
            (broken(*fault), answered)
        }
    }
}

fn broken(fault: Fault) -> Script {
    let half = "User-agent: *\nDisallow: /\n";
    let long = ScriptedResponse::new(200).field("Content-Length", "2000").head();
    match fault {
        Fault::NoSuchName | Fault::Refused | Fault::Reset => Script::new().then_reset(),
        Fault::SilentHead => Script::text("HTTP/1.1 200").then_never(),
        Fault::SilentBody => long.then_text(half).then_never(),
        Fault::CutBody => long.then_text(half),
        Fault::CutChunks => ScriptedResponse::new(200)
            .field("Transfer-Encoding", "chunked")
            .head()
            .then_text(format!("{:x}\r\n{half}\r\n", half.len())),
        Fault::BadCoding => ScriptedResponse::rules().field("Content-Encoding", "gzip").script(),
        Fault::NoLocation => ScriptedResponse::new(302).script(),
        // Requests of `/robots.txt` are counted, and a repeated URL is requested again.
        Fault::Loop => ScriptedResponse::redirect(302, "/hop/1").script(),
    }
}
