//! Similar codes of rules, and similar names.

use strsim::{jaro_winkler, osa_distance};

use crate::limits::{NAME_CHARS, SIMILAR_NAMES};
use crate::rule::Rule;

/// Known names that are similar to an unknown one, ignoring case: at most three, the most similar
/// first.
///
/// # Complexity
///
/// O(known), because at most 64 characters of the unknown name are compared.
///
/// # Examples
///
/// ```
/// use verger_lint::similar_names;
///
/// let known = ["Googlebot", "Googlebot-News", "GPTBot", "bingbot"];
/// assert_eq!(similar_names("googelbot", known), ["Googlebot", "Googlebot-News"]);
/// assert!(similar_names("zzz", known).is_empty());
/// ```
pub fn similar_names<'k>(wanted: &str, known: impl IntoIterator<Item = &'k str>) -> Vec<&'k str> {
    let wanted: String = wanted.chars().take(NAME_CHARS).collect::<String>().to_ascii_lowercase();
    let mut near: Vec<(f64, &str)> = known
        .into_iter()
        .map(|name| (jaro_winkler(&wanted, &name.to_ascii_lowercase()), name))
        .filter(|&(similarity, _)| similarity >= SIMILARITY)
        .collect();
    // The sort is stable: equally similar names stay in the order of `known`.
    near.sort_by(|left, right| right.0.total_cmp(&left.0));
    near.into_iter().take(SIMILAR_NAMES).map(|(_, name)| name).collect()
}

/// A question with the known names that are [similar](similar_names) to an unknown one; `None` if
/// there are none.
///
/// # Examples
///
/// ```
/// let known = ["Googlebot", "Googlebot-News", "GPTBot"];
/// let question = verger_lint::did_you_mean("googelbot", known);
/// assert_eq!(question.unwrap(), "did you mean `Googlebot` or `Googlebot-News`?");
/// assert_eq!(verger_lint::did_you_mean("zzz", known), None);
/// ```
pub fn did_you_mean<'k>(wanted: &str, known: impl IntoIterator<Item = &'k str>) -> Option<String> {
    let near = similar_names(wanted, known);
    let near: Vec<_> = near.iter().map(|name| format!("`{name}`")).collect();
    let (last, first) = near.split_last()?;
    let first = if first.is_empty() { String::new() } else { first.join(", ") + " or " };
    Some(format!("did you mean {first}{last}?"))
}

/// Minimum similarity of a known name to an unknown one, from 0 to 1.
const SIMILARITY: f64 = 0.8;

/// The code of one of these rules that an unknown name probably means: at most two slips.
pub(crate) fn rule(name: &str, rules: &[Rule]) -> Option<&'static str> {
    let codes = rules.iter().map(|rule| rule.code);
    // Codes are short; this also bounds the time for a hostile name.
    let near = codes.filter(|code| code.len().abs_diff(name.len()) <= SLIPS_OF_CODE);
    let near = near.map(|code| (osa_distance(code, name), code));
    near.filter(|(edits, _)| *edits <= SLIPS_OF_CODE).min().map(|(_, code)| code)
}

/// Maximum number of slips in the code of a rule: codes are less similar than names of crawlers.
const SLIPS_OF_CODE: usize = 2;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_code_of_a_rule_may_have_two_slips() {
        for (name, expected) in [
            ("mispelt-key", Some("misspelt-key")),
            ("dead_rules", Some("dead-rule")),
            ("spelling", None),
        ] {
            assert_eq!(rule(name, crate::RULES), expected, "{name}");
        }
    }

    #[test]
    fn similar_names_are_suggested_in_order() {
        let known = ["Googlebot", "Googlebot-News", "GPTBot", "bingbot"];
        assert_eq!(
            did_you_mean("googelbot", known).as_deref(),
            Some("did you mean `Googlebot` or `Googlebot-News`?")
        );
        assert_eq!(did_you_mean("gpt-bot", known).as_deref(), Some("did you mean `GPTBot`?"));
        assert_eq!(did_you_mean("zzz", known), None);
    }
}
