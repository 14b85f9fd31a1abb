//! Patterns in normal form.

use verger::RulePattern;

use crate::octets::{Spelt, spelt};

/// A pattern of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pattern {
    /// The texts between the stars. The first is empty for a pattern that begins with a star; no
    /// other is.
    pub(crate) literals: Vec<Vec<Spelt>>,
    /// Whether the target ends with the last literal.
    pub(crate) is_anchored: bool,
}

impl Pattern {
    /// `None` if it matches no target.
    ///
    /// # Errors
    ///
    /// The reason why no regular expression for spellings of octets is exact.
    pub(crate) fn of(pattern: &RulePattern<'_>) -> Result<Option<Self>, &'static str> {
        let texts: Vec<&[u8]> = pattern.literals().collect();
        let ends_with_star = texts.len() > 1 && texts.last().is_some_and(|text| text.is_empty());
        let literals: Vec<_> = texts
            .iter()
            .enumerate()
            .filter(|(at, text)| *at == 0 || !text.is_empty())
            .map(|(_, text)| spelt(text))
            .collect();
        let pattern = Self { literals, is_anchored: pattern.is_anchored() && !ends_with_star };
        let start = &pattern.literals[0];
        let is_rooted = start.first().map_or(texts.len() > 1, |it| *it == Spelt::Plain(b'/'));
        // Both digits of one escape could be the texts between the stars.
        let is_digit =
            |literal: &[Spelt]| literal.first().is_some_and(|it| it.hex_digit().is_some());
        let after_star = pattern.literals.get(1..).unwrap_or_default();
        if after_star.windows(2).any(|two| two[0].len() == 1 && two.iter().all(|it| is_digit(it))) {
            return Err("single hex digits between stars could be those of one escape, as `%12`");
        }
        Ok(is_rooted.then_some(pattern))
    }
}
