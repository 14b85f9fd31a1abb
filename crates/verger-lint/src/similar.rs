//! Similar names of crawlers.

use std::iter;
use std::sync::LazyLock;

use verger_registry::Registry;

/// Names from this length on may differ by two edits, shorter ones by one.
const LONG: usize = 10;

/// Shorter names have too many neighbours.
const SHORTEST: usize = 6;

/// The known token that an unknown name probably means: the same letters and digits with other
/// separators or a version, or nearly the same letters.
pub(crate) fn known_token(name: &str) -> Option<&'static str> {
    let meant = skeleton(name);
    let versionless = without_version(name).map(skeleton);
    let is_same = |known: &String| *known == meant || Some(known) == versionless.as_ref();
    if let Some((_, token)) = KNOWN.iter().find(|(known, _)| is_same(known)) {
        return Some(token);
    }
    let near = KNOWN.iter().filter_map(|(known, token)| {
        let shorter = meant.len().min(known.len());
        let limit = if shorter < LONG { 1 } else { 2 };
        let is_candidate = shorter >= SHORTEST && meant.len().abs_diff(known.len()) <= limit;
        let edits = is_candidate.then(|| edits(known.as_bytes(), meant.as_bytes()))?;
        (edits <= limit).then_some((edits, *token))
    });
    near.min_by_key(|(edits, _)| *edits).map(|(_, token)| token)
}

/// All tokens and aliases, with their skeletons.
static KNOWN: LazyLock<Vec<(String, &'static str)>> = LazyLock::new(|| {
    let crawlers = Registry::bundled().crawlers().iter();
    let names = crawlers.flat_map(|crawler| {
        iter::once(crawler.token()).chain(crawler.aliases().iter().map(String::as_str))
    });
    names.map(|name| (skeleton(name), name)).collect()
});

/// Letters and digits in lower case.
fn skeleton(name: &str) -> String {
    let letters = name.chars().filter(char::is_ascii_alphanumeric);
    letters.map(|letter| letter.to_ascii_lowercase()).collect()
}

/// A name without a version at its end: `ExampleBot` of `ExampleBot-2.1` and `ExampleBot_v2`.
fn without_version(name: &str) -> Option<&str> {
    let rest = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let rest = rest.strip_suffix(['v', 'V']).filter(|it| it.ends_with(['-', '_'])).unwrap_or(rest);
    let rest = rest.trim_end_matches(['-', '_']);
    (rest.len() < name.len()).then_some(rest)
}

/// The number of insertions, removals, replacements and exchanges of neighbours between two texts.
fn edits(left: &[u8], right: &[u8]) -> usize {
    // Three rows of the table: exchanges look two rows back.
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=right.len()).collect();
    for (row, &l) in left.iter().enumerate() {
        let mut next = vec![row + 1];
        for (column, &r) in right.iter().enumerate() {
            let replaced = last[column] + usize::from(l != r);
            let mut best = replaced.min(last[column + 1] + 1).min(next[column] + 1);
            if row > 0 && column > 0 && l == right[column - 1] && left[row - 1] == r {
                best = best.min(before[column - 1] + 1);
            }
            next.push(best);
        }
        before = std::mem::replace(&mut last, next);
    }
    last[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exchange_of_neighbours_is_one_edit() {
        for (left, right, expected) in [
            ("gptbot", "gptbot", 0),
            ("gptbot", "gtpbot", 1),
            ("gptbot", "gptbo", 1),
            ("gptbot", "xgptbat", 2),
            ("", "abc", 3),
        ] {
            assert_eq!(edits(left.as_bytes(), right.as_bytes()), expected, "{left} {right}");
        }
    }

    #[test]
    fn versions_separators_and_slips_lead_to_the_token() {
        for (name, expected) in [
            ("Googlebot-2.1", Some("Googlebot")),
            ("ClaudeBot_v1", Some("ClaudeBot")),
            ("Google-bot", Some("Googlebot")),
            ("GTPBot", Some("GPTBot")),
            ("PerplexityBott", Some("PerplexityBot")),
            ("ExampleBot", None),
            ("gbot", None),
        ] {
            assert_eq!(known_token(name), expected, "{name}");
        }
    }
}
