//! Reading the suite, and holding it to what its README promises.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use verger::Dialect;

use super::escape::{repeat, unescape};
use super::format::{Document, Named, RawCase, RawExpected, RawFile};
use super::{Asker, Case, Expected, Question, Statement, Suite, vectors};

/// What is wrong with a file of the suite.
#[derive(Debug)]
pub struct LoadError {
    place: String,
    message: String,
}

impl LoadError {
    pub(super) fn new(place: impl Into<String>, message: impl std::fmt::Display) -> Self {
        Self { place: place.into(), message: message.to_string() }
    }
}

impl std::fmt::Display for LoadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.place, self.message)
    }
}

impl std::error::Error for LoadError {}

/// Reads every `*.toml` of a folder, in the order of their names.
///
/// # Errors
///
/// When a file cannot be read or is not what the README describes; when a name occurs twice, or a
/// dialect or an access profile is not one.
pub fn load(folder: &Path) -> Result<Suite, LoadError> {
    let shown = folder.display().to_string();
    let entries = fs::read_dir(folder).map_err(|error| LoadError::new(&shown, error))?;
    let mut paths: Vec<_> = entries
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .collect();
    paths.sort();
    let mut suite = Suite::default();
    for path in paths {
        let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let text = fs::read_to_string(&path).map_err(|error| LoadError::new(&file, error))?;
        let document: Document =
            toml::from_str(&text).map_err(|error| LoadError::new(&file, error))?;
        add(&mut suite, &file, document)?;
    }
    check(&suite)?;
    Ok(suite)
}

/// Reads vectors in JSON Lines: `vectors*.jsonl`, `scope*.jsonl`, `usage*.jsonl` and `access*.jsonl` of
/// a folder.
///
/// # Errors
///
/// When a file cannot be read or a line is not a vector.
pub fn load_vectors(folder: &Path) -> Result<Suite, LoadError> {
    vectors::load(folder)
}

fn add(suite: &mut Suite, file: &str, document: Document) -> Result<(), LoadError> {
    for raw in document.case {
        suite.verdicts.push(case(file, raw, None)?);
    }
    for mut shared in document.file {
        for raw in std::mem::take(&mut shared.case) {
            suite.verdicts.push(case(file, raw, Some(&shared))?);
        }
    }
    let mut add_all = |statements: Vec<Statement>| suite.statements.extend(statements);
    add_all(statements(file, document.scope, Question::Scope));
    add_all(statements(file, document.derive, Question::Derive));
    add_all(statements(file, document.usage, Question::Usage));
    add_all(statements(file, document.extension, Question::Extension));
    add_all(statements(file, document.access, Question::Fetch));
    add_all(statements(file, document.freshness, Question::Fresh));
    add_all(statements(file, document.retry, Question::Retry));
    Ok(())
}

fn statements<T>(file: &str, tables: Vec<Named<T>>, ask: fn(T) -> Question) -> Vec<Statement> {
    let statement = |named: Named<T>| {
        let Named { name, why, clause, source, contested, question } = named;
        let (file, question) = (file.to_owned(), ask(question));
        Statement { file, name, why, clause, source, contested, question }
    };
    tables.into_iter().map(statement).collect()
}

fn case(file: &str, raw: RawCase, shared: Option<&RawFile>) -> Result<Case, LoadError> {
    let place = format!("{file}: {}", raw.name);
    let missing = |key: &str| LoadError::new(&place, format!("expected `{key}`, but found none"));
    let robots = match (raw.robots, shared) {
        (Some(robots), None) => robots,
        (None, Some(shared)) => shared.robots.clone(),
        (Some(_), Some(_)) => {
            return Err(LoadError::new(&place, "expected no `robots`, because the file has it"));
        }
        (None, None) => return Err(missing("robots")),
    };
    let escape = raw.escape || shared.is_some_and(|shared| shared.escape);
    let text = |text: &str| {
        let text = match &raw.repeat {
            Some(by) => repeat(text, &by.mark, &by.text, by.count),
            None => text.to_owned(),
        };
        if escape {
            unescape(&text).map_err(|message| LoadError::new(&place, message))
        } else {
            Ok(text.into_bytes())
        }
    };
    let shared_agent = || shared.and_then(|shared| shared.agent.clone());
    let asker = match (raw.agents, raw.union) {
        (Some(agents), true) => Asker::Union(agents),
        (Some(agents), false) => Asker::Chain(agents),
        (None, _) => Asker::Token(raw.agent.or_else(shared_agent).ok_or_else(|| missing("agent"))?),
    };
    let why = raw.why.or_else(|| shared.and_then(|shared| shared.why.clone()));
    let clause = raw.clause.or_else(|| shared.and_then(|shared| shared.clause.clone()));
    Ok(Case {
        robots: text(&robots)?,
        url: text(&raw.url)?,
        why: why.ok_or_else(|| missing("why"))?,
        clause: clause.ok_or_else(|| missing("clause"))?,
        expect: raw.expect.into_iter().map(|(dialect, raw)| (dialect, expected(raw))).collect(),
        source: raw.source,
        file: file.to_owned(),
        name: raw.name,
        contested: raw.contested,
        asker,
    })
}

fn expected(raw: RawExpected) -> Expected {
    let reason = raw.reason.or_else(|| raw.line.map(|_| "rule".to_owned()));
    Expected { allowed: raw.allowed, line: Some(raw.line), reason }
}

fn check(suite: &Suite) -> Result<(), LoadError> {
    let mut names = HashSet::new();
    let verdicts = suite.verdicts.iter().map(|case| (&case.file, &case.name));
    let statements = suite.statements.iter().map(|case| (&case.file, &case.name));
    for (file, name) in verdicts.chain(statements) {
        if !names.insert(name) {
            return Err(LoadError::new(format!("{file}: {name}"), "the name occurs twice"));
        }
    }
    for case in &suite.verdicts {
        let place = format!("{}: {}", case.file, case.name);
        if case.expect.is_empty() {
            return Err(LoadError::new(place, "expected an answer, but found none"));
        }
        if let Some(dialect) = case.expect.keys().find(|name| Dialect::named(name).is_none()) {
            let message = format!("expected a published dialect, but found `{dialect}`");
            return Err(LoadError::new(place, message));
        }
    }
    for statement in &suite.statements {
        if let Err(message) = statement.question.check() {
            let place = format!("{}: {}", statement.file, statement.name);
            return Err(LoadError::new(place, message));
        }
    }
    Ok(())
}
