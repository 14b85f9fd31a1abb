//! Search over the product of patterns: all sets of patterns that a target can match, with the
//! least cost of a target for each.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::Hash;

use verger::dialect::NormalForm;

use super::DOUBLE_SLASH;
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
    /// After a slash.
    Slash,
    /// After any other character.
    Between,
    /// After the `%` of an escape.
    Percent,
    /// After the first digit of an escape.
    Digit(u8),
}

/// The sets of patterns, as bits, that targets in a normal form match, each with the least cost
/// of a target. `None` if there are more than `limit` states.
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
    let matched = |(place, positions): &(Place, Vec<Positions>)| {
        let matching = machines.iter().zip(positions);
        let matching = matching.filter(|((machine, _), at)| machine.is_at_end(**at));
        let matched = matching.fold(0, |matched, ((_, bits), _)| matched | bits);
        matches!(place, Place::Slash | Place::Between).then_some(matched)
    };
    search((Place::Start, start), limit, matched, |(place, positions), reach| {
        for &octet in &alphabet {
            let Some(next_place) = next_place(*place, octet, form) else { continue };
            let is_double = (*place, next_place) == (Place::Slash, Place::Slash);
            let next = machines.iter().zip(positions);
            let next = next.map(|((machine, _), &at)| machine.step(at, octet)).collect();
            reach(1 + usize::from(is_double) * DOUBLE_SLASH, (next_place, next));
        }
    })
}

/// The least cost of everything that `matched` finds in states. `steps` reaches further states,
/// each with its cost, which is not zero. `None` if there are more than `limit` states.
pub(super) fn search<S: Clone + Eq + Hash, M: Eq + Hash>(
    start: S,
    limit: usize,
    matched: impl Fn(&S) -> Option<M>,
    steps: impl Fn(&S, &mut dyn FnMut(usize, S)),
) -> Option<HashMap<M, usize>> {
    let mut waiting = BTreeMap::from([(0, vec![start])]);
    let (mut done, mut found) = (HashSet::new(), HashMap::new());
    while let Some((cost, states)) = waiting.pop_first() {
        for state in states {
            if !done.insert(state.clone()) {
                continue;
            }
            if done.len() > limit {
                return None;
            }
            if let Some(matched) = matched(&state) {
                // The first state has the least cost.
                found.entry(matched).or_insert(cost);
            }
            steps(&state, &mut |more, next| waiting.entry(cost + more).or_default().push(next));
        }
    }
    Some(found)
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
        _ if octet == b'/' && matches!(place, Place::Start | Place::Slash | Place::Between) => {
            Some(Place::Slash)
        }
        Place::Start => None,
        Place::Percent => is_upper_digit.then_some(Place::Digit(octet)),
        Place::Digit(high) => {
            let octet = value(high) + char::from(octet).to_digit(16).filter(|_| is_upper_digit)?;
            let octet = u8::try_from(octet).expect("two digits");
            (!is_unreserved(octet)).then_some(Place::Between)
        }
        Place::Slash | Place::Between => match form {
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
