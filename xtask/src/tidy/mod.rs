//! `cargo xtask tidy`: checks that no other tool makes.

mod clauses;
mod links;
mod map;
mod oracle;
mod words;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::shell::{Result, output, program, root};

/// Maximum number of lines of a file with code; a longer one has more than one subject.
const LONGEST_FILE: usize = 500;

/// Exceptions, with their exact length: none may grow, and a shortened one may not grow back.
const LONGER: [(&str, usize); 1] = [("crates/verger-fetch/tests/histories/model.rs", 698)];

/// Runs every check and reports all problems.
pub(crate) fn run() -> Result {
    let files = tracked()?;
    let mut wrong = Vec::new();
    clauses::check(&files, &mut wrong)?;
    map::check(&files, &mut wrong)?;
    links::check(&files, &mut wrong)?;
    sizes(&files, &mut wrong)?;
    white_space(&files, &mut wrong)?;
    oracle::check(&files, &mut wrong)?;
    words::check(&files, &mut wrong)?;
    for line in &wrong {
        println!("{line}");
    }
    match wrong.len() {
        0 => Ok(()),
        count => Err(format!("{count} things are not tidy")),
    }
}

/// Files that git tracks or would add.
fn tracked() -> Result<Vec<PathBuf>> {
    let listed =
        output(&mut program("git", ["ls-files", "--cached", "--others", "--exclude-standard"]))?;
    let files: Vec<PathBuf> =
        listed.lines().map(PathBuf::from).filter(|path| root().join(path).is_file()).collect();
    if files.is_empty() {
        // An empty list is an error of the check.
        return Err("git lists no file".to_owned());
    }
    Ok(files)
}

fn read(path: &Path) -> Result<String> {
    let bytes =
        fs::read(root().join(path)).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn has_extension(path: &Path, extensions: &[&str]) -> bool {
    path.extension().is_some_and(|found| extensions.iter().any(|wanted| found == *wanted))
}

fn sizes(files: &[PathBuf], wrong: &mut Vec<String>) -> Result {
    let mut ceilings = BTreeMap::from(LONGER);
    for path in files.iter().filter(|path| has_extension(path, &["rs"])) {
        let lines = read(path)?.lines().count();
        if lines <= LONGEST_FILE {
            continue;
        }
        let path = path.to_string_lossy();
        match ceilings.remove(&*path) {
            None => wrong.push(format!("{path}: {lines} lines, more than {LONGEST_FILE}")),
            Some(listed) if listed != lines => {
                wrong
                    .push(format!("{path}: {lines} lines, but {listed} in the list of long files"));
            }
            Some(_) => {}
        }
    }
    for path in ceilings.into_keys() {
        wrong.push(format!("{path}: listed as longer than {LONGEST_FILE} lines, but it is not"));
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
