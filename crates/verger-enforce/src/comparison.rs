//! Comparisons: runs of rules with the same effect, as few regular expressions as the target reads.

use std::collections::HashSet;

use crate::expression::Syntax;
use crate::glob::Condition;
use crate::limits::{EXPRESSION_BYTES, PATTERN_BYTES};
use crate::rules::{RuleList, Unexpressible, robots_txt};

/// One regular expression with the effect of its rules.
#[derive(Clone, Debug)]
pub(crate) struct Comparison {
    pub(crate) allows: bool,
    pub(crate) expression: String,
}

/// The comparisons of a list of rules, the first that matches decides.
#[derive(Clone, Debug, Default)]
pub(crate) struct Comparisons {
    /// Those of the raw target.
    pub(crate) raw: Vec<Comparison>,
    /// Those of the served path, for a request that the others do not refuse.
    pub(crate) served: Vec<Comparison>,
    pub(crate) missing: Vec<Unexpressible>,
}

impl Comparisons {
    pub(crate) fn of(list: &RuleList, syntax: &Syntax) -> Self {
        let mut all = Self { missing: list.missing.clone(), ..Self::default() };
        let mut runs = [Runs::new(syntax), Runs::new(syntax)];
        let _ = runs[1].add(true, 0, &Condition::served(&robots_txt(), syntax.form));
        for rule in &list.rules {
            let raw = runs[0].add(rule.allows, rule.line, &rule.raw);
            let served = runs[1].add(rule.allows, rule.line, rule.served(syntax.form));
            all.missing.extend(raw.or(served));
        }
        [all.raw, all.served] = runs.map(Runs::finish);
        all
    }

    /// The most comparisons that a request costs.
    pub(crate) fn cost(&self) -> usize {
        self.raw.len() + self.served.len()
    }
}

struct Runs<'s> {
    syntax: &'s Syntax,
    done: Vec<Comparison>,
    /// The effect and the alternatives of the current expression.
    current: (bool, String),
    /// All alternatives. A second one never decides.
    known: HashSet<String>,
}

impl<'s> Runs<'s> {
    fn new(syntax: &'s Syntax) -> Self {
        Self { syntax, done: Vec::new(), current: (false, String::new()), known: HashSet::new() }
    }

    /// Adds the conditions of a rule. Returns the rule if the target cannot express it.
    fn add(
        &mut self,
        allows: bool,
        line: usize,
        conditions: &[Condition],
    ) -> Option<Unexpressible> {
        let mut texts = Vec::with_capacity(conditions.len());
        for condition in conditions {
            let text = self.syntax.condition(condition).and_then(|text| {
                let is_long = text.len() > PATTERN_BYTES;
                if is_long { Err("its regular expression is too long") } else { Ok(text) }
            });
            match text {
                Ok(text) => texts.push(text),
                Err(reason) => {
                    let (reason, is_looser) = (reason.to_owned(), !allows);
                    return Some(Unexpressible { line, reason, is_looser });
                }
            }
        }
        for text in texts {
            if !self.known.insert(text.clone()) {
                continue;
            }
            let (effect, alternatives) = &self.current;
            if *effect != allows || alternatives.len() + text.len() > EXPRESSION_BYTES {
                self.close();
                self.current.0 = allows;
            }
            let alternatives = &mut self.current.1;
            if !alternatives.is_empty() {
                alternatives.push('|');
            }
            alternatives.push_str(&text);
        }
        None
    }

    fn close(&mut self) {
        let (allows, alternatives) = (self.current.0, core::mem::take(&mut self.current.1));
        if !alternatives.is_empty() {
            let expression = format!("(?s)^{}(?:{alternatives})", self.syntax.head);
            self.done.push(Comparison { allows, expression });
        }
    }

    fn finish(mut self) -> Vec<Comparison> {
        self.close();
        // An allowing run at the end is the default.
        while self.done.last().is_some_and(|last| last.allows) {
            self.done.pop();
        }
        self.done
    }
}
