//! The proof that a file gives each crawler the answer of a policy, for all URLs: `no` closes all
//! but the exceptions; `yes` closes nothing that the owner's lines alone leave open, and is an
//! error if these close `/`.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use verger::extension::{Record, RecordKind};
use verger::{Crawler, Robots, Rule, RuleKind, quoted};
use verger_analysis::{
    Analysis, Budget, Change, Direction, compare, named_crawlers, unnamed_crawler,
};

use super::block::{Block, Rules, keys, lines_of, named_rules};
use super::marks::Marked;
use crate::args::Answer;
use crate::error::Error;

/// Proves that `file`, the owner's lines with the block, is as the policy requests.
///
/// # Errors
///
/// The first contradiction with the owner's line and the crawlers that it concerns, or a comparison
/// that exceeds a limit.
pub(crate) fn prove(
    block: &Block<'_, '_>,
    marked: &Marked<'_>,
    file: &Robots,
) -> Result<(), Error> {
    prove_exceptions(block)?;
    let unnamed = unnamed_crawler(&[file]);
    let named =
        block.subjects.iter().map(|it| (it.token, it.rules, block.policy.answer(it.purpose)));
    // Crawlers that only the owner knows keep their rules.
    let is_known = |name: &str| block.subjects.iter().any(|it| it.token.eq_ignore_ascii_case(name));
    let owned = named_crawlers(&[block.owned]).into_iter().filter(|name| !is_known(name));
    let owned: Vec<_> = owned.map(|name| (name, Crawler::new(name))).collect();
    let owned = owned.iter().map(|(name, crawler)| (*name, crawler, None));
    let named = named
        .chain(owned)
        .map(|(name, crawler, answer)| (quoted(name), crawler, answer, answer.is_some()));
    let others = [(ALL_OTHERS.to_owned(), &unnamed, None, true)];
    let keys = keys([block.owned, file]);
    let (mut seen, mut first, mut count) = (HashMap::new(), None, 0);
    for (name, crawler, answer, is_stated) in others.into_iter().chain(named) {
        if crawler.ignores_robots() {
            continue;
        }
        let key = keys(crawler);
        let is_untouched = key.is_untouched();
        let found = match seen.entry((key, answer, is_stated)) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => {
                let stated = Stated { answer, has_statements: is_stated, is_untouched };
                new.insert(contradiction(block, marked, file, crawler, stated)?)
            }
        };
        if let Some(found) = found {
            let (first, _) = first.get_or_insert_with(|| (found.clone(), name));
            count += usize::from(first == found);
        }
    }
    let Some((([before, after], hint), name)) = first else { return Ok(()) };
    let is_one = count == 1 || name == ALL_OTHERS;
    let who = if is_one { name } else { format!("{count} crawlers such as {name}") };
    Err(Error::new(before + &who + &after).with_hint(hint))
}

/// Proves the rules of refused crawlers: nothing is open but the exceptions, and in these nothing
/// that is closed to everybody. That all the rest of them is open is checked for one URL of each
/// class.
fn prove_exceptions(block: &Block<'_, '_>) -> Result<(), Error> {
    let mut only = vec![(RuleKind::Disallow, b"/".to_vec())];
    only.extend(block.policy.except.iter().map(|it| (RuleKind::Allow, it.clone().into_bytes())));
    let [only, base, refused] = [&only, &block.base, &block.refused].map(file_of);
    let analyses = [&only, &base, &refused].map(|it| Analysis::new(it, NOBODY));
    for limit in &analyses[..2] {
        let is_opened = |it: &Change<'_, '_>| it.direction() == Direction::Opened;
        let Some(change) = first_change(limit, &analyses[2], is_opened)? else { continue };
        let url = quoted(change.witness().target());
        let why = "is closed to all crawlers, so `--except` cannot open it";
        let is_closed = block.policy.all_others.is_none() && !base.is_allowed(NOBODY, "/");
        let hint = "a longer or another path may do; see the rules for `*`";
        let hint = if is_closed { FOR_EVERYBODY } else { hint };
        return Err(Error::new(format!("{url} {why}")).with_hint(hint));
    }
    let is_open = |it: &Change<'_, '_>| base.is_allowed(NOBODY, it.witness().url());
    let Some(change) = first_change(&analyses[0], &analyses[2], is_open)? else { return Ok(()) };
    let url = quoted(change.witness().target());
    let error = Error::new(format!("{url} would be closed, but `--except` opens it"));
    Err(error.with_hint("rules for `*` with wildcards overlap this path"))
}

/// A contradiction of a policy: a sentence before and after its crawlers, and the hint.
type Contradiction = ([String; 2], &'static str);

/// The statements of a policy and its block about a crawler.
struct Stated {
    answer: Option<Answer>,
    has_statements: bool,
    /// Whether its groups have the same agents and records as without the block.
    is_untouched: bool,
}

/// The contradiction of the wanted rules of a crawler, of its statements if the block has some
/// about it, or of its other records.
fn contradiction(
    block: &Block<'_, '_>,
    marked: &Marked<'_>,
    file: &Robots,
    crawler: &Crawler,
    Stated { answer, has_statements, is_untouched }: Stated,
) -> Result<Option<Contradiction>, Error> {
    let found_in = |of: &Robots, line: Option<usize>, before: String, after: String, hint| {
        let place = marked.place(of.text(), line);
        Ok(Some(([place + &before, after], hint)))
    };
    let found = |line, before, after, hint| found_in(file, line, before, after, hint);
    let wanted = block.wanted(crawler, answer);
    let wanted_file = file_of(&wanted);
    let analyses = [Analysis::new(&wanted_file, NOBODY), Analysis::new(file, crawler)];
    if let Some(change) = first_change(&analyses[0], &analyses[1], |_| true)? {
        let (url, verb) = (quoted(change.witness().target()), change.direction().name());
        let (line, by) = line_and_words(change.rule_after());
        return found(
            line,
            format!("{url} would be {verb} to "),
            by + ", against the policy",
            if change.direction() == Direction::Opened {
                "remove this line, or open its path to all refused crawlers with `--except`"
            } else {
                CLOSED_EXCEPTION
            },
        );
    }
    let is_opened = |it: &Change<'_, '_>| it.direction() == Direction::Opened;
    if answer == Some(Answer::No)
        && named_rules(block.owned, crawler).is_some()
        && let Some(change) =
            first_change(&Analysis::new(block.owned, crawler), &analyses[1], is_opened)?
    {
        let before = format!("{} is closed to ", quoted(change.witness().target()));
        let (line, by) = line_and_words(change.rule_before());
        let after = by + ", but `--except` would open it";
        return found_in(block.owned, line, before, after, CLOSED_EXCEPTION);
    }
    let of_others = block.policy.all_others.filter(|_| has_statements);
    if answer.or(of_others) == Some(Answer::Yes) && !file.is_allowed(crawler, "/") {
        let line = block.owned.check(crawler, "/").line();
        let before = "the policy opens the site to ".to_owned();
        let is_named = named_rules(block.owned, crawler).is_some();
        let hint = if is_named { "remove this line, or the names above it" } else { FOR_EVERYBODY };
        return found_in(block.owned, line, before, ", but a rule closes `/`".to_owned(), hint);
    }
    let is_second = |record: &Record<'_>| {
        matches!(record.kind(), RecordKind::ContentUsage | RecordKind::ContentSignal)
            && !block.states(record)
    };
    // Readers differ on statements before every `User-agent` line.
    let misplaced = file.records().filter(|record| record.group().is_none());
    let mut others = file.records_for(crawler).chain(misplaced).filter(is_second);
    if has_statements
        && !block.statements.is_empty()
        && let Some(other) = others.next()
    {
        let before = format!("{} is a second statement for ", quoted(other.value()));
        let hint = "remove the line, or use `--no-statements`";
        return found(Some(other.position().line), before, String::new(), hint);
    }
    // Its time is that of the whole file, and the owner can name thousands of crawlers.
    let other =
        if is_untouched { None } else { block.other_record(file, crawler, &wanted, answer) };
    let Some((is_new, record)) = other else { return Ok(None) };
    let text = [record.key(), b": ", record.value()].concat();
    let (of, would) = if is_new { (file, "would") } else { (block.owned, "would no longer") };
    found_in(
        of,
        Some(record.position().line),
        format!("{} {would} count for ", quoted(&text)),
        String::new(),
        "give this crawler a group of its own outside the block",
    )
}

/// The line of a deciding rule, and the rule in words.
fn line_and_words(rule: Option<Rule<'_>>) -> (Option<usize>, String) {
    let by = rule.map(|rule| format!(" by {}", quoted(&rule.to_string())));
    let by = by.unwrap_or_else(|| ", because no rule matches".to_owned());
    (rule.map(|rule| rule.position().line), by)
}

/// The first difference between two policies of a certain kind. An incomplete comparison without
/// one proves nothing.
fn first_change<'b, 'a>(
    before: &Analysis<'b>,
    after: &Analysis<'a>,
    is_meant: impl Fn(&Change<'b, 'a>) -> bool,
) -> Result<Option<Change<'b, 'a>>, Error> {
    let comparison = compare(before, after, &mut Budget::default());
    let found = comparison.changes.into_iter().find(is_meant);
    match comparison.incomplete {
        Some(reason) if found.is_none() => {
            Err(Error::new(format!("the rules could not be proved, because {reason}")))
        }
        _ => Ok(found),
    }
}

fn file_of(rules: &Rules) -> Robots {
    Robots::parse(&format!("User-agent: *\n{}", lines_of(rules)))
}

/// The hint about a line of the owner that closes a path of `--except`.
const CLOSED_EXCEPTION: &str =
    "remove this line, or limit `--except` to paths that it does not close";

/// The hint about rules for `*` that close the site.
const FOR_EVERYBODY: &str = "rules for `*` outside the block count for everybody: to close the site to \
                             all others only, use `--all-others no`";

/// The crawlers that no group names, in a sentence.
const ALL_OTHERS: &str = "all others";

/// A crawler that obeys the group for `*`.
const NOBODY: &str = "nobody";
