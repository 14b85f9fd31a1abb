//! Numbers for people.

/// A part of a total in per cent, with one digit after the point.
pub(super) fn percent(part: u64, total: u64) -> String {
    let (part, total) = (u128::from(part), u128::from(total.max(1)));
    match (2000 * part + total) / (2 * total) {
        0 if part > 0 => "<0.1%".to_owned(),
        1000.. if part < total => ">99.9%".to_owned(),
        thousandths => format!("{}.{}%", thousandths / 10, thousandths % 10),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_part_is_not_nothing_and_a_large_one_not_all() {
        for (part, total, expected) in [
            (0, 0, "0.0%"),
            (2, 3, "66.7%"),
            (3, 3, "100.0%"),
            (1, 2001, "<0.1%"),
            (2000, 2001, ">99.9%"),
        ] {
            assert_eq!(percent(part, total), expected);
        }
    }
}
