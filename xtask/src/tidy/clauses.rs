//! Clauses: every cited clause has an entry in `docs/clauses.md`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::files::{has_extension, read};
use crate::shell::Result;

/// The page of the clauses.
const PAGE: &str = "docs/clauses.md";

/// Every cited clause has an entry on the page, even if the page itself cites it.
pub(super) fn check(files: &[PathBuf], wrong: &mut Vec<String>) -> Result {
    let known = entries(&read(Path::new(PAGE))?);
    for path in files.iter().filter(|path| has_extension(path, &["rs", "toml", "md"])) {
        let missing = cited(&read(path)?).into_iter().filter(|clause| !known.contains(clause));
        let path = path.display();
        wrong.extend(missing.map(|clause| format!("{path}: {clause} has no entry in {PAGE}")));
    }
    Ok(())
}

/// The clauses with an entry: an anchor, then the id in bold. A mention is not an entry.
fn entries(page: &str) -> BTreeSet<String> {
    let marked = page.split("</a>**").skip(1).filter_map(|rest| rest.split_once("**"));
    let is_one = |id: &&str| cited(id) == [*id];
    marked.map(|(id, _)| id).filter(is_one).map(str::to_owned).collect()
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
            let next = digits[end + letter..].chars().next();
            let letter = letter * usize::from(!next.is_some_and(char::is_alphanumeric));
            (end > 0).then(|| text[at..at + 4 + part + 1 + end + letter].to_owned())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An id in parts, because in this file a whole one would be a citation.
    fn id(part: &str, number: &str) -> String {
        format!("REP-{part}-{number}")
    }

    #[test]
    fn clause_ids_are_found_in_prose() {
        let text =
            "REP-AMB-7, `REP-MATCH-19a` REP-SYNTAX-10 to REP-MATCH-19b.REP-X REP--1 REP-AMB-3an";
        assert_eq!(
            cited(text),
            ["REP-AMB-7", "REP-MATCH-19a", "REP-SYNTAX-10", "REP-MATCH-19b", "REP-AMB-3"]
        );
    }

    #[test]
    fn a_clause_that_is_only_mentioned_has_no_entry() {
        let (entry, mentioned) = (id("NEW", "1"), id("NEW", "2"));
        let page = format!("- <a id=\"x\"></a>**{entry}** As {mentioned}; grep '**{mentioned}**'.");
        assert_eq!(entries(&page), BTreeSet::from([entry]));
    }
}
