//! Prepared answers: the parts of an answer that do not depend on the URL, for each origin, crawler,
//! dialect and access profile.
//!
//! # Flow
//!
//! A decision of the client becomes a [`Prepared`]: the rules compiled for the
//! crawler, and the JSON of the decision, cut at the places of the URL and the time. The next
//! question of the crawler about the origin is a walk through the compiled rules and some copies of
//! bytes. The bytes are those that [`Answer`] would write: all parts are cut out of its output.
//!
//! # Invariants
//!
//! - An entry answers only while its decision would be the same: until the end of its validity, for
//!   at most [`PREPARED_AGE`](crate::limits::PREPARED_AGE), and not after a change of the record by this process.
//! - Only results without an outage, a fault or a stale copy are prepared.

mod cache;

use std::ops::Range;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use verger::access::{Access, Kind, Timestamp};
use verger::{Crawler, Policy, Reason, Robots};
use verger_fetch::decision::{Decision, Source};
use verger_json::decision::DecisionKeys;
use verger_json::{Answer, Id, NamedCrawler, Values};

pub(crate) use self::cache::{Cache, Marks};
use crate::asked_url::AskedUrl;
use crate::json_text::{write_members, write_number, write_string};
use crate::limits::{PREPARED_RULES, PREPARED_RULES_BYTES, PREPARED_RULES_LEAST};

/// A prepared decision without the URL.
#[derive(Debug)]
pub(crate) struct Prepared {
    /// The first and the last second in which it answers.
    from: u64,
    until: u64,
    access: Access,
    crawler: Arc<Crawler>,
    /// Length of the keys of the crawler.
    keys: usize,
    dialect: &'static str,
    profile: usize,
    rules: Arc<Rules>,
    json: Parts,
    /// Times for caches: the result was fetched, and is valid until.
    pub(crate) times: Times,
    fetch: FetchId,
    /// Identifies everything but URL and time.
    pub(crate) tag: u64,
}

/// A question without the URL.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Key<'a> {
    pub(crate) origin: &'a str,
    /// The keys of the crawler in JSON.
    pub(crate) crawler: &'a [u8],
    /// The name: all dialects of questions are published ones.
    pub(crate) dialect: &'static str,
    /// Number of the access profile.
    pub(crate) profile: usize,
}

/// The origin, and the parts of an answer that depend on neither the URL nor the time, in one
/// allocation.
#[derive(Debug)]
struct Parts {
    text: Box<[u8]>,
    /// Ends of the parts but the last one.
    ends: [usize; 4],
}

impl Parts {
    fn new(parts: [&[u8]; 5]) -> Self {
        let mut end = 0;
        let ends = [0, 1, 2, 3].map(|at| {
            end += parts[at].len();
            end
        });
        Self { text: parts.concat().into(), ends }
    }

    fn origin(&self) -> &[u8] {
        &self.text[..self.ends[0]]
    }

    /// The keys of the crawler, the dialect, and the name of the key `allowed`.
    fn head(&self) -> &[u8] {
        &self.text[self.ends[0]..self.ends[1]]
    }

    /// From the key `decision` to the value of `checked_url`.
    fn decision(&self) -> &[u8] {
        &self.text[self.ends[1]..self.ends[2]]
    }

    /// From the end of `checked_url` to the value of `decided_at`.
    fn evidence(&self) -> &[u8] {
        &self.text[self.ends[2]..self.ends[3]]
    }

    /// The rest.
    fn tail(&self) -> &[u8] {
        &self.text[self.ends[3]..]
    }
}

/// Identifies the fetch of a decision's record: its time and the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FetchId(u64);

impl FetchId {
    pub(crate) fn of(decision: &Decision) -> Self {
        let time = decision.state().fetched_at().map_or(0, Timestamp::seconds);
        let file = decision.record().and_then(|record| record.file());
        let sha256 = file.map(|file| *file.body.sha256()).unwrap_or_default();
        Self(hash(&[&time.to_le_bytes(), &sha256]))
    }
}

/// Times of an answer, for caches of HTTP.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Times {
    /// Time at which the result was fetched or renewed.
    pub(crate) fetched_at: u64,
    /// End of its validity.
    pub(crate) valid_until: u64,
}

/// The compiled rules of a file for a crawler.
#[derive(Debug)]
struct Rules {
    robots: Arc<Robots>,
    policy: Policy,
    places: RwLock<Places>,
}

/// The ends of answers after their reasons, in the order of rules.
#[derive(Debug, Default)]
struct Places {
    places: Vec<Place>,
    text: Vec<u8>,
}

#[derive(Debug)]
struct Place {
    /// The start of the rule; `usize::MAX` without one.
    rule: usize,
    reason: Reason,
    text: Range<usize>,
}

impl Places {
    fn get(&self, reason: Reason, rule: usize) -> Option<&[u8]> {
        let from = self.places.partition_point(|place| place.rule < rule);
        let mut places = self.places[from..].iter().take_while(|place| place.rule == rule);
        let place = places.find(|place| place.reason == reason)?;
        Some(&self.text[place.text.clone()])
    }

    /// Adds a text, within the limits: `most` bytes of all texts.
    fn add(&mut self, reason: Reason, rule: usize, text: &[u8], most: usize) {
        let (from, to) = (self.text.len(), self.text.len() + text.len());
        if self.places.len() < PREPARED_RULES && to <= most && self.get(reason, rule).is_none() {
            self.text.extend_from_slice(text);
            let at = self.places.partition_point(|place| place.rule < rule);
            self.places.insert(at, Place { rule, reason, text: from..to });
        }
    }
}

impl Prepared {
    /// Prepares a decision; `None` if the next one may differ. `before` is an earlier one for the
    /// same question.
    pub(crate) fn of(
        decision: &Decision,
        crawler: &NamedCrawler,
        key: &Key<'_>,
        age: Duration,
        before: Option<&Self>,
    ) -> Option<Self> {
        let (access, state) = (decision.access(), decision.state());
        let is_plain = matches!(decision.source(), Source::Fetch | Source::Store)
            && matches!(access.kind(), Kind::Rules | Kind::AllowAll | Kind::DisallowAll)
            && access.stale().is_none()
            && state.failures() == 0
            && decision.record().is_some_and(|record| !record.has_fault());
        if !is_plain {
            return None;
        }
        let from = decision.decided_at();
        let next_try = decision.next_try().unwrap_or(from);
        let mut until = from.after(age).min(access.valid_until()).min(next_try);
        if decision.pace().requested.is_some() {
            // A rate can depend on the minute of the day.
            until = until.min(Timestamp::from_seconds((from.seconds() / 60 + 1) * 60));
        }
        let robots = decision.robots();
        let rules = match before.filter(|before| Arc::ptr_eq(&before.rules.robots, robots)) {
            Some(before) => Arc::clone(&before.rules),
            None => Arc::new(Rules {
                robots: Arc::clone(robots),
                policy: robots.policy(crawler.crawler()),
                places: RwLock::default(),
            }),
        };
        let mut head = Vec::new();
        write_members(&mut head, &crawler.keys());
        head.extend_from_slice(b",\"dialect\":");
        write_string(&mut head, key.dialect);
        head.extend_from_slice(b",\"allowed\":");
        let mut json = written(&DecisionKeys::of(decision));
        // Quotes inside of strings are escaped, so these keys are found only as keys.
        let url = after(&json, 0, b"\"checked_url\":")?;
        let mut checked = Vec::new();
        write_string(&mut checked, decision.url().as_str());
        let evidence = url + checked.len();
        // The next answer is from the store.
        let source = after(&json, evidence, b"\"source\":\"")?;
        json.splice(source..source + decision.source().name().len(), *b"store");
        let time = after(&json, evidence, b"\"decided_at\":")?;
        let digits = json[time..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let fetched_at = state.fetched_at().unwrap_or(from).seconds();
        let times = Times { fetched_at, valid_until: access.valid_until().seconds() };
        let (evidence, tail) = (&json[evidence..time], &json[time + digits..]);
        Some(Self {
            from: from.seconds(),
            until: until.seconds(),
            access,
            crawler: crawler.shared_crawler(),
            keys: key.crawler.len(),
            dialect: key.dialect,
            profile: key.profile,
            rules,
            tag: hash(&[&head, evidence, tail]),
            json: Parts::new([
                key.origin.as_bytes(),
                &head,
                &[b",\"decision\":", &json[..url]].concat(),
                evidence,
                tail,
            ]),
            times,
            fetch: FetchId::of(decision),
        })
    }

    /// Whether this is the question that it answers.
    fn answers(&self, key: &Key<'_>) -> bool {
        (self.profile, self.keys) == (key.profile, key.crawler.len())
            && self.json.origin() == key.origin.as_bytes()
            && self.json.head().starts_with(key.crawler)
            && self.dialect == key.dialect
    }

    fn origin(&self) -> &str {
        str::from_utf8(self.json.origin()).unwrap_or_default()
    }

    fn is_valid(&self, now: u64) -> bool {
        (self.from..self.until).contains(&now)
    }

    /// Writes the answer for a URL without a line end, and returns its reason and whether it allows
    /// the URL. `None` if this question needs no record, or the full check.
    ///
    /// `sent` is the URL as a client sends it.
    pub(crate) fn write(
        &self,
        out: &mut Vec<u8>,
        id: Option<&Id>,
        url: &AskedUrl<'_>,
        sent: &str,
        now: u64,
    ) -> Option<(bool, Reason)> {
        // A policy has its crawler; reading this entry's would be one more place in memory.
        let verdict = self.access.policy_verdict(&self.rules.policy, sent)?;
        let (allowed, reason) = (verdict.is_allowed(), verdict.reason());
        if !matches!(
            reason,
            Reason::Rule
                | Reason::NoRuleMatches
                | Reason::NoGroup
                | Reason::Unavailable
                | Reason::RedirectLimit
        ) {
            return None;
        }
        let rule = verdict.rule().map_or(usize::MAX, |rule| rule.span().start);
        let at = out.len();
        out.push(b'{');
        if let Some(id) = id {
            out.extend_from_slice(b"\"id\":");
            // Writing to memory does not fail.
            let _ = Values::lines().write(out, id);
            out.pop();
            out.push(b',');
        }
        out.extend_from_slice(b"\"url\":");
        let write = if url.is_plain() { write_plain } else { write_string };
        write(out, url.as_str());
        out.extend_from_slice(self.json.head());
        out.extend_from_slice(if allowed { b"true,\"reason\":\"" } else { b"false,\"reason\":\"" });
        out.extend_from_slice(reason.name().as_bytes());
        out.push(b'"');
        if self.write_place(out, sent, reason, rule).is_none() {
            out.truncate(at);
            return None;
        }
        out.extend_from_slice(self.json.decision());
        write(out, sent);
        out.extend_from_slice(self.json.evidence());
        write_number(out, now);
        out.extend_from_slice(self.json.tail());
        out.push(b'}');
        Some((allowed, reason))
    }

    /// Writes the keys after `reason`, up to `decision`: the rule, its group, and `truncated`.
    fn write_place(
        &self,
        out: &mut Vec<u8>,
        sent: &str,
        reason: Reason,
        rule: usize,
    ) -> Option<()> {
        let Rules { robots, places, .. } = &*self.rules;
        let known = places.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = known.get(reason, rule) {
            out.extend_from_slice(place);
            return Some(());
        }
        drop(known);
        let verdict = self.access.verdict(&**robots, self.crawler.as_ref(), sent)?;
        if verdict.reason() != reason
            || verdict.rule().map_or(usize::MAX, |rule| rule.span().start) != rule
        {
            return None;
        }
        // The same answer for an empty URL and no crawler, so that the place is at its end.
        let named = NamedCrawler::token("");
        let json = written(&Answer::new(b"", named.keys(), robots, verdict));
        let from = after(&json, 0, b"\"reason\":")? + reason.name().len() + 2;
        let place = json.get(from..json.len() - 1)?;
        out.extend_from_slice(place);
        places.write().unwrap_or_else(PoisonError::into_inner).add(
            reason,
            rule,
            place,
            self.rules.places_bytes(),
        );
        Some(())
    }

    /// Approximate bytes, with the parsed file, which may be in no other place by now.
    fn size(&self) -> usize {
        let Rules { robots, policy, .. } = &*self.rules;
        let rules = policy.as_bytes().len() + robots.text().len() + self.rules.places_bytes();
        size_of::<Self>() + self.json.text.len() + rules + PREPARED_OVERHEAD
    }
}

impl Rules {
    /// Maximum bytes of the places: those of some rules, and more for a longer file.
    fn places_bytes(&self) -> usize {
        (PREPARED_RULES_LEAST + self.robots.text().len()).min(PREPARED_RULES_BYTES)
    }
}

/// Bytes of an entry for the maps and the key.
const PREPARED_OVERHEAD: usize = 512;

/// JSON without the line end.
fn written(value: &impl serde::Serialize) -> Vec<u8> {
    let mut out = Vec::new();
    // Writing to memory does not fail.
    let _ = Values::lines().write(&mut out, value);
    out.pop();
    out
}

/// The position after the first occurrence of a key.
fn after(json: &[u8], from: usize, key: &[u8]) -> Option<usize> {
    let rest = json.get(from..)?;
    Some(from + rest.windows(key.len()).position(|found| found == key)? + key.len())
}

/// Writes a [plain](AskedUrl::is_plain) URL as a JSON string: it has nothing to escape.
fn write_plain(out: &mut Vec<u8>, url: &str) {
    out.push(b'"');
    out.extend_from_slice(url.as_bytes());
    out.push(b'"');
}

/// The entity tag of an answer about a URL, of the tag of the rest. A client compares tags of one URL
/// only, so this need not resist collisions.
pub(crate) fn tag_of(tag: u64, url: &str, explain: bool) -> u64 {
    let mut hash = tag ^ u64::from(explain);
    for chunk in url.as_bytes().chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        hash =
            (hash ^ u64::from_le_bytes(word)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    }
    hash
}

/// A hash of texts, the same in this process.
fn hash(texts: &[&[u8]]) -> u64 {
    use std::hash::{DefaultHasher, Hash as _, Hasher as _};
    let mut hasher = DefaultHasher::new();
    texts.hash(&mut hasher);
    hasher.finish()
}
