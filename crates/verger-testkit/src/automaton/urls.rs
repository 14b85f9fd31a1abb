//! The same search over URLs, for two dialects with different normal forms.
//!
//! A symbol is a character or an escape of a URL; each dialect reads its own octets from it. Both
//! policies read the same URLs, so their patterns are followed side by side.

use std::collections::{BTreeSet, HashMap};

use verger::Dialect;
use verger::dialect::NormalForm;

use super::DOUBLE_SLASH;
use super::pattern::{Pattern, normal};
use super::product::{Machine, Positions, search};

/// A character or an escape.
struct Symbol {
    spelling: Vec<u8>,
    /// The octets in both normal forms.
    images: [Vec<u8>; 2],
}

/// The part of a URL after which the search is. URLs are those that the WHATWG parser writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Place {
    Start,
    /// In a segment of the path that so far consists of this number of dots.
    Dots(usize),
    /// In any other segment.
    Segment,
    Query,
    /// After a slash in the query.
    QuerySlash,
}

/// The sets of patterns, as bits, that URLs match in both dialects, each with the least cost
/// of a path and query. `None` if there are more than `limit` states.
pub(super) fn matched_sets(
    dialects: [&Dialect; 2],
    patterns: [&[&Pattern]; 2],
    escapes: &BTreeSet<Vec<u8>>,
    limit: usize,
) -> Option<HashMap<[u64; 2], usize>> {
    let forms = dialects.map(|dialect| dialect.normal_form);
    let symbols = symbols(forms, patterns, escapes);
    let machines = patterns.map(|patterns| patterns.iter().map(|it| Machine::new(it)).collect());
    let machines: [Vec<Machine>; 2] = machines;
    let start: [Vec<Positions>; 2] =
        [0, 1].map(|side: usize| machines[side].iter().map(|machine| machine.closed(1)).collect());
    let matched = |(place, positions): &(Place, [Vec<Positions>; 2])| {
        let matched = [0, 1].map(|side: usize| {
            let machines = (0..).zip(machines[side].iter().zip(&positions[side]));
            let matching = machines.filter(|(_, (machine, at))| machine.is_at_end(**at));
            matching.fold(0, |matched, (bit, _)| matched | 1 << bit)
        });
        (!matches!(place, Place::Start | Place::Dots(1 | 2))).then_some(matched)
    };
    search((Place::Start, start), limit, matched, |(place, positions), reach| {
        for symbol in &symbols {
            let Some(next_place) = next_place(*place, &symbol.spelling) else { continue };
            let next = [0, 1].map(|side: usize| {
                let next = machines[side].iter().zip(&positions[side]);
                next.map(|(machine, &at)| {
                    symbol.images[side].iter().fold(at, |at, &octet| machine.step(at, octet))
                })
                .collect()
            });
            let is_double =
                matches!(place, Place::Dots(0) | Place::QuerySlash) && symbol.spelling == b"/";
            let cost = symbol.spelling.len() + usize::from(is_double) * DOUBLE_SLASH;
            reach(cost, (next_place, next));
        }
    })
}

fn next_place(place: Place, spelling: &[u8]) -> Option<Place> {
    let is_dot = spelling == b"." || spelling.eq_ignore_ascii_case(b"%2e");
    match (place, spelling) {
        (Place::Start, b"/") => Some(Place::Dots(0)),
        // The parser encodes some characters, and resolves segments of dots.
        (Place::Start, _)
        | (Place::Query | Place::QuerySlash, b"'")
        | (Place::Dots(_) | Place::Segment, b"\\" | b"^" | b"`" | b"{" | b"}")
        | (Place::Dots(1 | 2), b"/" | b"?") => None,
        (Place::Query | Place::QuerySlash, b"/") => Some(Place::QuerySlash),
        (Place::Query | Place::QuerySlash, _) | (_, b"?") => Some(Place::Query),
        (_, b"/") => Some(Place::Dots(0)),
        (Place::Dots(count @ (0 | 1)), _) if is_dot => Some(Place::Dots(count + 1)),
        _ => Some(Place::Segment),
    }
}

fn symbols(
    forms: [NormalForm; 2],
    patterns: [&[&Pattern]; 2],
    escapes: &BTreeSet<Vec<u8>>,
) -> Vec<Symbol> {
    let used = |octet: u8| {
        patterns.iter().flat_map(|side| side.iter()).any(|it| it.tokens.contains(&Some(octet)))
    };
    let other = (b'a'..=b'z').find(|&octet| !used(octet)).expect("patterns with few letters");
    let symbol = |spelling: Vec<u8>| {
        // Google's library leaves URLs as they are.
        let images = forms.map(|form| match form {
            NormalForm::Google => spelling.clone(),
            form => normal(&spelling, form),
        });
        Symbol { spelling, images }
    };
    let characters = (0x21..0x7f).filter(|octet| !b"\"#%<>".contains(octet));
    let characters = characters.map(|octet| symbol(vec![octet])).filter(|symbol| {
        let octet = symbol.spelling[0];
        let is_changed = symbol.images.iter().any(|image| *image != symbol.spelling);
        is_changed || used(octet) || octet == other || b"/?".contains(&octet)
    });
    characters.chain(escapes.iter().map(|escape| symbol(escape.clone()))).collect()
}

/// The escapes in the URLs: those of the rules, as spelt and with upper-case digits, and those of
/// octets that the decoding dialects read in rules, and that a URL may need to escape.
pub(super) fn escapes<'p>(
    rules: impl Iterator<Item = &'p [u8]>,
    patterns: [&[&Pattern]; 2],
    forms: [NormalForm; 2],
) -> BTreeSet<Vec<u8>> {
    let mut escapes = BTreeSet::new();
    let mut add = |text: &[u8]| {
        for at in 0..text.len().saturating_sub(2) {
            let three = &text[at..at + 3];
            if three[0] == b'%' && three[1..].iter().all(u8::is_ascii_hexdigit) {
                escapes.insert(three.to_vec());
                escapes.insert(three.to_ascii_uppercase());
            }
        }
    };
    rules.for_each(&mut add);
    let literals = |pattern: &Pattern| -> Vec<Vec<u8>> {
        let literals = pattern.tokens.split(Option::is_none);
        literals.map(|literal| literal.iter().flatten().copied().collect()).collect()
    };
    for patterns in patterns {
        patterns.iter().flat_map(|it| literals(it)).for_each(|literal| add(&literal));
    }
    for (form, patterns) in forms.into_iter().zip(patterns) {
        if form == NormalForm::DecodeAllButSlash {
            let octets = patterns.iter().flat_map(|it| it.tokens.iter().flatten());
            let needed = octets
                .filter(|octet| !octet.is_ascii_graphic() || b"\"#%<>\\^`{}'".contains(octet));
            escapes.extend(needed.map(|octet| format!("%{octet:02X}").into_bytes()));
        }
    }
    escapes
}
