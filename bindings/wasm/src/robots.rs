//! Parsed files, for module `verger`.

use verger::extension::{RecordKind, Sitemap, Window};
use verger::{CrawlerRef, Group, LineIndex, Policy, Robots, Untrusted};
use wasm_bindgen::prelude::*;

use crate::arguments::{Agent, answers, dialect};
use crate::input;
use crate::json::Json;
use crate::policy::{NativePolicy, code};
use crate::values;

/// A parsed file with the agents of the last questions; `Robots` of JavaScript wraps it.
#[wasm_bindgen]
pub struct NativeRobots {
    robots: Robots,
    /// By slot. JavaScript selects an agent for a slot, and passes the slot to the other methods.
    agents: Vec<Selected>,
}

/// An agent, and its compiled rules if there are many questions.
struct Selected {
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
        Self { robots, agents: Vec::new() }
    }

    /// Sets the agent of a slot. A slot beyond the last one is appended.
    pub fn select(&mut self, slot: usize, kind: u8, agent: usize) {
        let agent = input::with([agent], |[agent]| Agent::of(kind, agent).into_owned());
        let selected = Selected { agent, questions: 0, policy: None };
        match self.agents.get_mut(slot) {
            Some(kept) => *kept = selected,
            None => self.agents.push(selected),
        }
    }

    pub fn is_allowed(&mut self, slot: usize, url: usize) -> bool {
        let (robots, selected) = self.parts(slot);
        input::with([url], |[url]| match selected.policy_if_worth(robots) {
            Some(policy) => policy.is_allowed(url),
            None => robots.is_allowed(&selected.agent.as_ref(), url),
        })
    }

    /// The number of a verdict, as [`code`]. Few verdicts differ, so JavaScript asks
    /// [`Self::check`] once for each.
    pub fn verdict(&mut self, slot: usize, url: usize) -> i32 {
        let (robots, selected) = self.parts(slot);
        input::with([url], |[url]| match selected.policy_if_worth(robots) {
            Some(policy) => code(&policy.check(url)),
            None => code(&robots.check(&selected.agent.as_ref(), url)),
        })
    }

    pub fn are_lines_allowed(&mut self, slot: usize, lines: usize) -> Vec<u8> {
        let (robots, selected) = self.parts(slot);
        let policy = selected.policy(robots);
        input::with([lines], |[lines]| answers(lines, |url| policy.is_allowed(url)))
    }

    pub fn compile(&mut self, slot: usize) -> NativePolicy {
        let (robots, selected) = self.parts(slot);
        NativePolicy(selected.policy(robots).clone())
    }

    pub fn check(&self, slot: usize, url: usize) -> String {
        input::with([url], |[url]| {
            let verdict = self.robots.check(&self.agent(slot), url);
            Json::of(|json| values::verdict(json, &verdict))
        })
    }

    pub fn explain(&self, slot: usize, url: usize) -> String {
        let found = input::with([url], |[url]| self.robots.explain(&self.agent(slot), url));
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
                    let rule = it.rule.to_string();
                    let rule = Untrusted::new(&rule).quoted();
                    json.key("text").text(format_args!("{rule} {}", it.standing));
                });
            });
        })
    }

    /// The statements for the agent that do not depend on a URL.
    pub fn statements(&self, slot: usize) -> String {
        let (robots, agent) = (&self.robots, self.agent(slot));
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
            json.key("agentmaps").array(robots.maps(RecordKind::Agentmap), raw);
            json.key("schemamaps").array(robots.maps(RecordKind::Schemamap), raw);
            json.key("host").option(robots.host(), |json, host| match host.port {
                Some(port) => json.text(format_args!("{}:{port}", host.name)),
                None => json.text(host.name),
            });
        })
    }

    pub fn groups(&self) -> String {
        let lines = LineIndex::new(self.robots.text());
        Json::of(|json| json.array(self.robots.groups(), |json, it| group(json, it, &lines)))
    }

    pub fn groups_for(&self, slot: usize) -> String {
        let lines = LineIndex::new(self.robots.text());
        let groups = self.robots.groups_for(&self.agent(slot));
        Json::of(|json| json.array(groups, |json, it| group(json, it, &lines)))
    }

    pub fn records(&self) -> String {
        let lines = LineIndex::new(self.robots.text());
        let record = |json: &mut Json, it| values::record(json, &it, &lines);
        Json::of(|json| json.array(self.robots.records(), record))
    }

    pub fn records_for(&self, slot: usize) -> String {
        let lines = LineIndex::new(self.robots.text());
        let record = |json: &mut Json, it| values::record(json, &it, &lines);
        Json::of(|json| json.array(self.robots.records_for(&self.agent(slot)), record))
    }

    pub fn text(&self) -> Vec<u8> {
        self.robots.text().to_vec()
    }

    pub fn is_truncated(&self) -> bool {
        self.robots.is_truncated()
    }
}

impl NativeRobots {
    /// The file and the agent of a slot.
    fn parts(&mut self, slot: usize) -> (&Robots, &mut Selected) {
        (&self.robots, &mut self.agents[slot])
    }

    fn agent(&self, slot: usize) -> CrawlerRef<'_> {
        self.agents[slot].agent.as_ref()
    }
}

impl Selected {
    /// Counts a question, and returns the policy if the question is worth compiling one.
    fn policy_if_worth(&mut self, robots: &Robots) -> Option<&Policy> {
        self.questions = self.questions.saturating_add(1);
        let is_worth = self.policy.is_some() || self.questions >= COMPILE_FROM;
        is_worth.then(|| self.policy(robots))
    }

    /// The policy of the agent, compiled now if it is not yet.
    fn policy(&mut self, robots: &Robots) -> &Policy {
        self.policy.get_or_insert_with(|| robots.policy(&self.agent.as_ref()))
    }
}

/// Answers one question. The engine's one-shot answer would add two kilobytes to the module.
#[wasm_bindgen]
pub fn is_allowed(index: usize, kind: u8, text: usize, agent: usize, url: usize) -> bool {
    input::with([text, agent, url], |[text, agent, url]| {
        dialect(index).parse(text).is_allowed(&Agent::of(kind, agent).as_ref(), url)
    })
}

/// A position of an agent alone is counted from the start of the file.
fn group(json: &mut Json, group: Group<'_>, lines: &LineIndex) {
    json.object(|json| {
        json.key("index").count(group.index());
        json.key("line").count(group.position().line);
        json.key("agents").array(group.agents(), |json, agent| {
            json.object(|json| {
                json.key("value").bytes(agent.value());
                json.key("name").bytes(agent.name());
                json.key("line").count(lines.position(agent.span().start).line);
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
