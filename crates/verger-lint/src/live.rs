//! Findings about the responses of a site, from what a client observed.
//!
//! # Flow
//!
//! A client fetches robots.txt, perhaps as several crawlers, and perhaps some pages. It describes
//! the responses in an [`Observation`], and [`lint`] reports the problems. Rules of category `live`
//! do nothing else; problems of the text are those of [`crate::lint`].
//!
//! # Scope
//!
//! No network code: everything is an argument.

use crate::Report;
use crate::check::{Check, Collector};
pub use crate::observation::{Answer, Observation, Page, Redirect};
use crate::rule::Category;
use crate::rules::{CHECKS, RULES};
use crate::settings::Settings;
use crate::suppress::Suppressions;

/// Reports the problems of responses. Findings have no place in the text; the [text](Report::text)
/// of the report is empty.
pub fn lint(observation: &Observation, settings: &Settings) -> Report {
    let mut collector = Collector::new(Suppressions::default());
    for (rule, check) in RULES.iter().zip(CHECKS) {
        if let Check::Live(check) = check
            && rule.category == Category::Live
            && settings.runs(rule)
        {
            check(observation, &mut collector.of(rule));
        }
    }
    let (mut findings, omitted) = collector.finish();
    for finding in &mut findings {
        finding.severity = settings.severity_of(finding.rule);
    }
    Report { text: Vec::new(), findings, omitted }
}
