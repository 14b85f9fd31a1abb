//! `cargo xtask tidy`: what no other tool checks.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::shell::{Result, output, program, root};

/// A file of code that is longer has more than one subject.
const LONGEST_FILE: usize = 800;

/// Whose clauses should have tests.
const LIBRARIES: [&str; 2] = ["crates/verger/src", "crates/verger-page/src"];

/// Runs every check and reports all that is wrong.
pub(crate) fn run() -> Result {
    let files = tracked()?;
    let mut wrong = Vec::new();
    clauses(&files, &mut wrong)?;
    sizes(&files, &mut wrong)?;
    white_space(&files, &mut wrong)?;
    oracles(&files, &mut wrong)?;
    for line in &wrong {
        println!("{line}");
    }
    match wrong.len() {
        0 => Ok(()),
        count => Err(format!("{count} things are not tidy")),
    }
}

/// What git knows, and what it would take.
fn tracked() -> Result<Vec<PathBuf>> {
    let listed =
        output(&mut program("git", ["ls-files", "--cached", "--others", "--exclude-standard"]))?;
    Ok(listed.lines().map(PathBuf::from).filter(|path| root().join(path).is_file()).collect())
}

fn read(path: &Path) -> Result<String> {
    let bytes =
        fs::read(root().join(path)).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn has_extension(path: &Path, extensions: &[&str]) -> bool {
    path.extension().is_some_and(|found| extensions.iter().any(|wanted| found == *wanted))
}

/// Every clause that is cited has an entry in `docs/clauses.md`; clauses that a library cites and no
/// test does are told.
fn clauses(files: &[PathBuf], wrong: &mut Vec<String>) -> Result {
    let known: BTreeSet<String> = cited(&read(Path::new("docs/clauses.md"))?).into_iter().collect();
    let mut in_engine = BTreeSet::new();
    let mut in_tests = BTreeSet::new();
    for path in files.iter().filter(|path| has_extension(path, &["rs", "toml", "md"])) {
        if path == Path::new("docs/clauses.md") {
            continue;
        }
        let text = read(path)?;
        for clause in cited(&text) {
            if !known.contains(&clause) {
                wrong.push(format!("{}: {clause} is not in docs/clauses.md", path.display()));
            }
        }
        let (code, tests) = text.split_once("#[cfg(test)]").unwrap_or((&text, ""));
        if LIBRARIES.iter().any(|library| path.starts_with(library)) {
            in_engine.extend(cited(code));
            in_tests.extend(cited(tests));
        } else if path.starts_with("testdata") || path.starts_with("crates/verger-testkit") {
            in_tests.extend(cited(&text));
        }
    }
    let untested: Vec<_> = in_engine.difference(&in_tests).map(String::as_str).collect();
    println!(
        "clauses: {} cited by the libraries, {} of them by a test too; without one: {}",
        in_engine.len(),
        in_engine.len() - untested.len(),
        if untested.is_empty() { "none".to_owned() } else { untested.join(", ") },
    );
    let unbuilt: Vec<_> = in_tests.difference(&in_engine).map(String::as_str).collect();
    println!("clauses that tests cite and the libraries do not: {}", unbuilt.join(", "));
    Ok(())
}

/// The clause ids in a text.
fn cited(text: &str) -> Vec<String> {
    text.match_indices("REP-")
        .filter_map(|(at, _)| {
            let rest = &text[at + 4..];
            let part = rest.find('-').filter(|&end| {
                end > 0 && rest[..end].bytes().all(|octet| octet.is_ascii_uppercase())
            })?;
            let digits = &rest[part + 1..];
            let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
            let letter = usize::from(end > 0 && digits[end..].starts_with(['a', 'b']));
            let behind = digits[end + letter..].chars().next();
            let letter = letter * usize::from(!behind.is_some_and(char::is_alphanumeric));
            (end > 0).then(|| text[at..at + 4 + part + 1 + end + letter].to_owned())
        })
        .collect()
}

fn sizes(files: &[PathBuf], wrong: &mut Vec<String>) -> Result {
    for path in files.iter().filter(|path| has_extension(path, &["rs"])) {
        let lines = read(path)?.lines().count();
        if lines > LONGEST_FILE {
            wrong.push(format!("{}: {lines} lines, more than {LONGEST_FILE}", path.display()));
        }
    }
    Ok(())
}

fn white_space(files: &[PathBuf], wrong: &mut Vec<String>) -> Result {
    for path in files.iter().filter(|path| has_extension(path, &["rs", "toml", "md", "yml"])) {
        let text = read(path)?;
        let ends = text.lines().position(|line| line.ends_with([' ', '\t']));
        if let Some(line) = ends {
            wrong.push(format!("{}:{}: white space at the end", path.display(), line + 1));
        }
        if !text.is_empty() && !text.ends_with('\n') {
            wrong.push(format!("{}: no line end at the end", path.display()));
        }
    }
    Ok(())
}

/// An oracle is worth something while it shares nothing with what it judges.
fn oracles(files: &[PathBuf], wrong: &mut Vec<String>) -> Result {
    let naive = Path::new("crates/verger-testkit/src/naive");
    let mut uses: BTreeMap<&Path, usize> = BTreeMap::new();
    for path in files.iter().filter(|path| path.starts_with(naive)) {
        let text = read(path)?;
        let count = text.lines().filter(|line| line.contains("verger::")).count();
        uses.insert(path, count);
    }
    for (path, count) in uses.into_iter().filter(|(_, count)| *count > 0) {
        wrong.push(format!("{}: the naive matcher uses the engine {count} times", path.display()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clause_ids_are_found_in_prose() {
        let text =
            "REP-AMB-7, `REP-MATCH-19a` REP-SYNTAX-10 to REP-MATCH-19b.REP-X REP--1 REP-AMB-3an";
        assert_eq!(
            cited(text),
            ["REP-AMB-7", "REP-MATCH-19a", "REP-SYNTAX-10", "REP-MATCH-19b", "REP-AMB-3"]
        );
    }
}
