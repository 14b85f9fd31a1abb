//! The known names nearest to an unknown one.

use crate::limits::{NAME_CHARS, SIMILARITY, SUGGESTIONS};

/// A hint that offers what may have been meant; `None` when nothing is near.
pub(crate) fn did_you_mean<'k>(
    wanted: &str,
    known: impl IntoIterator<Item = &'k str>,
) -> Option<String> {
    let names: Vec<String> =
        nearest(wanted, known).iter().map(|name| format!("`{name}`")).collect();
    let names = one_of(&names)?;
    Some(format!("did you mean {names}?"))
}

/// The known names that are near, nearest first.
pub(crate) fn nearest<'k>(wanted: &str, known: impl IntoIterator<Item = &'k str>) -> Vec<&'k str> {
    // No known name is as long, and the comparison takes the product of the lengths.
    let wanted: String = wanted.chars().take(NAME_CHARS).collect::<String>().to_ascii_lowercase();
    let mut near: Vec<(f64, &str)> = known
        .into_iter()
        .map(|name| (strsim::jaro_winkler(&wanted, &name.to_ascii_lowercase()), name))
        .filter(|&(similarity, _)| similarity >= SIMILARITY)
        .collect();
    // The sort is stable: of equally near names the first known one comes first.
    near.sort_by(|left, right| right.0.total_cmp(&left.0));
    near.into_iter().take(SUGGESTIONS).map(|(_, name)| name).collect()
}

/// `a`, `a or b`, `a, b or c`.
pub(crate) fn one_of(names: &[String]) -> Option<String> {
    match names {
        [] => None,
        [one] => Some(one.clone()),
        [first @ .., last] => Some(format!("{} or {last}", first.join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_offered_nearest_first() {
        let known = ["Googlebot", "Googlebot-News", "GPTBot", "bingbot"];
        assert_eq!(
            did_you_mean("googelbot", known).as_deref(),
            Some("did you mean `Googlebot` or `Googlebot-News`?")
        );
        assert_eq!(did_you_mean("gpt-bot", known).as_deref(), Some("did you mean `GPTBot`?"));
        assert_eq!(did_you_mean("zzz", known), None);
    }
}
