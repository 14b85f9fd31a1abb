//! The judgement by the rules of docs/audit.md, in the simplest way: for each request, everything
//! before it is read again. Its author has not read the code of the judgement.

use std::collections::BTreeSet;

use verger_audit::Verdict;
use verger_naive::check;

use super::known::{Fetch, Force, Known, Line, Since, remembered};
use super::texts::{
    NEWS, SITEMAP, is_against_training, rate, with_closed_groups, without_mistakes,
};
use super::world::{Claim, DAY, Event, Is, Kind, ORIGINS, Proof, UNCONFIRMED, World};

/// The judgement of one request.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) verdict: Verdict,
    pub(super) flags: BTreeSet<&'static str>,
    /// Version and line.
    pub(super) rule: Option<(usize, usize)>,
    /// When the copy was received or renewed, for `disallowed_known`.
    pub(super) received: Option<i64>,
}

/// The answer of a version about the URL of a request.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Says {
    Allows,
    Forbids {
        line: Option<usize>,
    },
    /// The query is not known, or the group is unclear.
    Unclear,
}

/// A request that is judged by the fetches of its crawler or of its operator.
struct Question<'w> {
    line: Line<'w>,
    claim: Claim,
    lifetime: i64,
    fetches: Vec<Fetch>,
    heads: Vec<i64>,
}

/// A judgement with its reasons.
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
struct Judgement {
    verdict: Verdict,
    rule: Option<(usize, usize)>,
    force: Force,
    /// Whether the fetches on which it rests are proved.
    is_proved: bool,
    is_denied: bool,
    refused: bool,
    is_backwards: bool,
}

/// The answers for all requests of a log, and the number of pages whose use for training the site
/// did not want.
pub(super) fn answers(world: &World) -> (Vec<Answer>, u64) {
    let answers = (0..world.events.len()).map(|index| answer(world, index)).collect::<Vec<_>>();
    let preferences = answers.iter().filter(|(_, is_unwanted)| *is_unwanted).count() as u64;
    (answers.into_iter().map(|(answer, _)| answer).collect(), preferences)
}

/// The answer for one request, and whether its use for training is not wanted.
fn answer(world: &World, index: usize) -> (Answer, bool) {
    let mut answer = Answer {
        verdict: Verdict::NotACrawler,
        flags: BTreeSet::new(),
        rule: None,
        received: None,
    };
    let event = &world.events[index];
    let Some(claim) = world.claim(event) else { return (answer, false) };
    answer.flags.extend((claim.proof != Proof::Verified).then_some("unproved"));
    answer.verdict = without_rules(event, &claim).unwrap_or(Verdict::Unknown);
    let Some(site) = world.origin(event).filter(|_| event.has_time) else {
        return (answer, false);
    };
    let line = Line { world, index, site };
    if answer.verdict != Verdict::Unknown {
        let is_fetch = world.is_fetch(event) && answer.verdict == Verdict::RobotsTxt;
        let is_refused = is_fetch && is_refusal(line, world.fetch_status(event));
        answer.flags.extend(is_refused.then_some("refused"));
        return (answer, false);
    }
    let (judgement, is_unproved) = judged(line, &claim);
    answer.verdict = judgement.verdict;
    answer.rule = judgement.rule;
    answer.received = judgement.since().filter(|_| judgement.verdict == Verdict::DisallowedKnown);
    answer.flags.extend(is_unproved.then_some("unproved"));
    answer.flags.extend(judgement.is_backwards.then_some("backwards"));
    answer.flags.extend(judgement.refused.then_some("refused"));
    let Force::Copy { version, .. } = judgement.force else { return (answer, false) };
    if world.is_at_edge {
        return (answer, false);
    }
    let text = world.text(site, version).expect("a copy is a file");
    let (text, _) = lines_for(text, claim.by.tokens);
    let known_from = knows_from(line, &claim, version);
    let is_too_fast = rate(&text)
        .zip(known_from)
        .is_some_and(|(rate, from)| is_too_fast(line, is_unproved, rate, from));
    answer.flags.extend(is_too_fast.then_some("too_fast"));
    let is_allowed = match answer.verdict {
        Verdict::Grace => answer.rule.is_some_and(|(newer, _)| newer != version),
        verdict => verdict == Verdict::Allowed,
    };
    let is_training = matches!(claim.by.is, Is::Training | Is::Amazon);
    let is_unwanted = is_allowed && is_training && !is_unproved && is_against_training(&text);
    (answer, is_unwanted)
}

/// The question about a request by the fetches of its operator, or of its crawler alone.
fn question<'w>(line: Line<'w>, claim: &Claim, is_alone: bool) -> Question<'w> {
    let is_shared =
        |it: &Claim| it.by.operator == claim.by.operator && it.by.is != Is::UserTriggered;
    let is_own = |it: &Claim| it.by.tokens[0] == claim.by.tokens[0];
    let is_same = |it: &Claim| if is_alone { is_own(it) } else { is_shared(it) };
    let is_by = |event: &Event| {
        line.world.claim(event).is_some_and(|it| it.proof != Proof::Failed && is_same(&it))
    };
    let lifetime = lifetime(line.world);
    let (fetches, heads) = (line.fetches(Since::Gap, is_by), line.heads(is_by));
    Question { line, claim: *claim, lifetime, fetches, heads }
}

/// Rule 32: from when on the crawler itself knows the limits of a version.
fn knows_from(line: Line<'_>, claim: &Claim, version: usize) -> Option<i64> {
    let at = line.event().at;
    let question = question(line, claim, claim.by.operator != "Google");
    let (fetches, _) = remembered(&question.fetches, at)?;
    match question.in_force(&fetches, at).0 {
        Force::Copy { version: own, since } if own == version => Some(since + 60),
        _ => None,
    }
}

/// Rules 15 to 30: the judgement, and whether it is unproved.
fn judged(line: Line<'_>, claim: &Claim) -> (Judgement, bool) {
    let mut judgement = question(line, claim, false).judge();
    if is_accusation(judgement.verdict) {
        // Rule 26.
        let own = question(line, claim, true).judge();
        if claim.by.operator != "Google" || own.verdict != Verdict::DisallowedUnread {
            judgement = own;
        }
    }
    let is_doubted =
        is_accusation(judgement.verdict) && is_doubtful(line, claim, judgement.since());
    let is_unproved = is_doubted || !judgement.is_proved || claim.proof != Proof::Verified;
    (judgement, is_unproved)
}

fn lifetime(world: &World) -> i64 {
    world.lifetime.unwrap_or(DAY)
}

/// The verdicts before `unknown`.
fn without_rules(event: &Event, claim: &Claim) -> Option<Verdict> {
    if claim.proof == Proof::Failed {
        Some(Verdict::Impostor)
    } else if matches!(event.kind, Kind::Fetch { .. }) {
        Some(Verdict::RobotsTxt)
    } else {
        (claim.by.is == Is::UserTriggered).then_some(Verdict::UserTriggered)
    }
}

fn is_accusation(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::DisallowedKnown | Verdict::DisallowedUnread)
}

/// Rule 29: whether somebody who may have been of the operator asked, and the crawler not since.
fn is_doubtful(line: Line<'_>, claim: &Claim, since: Option<i64>) -> bool {
    let at = line.event().at;
    let is_by = |event: &Event| match line.world.claim(event) {
        Some(it) if it.by.is != Is::Private => {
            it.proof == Proof::Failed && it.by.operator == claim.by.operator
        }
        _ => World::operator_of_address(event) == Some(claim.by.operator),
    };
    let (lifetime, fetches, heads) = (lifetime(line.world), Vec::new(), Vec::new());
    let question = Question { line, claim: *claim, lifetime, fetches, heads };
    let is_the_same = since.is_some_and(|since| question.all(since, at) == Some(false));
    line.fetches(Since::Ever, is_by).iter().any(|fetch| {
        let is_recent = at < fetch.at + lifetime + line.margin();
        let is_new = since.is_none_or(|since| since <= fetch.at);
        let is_file =
            fetch.status == Some(200) && Line { index: fetch.index, ..line }.can_be_file();
        is_recent && is_new && !(is_file && is_the_same)
    })
}

/// Rule 31.
fn is_refusal(line: Line<'_>, status: Option<u16>) -> bool {
    let is_outage = matches!(status, Some(408 | 429 | 444 | 499));
    matches!(status, Some(400..=499)) && !is_outage && line.only().is_some()
}

/// Rule 32.
fn is_too_fast(
    line: Line<'_>,
    is_unproved: bool,
    (documents, seconds): (i64, i64),
    from: i64,
) -> bool {
    let world = line.world;
    let (before, seconds) = (documents.max(9), documents.max(9) / documents * seconds);
    let parts = (119 + seconds) / seconds;
    let (before, begin) = (parts * before, line.event().at - (parts * seconds - 60));
    let name = |index| world.claim(&world.events[index]).map(|claim| claim.by.tokens[0]);
    let lines = (0..=line.index).filter_map(|index| {
        let event = &world.events[index];
        let claim = world.claim(event).filter(|claim| without_rules(event, claim).is_none())?;
        if event.status().is_some_and(|status| (300..400).contains(&status)) {
            return None;
        }
        let is_here = world.origin(event) == Some(line.site) && event.has_time;
        (is_here && name(index) == name(line.index)).then_some((Line { index, ..line }, claim))
    });
    let before = usize::try_from(before).expect("a few");
    if lines.clone().filter(|(line, _)| line.event().at > begin).count() <= before {
        return false;
    }
    let mut times: Vec<(usize, i64)> = Vec::new();
    for (line, claim) in lines {
        let at = line.event().at;
        if judged(line, &claim).1 != is_unproved {
            continue;
        }
        let last = times.last().map_or(at, |(_, last)| *last);
        if last > at + 60 {
            times.clear();
        }
        if last <= at || last > at + 60 {
            times.push((line.index, at));
        }
    }
    times.last().is_some_and(|(index, _)| *index == line.index)
        && times.iter().rev().nth(before).is_some_and(|(_, at)| *at > begin && *at >= from)
}

impl Judgement {
    fn since(&self) -> Option<i64> {
        match self.force {
            Force::Copy { since, .. } => Some(since),
            _ => None,
        }
    }
}

impl Question<'_> {
    /// Rules 15 to 25, 26 and 27, with the flags of 29 and 30.
    fn judge(&self) -> Judgement {
        let at = self.line.event().at;
        let mut judgement = Judgement {
            verdict: Verdict::Unknown,
            rule: None,
            force: Force::Nothing,
            is_proved: true,
            is_denied: false,
            refused: false,
            is_backwards: self.fetches.iter().any(|fetch| fetch.at > at),
        };
        let Some((fetches, forgotten)) = remembered(&self.fetches, at) else { return judgement };
        judgement.refused = fetches.last().is_some_and(|fetch| {
            is_refusal(Line { index: fetch.index, ..self.line }, fetch.status)
        });
        let (force, is_proved, is_denied) = self.in_force(&fetches, at);
        (judgement.force, judgement.is_denied) = (force, is_denied);
        judgement.is_proved = !self.apply(&mut judgement, at) || is_proved;
        if is_accusation(judgement.verdict) && (judgement.is_backwards || self.line.is_late()) {
            (judgement.verdict, judgement.rule) = (Verdict::Unknown, None);
            judgement.is_proved = true;
        }
        // Rule 25.
        let begun = self.line.begun();
        let mut recent = fetches.iter().enumerate().filter(|(_, fetch)| begun - fetch.at < 60);
        let forbidden_before = |(place, fetch): (usize, &Fetch)| {
            (forgotten == 0 || place > forgotten) && self.forbidden_before(fetch)
        };
        match judgement.verdict {
            Verdict::DisallowedKnown if !recent.all(forbidden_before) => {
                judgement.verdict = Verdict::Grace;
            }
            Verdict::DisallowedUnread
                if begun < at
                    && (recent.next().is_some() || self.in_force(&fetches, begun).0 != force) =>
            {
                (judgement.verdict, judgement.rule) = (Verdict::Unknown, None);
            }
            _ => {}
        }
        judgement
    }

    /// Rules 15 to 24. Returns whether a result of a fetch is the reason.
    fn apply(&self, judgement: &mut Judgement, at: i64) -> bool {
        let line = self.line;
        let force = judgement.force;
        let agreed = |from: i64| match self.all(from, at) {
            Some(true) => Verdict::Allowed,
            _ => Verdict::Unknown,
        };
        let present = line.world.served(line.site, at);
        let by_present = present.and_then(|version| match self.says(version) {
            Says::Forbids { line } => Some((version, line?)),
            _ => None,
        });
        let reached = match force {
            Force::Unclear { since } | Force::Copy { since, .. } => since - self.lifetime,
            _ => at - self.lifetime,
        };
        let is_known = matches!(force, Force::Copy { .. });
        if line.world.is_at_edge && (!is_known || self.all(reached, at).is_none()) {
            judgement.verdict = agreed(reached);
            judgement.force = Force::Nothing;
            return false;
        }
        let begins = line.beginning();
        match force {
            Force::Nothing if line.begun() < begins + self.lifetime + line.margin() => {
                judgement.verdict = agreed(begins - self.lifetime);
            }
            Force::Nothing if !line.has_requests_for_robots_txt() => {
                judgement.verdict = agreed(at - self.lifetime);
            }
            Force::Nothing => match self.all(line.begun(), at) {
                Some(true) => judgement.verdict = Verdict::Allowed,
                Some(false) => {
                    judgement.verdict = Verdict::DisallowedUnread;
                    judgement.rule = by_present;
                }
                None => {}
            },
            Force::Allowed => judgement.verdict = Verdict::Allowed,
            Force::Forbidden => judgement.verdict = Verdict::CouldNotRead,
            Force::Unclear { .. } => judgement.verdict = agreed(reached),
            Force::Copy { version, .. } => match self.says(version) {
                Says::Allows if self.all(at, at) == Some(false) => {
                    judgement.verdict = Verdict::Grace;
                    judgement.rule = by_present;
                }
                Says::Allows => judgement.verdict = Verdict::Allowed,
                Says::Forbids { .. } if judgement.is_denied && self.all(at, at) != Some(false) => {
                    return false;
                }
                Says::Forbids { line } => {
                    judgement.verdict = Verdict::DisallowedKnown;
                    judgement.rule = line.map(|line| (version, line));
                }
                Says::Unclear => return false,
            },
        }
        !matches!(force, Force::Nothing | Force::Unclear { .. })
    }

    /// The result in force after fetches, whether they are proved, and whether one was refused
    /// since the copy.
    fn in_force(&self, fetches: &[Fetch], at: i64) -> (Force, bool, bool) {
        let (lifetime, margin) = (self.lifetime, self.line.margin());
        let known = Known::new(self.line, fetches, lifetime, self.claim.by.is);
        let mut force = known.in_force(at, lifetime, margin, self.claim.by.is);
        let last = fetches.last().map_or(i64::MAX, |fetch| fetch.at);
        let is_fresh = |head: &i64| *head >= last && at < head + lifetime + margin;
        if let (Force::Nothing, Some((since, _))) = (force, known.copy)
            && self.heads.iter().any(is_fresh)
        {
            force = Force::Unclear { since };
        }
        // Rule 5.
        if let Force::Copy { since, .. } = force
            && since < self.line.beginning()
        {
            force = Force::Unclear { since };
        }
        (force, known.is_proved(at, lifetime), known.is_denied)
    }

    /// Rule 25: whether the URL was forbidden just before a fetch.
    fn forbidden_before(&self, fetch: &Fetch) -> bool {
        let is_before = |it: &&Fetch| (it.at, it.index) < (fetch.at, fetch.index);
        let before: Vec<Fetch> = self.fetches.iter().filter(is_before).copied().collect();
        let Some((before, _)) = remembered(&before, fetch.at) else { return false };
        match self.in_force(&before, fetch.at).0 {
            Force::Copy { version, .. } => matches!(self.says(version), Says::Forbids { .. }),
            Force::Unclear { since } => self.forbids_since(since),
            Force::Nothing => self.forbids_since(fetch.at),
            Force::Allowed | Force::Forbidden => false,
        }
    }

    /// Whether all that was served in the lifetime before a time, and since, forbids the URL.
    fn forbids_since(&self, at: i64) -> bool {
        self.all(at - self.lifetime, self.line.event().at) == Some(false)
    }

    /// The answer of a version about the URL.
    fn says(&self, version: usize) -> Says {
        let Line { world, site, .. } = self.line;
        let Some(text) = world.text(site, version) else { return Says::Allows };
        let path = self.line.event().target();
        let path = path.split('?').next().filter(|_| world.is_without_query).unwrap_or(path);
        let tokens = self.claim.by.tokens;
        let check = |text: &str, tokens| check(text.as_bytes(), tokens, path.as_bytes());
        let answer = check(text, tokens);
        // Rule 27.
        let (_, is_ambiguous) = lines_for(text, tokens);
        let is_asked_for = path.starts_with("/.well-known/")
            || text.lines().filter_map(|line| line.strip_prefix(SITEMAP)).any(|url| {
                url.strip_prefix(ORIGINS[site]).unwrap_or(url) == path.replace("%2F", "/")
            });
        let is_allowed_otherwise = || {
            check(&without_mistakes(text), tokens).allowed
                || tokens == UNCONFIRMED && check(text, &tokens[..1]).allowed
                || tokens == ["Googlebot"] && check(text, &[NEWS, "Googlebot"]).allowed
                || self.claim.by.is == Is::Yandex
                    && check(&with_closed_groups(&without_mistakes(text)), tokens).allowed
        };
        match answer.allowed {
            true => Says::Allows,
            false if world.is_without_query || is_ambiguous || is_asked_for => Says::Unclear,
            false if is_allowed_otherwise() => Says::Unclear,
            false => Says::Forbids { line: answer.line },
        }
    }

    /// Whether all versions of a time allow the URL, or all forbid it.
    fn all(&self, from: i64, to: i64) -> Option<bool> {
        let versions = self.line.served(from, to)?;
        let says: Vec<Says> = versions.into_iter().map(|version| self.says(version)).collect();
        let all_allow = says.iter().all(|it| *it == Says::Allows);
        let all_forbid = says.iter().all(|it| matches!(it, Says::Forbids { .. }));
        (all_allow || all_forbid).then_some(all_allow)
    }
}

/// The lines of the groups for a crawler, those of the first of its names that has one, or of `*`;
/// and whether other names follow after records, so that the rules may be meant for those only.
fn lines_for(text: &str, tokens: &[&str]) -> (String, bool) {
    for token in tokens.iter().chain(&["*"]) {
        let (mut lines, mut is_found, mut is_ambiguous) = (String::new(), false, false);
        // Of the present group.
        let (mut is_here, mut has_rules, mut has_records) = (false, false, false);
        for line in text.lines().filter(|line| !line.is_empty()) {
            if let Some(name) = line.strip_prefix("User-agent: ") {
                if has_rules {
                    (is_here, has_rules, has_records) = Default::default();
                }
                is_ambiguous |= has_records;
                is_here |= name == *token;
                is_found |= is_here;
                continue;
            }
            let is_rule = line.starts_with(['A', 'D']);
            has_rules |= is_rule;
            has_records |= is_here && line.starts_with('C');
            if is_here {
                lines += line;
                lines.push('\n');
            }
        }
        if is_found {
            return (lines, is_ambiguous);
        }
    }
    (String::new(), false)
}
