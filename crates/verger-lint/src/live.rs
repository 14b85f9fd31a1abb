//! Findings about the responses of a site, from what a client observed.

use crate::Report;
use crate::check::{Check, Collector};
use crate::observation::Observation;
use crate::rules::{CHECKS, RULES};
use crate::settings::Settings;
use crate::suppress::Suppressions;

/// Reports the problems of responses, which only rules of category `live` find. Findings have no
/// place in the text; the [text](Report::text) of the report is empty.
pub fn lint_responses(observation: &Observation, settings: &Settings) -> Report {
    let mut collector = Collector::new(Suppressions::default());
    for (rule, check) in RULES.iter().zip(CHECKS).filter(|(rule, _)| settings.runs(rule)) {
        if let Check::Live(check) = check {
            check(observation, &mut collector.of(rule));
        }
    }
    let (mut findings, omitted) = collector.finish();
    for finding in &mut findings {
        finding.severity = settings.severity_of(finding.rule);
    }
    Report::new(b"", (findings, omitted))
}
