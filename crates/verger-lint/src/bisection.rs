//! The largest acceptable part of a list of changes, found by halving.

/// Accepts all items together if the test accepts them; otherwise the acceptable ones of each half,
/// after those that were accepted before. Once the test answers `None`, nothing more is tested or
/// accepted.
pub(crate) fn accept(
    count: usize,
    is_acceptable: &mut dyn FnMut(&[bool]) -> Option<bool>,
) -> Vec<bool> {
    let mut accepted = vec![false; count];
    // What was accepted before a test without an answer remains.
    let _ = try_part(&mut accepted, 0, count, is_acceptable);
    accepted
}

fn try_part(
    accepted: &mut [bool],
    from: usize,
    to: usize,
    is_acceptable: &mut dyn FnMut(&[bool]) -> Option<bool>,
) -> Option<()> {
    if from == to {
        return Some(());
    }
    accepted[from..to].fill(true);
    let answer = is_acceptable(accepted);
    if answer == Some(true) {
        return Some(());
    }
    accepted[from..to].fill(false);
    answer?;
    if to - from > 1 {
        let middle = from.midpoint(to);
        try_part(accepted, from, middle, is_acceptable)?;
        try_part(accepted, middle, to, is_acceptable)?;
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_but_the_unacceptable_items_are_accepted() {
        let accepted = accept(9, &mut |chosen| Some(!chosen[2] && !chosen[7]));
        assert_eq!(accepted, [true, true, false, true, true, true, true, false, true]);
        assert_eq!(accept(0, &mut |_| Some(true)), [false; 0]);
    }

    #[test]
    fn without_tests_nothing_is_accepted() {
        assert_eq!(accept(4, &mut |_| None), [false; 4]);
        // Tests of all, of the first half, and of each of its items: none is left.
        let mut tests = 0;
        let accepted = accept(4, &mut |chosen| {
            tests += 1;
            (tests <= 4).then_some(!chosen[0])
        });
        assert_eq!(accepted, [false, true, false, false]);
        assert_eq!(tests, 5, "no test after one without an answer");
    }
}
