//! Independence of the naive matcher: it is an oracle only if it shares no code with the engine.

use std::path::{Path, PathBuf};

use super::files::read;
use crate::shell::Result;

const NAIVE: &str = "crates/verger-testkit/src/naive";

/// The naive matcher uses only the standard library and itself.
pub(super) fn check(files: &[PathBuf], wrong: &mut Vec<String>) -> Result {
    let files: Vec<&PathBuf> = files.iter().filter(|path| path.starts_with(NAIVE)).collect();
    if files.is_empty() {
        wrong.push(format!("{NAIVE}: expected the naive matcher, but found nothing"));
    }
    for path in files {
        let is_root = path.file_name() == Some(Path::new("mod.rs").as_os_str());
        for (line, found) in foreign(&read(path)?, is_root) {
            wrong.push(format!("{}:{line}: the naive matcher uses `{found}`", path.display()));
        }
    }
    Ok(())
}

/// Foreign paths in a file of the matcher (neither its own nor the standard library's), with their
/// lines.
///
/// Reads words, not Rust: it prefers a false alarm to a missed path.
fn foreign(text: &str, is_root: bool) -> Vec<(usize, String)> {
    let own: Vec<&str> = text
        .lines()
        .filter_map(|line| line.trim().strip_prefix("mod ")?.strip_suffix(';'))
        .collect();
    let mut found = Vec::new();
    // Number of `super` that stay inside the matcher.
    let mut depth = usize::from(!is_root);
    for (number, line) in (1..).zip(text.lines()) {
        depth += usize::from(line.trim() == "#[cfg(test)]");
        let code = line.split("//").next().unwrap_or_default();
        let imported = imported(code);
        let heads = heads(code).filter(|&(at, head)| !is_fine(&code[at..], head, &own, depth));
        let heads = heads.map(|(_, head)| head);
        let import = imported.filter(|import| !ROOTS.iter().any(|root| is_path(import, root)));
        found.extend(heads.chain(import).map(|what| (number, what.to_owned())));
    }
    found
}

/// Valid beginnings of an import.
const ROOTS: [&str; 6] = ["std", "core", "alloc", "super", "self", "crate::naive"];

/// The imported path of a line.
fn imported(code: &str) -> Option<&str> {
    let code = code.trim_start();
    if code.starts_with("extern crate ") {
        return Some(code);
    }
    let item = code.strip_prefix("pub").map_or(code, |rest| {
        rest.trim_start_matches("(crate)").trim_start_matches("(super)").trim_start()
    });
    item.strip_prefix("use ")
}

/// Whether a path is a root or continues one.
fn is_path(path: &str, root: &str) -> bool {
    path.strip_prefix(root).is_some_and(|rest| rest.starts_with("::"))
}

/// The first words of the paths of a line, with their positions.
fn heads(code: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    code.match_indices("::").filter_map(move |(end, _)| {
        let start = code[..end].trim_end_matches(is_word).len();
        let goes_on = |c: char| is_word(c) || matches!(c, '{' | '*' | '<');
        let is_head =
            start < end && !code[..start].ends_with("::") && code[end + 2..].starts_with(goes_on);
        is_head.then(|| (start, &code[start..end]))
    })
}

/// Whether a path that begins with this head is permitted.
fn is_fine(path: &str, head: &str, own: &[&str], depth: usize) -> bool {
    let is_type = head.starts_with(char::is_uppercase);
    match head {
        "crate" => is_path(path, "crate::naive"),
        "super" => path.split("::").take_while(|word| *word == "super").count() <= depth,
        _ => is_type || ROOTS.contains(&head) || NUMBERS.contains(&head) || own.contains(&head),
    }
}

/// Lower-case types.
const NUMBERS: [&str; 8] = ["u8", "u16", "u32", "u64", "usize", "char", "str", "bool"];

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, is_root: bool, expected: &[&str]) {
        let found: Vec<String> = foreign(text, is_root).into_iter().map(|(_, it)| it).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn the_matcher_may_use_itself_and_the_standard_library() {
        check("use std::mem;\npub use self::bug::Bug;\nmod url;\nfn f() { url::f() }", true, &[]);
        check("use super::bug::Bug;\nlet a = u8::from(1); // verger::x", false, &[]);
        check("#[cfg(test)]\nmod tests { use super::super::check; }", false, &[]);
        check("pub(crate) use crate::naive::Bug;\nlet a = \"allow::/\";", false, &[]);
    }

    #[test]
    fn the_engine_is_found_in_every_form_of_use() {
        check("use verger;", false, &["verger;"]);
        check("use verger as v;", false, &["verger as v;"]);
        check("let a = verger::Robots::parse(b);", false, &["verger"]);
        check("use {verger, std};", false, &["{verger, std};"]);
        check("extern crate verger;", false, &["extern crate verger;"]);
    }

    #[test]
    fn other_modules_and_crates_are_found() {
        check("use crate::suite::load;", false, &["crate", "crate::suite::load;"]);
        check("let a = crate::suite::load();", false, &["crate"]);
        check("use super::suite;", true, &["super"]);
        check("let a = super::super::suite();", false, &["super"]);
        check("use url::Url;", false, &["url", "url::Url;"]);
    }
}
