//! Checks of rules, and the collection of their findings.

use std::collections::HashMap;

use verger::Span;
use verger::diagnostic::Diagnostic;

use crate::file::File;
use crate::finding::Finding;
use crate::limits::FINDINGS_PER_RULE;
use crate::observation::Observation;
use crate::policies::Policies;
use crate::rule::Rule;
use crate::settings::Settings;
use crate::suppress::Suppressions;

/// Findings, and the numbers of those that are left out.
pub(crate) type Found = (Vec<Finding>, Vec<(&'static Rule, usize)>);

/// The way to find problems.
#[derive(Clone, Copy)]
pub(crate) enum Check {
    /// The engine's parser reports the problem under the same code; the function adds a fix, or
    /// drops the finding (`None`) because another rule has a better one.
    Diagnostic(fn(&File<'_>, Diagnostic, Finding) -> Option<Finding>),
    /// Looks at the whole file.
    File(fn(&File<'_>, &mut Findings<'_, '_>)),
    /// Looks at the policy of each crawler, by analysis.
    Policies(fn(&Policies<'_>, &mut Findings<'_, '_>)),
    /// Looks at the comments that suppress findings, after all other checks.
    Suppressions(fn(&Suppressions<'_>, &Settings, &mut Findings<'_, '_>)),
    /// Looks at the responses of a site.
    Live(fn(&Observation, &mut Findings<'_, '_>)),
}

/// Collects the findings of all rules: not the suppressed ones, and of most rules only the first
/// ones.
#[derive(Default)]
pub(crate) struct Collector<'t> {
    suppressions: Suppressions<'t>,
    /// The codes of rules without a limit.
    unlimited: &'t [&'static str],
    list: Vec<Finding>,
    counts: HashMap<&'static str, usize>,
    omitted: Vec<(&'static Rule, usize)>,
}

impl<'t> Collector<'t> {
    pub(crate) fn new(suppressions: Suppressions<'t>, unlimited: &'t [&'static str]) -> Self {
        Self { suppressions, unlimited, ..Self::default() }
    }

    /// The receiver for the findings of a rule.
    pub(crate) const fn of(&mut self, rule: &'static Rule) -> Findings<'_, 't> {
        Findings { rule, collector: self }
    }

    /// The suppressions, and what they suppressed so far.
    pub(crate) fn suppressions(&self) -> Suppressions<'t> {
        self.suppressions.clone()
    }

    /// Adds a finding, which is not created if it does not count.
    pub(crate) fn add(
        &mut self,
        rule: &'static Rule,
        span: Span,
        finding: impl FnOnce() -> Option<Finding>,
    ) {
        if self.suppressions.covers(rule, span) {
            return;
        }
        let count = self.counts.entry(rule.code).or_default();
        if *count < FINDINGS_PER_RULE || self.unlimited.contains(&rule.code) {
            if let Some(finding) = finding() {
                *count += 1;
                self.list.push(finding);
            }
            return;
        }
        match self.omitted.iter_mut().find(|(of, _)| of.code == rule.code) {
            Some((_, omitted)) => *omitted += 1,
            None => self.omitted.push((rule, 1)),
        }
    }

    pub(crate) fn finish(self) -> Found {
        (self.list, self.omitted)
    }
}

/// Receives the findings of one rule.
pub(crate) struct Findings<'a, 't> {
    pub(crate) rule: &'static Rule,
    collector: &'a mut Collector<'t>,
}

impl Findings<'_, '_> {
    pub(crate) fn add(
        &mut self,
        span: Span,
        message: impl Into<String>,
        details: impl FnOnce(Finding) -> Finding,
    ) {
        let rule = self.rule;
        self.collector.add(rule, span, || Some(details(Finding::new(rule, span, message))));
    }
}
