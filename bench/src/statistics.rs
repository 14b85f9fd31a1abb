//! Medians and other figures of a few numbers.

/// The median; for an even count the mean of the two in the middle; 0 without numbers.
pub(crate) fn median(numbers: &[f64]) -> f64 {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => 0.0,
        count if count % 2 == 1 => sorted[middle],
        _ => f64::midpoint(sorted[middle - 1], sorted[middle]),
    }
}

/// The number that a share of all do not exceed; 0 without numbers.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "an index of a few"
)]
pub(crate) fn percentile(numbers: &[f64], share: f64) -> f64 {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    let rank = (share * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.saturating_sub(1)).copied().unwrap_or(0.0)
}

/// A part of a whole; 0 if the whole is 0.
#[expect(clippy::cast_precision_loss, reason = "a share is read to three digits")]
pub(crate) fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// The median of the ratios of pairs: drift of the machine affects both numbers and cancels out.
pub(crate) fn ratio(numerators: &[f64], denominators: &[f64]) -> f64 {
    let ratios: Vec<f64> =
        numerators.iter().zip(denominators).map(|(one, other)| one / other).collect();
    median(&ratios)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-9, "expected {expected}, but found {found}");
    }

    #[test]
    fn the_median_is_in_the_middle() {
        check(median(&[3.0, 1.0, 2.0]), 2.0);
        check(median(&[4.0, 1.0, 2.0, 3.0]), 2.5);
        check(median(&[]), 0.0);
    }

    #[test]
    fn a_percentile_is_one_of_the_numbers() {
        let hundred: Vec<f64> = (1..=100).map(f64::from).collect();
        check(percentile(&hundred, 0.99), 99.0);
        check(percentile(&[5.0], 0.99), 5.0);
        check(percentile(&[], 0.99), 0.0);
    }

    #[test]
    fn common_drift_does_not_affect_the_ratio() {
        check(ratio(&[2.0, 20.0, 200.0], &[1.0, 10.0, 100.0]), 2.0);
    }
}
