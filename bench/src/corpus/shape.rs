//! The shape of the robots.txt files of the Web, as quantiles, and functions to sample them.
//!
//! The figures come from 4,231 files of well-known sites.

use fastrand::Rng;

/// Length of a file in bytes: the share of files up to this length, and the length. Mean 4,065,
/// median 561.
pub(super) const SIZES: &[(f64, f64)] = &[
    (0.0, 8.0),
    (0.02, 23.0),
    (0.05, 35.0),
    (0.1, 67.0),
    (0.25, 172.0),
    (0.5, 561.0),
    (0.75, 1_735.0),
    (0.9, 3_930.0),
    (0.95, 8_206.0),
    (0.98, 28_130.0),
    (0.99, 72_224.0),
    (0.995, 128_775.0),
    (0.998, 191_356.0),
    (0.999, 404_815.0),
    (1.0, 1_372_557.0),
];

/// Number of groups in a file. Mean 4.4.
pub(super) const GROUPS: &[(f64, f64)] =
    &[(0.0, 1.0), (0.5, 1.0), (0.75, 2.0), (0.9, 5.0), (0.95, 8.0), (0.99, 92.0), (1.0, 200.0)];

/// Length of a pattern in bytes. Mean 18.
pub(super) const PATTERNS: &[(f64, f64)] = &[
    (0.0, 2.0),
    (0.1, 6.0),
    (0.25, 9.0),
    (0.5, 15.0),
    (0.75, 20.0),
    (0.9, 35.0),
    (0.95, 46.0),
    (0.99, 81.0),
    (1.0, 300.0),
];

/// Share of rules without `*` and `$`.
pub(super) const LITERAL: f64 = 0.81;

/// Share of rules that begin with `*` or `/*`.
pub(super) const LEADING_STAR: f64 = 0.08;

/// Share of rules that allow.
pub(super) const ALLOW: f64 = 0.08;

/// Share of files whose lines end with CR LF.
pub(super) const CRLF: f64 = 0.32;

/// The quantile for a share; between two entries it is interpolated logarithmically.
pub(super) fn quantile(shape: &[(f64, f64)], share: f64) -> f64 {
    let above = shape.partition_point(|&(upto, _)| upto < share).clamp(1, shape.len() - 1);
    let ((low, from), (high, to)) = (shape[above - 1], shape[above]);
    let part = ((share - low) / (high - low)).clamp(0.0, 1.0);
    (from.ln() + part * (to.ln() - from.ln())).exp()
}

/// Samples a number.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small and positive")]
pub(super) fn draw(shape: &[(f64, f64)], random: &mut Rng) -> usize {
    quantile(shape, random.f64()).round() as usize
}
