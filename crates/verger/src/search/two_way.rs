//! The search of Crochemore and Perrin (1991): linear time, constant memory, whatever the texts.
//!
//! The literal is cut in two at a place where no shift shorter than its period can go unnoticed. Its right
//! part is compared forwards, then its left part backwards; a difference in the right part shifts behind it,
//! one in the left part by the period.

/// Where a literal first occurs in a text.
pub(super) fn find(text: &[u8], literal: &[u8]) -> Option<usize> {
    if literal.is_empty() {
        return Some(0);
    }
    let Cut { at: cut, period } = cut(literal);
    // The period of the right part may be that of the whole; then what was compared before a shift need not
    // be compared again. Where it is not, any period of the whole is longer than either part.
    let is_periodic = literal[period..].starts_with(&literal[..cut]);
    let shift = if is_periodic { period } else { cut.max(literal.len() - cut) + 1 };
    let (mut at, mut known) = (0, 0);
    while let Some(window) = text.get(at..at + literal.len()) {
        let differs = |&here: &usize| window[here] != literal[here];
        if let Some(here) = (cut.max(known)..literal.len()).find(differs) {
            at += here - cut + 1;
            known = 0;
        } else if (known..cut).rev().find(differs).is_some() {
            at += shift;
            known = if is_periodic { literal.len() - shift } else { 0 };
        } else {
            return Some(at);
        }
    }
    None
}

/// A cut, and the period of what stands right of it.
#[derive(Clone, Copy)]
struct Cut {
    at: usize,
    period: usize,
}

/// The later of the two greatest suffixes, by either order of octets.
fn cut(literal: &[u8]) -> Cut {
    let up = greatest_suffix(literal, |left, right| left < right);
    let down = greatest_suffix(literal, |left, right| left > right);
    if up.at > down.at { up } else { down }
}

/// Where the suffix begins that is greatest in an order, and its period.
fn greatest_suffix(literal: &[u8], is_less: impl Fn(u8, u8) -> bool) -> Cut {
    let mut best = Cut { at: 0, period: 1 };
    // A suffix that may be greater, and how much of it has been compared.
    let (mut rival, mut compared) = (1, 0);
    while let Some(&theirs) = literal.get(rival + compared) {
        let ours = literal[best.at + compared];
        if is_less(theirs, ours) {
            rival += compared + 1;
            compared = 0;
            best.period = rival - best.at;
        } else if theirs == ours {
            compared += 1;
            if compared == best.period {
                rival += compared;
                compared = 0;
            }
        } else {
            best = Cut { at: rival, period: 1 };
            rival += 1;
            compared = 0;
        }
    }
    best
}
