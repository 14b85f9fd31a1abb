//! Values of the records of a crawler's groups.

use verger::dialect::GroupsTaken;
use verger::extension::{Extension, License, Record, RequestRate};
use verger::{Crawler, Robots};

use super::rates::times;

/// Computes the answers again from the list of records.
pub(super) fn check(robots: &Robots, crawler: &Crawler) {
    let dialect = robots.dialect();
    let selected: Vec<usize> = robots.groups_for(crawler).map(|group| group.index()).collect();
    let is_of_crawler = |record: &Record<'_>| {
        !record.kind().is_for_file()
            && record.group().is_some_and(|at| selected.contains(&at))
            && (record.is_for_whole_group() || names(robots, crawler, record))
    };
    let of_crawler: Vec<Record<'_>> = robots.records().filter(is_of_crawler).collect();
    let spans = |records: &[Record<'_>]| -> Vec<_> { records.iter().map(Record::span).collect() };
    let found: Vec<Record<'_>> = robots.records_for(crawler).collect();
    assert_eq!(spans(&found), spans(&of_crawler), "{dialect}");

    let valid: Vec<Extension<'_>> =
        of_crawler.iter().filter_map(|record| record.extension().ok()).collect();
    let delay = valid.iter().find_map(|it| match it {
        Extension::CrawlDelay(delay) => Some(*delay),
        _ => None,
    });
    assert_eq!(robots.crawl_delay(crawler), delay, "{dialect}: REP-AMB-53");

    let rate = |it: &Extension<'_>| match it {
        Extension::RequestRate(rate) | Extension::MaxCrawlRate(rate) => Some(*rate),
        _ => None,
    };
    let rates: Vec<_> = valid.iter().filter_map(rate).collect();
    assert_eq!(robots.request_rates(crawler), rates, "{dialect}");
    for time in times().step_by(if rates.is_empty() { 1_440 } else { 97 }) {
        let holds = |rate: &&RequestRate| rate.window.is_none_or(|window| window.contains(time));
        let strictest = rates.iter().filter(holds).map(RequestRate::interval);
        let found = robots.request_rate_at(crawler, time);
        assert_eq!(found.map(|rate| rate.interval()), strictest.max(), "{dialect}: REP-EXT-12");
    }

    let windows: Vec<_> = valid
        .iter()
        .filter_map(|it| match it {
            Extension::VisitTime(window) => Some(*window),
            _ => None,
        })
        .collect();
    assert_eq!(robots.visit_times(crawler), windows, "{dialect}");
    check_licenses(robots, crawler, &valid);
}

/// Whether the agent lines of a rate name the crawler (REP-AMB-4): in a file with a separate group
/// for each agent line of the crawler's groups, one of the lines is selected.
fn names(robots: &Robots, crawler: &Crawler, record: &Record<'_>) -> bool {
    let mut dialect = robots.dialect();
    (dialect.named_groups, dialect.star_groups) = (GroupsTaken::All, GroupsTaken::All);
    (dialect.byte_limit, dialect.utf16, dialect.line_limit) = (None, false, None);
    let (mut text, mut lines) = (Vec::new(), Vec::new());
    for group in robots.groups_for(crawler) {
        for agent in group.agents() {
            if lines.last() == Some(&agent.span()) {
                continue;
            }
            lines.push(agent.span());
            text.extend_from_slice(&[b"User-agent: ", agent.value(), b"\nDisallow: /\n"].concat());
        }
    }
    let alone = dialect.parse(&text);
    let selected: Vec<_> = alone.groups_for(crawler).map(|group| lines[group.index()]).collect();
    record.agents().any(|agent| selected.contains(&agent.span()))
}

/// REP-EXT-40, REP-EXT-41.
fn check_licenses(robots: &Robots, crawler: &Crawler, valid: &[Extension<'_>]) {
    let license = |it: &Extension<'_>| match it {
        Extension::License(License { uri, .. }) => Some((*uri).to_owned()),
        _ => None,
    };
    let mut expected: Vec<String> = valid.iter().filter_map(license).collect();
    if expected.is_empty() {
        let of_file = robots.records().filter(Record::is_before_agents);
        expected = of_file
            .filter_map(|record| record.extension().ok())
            .filter_map(|it| license(&it))
            .collect();
    }
    let found: Vec<&str> = robots.licenses(crawler).iter().map(|it| it.uri).collect();
    assert_eq!(found, expected, "{}", robots.dialect());
}
