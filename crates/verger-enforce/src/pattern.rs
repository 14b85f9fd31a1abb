//! Patterns in normal form, as tokens.

use verger::RulePattern;

use crate::octets::escaped;

/// A token of a text in normal form: an octet, as itself or as an escape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) octet: u8,
    pub(crate) is_escape: bool,
}

impl Token {
    /// The digit, if the token could also be a digit of an escape in normal form.
    pub(crate) fn hex_digit(self) -> Option<u8> {
        let digit = char::from(self.octet).to_digit(16)?;
        let is_one = !self.is_escape && !self.octet.is_ascii_lowercase();
        u8::try_from(digit).ok().filter(|_| is_one)
    }
}

/// A pattern of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pattern {
    /// The texts between the stars. The first is empty for a pattern that begins with a star; no
    /// other is.
    pub(crate) literals: Vec<Vec<Token>>,
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
            .map(|(_, text)| tokens(text))
            .collect();
        let pattern = Self { literals, is_anchored: pattern.is_anchored() && !ends_with_star };
        let start = &pattern.literals[0];
        let is_rooted = match start.first() {
            Some(first) => first.octet == b'/' && !first.is_escape,
            None => texts.len() > 1,
        };
        // Both digits of one escape could be the texts between the stars.
        let is_digit =
            |literal: &[Token]| literal.first().is_some_and(|it| it.hex_digit().is_some());
        let after_star = pattern.literals.get(1..).unwrap_or_default();
        if after_star.windows(2).any(|two| two[0].len() == 1 && two.iter().all(|it| is_digit(it))) {
            return Err("single hex digits between stars could be those of one escape");
        }
        Ok(is_rooted.then_some(pattern))
    }
}

/// The tokens of a text in normal form, in which every `%` begins an escape.
pub(crate) fn tokens(mut text: &[u8]) -> Vec<Token> {
    let mut tokens = Vec::with_capacity(text.len());
    while let [first, tail @ ..] = text {
        let escape = escaped(tail).filter(|_| *first == b'%');
        text = if escape.is_some() { &tail[2..] } else { tail };
        tokens.push(Token { octet: escape.unwrap_or(*first), is_escape: escape.is_some() });
    }
    tokens
}
