//! Comparison of a normalised pattern with a normalised subject.

/// REP-MATCH-3: the pattern matches a prefix of the subject. With a final `$` it must match the
/// whole subject (REP-MATCH-17).
///
/// The table has a row for every prefix of the pattern and a column for every prefix of the
/// subject. A cell says whether the one matches all of the other. Each row depends only on the row
/// above, so only that row is stored.
pub(crate) fn matches(pattern: &[u8], subject: &[u8]) -> bool {
    let (pattern, anchored) = match pattern.strip_suffix(b"$") {
        Some(before) => (before, true),
        None => (pattern, false),
    };
    // The empty pattern matches only the empty prefix.
    let mut above = vec![false; subject.len() + 1];
    above[0] = true;
    for &wanted in pattern {
        let mut row = vec![false; subject.len() + 1];
        for taken in 0..=subject.len() {
            row[taken] = if wanted == b'*' {
                // REP-MATCH-16: the star matches nothing, or one octet more than before.
                above[taken] || (taken > 0 && row[taken - 1])
            } else {
                // An octet matches an equal octet.
                taken > 0 && above[taken - 1] && subject[taken - 1] == wanted
            };
        }
        // If a row has no match, no later row has one: a long pattern need not be read to its end.
        if !row.contains(&true) {
            return false;
        }
        above = row;
    }
    if anchored { above[subject.len()] } else { above.contains(&true) }
}
