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

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_matches(pattern: &str, yes: &[&str], no: &[&str]) {
        for subject in yes {
            assert!(matches(pattern.as_bytes(), subject.as_bytes()), "{pattern} and {subject}");
        }
        for subject in no {
            assert!(!matches(pattern.as_bytes(), subject.as_bytes()), "{pattern} not {subject}");
        }
    }

    #[test]
    fn plain_pattern_is_a_prefix() {
        assert_matches("/fish", &["/fish", "/fish.html", "/fishheads/x"], &["/Fish", "/fis", "/a"]);
        assert_matches("/fish/", &["/fish/", "/fish/?id"], &["/fish", "/x/fish/"]);
        assert_matches("/", &["/", "/x"], &[""]);
    }

    #[test]
    fn star_matches_any_number_of_octets() {
        assert_matches(
            "/*.php",
            &["/a.php", "/a/b.php?c", "/.php", "/a?b=/.php"],
            &["/", "/a.PHP"],
        );
        assert_matches(
            "/this/*/exactly",
            &["/this/a/b/exactly/x", "/this//exactly"],
            &["/this/exactly"],
        );
        assert_matches("*foo", &["/xfoo", "/foofoo/x"], &["/fo"]);
    }

    #[test]
    fn star_matches_less_than_greedily_if_needed() {
        assert_matches("/*ab*ab$", &["/abab", "/ab-ab-ab"], &["/ab", "/ababx"]);
        assert_matches("/*aab$", &["/aaab", "/aabaab"], &["/aabab"]);
    }

    #[test]
    fn several_stars_match_like_one() {
        for subject in ["/", "/a", "/ab", "/ba", "/axb", "/bxa"] {
            let one = matches(b"/a*b", subject.as_bytes());
            assert_eq!(matches(b"/a***b", subject.as_bytes()), one, "{subject}");
        }
    }

    #[test]
    fn final_dollar_matches_only_at_the_end() {
        assert_matches("/x$", &["/x"], &["/xy", "/x?q", "/"]);
        assert_matches("/*.php$", &["/a.php", "/a.php/b.php"], &["/a.php5", "/a.php?x"]);
        assert_matches("/a*$", &["/a", "/abc"], &["/b"]);
        assert_matches("/$", &["/"], &["/a"]);
    }

    #[test]
    fn trailing_star_changes_nothing() {
        assert_matches("/fish*", &["/fish", "/fishes"], &["/fis", "/Fish"]);
    }

    #[test]
    fn hostile_stars_do_not_take_exponential_time() {
        let pattern = [b"/".as_slice(), &b"*a".repeat(200), b"b$"].concat();
        let subject = [b"/".as_slice(), &b"a".repeat(2000)].concat();
        assert!(!matches(&pattern, &subject));
    }
}
