//! Comparison of two files.

use verger::{Crawler, LineIndex, ProductToken, Robots};
use verger_analysis::{
    Budget, CrawlerDifferences, GroupSwitch, OTHERS, RecordChange, TextChange, compare_files,
    compared_crawler, named_crawlers,
};
use verger_registry::{Crawler as Known, Registry};
use wasm_bindgen::prelude::*;

use crate::arguments::dialect;
use crate::input;
use crate::json::Json;
use crate::values;

/// Compares two files for all crawlers that one of them names and all others, or for the given
/// agents, one a line.
#[wasm_bindgen]
pub fn diff_files(
    index_before: usize,
    index_after: usize,
    before: usize,
    after: usize,
    agents: usize,
) -> String {
    input::with([before, after, agents], |[before, after, agents]| {
        let files = [dialect(index_before).parse(before), dialect(index_after).parse(after)];
        compared([&files[0], &files[1]], &String::from_utf8_lossy(agents))
    })
}

fn compared(files: [&Robots; 2], agents: &str) -> String {
    let names: Vec<&str> = if agents.is_empty() {
        named_crawlers(&files).into_iter().chain([OTHERS]).collect()
    } else {
        agents.lines().collect()
    };
    let crawlers: Vec<Crawler> = names.iter().map(|name| crawler(name, &files)).collect();
    let found = compare_files(files[0], files[1], &crawlers, &mut Budget::default());
    let lines = files.map(|robots| LineIndex::new(robots.text()));
    let record = |json: &mut Json, change: &RecordChange<'_>| {
        json.object(|json| {
            json.key("change").text(if change.is_added { "added" } else { "removed" });
            json.key("record");
            values::record(json, &change.record, &lines[usize::from(change.is_added)]);
        });
    };
    let write_names = |json: &mut Json, indices: &[usize]| {
        json.texts(indices.iter().map(|&index| names[index]));
    };
    Json::object_of(|json| {
        json.key("text").text(match found.text {
            TextChange::Same => "same",
            TextChange::Prepended(_) => "prepended",
            TextChange::Appended(_) => "appended",
            TextChange::Other => "changed",
            _ => "other",
        });
        json.key("addedLines").option(added(&found.text, files[1], &lines[1]), |json, added| {
            json.array(added, Json::count);
        });
        json.key("crawlers").array(names.iter().zip(&crawlers), |json, (name, crawler)| {
            let tokens = if *name == OTHERS { &[][..] } else { crawler.tokens() };
            let known = Registry::bundled().resolve(name, files[0].dialect().reads_headers).known;
            json.object(|json| {
                json.key("name").text(name);
                json.key("tokens").texts(tokens.iter().map(ProductToken::as_str));
                json.key("note").option(known.and_then(Known::caveat), Json::text);
            });
        });
        json.key("differences").array(&found.differences, |json, differences| {
            json.object(|json| {
                write_names(json.key("crawlers"), &differences.crawlers);
                entries(json, differences);
                json.key("records").array(&differences.records, record);
            });
        });
        write_names(json.key("unchanged"), &found.unchanged);
        json.key("notCompared").count(found.not_compared);
        json.key("records").array(&found.records, record);
    })
}

/// The first and the last line that the second file adds at its start or end.
fn added(change: &TextChange, after: &Robots, lines: &LineIndex) -> Option<[usize; 2]> {
    let length = after.text().len();
    let (start, end) = match *change {
        TextChange::Prepended(bytes) => (0, bytes),
        TextChange::Appended(bytes) => (length - bytes, length),
        _ => return None,
    };
    Some([start, end.saturating_sub(1)].map(|at| lines.position(at).line))
}

fn entries(json: &mut Json, found: &CrawlerDifferences<'_>) {
    json.key("switch").option(found.switch.map(GroupSwitch::name), Json::text);
    json.key("groupsBefore").array(&found.groups_before, |json, it| values::place(json, *it));
    json.key("groupsAfter").array(&found.groups_after, |json, it| values::place(json, *it));
    json.key("changes").array(&found.comparison.changes, |json, change| {
        json.object(|json| {
            json.key("direction").text(change.direction().name());
            json.key("url").text(change.witness().url());
            json.key("target").text(change.witness().target());
            json.key("shortest").bool(change.witness().is_shortest());
            json.key("before");
            values::verdict(json, &change.verdict_before());
            json.key("after");
            values::verdict(json, &change.verdict_after());
        });
    });
    json.key("undecided").option(found.comparison.incomplete, Json::text);
}

/// The crawler with a name, or of a User-Agent header; `*` is one that no group names.
fn crawler(agent: &str, files: &[&Robots]) -> Crawler {
    let reads_headers = files[0].dialect().reads_headers;
    let read = |agent: &str| Registry::bundled().resolve(agent, reads_headers).rules.into_owned();
    compared_crawler(agent, files, read)
}
