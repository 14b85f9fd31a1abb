//! Parsed files, for module `verger`.

use verger::extension::{Sitemap, Window};
use verger::{Group, LineIndex, Policy, Robots};
use wasm_bindgen::prelude::*;

use crate::arguments::{Agent, answers, dialect};
use crate::input;
use crate::json::Json;
use crate::policy::NativePolicy;
use crate::values;

/// A parsed file with the agent of the last question; `Robots` of JavaScript wraps it.
#[wasm_bindgen]
pub struct NativeRobots {
    robots: Robots,
    agent: Agent<'static>,
    /// Questions for this agent.
    questions: usize,
    policy: Option<Policy>,
}

/// From this number of questions for the same agent on, compiling a policy pays.
const COMPILE_FROM: usize = 10;

#[wasm_bindgen]
impl NativeRobots {
    #[wasm_bindgen(constructor)]
    pub fn new(index: usize, text: usize) -> Self {
        let robots = input::with([text], |[text]| dialect(index).parse(text));
        Self { robots, agent: Agent::of(0, b""), questions: 0, policy: None }
    }

    /// Sets the agent of the following calls.
    pub fn select(&mut self, kind: u8, agent: usize) {
        self.agent = input::with([agent], |[agent]| Agent::of(kind, agent).into_owned());
        (self.questions, self.policy) = (0, None);
    }

    pub fn is_allowed(&mut self, url: usize) -> bool {
        if self.is_worth_compiling() {
            let policy = self.policy();
            return input::with([url], |[url]| policy.is_allowed(url));
        }
        input::with([url], |[url]| self.robots.is_allowed(&self.agent.as_ref(), url))
    }

    /// The line of the deciding rule; 0 if no rule decides.
    pub fn line(&mut self, url: usize) -> usize {
        if self.is_worth_compiling() {
            let policy = self.policy();
            return input::with([url], |[url]| policy.check(url).line().unwrap_or(0));
        }
        input::with([url], |[url]| {
            let verdict = self.robots.check(&self.agent.as_ref(), url);
            verdict.rule().map_or(0, |rule| rule.position().line)
        })
    }

    pub fn are_lines_allowed(&mut self, lines: usize) -> Vec<u8> {
        let policy = self.policy();
        input::with([lines], |[lines]| answers(lines, |url| policy.is_allowed(url)))
    }

    pub fn compile(&mut self) -> NativePolicy {
        NativePolicy(self.policy().clone())
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

    pub fn text(&self) -> Vec<u8> {
        self.robots.text().to_vec()
    }

    pub fn is_truncated(&self) -> bool {
        self.robots.is_truncated()
    }
}

impl NativeRobots {
    /// Counts a question, and returns whether to answer it by the policy.
    fn is_worth_compiling(&mut self) -> bool {
        self.questions = self.questions.saturating_add(1);
        self.policy.is_some() || self.questions >= COMPILE_FROM
    }

    /// The policy of the agent, compiled now if it is not yet.
    fn policy(&mut self) -> &Policy {
        self.policy.get_or_insert_with(|| self.robots.policy(&self.agent.as_ref()))
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
