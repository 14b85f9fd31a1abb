//! Breadth-first search over the product of patterns: all sets of patterns that a target can match,
//! with the length of the shortest target for each.

use std::collections::{HashMap, VecDeque};

use verger::dialect::NormalForm;

use super::pattern::{Pattern, is_perl_character, is_rfc_character, is_unreserved};

/// The positions in one pattern after some octets, as bits.
pub(super) type Positions = u64;

/// Whether the patterns and their positions fit into the bits of a number.
pub(super) fn fit(patterns: &[&Pattern]) -> bool {
    patterns.len() <= 64 && patterns.iter().all(|pattern| pattern.tokens.len() < 63)
}

/// The part of a target after which the search is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Place {
    Start,
    /// Between characters.
    Between,
    /// After the `%` of an escape.
    Percent,
    /// After the first digit of an escape.
    Digit(u8),
}

/// The sets of patterns, as bits, that targets in a normal form match, each with the length of the
/// shortest target. `None` if there are more than `limit` states.
pub(super) fn matched_sets(
    patterns: &[&Pattern],
    form: NormalForm,
    limit: usize,
) -> Option<HashMap<u64, usize>> {
    let alphabet = alphabet(patterns, form);
    // Equal patterns are at the same positions.
    let mut machines: Vec<(Machine, u64)> = Vec::new();
    for (bit, pattern) in patterns.iter().enumerate() {
        let machine = Machine::new(pattern);
        match machines.iter_mut().find(|(other, _)| *other == machine) {
            Some((_, bits)) => *bits |= 1 << bit,
            None => machines.push((machine, 1 << bit)),
        }
    }
    let start: Vec<Positions> = machines.iter().map(|(machine, _)| machine.closed(1)).collect();
    let first = (Place::Start, start);
    let mut lengths = HashMap::from([(first.clone(), 0)]);
    let mut queue = VecDeque::from([(first, 0)]);
    let mut sets = HashMap::new();
    while let Some(((place, positions), length)) = queue.pop_front() {
        if place == Place::Between {
            let matching = machines.iter().zip(&positions);
            let matching = matching.filter(|((machine, _), at)| machine.is_at_end(**at));
            let matched = matching.fold(0, |matched, ((_, bits), _)| matched | bits);
            // The first target is the shortest.
            sets.entry(matched).or_insert(length);
        }
        for &octet in &alphabet {
            let Some(place) = next_place(place, octet, form) else { continue };
            let next = machines.iter().zip(&positions);
            let next: Vec<_> = next.map(|((machine, _), &at)| machine.step(at, octet)).collect();
            let next = (place, next);
            if !lengths.contains_key(&next) {
                lengths.insert(next.clone(), length + 1);
                if lengths.len() > limit {
                    return None;
                }
                queue.push_back((next, length + 1));
            }
        }
    }
    Some(sets)
}

/// A pattern as sets of positions.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Machine {
    /// The octet after each position; `None` for a star.
    tokens: Vec<Option<u8>>,
    /// The positions before stars.
    stars: Positions,
}

impl Machine {
    pub(super) fn new(pattern: &Pattern) -> Self {
        let mut tokens = pattern.tokens.clone();
        // Adjacent stars match what one matches.
        tokens.dedup_by(|one, other| one.is_none() && other.is_none());
        let stars = (0..).zip(&tokens).filter(|(_, token)| token.is_none());
        let stars = stars.fold(0, |stars, (at, _)| stars | 1 << at);
        Self { tokens, stars }
    }

    /// The positions with those after stars, which may match nothing.
    pub(super) fn closed(&self, positions: Positions) -> Positions {
        positions | (positions & self.stars) << 1
    }

    /// The positions after one more octet.
    pub(super) fn step(&self, positions: Positions, octet: u8) -> Positions {
        let mut next = positions & self.stars;
        let mut others = positions & !self.stars;
        while others != 0 {
            let at = others.trailing_zeros() as usize;
            others &= others - 1;
            if self.tokens.get(at) == Some(&Some(octet)) {
                next |= 1 << (at + 1);
            }
        }
        self.closed(next)
    }

    pub(super) fn is_at_end(&self, positions: Positions) -> bool {
        positions >> self.tokens.len() & 1 == 1
    }
}

/// The octets of all patterns, those of some escapes, and one that no pattern contains.
fn alphabet(patterns: &[&Pattern], form: NormalForm) -> Vec<u8> {
    let used = |octet: u8| patterns.iter().any(|pattern| pattern.tokens.contains(&Some(octet)));
    let other = (b'a'..=b'z').find(|&octet| !used(octet)).expect("patterns with few letters");
    // Digits that no pattern contains are alike.
    let in_escapes = |octet: u8| form == NormalForm::Rfc9309 && b"%2CF".contains(&octet);
    (0..=u8::MAX)
        .filter(|&octet| used(octet) || octet == other || octet == b'/' || in_escapes(octet))
        .collect()
}

/// The place after an octet; `None` if no target has it there.
fn next_place(place: Place, octet: u8, form: NormalForm) -> Option<Place> {
    let is_upper_digit = octet.is_ascii_digit() || (b'A'..=b'F').contains(&octet);
    let value = |digit: u8| char::from(digit).to_digit(16).unwrap_or(0) * 16;
    match place {
        Place::Start => (octet == b'/').then_some(Place::Between),
        Place::Percent => is_upper_digit.then_some(Place::Digit(octet)),
        Place::Digit(high) => {
            let octet = value(high) + char::from(octet).to_digit(16).filter(|_| is_upper_digit)?;
            let octet = u8::try_from(octet).expect("two digits");
            (!is_unreserved(octet)).then_some(Place::Between)
        }
        Place::Between => match form {
            NormalForm::Rfc9309 if octet == b'%' => Some(Place::Percent),
            NormalForm::Rfc9309 => {
                (is_rfc_character(octet) && octet != b'#').then_some(Place::Between)
            }
            // A client encodes all others.
            NormalForm::Google => {
                let is_sent = octet.is_ascii_graphic() && !b"\"#<>".contains(&octet);
                is_sent.then_some(Place::Between)
            }
            NormalForm::EscapeUnsafe => {
                (is_perl_character(octet) && octet != b'#').then_some(Place::Between)
            }
            _ => Some(Place::Between),
        },
    }
}
