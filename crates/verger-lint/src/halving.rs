//! The largest acceptable part of a list of changes, found by halving.

/// Accepts all items together if the test accepts them; otherwise the acceptable ones of each half,
/// after those that were accepted before. `tests` is the number of remaining tests; without one,
/// nothing more is accepted.
pub(crate) fn accept(
    count: usize,
    tests: &mut usize,
    is_acceptable: &mut dyn FnMut(&[bool]) -> bool,
) -> Vec<bool> {
    let mut accepted = vec![false; count];
    try_part(&mut accepted, 0, count, tests, is_acceptable);
    accepted
}

fn try_part(
    accepted: &mut [bool],
    from: usize,
    to: usize,
    tests: &mut usize,
    is_acceptable: &mut dyn FnMut(&[bool]) -> bool,
) {
    if from == to || *tests == 0 {
        return;
    }
    *tests -= 1;
    accepted[from..to].fill(true);
    if is_acceptable(accepted) {
        return;
    }
    accepted[from..to].fill(false);
    if to - from > 1 {
        let middle = from.midpoint(to);
        try_part(accepted, from, middle, tests, is_acceptable);
        try_part(accepted, middle, to, tests, is_acceptable);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_but_the_unacceptable_items_are_accepted() {
        let mut tests = 100;
        let accepted = accept(9, &mut tests, &mut |chosen| !chosen[2] && !chosen[7]);
        assert_eq!(accepted, [true, true, false, true, true, true, true, false, true]);
        assert_eq!(accept(0, &mut tests, &mut |_| true), [false; 0]);
    }

    #[test]
    fn without_tests_nothing_is_accepted() {
        assert_eq!(accept(4, &mut 0, &mut |_| true), [false; 4]);
        // Tests of all, of the first half, and of each of its items: none is left.
        assert_eq!(accept(4, &mut 4, &mut |chosen| !chosen[0]), [false, true, false, false]);
    }
}
