//! Plain English: words that comments and pages avoid, because a plainer one exists.

use std::path::{Path, PathBuf};

use super::files::{has_extension, numbered, read};
use crate::shell::Result;

/// Words and their replacements.
const AVOIDED: [(&str, &str); 8] = [
    ("anew", "again"),
    ("befall", "happen to"),
    ("befalls", "happens to"),
    ("dear", "expensive"),
    ("dearer", "more expensive"),
    ("stand", "is"),
    ("stands", "is"),
    ("told", "reported"),
];

/// Words that do not begin a doc comment: a noun or a verb is shorter.
const BEGINNINGS: [&str; 4] = ["What", "Who", "Whose", "Where"];

/// Pages that are not checked: quotations of published texts, and the changelog.
const EXEMPT: [&str; 2] = ["docs/clauses.md", "CHANGELOG.md"];

/// Reports avoided words.
pub(super) fn check(files: &[PathBuf], wrong: &mut Vec<String>) -> Result {
    for path in files.iter().filter(|path| has_extension(path, &["rs", "md"])) {
        if EXEMPT.iter().any(|exempt| path == Path::new(exempt)) || path.starts_with("testdata") {
            continue;
        }
        let found = avoided(&read(path)?, has_extension(path, &["rs"]));
        let path = path.display();
        wrong.extend(found.into_iter().map(|(line, advice)| format!("{path}:{line}: {advice}")));
    }
    Ok(())
}

/// Lines of avoided words, with advice: in the comments of code, or in all of a page.
fn avoided(text: &str, is_code: bool) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let (mut before, mut is_fenced) = ("", false);
    for (number, line) in numbered(text) {
        let line = line.trim_start();
        let marker = ["///", "//!", "//"].into_iter().find(|it| is_code && line.starts_with(it));
        let begins = marker.is_some_and(|marker| marker != "//" && marker != before);
        before = marker.unwrap_or_default();
        let line = line[before.len()..].trim_start();
        is_fenced ^= line.starts_with("```");
        if is_fenced || is_code && marker.is_none() {
            continue;
        }
        // Every second piece between backticks is code.
        let prose = line.split('`').step_by(2).flat_map(str::split_whitespace);
        let words = prose.map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
        for (at, word) in words.filter(|word| !word.is_empty()).enumerate() {
            if begins && at == 0 && BEGINNINGS.contains(&word) {
                found.push((number, format!("begin with a noun or a verb, not with \"{word}\"")));
            }
            let lower = word.to_lowercase();
            if let Some((word, better)) = AVOIDED.iter().find(|(word, _)| *word == lower) {
                found.push((number, format!("\"{word}\": say \"{better}\"")));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn avoided_words_are_found_in_comments_outside_of_code() {
        // Not one text: this file is checked, too.
        let code = [
            "/// What stands `anew`",
            "/// Where: a second line",
            "fn f() {} // not read: dear",
            "",
            "// Told",
            "//! ```",
            "//! dear",
            "//! ```",
            "//! it befalls",
        ]
        .join("\n");
        let found =
            avoided(&code, true).into_iter().map(|(line, advice)| format!("{line} {advice}"));
        let expected = [
            "1 begin with a noun or a verb, not with \"What\"",
            "1 \"stands\": say \"is\"",
            "5 \"told\": say \"reported\"",
            "9 \"befalls\": say \"happens to\"",
        ];
        assert_eq!(found.collect::<Vec<_>>(), expected);
    }
}
