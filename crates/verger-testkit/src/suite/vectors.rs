//! Vectors in JSON Lines, in the format of the semantic reference.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::case::{Case, Expected, NamedCrawler, Question, Statement, Suite};
use super::format::{Derive, Fetch, Meta, PageQuestion, Scope, Setting, Usage};
use super::load::LoadError;
use super::text::Text;

#[derive(Deserialize)]
struct Vector {
    id: String,
    dialect: String,
    robots: String,
    agent: String,
    url: String,
    expect: String,
    google: String,
    note: String,
    level: String,
}

#[derive(Deserialize)]
struct ScopeVector {
    id: String,
    url: String,
    robots_url: Option<String>,
    in_scope: Option<bool>,
    robots_url_of: Option<String>,
}

#[derive(Deserialize)]
struct UsageVector {
    id: String,
    source: String,
    field: String,
    robots: String,
    agent: String,
    url: String,
    crawl: String,
    expect: Option<BTreeMap<String, String>>,
    note: String,
}

#[derive(Deserialize)]
struct PageVector {
    id: String,
    meta: Vec<Meta>,
    headers: Vec<Text>,
    crawler: String,
    expect: BTreeMap<String, Setting>,
}

#[derive(Deserialize)]
struct AccessVector {
    id: String,
    outcome: String,
    cached: String,
    dialect: String,
    policy: String,
    level: String,
    note: String,
}

/// A dialect of the reference that is not implemented: the literal reading of one figure.
const NOT_BUILT: &str = "rfc9309-folded";

/// Reads vectors in JSON Lines: `vectors*.jsonl`, `scope*.jsonl`, `usage*.jsonl`, `page*.jsonl` and
/// `access*.jsonl` of a folder.
///
/// # Errors
///
/// If a file cannot be read or a line is not a vector.
pub fn load_vectors(folder: &Path) -> Result<Suite, LoadError> {
    let mut suite = Suite::default();
    let entries = fs::read_dir(folder)
        .map_err(|error| LoadError::new(folder.display().to_string(), error))?;
    let mut names: Vec<_> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| Path::new(name).extension().is_some_and(|found| found == "jsonl"))
        .collect();
    names.sort();
    for name in names {
        let path = folder.join(&name);
        if name.starts_with("vectors") {
            let vectors: Vec<Vector> = read(&path, &name)?;
            let built = vectors.into_iter().filter(|vector| vector.dialect != NOT_BUILT);
            suite.verdicts.extend(built.map(|vector| verdict(&name, vector)));
        } else if name.starts_with("scope") {
            let vectors: Vec<ScopeVector> = read(&path, &name)?;
            suite.statements.extend(vectors.into_iter().map(|vector| scope(&name, vector)));
        } else if name.starts_with("usage") {
            let vectors: Vec<UsageVector> = read(&path, &name)?;
            suite.statements.extend(vectors.into_iter().map(|vector| usage(&name, vector)));
        } else if name.starts_with("page") {
            let vectors: Vec<PageVector> = read(&path, &name)?;
            suite.statements.extend(vectors.into_iter().map(|vector| page(&name, vector)));
        } else if name.starts_with("access") {
            let vectors: Vec<AccessVector> = read(&path, &name)?;
            for vector in vectors {
                suite.statements.push(access(&name, vector)?);
            }
        }
    }
    Ok(suite)
}

fn read<T: DeserializeOwned>(path: &Path, name: &str) -> Result<Vec<T>, LoadError> {
    let text = fs::read_to_string(path).map_err(|error| LoadError::new(name, error))?;
    let parse = |(number, line): (usize, &str)| {
        serde_json::from_str(line)
            .map_err(|error| LoadError::new(format!("{name}:{}", number + 1), error))
    };
    text.lines().enumerate().map(parse).collect()
}

fn verdict(file: &str, vector: Vector) -> Case {
    let answer = |word: &str| Expected { allowed: word == "allow", line: None, reason: None };
    let mut expect = BTreeMap::from([("google".to_owned(), answer(&vector.google))]);
    expect.insert(vector.dialect, answer(&vector.expect));
    let crawler = if vector.agent.contains('|') {
        NamedCrawler::Union(vector.agent.split('|').map(str::to_owned).collect())
    } else {
        NamedCrawler::Token(vector.agent)
    };
    let contested = vector.level == "contested";
    let allowed = &vector.expect;
    Case {
        file: file.to_owned(),
        name: vector.id,
        contested: contested.then(|| format!("answered `{allowed}`: {}", vector.note)),
        why: vector.note,
        clause: Vec::new(),
        source: Vec::new(),
        robots: vector.robots.into_bytes(),
        crawler,
        url: vector.url.into_bytes(),
        repeat: None,
        expect,
    }
}

fn scope(file: &str, vector: ScopeVector) -> Statement {
    let ScopeVector { id, url, robots_url, in_scope, robots_url_of } = vector;
    let question = match (robots_url, in_scope) {
        (Some(robots_url), Some(in_scope)) => Question::Scope(Scope { robots_url, url, in_scope }),
        _ => Question::Derive(Derive { url, robots_url: robots_url_of, invalid: None }),
    };
    statement(file, id, None, question)
}

fn usage(file: &str, vector: UsageVector) -> Statement {
    let contested = vector.source.starts_with("contested");
    // The contested vector has no separate answer: by default Content-Usage is an other record, so
    // both agents share its group (REP-AMB-5).
    let expect = match vector.expect {
        None if contested => Some(BTreeMap::from([("train-ai".to_owned(), "n".to_owned())])),
        expect => expect,
    };
    let allowed = vector.crawl == "allow";
    let default = contested.then(|| {
        let taken = "Content-Usage is an other record and closes no list of agents (REP-AMB-5 a)";
        format!("{taken}: {}", vector.note)
    });
    let question = Question::Usage(Usage {
        field: vector.field,
        robots: vector.robots,
        agent: vector.agent,
        url: vector.url,
        allowed,
        not_applicable: expect.is_none(),
        expect,
    });
    statement(file, vector.id, default, question)
}

fn page(file: &str, vector: PageVector) -> Statement {
    let PageVector { id, meta, headers, crawler, expect } = vector;
    let question = PageQuestion {
        headers,
        meta,
        html: None,
        unknown: None,
        stop: None,
        truncated: false,
        agent: Some(crawler),
        agents: Vec::new(),
        combine: None,
        expect,
    };
    statement(file, id, None, Question::Page(question))
}

/// Outcomes do not contain followed redirects; "defer" means "disallow" for a crawler.
fn access(file: &str, vector: AccessVector) -> Result<Statement, LoadError> {
    let AccessVector { id, outcome, cached, dialect, policy, level, note } = vector;
    let unknown = |what: &str| LoadError::new(format!("{file}: {id}"), format!("unknown {what}"));
    let outcome = match outcome.as_str() {
        "redirect>5" => "redirect-limit",
        "304-unasked" => "304",
        "3xx-without-location" => "broken-redirect",
        "dns" | "connect-timeout" | "read-timeout" | "reset" | "tls" | "chunking"
        | "invalid-response" => "network",
        other if other.starts_with("redirect<=5 ") => other.rsplit(' ').next().unwrap_or(other),
        other => other,
    };
    let (copy, rest) = cached.split_once("; failing for ").unwrap_or((&cached, "0h"));
    let (time, site) = rest.split_once(", site ").unwrap_or((rest, "down"));
    let failing = minutes(time).ok_or_else(|| unknown("time"))?;
    let expected = match policy.as_str() {
        "rules" | "allow" => policy.as_str(),
        "deny" | "defer" => "disallow",
        "stale" => "copy",
        _ => return Err(unknown("policy")),
    };
    let question = Question::Fetch(Fetch {
        outcome: outcome.to_owned(),
        failing_minutes: failing,
        copy_minutes: (copy == "copy").then_some(failing),
        site_available: site == "available",
        expect: BTreeMap::from([(dialect, expected.to_owned())]),
    });
    question.check().map_err(|message| LoadError::new(format!("{file}: {id}"), message))?;
    let contested = (level == "contested").then(|| format!("answered `{expected}`: {note}"));
    Ok(statement(file, id, contested, question))
}

/// `11h59m`, `31d`.
fn minutes(time: &str) -> Option<u64> {
    let mut sum = 0;
    for part in time.split_inclusive(|letter: char| letter.is_ascii_alphabetic()) {
        let unit = match part.chars().last()? {
            'd' => 24 * 60,
            'h' => 60,
            'm' => 1,
            _ => return None,
        };
        sum += part[..part.len() - 1].parse::<u64>().ok()? * unit;
    }
    Some(sum)
}

fn statement(file: &str, name: String, contested: Option<String>, question: Question) -> Statement {
    Statement {
        file: file.to_owned(),
        name,
        why: String::new(),
        clause: Vec::new(),
        source: Vec::new(),
        contested,
        question,
    }
}
