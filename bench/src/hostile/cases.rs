//! Cases: a robots text and URLs to check.

use std::collections::BTreeMap;

use verger_testkit::hostile::{ORIGIN, suite};
use verger_testkit::suite::Question;

/// One input.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    /// Name in the tables.
    pub(crate) name: String,
    /// The robots text.
    pub(crate) robots: Vec<u8>,
    /// The URLs; the most expensive one counts.
    pub(crate) urls: Vec<Vec<u8>>,
}

/// The hostile robots texts of `testdata/hostile`, each with the URLs of its cases.
pub(crate) fn of_suite() -> Vec<Case> {
    let mut urls = BTreeMap::<Vec<u8>, (String, Vec<Vec<u8>>)>::new();
    let suite = suite();
    let is_about_files = |file: &str| file.starts_with("robots-") || file.starts_with("rates");
    for case in suite.verdicts.into_iter().filter(|case| is_about_files(&case.file)) {
        urls.entry(case.robots).or_insert((case.name, Vec::new())).1.push(case.url);
    }
    for statement in suite.statements {
        let (Question::Reading(reading), name) = (statement.question, statement.name) else {
            continue;
        };
        let url = format!("{ORIGIN}/x").into_bytes();
        urls.entry(reading.robots.0).or_insert((name, vec![url]));
    }
    let case = |(robots, (name, urls))| Case { name, robots, urls };
    urls.into_iter().map(case).collect()
}
