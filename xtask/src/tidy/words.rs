//! Plain English: words and phrases that comments and pages avoid, because a plainer one exists.

use std::path::{Path, PathBuf};

use super::files::{has_extension, numbered, prose, read};
use crate::shell::Result;

/// Phrases and their replacements.
const AVOIDED: [(&str, &str); 23] = [
    ("anew", "again"),
    ("are none", "are not"),
    ("befall", "happen to"),
    ("befalls", "happens to"),
    ("befell", "happened to"),
    ("behind", "after"),
    ("come by", "get"),
    ("comes by", "gets"),
    ("dear", "expensive"),
    ("dearer", "more expensive"),
    ("dearest", "most expensive"),
    ("is none", "is not"),
    ("it may be that", "perhaps"),
    ("made-up", "generated, forged"),
    ("of its own", "custom, separate"),
    ("of one's own", "custom"),
    ("of our own", "custom"),
    ("of their own", "custom, separate"),
    ("so many", "the number"),
    ("stand", "is"),
    ("stands", "is"),
    ("the job of", "for"),
    ("told", "reported"),
];

/// Words that may follow `behind`, where it means a position between two others.
const BEHIND: [&str; 6] = ["proxy", "proxies", "cdn", "firewall", "nat", "feature"];

/// Words that do not begin a doc comment: a noun or a verb is shorter.
const BEGINNINGS: [&str; 4] = ["What", "Who", "Whose", "Where"];

/// Pages with quotations, or from an earlier release.
const EXEMPT: [&str; 2] = ["docs/clauses.md", "CHANGELOG.md"];

/// Reports avoided phrases, and prints their number.
pub(super) fn check(files: &[PathBuf], wrong: &mut Vec<String>) -> Result {
    let (mut words, mut found) = (0, Vec::new());
    for path in files.iter().filter(|path| has_extension(path, &["rs", "md"])) {
        if EXEMPT.iter().any(|exempt| path == Path::new(exempt)) || path.starts_with("testdata") {
            continue;
        }
        let text = read(path)?;
        let blocks = if has_extension(path, &["rs"]) {
            comments(&text)
        } else {
            vec![Block::new(false, numbered(&text))]
        };
        for block in blocks {
            words += block.words.len();
            for (line, advice) in block.avoided() {
                found.push(format!("{}:{line}: {advice}", path.display()));
            }
        }
    }
    println!("words in comments and pages: {words}; avoided ones: {}", found.len());
    wrong.extend(found);
    Ok(())
}

/// A comment or a page without its code.
struct Block<'t> {
    /// Whether it begins with `///` or `//!`.
    is_doc: bool,
    /// Words with their lines, without punctuation around them.
    words: Vec<(usize, &'t str)>,
}

impl<'t> Block<'t> {
    fn new(is_doc: bool, lines: impl Iterator<Item = (usize, &'t str)>) -> Self {
        let mut words = Vec::new();
        for (number, line) in prose(lines) {
            // Every second piece between backticks is code.
            let prose = line.split('`').step_by(2).flat_map(str::split_whitespace);
            let bare = prose.map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
            words.extend(bare.filter(|word| !word.is_empty()).map(|word| (number, word)));
        }
        Self { is_doc, words }
    }

    /// Lines of avoided phrases, with advice.
    fn avoided(&self) -> Vec<(usize, String)> {
        let mut found = Vec::new();
        if let Some((line, first)) = self.words.first()
            && self.is_doc
            && BEGINNINGS.contains(first)
        {
            found.push((*line, format!("begin with a noun or a verb, not with \"{first}\"")));
        }
        let lower: Vec<String> = self.words.iter().map(|(_, word)| word.to_lowercase()).collect();
        for (phrase, better) in AVOIDED {
            let parts: Vec<&str> = phrase.split(' ').collect();
            for (at, _) in lower.windows(parts.len()).enumerate().filter(|(_, run)| *run == parts) {
                let before = at.checked_sub(1).map(|at| &*lower[at]);
                let mut after = lower.iter().skip(at + 1).take(3);
                let is_plain = match phrase {
                    "behind" => after.any(|word| BEHIND.contains(&&**word)),
                    "are none" | "is none" => before == Some("there"),
                    _ => false,
                };
                if is_plain {
                    continue;
                }
                found.push((self.words[at].0, format!("\"{phrase}\": say \"{better}\"")));
            }
        }
        found
    }
}

/// Runs of comment lines with the same marker.
fn comments(code: &str) -> Vec<Block<'_>> {
    let mut runs: Vec<(&str, Vec<(usize, &str)>)> = Vec::new();
    let mut marker = "";
    for (number, line) in numbered(code) {
        let line = line.trim_start();
        let found = ["///", "//!", "//"].into_iter().find(|found| line.starts_with(found));
        let Some(found) = found else {
            marker = "";
            continue;
        };
        if found != marker {
            runs.push((found, Vec::new()));
            marker = found;
        }
        if let Some((_, lines)) = runs.last_mut() {
            lines.push((number, &line[found.len()..]));
        }
    }
    runs.into_iter().map(|(marker, lines)| Block::new(marker != "//", lines.into_iter())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn avoided_phrases_are_found_outside_of_code() {
        // Not one text: this file is checked, too.
        let code = [
            "/// What stands `behind`",
            "/// here, so",
            "/// many times.",
            "fn f() {} // not read",
            "",
            "// behind the proxy",
            "//! ```",
            "//! behind",
            "//! ```",
            "//! none befall",
        ]
        .join("\n");
        let found: Vec<_> = comments(&code)
            .iter()
            .flat_map(Block::avoided)
            .map(|(line, advice)| format!("{line} {advice}"))
            .collect();
        let expected = [
            "1 begin with a noun or a verb, not with \"What\"",
            "2 \"so many\": say \"the number\"",
            "1 \"stands\": say \"is\"",
            "10 \"befall\": say \"happen to\"",
        ];
        assert_eq!(found, expected);
    }
}
