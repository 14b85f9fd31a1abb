//! Reading and validation of the suite, as its README describes it.

use std::collections::HashSet;
use std::fmt;
use std::fs;
use std::path::Path;

use verger::Dialect;

use super::case::{Case, Expected, NamedCrawler, Question, Statement, Suite};
use super::format::{Document, Named, RawCase, RawExpected, RawFile};
use super::text::{Text, unescape};

/// Reads every `*.toml` of a folder, in order of their names.
///
/// # Errors
///
/// If there is no file; if one cannot be read or does not match the README; if a name occurs twice,
/// a dialect or an access profile is unknown, or a case has no clause.
pub fn load(folder: &Path) -> Result<Suite, LoadError> {
    let shown = folder.display().to_string();
    let entries = fs::read_dir(folder).map_err(|error| LoadError::new(&shown, error))?;
    let mut paths: Vec<_> = entries
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .collect();
    if paths.is_empty() {
        return Err(LoadError::new(&shown, "expected `*.toml`, but found none"));
    }
    paths.sort();
    let mut suite = Suite::default();
    for path in paths {
        let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let text = fs::read_to_string(&path).map_err(|error| LoadError::new(&file, error))?;
        add(&mut suite, &file, &text)?;
    }
    check(&suite)?;
    Ok(suite)
}

fn add(suite: &mut Suite, file: &str, text: &str) -> Result<(), LoadError> {
    let document: Document = toml::from_str(text).map_err(|error| LoadError::new(file, error))?;
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
    add_all(statements(file, document.page, Question::Page));
    add_all(statements(file, document.reading, Question::Reading));
    add_all(statements(file, document.target, Question::Target));
    add_all(statements(file, document.token, Question::Token));
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
    let spare = |key: &str, why: &str| {
        LoadError::new(&place, format!("expected no `{key}`, because {why}"))
    };
    if shared.is_some() && raw.escape {
        return Err(spare("escape", "the file has it"));
    }
    if shared.is_some() && raw.repeat.is_some() {
        return Err(spare("repeat", "the cases of a file share its text"));
    }
    if raw.agent.is_some() && raw.agents.is_some() {
        return Err(spare("agent", "there is `agents`"));
    }
    if raw.union && raw.agents.is_none() {
        return Err(missing("agents"));
    }
    let robots = match (raw.robots, shared) {
        (Some(robots), None) => robots,
        (None, Some(shared)) => shared.robots.clone(),
        (Some(_), Some(_)) => return Err(spare("robots", "the file has it")),
        (None, None) => return Err(missing("robots")),
    };
    let escape = raw.escape || shared.is_some_and(|shared| shared.escape);
    let bytes = |text: Text| {
        if raw.repeat.is_none() && !escape {
            return Ok(text.0);
        }
        let text = String::from_utf8_lossy(&text.0);
        let text = raw.repeat.as_ref().map_or_else(|| text.to_string(), |by| by.expand(&text));
        if escape {
            unescape(&text).map_err(|message| LoadError::new(&place, message))
        } else {
            Ok(text.into_bytes())
        }
    };
    let shared_agent = || shared.and_then(|shared| shared.agent.clone());
    let crawler = match (raw.agents, raw.union) {
        (Some(agents), true) => NamedCrawler::Union(agents),
        (Some(agents), false) => NamedCrawler::Chain(agents),
        (None, _) => {
            let agent = raw.agent.or_else(shared_agent).ok_or_else(|| missing("agent"))?;
            let token = String::from_utf8(agent.0).map_err(|error| LoadError::new(&place, error));
            NamedCrawler::Token(token?)
        }
    };
    let why = raw.why.or_else(|| shared.and_then(|shared| shared.why.clone()));
    let clause = raw.clause.or_else(|| shared.and_then(|shared| shared.clause.clone()));
    Ok(Case {
        robots: bytes(robots)?,
        url: bytes(raw.url)?,
        why: why.ok_or_else(|| missing("why"))?,
        clause: clause.ok_or_else(|| missing("clause"))?,
        expect: raw.expect.into_iter().map(|(dialect, raw)| (dialect, expected(raw))).collect(),
        source: raw.source,
        repeat: raw.repeat,
        file: file.to_owned(),
        name: raw.name,
        contested: raw.contested,
        crawler,
    })
}

fn expected(raw: RawExpected) -> Expected {
    let reason = raw.reason.or_else(|| raw.line.map(|_| "rule".to_owned()));
    Expected { allowed: raw.allowed, line: Some(raw.line), reason }
}

fn check(suite: &Suite) -> Result<(), LoadError> {
    let mut names = HashSet::new();
    let verdicts = suite.verdicts.iter().map(|case| (&case.file, &case.name, &case.clause));
    let statements = suite.statements.iter().map(|case| (&case.file, &case.name, &case.clause));
    for (file, name, clause) in verdicts.chain(statements) {
        let place = format!("{file}: {name}");
        if !names.insert(name) {
            return Err(LoadError::new(place, "the name occurs twice"));
        }
        if clause.is_empty() {
            return Err(LoadError::new(place, "expected a clause, but found none"));
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

/// A problem with a file of the suite.
#[derive(Debug)]
pub struct LoadError {
    place: String,
    message: String,
}

impl LoadError {
    pub(super) fn new(place: impl Into<String>, message: impl fmt::Display) -> Self {
        Self { place: place.into(), message: message.to_string() }
    }
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.message)
    }
}

impl std::error::Error for LoadError {}

#[cfg(test)]
mod tests {
    use super::*;

    /// The message about an invalid file of the suite.
    fn error_of(text: &str) -> String {
        let mut suite = Suite::default();
        let added = add(&mut suite, "x.toml", text).and_then(|()| check(&suite));
        added.err().map(|error| error.to_string()).unwrap_or_default()
    }

    #[track_caller]
    fn refuses(text: &str, expected: &str) {
        let error = error_of(text);
        assert!(error.contains(expected), "expected {expected:?}, but found {error:?}");
    }

    /// A case without a crawler, with additional keys.
    fn case_with(more: &str) -> String {
        format!(
            "[[case]]\nname = 'a'\nwhy = 'b'\nclause = ['C']\nrobots = ''\nurl = '/'\n{more}\n\
             [case.expect]\nrfc9309 = {{ allowed = true }}\n"
        )
    }

    /// A file with one case, with additional keys in the case.
    fn file_with(more: &str) -> String {
        format!(
            "[[file]]\nwhy = 'b'\nclause = ['C']\nrobots = ''\nagent = 'f'\n\
             [[file.case]]\nname = 'a'\nurl = '/'\n{more}\n\
             [file.case.expect]\nrfc9309 = {{ allowed = true }}\n"
        )
    }

    const SCOPE: &str = "[[scope]]\nname = 'a'\nwhy = 'b'\nclause = ['C']\n\
                         robots_url = 'http://h/robots.txt'\nurl = 'http://h/'\nin_scope = true\n";

    #[test]
    fn documented_files_are_read() {
        for text in [
            &case_with("agent = 'f'"),
            &case_with("agents = ['f', 'g']\nunion = true"),
            &file_with(""),
            &file_with("agents = ['f']"),
            SCOPE,
        ] {
            assert_eq!(error_of(text), "", "{text}");
        }
    }

    #[test]
    fn unknown_keys_are_errors() {
        refuses(&case_with("agent = 'f'\nclauses = []"), "unknown field `clauses`");
        refuses(&file_with("sorce = []"), "unknown field `sorce`");
        refuses(&format!("{SCOPE}contestet = 'x'\n"), "unknown field `contestet`");
        refuses("[[cases]]\n", "unknown field `cases`");
    }

    #[test]
    fn a_case_of_a_file_shares_its_text() {
        refuses(&file_with("escape = true"), "expected no `escape`");
        refuses(
            &file_with("repeat = { mark = '@', text = 'a', count = 2 }"),
            "expected no `repeat`",
        );
        refuses(&file_with("robots = ''"), "expected no `robots`");
    }

    #[test]
    fn a_case_names_its_crawler_in_one_way() {
        refuses(&case_with(""), "expected `agent`");
        refuses(&case_with("agent = 'f'\nagents = ['g']"), "expected no `agent`");
        refuses(&case_with("agent = 'f'\nunion = true"), "expected `agents`");
    }

    #[test]
    fn every_case_pins_a_clause() {
        let without = |text: &str| text.replace("['C']", "[]");
        refuses(&without(&case_with("agent = 'f'")), "expected a clause");
        refuses(&without(&file_with("")), "expected a clause");
        refuses(&without(SCOPE), "expected a clause");
    }

    #[test]
    fn a_folder_without_files_is_an_error() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/suite");
        assert!(load(&folder).is_err_and(|error| error.to_string().contains("expected `*.toml`")));
    }
}
