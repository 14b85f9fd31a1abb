//! The proof that a file gives each crawler the answer of a policy, for all URLs: `no` closes all
//! but the exceptions; `yes` closes nothing that the owner's lines alone leave open, and is an
//! error if these close `/`.
//!
//! The file is compared with what the policy requests: a file with a group for every crawler. A
//! crawler for which they differ is named in the block; if it is named already, the owner's lines
//! contradict the policy. Crawlers that only the owner names keep their groups: the block names none
//! of them, and joins no group.

use std::collections::BTreeSet;

use verger::extension::Record;
use verger::parse::Encoding;
use verger::{Crawler, Dialect, Robots, Rule, quoted};
use verger_analysis::{
    Analysis, Budget, Change, Comparison, CrawlerDifferences, Direction, OTHERS, compare,
    compare_files, limits, unnamed_crawler,
};

use super::block::{Block, Subject, is_named};
use super::marks::{Marked, record_line};
use crate::args::{Answer, PolicyArgs};
use crate::error::Error;

/// The file with the block of a policy for some crawlers, proved.
///
/// # Errors
///
/// The policy is invalid, the file is in another encoding or too long, the first contradiction with
/// the owner's line and a crawler that it concerns, or a comparison that exceeds a limit.
pub(crate) fn updated(
    marked: &Marked<'_>,
    policy: &PolicyArgs,
    crawlers: &[Subject<'_>],
    date: &str,
) -> Result<Vec<u8>, Error> {
    let name = marked.name;
    let owned = Robots::parse(&[marked.before, marked.after].concat());
    if owned.encoding() != Encoding::Utf8 {
        return Err(Error::new(format!("expected {name} in UTF-8, but found another encoding")));
    }
    let names: Vec<_> = crawlers.iter().map(|it| ["User-agent: ", it.token].concat()).collect();
    let others = unnamed_crawler(&[&owned, &Robots::parse(&names.join("\n"))]);
    let mut subjects = vec![Subject { token: OTHERS, purpose: None, rules: &others }];
    subjects.extend(crawlers.iter().filter(|it| !it.rules.ignores_robots()));
    let block = Block::new(policy, marked, &owned, subjects)?;
    block.prove_exceptions()?;
    let mut unlimited = Dialect::default();
    unlimited.byte_limit = None;
    let requested = unlimited.parse(&block.requested());
    let subjects = &block.subjects;
    let rules: Vec<_> = subjects.iter().map(|it| it.rules).collect();
    let mut named = BTreeSet::new();
    // A named crawler can be a fallback of others, which then need groups, too.
    loop {
        let new = marked.with_block(&block.text(&named, date));
        let file = Robots::parse(&new);
        if file.is_truncated() {
            let most = verger::limits::BODY_BYTES;
            let message =
                format!("expected at most {most} bytes in {name}, but there would be more");
            return Err(Error::new(message));
        }
        let found = differences(&requested, &file, &rules);
        let count = named.len();
        let crawlers = found.iter().flat_map(|it| &it.crawlers).copied();
        named.extend(crawlers.filter(|&at| subjects[at].purpose.is_some()));
        if named.len() > count {
            continue;
        }
        if let Some(found) = found.first() {
            block.prove_difference(&file, found)?;
        }
        // Readers differ on statements before every `User-agent` line.
        let is_misplaced = |it: &Record<'_>| it.group().is_none() && block.is_other_statement(it);
        if let Some(record) = file.records().find(is_misplaced) {
            return Err(block.record_error(&file, &record, &subjects[0]));
        }
        return block.prove_answers(&file).map(|()| new);
    }
}

impl Block<'_> {
    /// Proves the rules of refused crawlers: nothing is open but the exceptions, and in these
    /// nothing that is closed to everybody. That all the rest of them is open is checked for one
    /// URL of each class.
    fn prove_exceptions(&self) -> Result<(), Error> {
        let mut only = vec![b"Disallow: /".to_vec()];
        only.extend(self.policy.except.iter().map(|path| format!("Allow: {path}").into_bytes()));
        let [only, base, refused] = [&only, &self.base, &self.refused]
            .map(|lines| Robots::parse(&[b"User-agent: *\n", &*lines.join(&b'\n')].concat()));
        let [only, all, refused] = [&only, &base, &refused].map(|it| Analysis::new(it, NOBODY));
        for limit in [&only, &all] {
            let compared = compare(limit, &refused, &mut Budget::default());
            let Some(change) = first_change(&compared, is_opened)? else { continue };
            let url = quoted(change.witness().target());
            let why = "is closed to all crawlers, so `--except` cannot open it";
            let is_closed = self.policy.all_others.is_none() && !base.is_allowed(NOBODY, "/");
            let hint = "a longer or another path may do; see the rules for `*`";
            let hint = if is_closed { FOR_EVERYBODY } else { hint };
            return Err(Error::new(format!("{url} {why}")).with_hint(hint));
        }
        let compared = compare(&only, &refused, &mut Budget::default());
        let is_open = |it: &Change<'_, '_>| base.is_allowed(NOBODY, it.witness().url());
        let Some(change) = first_change(&compared, is_open)? else { return Ok(()) };
        let url = quoted(change.witness().target());
        let error = Error::new(format!("{url} would be closed, but `--except` opens it"));
        Err(error.with_hint("rules for `*` with wildcards overlap this path"))
    }

    /// Proves that a file is as requested for the crawlers of a difference.
    fn prove_difference(&self, file: &Robots, found: &CrawlerDifferences<'_>) -> Result<(), Error> {
        let who = &self.subjects[found.crawlers[0]];
        if let Some(change) = first_change(&found.comparison, |_| true)? {
            let (url, verb) = (quoted(change.witness().target()), change.direction().name());
            let opened =
                "remove this line, or open its path to all refused crawlers with `--except`";
            let hint = if is_opened(change) { opened } else { CLOSED_EXCEPTION };
            let (rule, who) = (change.rule_after(), who.name());
            let message = format!("{url} would be {verb} to {who}{}, against the policy", by(rule));
            return Err(self.error(file, line(rule), &message, hint));
        }
        let Some(change) = found.records.first() else { return Ok(()) };
        debug_assert!(change.is_added, "the block has all records that are requested");
        Err(self.record_error(file, &change.record, who))
    }

    /// The error about a line that would also count for a crawler.
    fn record_error(&self, file: &Robots, record: &Record<'_>, who: &Subject<'_>) -> Error {
        let line = Some(record.position().line);
        let message =
            format!("{} would also count for {}", quoted(&record_line(record)), who.name());
        let hint = if self.is_other_statement(record) {
            "remove the line, or use `--no-statements`"
        } else {
            "give this crawler a group of its own outside the block"
        };
        self.error(file, line, &message, hint)
    }

    /// Proves that no exception opens what the owner closes to the same crawlers by name, and that
    /// `yes` opens the site.
    fn prove_answers(&self, file: &Robots) -> Result<(), Error> {
        let mut refused: Vec<_> = self.subjects.iter().collect();
        refused.retain(|it| self.answer(it) == Some(Answer::No) && is_named(self.owned, it.rules));
        let rules: Vec<_> = refused.iter().map(|it| it.rules).collect();
        for found in differences(self.owned, file, &rules) {
            if let Some(change) = first_change(&found.comparison, is_opened)? {
                let who = refused[found.crawlers[0]].name();
                let (url, rule) = (quoted(change.witness().target()), change.rule_before());
                let closed = format!("{url} is closed to {who}{}", by(rule));
                let message = closed + ", but `--except` would open it";
                return Err(self.error(self.owned, line(rule), &message, CLOSED_EXCEPTION));
            }
        }
        let is_closed = |it: &&Subject<'_>| {
            self.answer(it) == Some(Answer::Yes) && !file.is_allowed(it.rules, "/")
        };
        let Some(who) = self.subjects.iter().find(is_closed) else { return Ok(()) };
        let named = "remove this line, or the names above it";
        let hint = if is_named(self.owned, who.rules) { named } else { FOR_EVERYBODY };
        let line = self.owned.check(who.rules, "/").line();
        let message = format!("the policy opens the site to {}, but a rule closes `/`", who.name());
        Err(self.error(self.owned, line, &message, hint))
    }

    /// The error that a line contradicts the policy.
    fn error(&self, file: &Robots, line: Option<usize>, message: &str, hint: &str) -> Error {
        Error::new(format!("{}{message}", self.marked.place(file, line))).with_hint(hint)
    }
}

fn line(rule: Option<Rule<'_>>) -> Option<usize> {
    rule.map(|rule| rule.position().line)
}

/// A deciding rule in words.
fn by(rule: Option<Rule<'_>>) -> String {
    let by = rule.map(|rule| format!(" by {}", quoted(&rule.to_string())));
    by.unwrap_or_else(|| ", because no rule matches".to_owned())
}

/// The first difference of a certain kind. An incomplete comparison without one proves nothing.
fn first_change<'c, 'b, 'a>(
    comparison: &'c Comparison<'b, 'a>,
    is_meant: impl Fn(&Change<'b, 'a>) -> bool,
) -> Result<Option<&'c Change<'b, 'a>>, Error> {
    let found = comparison.changes.iter().find(|it| is_meant(it));
    match comparison.incomplete {
        Some(reason) if found.is_none() => {
            Err(Error::new(format!("the rules could not be proved, because {reason}")))
        }
        _ => Ok(found),
    }
}

fn is_opened(change: &Change<'_, '_>) -> bool {
    change.direction() == Direction::Opened
}

/// The differences between two files for any number of crawlers.
fn differences<'r>(
    before: &'r Robots,
    after: &'r Robots,
    crawlers: &'r [&'r Crawler],
) -> Vec<CrawlerDifferences<'r>> {
    let parts = (0..).step_by(limits::CRAWLERS).zip(crawlers.chunks(limits::CRAWLERS));
    let found = parts.flat_map(|(first, part)| {
        let budget = &mut Budget::new(10 * limits::WORK);
        let mut found = compare_files(before, after, part, budget).differences;
        found.iter_mut().flat_map(|it| &mut it.crawlers).for_each(|at| *at += first);
        found
    });
    found.collect()
}

/// The hint about a line of the owner that closes a path of `--except`.
const CLOSED_EXCEPTION: &str =
    "remove this line, or limit `--except` to paths that it does not close";

/// The hint about rules for `*` that close the site.
const FOR_EVERYBODY: &str = "rules for `*` outside the block count for everybody: to close the site to \
                             all others only, use `--all-others no`";

/// A crawler that obeys the group for `*`.
const NOBODY: &str = "nobody";
