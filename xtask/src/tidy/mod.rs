//! `cargo xtask tidy`: checks that no other tool makes.

mod clauses;
mod containers;
mod files;
mod links;
mod map;
mod order;
mod versions;
mod words;

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::disk;
use crate::shell::Result;

use files::{has_extension, read};

/// Maximum number of lines of a file with code; a longer one has more than one subject.
const LONGEST_FILE: usize = 500;

/// Exceptions, with their exact length: none may grow, and a shortened one may not grow back.
const LONGER: [(&str, usize); 1] = [("crates/verger-fetch/tests/fetch/histories/model.rs", 673)];

/// Runs every check and reports all problems.
pub(crate) fn run() -> Result {
    let files = disk::tracked()?;
    let mut wrong = Vec::new();
    clauses::check(&files, &mut wrong)?;
    let maps = map::all(&files)?;
    map::check(&files, &maps, &mut wrong);
    links::check(&files, &mut wrong)?;
    sizes(&files, &mut wrong)?;
    white_space(&files, &mut wrong)?;
    order::check(&files, &maps, &mut wrong)?;
    versions::check(&mut wrong)?;
    containers::check(&mut wrong)?;
    words::check(&files, &mut wrong)?;
    for line in &wrong {
        println!("{line}");
    }
    match wrong.len() {
        0 => Ok(()),
        count => Err(format!("{count} problems")),
    }
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
    for path in
        files.iter().filter(|path| has_extension(path, &["rs", "toml", "md", "yml", "py", "pyi"]))
    {
        let text = read(path)?;
        let ends = text.lines().position(|line| line.ends_with([' ', '\t']));
        if let Some(line) = ends {
            wrong.push(format!("{}:{}: white space at the end", path.display(), line + 1));
        }
        if !text.is_empty() && !text.ends_with('\n') {
            wrong.push(format!("{}: no line end at the end of the file", path.display()));
        }
        if let Some(line) = text.lines().position(|line| line.starts_with("<<<<<<< ")) {
            wrong.push(format!("{}:{}: a merge conflict", path.display(), line + 1));
        }
    }
    Ok(())
}
