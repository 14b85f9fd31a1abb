//! Lists of rules: the intermediate form, of which the first rule that matches decides.

use core::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};

use verger::dialect::Precedence;
use verger::{Dialect, Rule};

use crate::glob::{Condition, Form};
use crate::octets::{Spelt, spelt};
use crate::pattern::Pattern;
use crate::request::{ROBOTS_TXT, Request};

/// A part of a robots.txt that a target cannot express.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unexpressible {
    /// The line of robots.txt, from 1.
    pub line: usize,
    /// The reason, as a phrase in lower case without a full stop.
    pub reason: &'static str,
    /// Whether the output refuses less without the rule. Otherwise it refuses more.
    pub is_looser: bool,
}

/// The rules of one or several crawlers, the first to compare at the beginning.
#[derive(Clone, Debug, Default)]
pub(crate) struct RuleList {
    pub(crate) rules: Vec<EnforcedRule>,
    /// Rules that no list can express.
    pub(crate) missing: Vec<Unexpressible>,
    /// The conditions of all rules, by form.
    indexes: [Index; 3],
}

/// Conditions by their beginnings, so that long lists are compared fast.
#[derive(Clone, Debug, Default)]
struct Index {
    /// By the octets at the beginning: the places of rules, with the numbers of their conditions.
    by_start: HashMap<Vec<u8>, Vec<(usize, usize)>>,
    lengths: BTreeSet<usize>,
}

impl Index {
    fn add(&mut self, rule: usize, conditions: &[Condition]) {
        for (number, condition) in conditions.iter().enumerate() {
            let start = condition.start_octets();
            self.lengths.insert(start.len());
            self.by_start.entry(start).or_default().push((rule, number));
        }
    }

    /// The first rule with a condition that holds.
    fn first(&self, octets: &[u8], holds: impl Fn(usize, usize) -> bool) -> Option<usize> {
        let starts = self.lengths.iter().map_while(|&length| octets.get(..length));
        let found = starts.filter_map(|start| self.by_start.get(start)).flatten();
        found.fold(None, |best, &(rule, number)| {
            let is_better = best.is_none_or(|best| rule < best) && holds(rule, number);
            if is_better { Some(rule) } else { best }
        })
    }
}

/// A rule with its conditions.
#[derive(Clone, Debug)]
pub(crate) struct EnforcedRule {
    pub(crate) allows: bool,
    pub(crate) line: usize,
    /// By form: those on the raw target, and those on the served path with the query.
    conditions: [Vec<Condition>; 3],
}

impl EnforcedRule {
    pub(crate) fn on(&self, form: Form) -> &[Condition] {
        &self.conditions[form as usize]
    }
}

impl RuleList {
    /// The list for the rules that a crawler obeys, in the order of the file. The dialect has the
    /// normal form of RFC 9309.
    pub(crate) fn of(rules: &[Rule<'_>], dialect: &Dialect) -> Self {
        let mut list = Self::default();
        let mut ranked = Vec::with_capacity(rules.len());
        for rule in rules {
            let line = rule.position().line;
            for pattern in dialect.rule_patterns(rule.kind(), rule.pattern()) {
                let allows = pattern.allows();
                match Pattern::of(&pattern) {
                    Ok(Some(found)) => {
                        let conditions = FORMS.map(|form| Condition::of(&found, form));
                        ranked.push((pattern.length(), EnforcedRule { allows, line, conditions }));
                    }
                    Ok(None) => {}
                    Err(reason) => {
                        list.missing.push(Unexpressible { line, reason, is_looser: !allows });
                    }
                }
            }
        }
        if dialect.precedence == Precedence::LongestPattern {
            ranked.sort_by_key(|(length, rule)| (Reverse(*length), !rule.allows));
        }
        list.rules = ranked.into_iter().map(|(_, rule)| rule).collect();
        // Rules after the last one that disallows change nothing, because the rest is allowed.
        let end = list.rules.iter().rposition(|rule| !rule.allows).map_or(0, |last| last + 1);
        list.rules.truncate(end);
        for (place, rule) in list.rules.iter().enumerate() {
            for form in FORMS {
                list.indexes[form as usize].add(place, rule.on(form));
            }
        }
        list
    }

    /// The conditions that are compared with almost every request, as a measure of work.
    pub(crate) fn effort(&self) -> usize {
        let short = self.indexes.iter().flat_map(|index| &index.by_start);
        FEW + short.filter(|(start, _)| start.len() < 2).map(|(_, all)| all.len()).sum::<usize>()
    }

    /// Whether no rule disallows anything, also none that cannot be expressed.
    pub(crate) fn is_empty(&self) -> bool {
        self.rules.is_empty() && self.missing.is_empty()
    }

    /// Whether a request is refused: by the raw target, or by the served path.
    pub(crate) fn refuses(&self, request: &Request, form: Form) -> bool {
        if request.is_exempt() {
            return false;
        }
        let disallows = |form: Form, text: &[Spelt]| {
            let octets: Vec<u8> = text.iter().map(|part| part.octet()).collect();
            let holds =
                |rule: usize, number: usize| self.rules[rule].on(form)[number].holds(request);
            let decides = self.indexes[form as usize].first(&octets, holds);
            decides.is_some_and(|rule| !self.rules[rule].allows)
        };
        let mut always = Condition::of(&robots_txt(), form).into_iter();
        disallows(Form::Raw, &request.raw)
            || !always.any(|it| it.holds(request)) && disallows(form, &request.decoded)
    }
}

const FORMS: [Form; 3] = [Form::Raw, Form::Decoded, Form::Escaped];

/// Conditions that a request is compared with in any case, by their beginnings.
const FEW: usize = 16;

/// `/robots.txt$`: the served path that no rule disallows (REP-MATCH-6).
pub(crate) fn robots_txt() -> Pattern {
    Pattern { literals: vec![spelt(ROBOTS_TXT)], is_anchored: true }
}
