//! Known crawlers.

use std::borrow::Cow;

use verger::Dialect;
use verger_registry::{Crawler, FactSource, Field, Registry, RobotsPolicy};
use wasm_bindgen::prelude::*;

use crate::arguments::{Agent, dialect};
use crate::input;
use crate::json::Json;
use crate::values;

/// All known crawlers, and the day on which they were last compared with their sources.
#[wasm_bindgen]
pub fn known_crawlers() -> String {
    let registry = Registry::bundled();
    Json::object_of(|json| {
        json.key("date").text(registry.date());
        json.key("crawlers").array(registry.crawlers(), known);
    })
}

/// The crawlers whose tokens a User-Agent header contains.
#[wasm_bindgen]
pub fn identify(header: usize) -> String {
    input::with([header], |[header]| {
        let header = String::from_utf8_lossy(header);
        Json::of(|json| json.array(Registry::bundled().identify(&header), known))
    })
}

/// The crawler of an agent, with its documented fallbacks.
#[wasm_bindgen]
pub fn crawler_for(index: usize, agent: usize) -> String {
    input::with([agent], |[agent]| {
        let agent = String::from_utf8_lossy(agent);
        let agent = Registry::bundled().resolve(&agent, dialect(index).reads_headers);
        Json::object_of(|json| {
            values::crawler(json, &agent.rules);
            json.key("note").option(agent.known.and_then(Crawler::caveat), Json::text);
        })
    })
}

/// The crawler of an argument. A text is read as all programs of Verger read it.
pub(super) fn crawler(kind: u8, agent: &[u8], dialect: &Dialect) -> Cow<'static, verger::Crawler> {
    match Agent::of(kind, agent) {
        Agent::Text(text) => Registry::bundled().resolve(&text, dialect.reads_headers).rules,
        Agent::Crawler(crawler) => Cow::Owned(crawler),
    }
}

fn known(json: &mut Json, known: &Crawler) {
    json.object(|json| {
        json.key("token").text(known.token());
        json.key("aliases").texts(known.aliases());
        json.key("userAgents").texts(known.user_agents());
        json.key("operator").option(known.operator(), Json::text);
        json.key("purpose").text(known.purpose().name());
        let obeys = match known.robots_policy() {
            RobotsPolicy::Obeys => Some(true),
            RobotsPolicy::Ignores => Some(false),
            _ => None,
        };
        json.key("obeysRobotsTxt").option(obeys, Json::bool);
        json.key("crawler").object(|json| values::crawler(json, known.rules()));
        json.key("hasDocumentedTokens").bool(known.has_documented_tokens());
        json.key("accessProfile").text(known.access_profile().name);
        json.key("isNameOnly").bool(known.is_name_only());
        json.key("reverseDns").texts(known.reverse_dns());
        json.key("ipRanges").texts(known.ip_ranges());
        json.key("signatureAgent").option(known.signature_agent(), Json::text);
        json.key("retired").option(known.retired(), Json::text);
        json.key("documentation").option(known.documentation(), Json::text);
        json.key("note").option(known.note(), Json::text);
        source(json.key("source"), known.source());
        json.key("sources").object(|json| {
            for &field in Field::ALL {
                if let Some(own) = known.source_of(field).filter(|own| *own != known.source()) {
                    source(json.key(key(field)), own);
                }
            }
        });
        let unconfirmed = Field::ALL.iter().filter(|field| known.is_unconfirmed(**field));
        json.key("unconfirmed").texts(unconfirmed.map(|field| key(*field)));
    });
}

fn source(json: &mut Json, source: &FactSource) {
    json.object(|json| {
        json.key("url").text(source.url());
        json.key("date").text(source.date());
    });
}

/// The key of a field above.
fn key(field: Field) -> &'static str {
    match field {
        Field::UserAgents => "userAgents",
        Field::Robots => "obeysRobotsTxt",
        Field::Chain => "crawler",
        Field::AccessProfile => "accessProfile",
        Field::ReverseDns => "reverseDns",
        Field::IpRanges => "ipRanges",
        Field::SignatureAgent => "signatureAgent",
        _ => field.name(),
    }
}
