//! Naive reference model of a robots.txt client: fetch results, caching and outages.
//!
//! The model was written only from the clauses REP-CACHE and the table of `docs/access.md`, by an
//! author who had not read the state machine. It shares no code with it. If a clause has two
//! readings, the model takes the one that allows less. The constants of the first block are such
//! choices. One was decided afterwards, and is marked.

use std::collections::{HashMap, HashSet};

// ---- Readings: change one to see the other reading ----

/// A fresh 404 or 403 also prevents an outage. REP-CACHE-29 says this of a fresh file only.
const FRESH_VERDICT_PREVENTS_OUTAGE: bool = false;
/// Maximum age of the answer that a first reach failure needs if the outage would allow everything.
/// Decided: REP-CACHE-28 has no earlier failed try to count from.
const ANSWER_FOR_A_FIRST_ALLOW: u64 = MINUTE;
/// A first reach failure needs an answer of another host since the last answer of this site
/// (REP-CACHE-28). Else an answer of any age is enough.
const FIRST_REACH_FAILURE_NEEDS_AN_ANSWER: bool = true;
/// An answer of the same second as the previous failed try counts as "since" (REP-CACHE-28).
const SAME_SECOND_IS_SINCE: bool = false;
/// An expired ALLOW of a real answer remains valid if no try can be made. REP-CACHE-26 lists only
/// DENY and the copy.
const EXPIRED_ALLOW_STANDS: bool = false;
/// An expired file remains valid without an outage, even if the first step of the ladder is not
/// the copy (REP-CACHE-28).
const EXPIRED_FILE_ALWAYS_STANDS: bool = false;

const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;
/// Reach of a whole body: enough for every limit.
const WHOLE: u64 = u64::MAX;

/// A client: its crawler, and its size limit in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Asker {
    pub(crate) crawler: u8,
    pub(crate) limit: u64,
}

/// End of a fetch. All times are seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Came {
    /// 200 with the file of this version, `size` bytes long on the server. The body is whole if
    /// `size <= asker.limit`; otherwise the client cut it at its limit.
    File { version: u32, size: u64, max_age: Option<u64> },
    /// 206 with part of the file of this version.
    Part { version: u32 },
    /// 304 to the validators that were sent.
    NotModified { max_age: Option<u64> },
    /// The same with another strong `ETag` than the one that was sent.
    OtherNotModified,
    /// 202, with the file of this version or empty.
    Accepted { version: Option<u32>, max_age: Option<u64> },
    /// Any other final status. 204 is an empty file of version 0.
    Status { status: u16, retry_after: Option<u64>, max_age: Option<u64> },
    /// More redirects than this asker follows.
    RedirectLimit,
    /// Redirect without a usable target.
    BrokenRedirect,
    /// Redirect from https to http that this asker does not follow.
    RefusedDowngrade,
    /// Redirect to a URL that is disallowed to this crawler.
    DisallowedHop,
    /// Failure of the site: refused, reset, TLS, a body cut short by the network.
    SiteFailure,
    /// The name was not resolved, or no address was reached. `heard`: time of the last answer of
    /// any other host.
    ReachFailure { heard: Option<u64> },
    /// Fault of the client: guard refusal, no descriptors, time lost in a queue.
    OwnFault,
}

/// Whether a check by this asker may cause a fetch now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Due {
    Yes,
    No,
    /// Random jitter decides.
    Perhaps,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// By the rules of this version; `is_copy`: it is the copy of an outage.
    File {
        version: u32,
        is_copy: bool,
    },
    Allow,
    Deny,
    /// Must be fetched first: never allowed.
    Unknown,
}

// ---- Table of docs/access.md ----

#[derive(Clone, Copy, PartialEq, Eq)]
enum Meaning {
    Rules,
    Allow,
    Deny,
    Fail,
}

/// One step of an outage ladder.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    Deny,
    Copy,
    Allow,
    AllowIfSiteAvailable,
}

/// One column of the table. 5xx, other statuses and network failures are `Fail` in every column.
struct Table {
    no_content: Meaning,
    partial_content: Meaning,
    accepted_empty: Meaning,
    other_success: Meaning,
    redirect_limit: Meaning,
    broken_redirect: Meaning,
    forbidden: Meaning,
    too_many_requests: Meaning,
    unavailable: Meaning,
    default_lifetime: u64,
    max_age_ceiling: u64,
    with_copy: [Step; 3],
    without_copy: [Step; 3],
    copy_counts_for: Option<u64>,
    /// G of REP-CACHE-25.
    gap: u64,
}

fn table(profile: &str) -> Table {
    let mut t = Table {
        no_content: Meaning::Rules,
        partial_content: Meaning::Fail,
        accepted_empty: Meaning::Fail,
        other_success: Meaning::Rules,
        redirect_limit: Meaning::Allow,
        broken_redirect: Meaning::Fail,
        forbidden: Meaning::Allow,
        too_many_requests: Meaning::Fail,
        unavailable: Meaning::Allow,
        default_lifetime: DAY,
        max_age_ceiling: DAY,
        with_copy: [Step::Copy; 3],
        without_copy: [Step::Deny, Step::Deny, Step::Allow],
        copy_counts_for: None,
        gap: DAY,
    };
    match profile {
        "rfc9309" | "orig1994" => {}
        "google" => {
            t.partial_content = Meaning::Rules;
            t.accepted_empty = Meaning::Rules;
            t.max_age_ceiling = 30 * DAY;
            t.with_copy = [Step::Deny, Step::Copy, Step::AllowIfSiteAvailable];
            t.without_copy = [Step::Deny, Step::Allow, Step::AllowIfSiteAvailable];
            t.gap = HOUR;
        }
        "google-old" => {
            t.partial_content = Meaning::Rules;
            t.accepted_empty = Meaning::Rules;
            t.max_age_ceiling = 30 * DAY;
            t.with_copy = [Step::Deny, Step::Deny, Step::Copy];
        }
        "koster1996" | "book" => {
            t.forbidden = Meaning::Deny;
            t.with_copy = [Step::Deny; 3];
            t.without_copy = [Step::Deny; 3];
            if profile == "koster1996" {
                t.default_lifetime = 7 * DAY;
                t.max_age_ceiling = 7 * DAY;
            }
        }
        "rep2019" => t.too_many_requests = Meaning::Allow,
        "yandex" => {
            t.no_content = Meaning::Allow;
            t.partial_content = Meaning::Allow;
            t.accepted_empty = Meaning::Allow;
            t.other_success = Meaning::Allow;
            t.too_many_requests = Meaning::Allow;
            t.with_copy = [Step::Allow; 3];
            t.without_copy = [Step::Allow; 3];
        }
        "amazonbot" => {
            t.forbidden = Meaning::Fail;
            t.unavailable = Meaning::Fail;
            t.without_copy = [Step::Allow; 3];
            t.copy_counts_for = Some(30 * DAY);
        }
        "strict" => {
            t.redirect_limit = Meaning::Deny;
            t.broken_redirect = Meaning::Deny;
            t.forbidden = Meaning::Deny;
        }
        "archive" => t.without_copy = [Step::Allow; 3],
        other => panic!("unknown access profile {other}"),
    }
    t
}

impl Table {
    fn meaning(&self, came: Came) -> Meaning {
        match came {
            Came::File { .. } | Came::NotModified { .. } => Meaning::Rules,
            Came::Part { .. } => self.partial_content,
            Came::Accepted { version: None, .. } => self.accepted_empty,
            Came::Accepted { .. } => self.other_success,
            Came::Status { status, .. } => match status {
                204 | 205 => self.no_content,
                200..=299 => self.other_success,
                300..=399 => self.broken_redirect, // REP-ACCESS-24
                401 | 403 => self.forbidden,
                429 => self.too_many_requests,
                400..=499 => self.unavailable,
                _ => Meaning::Fail,
            },
            Came::RedirectLimit => self.redirect_limit,
            Came::OtherNotModified | Came::BrokenRedirect | Came::RefusedDowngrade => {
                self.broken_redirect
            }
            // Sent only for profiles whose `disallowed_hop` is AllowAll (REP-ACCESS-22).
            Came::DisallowedHop => Meaning::Allow,
            Came::SiteFailure | Came::ReachFailure { .. } | Came::OwnFault => Meaning::Fail,
        }
    }

    /// Lifetime of a result (REP-CACHE-1, REP-CACHE-2): the floor is 5 minutes.
    fn lifetime(&self, max_age: Option<u64>) -> u64 {
        max_age.map_or(self.default_lifetime, |age| age.clamp(5 * MINUTE, self.max_age_ceiling))
    }
}

// ---- State of the readers with one limit ----

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Body {
    version: u32,
    /// Time of the fetch, or of the 304 that renewed the body.
    at: u64,
    max_age: Option<u64>,
    /// `WHOLE`, or the limit of the asker that got a cut or partial body.
    reach: u64,
    /// False for a 206 and for a 204: a 304 must not renew them (REP-CACHE-30).
    validators: bool,
}

#[derive(Clone, Copy, Debug)]
struct Outage {
    first: u64,
    last: u64,
    counted: u64,
    tries: u32,
    retry_after: Option<u64>,
    /// Date of the copy. A clock that went back has shown that it is no later (REP-CACHE-23).
    copy_from: u64,
    copy_too_old: bool,
}

#[derive(Clone, Debug, Default)]
struct Reader {
    /// ALLOW (true) or DENY (false) of a real answer, its time and max-age.
    verdict: Option<(bool, u64, Option<u64>)>,
    whole: Option<Body>,
    /// Cut or partial body. It is always newer than `whole`.
    piece: Option<Body>,
    outage: Option<Outage>,
}

impl Reader {
    /// Body for a reader of this limit, and whether it is long enough. REP-CACHE-29: a cut body
    /// does not replace a whole one for readers that want more.
    fn body(&self, limit: u64) -> Option<(Body, bool)> {
        match (self.piece, self.whole) {
            (Some(piece), _) if piece.reach >= limit => Some((piece, true)),
            (_, Some(whole)) => Some((whole, true)),
            (Some(piece), None) => Some((piece, false)),
            (None, None) => None,
        }
    }

    /// Last result of any age: answer, time, max-age. None if it is too short for this limit.
    fn result(&self, limit: u64) -> Option<(Answer, u64, Option<u64>)> {
        if let Some((allow, at, max_age)) = self.verdict {
            return Some((if allow { Answer::Allow } else { Answer::Deny }, at, max_age));
        }
        let (body, enough) = self.body(limit)?;
        enough.then_some((
            Answer::File { version: body.version, is_copy: false },
            body.at,
            body.max_age,
        ))
    }

    /// The fresh result, if any. REP-CACHE-23: a result from the future is not fresh.
    fn fresh(&self, t: &Table, limit: u64, now: u64) -> Option<Answer> {
        let (answer, at, max_age) = self.result(limit)?;
        let fresh = self.outage.is_none() && at <= now && now - at < t.lifetime(max_age);
        fresh.then_some(answer)
    }

    /// Whether the fresh result is a file that is no part.
    fn has_fresh_file(&self, t: &Table, limit: u64, now: u64) -> bool {
        let is_part =
            self.body(limit).is_some_and(|(body, _)| !body.validators && body.reach < WHOLE);
        !is_part && matches!(self.fresh(t, limit, now), Some(Answer::File { .. }))
    }

    /// Advances this reader by a fetch.
    fn advance(
        &mut self,
        t: &Table,
        limit: u64,
        (came, is_extra): (Came, bool),
        body: Option<Body>,
        now: u64,
    ) {
        let meaning = t.meaning(came);
        match (meaning, body) {
            (Meaning::Rules, Some(body)) => {
                self.verdict = None;
                self.outage = None;
                if body.reach == WHOLE {
                    self.whole = Some(body);
                    self.piece = None;
                } else {
                    self.piece = Some(body);
                }
            }
            (Meaning::Allow | Meaning::Deny, _) => {
                // REP-CACHE-20: a 4xx replaces the copy and ends the outage.
                let max_age = match came {
                    Came::Status { max_age, .. } | Came::Accepted { max_age, .. } => max_age,
                    _ => None,
                };
                let verdict = Some((meaning == Meaning::Allow, now, max_age));
                *self = Self { verdict, ..Self::default() };
            }
            // A reading of 2026-11: a failed fetch that was requested before it was due changes
            // nothing in an outage. Otherwise frequent requests would delay the next try.
            _ if is_extra && self.outage.is_some() => {}
            _ => self.fail(t, limit, came, now),
        }
    }

    fn fail(&mut self, t: &Table, limit: u64, came: Came, now: u64) {
        // REP-CACHE-29: a failed fetch while a file is fresh starts no outage.
        let guarded = self.verdict.is_none() || FRESH_VERDICT_PREVENTS_OUTAGE;
        if guarded && self.fresh(t, limit, now).is_some() {
            return;
        }
        self.verdict = None; // Only a file is a copy.
        let retry_after =
            if let Came::Status { retry_after, .. } = came { retry_after } else { None };
        let mut outage = self.outage.unwrap_or(Outage {
            first: now,
            last: now,
            counted: 0,
            tries: 0,
            retry_after: None,
            copy_from: u64::MAX,
            copy_too_old: false,
        });
        // REP-CACHE-25: a clock that goes back adds nothing, one that jumps ahead adds at most G.
        outage.counted += now.saturating_sub(outage.last).min(t.gap);
        outage.first = outage.first.min(now);
        outage.last = now;
        outage.tries += 1;
        outage.retry_after = retry_after;
        // REP-CACHE-26: the age of the copy is judged when a failed try ends.
        if let Some((body, _)) = self.body(limit) {
            outage.copy_from = outage.copy_from.min(body.at).min(now);
            outage.copy_too_old = too_old(t, outage.copy_from, now);
        }
        self.outage = Some(outage);
    }

    /// Whether a first failure now would allow everything.
    fn opens_at_first(&self, t: &Table, limit: u64, now: u64) -> bool {
        let mut reader = self.clone();
        reader.outage = None;
        reader.fail(t, limit, Came::SiteFailure, now);
        let outage = reader.outage;
        self.outage.is_none()
            && outage.is_some_and(|it| reader.ladder(t, limit, it, now, false) == Answer::Allow)
    }

    /// The copy that the ladder may use.
    fn copy(&self, limit: u64) -> Option<Body> {
        let too_old = self.outage.is_some_and(|outage| outage.copy_too_old);
        self.body(limit).map(|(body, _)| body).filter(|_| !too_old)
    }

    /// Answer of the ladder (REP-CACHE-10 to REP-CACHE-15, REP-CACHE-26).
    fn ladder(&self, t: &Table, limit: u64, outage: Outage, now: u64, available: bool) -> Answer {
        let copy = self.copy(limit);
        let steps = if copy.is_some() { t.with_copy } else { t.without_copy };
        // The count enters a step at a failed try. The clock enters it only towards DENY, so the
        // strictest step between the two is the answer.
        let by_count = step_at(outage.counted);
        let by_clock = step_at(now.saturating_sub(outage.first)).max(by_count);
        let strictness = |step: &Step| match step {
            Step::Deny => 0,
            Step::AllowIfSiteAvailable if !available => 0,
            Step::Copy => 1,
            Step::Allow | Step::AllowIfSiteAvailable => 2,
        };
        match (steps[by_count..=by_clock].iter().map(strictness).min(), copy) {
            (Some(1), Some(body)) => Answer::File { version: body.version, is_copy: true },
            (Some(2), _) => Answer::Allow,
            _ => Answer::Deny,
        }
    }

    fn due(&self, t: &Table, limit: u64, now: u64) -> Due {
        let Some(outage) = self.outage else {
            return if self.fresh(t, limit, now).is_some() { Due::No } else { Due::Yes };
        };
        let Some(elapsed) = now.checked_sub(outage.last) else {
            return Due::Yes; // A try dated in the future is due.
        };
        let (least, most) = if let Some(wait) = outage.retry_after {
            // REP-CACHE-27: honoured up to 24 hours in every profile.
            let wait = wait.clamp(MINUTE, DAY);
            (wait, wait)
        } else {
            // REP-CACHE-21, REP-CACHE-27: spread by a fifth, never above G.
            let wait = (MINUTE << (outage.tries - 1).min(6)).min(HOUR);
            ((wait * 4 / 5).min(t.gap * 2 / 3), (wait * 6 / 5).min(t.gap))
        };
        if elapsed >= most {
            Due::Yes
        } else if elapsed < least {
            Due::No
        } else {
            Due::Perhaps
        }
    }
}

/// The empty file of a 204 or 202.
fn empty_file(at: u64, max_age: Option<u64>) -> Body {
    Body { version: 0, at, max_age, reach: WHOLE, validators: false }
}

/// Whether the copy is too old for the profile (REP-CACHE-14).
fn too_old(t: &Table, copy_from: u64, now: u64) -> bool {
    t.copy_counts_for.is_some_and(|longest| now.saturating_sub(copy_from) >= longest)
}

/// Index of the ladder step after this length.
fn step_at(length: u64) -> usize {
    usize::from(length >= 12 * HOUR) + usize::from(length >= 30 * DAY)
}

// ---- One origin ----

/// One record in a shared store, with all askers. They have one profile (REP-CACHE-29).
#[derive(Clone, Debug)]
pub(crate) struct Model {
    profile: &'static str,
    /// One state for each limit: cut bodies make them differ.
    readers: HashMap<u64, Reader>,
    /// States after a fetch for one asker alone, until the next answer for all.
    alone: HashMap<Asker, Reader>,
    /// The last informative fetch of the site, and its time.
    last: Option<(Came, u64)>,
    last_failed: bool,
    /// Askers whose last try was not informative.
    faulted: HashSet<Asker>,
}

impl Model {
    pub(crate) fn new(profile: &'static str) -> Self {
        let (readers, alone, faulted) = (HashMap::new(), HashMap::new(), HashSet::new());
        Self { profile, readers, alone, last: None, last_failed: false, faulted }
    }

    /// Whether a fetch is due for a question of this asker.
    pub(crate) fn due(&mut self, asker: Asker, now: u64) -> Due {
        self.note(asker);
        match self.view(asker).due(&table(self.profile), asker.limit, now) {
            Due::Yes if self.faulted.contains(&asker) => Due::Perhaps,
            due => due,
        }
    }

    /// Whether a fetch by this asker now may send validators (REP-CACHE-30).
    pub(crate) fn sends_validators(&self, asker: Asker) -> bool {
        self.validated(asker).is_some()
    }

    /// Records a fetch by this asker that has ended at `now`.
    pub(crate) fn fetched(&mut self, asker: Asker, (came, is_extra): (Came, bool), now: u64) {
        self.note(asker);
        let t = table(self.profile);
        // Whether too little shows that the network works, for a failure that would allow all.
        let opens = |heard: u64| {
            let reader = &self.readers[&asker.limit];
            now - heard > ANSWER_FOR_A_FIRST_ALLOW && reader.opens_at_first(&t, asker.limit, now)
        };
        let is_doubtful = matches!(came, Came::ReachFailure { heard: Some(heard) } if opens(heard));
        // REP-CACHE-28: these say nothing about the site and change nothing.
        if came == Came::OwnFault || !self.counts(came) || is_doubtful {
            self.faulted.insert(asker);
            return;
        }
        self.faulted.remove(&asker);
        // REP-CACHE-29: a fetch that ended by a rule for one crawler changes no other state.
        if came == Came::DisallowedHop {
            let mut reader = self.view(asker);
            reader.advance(&t, asker.limit, (came, is_extra), None, now);
            self.alone.insert(asker, reader);
            return;
        }
        // REP-CACHE-29: a 206 never replaces a whole file.
        let is_part = matches!(came, Came::Part { .. });
        if is_part && self.readers[&asker.limit].has_fresh_file(&t, asker.limit, now) {
            (self.last, self.last_failed) = (Some((came, now)), t.meaning(came) == Meaning::Fail);
            return;
        }
        let body = self.body_of(asker, came, now);
        // A 304 to an unconditional request is a broken redirect (REP-AMB-17).
        let came = match came {
            Came::NotModified { .. } if body.is_none() => Came::BrokenRedirect,
            other => other,
        };
        for (limit, reader) in &mut self.readers {
            reader.advance(&t, *limit, (came, is_extra), body, now);
        }
        self.alone.retain(|alone, reader| {
            reader.advance(&t, alone.limit, (came, is_extra), body, now);
            t.meaning(came) == Meaning::Fail // An answer ends the difference.
        });
        self.last = Some((came, now));
        self.last_failed = t.meaning(came) == Meaning::Fail;
    }

    /// Answer to this asker at `now`. `tried` is false if a due try was impossible or not
    /// informative.
    pub(crate) fn answer(&self, asker: Asker, now: u64, tried: bool, available: bool) -> Answer {
        let t = table(self.profile);
        let reader = self.view(asker);
        if let Some(outage) = reader.outage {
            let answer = reader.ladder(&t, asker.limit, outage, now, available);
            // REP-CACHE-26: an ALLOW of an outage is unknown while a try is due.
            let due = match reader.due(&t, asker.limit, now) {
                Due::Yes => true,
                Due::Perhaps => !tried,
                Due::No => false,
            };
            return if due && answer == Answer::Allow { Answer::Unknown } else { answer };
        }
        if let Some(answer) = reader.fresh(&t, asker.limit, now) {
            return answer;
        }
        if tried {
            return Answer::Unknown;
        }
        // REP-CACHE-28: the earlier answer remains (the copy if the profile uses it), else DENY.
        match (reader.verdict, reader.copy(asker.limit)) {
            (Some((true, ..)), _) if EXPIRED_ALLOW_STANDS => Answer::Allow,
            (Some((true, ..)), _) => Answer::Unknown,
            (None, Some(body)) if EXPIRED_FILE_ALWAYS_STANDS || t.with_copy[0] == Step::Copy => {
                if too_old(&t, body.at, now) {
                    Answer::Deny
                } else {
                    Answer::File { version: body.version, is_copy: true }
                }
            }
            _ => Answer::Deny,
        }
    }

    /// The last result, if it may answer while a new one is fetched: it is less than 24 hours old.
    pub(crate) fn answer_while_refreshing(&self, asker: Asker, now: u64) -> Option<Answer> {
        let reader = self.view(asker);
        let (answer, at, _) = reader.result(asker.limit).filter(|_| reader.outage.is_none())?;
        (at <= now && now - at < DAY).then_some(answer)
    }

    /// Forgets the shared state of an asker: no record was stored.
    pub(crate) fn forget(&mut self, asker: Asker) {
        self.readers.remove(&asker.limit);
    }

    /// Whether this asker has a private state.
    pub(crate) fn is_alone(&self, asker: Asker) -> bool {
        self.alone.contains_key(&asker)
    }

    /// Name of the ladder step by the counted length, and whether there is a copy.
    pub(crate) fn step(&self, asker: Asker) -> (&'static str, bool) {
        let reader = self.view(asker);
        let name = match reader.outage {
            None => "none",
            Some(outage) => ["first", "later", "end"][step_at(outage.counted)],
        };
        (name, reader.copy(asker.limit).is_some())
    }

    /// Whether this fetch is informative about the site. REP-CACHE-28: a reach failure is only if
    /// another host answered since the previous failed try.
    fn counts(&self, came: Came) -> bool {
        let Came::ReachFailure { heard } = came else { return true };
        match (heard, self.last) {
            (None, _) => false,
            (Some(_), None) => true,
            (Some(_), Some(_)) if !self.last_failed && !FIRST_REACH_FAILURE_NEEDS_AN_ANSWER => true,
            (Some(heard), Some((_, last))) => heard > last || SAME_SECOND_IS_SINCE && heard == last,
        }
    }

    /// The body of a fetch, for all readers.
    fn body_of(&self, asker: Asker, came: Came, now: u64) -> Option<Body> {
        let new = |version, max_age, reach, validators| {
            Some(Body { version, at: now, max_age, reach, validators })
        };
        match came {
            Came::File { version, size, max_age } => {
                let reach = if size <= asker.limit { WHOLE } else { asker.limit };
                new(version, max_age, reach, true)
            }
            Came::Part { version } => new(version, None, asker.limit, false),
            Came::Accepted { version: Some(version), max_age } => {
                new(version, max_age, WHOLE, true)
            }
            Came::Accepted { max_age, .. } | Came::Status { status: 200..=299, max_age, .. } => {
                Some(empty_file(now, max_age))
            }
            // REP-CACHE-5: a 304 renews the body that it confirms, cut or whole, and no other. One
            // with another strong ETag confirms none.
            Came::NotModified { max_age } => self.validated(asker).map(|body| Body {
                at: now,
                max_age: max_age.or(body.max_age),
                ..body
            }),
            _ => None,
        }
    }

    /// The body whose validators this asker may send. REP-CACHE-30: not one that was cut at a
    /// smaller limit.
    fn validated(&self, asker: Asker) -> Option<Body> {
        let reader = self.view(asker);
        let piece = reader.piece.filter(|body| body.reach >= asker.limit && body.validators);
        piece.or(reader.whole).filter(|body| body.validators)
    }

    /// Adds the limit of this asker.
    fn note(&mut self, asker: Asker) {
        if !self.readers.contains_key(&asker.limit) {
            self.readers.insert(asker.limit, self.start(asker));
        }
    }

    fn view(&self, asker: Asker) -> Reader {
        let reader = self.alone.get(&asker);
        let reader = reader.or_else(|| self.readers.get(&asker.limit));
        reader.cloned().unwrap_or_else(|| self.start(asker))
    }

    /// State of a new limit: that of the nearest one, preferably of a larger one.
    fn start(&self, asker: Asker) -> Reader {
        let distance = |limit: u64| (limit < asker.limit, limit.abs_diff(asker.limit));
        let nearest = self.readers.iter().min_by_key(|(limit, _)| distance(**limit));
        nearest.map(|(_, reader)| reader.clone()).unwrap_or_default()
    }
}
