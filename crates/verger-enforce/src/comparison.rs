//! Comparisons: runs of rules with the same effect, as few regular expressions as the target reads.

use std::collections::HashSet;

use crate::expression::Syntax;
use crate::glob::{Condition, Form};
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
        let _ = runs[1].add(true, &Condition::of(&robots_txt(), syntax.form));
        for rule in &list.rules {
            let (raw, served) = (rule.on(Form::Raw), rule.on(syntax.form));
            let unseen = served.is_empty() && !raw.is_empty();
            let raw = if syntax.has_raw {
                runs[0].add(rule.allows, raw)
            } else {
                unseen.then_some("only the raw target has its escapes")
            };
            let reason = raw.or(runs[1].add(rule.allows, served));
            all.missing.extend(reason.map(|reason| Unexpressible {
                line: rule.line,
                reason,
                is_looser: !rule.allows,
            }));
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

    /// Adds the conditions of a rule. Returns the reason if the target cannot express one of them.
    fn add(&mut self, allows: bool, conditions: &[Condition]) -> Option<&'static str> {
        let mut reason = None;
        for condition in conditions {
            let longest = self.syntax.longest;
            let text = match self.syntax.condition(condition) {
                Ok(text) if text.len() <= longest => text,
                Ok(_) => {
                    reason = Some("its regular expression is too long");
                    continue;
                }
                Err(unknown) => {
                    reason = Some(unknown);
                    continue;
                }
            };
            if !self.known.insert(text.clone()) {
                continue;
            }
            let (effect, alternatives) = &self.current;
            if *effect != allows || alternatives.len() + text.len() > longest {
                self.close();
                self.current.0 = allows;
            }
            let alternatives = &mut self.current.1;
            if !alternatives.is_empty() {
                alternatives.push('|');
            }
            alternatives.push_str(&text);
        }
        reason
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
