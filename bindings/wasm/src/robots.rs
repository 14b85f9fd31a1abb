//! Parsed files, for module `verger`.

use verger::extension::{Category, Sitemap, Window};
use verger::{Group, LineIndex, Robots};
use wasm_bindgen::prelude::*;

use crate::arguments::{Agent, answers, dialect};
use crate::input;
use crate::json::Json;
use crate::values;

/// A parsed file with the agent of the last question; `Robots` of JavaScript wraps it.
#[wasm_bindgen]
pub struct NativeRobots {
    robots: Robots,
    agent: Agent<'static>,
}

#[wasm_bindgen]
impl NativeRobots {
    #[wasm_bindgen(constructor)]
    pub fn new(index: usize, text: usize) -> Self {
        let robots = input::with([text], |[text]| dialect(index).parse(text));
        Self { robots, agent: Agent::of(0, b"") }
    }

    /// Sets the agent of the following calls.
    pub fn select(&mut self, kind: u8, agent: usize) {
        self.agent = input::with([agent], |[agent]| Agent::of(kind, agent).into_owned());
    }

    pub fn is_allowed(&self, url: usize) -> bool {
        input::with([url], |[url]| self.robots.is_allowed(&self.agent.as_ref(), url))
    }

    pub fn are_lines_allowed(&self, lines: usize) -> Vec<u8> {
        let agent = self.agent.as_ref();
        input::with([lines], |[lines]| answers(lines, |url| self.robots.is_allowed(&agent, url)))
    }

    pub fn check(&self, url: usize) -> String {
        input::with([url], |[url]| {
            let verdict = self.robots.check(&self.agent.as_ref(), url);
            Json::of(|json| values::verdict(json, &verdict))
        })
    }

    pub fn explain(&self, url: usize) -> String {
        let found = input::with([url], |[url]| self.robots.explain(&self.agent.as_ref(), url));
        Json::object_of(|json| {
            json.key("verdict");
            values::verdict(json, &found.verdict);
            json.key("target").option(found.target.as_deref(), Json::bytes);
            json.key("contenders").array(&found.contenders, |json, it| {
                json.object(|json| {
                    json.key("rule");
                    values::rule(json, it.rule);
                    json.key("group");
                    values::place(json, it.group);
                    json.key("length").count(it.length);
                    json.key("standing").text(it.standing.name());
                    json.key("text").text(format_args!("`{}` {}", it.rule, it.standing));
                });
            });
        })
    }

    /// The statements for the agent that do not depend on a URL.
    pub fn statements(&self) -> String {
        let (robots, agent) = (&self.robots, self.agent.as_ref());
        Json::object_of(|json| {
            json.key("crawlDelay").option(robots.crawl_delay(&agent), Json::seconds);
            json.key("requestRates").array(robots.request_rates(&agent), |json, rate| {
                json.object(|json| {
                    json.key("documents").number(u64::from(rate.documents));
                    json.key("seconds").seconds(rate.period);
                    json.key("window").option(rate.window, window);
                });
            });
            json.key("visitTimes").array(robots.visit_times(&agent), window);
            json.key("licenses").texts(robots.licenses(&agent).iter().map(|it| it.uri));
        })
    }

    /// The statements for the agent about the use of a URL.
    pub fn usage(&self, url: usize) -> String {
        let (robots, agent) = (&self.robots, self.agent.as_ref());
        let (signals, usage) = input::with([url], |[url]| {
            (robots.content_signals(&agent, url), robots.content_usage(&agent, url))
        });
        Json::object_of(|json| {
            json.key("contentSignals").object(|json| {
                for (key, signal) in [
                    ("search", signals.search),
                    ("ai-input", signals.ai_input),
                    ("ai-train", signals.ai_train),
                ] {
                    if let Some(word) = signal.word() {
                        json.key(key).text(word);
                    }
                }
            });
            json.key("contentUsage").option(usage, |json, usage| {
                json.object(|json| {
                    for category in Category::ALL {
                        if let Some(token) = usage.preference(category.key).token() {
                            json.key(category.key).text(token);
                        }
                    }
                });
            });
        })
    }

    /// The statements for the whole file.
    pub fn site(&self) -> String {
        let robots = &self.robots;
        let raw = |json: &mut Json, address: Sitemap<'_>| json.bytes(address.raw());
        Json::object_of(|json| {
            json.key("sitemaps").array(robots.sitemaps(), raw);
            json.key("agentmaps").array(robots.agentmaps(), raw);
            json.key("schemamaps").array(robots.schemamaps(), raw);
            json.key("host").option(robots.host(), |json, host| match host.port {
                Some(port) => json.text(format_args!("{}:{port}", host.name)),
                None => json.text(host.name),
            });
        })
    }

    /// The URL without irrelevant parameters; `None` if it is not UTF-8.
    pub fn clean_url(&self, url: usize) -> Option<String> {
        input::with([url], |[url]| {
            Some(self.robots.clean_url(str::from_utf8(url).ok()?).into_owned())
        })
    }

    pub fn groups(&self) -> String {
        Json::of(|json| json.array(self.robots.groups(), group))
    }

    pub fn groups_for(&self) -> String {
        Json::of(|json| json.array(self.robots.groups_for(&self.agent.as_ref()), group))
    }

    pub fn records(&self) -> String {
        let lines = LineIndex::new(self.robots.text());
        let record = |json: &mut Json, it| values::record(json, &it, &lines);
        Json::of(|json| json.array(self.robots.records(), record))
    }

    pub fn records_for(&self) -> String {
        let lines = LineIndex::new(self.robots.text());
        let record = |json: &mut Json, it| values::record(json, &it, &lines);
        Json::of(|json| json.array(self.robots.records_for(&self.agent.as_ref()), record))
    }

    pub fn diagnostics(&self) -> String {
        let lines = LineIndex::new(self.robots.text());
        Json::of(|json| {
            json.array(self.robots.diagnostics(), |json, found| {
                json.object(|json| {
                    json.key("code").text(found.code());
                    json.key("severity").text(found.severity().name());
                    json.key("message").text(&found);
                    values::position(json, found.span, &lines);
                });
            });
        })
    }

    pub fn text(&self) -> Vec<u8> {
        self.robots.text().to_vec()
    }

    pub fn is_truncated(&self) -> bool {
        self.robots.is_truncated()
    }
}

/// Answers one question. The engine's one-shot answer would add two kilobytes to the module.
#[wasm_bindgen]
pub fn is_allowed(index: usize, kind: u8, text: usize, agent: usize, url: usize) -> bool {
    input::with([text, agent, url], |[text, agent, url]| {
        dialect(index).parse(text).is_allowed(&Agent::of(kind, agent).as_ref(), url)
    })
}

fn group(json: &mut Json, group: Group<'_>) {
    json.object(|json| {
        json.key("index").count(group.index());
        json.key("line").count(group.position().line);
        json.key("agents").array(group.agents(), |json, agent| {
            json.object(|json| {
                json.key("value").bytes(agent.value());
                json.key("name").bytes(agent.name());
                json.key("line").count(agent.position().line);
            });
        });
        json.key("rules").array(group.rules(), values::rule);
    });
}

/// Minutes since midnight UTC.
fn window(json: &mut Json, window: Window) {
    json.object(|json| {
        json.key("from").number(u64::from(window.from.since_midnight()));
        json.key("to").number(u64::from(window.to.since_midnight()));
    });
}
