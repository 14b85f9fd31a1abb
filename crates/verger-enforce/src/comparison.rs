//! Comparisons: runs of rules with the same effect, as few regular expressions as the target reads.

use std::collections::HashSet;

use crate::expression::Syntax;
use crate::glob::{Condition, Form};
use crate::rules::{RuleList, Unexpressible, robots_txt};

/// One regular expression with the effect of its rules.
#[derive(Clone, Debug, Default)]
pub(crate) struct Comparison {
    pub(crate) allows: bool,
    pub(crate) expression: String,
    /// The lines of its rules.
    pub(crate) lines: Vec<usize>,
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
        let _ = runs[1].add(true, None, &Condition::of(&robots_txt(), syntax.form));
        for rule in &list.rules {
            let (raw, served) = (rule.on(Form::Raw), rule.on(syntax.form));
            let unseen = served.is_empty() && !raw.is_empty();
            let raw = if syntax.has_raw {
                runs[0].add(rule.allows, Some(rule.line), raw)
            } else {
                unseen.then_some("only the raw target has its escapes")
            };
            let reason = raw.or(runs[1].add(rule.allows, Some(rule.line), served));
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
    /// The current one, of which the expression has the alternatives only.
    current: Comparison,
    /// All alternatives. A second one never decides.
    known: HashSet<String>,
}

impl<'s> Runs<'s> {
    fn new(syntax: &'s Syntax) -> Self {
        Self { syntax, done: Vec::new(), current: Comparison::default(), known: HashSet::new() }
    }

    /// Adds the conditions of a rule. Returns the reason if the target cannot express one of them.
    fn add(
        &mut self,
        allows: bool,
        line: Option<usize>,
        conditions: &[Condition],
    ) -> Option<&'static str> {
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
            let current = &self.current;
            if current.allows != allows || current.expression.len() + text.len() > longest {
                self.close();
                self.current.allows = allows;
            }
            let current = &mut self.current;
            if !current.expression.is_empty() {
                current.expression.push('|');
            }
            current.expression.push_str(&text);
            current.lines.extend(line);
        }
        reason
    }

    fn close(&mut self) {
        let mut done = core::mem::take(&mut self.current);
        if !done.expression.is_empty() {
            done.expression = format!("(?s)^{}(?:{})", self.syntax.head, done.expression);
            done.lines.dedup();
            self.done.push(done);
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
