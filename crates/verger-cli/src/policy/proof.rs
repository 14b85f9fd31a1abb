//! The proof that a file gives each crawler the answer of a policy, for all URLs.

use std::collections::HashSet;

use verger::extension::RecordKind;
use verger::{Crawler, Robots, RuleKind, quoted};
use verger_analysis::{
    Analysis, Budget, Change, Direction, compare, named_crawlers, unnamed_crawler,
};

use super::plan::{Plan, Rules, lines_of};
use crate::args::Answer;
use crate::error::Error;

/// Proves that `file`, the owner's lines with the block of a plan, is as the policy requests.
///
/// # Errors
///
/// The first URL or line that is not, or a comparison that exceeds a limit.
pub(crate) fn prove(plan: &Plan<'_, '_>, file: &Robots) -> Result<(), Error> {
    prove_exceptions(plan)?;
    let mut seen = HashSet::new();
    for subject in plan.subjects {
        let answer = plan.policy.answer(subject.purpose);
        let name = quoted(subject.token);
        prove_crawler(plan, file, (&name, subject.rules), (answer, answer.is_some()), &mut seen)?;
    }
    let unnamed = unnamed_crawler(&[file]);
    prove_crawler(plan, file, ("all others", &unnamed), (None, true), &mut seen)?;
    // Crawlers that only the owner knows keep their rules.
    for name in named_crawlers(&[plan.owned]) {
        let is_known = plan.subjects.iter().any(|it| it.token.eq_ignore_ascii_case(name));
        let crawler = Crawler::new(name);
        if !is_known {
            prove_crawler(plan, file, (&quoted(name), &crawler), (None, false), &mut seen)?;
        }
    }
    Ok(())
}

/// Proves the rules of refused crawlers: nothing is open but the exceptions, and in these nothing that
/// is closed to everybody. That all the rest of them is open is checked for one URL of each class.
fn prove_exceptions(plan: &Plan<'_, '_>) -> Result<(), Error> {
    let mut only = vec![(RuleKind::Disallow, b"/".to_vec())];
    only.extend(plan.policy.except.iter().map(|it| (RuleKind::Allow, it.clone().into_bytes())));
    let [only, base, refused] = [&only, &plan.base, &plan.refused].map(file_of);
    let analyses = [&only, &base, &refused].map(|it| Analysis::new(it, NOBODY));
    for limit in &analyses[..2] {
        let mut changes = changes(limit, &analyses[2])?.into_iter();
        let Some(change) = changes.find(|it| it.direction() == Direction::Opened) else { continue };
        let url = quoted(change.witness().target());
        let why = "is closed to all crawlers, so `--except` cannot open it";
        let is_closed = plan.policy.all_others.is_none() && !base.is_allowed(NOBODY, "/");
        let hint = "a longer or another path may do; see the rules for `*`";
        let hint = if is_closed { FOR_EVERYBODY } else { hint };
        return Err(Error::new(format!("{url} {why}")).with_hint(hint));
    }
    for change in changes(&analyses[0], &analyses[2])? {
        let url = change.witness().url();
        if base.is_allowed(NOBODY, url) {
            let url = quoted(change.witness().target());
            let error = Error::new(format!("{url} would be closed, but `--except` opens it"));
            return Err(error.with_hint("rules for `*` with wildcards overlap this path"));
        }
    }
    Ok(())
}

/// Proves the rules of a crawler, and that no other statement counts for it if the block states something
/// about it.
fn prove_crawler(
    plan: &Plan<'_, '_>,
    file: &Robots,
    (name, crawler): (&str, &Crawler),
    (answer, is_stated): (Option<Answer>, bool),
    seen: &mut HashSet<(Rules, Vec<usize>, [bool; 2])>,
) -> Result<(), Error> {
    if crawler.ignores_robots() {
        return Ok(());
    }
    let wanted = plan.wanted(crawler, answer);
    let groups = file.groups_for(crawler).map(|group| group.index()).collect();
    if !seen.insert((wanted.clone(), groups, [answer == Some(Answer::Yes), is_stated])) {
        return Ok(());
    }
    let wanted = file_of(&wanted);
    let [wanted, found] = [Analysis::new(&wanted, NOBODY), Analysis::new(file, crawler)];
    if let Some(change) = changes(&wanted, &found)?.first() {
        let (url, verb) = (quoted(change.witness().target()), change.direction().name());
        let by = change.rule_after().map(|rule| {
            let line = rule.position().line;
            format!(" by {} on line {line}", quoted(&rule.to_string()))
        });
        let by = by.unwrap_or_else(|| ", because no rule matches".to_owned());
        let error = Error::new(format!("{url} would be {verb} to {name}{by}, against the policy"));
        return Err(error.with_hint(
            "the owner's lines outside the block name this crawler, or a group there has no rule at its \
             end; the line is that of the new file",
        ));
    }
    let root = file.check(crawler, "/");
    if answer == Some(Answer::Yes) && !root.is_allowed() {
        let line = root.line().map(|line| format!(" on line {line}")).unwrap_or_default();
        let message = format!("the policy opens the site to {name}, but a rule{line} closes `/`");
        return Err(Error::new(message).with_hint(FOR_EVERYBODY));
    }
    if !is_stated || plan.statements.is_empty() {
        return Ok(());
    }
    let is_ours = |text: &[u8]| plan.statements.iter().any(|(_, value)| value.as_bytes() == text);
    let mut others = file.records_for(crawler).filter(|record| {
        matches!(record.kind(), RecordKind::ContentUsage | RecordKind::ContentSignal)
            && !is_ours(record.value())
    });
    let Some(other) = others.next() else { return Ok(()) };
    let (line, text) = (other.position().line, quoted(other.value()));
    let error = Error::new(format!("{text} on line {line} is a second statement for {name}"));
    Err(error.with_hint("remove the line, or use `--no-statements`"))
}

/// All differences between two policies.
fn changes<'b, 'a>(
    before: &Analysis<'b>,
    after: &Analysis<'a>,
) -> Result<Vec<Change<'b, 'a>>, Error> {
    let comparison = compare(before, after, &mut Budget::default());
    match comparison.incomplete {
        Some(reason) if comparison.changes.is_empty() => {
            Err(Error::new(format!("the rules could not be proved, because {reason}")))
        }
        _ => Ok(comparison.changes),
    }
}

fn file_of(rules: &Rules) -> Robots {
    Robots::parse(&format!("User-agent: *\n{}", lines_of(rules)))
}

/// The hint about rules for `*` that close the site.
const FOR_EVERYBODY: &str = "rules for `*` outside the block count for everybody: to close the site to \
                             all others only, use `--all-others no`";

/// A crawler that obeys the group for `*`.
const NOBODY: &str = "nobody";
