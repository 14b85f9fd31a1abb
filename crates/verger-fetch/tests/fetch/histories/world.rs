//! Random histories: askers, a clock that jumps, and a site that fails in many ways.

use fastrand::Rng;

use crate::histories::model::{Asker, Came};

pub(crate) const MINUTE: u64 = 60;
pub(crate) const HOUR: u64 = 60 * MINUTE;
pub(crate) const DAY: u64 = 24 * HOUR;

/// The access profiles.
const PROFILES: [&str; 11] = [
    "rfc9309",
    "google",
    "google-old",
    "koster1996",
    "book",
    "orig1994",
    "rep2019",
    "yandex",
    "amazonbot",
    "strict",
    "archive",
];

/// The size limit of most clients, and a larger one.
const LIMITS: [u64; 2] = [512_000, 1_024_000];

/// The main theme of a history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Theme {
    /// An outage of weeks, tried about once a day.
    Days,
    /// An outage of hours to weeks, tried about once an hour.
    Hours,
    /// Anything.
    Chaos,
}

/// One history: the askers, and the state of the world.
#[derive(Debug)]
pub(crate) struct World {
    random: Rng,
    theme: Theme,
    pub(crate) profile: &'static str,
    pub(crate) askers: Vec<Asker>,
    pub(crate) length: usize,
    pub(crate) now: u64,
    /// Time of the last answer of another host.
    heard: Option<u64>,
    /// The events of other hosts since the last event.
    pub(crate) others: Vec<Other>,
    pub(crate) site_available: bool,
    version: u32,
    size: u64,
    has_validators: bool,
    /// The outcome of most fetches, and the number of fetches that it lasts.
    regime: Regime,
    left: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Regime {
    Up,
    Down,
    Gone,
    Odd,
    /// The crawler's own network is down: no host answers.
    NoNetwork,
}

/// The next event.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Event {
    /// A check by the asker of this number.
    Check { asker: usize, is_offline: bool },
    /// A diagnostic fetch, due or not.
    Fetch { asker: usize },
    /// An import of the site's file by the asker of this number.
    Import { asker: usize },
    /// A worker's report about the site.
    Release,
    /// Nothing for a while.
    Silence,
}

/// An event of another host, at a time.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Other {
    /// It answered the crawler, the only event that shows a network.
    Answered(u64),
    /// Its file was imported.
    Imported(u64),
    /// A worker reported an answer.
    Released(u64),
}

impl World {
    pub(crate) fn new(seed: u64) -> Self {
        let mut random = Rng::with_seed(seed);
        let theme = match random.u32(..100) {
            0..50 => Theme::Days,
            50..64 => Theme::Hours,
            _ => Theme::Chaos,
        };
        let count = random.usize(1..=4);
        let mut askers: Vec<Asker> = Vec::new();
        let mut profile = PROFILES[random.usize(..PROFILES.len())];
        if theme == Theme::Hours && random.u32(..3) > 0 {
            profile = "google";
        }
        for _ in 0..count {
            let limit = LIMITS[usize::from(random.u32(..8) == 0)];
            let asker = Asker { crawler: random.u8(..2), limit };
            if !askers.contains(&asker) {
                askers.push(asker);
            }
        }
        let length = match theme {
            Theme::Days => random.usize(60..=160),
            Theme::Hours => random.usize(800..=2_000),
            Theme::Chaos => random.usize(40..=400),
        };
        let mut world = Self {
            theme,
            profile,
            askers,
            length,
            now: 1_763_700_000 + random.u64(..DAY),
            heard: None,
            others: Vec::new(),
            site_available: false,
            version: 1,
            size: 1_000,
            has_validators: random.bool(),
            regime: Regime::Up,
            left: random.u32(1..12),
            random,
        };
        if world.random.u32(..3) == 0 {
            world.change_regime();
        }
        world
    }

    /// Advances time and returns the next event.
    pub(crate) fn next(&mut self) -> Event {
        self.left = self.left.saturating_sub(1);
        if self.left == 0 {
            self.change_regime();
        }
        let step = match self.theme {
            Theme::Days => self.random.u64(18 * HOUR..30 * HOUR),
            Theme::Hours => self.random.u64(40 * MINUTE..75 * MINUTE),
            Theme::Chaos => match self.random.u32(..6) {
                0 => self.random.u64(1..3),
                1 => self.random.u64(1..2 * MINUTE),
                2 => self.random.u64(MINUTE..2 * HOUR),
                3 => self.random.u64(HOUR..DAY),
                4 => self.random.u64(DAY..3 * DAY),
                _ => self.random.u64(1..40 * DAY),
            },
        };
        self.now += step;
        // A clock that jumps, in either direction.
        if self.random.u32(..if self.theme == Theme::Chaos { 30 } else { 400 }) == 0 {
            let jump = *self.random.choice(&[HOUR, DAY, 31 * DAY, 400 * DAY]).unwrap_or(&DAY);
            let jump = self.random.u64(1..jump);
            self.now = if self.random.bool() { self.now + jump } else { self.now - jump };
        }
        if self.regime != Regime::NoNetwork && self.random.u32(..3) > 0 {
            let heard = self.now - self.random.u64(..3 * MINUTE).min(step - 1);
            self.others.push(Other::Answered(heard));
            self.heard = Some(heard);
        }
        match self.random.u32(..20) {
            0 => self.others.push(Other::Imported(self.now)),
            1 => self.others.push(Other::Released(self.now)),
            _ => {}
        }
        if self.random.u32(..20) == 0 {
            self.site_available = self.random.bool();
        }
        let asker = self.random.usize(..self.askers.len());
        match self.random.u32(..40) {
            0..2 => Event::Fetch { asker },
            2..4 => Event::Check { asker, is_offline: true },
            4 => Event::Silence,
            5 => Event::Release,
            // Each ends an outage.
            6 if self.theme == Theme::Chaos || self.random.u32(..60) == 0 => {
                Event::Import { asker }
            }
            _ => Event::Check { asker, is_offline: false },
        }
    }

    /// Outages are long, so that their last step is reached; the rest is short.
    fn change_regime(&mut self) {
        let long = match self.theme {
            Theme::Days => self.random.u32(30..90),
            Theme::Hours => self.random.u32(15..1_900),
            Theme::Chaos => self.random.u32(3..60),
        };
        let short = self.random.u32(1..12);
        (self.regime, self.left) = match self.random.u32(..12) {
            0..3 => (Regime::Up, short),
            3..8 => (Regime::Down, long),
            8 => (Regime::Gone, short),
            9 => (Regime::Odd, short),
            10 => (Regime::Odd, long / 3 + 1),
            _ => (Regime::NoNetwork, short * 4),
        };
        if self.random.bool() {
            self.version += 1;
            self.size = match self.random.u32(..16) {
                0 => 700_000,
                1 => 2_000_000,
                _ => 1_000,
            };
        }
        self.has_validators = self.random.bool();
    }

    /// The end of a fetch; `known`: the version whose validators it sends.
    pub(crate) fn came(&mut self, known: Option<u32>) -> Came {
        let heard = self.heard.filter(|&heard| heard <= self.now);
        let retry_after = match self.random.u32(..12) {
            0 => Some(self.random.u64(..2 * HOUR)),
            1 => Some(self.random.u64(HOUR..60 * HOUR)),
            _ => None,
        };
        let max_age = (self.random.u32(..8) == 0).then(|| self.random.u64(..3 * DAY));
        let is_calm = self.theme != Theme::Chaos;
        match self.regime {
            _ if self.random.u32(..60) == 0 => Came::OwnFault,
            Regime::Up => self.file(known),
            Regime::Down if is_calm || self.random.u32(..12) > 0 => {
                match self.random.u32(..8) {
                    0 => Came::SiteFailure,
                    1 => Came::ReachFailure { heard },
                    // Half of them would break a count that should become long.
                    2 if !is_calm => Came::Status { status: 429, retry_after, max_age },
                    _ => {
                        let retry_after =
                            retry_after.filter(|_| !is_calm || self.random.u32(..20) == 0);
                        Came::Status { status: 503, retry_after, max_age }
                    }
                }
            }
            Regime::Gone => Came::Status { status: 404, retry_after: None, max_age },
            Regime::NoNetwork => match self.random.u32(..6) {
                0 => Came::OwnFault,
                _ => Came::ReachFailure { heard },
            },
            Regime::Down | Regime::Odd => match self.random.u32(..15) {
                0 => Came::Status { status: 403, retry_after: None, max_age },
                1 => Came::Status { status: 429, retry_after, max_age },
                2 => Came::Status { status: 204, retry_after: None, max_age },
                3 => Came::Part { version: self.version },
                4 => Came::RedirectLimit,
                5 => Came::BrokenRedirect,
                6 if self.profile == "strict" => Came::RefusedDowngrade,
                7 if self.profile.starts_with("google") => Came::DisallowedHop,
                8 => Came::Status { status: 410, retry_after: None, max_age },
                9 => Came::SiteFailure,
                10..12 => Came::Accepted { version: None, max_age },
                12 => Came::Accepted { version: Some(self.version), max_age },
                _ => self.file(known),
            },
        }
    }

    /// The version of an imported file.
    pub(crate) fn imported(&mut self) -> u32 {
        self.version += 1;
        self.version
    }

    fn file(&mut self, known: Option<u32>) -> Came {
        let max_age = match self.random.u32(..6) {
            0 => Some(self.random.u64(..2 * HOUR)),
            1 => Some(self.random.u64(HOUR..40 * DAY)),
            _ => None,
        };
        if self.random.u32(..4) == 0 {
            self.version += 1;
        }
        let (version, size) = (self.version, self.size);
        if self.has_validators && known == Some(version) {
            return Came::NotModified { max_age };
        }
        if known.is_some() && self.random.u32(..16) == 0 {
            return Came::OtherNotModified;
        }
        Came::File { version, size, max_age }
    }
}
