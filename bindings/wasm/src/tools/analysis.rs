//! Rules of a file: those without effect, and the number of URLs that each decides.

use verger::Rule;
use verger_analysis::{Analysis, Budget, Count, DeadCause, Undecided};
use wasm_bindgen::prelude::*;

use crate::arguments::{dialect, urls};
use crate::input;
use crate::json::Json;
use crate::tools::crawlers::crawler;
use crate::values;

/// The rules of a file that decide no URL for an agent.
#[wasm_bindgen]
pub fn dead_rules(index: usize, kind: u8, text: usize, agent: usize) -> String {
    analysed([text, agent], index, kind, |analysis| {
        let rules_found = analysis.dead_rules(&mut Budget::default());
        findings(&rules_found.found, rules_found.undecided, |json, it| {
            let (cause, others) = cause(&it.cause);
            values::rule(json.key("rule"), it.rule);
            json.key("cause").text(cause);
            rules(json.key("overriddenBy"), others);
        })
    })
}

/// The rules of a file that decide some URLs for an agent as others would.
#[wasm_bindgen]
pub fn redundant_rules(index: usize, kind: u8, text: usize, agent: usize) -> String {
    analysed([text, agent], index, kind, |analysis| {
        let rules_found = analysis.redundant_rules(&mut Budget::default());
        findings(&rules_found.found, rules_found.undecided, |json, it| {
            values::rule(json.key("rule"), it.rule);
            rules(json.key("becauseOf"), &it.because_of);
            json.key("byDefault").bool(it.by_default);
        })
    })
}

fn analysed(
    lengths: [usize; 2],
    index: usize,
    kind: u8,
    answer: impl FnOnce(&Analysis<'_>) -> String,
) -> String {
    input::with(lengths, |[text, agent]| {
        let robots = dialect(index).parse(text);
        let crawler = crawler(kind, agent, &robots.dialect());
        answer(&Analysis::new(&robots, &*crawler))
    })
}

/// Findings about rules, and the rules that may be findings.
fn findings<T>(
    found: &[T],
    undecided: Vec<(Rule<'_>, Undecided)>,
    entries: impl Fn(&mut Json, &T),
) -> String {
    Json::object_of(|json| {
        json.key("found").array(found, |json, it| json.object(|json| entries(json, it)));
        json.key("undecided").array(undecided, |json, (rule, reason)| {
            json.object(|json| {
                values::rule(json.key("rule"), rule);
                json.key("text").text(reason);
            });
        });
    })
}

fn cause<'a, 'r>(cause: &'a DeadCause<'r>) -> (&'static str, &'a [Rule<'r>]) {
    match cause {
        DeadCause::Empty => ("empty", &[]),
        DeadCause::MatchesNothing => ("matches_nothing", &[]),
        DeadCause::RobotsTxt => ("robots_txt", &[]),
        DeadCause::Overridden(rules) => ("overridden", rules),
        _ => ("other", &[]),
    }
}

fn rules(json: &mut Json, rules: &[Rule<'_>]) {
    json.array(rules, |json, rule| values::rule(json, *rule));
}

/// The number of URLs, one a line, that each rule of a file decides for an agent.
#[wasm_bindgen]
pub fn coverage(index: usize, kind: u8, text: usize, agent: usize, lines: usize) -> String {
    input::with([text, agent, lines], |[text, agent, lines]| {
        let robots = dialect(index).parse(text);
        let crawler = crawler(kind, agent, &robots.dialect());
        let analysis = Analysis::new(&robots, &*crawler);
        let coverage = analysis.coverage(urls(lines).map(|url| (url, 1)));
        let number = |json: &mut Json, count: Count| json.number(count.urls);
        Json::object_of(|json| {
            number(json.key("total"), coverage.total());
            number(json.key("allowed"), coverage.allowed());
            number(json.key("disallowed"), coverage.disallowed());
            number(json.key("noRule"), coverage.no_rule());
            number(json.key("robotsTxt"), coverage.robots_txt());
            number(json.key("notUrls"), coverage.not_urls());
            json.key("rules").array(coverage.rules(), |json, (rule, count)| {
                json.object(|json| {
                    json.key("rule");
                    values::rule(json, rule);
                    number(json.key("urls"), count);
                });
            });
            json.key("unmentioned").array(coverage.unmentioned_prefixes(), |json, it| {
                json.object(|json| {
                    json.key("prefix").bytes(&it.prefix);
                    number(json.key("urls"), it.count);
                });
            });
        })
    })
}
