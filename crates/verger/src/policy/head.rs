//! The first bytes of a policy: format, choices for reading URLs, lengths, checksum.

use alloc::vec::Vec;
use core::error::Error;
use core::fmt;

use crate::compact::{Reader, word_of};
use crate::dialect::{Dialect, NormalForm, Precedence, Schemes, UrlSplit};
use crate::target::Reading;
use crate::verdict::Reason;

/// The version of the format. Policies of any other version are rejected; rebuild them from the
/// robots.txt.
pub const VERSION: u8 = 2;

/// The first bytes of a policy.
const MAGIC: [u8; 4] = *b"VRGP";

/// Number of bytes of the head.
pub(super) const HEAD: usize = 32;

/// The offset of the checksum, after all other fields of the head.
const CHECKSUM: usize = 24;

/// The contents of the head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) reading: Reading,
    pub(super) precedence: Precedence,
    pub(super) without_rule: WithoutRule,
    /// Number of bytes of the rules.
    pub(super) rules_bytes: u64,
    /// Number of bytes of the explanation.
    pub(super) explanation_bytes: u64,
}

/// The reason for a verdict without a rule: none matches, or none applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WithoutRule {
    NoRuleMatches = 0,
    NoGroup = 1,
    Unavailable = 2,
    CrawlerIgnoresRobots = 3,
}

impl WithoutRule {
    const ALL: [Self; 4] =
        [Self::NoRuleMatches, Self::NoGroup, Self::Unavailable, Self::CrawlerIgnoresRobots];

    pub(super) const fn reason(self) -> Reason {
        match self {
            Self::NoRuleMatches => Reason::NoRuleMatches,
            Self::NoGroup => Reason::NoGroup,
            Self::Unavailable => Reason::Unavailable,
            Self::CrawlerIgnoresRobots => Reason::CrawlerIgnoresRobots,
        }
    }
}

/// The reason why bytes are rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PolicyError {
    /// They do not begin like a policy.
    NoPolicy,
    /// They are a policy of a version other than [`VERSION`].
    Version(u8),
    /// They are incomplete, too long, or corrupted.
    Damaged,
}

impl Head {
    pub(super) const fn of(dialect: &Dialect, without_rule: WithoutRule) -> Self {
        let (reading, precedence) = (dialect.reading(), dialect.precedence);
        Self { reading, precedence, without_rule, rules_bytes: 0, explanation_bytes: 0 }
    }

    /// Writes the whole policy: the head with the lengths of the two parts, then the parts. Returns
    /// the complete head, too.
    pub(super) fn seal(mut self, rules: &[u8], explanation: &[u8]) -> (Self, Vec<u8>) {
        (self.rules_bytes, self.explanation_bytes) = (rules.len() as u64, explanation.len() as u64);
        let mut bytes = Vec::with_capacity(HEAD + rules.len() + explanation.len());
        bytes.extend(MAGIC);
        bytes.extend([VERSION, self.choices(), self.without_rule as u8, 0]);
        for length in [self.rules_bytes, self.explanation_bytes] {
            bytes.extend(length.to_le_bytes());
        }
        bytes.extend([0; 8]);
        bytes.extend(rules);
        bytes.extend(explanation);
        let sum = checksum(&bytes);
        bytes[CHECKSUM..HEAD].copy_from_slice(&sum.to_le_bytes());
        (self, bytes)
    }

    /// The head of a valid policy.
    pub(super) fn check(bytes: &[u8]) -> Result<Self, PolicyError> {
        let (head, after) = bytes.split_first_chunk::<HEAD>().ok_or(match bytes.get(..4) {
            Some(magic) if magic == MAGIC => PolicyError::Damaged,
            _ => PolicyError::NoPolicy,
        })?;
        if head[..4] != MAGIC {
            return Err(PolicyError::NoPolicy);
        }
        if head[4] != VERSION {
            return Err(PolicyError::Version(head[4]));
        }
        let head = Self::read(head).ok_or(PolicyError::Damaged)?;
        let length = head.rules_bytes.checked_add(head.explanation_bytes);
        let sum = u64::from_le_bytes(Reader::new(&bytes[CHECKSUM..]).array().unwrap_or_default());
        if length != Some(after.len() as u64) || sum != checksum(bytes) {
            return Err(PolicyError::Damaged);
        }
        Ok(head)
    }

    fn read(head: &[u8; HEAD]) -> Option<Self> {
        let mut reader = Reader::new(&head[5..]);
        let (choices, reason, zero) = (reader.byte()?, reader.byte()?, reader.byte()?);
        let [rules_bytes, explanation_bytes] =
            [reader.array()?, reader.array()?].map(u64::from_le_bytes);
        let flag = |bit: u8| choices & bit != 0;
        let reading = Reading {
            split: if flag(GOOGLE_SPLIT) { UrlSplit::Google } else { UrlSplit::Generic },
            schemes: if flag(HTTP_ONLY) { Schemes::Http } else { Schemes::WithAuthority },
            form: *FORMS.get(usize::from(choices >> FORM_SHIFT & 3))?,
            robots_txt_always_allowed: flag(ROBOTS_TXT),
        };
        let first = flag(FIRST_MATCH);
        let head = Self {
            reading,
            precedence: if first { Precedence::FirstMatch } else { Precedence::LongestPattern },
            without_rule: *WithoutRule::ALL.get(usize::from(reason))?,
            rules_bytes,
            explanation_bytes,
        };
        (zero == 0 && choices < UNKNOWN).then_some(head)
    }

    fn choices(&self) -> u8 {
        let Reading { split, schemes, form, robots_txt_always_allowed } = self.reading;
        let bit = |is_set, bit| if is_set { bit } else { 0 };
        bit(split == UrlSplit::Google, GOOGLE_SPLIT)
            | bit(schemes == Schemes::Http, HTTP_ONLY)
            | bit(robots_txt_always_allowed, ROBOTS_TXT)
            | bit(self.precedence == Precedence::FirstMatch, FIRST_MATCH)
            | form_number(form) << FORM_SHIFT
    }
}

const GOOGLE_SPLIT: u8 = 1;
const HTTP_ONLY: u8 = 2;
const ROBOTS_TXT: u8 = 4;
const FIRST_MATCH: u8 = 8;
const FORM_SHIFT: u8 = 4;
/// Choices from this bit on are undefined.
const UNKNOWN: u8 = 64;

const FORMS: [NormalForm; 4] = [
    NormalForm::Rfc9309,
    NormalForm::Google,
    NormalForm::DecodeAllButSlash,
    NormalForm::EscapeUnsafe,
];

/// The index in [`FORMS`].
const fn form_number(form: NormalForm) -> u8 {
    match form {
        NormalForm::Rfc9309 => 0,
        NormalForm::Google => 1,
        NormalForm::DecodeAllButSlash => 2,
        NormalForm::EscapeUnsafe => 3,
    }
}

/// A sum over all bytes except its own eight. Each step is invertible, so that any change within
/// eight adjacent bytes, such as a single bit, changes the sum; another change is missed with
/// probability 2^-64.
fn checksum(bytes: &[u8]) -> u64 {
    let (before, rest) = bytes.split_at(CHECKSUM.min(bytes.len()));
    let after = rest.get(HEAD - CHECKSUM..).unwrap_or_default();
    // Four sums in parallel, because each multiplication depends on the previous one.
    let mut sums = [1_u64, 2, 3, 4].map(|seed| mix(seed, bytes.len() as u64));
    let mut blocks = after.chunks_exact(32);
    for block in &mut blocks {
        for (sum, word) in sums.iter_mut().zip(block.chunks_exact(8)) {
            *sum = mix(*sum, word_of(word));
        }
    }
    let [first, others @ ..] = sums;
    let sum = others.into_iter().fold(first, mix);
    let tails = before.chunks(8).chain(blocks.remainder().chunks(8));
    tails.fold(sum, |sum, word| mix(sum, word_of(word)))
}

/// A bijection of the word, and of the sum.
fn mix(sum: u64, word: u64) -> u64 {
    let mixed = (sum ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    mixed ^ mixed >> 32
}

impl fmt::Display for PolicyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoPolicy => f.write_str("not a compiled policy"),
            Self::Version(found) => {
                write!(f, "expected a policy of version {VERSION}, but found version {found}")
            }
            Self::Damaged => f.write_str("the policy is damaged"),
        }
    }
}

impl Error for PolicyError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_written_head_is_read_back() {
        for (number, form) in (0..).zip(FORMS) {
            assert_eq!(form_number(form), number);
        }
        for (number, without_rule) in (0..).zip(WithoutRule::ALL) {
            assert_eq!(without_rule as u8, number);
            for dialect in Dialect::PUBLISHED {
                let (head, bytes) = Head::of(&dialect, without_rule).seal(b"rules", b"explanation");
                assert_eq!(Head::check(&bytes), Ok(head));
            }
        }
    }

    #[test]
    fn undefined_values_are_rejected_with_a_correct_checksum() {
        let (_, bytes) = Head::of(&Dialect::RFC9309, WithoutRule::NoGroup).seal(b"", b"");
        let (choices, reason, zero) = (5, 6, 7);
        for (at, byte) in
            [(choices, UNKNOWN), (choices, 128), (reason, 4), (reason, 255), (zero, 1)]
        {
            let mut bytes = bytes.clone();
            bytes[at] = byte;
            let sum = checksum(&bytes);
            bytes[CHECKSUM..HEAD].copy_from_slice(&sum.to_le_bytes());
            assert_eq!(Head::check(&bytes), Err(PolicyError::Damaged), "{at}: {byte}");
        }
    }
}
