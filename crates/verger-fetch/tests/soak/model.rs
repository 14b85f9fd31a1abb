//! What must be answered, by a second and naive reading of the clauses REP-CACHE and of the table of
//! fetch results (docs/access.md). It shares nothing with the engine.
#![expect(clippy::match_same_arms, reason = "a line for each line of the table")]

use crate::plan::{Came, Told};

const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

/// What is known of one site.
#[derive(Clone, Debug)]
pub(crate) struct Model {
    profile: &'static str,
    known: Option<Known>,
    down: Option<Down>,
    /// When another URL was answered last.
    page: Option<u64>,
}

#[derive(Clone, Copy, Debug)]
struct Known {
    says: Says,
    at: u64,
    life: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Says {
    File(u32),
    Allow,
    Deny,
}

#[derive(Clone, Copy, Debug)]
struct Down {
    since: u64,
    tried: u64,
    failures: u32,
    asked_to_wait: Option<u64>,
}

/// What may be answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// By the file of this version, and whether that is the copy of an outage.
    File {
        version: u32,
        is_copy: bool,
    },
    Allow,
    Deny,
}

/// Whether a question makes for a fetch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Due {
    Yes,
    No,
    /// The spread of retries decides.
    Perhaps,
}

impl Model {
    pub(crate) fn new(profile: &'static str) -> Self {
        Self { profile, known: None, down: None, page: None }
    }

    pub(crate) fn page_answered(&mut self, status: u16, now: u64) {
        if (200..500).contains(&status) && status != 429 {
            self.page = Some(now);
        }
    }

    pub(crate) fn forget_pages(&mut self) {
        self.page = None;
    }

    pub(crate) fn due(&self, now: u64) -> Due {
        if let Some(down) = self.down {
            let (least, most) = match (down.asked_to_wait, wait(down.failures)) {
                (Some(asked), _) => (asked.clamp(MINUTE, DAY), asked.clamp(MINUTE, DAY)),
                (None, wait) => (wait - wait / 5, wait + wait / 5),
            };
            return match now {
                _ if now < down.tried || now >= down.tried + most => Due::Yes,
                _ if now < down.tried + least => Due::No,
                _ => Due::Perhaps,
            };
        }
        match self.known {
            Some(known) if (known.at..known.at + known.life).contains(&now) => Due::No,
            _ => Due::Yes,
        }
    }

    /// Whether what is known answers while it is fetched anew.
    pub(crate) fn answers_meanwhile(&self, now: u64) -> bool {
        let is_young = |known: Known| (known.at..known.at + DAY).contains(&now);
        self.down.is_none() && self.known.is_some_and(is_young)
    }

    /// A fetch has ended.
    pub(crate) fn fetched(&mut self, told: Told, now: u64) {
        let copy = self.known.filter(|known| matches!(known.says, Says::File(_)));
        let Some(says) = self.meaning(told.came) else {
            let before = self.down;
            self.known = copy.map(|copy| Known { at: copy.at.min(now), ..copy });
            self.down = Some(Down {
                since: before.map_or(now, |down| down.since.min(now)),
                tried: now,
                failures: before.map_or(0, |down| down.failures) + 1,
                asked_to_wait: told.retry_after,
            });
            return;
        };
        let is_confirmed = matches!(told.came, Came::File { is_confirmed: true, .. });
        let life = match (told.max_age, copy) {
            (None, Some(copy)) if is_confirmed => copy.life,
            (age, _) => self.life(age),
        };
        self.known = Some(Known { says, at: now, life });
        self.down = None;
    }

    /// What holds; `None`: nothing is known.
    pub(crate) fn answer(&self, now: u64) -> Option<Answer> {
        let Some(down) = self.down else {
            return self.known.map(|known| match known.says {
                Says::File(version) => Answer::File { version, is_copy: false },
                Says::Allow => Answer::Allow,
                Says::Deny => Answer::Deny,
            });
        };
        let copy = self.known.and_then(|known| match known.says {
            Says::File(version) => Some((version, now.saturating_sub(known.at))),
            _ => None,
        });
        let file = copy.map(|(version, _)| Answer::File { version, is_copy: true });
        let time = now.saturating_sub(down.since);
        let is_there = self.page.is_some_and(|page| (page..page + DAY).contains(&now));
        let month = 30 * DAY;
        Some(match self.profile {
            "google" if time < 12 * HOUR => Answer::Deny,
            "google" if time < month => file.unwrap_or(Answer::Allow),
            "google" if is_there => Answer::Allow,
            "google" => Answer::Deny,
            "google-old" if time < month => Answer::Deny,
            "google-old" | "archive" => file.unwrap_or(Answer::Allow),
            "koster1996" | "book" => Answer::Deny,
            "yandex" => Answer::Allow,
            "amazonbot" => match copy {
                Some((version, age)) if age < month => Answer::File { version, is_copy: true },
                _ => Answer::Allow,
            },
            _ if time < month => file.unwrap_or(Answer::Deny),
            _ => file.unwrap_or(Answer::Allow),
        })
    }

    /// What a fetch means; `None`: an outage.
    fn meaning(&self, came: Came) -> Option<Says> {
        let forbids = matches!(self.profile, "koster1996" | "book" | "strict");
        let is_strict = self.profile == "strict";
        match came {
            Came::File { version, .. } => Some(Says::File(version)),
            Came::TooManyRedirects if is_strict => Some(Says::Deny),
            Came::TooManyRedirects => Some(Says::Allow),
            Came::BrokenRedirect if is_strict => Some(Says::Deny),
            Came::BrokenRedirect | Came::Nothing => None,
            Came::Status(204) if self.profile == "yandex" => Some(Says::Allow),
            Came::Status(204) => Some(Says::File(0)),
            Came::Status(429) if !matches!(self.profile, "yandex" | "rep2019") => None,
            Came::Status(400..=499) if self.profile == "amazonbot" => None,
            Came::Status(401 | 403) if forbids => Some(Says::Deny),
            Came::Status(400..=499) => Some(Says::Allow),
            Came::Status(_) => None,
        }
    }

    fn life(&self, max_age: Option<u64>) -> u64 {
        let (unsaid, most) = match self.profile {
            "koster1996" => (7 * DAY, 7 * DAY),
            "google" | "google-old" => (DAY, 30 * DAY),
            _ => (DAY, DAY),
        };
        max_age.map_or(unsaid, |age| age.clamp(5 * MINUTE, most))
    }
}

/// The wait behind so many failures, less or more by a fifth.
fn wait(failures: u32) -> u64 {
    (0..failures.saturating_sub(1).min(10)).fold(MINUTE, |wait, _| (wait * 2).min(HOUR))
}
